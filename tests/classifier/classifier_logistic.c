/* Logistic regression and discriminant analysis by what defines them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "classifier/dense_factor.h"
#include "congru/classifier.h"
#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

static congru_context *context;

/* Features about a mean of their own for each class; labels in turn. */
typedef struct feature_set {
    size_t n, features, classes;
    double *x;
    int32_t *label, *subject;
} feature_set;

static feature_set make_set(uint32_t stream, size_t n, size_t features, size_t classes)
{
    congru_random random = congru_random_stream(83, stream, 0, 0);
    feature_set set = {n,
                       features,
                       classes,
                       sample_alloc(n * features),
                       calloc(n, sizeof(int32_t)),
                       calloc(n, sizeof(int32_t))};
    if (set.label == NULL || set.subject == NULL)
        abort();
    sample_normals(&random, n * features, set.x);
    for (size_t i = 0; i < n; i++) {
        set.label[i] = (int32_t)(i * 13 % classes);
        set.subject[i] = (int32_t)(i % 3);
        for (size_t j = 0; j < features; j++)
            set.x[i * features + j] += j % classes == (size_t)set.label[i] ? 1.0 : 0.25;
    }
    return set;
}

static void free_set(feature_set *set)
{
    free(set->x);
    free(set->label);
    free(set->subject);
}

/* The norm of the derivative of the objective from its definition, at weights and intercepts of all classes; two classes have one
 * vector of weights. */
static double derivative(const feature_set *set, double c, const double *weights, const double *intercept)
{
    const size_t p = set->features;
    long double *sum = calloc(set->classes * (p + 1), sizeof *sum), squares = 0;
    if (sum == NULL)
        abort();
    for (size_t i = 0; i < set->n; i++) {
        long double score[16] = {0}, total = 0;
        for (size_t k = 0; k < set->classes; k++) {
            score[k] = intercept[k];
            for (size_t j = 0; j < p; j++)
                score[k] += (long double)weights[k * p + j] * set->x[i * p + j];
            total += expl(score[k]);
        }
        for (size_t k = 0; k < set->classes; k++) {
            const long double r = c * (expl(score[k]) / total - (set->label[i] == (int32_t)k));
            for (size_t j = 0; j < p; j++)
                sum[k * (p + 1) + j] += r * set->x[i * p + j];
            sum[k * (p + 1) + p] += r;
        }
    }
    for (size_t k = set->classes == 2 ? 1 : 0; k < set->classes; k++)
        for (size_t j = 0; j <= p; j++) {
            const long double slope = sum[k * (p + 1) + j] + (j < p ? weights[k * p + j] : 0.0);
            squares += slope * slope;
        }
    free(sum);
    return (double)sqrtl(squares);
}

/* ---- The fit --------------------------------------------------------------------------------------- */

TEST(fits_end_where_the_gradient_is_zero)
{
    static const size_t shapes[][3] = {{40, 4, 2}, {200, 12, 3}, {300, 20, 4},
                                       {90, 3, 7}, {12, 30, 3},  {60, 50, 2}};
    static const double cs[] = {1e-4, 0.01, 1.0, 100.0, 1e4};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        feature_set set = make_set((uint32_t)(40 + s), shapes[s][0], shapes[s][1], shapes[s][2]);
        const size_t p = set.features;
        double *weights = sample_alloc(set.classes * p), *intercept = sample_alloc(set.classes);
        for (size_t i = 0; i < sizeof cs / sizeof cs[0]; i++) {
            congru_logistic_options options = {.c = cs[i]};
            congru_logistic_info info;
            spd_expect(context,
                       congru_logistic_fit(context, set.n, p, set.x, set.label, set.classes, &options, weights,
                                           intercept, &info),
                       CONGRU_OK, __FILE__, __LINE__);
            const double norm = derivative(&set, cs[i], weights, intercept);
            CHECK_SAYING(norm <= 2e-6 && info.gradient_norm <= 2e-6 && info.converged && info.evaluations < 200,
                         "n %zu, %zu features, %zu classes, C %g: gradient %g (said %g) after %d evaluations",
                         set.n, p, set.classes, cs[i], norm, info.gradient_norm, info.evaluations);
            CHECK(info.c == cs[i]);
            for (size_t j = 0; j < p && set.classes == 2; j++)
                CHECK(weights[j] == 0.0 && intercept[0] == 0.0);
        }
        free(weights);
        free(intercept);
        free_set(&set);
    }
}

TEST(says_when_it_has_not_converged)
{
    feature_set set = make_set(60, 200, 12, 3);
    double weights[36], intercept[3];
    congru_logistic_options options = {.c = 10.0, .iterations_max = 2};
    congru_logistic_info info;
    spd_expect(context,
               congru_logistic_fit(context, 200, 12, set.x, set.label, 3, &options, weights, intercept, &info),
               CONGRU_ERROR_NOT_CONVERGED, __FILE__, __LINE__);
    CHECK(!info.converged);
    CHECK(strstr(congru_context_error(context), "logistic regression stopped at a step of") != NULL);
    free_set(&set);
}

