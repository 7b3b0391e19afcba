/* What classifiers promise: invariances, the same bits, edges, errors. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "classifier_samples.h"
#include "congru/classifier.h"
#include "context_main.h"
#include "every_context.h"
#include "harness.h"
#include "spd_samples.h"

enum { CLASSES = 4, D = 6, SUBJECTS = 3, N = 90, TESTS = 21 };

static const char *const NAMES[] = {"mdm", "tslr", "tsa-lda", "csp-lda", "lda+tslr", "lda+tsa-lda"};
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

static congru_context *context;
static trial_set training, test;
static double first[TESTS * CLASSES], second[TESTS * CLASSES];

static void begin(void)
{
    uint64_t state = 17;
    training = trial_set_make(&state, CLASSES, D, SUBJECTS, N, 20);
    test = trial_set_make(&state, CLASSES, D, SUBJECTS, TESTS, 20);
}

static void end(void)
{
    trial_set_free(&training);
    trial_set_free(&test);
}

static congru_method_options defaults(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.c = 1;
    return options;
}

static void predict(const char *name, const congru_method_options *options, double *probability)
{
    spd_expect(context, fit_and_predict(context, name, options, &training, &test, probability), CONGRU_OK,
               __FILE__, __LINE__);
}

/* Labels the same, and squared distances, which differences of logarithms of probabilities are, to 1e-9. */
static void check_same(const char *name, double tolerance)
{
    for (size_t i = 0; i < TESTS; i++) {
        size_t best[2] = {0, 0};
        for (size_t k = 1; k < CLASSES; k++) {
            best[0] = first[i * CLASSES + k] > first[i * CLASSES + best[0]] ? k : best[0];
            best[1] = second[i * CLASSES + k] > second[i * CLASSES + best[1]] ? k : best[1];
            double a = log(first[i * CLASSES + k] / first[i * CLASSES]);
            double b = log(second[i * CLASSES + k] / second[i * CLASSES]);
            CHECK_SAYING(fabs(a - b) <= tolerance, "%s: trial %zu, class %zu: %.15g and %.15g", name, i, k, a,
                         b);
        }
        CHECK(best[0] == best[1]);
    }
}

/* ---- Invariances ----------------------------------------------------------------------------------- */

TEST(mdm_does_not_feel_a_congruence)
{
    begin();
    congru_random random = congru_random_stream(91, 0, 0, 0);
    congru_method_options options = defaults();
    double g[D * D];
    sample_normals(&random, D * D, g);
    for (size_t i = 0; i < D; i++)
        g[i * (D + 1)] += 3.0;
    predict("mdm", &options, first);
    trial_set_transform(&training, g);
    trial_set_transform(&test, g);
    predict("mdm", &options, second);
    check_same("mdm", 1e-9);
    end();
}

/* Predictions before and after one rotation of all trials. */
static void predict_turned(const char *name)
{
    congru_random random = congru_random_stream(92, 0, 0, 0);
    congru_method_options options = defaults();
    double q[D * D];
    sample_orthogonal(&random, D, q);
    predict(name, &options, first);
    trial_set_transform(&training, q);
    trial_set_transform(&test, q);
    predict(name, &options, second);
}

TEST(a_rotation_changes_nothing)
{
    static const char *const names[] = {"mdm", "tslr", "csp-lda", "lda+tslr"};
    for (size_t m = 0; m < sizeof names / sizeof names[0]; m++) {
        begin();
        predict_turned(names[m]);
        check_same(names[m], m % 2 == 1 ? 1e-5 : 1e-8);
        end();
    }
}

/* It standardises the features before it shrinks their covariance, as scikit-learn does, and so knows the axes. */
TEST(a_rotation_changes_tsa_lda)
{
    begin();
    predict_turned("tsa-lda");
    double most = 0.0;
    for (size_t i = 0; i < TESTS * CLASSES; i++)
        most = fmax(most, fabs(first[i] - second[i]));
    CHECK_SAYING(most > 0.01, "no probability changes by more than %g", most);
    end();
}

/* The paper's Algorithm 6, LDA, step by step: tangent vectors, Fisher's directions, a classifier of the projections. */
/* The gamma of dct multiplies the logarithms of recentred trials, whose mean stays the identity: tslr behind it with C is
 * tslr without it with C gamma^2. */
