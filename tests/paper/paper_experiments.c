/* Experiments of the paper from a program: blocks, claims, tables in every format, what is refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "harness.h"
#include "paper/claims.h"
#include "scratch.h"

static congru_context *context;
static congru_set *set;
static const char *folder;

static congru_paper_request request_of(const char *experiment, const congru_paper_set *sets, size_t count)
{
    congru_paper_request request;
    congru_paper_request_init(&request);
    request.experiment = experiment;
    request.sets = sets;
    request.set_count = count;
    request.folder = folder;
    request.run.method.network.steps = 1;
    return request;
}

static const congru_paper_block *find(const congru_paper_result *result, congru_paper_kind kind,
                                      const char *text)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->block[i].kind == kind &&
            (text == NULL || (result->block[i].text != NULL && strstr(result->block[i].text, text) != NULL)))
            return &result->block[i];
    return NULL;
}

static bool refused(const congru_paper_request *request, const char *text)
{
    congru_paper_result *result = NULL;
    bool good = congru_paper_run(context, request, &result) == CONGRU_ERROR_ARGUMENT &&
                strstr(congru_context_error(context), text) != NULL;
    if (!good)
        printf("# %s\n", congru_context_error(context));
    congru_paper_result_destroy(&result);
    return good;
}

TEST(experiments_have_names)
{
    size_t count = 0;
    for (; congru_paper_experiment_at(count) != NULL; count++) {
        const congru_paper_experiment *about = congru_paper_experiment_at(count);
        CHECK(congru_paper_experiment_find(about->name) == about && strlen(about->text) > 20);
        CHECK(about->also == NULL || congru_paper_experiment_find(about->also) == about);
    }
    CHECK(count >= 14 && congru_paper_experiment_find("none") == NULL);
    const char *text = NULL;
    CHECK(strcmp(congru_ablation_variant(10, &text), "baseline") == 0 && strcmp(text, "The whole model.") == 0);
    CHECK(congru_ablation_variant(11, &text) == NULL && text == NULL);
}

/* ---- Sets that are given, and sets that are loaded -------------------------------------------------------- */

typedef struct watcher {
    size_t loads, runs, ends, blocks;
    char folder[64];
} watcher;

static congru_status load(void *user, congru_context *own, const congru_paper_set *about,
                          const congru_method_options *method, congru_set **made)
{
    watcher *w = user;
    congru_synth_options options;
    congru_synth_options_init(&options);
    options.subjects = 3;
    options.trials = 4;
    options.channels = 4;
    w->loads += strcmp(about->name, "2a") == 0 && method->network.steps == 1;
    return congru_synth(own, &options, made);
}

static void running(void *user, const char *where)
{
    watcher *w = user;
    w->runs += where != NULL;
    w->ends += where == NULL;
    if (where != NULL)
        snprintf(w->folder, sizeof w->folder, "%s", where);
}

static void found(void *user, const congru_paper_block *block)
{
    watcher *w = user;
    w->blocks += block->text != NULL || block->table.cells > 0;
}

TEST(sets_are_given_or_loaded)
{
    static const char *const pipelines[] = {"ra+mdm", "ra+tslr"};
    congru_paper_result *given = NULL, *loaded = NULL;
    watcher w = {0};
    congru_paper_request request =
        request_of("table-preproc", &(congru_paper_set){.name = "2a", .set = set}, 1);
    request.run.pipelines = pipelines;
    request.run.pipeline_count = 2;
    CHECK(congru_paper_run(context, &request, &given) == CONGRU_OK);
    request.sets = &(congru_paper_set){.name = "2a"};
    request.load = load;
    request.running = running;
    request.found = found;
    request.user = &w;
    CHECK(congru_paper_run(context, &request, &loaded) == CONGRU_OK);
    /* Once with the chosen C of ra+tslr, once with C = 1, which verdicts name too. */
    CHECK(w.loads == 2 && w.runs == 2 && w.ends == 2 && w.blocks == loaded->count);
    CHECK(strncmp(w.folder, folder, strlen(folder)) == 0 && strcmp(w.folder + strlen(folder), "/2a-C-1") == 0);
    CHECK(given->count == loaded->count);
    for (size_t i = 0; i < given->count; i++)
        CHECK((given->block[i].text == NULL && loaded->block[i].text == NULL) ||
              strcmp(given->block[i].text, loaded->block[i].text) == 0);
    CHECK(find(given, CONGRU_PAPER_NOTE, "bnci2014-001: 3 subjects where the paper has 9") != NULL);
    CHECK(find(given, CONGRU_PAPER_LINE, "bnci2014-004: data not given") != NULL);
    congru_paper_result_destroy(&given);
    congru_paper_result_destroy(&loaded);
    CHECK(given == NULL);
}

