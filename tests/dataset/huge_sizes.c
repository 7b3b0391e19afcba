/* Sizes that no memory holds are refused before anything is read. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"

static congru_context *context;
static double x[64], y[64], out[64], more[64];
static int32_t label[64], other[64];
static bool positive[64];

/* Some of them are small again when they are counted in bytes, or twice. */
static const size_t huge[] = {SIZE_MAX,          SIZE_MAX / 4 + 2,  SIZE_MAX / 8 + 2, SIZE_MAX / 16 + 2,
                              SIZE_MAX / 24 + 2, SIZE_MAX / 64 + 2, (size_t)1 << 60,  ((size_t)1 << 61) + 1};
enum { COUNT = sizeof huge / sizeof huge[0] };

#define REFUSED(call) \
    CHECK_SAYING((call) == CONGRU_ERROR_ARGUMENT, "%s: %zx: %s", #call, n, congru_context_error(context))

TEST(of_matrices_and_signals)
{
    for (size_t i = 0; i < COUNT; i++) {
        const size_t n = huge[i];
        REFUSED(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, n, 2, x, NULL, out, NULL));
        REFUSED(congru_spd_log(context, n, 2, x, out));
        REFUSED(congru_spd_log(context, 2, n, x, out));
        REFUSED(congru_spd_distance_pairwise(context, CONGRU_METRIC_EUCLID, 2, n, x, 1, x, out));
        REFUSED(congru_spd_tangent(context, n, 2, NULL, x, out));
        REFUSED(congru_spd_untangent(context, n, 2, NULL, x, out));
        REFUSED(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, n, 2, x, 2, label, out, more));
        REFUSED(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, n, 2, 4, x, out));
        REFUSED(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, 2, n, 4, x, out));
        REFUSED(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, 2, 2, n, x, out));
        REFUSED(congru_signal_resample(context, 1, 2, 2, n, x, out));
        REFUSED(congru_signal_resample(context, 1, 2, n, 4, x, out));
        REFUSED(congru_signal_average_reference(context, 2, n, out));
        REFUSED(congru_signal_average_reference(context, n, 2, out));
    }
}

/* Steps that are many calls, one of which may come before any that looks. */
TEST(of_preprocessing)
{
    congru_preprocessing p;
    congru_preprocessing_init_raw(&p);
    for (int scaled = 0; scaled < 2; scaled++, p.scale = 2, p.average_reference = true)
        for (size_t i = 0; i < COUNT; i++) {
            const size_t n = huge[i];
            REFUSED(congru_preprocess_samples(context, &p, 100, n, 2, 4, x));
            REFUSED(congru_preprocess_samples(context, &p, 100, 2, n, 4, x));
            REFUSED(congru_preprocess_samples(context, &p, 100, 2, 2, n, x));
        }
}

TEST(of_features)
{
    for (size_t i = 0; i < COUNT; i++) {
        const size_t n = huge[i];
        const congru_logistic_options options = {.c = 1};
        const bool used[2] = {true, true};
        const double c = 1;
        const congru_logistic_folds_options ridge = {.folds = 1, .used = used, .count = 1, .c = &c};
        const congru_logistic_folds_options folds = {.folds = n, .used = used, .count = 1, .c = &c};
        REFUSED(
            congru_logistic_folds(context, n, 2, x, label, 2, &ridge, &(congru_logistic_folds_results){.weights = out}));
        REFUSED(
            congru_logistic_folds(context, 2, n, x, label, 2, &ridge, &(congru_logistic_folds_results){.weights = out}));
        REFUSED(
            congru_logistic_folds(context, 2, 2, x, label, n, &ridge, &(congru_logistic_folds_results){.weights = out}));
        REFUSED(
            congru_logistic_folds(context, 2, 2, x, label, 2, &folds, &(congru_logistic_folds_results){.weights = out}));
        REFUSED(congru_csp_features(context, n, 2, x, 1, 1, y, out));
        REFUSED(congru_csp_features(context, 2, n, x, 1, 1, y, out));
        REFUSED(congru_csp_features(context, 2, 2, x, n, 1, y, out));
        REFUSED(congru_csp_features(context, 2, 2, x, 1, n, y, out));
        REFUSED(congru_linear_probability(context, n, 2, x, 2, x, y, out));
        REFUSED(congru_linear_probability(context, 2, n, x, 2, x, y, out));
        REFUSED(congru_linear_probability(context, 2, 2, x, n, x, y, out));
        REFUSED(congru_logistic_fit(context, n, 2, x, label, 2, &options, out, more, NULL));
        REFUSED(congru_logistic_fit(context, 2, n, x, label, 2, &options, out, more, NULL));
        REFUSED(congru_lda_fit(context, n, 2, x, label, 2, out, more));
        REFUSED(congru_lda_fit(context, 2, n, x, label, 2, out, more));
        REFUSED(congru_lda_directions(context, n, 2, x, label, 2, out, more));
        REFUSED(congru_balance_classes(context, n, 2, out));
        REFUSED(congru_balance_classes(context, 2, n, out));
    }
}

