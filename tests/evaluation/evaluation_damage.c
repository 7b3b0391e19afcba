/* Results folders that somebody has had a hand in: told apart from what a run has left. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context_main.h"
#include "harness.h"
#include "refusal.h"
#include "run_samples.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context; /* that knows the pipelines "mine" and "other" */

static const char *const pipelines[] = {"mine", "other", "eegnet"};
static const char definitions[] =
    "pipeline = other\nwindows = inside\nmethod = ra+ridge\nchoose = C\nwindow = 0:1\nC = 0.01\n"
    "branch = slow\nband = 4:12\nbranch = fast\nband = 12:30\n"
    "pipeline = mine\nchoose = C, weights\nwindows = inside\nmethod = ra+ridge\nwindow = 0:2\nC = 0.01\n"
    "branch = slow\nband = 4:12\nbranch = fast\nband = 12:30\n";

enum { SUBJECTS = 4, EACH = 8, CHANNELS = 3, SAMPLES = 220 };

static congru_set *make_set(void)
{
    static double x[SUBJECTS * EACH * CHANNELS * SAMPLES];
    static int32_t label[SUBJECTS * EACH], subject[SUBJECTS * EACH];
    const signals_recipe recipe = {SUBJECTS * EACH, CHANNELS, SAMPLES, 2, SUBJECTS, 100, 0};
    congru_random random = congru_random_stream(3, 1, 2, 3);
    for (size_t i = 0; i < SUBJECTS * EACH; i++) {
        label[i] = (int32_t)(i % 2);
        subject[i] = (int32_t)(i / EACH);
        for (size_t c = 0; c < CHANNELS * SAMPLES; c++)
            x[i * CHANNELS * SAMPLES + c] =
                congru_random_normal(&random) * (c < SAMPLES && label[i] == 0 ? 2 : 1);
    }
    return signals_set(context, &recipe, x, label, subject);
}

static congru_evaluation_options damage_options(const char *folder, size_t count)
{
    congru_evaluation_options options = options_for(pipelines, count, folder);
    options.method.network.steps = 2;
    return options;
}

static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    return file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* The line that begins so, `*size` with its newline. */
static char *find_line(char *text, const char *begin, size_t *size)
{
    char *line = text;
    while (strncmp(line, begin, strlen(begin)) != 0)
        line = strchr(line, '\n') + 1;
    *size = strcspn(line, "\n") + 1;
    return line;
}

/* Ways to damage a fold of subject 1, whose first trial is 8: text is changed in place, with room for a line more. */
static void delete_row(char *text)
{
    size_t size;
    char *line = find_line(text, "9,", &size);
    memmove(line, line + size, strlen(line + size) + 1);
}

static void double_row(char *text)
{
    size_t size;
    char *line = find_line(text, "9,", &size);
    memmove(line + size, line, strlen(line) + 1);
}

static void exchange_rows(char *text)
{
    char line[256];
    size_t first, second;
    char *at = find_line(text, "9,", &first), *next = find_line(text, "10,", &second);
    memcpy(line, at, first);
    memmove(at, next, second);
    memcpy(at + second, line, first);
}

static void turn_prediction(char *text)
{
    size_t size;
    char *line = find_line(text, "9,", &size);
    line[4] = line[4] == '0' ? '1' : '0';
}

static void change_probability(char *text)
{
    size_t size;
    char *line = find_line(text, "9,", &size);
    line[size - 3] = line[size - 3] == '5' ? '4' : '5';
}

static void change_train(char *text)
{
    size_t size;
    char *line = find_line(text, "end,", &size);
    line[4] = line[4] == '1' ? '2' : '1';
}

static void change_parts(char *text)
{
    size_t size;
    char *line = find_line(text, "times,", &size);
    line[6] = line[6] == '1' ? '2' : '1';
}

static void remove_digest(char *text)
{
    char *line = strstr(text, "digest,");
    if (line != NULL)
        *line = '\0';
}

static void cut(char *text)
{
    text[strlen(text) - 30] = '\0';
}

