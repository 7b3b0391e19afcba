/* What folds share: filtered copies, recentred trials and features, whatever the number of threads. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/materials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "harness.h"
#include "set_samples.h"

enum { CHANNELS = 3, RATE = 100, SAMPLES = 300, SUBJECTS = 3, EACH = 50, TRIALS = SUBJECTS * EACH };

static congru_context *context;
static congru_set *set;

/* Noise of different size for each subject and channel, from 0.5 s before the cue on. */
static congru_set *make_set(void)
{
    double *noise = malloc(TRIALS * CHANNELS * SAMPLES * sizeof *noise);
    int32_t label[TRIALS], subject[TRIALS];
    congru_random random = congru_random_stream(1, 2, 3, 4);
    CHECK(noise != NULL);
    for (size_t i = 0; i < TRIALS; i++) {
        label[i] = (int32_t)(i % 2);
        subject[i] = (int32_t)(i / EACH);
        for (size_t k = 0; k < CHANNELS * SAMPLES; k++)
            noise[i * CHANNELS * SAMPLES + k] =
                congru_random_normal(&random) * (double)(1 + subject[i] + (int32_t)(k / SAMPLES));
    }
    const signals_recipe recipe = {TRIALS, CHANNELS, SAMPLES, 2, SUBJECTS, RATE, -0.5};
    congru_set *made = signals_set(context, &recipe, noise, label, subject);
    free(noise);
    return made;
}

static congru_preprocessing words(const char *band, const char *window)
{
    congru_preprocessing p;
    congru_preprocessing_init_raw(&p);
    CHECK(congru_preprocessing_set(context, &p, NULL, "band", band) == CONGRU_OK);
    CHECK(congru_preprocessing_set(context, &p, NULL, "window", window) == CONGRU_OK);
    return p;
}

/* The upper triangle; and the first sample of each channel. */
static size_t count_triangle(const congru_target_trials *trials, const congru_method_options *options)
{
    (void)options;
    return trials->d * (trials->d + 1) / 2;
}

static congru_status triangle(congru_context *with, const congru_target_trials *trials,
                              const congru_method_options *options, size_t stride, double *x)
{
    (void)with;
    (void)options;
    for (size_t i = 0; i < trials->count; i++)
        for (size_t a = 0, k = 0; a < trials->d; a++)
            for (size_t b = a; b < trials->d; b++)
                x[i * stride + k++] = trials->covariance[(i * trials->d + a) * trials->d + b];
    return CONGRU_OK;
}

static size_t count_all(const congru_target_trials *trials, const congru_method_options *options)
{
    (void)options;
    return trials->signals->channels * trials->signals->samples;
}

static congru_status all_samples(congru_context *with, const congru_target_trials *trials,
                                 const congru_method_options *options, size_t stride, double *x)
{
    (void)with;
    (void)options;
    for (size_t i = 0; i < trials->count; i++)
        congru_signals_read(trials->signals, i, x + i * stride);
    return CONGRU_OK;
}

static const congru_classifier of_covariances = {
    .name = "triangle", .feature_count = count_triangle, .features = triangle};
static const congru_classifier of_signals = {
    .name = "samples", .needs = CONGRU_NEEDS_SIGNALS, .feature_count = count_all, .features = all_samples};

static void make(const congru_branch *branch, int threads, congru_materials *m)
{
    congru_context *own;
    congru_workers workers;
    congru_method_options method;
    size_t index;
    congru_method_options_init(&method);
    CHECK(congru_context_create(&own, &(congru_context_options){.threads = threads}) == CONGRU_OK);
    CHECK(congru_materials_begin(context, set, false, true, m) == CONGRU_OK);
    CHECK(congru_materials_want(context, &method, branch, m, &index) == CONGRU_OK && index == 0);
    CHECK(congru_materials_want(context, &method, branch, m, &index) == CONGRU_OK && index == 0);
    CHECK(m->materials == 1);
    CHECK(congru_workers_start(own, 100, &workers) == CONGRU_OK);
    CHECK(congru_materials_make(&workers, m) == CONGRU_OK);
    congru_workers_end(&workers);
    congru_context_destroy(&own);
}

