/* Results folders: written, taken up, read back, refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array/csv.h"
#include "base/text.h"
#include "evaluation/fold_run.h"
#include "evaluation/fold_wire.h"
#include "harness.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context;

static const set_recipe small = {
    .subjects = 3, .classes = 2, .per_class = 6, .d = 3, .sessions = 1, .effect = 0.8, .seed = 1};

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static congru_evaluation_options options_for(const char *const *pipelines, size_t count, const char *folder)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = count;
    options.folder = folder;
    options.dataset = "=made, \"up\"";
    return options;
}

static const char *const two[] = {"ra+mdm", "none+mdm"};

static char *file_text(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (file == NULL || text == NULL)
        abort();
    text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void what_is_written_is_read(void)
{
    const char *folder = path_in("written");
    congru_set *set = sample_set(context, &small);
    strcpy(set->subject_name[1], "S,\"2\"\n<b>");
    strcpy(set->class_name[0], "linke Hand, ü");
    congru_evaluation_options options = options_for(two, 2, folder);
    congru_results *made = NULL, *read = NULL;
    CHECK(congru_evaluate(context, set, &options, &made) == CONGRU_OK);
    congru_status status = congru_results_read(context, folder, &read);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    if (made != NULL && read != NULL) {
        CHECK(read->pipelines == 2 && read->folds == 6 && read->classes == 2 && read->subjects == 3);
        CHECK(strcmp(read->pipeline[0], "none+mdm") == 0); /* the order of the registry */
        CHECK(strcmp(read->dataset, "=made, \"up\"") == 0);
        CHECK(strcmp(read->subject_name[1], set->subject_name[1]) == 0);
        CHECK(strcmp(read->class_name[0], set->class_name[0]) == 0);
        for (size_t f = 0; f < 6; f++) {
            const congru_fold *a = &made->fold[f], *b = &read->fold[f];
            CHECK(a->accuracy == b->accuracy && a->kappa == b->kappa && a->balanced == b->balanced);
            CHECK(a->samples == b->samples && a->train == b->train && a->session == b->session);
            CHECK(memcmp(a->probability, b->probability, a->samples * 2 * sizeof(double)) == 0);
            CHECK(memcmp(a->answer, b->answer, a->samples * sizeof *a->answer) == 0);
        }
    }
    congru_results_destroy(&made);
    congru_results_destroy(&read);
    congru_set_destroy(&set);
    remove_folder(folder);
}

static void a_run_is_taken_up(void)
{
    const char *folder = path_in("resumed");
    char path[512];
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder);
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->resumed == 0);
    congru_results_destroy(&results);
    char *before = file_text(folder, "predictions.csv");
    snprintf(path, sizeof path, "%s/folds/ra+mdm/1.csv", folder);
    CHECK(remove(path) == 0);
    snprintf(path, sizeof path, "%s/folds/ra+mdm/.congru-1-0.tmp", folder);
    FILE *draft = fopen(path, "w");
    if (draft != NULL)
        fclose(draft);
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->resumed == 2);
    CHECK_SAYING(access(path, F_OK) != 0, "a draft of a killed run is left");
    congru_results_destroy(&results);
    char *after = file_text(folder, "predictions.csv");
    CHECK(strcmp(before, after) == 0);
    free(before);
    free(after);
    /* A second pipeline joins the first. */
    options.pipelines = two + 1;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->pipelines == 2 &&
          results->folds == 6 && results->resumed == 0);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    remove_folder(folder);
}

static void expect_refusal(const congru_set *set, const congru_evaluation_options *options, const char *words)
{
    congru_results *results = NULL;
    congru_status status = congru_evaluate(context, set, options, &results);
    CHECK_SAYING(status != CONGRU_OK && results == NULL, "not refused: %s", words);
    CHECK_SAYING(strstr(congru_context_error(context), words) != NULL, "no '%s' in: %s", words,
                 congru_context_error(context));
    congru_results_destroy(&results);
}

