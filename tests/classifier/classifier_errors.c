/* Classifiers: trials they cannot use, and Euclidean tangent spaces. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "classifier/classifier.h"
#include "classifier/tangent_features.h"
#include "congru/classifier.h"
#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "refusal.h"
#include "spd_samples.h"

static congru_context *context;

/* Four trials of two channels, two of each class. */
static const double trials[16] = {2, 0, 0, 1, 3, 0, 0, 1, 1, 0, 0, 2, 1, 0, 0, 3};
static const int32_t label[4] = {0, 0, 1, 1};

TEST(spatial_filters_need_variance)
{
    double c[16], filters[8], features[8];
    size_t blocks = 0;
    memcpy(c, trials, sizeof c);
    memset(c + 8, 0, 4 * sizeof(double));
    check_error(context, congru_csp_filters(context, 4, 2, c, label, 2, 1, filters, &blocks),
                CONGRU_ERROR_NOT_POSITIVE, "the covariance of trial 3 of 4 has trace 0");
    c[8] = INFINITY;
    check_error(context, congru_csp_filters(context, 4, 2, c, label, 2, 1, filters, &blocks),
                CONGRU_ERROR_NOT_FINITE, "the covariance of trial 3 of 4 has trace inf");
    /* Class 1 is flat in one channel in both its trials. */
    memcpy(c, trials, sizeof c);
    c[11] = c[15] = 0.0;
    check_error(context, congru_csp_filters(context, 4, 2, c, label, 2, 1, filters, &blocks),
                CONGRU_ERROR_NOT_POSITIVE, "the mean covariance of the trials not of class 0: ");
    check_error(context, congru_csp_filters(context, 4, 2, trials, label, 1, 1, filters, &blocks),
                CONGRU_ERROR_ARGUMENT, "1 class: a classifier needs two or more");
    CHECK(congru_csp_filters(context, 4, 2, trials, label, 2, 1, filters, &blocks) == CONGRU_OK && blocks == 1);
    memcpy(c, trials, sizeof c);
    memset(c + 12, 0, 4 * sizeof(double));
    check_error(context, congru_csp_features(context, 4, 2, c, 1, 2, filters, features),
                CONGRU_ERROR_NOT_POSITIVE, "trial 4 has a variance of 0 behind spatial filter 1");
}

/* With two channels a class has two features. At the limit something else is wrong, which is the trials. */
TEST(classes_times_filters_are_limited)
{
    const congru_trials at = {
        .count = 4, .d = 2, .covariance = trials, .label = label, .classes = CONGRU_CSP_FEATURES_MAX / 2};
    congru_trials beyond = at;
    congru_method_options options;
    congru_tensors model = {0};
    congru_method_options_init(&options);
    beyond.classes++;
    check_error(
        context,
        congru_classifier_csp_lda.fit(&congru_classifier_csp_lda, context, &beyond, &options, &model, NULL),
        CONGRU_ERROR_ARGUMENT, "csp-lda: 1025 classes with 2 filters each are more than 2048 features");
    congru_status status =
        congru_classifier_csp_lda.fit(&congru_classifier_csp_lda, context, &at, &options, &model, NULL);
    CHECK_SAYING(strstr(congru_context_error(context), "features") == NULL, "status %d: %s", (int)status,
                 congru_context_error(context));
    congru_tensors_clear(&model);
}

/* Trials that do not differ inside their classes have no covariance to shrink: the identity takes its place, and the
 * direction is the one along which the classes differ. */
TEST(classes_of_points_have_directions)
{
    const double x[8] = {1, 5, 1, 5, 4, 5, 4, 5};
    double direction[2] = {0}, ratio = 0;
    congru_context *own = NULL;
    CHECK(congru_context_create(&own, NULL) == CONGRU_OK);
    CHECK(congru_lda_directions(own, 4, 2, x, label, 2, direction, &ratio) == CONGRU_OK);
    CHECK(fabs(direction[0]) > 0.0 && direction[1] == 0.0 && ratio > 0.0);
    bool told = false;
    for (size_t k = 0; congru_context_note(own, k) != NULL; k++)
        told = told || strstr(congru_context_note(own, k), "singular even when shrunk: 1 was added") != NULL;
    CHECK(told);
    congru_context_destroy(&own);
}

TEST(scores_out_of_range_are_refused)
{
    const double x[2] = {0, 1e200}, weights[2] = {0, 1e200}, intercept[2] = {0, 0};
    double probability[4];
    check_error(context, congru_linear_probability(context, 2, 1, x, 2, weights, intercept, probability),
                CONGRU_ERROR_NOT_FINITE, "trial 2 of 2: the score of class 1 is not a finite number");
    CHECK(probability[0] == 0.5 && probability[1] == 0.5);
}

/* Features so large that the derivative overflows: an error, and no NaN for an answer. */
TEST(features_out_of_range_are_refused)
{
    const double x[4] = {1e300, -1e300, 2e300, -1e300};
    double weights[2], intercept[2];
    congru_status status = congru_logistic_fit(context, 4, 1, x, label, 2, NULL, weights, intercept, NULL);
    check_error(context, status, CONGRU_ERROR_NOT_FINITE,
                "the features are too large for logistic regression (scale them, or lower C)");
}

TEST(a_euclidean_tangent_space_touches_the_arithmetic_mean)
{
    enum { N = 9, D = 3, LENGTH = D * (D + 1) / 2 };
    double c[N * D * D], mean[D * D] = {0}, reference[D * D], vectors[N * LENGTH], expected[N * LENGTH];
    congru_random random = congru_random_stream(5, 0, 0, 0);
    for (size_t i = 0; i < N; i++)
        sample_spd(&random, D, 20.0, c + i * D * D);
    for (size_t i = 0; i < N * D * D; i++)
        mean[i % (D * D)] += c[i] / N;
    const congru_view view = {.plain = c};
    CHECK(congru_tangent_features(context, CONGRU_METRIC_EUCLID, N, D, &view, reference, vectors) == CONGRU_OK);
    CHECK(congru_spd_tangent(context, N, D, mean, c, expected) == CONGRU_OK);
    for (size_t i = 0; i < D * D; i++)
        CHECK_NEAR(reference[i], mean[i], 1e-14);
    for (size_t i = 0; i < N * LENGTH; i++)
        CHECK_NEAR(vectors[i], expected[i], 1e-12);
}

int main(void)
{
    return context_main(&context, NULL);
}