TEST(tables_and_claims_have_every_format)
{
    congru_paper_result *result = NULL;
    congru_table claims = {0};
    congru_paper_request request = request_of("comparison", NULL, 0);
    CHECK(congru_paper_run(context, &request, &result) == CONGRU_OK);
    CHECK(congru_paper_claims(context, result, &claims) == CONGRU_OK && claims.cells == 10 * claims.columns);
    const congru_paper_block *block = find(result, CONGRU_PAPER_TABLE, "Deep Riemannian\nspd-cnn");
    CHECK(block != NULL);
    for (int format = CONGRU_TABLE_CSV; block != NULL && format <= CONGRU_TABLE_JSON; format++) {
        char *text = NULL;
        CHECK(congru_table_print(context, &block->table, (congru_table_format)format, NULL, &text) ==
              CONGRU_OK);
        CHECK(strstr(text, "ddct-unet-e2e") != NULL);
        congru_report_text_destroy(&text);
        CHECK(congru_table_print(context, &claims, (congru_table_format)format, NULL, &text) == CONGRU_OK);
        CHECK(strstr(text, "not judged") != NULL);
        congru_report_text_destroy(&text);
    }
    congru_table_clear(&claims);
    congru_paper_result_destroy(&result);
}

/* ---- Claims ---------------------------------------------------------------------------------------------- */

/* The cells a and b, of subjects where `units` says so; the paper's are these the other way round. */
typedef struct cells {
    double value[2];
    const double *unit[2];
    size_t units;
} cells;

static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const cells *all = user;
    const int which = (column[0] == 'b') != (side == CONGRU_CLAIM_PAPER);
    (void)row;
    cell->number = all->value[which];
    if (side == CONGRU_CLAIM_PAPER || all->units == 0)
        return;
    CHECK(congru_claim_cell_room(cell, all->units));
    memcpy(cell->unit, all->unit[which], all->units * sizeof *cell->unit);
}

static void verdict_of(const cells *all, const char *condition, congru_paper_verdict verdict, const char *text)
{
    congru_claim *claim = calloc(1, sizeof *claim);
    char line[200];
    snprintf(line, sizeof line, "id,none,P1,all,A is above B,,%s", condition);
    CHECK(congru_paper_row_split(line, &claim->row) == 7 && congru_claim_parse(claim));
    congru_paper_request request = request_of("statistics", NULL, 0);
    congru_paper_result *held = calloc(1, sizeof *held);
    const congru_paper_job job = {context, &request, held};
    const congru_claim_source source = {.experiment = "none", .read = read_cell, .user = all};
    CHECK(congru_claim_judge(&job, &source, claim, false) == CONGRU_OK);
    CHECK(held->count == 1 && held->block[0].kind == CONGRU_PAPER_CLAIM && held->block[0].verdict == verdict);
    CHECK_SAYING(strcmp(held->block[0].text, text) == 0, "%s", held->block[0].text);
    CHECK(strcmp(held->block[0].claim, "A is above B") == 0);
    congru_paper_result_destroy(&held);
    free(claim);
}