TEST(a_common_dispersion_is_another_ridge)
{
    const double gamma = 0.3;
    begin();
    congru_method_options options = defaults();
    trial_set_recentre(context, &training);
    trial_set_recentre(context, &test);
    options.c = 0.5 * gamma * gamma;
    predict("tslr", &options, first);
    spd_expect(context, congru_spd_power(context, N, D, training.covariance, gamma, training.covariance),
               CONGRU_OK, __FILE__, __LINE__);
    spd_expect(context, congru_spd_power(context, TESTS, D, test.covariance, gamma, test.covariance), CONGRU_OK,
               __FILE__, __LINE__);
    options.c = 0.5;
    predict("tslr", &options, second);
    check_same("tslr", 1e-5);
    end();
}

TEST(projections_are_classified)
{
    enum { P = D * (D + 1) / 2, K = CLASSES - 1 };
    static double x[N * P], y[TESTS * P], z[N * K], v[K * P], weights[CLASSES * K], intercept[CLASSES];
    begin();
    congru_method_options options = defaults();
    const congru_logistic_options logistic = {.c = options.c};
    double mean[D * D];
    const congru_mean_options exact = {.tolerance = 1e-10};
    predict("lda+tslr", &options, first);
    CHECK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, training.covariance, &exact, mean, NULL) ==
          CONGRU_OK);
    CHECK(congru_spd_tangent(context, N, D, mean, training.covariance, x) == CONGRU_OK);
    CHECK(congru_spd_tangent(context, TESTS, D, mean, test.covariance, y) == CONGRU_OK);
    CHECK(congru_lda_directions(context, N, P, x, training.label, CLASSES, v, NULL) == CONGRU_OK);
    for (size_t i = 0; i < N * K; i++)
        z[i] = dense_dot(P, x + i / K * P, v + i % K * P);
    CHECK(congru_logistic_fit(context, N, K, z, training.label, CLASSES, &logistic, weights, intercept, NULL) ==
          CONGRU_OK);
    for (size_t i = 0; i < TESTS; i++) {
        double own[K], score[CLASSES], sum = 0.0;
        for (size_t k = 0; k < K; k++)
            own[k] = dense_dot(P, y + i * P, v + k * P);
        for (size_t k = 0; k < CLASSES; k++)
            sum += score[k] = exp(intercept[k] + dense_dot(K, weights + k * K, own));
        for (size_t k = 0; k < CLASSES; k++)
            CHECK_NEAR(first[i * CLASSES + k], score[k] / sum, 1e-5);
    }
    end();
}

/* The mean is one option and the distance another: the paper varies the first and keeps the second. */
TEST(mdm_has_a_mean_and_a_distance)
{
    begin();
    congru_method_options options = defaults();
    double mean[CLASSES * D * D], distance[TESTS * CLASSES];
    options.mdm_mean = CONGRU_METRIC_EUCLID;
    predict("mdm", &options, first);
    for (size_t k = 0; k < CLASSES; k++) {
        double count = 0.0;
        memset(mean + k * D * D, 0, D * D * sizeof(double));
        for (size_t i = 0; i < N; i++)
            count += training.label[i] == (int32_t)k;
        for (size_t i = 0; i < N * D * D; i++)
            if (training.label[i / (D * D)] == (int32_t)k)
                mean[k * D * D + i % (D * D)] += training.covariance[i] / count;
    }
    CHECK(congru_spd_distance_pairwise(context, CONGRU_METRIC_RIEMANN, D, TESTS, test.covariance, CLASSES, mean,
                                       distance) == CONGRU_OK);
    for (size_t i = 0; i < TESTS; i++)
        for (size_t k = 0; k < CLASSES; k++)
            CHECK_NEAR(log(first[i * CLASSES + k] / first[i * CLASSES]),
                       distance[i * CLASSES] * distance[i * CLASSES] -
                           distance[i * CLASSES + k] * distance[i * CLASSES + k],
                       1e-9);
    end();
}