static const struct {
    const char *name, *fold;
    void (*change)(char *text); /* NULL: the file is removed; or becomes that of `copy` */
    const char *copy;
    const char *named; /* the file that the line tells to remove */
} damages[] = {
    {"a row deleted", "folds/mine/1.csv", delete_row, NULL, "folds/mine/1.csv"},
    {"a row doubled", "folds/mine/1.csv", double_row, NULL, "folds/mine/1.csv"},
    {"rows exchanged", "folds/mine/1.csv", exchange_rows, NULL, "folds/mine/1.csv"},
    {"another prediction", "folds/mine/1.csv", turn_prediction, NULL, "folds/mine/1.csv"},
    {"another probability", "folds/mine/1.csv", change_probability, NULL, "folds/mine/1.csv"},
    {"fitted on others", "folds/mine/1.csv", change_train, NULL, "folds/mine/1.csv"},
    {"another time", "folds/mine/1.csv", change_parts, NULL, "folds/mine/1.csv"},
    {"no digest", "folds/mine/1.csv", remove_digest, NULL, "folds/mine/1.csv"},
    {"cut short", "folds/mine/1.csv", cut, NULL, "folds/mine/1.csv"},
    {"another pipeline's", "folds/mine/1.csv", NULL, "folds/other/1.csv", "folds/mine/1.csv"},
    {"another subject's", "folds/mine/1.csv", NULL, "folds/mine/2.csv", "folds/mine/1.csv"},
    {"a pattern removed", "folds/mine/1.pattern.csv", NULL, NULL, "folds/mine/1.csv"},
    {"a pattern of another subject", "folds/mine/1.pattern.csv", NULL, "folds/mine/2.pattern.csv",
     "folds/mine/1.csv"},
    {"a pattern changed", "folds/mine/1.pattern.csv", cut, NULL, "folds/mine/1.csv"},
};

/* The bytes of predictions.csv and patterns.csv. */
static char *outcome(const char *folder)
{
    char *predictions = file_text(folder, "predictions.csv"), *patterns = file_text(folder, "patterns.csv");
    char *all = malloc(strlen(predictions) + strlen(patterns) + 1);
    CHECK(all != NULL);
    strcat(strcpy(all, predictions), patterns);
    free(predictions);
    free(patterns);
    return all;
}

static void damage(const char *folder, size_t i)
{
    char *text = file_text(folder, damages[i].copy != NULL ? damages[i].copy : damages[i].fold);
    if (damages[i].change != NULL)
        damages[i].change(text);
    if (damages[i].change == NULL && damages[i].copy == NULL)
        remove_in(folder, damages[i].fold);
    else
        CHECK(write_text(folder, damages[i].fold, text));
    free(text);
}

TEST(pipelines_are_defined)
{
    CHECK(congru_pipeline_define(context, "definitions", definitions) == CONGRU_OK);
}

TEST(damaged_folds_are_not_believed)
{
    const char *folder = path_in("damaged");
    congru_set *set = make_set();
    congru_evaluation_options options = damage_options(folder, 2);
    congru_results *results = evaluate_in(context, set, &options);
    char *whole = outcome(folder), named[512];
    congru_results_destroy(&results);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        damage(folder, i);
        congru_status status = congru_evaluate(context, set, &options, &results);
        CHECK_SAYING(status == CONGRU_ERROR_FORMAT, "%s: taken", damages[i].name);
        snprintf(named, sizeof named, "%s/%s", folder, damages[i].named);
        CHECK_SAYING(strstr(congru_context_error(context), named) != NULL &&
                         strstr(congru_context_error(context), "remove") != NULL,
                     "%s: %s", damages[i].name, congru_context_error(context));
        congru_results_destroy(&results);
        if (!is_there(folder, damages[i].named))
            continue;
        remove_in(folder, damages[i].named);
        results = evaluate_in(context, set, &options);
        char *again = outcome(folder);
        CHECK_SAYING(strcmp(whole, again) == 0, "%s: removed, and other numbers come", damages[i].name);
        free(again);
        congru_results_destroy(&results);
    }
    free(whole);
    congru_set_destroy(&set);
    remove_folder(folder);
}

static void change_weight(char *text)
{
    char *line = strstr(text, "\n1,slow,");
    size_t at = strcspn(line + 8, ",") + 9;
    line[at + 7] = '1';
    line[at + 2] = line[at + 2] == '3' ? '4' : '3';
}