/* Three blocks, two of which share their filters, are what the executor makes of the set; recentred, joined. */
TEST(blocks_are_made_once_and_joined)
{
    congru_preprocessing block[3] = {words("8:30", "0:1"), words("4:12", "0:2"), words("8:30", "0.5:1.5")};
    congru_branch branch = {.name = "grid",
                            .aligner = congru_aligner_find("ra"),
                            .classifier = &of_covariances,
                            .blocks = 3,
                            .block = block};
    congru_materials m, again;
    make(&branch, 1, &m);
    make(&branch, 2, &again);
    CHECK(m.products == 3 && m.count == 3 && m.material[0].features == 18);
    CHECK(memcmp(m.material[0].feature, again.material[0].feature, TRIALS * 18 * sizeof(double)) == 0);
    for (size_t b = 0; b < 3; b++) {
        congru_set *whole = make_set();
        double *recentred = malloc(TRIALS * CHANNELS * CHANNELS * sizeof *recentred);
        CHECK(recentred != NULL && congru_set_preprocess(context, whole, &block[b]) == CONGRU_OK);
        CHECK(memcmp(m.product[b]->covariance, whole->covariance, TRIALS * 9 * sizeof(double)) == 0);
        CHECK(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, TRIALS, CHANNELS, whole->covariance,
                                        SUBJECTS, whole->subject, NULL, recentred) == CONGRU_OK);
        for (size_t i = 0; i < TRIALS; i++) {
            const double *c = recentred + i * 9, *x = m.material[0].feature + i * 18 + b * 6;
            CHECK(x[0] == c[0] && x[1] == c[1] && x[2] == c[2] && x[3] == c[4] && x[4] == c[5] && x[5] == c[8]);
        }
        free(recentred);
        congru_set_destroy(&whole);
    }
    congru_materials_clear(&m);
    congru_materials_clear(&again);
}

/* Euclidean alignment: the mean of X X^T / T over a subject's whitened trials is the identity, but for the shrinkage. */
TEST(signals_are_whitened)
{
    congru_preprocessing block[1] = {words("0:20", "0:1")};
    congru_branch branch = {.name = "slow",
                            .aligner = congru_aligner_find("ea"),
                            .classifier = &of_signals,
                            .blocks = 1,
                            .block = block};
    congru_materials m;
    make(&branch, 2, &m);
    CHECK(m.material[0].features == CHANNELS * RATE && m.prepared[0]->signals.start == 0);
    for (size_t s = 0; s < SUBJECTS; s++) {
        double mean[9] = {0};
        for (size_t i = s * EACH; i < (s + 1) * EACH; i++)
            for (size_t k = 0; k < 9; k++)
                for (size_t t = 0; t < RATE; t++)
                    mean[k] += m.material[0].feature[i * CHANNELS * RATE + k / 3 * RATE + t] *
                               m.material[0].feature[i * CHANNELS * RATE + k % 3 * RATE + t] / RATE / EACH;
        for (size_t k = 0; k < 9; k++)
            CHECK_NEAR(mean[k], k % 4 == 0 ? 1 : 0, 0.05);
    }
    congru_materials_clear(&m);
}

TEST(what_a_set_cannot_give_is_told)
{
    congru_method_options method;
    congru_preprocessing block[1] = {words("8:30", "2:3.5")};
    congru_branch branch = {.name = "late",
                            .aligner = congru_aligner_find("ra"),
                            .classifier = &of_covariances,
                            .blocks = 1,
                            .block = block};
    congru_materials m;
    size_t index;
    congru_method_options_init(&method);
    CHECK(congru_materials_begin(context, set, false, true, &m) == CONGRU_OK);
    CHECK(congru_materials_want(context, &method, &branch, &m, &index) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "which last from -0.5 to 2.5 s after the cue") != NULL);
    branch.inside = true; /* a third of it is left */
    CHECK(congru_materials_want(context, &method, &branch, &m, &index) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "branch 'late'") != NULL);
    /* cppcheck-suppress unreadVariable ; the branch points to it */
    block[0].window[1] = 2.8; /* five eighths */
    CHECK(congru_materials_want(context, &method, &branch, &m, &index) == CONGRU_OK);
    CHECK(m.product[0]->samples == 50);
    congru_materials_clear(&m);
    congru_set alone = *set;
    alone.signals = NULL;
    CHECK(congru_materials_begin(context, &alone, false, true, &m) == CONGRU_OK);
    CHECK(congru_materials_want(context, &method, &branch, &m, &index) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "holds covariances alone, and signals are needed") != NULL);
    congru_materials_clear(&m);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    set = make_set();
    harness_run_all();
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return harness_end();
}
