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
    CHECK(count == 11 && congru_paper_experiment_find("none") == NULL);
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
    CHECK(w.loads == 1 && w.runs == 1 && w.ends == 1 && w.blocks == loaded->count);
    CHECK(strncmp(w.folder, folder, strlen(folder)) == 0 && strcmp(w.folder + strlen(folder), "/2a") == 0);
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
    CHECK(congru_paper_claims(context, result, &claims) == CONGRU_OK && claims.cells == 8 * claims.columns);
    const congru_paper_block *block = find(result, CONGRU_PAPER_TABLE, "Deep Riemannian\nspd-cnn");
    CHECK(block != NULL);
    for (int format = CONGRU_TABLE_CSV; block != NULL && format <= CONGRU_TABLE_JSON; format++) {
        char *text = NULL;
        CHECK(congru_table_print(context, &block->table, (congru_table_format)format, NULL, &text) ==
              CONGRU_OK);
        CHECK(strstr(text, "ddct-unet-e2e") != NULL);
        congru_report_text_destroy(&text);
        CHECK(congru_table_print(context, &claims, (congru_table_format)format, NULL, &text) == CONGRU_OK);
        CHECK(strstr(text, "data not given") != NULL);
        congru_report_text_destroy(&text);
    }
    congru_table_clear(&claims);
    congru_paper_result_destroy(&result);
}

/* ---- Claims ---------------------------------------------------------------------------------------------- */

static double cell(const void *user, const char *row, const char *column)
{
    const double *value = user;
    (void)row;
    return column[0] == 'a' ? value[0] : value[1];
}

static double swapped(const void *user, const char *row, const char *column)
{
    return cell(user, row, column[0] == 'a' ? "b" : "a");
}

/* By the cells a and b, and by the paper's, which are these the other way round. */
static void verdict_is(double a, double b, bool equal, congru_paper_verdict verdict, const char *text)
{
    const congru_claim claim = {"A is above B", {{"row", "a", "row", "b", equal}}};
    const double value[2] = {a, b};
    congru_paper_request request = request_of("statistics", NULL, 0);
    congru_paper_result *held = calloc(1, sizeof *held);
    const congru_paper_job job = {context, &request, held};
    CHECK(congru_claims_judge(&job, "Claims:", &claim, 1, cell, swapped, value) == CONGRU_OK);
    CHECK(held->count == 3 && held->block[1].kind == CONGRU_PAPER_CLAIM && held->block[1].verdict == verdict);
    CHECK_SAYING(strcmp(held->block[1].text, text) == 0, "%s", held->block[1].text);
    CHECK(strcmp(held->block[1].claim, "A is above B") == 0);
    congru_paper_result_destroy(&held);
}

TEST(claims_are_judged)
{
    verdict_is(2, 1, false, CONGRU_PAPER_HOLDS,
               "reproduced: A is above B (row a 2.00, row b 1.00); it is not so in the paper's table");
    verdict_is(1, 2, false, CONGRU_PAPER_FAILS, "not reproduced: A is above B (row a 1.00, row b 2.00)");
    verdict_is(1, 1, true, CONGRU_PAPER_HOLDS, "reproduced: A is above B (row a 1.00, row b 1.00)");
    verdict_is(1, 1, false, CONGRU_PAPER_FAILS,
               "not reproduced: A is above B (row a 1.00, row b 1.00); nor is it so in the paper's table");
    verdict_is(-1e-9, 0.5, false, CONGRU_PAPER_FAILS,
               "not reproduced: A is above B (row a 0.0000, row b 0.5000)");
    verdict_is(NAN, 1, false, CONGRU_PAPER_NOT_GIVEN, "data not given: A is above B");
}

TEST(what_is_not_taken_is_told)
{
    static const char *const pipelines[] = {"ra+mdm"};
    const congru_paper_set given = {.name = "2a", .set = set}, nameless = {.set = set}, empty = {.name = "2a"};
    static const char *const nobody[] = {"S77"};
    congru_paper_request request = request_of("tabel", NULL, 0);
    CHECK(refused(&request, "unknown experiment 'tabel'"));
    request = request_of("statistics", &given, 1);
    CHECK(refused(&request, "statistics: it needs no set"));
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