static void another_run_is_not_mixed_in(void)
{
    const char *folder = path_in("mixed");
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder), changed;
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_results_destroy(&results);
    changed = options;
    changed.target = CONGRU_TARGET_ONLINE;
    expect_refusal(set, &changed, "\"target\": \"full\" where this one has   \"target\": \"online\"");
    changed = options;
    changed.method.c = 0.5;
    expect_refusal(set, &changed, "\"c\": ");
    set->covariance[5] += 1e-12;
    set->covariance[1 * 3 + 2] = set->covariance[5];
    set->covariance[2 * 3 + 1] = set->covariance[5];
    expect_refusal(set, &options, "\"data\": ");
    char path[512];
    snprintf(path, sizeof path, "%s/run.json", folder);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs("{\"made\": \"by something else\"}\n", file) >= 0 && fclose(file) == 0);
    expect_refusal(set, &options, "run.json: not of a congru run (name another folder)");
    congru_set_destroy(&set);
    remove_folder(folder);
}

static void damaged_folds_are_named(void)
{
    const char *folder = path_in("damaged");
    char path[512];
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder);
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_results_destroy(&results);
    snprintf(path, sizeof path, "%s/folds/ra+mdm/1.csv", folder);
    char *whole = file_text(folder, "folds/ra+mdm/1.csv");
    for (size_t size = 0; size < strlen(whole); size += 13) {
        FILE *file = fopen(path, "wb");
        fwrite(whole, 1, size, file);
        fclose(file);
        expect_refusal(set, &options, "folds/ra+mdm/1.csv");
    }
    /* The fold of another subject under this one's name. */
    char *other = file_text(folder, "folds/ra+mdm/2.csv");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(other, file) >= 0 && fclose(file) == 0);
    expect_refusal(set, &options, "folds/ra+mdm/1.csv: not a finished fold of this set (remove the file");
    free(other);
    free(whole);
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* A message cut anywhere is refused, and what was made of it can be cleared. */
static void cut_messages_are_refused(void)
{
    size_t trial[3] = {4, 5, 6};
    int32_t truth[3] = {0, 1, 1}, answer[3] = {1, 1, 0};
    double probability[6] = {0.25, 0.75, 0.5, 0.5, 1, 0};
    const congru_fold fold = {.accuracy = 1.0 / 3.0,
                              .samples = 3,
                              .trial = trial,
                              .truth = truth,
                              .answer = answer,
                              .probability = probability};
    congru_bytes bytes = {0}, records = {0};
    congru_record record = {0};
    CHECK(congru_record_start(context, &record, 2) == CONGRU_OK);
    record.value[0][1] = 7.5;
    record.best_step = 1;
    congru_fold_pack(&fold, 2, &bytes);
    congru_record_pack(&record, &records);
    congru_record_clear(&record);
    for (size_t size = 0; size <= bytes.size; size++) {
        congru_fold got = {0};
        congru_parcel parcel = {.data = bytes.data, .size = size};
        congru_status status = congru_fold_unpack(context, &parcel, 2, &got);
        CHECK(status == (size < bytes.size ? CONGRU_ERROR_MEMORY : CONGRU_OK));
        CHECK(size == bytes.size ||
              strstr(congru_context_error(context), "a message with results is cut short"));
        CHECK(size < bytes.size || (got.accuracy == fold.accuracy && got.trial[2] == 6 && got.answer[2] == 0 &&
                                    memcmp(got.probability, probability, sizeof probability) == 0));
        congru_fold_clear(&got);
    }
    for (size_t size = 0; size <= records.size; size++) {
        congru_parcel parcel = {.data = records.data, .size = size};
        congru_status status = congru_record_unpack(context, &parcel, &record);
        CHECK(status == (size < records.size ? CONGRU_ERROR_MEMORY : CONGRU_OK));
        CHECK(size < records.size || (record.steps == 2 && record.best_step == 1 && record.value[0][1] == 7.5));
        congru_record_clear(&record);
    }
    congru_bytes_clear(&bytes);
    congru_bytes_clear(&records);
}