TEST(c_cannot_be_chosen_from_one_subject)
{
    feature_set set = make_set(61, 30, 2, 3);
    double weights[6], intercept[3];
    congru_logistic_options options = {.subject = set.subject, .subjects = 1};
    congru_logistic_info info;
    memset(set.subject, 0, 30 * sizeof *set.subject);
    spd_expect(context,
               congru_logistic_fit(context, 30, 2, set.x, set.label, 3, &options, weights, intercept, &info),
               CONGRU_OK, __FILE__, __LINE__);
    CHECK(info.c == 1.0);
    CHECK(congru_context_note(context, 0) != NULL &&
          strstr(congru_context_note(context, 0), "C cannot be chosen") != NULL);
    options.subjects = 0;
    spd_expect(context,
               congru_logistic_fit(context, 30, 2, set.x, set.label, 3, &options, weights, intercept, &info),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    options = (congru_logistic_options){.subject = set.subject, .subjects = 2};
    set.subject[4] = 2;
    spd_expect(context,
               congru_logistic_fit(context, 30, 2, set.x, set.label, 3, &options, weights, intercept, &info),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    free_set(&set);
}

TEST(wrong_arguments_are_refused)
{
    feature_set set = make_set(62, 30, 2, 3);
    double weights[8], intercept[4];
    const double bad[] = {-1.0, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        congru_logistic_options options = {.c = bad[i]};
        spd_expect(context,
                   congru_logistic_fit(context, 30, 2, set.x, set.label, 3, &options, weights, intercept, NULL),
                   CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    }
    spd_expect(context, congru_logistic_fit(context, 30, 2, NULL, set.label, 3, NULL, weights, intercept, NULL),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    spd_expect(context, congru_logistic_fit(context, 0, 2, set.x, set.label, 3, NULL, weights, intercept, NULL),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    spd_expect(context,
               congru_logistic_fit(context, 30, 2, set.x, set.label, 2, NULL, weights, intercept, NULL),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    spd_expect(context, congru_lda_fit(context, 1, 2, set.x, set.label, 3, weights, intercept),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    spd_expect(context, congru_lda_directions(context, 30, 2, set.x, NULL, 3, weights, NULL),
               CONGRU_ERROR_ARGUMENT, __FILE__, __LINE__);
    set.x[7] = NAN;
    spd_expect(context,
               congru_logistic_fit(context, 30, 2, set.x, set.label, 3, NULL, weights, intercept, NULL),
               CONGRU_ERROR_NOT_FINITE, __FILE__, __LINE__);
    CHECK(strstr(congru_context_error(context), "feature 2 of trial 4") != NULL);
    spd_expect(context, congru_lda_fit(context, 30, 2, set.x, set.label, 3, weights, intercept),
               CONGRU_ERROR_NOT_FINITE, __FILE__, __LINE__);
    free_set(&set);
}

/* ---- Factoring ------------------------------------------------------------------------------------- */

TEST(the_factor_solves)
{
    static const size_t sizes[] = {1, 2, 7, 8, 9, 16, 17, 33, 70};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t m = sizes[s], stride = congru_dense_stride(m), count = 5;
        congru_random random = congru_random_stream(85, (uint32_t)m, 0, 0);
        double *plain = sample_alloc(m * m), *b = sample_alloc(count * m),
               *x = aligned_alloc(64, count * stride * 8);
        double *a = aligned_alloc(64, m * stride * 8), *work = aligned_alloc(64, (m + 8) * 64);
        sample_spd(&random, m, 100.0, plain);
        sample_normals(&random, count * m, b);
        memset(x, 0, count * stride * 8);
        memset(a, 0, m * stride * 8);
        for (size_t i = 0; i < m; i++)
            memcpy(a + i * stride, plain + i * m, m * 8);
        for (size_t r = 0; r < count; r++)
            memcpy(x + r * stride, b + r * m, m * 8);
        CHECK(congru_dense_factor(context->kernel, m, a, work) > 1e-3);
        congru_dense_solve_transposed(context->kernel, m, a, count, x, work);
        congru_dense_solve(context->kernel, m, a, count, x, work);
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < m; i++)
                CHECK_NEAR(dense_dot(m, plain + i * m, x + r * stride), b[r * m + i], 1e-10);
        free(plain);
        free(b);
        free(x);
        free(a);
        free(work);
    }
}

TEST(a_singular_matrix_is_noticed)
{
    double a[16] = {0}, work[2];
    double *aligned = aligned_alloc(64, sizeof a);
    a[0] = 4.0, a[1] = a[8] = 2.0, a[9] = 1.0;
    memcpy(aligned, a, sizeof a);
    CHECK(congru_dense_factor(context->kernel, 2, aligned, work) == 0.0);
    free(aligned);
}

int main(void)
{
    return context_main(&context, NULL);
}