TEST(discriminant_directions_turn_with_the_features)
{
    enum { P = 7, COUNT = 60 };
    congru_random random = congru_random_stream(93, 0, 0, 0);
    static double x[COUNT * P], turned[COUNT * P], q[P * P], v[3 * P], u[3 * P], ratio[3], other[3];
    int32_t label[COUNT];
    sample_normals(&random, COUNT * P, x);
    sample_orthogonal(&random, P, q);
    for (size_t i = 0; i < COUNT; i++) {
        label[i] = (int32_t)(i % 4);
        x[i * P + i % 4] += 1.0;
    }
    dense_product(COUNT, P, P, x, q, turned);
    spd_expect(context, congru_lda_directions(context, COUNT, P, x, label, 4, v, ratio), CONGRU_OK, __FILE__,
               __LINE__);
    spd_expect(context, congru_lda_directions(context, COUNT, P, turned, label, 4, u, other), CONGRU_OK,
               __FILE__, __LINE__);
    for (size_t k = 0; k < 3; k++) {
        CHECK_NEAR(ratio[k], other[k], 1e-12);
        double sign = 0;
        for (size_t i = 0; i < COUNT; i++) {
            double a = dense_dot(P, x + i * P, v + k * P), b = dense_dot(P, turned + i * P, u + k * P);
            sign = sign == 0 ? copysign(1.0, a * b) : sign;
            CHECK_NEAR(a, sign * b, 1e-11);
        }
    }
}

/* A reference known to be the identity must give what the mean would. */
TEST(recentred_trials_have_the_identity_as_reference)
{
    begin();
    congru_method_options options = defaults();
    congru_tensors model = {0};
    size_t shape[] = {D, D};
    const double *reference;
    double mean[D * D];
    trial_set_recentre(context, &training);
    spd_expect(
        context,
        congru_classifier_tslr.fit(&congru_classifier_tslr, context, &training.trials, &options, &model, NULL),
        CONGRU_OK, __FILE__, __LINE__);
    spd_expect(context, congru_tensors_expect(context, &model, "tslr.reference", 2, shape, &reference),
               CONGRU_OK, __FILE__, __LINE__);
    spd_expect(context,
               congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, training.covariance, NULL, mean, NULL),
               CONGRU_OK, __FILE__, __LINE__);
    for (size_t i = 0; i < D * D; i++) {
        CHECK(reference[i] == (i % (D + 1) == 0 ? 1.0 : 0.0));
        CHECK_NEAR(reference[i], mean[i], 1e-8);
    }
    congru_tensors_clear(&model);
    /* And only those. */
    for (size_t i = 0; i < N * D * D; i++)
        training.covariance[i] *= 1.0 + 1e-6;
    spd_expect(
        context,
        congru_classifier_tslr.fit(&congru_classifier_tslr, context, &training.trials, &options, &model, NULL),
        CONGRU_OK, __FILE__, __LINE__);
    spd_expect(context, congru_tensors_expect(context, &model, "tslr.reference", 2, shape, &reference),
               CONGRU_OK, __FILE__, __LINE__);
    for (size_t i = 0; i < D; i++)
        CHECK_NEAR(reference[i * (D + 1)], 1.0 + 1e-6, 1e-9);
    congru_tensors_clear(&model);
    end();
}

/* ---- The same bits --------------------------------------------------------------------------------- */

TEST(company_does_not_matter)
{
    begin();
    congru_method_options options = defaults();
    for (size_t m = 0; m < NAME_COUNT; m++) {
        const congru_classifier *classifier = congru_classifier_find(NAMES[m]);
        congru_tensors model = {0};
        CHECK(classifier->fit(classifier, context, &training.trials, &options, &model, NULL) == CONGRU_OK);
        congru_target_trials all = {.count = TESTS, .d = D, .covariance = test.covariance, .visible = TESTS};
        CHECK(classifier->predict(classifier, context, &model, &all, first) == CONGRU_OK);
        for (size_t i = 0; i < TESTS; i++) {
            congru_target_trials one = {
                .count = 1, .d = D, .covariance = test.covariance + i * D * D, .visible = 1};
            CHECK(classifier->predict(classifier, context, &model, &one, second) == CONGRU_OK);
            CHECK_SAYING(memcmp(second, first + i * CLASSES, CLASSES * sizeof *second) == 0,
                         "%s: trial %zu differs when alone", NAMES[m], i);
        }
        congru_target_trials none = {.d = D};
        CHECK(classifier->predict(classifier, context, &model, &none, second) == CONGRU_OK);
        congru_tensors_clear(&model);
    }
    end();
}