TEST(edited_choices_are_not_believed)
{
    const char *folder = path_in("choices");
    congru_set *set = make_set();
    congru_evaluation_options options = damage_options(folder, 2);
    congru_results *results = evaluate_in(context, set, &options);
    char *whole = outcome(folder);
    congru_results_destroy(&results);
    for (int other = 0; other < 2; other++) {
        char *text = file_text(folder, other ? "choices/other.csv" : "choices/mine.csv");
        if (!other)
            change_weight(text);
        CHECK(write_text(folder, "choices/mine.csv", text));
        free(text);
        remove_in(folder, "folds/mine/1.csv");
        check_error(context, congru_evaluate(context, set, &options, &results), CONGRU_ERROR_FORMAT,
                    "choices/mine.csv: ");
        CHECK(strstr(congru_context_error(context), "(remove the file to choose again)") != NULL);
        congru_results_destroy(&results);
        remove_in(folder, "choices/mine.csv");
        results = evaluate_in(context, set, &options);
        char *again = outcome(folder);
        CHECK(strcmp(whole, again) == 0);
        free(again);
        congru_results_destroy(&results);
    }
    free(whole);
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* Nor where every fold is there, and only the words about what was chosen come of them. */
TEST(edited_choices_of_a_finished_run_are_not_believed)
{
    const char *folder = path_in("chosen"), *other = path_in("chosen-otherwise");
    congru_set *set = make_set();
    congru_evaluation_options options = damage_options(folder, 2), otherwise = damage_options(other, 2);
    otherwise.method.seed++;
    congru_results *results = evaluate_in(context, set, &options);
    congru_results_destroy(&results);
    results = evaluate_in(context, set, &otherwise);
    congru_results_destroy(&results);
    for (int run = 0; run < 2; run++) {
        char *text = file_text(run ? other : folder, "choices/mine.csv");
        if (!run)
            change_weight(text);
        CHECK(write_text(folder, "choices/mine.csv", text));
        free(text);
        check_error(context, congru_evaluate(context, set, &options, &results), CONGRU_ERROR_FORMAT,
                    "choices/mine.csv: ");
        CHECK_SAYING(strstr(congru_context_error(context), "(remove the file to go on without it)") != NULL,
                     "%s", congru_context_error(context));
        congru_results_destroy(&results);
    }
    remove_in(folder, "choices/mine.csv");
    results = evaluate_in(context, set, &options);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    remove_folder(folder);
    remove_folder(other);
}

/* A folder without results.csv, as an interrupted run leaves it: of every kind of pipeline, defined ones too. */
TEST(folds_of_every_kind_of_pipeline_are_read)
{
    const char *folder = path_in("kinds");
    congru_set *set = make_set();
    congru_evaluation_options options = damage_options(folder, 3);
    congru_context *other = NULL; /* that knows no definitions, as congru show */
    congru_results *results = evaluate_in(context, set, &options), *read = NULL;
    CHECK(results->folds == 12 && congru_context_create(&other, NULL) == CONGRU_OK);
    congru_results_destroy(&results);
    remove_in(folder, "results.csv");
    remove_in(folder, "folds/eegnet/2.csv");
    congru_status status = congru_results_read(other, folder, &read);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(other));
    CHECK(read != NULL && read->folds == 11 && read->pipelines == 3 && read->missing == 1);
    congru_results_destroy(&read);
    /* Without run.json the pipelines that are defined are not known by name. */
    remove_in(folder, "run.json");
    CHECK(congru_results_read(other, folder, &read) == CONGRU_OK && read->folds == 3);
    congru_results_destroy(&read);
    /* Names in run.json are not paths. */
    CHECK(
        write_text(folder, "run.json", "{\"pipelines\": [\"../folds/mine\", \"..\", \"\", \"mine/../mine\"]}"));
    CHECK(congru_results_read(other, folder, &read) == CONGRU_OK && read->folds == 3);
    congru_results_destroy(&read);
    /* A damaged fold is not shown. */
    char *text = file_text(folder, "folds/eegnet/1.csv");
    turn_prediction(text);
    CHECK(write_text(folder, "folds/eegnet/1.csv", text));
    free(text);
    check_error(other, congru_results_read(other, folder, &read), CONGRU_ERROR_FORMAT, "folds/eegnet/1.csv: ");
    congru_context_destroy(&other);
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* Folds of 0.2 have neither pipeline nor digest: they are shown, and not gone on with. */
TEST(folds_without_a_digest_are_shown)
{
    const char *folder = path_in("older");
    congru_set *set = make_set();
    congru_evaluation_options options = damage_options(folder, 1);
    congru_results *results = evaluate_in(context, set, &options);
    char name[64], path[512];
    congru_results_destroy(&results);
    for (int s = 0; s < SUBJECTS; s++) {
        snprintf(name, sizeof name, "folds/mine/%d.csv", s);
        char *text = file_text(folder, name);
        remove_digest(text);
        CHECK(write_text(folder, name, text));
        free(text);
    }
    snprintf(path, sizeof path, "%s/results.csv", folder);
    unlink(path);
    CHECK(congru_results_read(context, folder, &results) == CONGRU_OK && results->folds == SUBJECTS);
    congru_results_destroy(&results);
    check_error(context, congru_evaluate(context, set, &options, &results), CONGRU_ERROR_FORMAT,
                "folds/mine/0.csv: has no digest, as folds of congru 0.2 and before");
    congru_set_destroy(&set);
    remove_folder(folder);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
