/* Logistic regression and discriminant analysis by what defines them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "classifier/dense_factor.h"
#include "classifier/logistic.h"
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

/* The objective from its definition, in long double, of weights and intercepts (classes, features + 1). */
static long double objective(const feature_set *set, double c, const double *w)
{
    const size_t p = set->features, stride = p + 1;
    long double value = 0;
    for (size_t i = 0; i < set->n; i++) {
        long double score[16] = {0}, sum = 0;
        for (size_t k = 0; k < set->classes; k++) {
            score[k] = w[k * stride + p];
            for (size_t j = 0; j < p; j++)
                score[k] += (long double)w[k * stride + j] * set->x[i * p + j];
            sum += expl(score[k]);
        }
        value += c * (logl(sum) - score[set->label[i]]);
    }
    for (size_t k = 0; k < set->classes; k++)
        for (size_t j = 0; j < p; j++)
            value += 0.5L * w[k * stride + j] * w[k * stride + j];
    return value;
}

/* ---- The kernel ------------------------------------------------------------------------------------ */

/* Runs one evaluation at random weights; returns the value, gradient (rows, stride). */
static double evaluate(congru_context *own, const feature_set *set, double c, const double *w, double *gradient)
{
    const size_t stride = congru_dense_stride(set->features + 1);
    congru_class_table table;
    congru_logistic problem;
    congru_arena arena = {0};
    CHECK(congru_class_table_make(own, set->n, set->label, set->classes, &table) == CONGRU_OK);
    congru_logistic_layout(&arena, own, set->n, set->features + 1, set->classes, &problem);
    CHECK(congru_arena_reserve(&arena, arena.used) == CONGRU_OK);
    congru_logistic_layout(&arena, own, set->n, set->features + 1, set->classes, &problem);
    congru_logistic_load(own, set->x, set->label, &table, &problem);
    congru_logistic_weigh(c, set->subject, -1, &problem);
    double value = congru_logistic_evaluate(own, &problem, w);
    memcpy(gradient, problem.gradient, problem.rows * stride * sizeof *gradient);
    congru_arena_free(&arena);
    congru_class_table_free(&table);
    return value;
}

/* rows of w (rows, stride) as (classes, features + 1), the reference class being zero. */
static void spread(const feature_set *set, const double *w, double *full)
{
    const size_t stride = congru_dense_stride(set->features + 1), p = set->features + 1;
    const size_t skipped = set->classes == 2 ? 1 : 0;
    memset(full, 0, set->classes * p * sizeof *full);
    for (size_t k = skipped; k < set->classes; k++)
        memcpy(full + k * p, w + (k - skipped) * stride, p * sizeof *full);
}

static void check_gradient(const feature_set *set, double c)
{
    const size_t stride = congru_dense_stride(set->features + 1), p = set->features + 1;
    const size_t rows = set->classes == 2 ? 1 : set->classes;
    congru_random random = congru_random_stream(84, (uint32_t)set->n, (uint32_t)set->classes, 0);
    double *w = sample_alloc(rows * stride), *gradient = sample_alloc(rows * stride);
    double *full = sample_alloc(set->classes * p);
    for (size_t r = 0; r < rows; r++)
        sample_normals(&random, p, w + r * stride);
    double value = evaluate(context, set, c, w, gradient);
    spread(set, w, full);
    double expected = (double)objective(set, c, full), scale = dense_norm(rows * stride, gradient);
    CHECK_NEAR(value, expected, 1e-13 * expected);
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < p; j++) {
            const double step = 1e-5, place = w[r * stride + j];
            w[r * stride + j] = place + step;
            spread(set, w, full);
            long double up = objective(set, c, full);
            w[r * stride + j] = place - step;
            spread(set, w, full);
            double slope = (double)((up - objective(set, c, full)) / (2 * step));
            w[r * stride + j] = place;
            CHECK_SAYING(fabs(slope - gradient[r * stride + j]) <= 1e-8 * scale,
                         "n %zu, %zu features, %zu classes: d/dw(%zu, %zu) is %.12g, differences say %.12g",
                         set->n, set->features, set->classes, r, j, gradient[r * stride + j], slope);
        }
    }
    free(w);
    free(gradient);
    free(full);
}

/* Rows in every tile of the kernel, blocks that are full and not, features that leave a rest. */
TEST(the_gradient_is_that_of_the_objective)
{
    static const size_t shapes[][3] = {{5, 1, 2},  {40, 4, 2}, {130, 3, 3}, {128, 5, 4}, {129, 2, 5},
                                       {31, 6, 6}, {70, 7, 7}, {257, 4, 8}, {60, 5, 9},  {300, 10, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        feature_set set = make_set((uint32_t)s, shapes[s][0], shapes[s][1], shapes[s][2]);
        check_gradient(&set, s % 2 == 0 ? 1.0 : 0.3);
        free_set(&set);
    }
}

/* Logits far beyond what exp can take. */
TEST(large_logits_do_no_harm)
{
    feature_set set = make_set(20, 33, 2, 3);
    const size_t stride = congru_dense_stride(3);
    double *w = sample_alloc(3 * stride), *gradient = sample_alloc(3 * stride);
    w[0] = 1e5;
    w[stride + 1] = -3e4;
    double value = evaluate(context, &set, 1.0, w, gradient);
    CHECK(isfinite(value) && dense_finite(3 * stride, gradient));
    free(w);
    free(gradient);
    free_set(&set);
}

/* ---- The fit --------------------------------------------------------------------------------------- */

TEST(fits_end_where_the_gradient_is_zero)
{
    static const size_t shapes[][3] = {{40, 4, 2}, {200, 12, 3}, {300, 20, 4}, {90, 3, 7}, {12, 30, 3}};
    static const double cs[] = {1e-4, 0.01, 1.0, 100.0, 1e4};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        feature_set set = make_set((uint32_t)(40 + s), shapes[s][0], shapes[s][1], shapes[s][2]);
        const size_t p = set.features, rows = set.classes == 2 ? 1 : set.classes,
                     stride = congru_dense_stride(p + 1);
        double *weights = sample_alloc(set.classes * p), *intercept = sample_alloc(set.classes);
        double *w = sample_alloc(rows * stride), *gradient = sample_alloc(rows * stride);
        for (size_t i = 0; i < sizeof cs / sizeof cs[0]; i++) {
            congru_logistic_options options = {.c = cs[i]};
            congru_logistic_info info;
            spd_expect(context,
                       congru_logistic_fit(context, set.n, p, set.x, set.label, set.classes, &options, weights,
                                           intercept, &info),
                       CONGRU_OK, __FILE__, __LINE__);
            for (size_t r = 0; r < rows; r++) {
                memcpy(w + r * stride, weights + (set.classes - rows + r) * p, p * sizeof *w);
                w[r * stride + p] = intercept[set.classes - rows + r];
            }
            evaluate(context, &set, cs[i], w, gradient);
            CHECK_SAYING(dense_norm(rows * stride, gradient) <= 2e-6 && info.gradient_norm <= 1e-6 &&
                             info.converged && info.evaluations < 200,
                         "n %zu, %zu features, %zu classes, C %g: gradient %g (said %g) after %d evaluations",
                         set.n, p, set.classes, cs[i], dense_norm(rows * stride, gradient), info.gradient_norm,
                         info.evaluations);
            CHECK(info.c == cs[i]);
        }
        free(weights);
        free(intercept);
        free(w);
        free(gradient);
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
    CHECK(!info.converged && info.gradient_norm > 1e-6);
    CHECK(strstr(congru_context_error(context), "gradient") != NULL);
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