TEST(of_scores)
{
    congru_wilcoxon wilcoxon;
    congru_comparison comparison;
    double value[CONGRU_SCORE_KINDS];
    for (size_t i = 0; i < COUNT; i++) {
        const size_t n = huge[i];
        REFUSED(congru_wilcoxon_test(context, n, x, y, &wilcoxon));
        REFUSED(congru_permutation_test(context, 1, n, x, y, out));
        REFUSED(congru_paired_compare(context, n, x, y, 0.95, &comparison));
        REFUSED(congru_holm_correct(context, n, x, out));
        REFUSED(congru_scores_normalise(context, n, 2, x, out));
        REFUSED(congru_scores_normalise(context, 2, n, x, out));
        REFUSED(congru_metrics_measure(context, n, 2, label, other, x, value, NULL));
        REFUSED(congru_metrics_measure(context, 2, n, label, other, x, value, NULL));
        REFUSED(congru_roc_auc(context, n, positive, x, out));
        REFUSED(congru_silhouette(context, n, 2, x, label, out, more));
        REFUSED(congru_silhouette(context, 2, n, x, label, out, more));
        CHECK(isnan(congru_interval_of(n, x, 0.95).mean) && congru_interval_of(n, x, 0.95).count == 0);
        CHECK(isnan(congru_gain_of(n, x, y, 0.95).interval.mean));
    }
}

TEST(of_sets)
{
    static char name[2][CONGRU_LABEL_SIZE] = {"a", "b"};
    congru_set *made = NULL;
    for (size_t i = 0; i < COUNT; i++) {
        const size_t n = huge[i];
        congru_set good = {.count = 2,
                           .dimension = 2,
                           .samples = 4,
                           .classes = 2,
                           .subjects = 2,
                           .label = label,
                           .subject = label,
                           .class_name = name,
                           .subject_name = name,
                           .signals = x};
        congru_set bad = good;
        bad.count = n;
        REFUSED(congru_set_create_copying(context, &bad, &made));
        bad = good;
        bad.dimension = n;
        REFUSED(congru_set_create_copying(context, &bad, &made));
        bad = good;
        bad.samples = n;
        REFUSED(congru_set_create_copying(context, &bad, &made));
        bad = good;
        bad.classes = n;
        REFUSED(congru_set_create_copying(context, &bad, &made));
        bad = good;
        bad.subjects = n;
        REFUSED(congru_set_create_borrowing(context, &bad, &made));
    }
}

/* A drawing of which nothing is said. */
TEST(of_nothing)
{
    congru_shape shape = {.kind = CONGRU_SHAPE_TEXT};
    congru_drawing drawing = {0};
    char *text = NULL;
    CHECK(congru_drawing_svg(context, &drawing, &text) == CONGRU_OK && strstr(text, "<title></title>") != NULL);
    free(text);
    text = NULL;
    drawing.count = 1;
    drawing.shape = &shape;
    CHECK(congru_drawing_svg(context, &drawing, &text) == CONGRU_OK && strstr(text, "></text>") != NULL);
    free(text);
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