static void csv_fields(void)
{
    const char *path = path_in("fields.csv");
    const struct {
        const char *text;
        congru_status status;
        size_t rows;
        const char *words;
    } cases[] = {
        {"a,b\n1,2\n", CONGRU_OK, 1, ""},
        {"a,b\r\n1,\"2,\"\"x\"\"\"\r\n", CONGRU_OK, 1, ""},
        {"a,b\n1,2", CONGRU_OK, 1, ""},
        {"a,b\n1,", CONGRU_OK, 1, ""},
        {"a,b\n1\n", CONGRU_ERROR_FORMAT, 0, "line 2: 1 field,"},
        {"a,b\n1,2,3\n", CONGRU_ERROR_FORMAT, 0, "line 2: 3 fields"},
        {"a,b\n1,\"2\n", CONGRU_ERROR_FORMAT, 0, "line 2: a quote"},
        {"a,b\n1,\"2\"x\n", CONGRU_ERROR_FORMAT, 0, "line 2: a quote"},
        {"", CONGRU_ERROR_FORMAT, 0, "empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *file = fopen(path, "wb");
        fputs(cases[i].text, file);
        fclose(file);
        congru_csv csv;
        CHECK_SAYING(congru_csv_read(context, path, &csv) == cases[i].status, "case %zu", i);
        CHECK_SAYING(csv.rows == cases[i].rows, "case %zu: %zu rows", i, csv.rows);
        if (cases[i].status != CONGRU_OK)
            CHECK_SAYING(strstr(congru_context_error(context), cases[i].words) != NULL, "%s",
                         congru_context_error(context));
        if (i == 1)
            CHECK(strcmp(congru_csv_field(&csv, 0, 1), "2,\"x\"") == 0);
        congru_csv_clear(&csv);
    }
    remove(path);
}

static void json_strings(void)
{
    const struct {
        const char *text, *json;
    } cases[] = {
        {"a\"b\\", "\"a\\\"b\\\\\""},       {"</script>", "\"\\u003c/script\\u003e\""},
        {"\n\x01", "\"\\u000a\\u0001\""},   {"\xc3\xbc", "\"\xc3\xbc\""},
        {"\xff\xc3", "\"\\ufffd\\ufffd\""}, {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_text text = {0};
        congru_text_add_json(&text, cases[i].text);
        CHECK_SAYING(strcmp(text.data, cases[i].json) == 0, "%s", text.data);
        congru_text_clear(&text);
    }
}

/* As it is in the file, and as it is read back: itself. */
static void csv_cells_are_no_formulas(void)
{
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"left hand", "left hand"},
        {"=1+2", "'=1+2"},
        {"@sum(A1)", "'@sum(A1)"},
        {"+left", "'+left"},
        {"-left", "'-left"},
        {"-1", "-1"},
        {"+1.5e-3", "+1.5e-3"},
        {"-1+2", "'-1+2"},
        {"-", "'-"},
        {"'=x", "''=x"},
        {"''", "''"},
        {"'left", "'left"},
        {"'-1", "'-1"},
        {"\tx", "'\tx"},
        {"\rx", "\"'\rx\""},
        {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
        {"-1e", "'-1e"},
        {"S-01", "S-01"},
    };
    const char *path = path_in("formulas.csv");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_text text = {0};
        congru_csv csv;
        congru_text_add_csv(&text, cases[i].text);
        CHECK_SAYING(strcmp(text.data, cases[i].written) == 0, "%s as %s", cases[i].text, text.data);
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL && fprintf(file, "a,b\n%s,end\n", text.data) > 0 && fclose(file) == 0);
        if (CHECK(congru_csv_read(context, path, &csv) == CONGRU_OK && csv.rows == 1))
            CHECK_SAYING(strcmp(congru_csv_field(&csv, 0, 0), cases[i].text) == 0, "%s back as %s", text.data,
                         congru_csv_field(&csv, 0, 0));
        congru_csv_clear(&csv);
        congru_text_clear(&text);
    }
}

int main(void)
{
    if (!scratch_open() || congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    RUN(what_is_written_is_read);
    RUN(a_run_is_taken_up);
    RUN(another_run_is_not_mixed_in);
    RUN(damaged_folds_are_named);
    RUN(cut_messages_are_refused);
    RUN(csv_fields);
    RUN(csv_cells_are_no_formulas);
    RUN(json_strings);
    congru_context_destroy(&context);
    scratch_close();
    return harness_end();
}