TEST(threads_and_instruction_sets_do_not_matter)
{
    uint64_t state = 5;
    trial_set many = trial_set_make(&state, 3, 5, 4, 300, 12), some = trial_set_make(&state, 3, 5, 4, 17, 12);
    congru_method_options options = defaults();
    static double expected[NAME_COUNT + 1][17 * 3], actual[17 * 3];
    congru_context_options how;
    congru_context *own;
    bool seen = false;
    for (size_t place = 0; (own = next_context(&place, &how)) != NULL; congru_context_destroy(&own)) {
        for (size_t m = 0; m < NAME_COUNT + 1; m++) { /* the last: C chosen */
            options.c = m < NAME_COUNT ? 1.0 : 0.0;
            const char *name = m < NAME_COUNT ? NAMES[m] : "tslr";
            spd_expect(own, fit_and_predict(own, name, &options, &many, &some, actual), CONGRU_OK, __FILE__,
                       __LINE__);
            if (!seen)
                memcpy(expected[m], actual, sizeof actual);
            CHECK_SAYING(memcmp(expected[m], actual, sizeof actual) == 0,
                         "%s: other bits with %s and %d threads", name, how.cpu, how.threads);
        }
        seen = true;
    }
    CHECK(seen);
    trial_set_free(&many);
    trial_set_free(&some);
}

/* ---- Edges ----------------------------------------------------------------------------------------- */

TEST(a_class_without_trials_has_probability_0)
{
    for (size_t m = 0; m < NAME_COUNT; m++) {
        congru_context *own = NULL;
        CHECK(congru_context_create(&own, NULL) == CONGRU_OK);
        begin();
        congru_method_options options = defaults();
        for (size_t i = 0; i < N; i++)
            training.label[i] = training.label[i] == 2 ? 1 : training.label[i];
        spd_expect(own, fit_and_predict(own, NAMES[m], &options, &training, &test, first), CONGRU_OK, __FILE__,
                   __LINE__);
        for (size_t i = 0; i < TESTS; i++) {
            CHECK(first[i * CLASSES + 2] == 0.0);
            CHECK_NEAR(first[i * CLASSES] + first[i * CLASSES + 1] + first[i * CLASSES + 3], 1.0, 1e-12);
        }
        const char *note = congru_context_note(own, 0);
        CHECK(note != NULL && strstr(note, "class 2 has no training trial") != NULL);
        /* Two classes left of four, the first of them gone too. */
        for (size_t i = 0; i < N; i++)
            training.label[i] = training.label[i] == 0 ? 3 : training.label[i];
        spd_expect(own, fit_and_predict(own, NAMES[m], &options, &training, &test, first), CONGRU_OK, __FILE__,
                   __LINE__);
        for (size_t i = 0; i < TESTS; i++)
            CHECK(first[i * CLASSES] == 0.0 && first[i * CLASSES + 2] == 0.0 && first[i * CLASSES + 1] > 0.0);
        end();
        congru_context_destroy(&own);
    }
}

TEST(one_class_is_refused)
{
    begin();
    congru_method_options options = defaults();
    for (size_t m = 0; m < NAME_COUNT; m++) {
        for (size_t i = 0; i < N; i++)
            training.label[i] = 1;
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first),
                   CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
        CHECK(strstr(congru_context_error(context), "two or more") != NULL);
        training.label[3] = CLASSES;
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first),
                   CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
        training.label[3] = -1;
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first),
                   CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    }
    end();
}

TEST(wrong_options_are_refused)
{
    begin();
    congru_method_options options = defaults();
    options.mdm_metric = options.tangent_mean = (congru_metric)7;
    options.csp_filters = 0;
    for (size_t m = 0; m < NAME_COUNT; m++)
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first),
                   CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    end();
}

TEST(bad_matrices_are_named)
{
    congru_method_options options = defaults();
    for (size_t m = 0; m < NAME_COUNT; m++) {
        begin();
        training.covariance[5 * D * D] = NAN;
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first),
                   CONGRU_ERROR_NOT_FINITE, __FILE__, __LINE__);
        end();
        begin();
        test.covariance[5 * D * D] = INFINITY;
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first),
                   CONGRU_ERROR_NOT_FINITE, __FILE__, __LINE__);
        end();
    }
}

