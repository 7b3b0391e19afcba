/* Results folders that a run must not add to: of other settings, damaged, removed. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "congru/model.h"
#include "context_main.h"
#include "evaluation/fold_run.h"
#include "harness.h"
#include "refusal.h"
#include "run_samples.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context;

TEST(another_run_is_not_mixed_in)
{
    const char *folder = path_in("mixed");
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder), changed;
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_results_destroy(&results);
    changed = options;
    changed.target = CONGRU_TARGET_ONLINE;
    expect_refusal(context, set, &changed, "another run: --target full there, --target online here (name");
    changed = options;
    changed.method.c = 0.5;
    changed.method.network.merges = CONGRU_MERGES_NONE;
    changed.align_by_session = true;
    expect_refusal(
        context, set, &changed,
        "another run: --align-by subject there, --align-by session here; --C auto there, --C 0.5 here; "
        "--merges skip there, --merges none here (name");
    set->covariance[5] += 1e-12;
    set->covariance[1 * 3 + 2] = set->covariance[5];
    set->covariance[2 * 3 + 1] = set->covariance[5];
    expect_refusal(context, set, &options, "another run: digest of the set ");
    char path[512];
    snprintf(path, sizeof path, "%s/run.json", folder);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs("{\"made\": \"by something else\"}\n", file) >= 0 && fclose(file) == 0);
    expect_refusal(context, set, &options, "run.json: not of a congru run (name another folder)");
    congru_set_destroy(&set);
    remove_folder(folder);
}

TEST(damaged_folds_are_named)
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
        expect_refusal(context, set, &options, "folds/ra+mdm/1.csv");
    }
    /* The fold of another subject under this one's name. */
    char *other = file_text(folder, "folds/ra+mdm/2.csv");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(other, file) >= 0 && fclose(file) == 0);
    expect_refusal(context, set, &options,
                   "folds/ra+mdm/1.csv: is of ra+mdm/2, not of ra+mdm/1 (remove the file");
    free(other);
    free(whole);
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* More subjects or sessions than anyone has, whose folds would take for ever. */
TEST(numbers_of_subjects_and_sessions_have_limits)
{
    const set_recipe many_subjects = {.subjects = 10001, .classes = 2, .per_class = 1, .d = 2, .seed = 1},
                     many_sessions = {.subjects = 2, .classes = 2, .per_class = 1001, .d = 2, .seed = 1};
    congru_evaluation_options options = options_for(two, 1, NULL);
    congru_set *set = sample_set(context, &many_subjects);
    congru_model_options fitted;
    congru_model *model = NULL;
    congru_model_options_init(&fitted);
    fitted.pipeline = "none+mdm";
    expect_refusal(context, set, &options, "the set holds 10001 subjects; at most 10000 are taken");
    check_error(context, congru_model_fit(context, set, &fitted, &model), CONGRU_ERROR_UNSUPPORTED,
                "the set holds 10001 subjects; at most 10000 are taken");
    congru_set_destroy(&set);
    set = sample_set(context, &many_sessions);
    for (size_t i = 0; i < set->count; i++)
        set->session[i] = (int32_t)(i / 2);
    expect_refusal(context, set, &options, "has 1001 sessions; at most 1000 of a subject are taken");
    congru_set_destroy(&set);
}

/* Without run.json the folds themselves say what they were made with. */
TEST(folds_carry_a_fingerprint)
{
    const char *folder = path_in("unnamed");
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder), changed;
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_results_destroy(&results);
    remove_in(folder, "run.json");
    changed = options;
    changed.method.seed = 7;
    expect_refusal(context, set, &changed, "folds/ra+mdm/0.csv: made with other settings or from other data");
    CHECK(!is_there(folder, "run.json"));
    changed.method.seed = options.method.seed;
    changed.dataset = "another";
    expect_refusal(context, set, &changed, "name another folder with -o");
    set->covariance[0] += 1e-9;
    expect_refusal(context, set, &options, "made with other settings or from other data");
    set->covariance[0] -= 1e-9;
    congru_set_destroy(&set);
    set = sample_set(context, &small);
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->resumed == 3);
    congru_results_destroy(&results);
    /* As version 0.1.0 wrote them. */
    char path[512];
    snprintf(path, sizeof path, "%s/folds/ra+mdm/1.csv", folder);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs("trial,y_true,y_pred,p0,p1\n12,0,0,1,0\nend,24,0,0.000110,\n", file) >= 0 &&
          fclose(file) == 0);
    expect_refusal(context, set, &options, "folds/ra+mdm/1.csv: does not say what settings it was made with");
    remove_in(folder, "run.json");
    remove_in(folder, "folds");
    expect_refusal(context, set, &options,
                   "holds results.csv, and no run.json that says what it was made with");
    CHECK(!is_there(folder, "run.json"));
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* What a progress function does to the folder when the first fold is done. */
static const char *doomed;
static bool comes_back;

static bool remove_doomed(void *user, size_t done, size_t total)
{
    (void)user, (void)total;
    if (done >= 1 && doomed != NULL) {
        /* At once: while files go one by one, another thread may write the next. */
        char aside[600];
        snprintf(aside, sizeof aside, "%s-aside", doomed);
        CHECK(rename(doomed, aside) == 0);
        remove_folder(aside);
        if (comes_back)
            CHECK(mkdir(doomed, 0777) == 0);
        doomed = NULL;
    }
    return true;
}

TEST(a_folder_removed_during_a_run_is_an_error)
{
    congru_set *set = sample_set(context, &small);
    for (int i = 0; i < 4; i++) {
        congru_context *own = NULL;
        congru_results *results = NULL;
        congru_evaluation_options options = options_for(two, 2, path_in("doomed"));
        const congru_context_options with = {.threads = 1, .progress = remove_doomed};
        const int32_t only = 0;
        options.subjects = i >= 2 ? &only : NULL;
        options.subject_count = i >= 2;
        options.pipeline_count = i >= 2 ? 1 : 2; /* one fold: removed after the last */
        doomed = options.folder;
        comes_back = i % 2 == 1;
        CHECK(congru_context_create(&own, &with) == CONGRU_OK);
        congru_status status = congru_evaluate(own, set, &options, &results);
        CHECK_SAYING(status == CONGRU_ERROR_IO && results == NULL, "case %d: %d", i, (int)status);
        CHECK_SAYING(strstr(congru_context_error(own), "was removed or replaced during the run") != NULL, "%s",
                     congru_context_error(own));
        CHECK_SAYING(doomed == NULL, "the folder was not removed");
        CHECK(!is_there(options.folder, "results.csv") && !is_there(options.folder, "folds"));
        congru_results_destroy(&results);
        congru_context_destroy(&own);
        remove_folder(options.folder);
    }
    congru_set_destroy(&set);
}

/* Stops the run as the user would. */
int main(void)
{
    return scratch_main(&context, NULL);
}