TEST(claims_are_judged)
{
    static const char above[] = "[row|a] > [row|b]", not_below[] = "[row|a] >= [row|b]";
    verdict_of(&(cells){.value = {2, 1}}, above, CONGRU_PAPER_HOLDS,
               "reproduced: A is above B: row a 2.00, row b 1.00, by 1.00, no interval"
               "; the paper's own table says otherwise (row a 1.00, row b 2.00)");
    /* What is added to a cell and multiplies it stands in the line, from which the margin can be worked out. */
    verdict_of(&(cells){.value = {4, 3}}, "[row|a] - 1 >= 0.5 [row|b] + 2", CONGRU_PAPER_FAILS,
               "not reproduced: A is above B: row a 4.00 - 1, 0.5 times row b 3.00 + 2, by -0.5000, no interval"
               "; the paper's own table says otherwise (row a 3.00 - 1, 0.5 times row b 4.00 + 2)");
    verdict_of(&(cells){.value = {1, 2}}, above, CONGRU_PAPER_FAILS,
               "not reproduced: A is above B: row a 1.00, row b 2.00, by -1.00, no interval");
    verdict_of(&(cells){.value = {1, 1}}, not_below, CONGRU_PAPER_HOLDS,
               "reproduced: A is above B: row a 1.00, row b 1.00, by 0.0000, no interval");
    verdict_of(&(cells){.value = {1, 1}}, above, CONGRU_PAPER_FAILS,
               "not reproduced: A is above B: row a 1.00, row b 1.00, by 0.0000, no interval"
               "; the paper's own table says otherwise (row a 1.00, row b 1.00)");
    verdict_of(&(cells){.value = {NAN, 1}}, above, CONGRU_PAPER_NOT_GIVEN,
               "not judged: A is above B: needs row a");
    static const double a[] = {3, 4, 5}, b[] = {1, 2.5, 2.5}, c[] = {5, 0, 4.5};
    verdict_of(&(cells){{4, 2}, {a, b}, 3}, above, CONGRU_PAPER_HOLDS,
               "reproduced: A is above B: row a 4.00, row b 2.00, by 2.00 [0.7579, 3.24]"
               "; the paper's own table says otherwise (row a 2.00, row b 4.00)");
    verdict_of(&(cells){{4, 3.1666666666666665}, {a, c}, 3}, above, CONGRU_PAPER_HOLDS,
               "reproduced, within chance: A is above B: row a 4.00, row b 3.17, by 0.8333 [-6.65, 8.32]"
               "; the paper's own table says otherwise (row a 3.17, row b 4.00)");
}

TEST(what_is_not_taken_is_told)
{
    static const char *const pipelines[] = {"ra+mdm"};
    const congru_paper_set given = {.name = "2a", .set = set}, nameless = {.set = set}, empty = {.name = "2a"};
    static const char *const nobody[] = {"S77"};
    congru_paper_request request = request_of("tabel", NULL, 0);
    CHECK(refused(&request, "unknown experiment 'tabel'"));
    request = request_of("properties", &given, 1);
    CHECK(refused(&request, "properties: it needs no set"));
    request = request_of("silhouette", &given, 1);
    request.run.pipelines = pipelines;
    request.run.pipeline_count = 1;
    CHECK(refused(&request, "silhouette: it has pipelines of its own"));
    request.experiment = "ablation";
    CHECK(refused(&request, "pipeline 'ra+mdm' has no network to take parts of"));
    request = request_of("recipes", &given, 1);
    CHECK(refused(&request, "recipes have covariances of their own"));
    request = request_of("table-e2e", &nameless, 1);
    CHECK(refused(&request, "set 1 has no name"));
    request = request_of("table-e2e", &empty, 1);
    CHECK(refused(&request, "set 1 has no name, or there is none"));
    request = request_of("table-e2e", &given, 1);
    request.subjects = nobody;
    request.subject_count = 1;
    CHECK(refused(&request, "2a: has no subject 'S77'"));
    request = request_of("synthetic", NULL, 0);
    request.seeds[0] = 60;
    CHECK(refused(&request, "seeds 60 to 54"));
}

TEST(parts_are_left_out)
{
    static const char *const pipelines[] = {"dct-e2e"};
    congru_paper_result *result = NULL;
    congru_paper_request request = request_of(NULL, &(congru_paper_set){.name = "set", .set = set}, 1);
    request.run.pipelines = pipelines;
    request.run.pipeline_count = 1;
    CHECK(congru_ablate(context, &request, &result) == CONGRU_OK);
    CHECK(result->count == 3 && result->block[1].kind == CONGRU_PAPER_TABLE);
    CHECK(result->block[1].table.cells == 2 * 11);
    CHECK(strstr(result->block[0].text, "set: 3 subjects, 48 trials, 4 classes, 4 channels") != NULL);
    congru_paper_result_destroy(&result);
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about, (void)type, (void)place;
    return remove(path);
}

int main(void)
{
    watcher w = {0};
    congru_method_options method;
    congru_method_options_init(&method);
    if (!scratch_open() || congru_context_create(&context, NULL) != CONGRU_OK ||
        load(&w, context, &(congru_paper_set){.name = "2a"}, &method, &set) != CONGRU_OK)
        return 1;
    folder = scratch_folder();
    harness_run_all();
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return harness_end();
}