TEST(a_model_of_another_shape_is_refused)
{
    begin();
    congru_method_options options = defaults();
    for (size_t m = 0; m < NAME_COUNT; m++) {
        const congru_classifier *classifier = congru_classifier_find(NAMES[m]);
        congru_tensors model = {0}, empty = {0};
        CHECK(classifier->fit(classifier, context, &training.trials, &options, &model, NULL) == CONGRU_OK);
        congru_target_trials target = {.count = 2, .d = D - 1, .covariance = test.covariance};
        spd_expect(context, classifier->predict(classifier, context, &model, &target, first),
                   CONGRU_ERROR_FORMAT, __FILE__, __LINE__);
        target.d = D;
        spd_expect(context, classifier->predict(classifier, context, &empty, &target, first),
                   CONGRU_ERROR_FORMAT, __FILE__, __LINE__);
        congru_tensors_clear(&model);
    }
    end();
}

/* One trial per class: no spread within classes at all. */
TEST(one_trial_per_class_is_enough)
{
    congru_method_options options = defaults();
    for (size_t m = 0; m < NAME_COUNT; m++) {
        begin();
        training.trials.count = CLASSES;
        for (size_t i = 0; i < CLASSES; i++)
            training.label[i] = (int32_t)i;
        spd_expect(context, fit_and_predict(context, NAMES[m], &options, &training, &test, first), CONGRU_OK,
                   __FILE__, __LINE__);
        CHECK(dense_finite(TESTS * CLASSES, first));
        end();
    }
}

TEST(directions_are_regularised_where_features_outnumber_trials)
{
    enum { P = 40, COUNT = 12 };
    congru_random random = congru_random_stream(94, 0, 0, 0);
    static double x[COUNT * P], v[2 * P], ratio[2];
    int32_t label[COUNT];
    congru_context *own = NULL;
    CHECK(congru_context_create(&own, NULL) == CONGRU_OK);
    sample_normals(&random, COUNT * P, x);
    for (size_t i = 0; i < COUNT; i++)
        label[i] = (int32_t)(i % 3);
    spd_expect(own, congru_lda_directions(own, COUNT, P, x, label, 3, v, ratio), CONGRU_OK, __FILE__, __LINE__);
    CHECK(dense_finite(2 * P, v) && ratio[0] > ratio[1] && ratio[1] > 0.0 && dense_norm(P, v) > 0.0);
    CHECK(congru_context_note(own, 0) != NULL && strstr(congru_context_note(own, 0), "it was shrunk") != NULL);
    /* Three classes on one line have one direction. */
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < P; j++)
            x[i * P + j] = (double)label[i] + (j == i ? 0.1 : 0.0) - (j == (i + 3) % COUNT ? 0.1 : 0.0);
    spd_expect(own, congru_lda_directions(own, COUNT, P, x, label, 3, v, ratio), CONGRU_OK, __FILE__, __LINE__);
    CHECK(dense_finite(2 * P, v) && ratio[0] > 0.0);
    congru_context_destroy(&own);
}

TEST(csp_takes_few_channels)
{
    uint64_t state = 3;
    for (size_t d = 1; d <= 4; d++) {
        trial_set set = trial_set_make(&state, 3, d, 2, 40, 10), other = trial_set_make(&state, 3, d, 2, 7, 10);
        congru_method_options options = defaults();
        spd_expect(context, fit_and_predict(context, "csp-lda", &options, &set, &other, first), CONGRU_OK,
                   __FILE__, __LINE__);
        CHECK(dense_finite(7 * 3, first));
        trial_set_free(&set);
        trial_set_free(&other);
    }
    CHECK(congru_csp_block_size(22, 2) == 4 && congru_csp_block_size(3, 2) == 3 &&
          congru_csp_block_size(4, 2) == 4);
    CHECK(congru_csp_blocks(2) == 1 && congru_csp_blocks(3) == 3);
}

TEST(the_registry_names_them)
{
    for (size_t m = 0; m < NAME_COUNT; m++) {
        CHECK(congru_classifier_find(NAMES[m]) == congru_classifier_at(m));
        CHECK(strcmp(congru_classifier_name(m), NAMES[m]) == 0 && strlen(congru_classifier_summary(m)) > 0);
    }
    CHECK(congru_classifier_find("nonsense") == NULL);
}

int main(void)
{
    return context_main(&context, NULL);
}
