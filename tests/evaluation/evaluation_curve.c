/* Learning curves: the runs they are made of, their folders, what is refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "congru/evaluation.h"
#include "harness.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context;
static const char *const names[] = {"ra+mdm", "ra+tslr"};
static const set_recipe small = {
    .subjects = 4, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};

static void prepare(congru_evaluation_options *options, const char *folder)
{
    congru_evaluation_options_init(options);
    options->pipelines = names;
    options->pipeline_count = 2;
    options->dataset = "made";
    options->folder = folder;
}

static bool same_predictions(const congru_results *a, const congru_results *b)
{
    bool same = a != NULL && b != NULL && a->folds == b->folds;
    for (size_t f = 0; same && f < a->folds; f++)
        same = a->fold[f].samples == b->fold[f].samples &&
               memcmp(a->fold[f].trial, b->fold[f].trial, a->fold[f].samples * sizeof *a->fold[f].trial) == 0 &&
               memcmp(a->fold[f].probability, b->fold[f].probability,
                      a->fold[f].samples * a->classes * sizeof(double)) == 0;
    return same;
}

static double most_told;

static bool go_on(void *user, size_t done, size_t total)
{
    (void)user, (void)done, (void)total;
    return true;
}

static void watch(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    (void)user, (void)pipeline, (void)step, (void)steps;
    most_told = part > most_told ? part : most_told;
}

TEST(curve_is_its_runs)
{
    static const int number[] = {0, 1, 3};
    char folder[1024];
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_curve *curve = NULL, *again = NULL;
    snprintf(folder, sizeof folder, "%s/deep/curve", scratch_folder());
    prepare(&options, folder);
    options.watch = watch;
    CHECK(congru_curve_evaluate(context, set, &options, 3, number, &curve) == CONGRU_OK);
    CHECK(most_told > 0.67 && most_told <= 1);
    CHECK(congru_curve_read(context, folder, &again) == CONGRU_OK);
    CHECK(curve != NULL && again != NULL && curve->count == 3 && again->count == 3);
    for (size_t i = 0; curve != NULL && again != NULL && i < 3; i++) {
        congru_results *alone = NULL;
        prepare(&options, NULL);
        options.calibration = number[i];
        options.calibration_most = 3;
        CHECK(congru_evaluate(context, set, &options, &alone) == CONGRU_OK);
        CHECK(same_predictions(alone, curve->results[i]));
        CHECK(same_predictions(alone, again->results[i]));
        CHECK(again->number[i] == number[i] && strcmp(again->folder[i], curve->folder[i]) == 0);
        for (size_t p = 0; p < 2; p++) {
            const congru_interval mean = congru_curve_mean(curve, i, names[p], CONGRU_SCORE_ACCURACY);
            CHECK(mean.count == 4 &&
                  mean.mean == congru_scores_mean(curve->scores[i],
                                                  congru_scores_find(curve->scores[i], names[p]),
                                                  CONGRU_SCORE_ACCURACY)
                                   .mean);
        }
        CHECK(isnan(congru_curve_mean(curve, i, "none+mdm", CONGRU_SCORE_ACCURACY).mean));
        congru_results_destroy(&alone);
    }
    congru_curve_destroy(&curve);
    congru_curve_destroy(&again);
    congru_set_destroy(&set);
}

/* Names that only look like a number's are no part of a curve. */
TEST(other_folders_are_none)
{
    static const char *const other[] = {"",
                                        "/calibration-",
                                        "/calibration-1x",
                                        "/calibration-01",
                                        "/calibration--1",
                                        "/calibration-99999999999999999999"};
    char folder[1024];
    congru_curve *curve = NULL;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        snprintf(folder, sizeof folder, "%s/others%s", scratch_folder(), other[i]);
        CHECK(mkdir(folder, 0777) == 0);
    }
    snprintf(folder, sizeof folder, "%s/others", scratch_folder());
    CHECK(congru_curve_read(context, folder, &curve) == CONGRU_OK && curve == NULL);
    for (int n = 0; n <= CONGRU_CURVE_MAX; n++) {
        snprintf(folder, sizeof folder, "%s/others/calibration-%d", scratch_folder(), n);
        CHECK(mkdir(folder, 0777) == 0);
    }
    snprintf(folder, sizeof folder, "%s/others", scratch_folder());
    CHECK(congru_curve_read(context, folder, &curve) == CONGRU_ERROR_FORMAT && curve == NULL);
    snprintf(folder, sizeof folder, "%s/nowhere", scratch_folder());
    CHECK(congru_curve_read(context, folder, &curve) == CONGRU_ERROR_IO && curve == NULL);
}

TEST(wrong_numbers_are_refused)
{
    static const int wrong[][2] = {{1, 1}, {2, 1}, {-1, 2}};
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_curve *curve = NULL;
    prepare(&options, NULL);
    for (size_t i = 0; i < 3; i++)
        CHECK(congru_curve_evaluate(context, set, &options, 2, wrong[i], &curve) == CONGRU_ERROR_ARGUMENT &&
              curve == NULL);
    CHECK(congru_curve_evaluate(context, set, &options, 0, wrong[0], &curve) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_curve_evaluate(context, set, &options, 2, NULL, &curve) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_curve_evaluate(context, set, &options, 2, (const int[]){0, 8}, &curve) != CONGRU_OK);
    congru_set_destroy(&set);
}

int main(void)
{
    const congru_context_options options = {.threads = 2, .progress = go_on};
    if (!scratch_open() || congru_context_create(&context, &options) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(&context);
    scratch_close();
    return harness_end();
}
