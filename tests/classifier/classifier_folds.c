/* Many folds of logistic regression at once against one at a time. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "classifier/linear.h"
#include "classifier/panels.h"
#include "congru/classifier.h"
#include "congru/random.h"
#include "context_main.h"
#include "every_context.h"
#include "harness.h"
#include "spd_samples.h"

static congru_context *context;

/* Features about a mean of their own for each class; trials of `subjects` subjects in turn, each left out by a fold. */
typedef struct fold_set {
    size_t n, features, classes, subjects;
    double *x;
    int32_t *label;
    bool *used;
} fold_set;

static fold_set make_set(uint32_t stream, size_t n, size_t features, size_t classes)
{
    congru_random random = congru_random_stream(91, stream, 0, 0);
    fold_set set = {
        n, features, classes, 4, sample_alloc(n * features), calloc(n, sizeof(int32_t)), calloc(4 * n, 1)};
    if (set.label == NULL || set.used == NULL)
        abort();
    sample_normals(&random, n * features, set.x);
    for (size_t i = 0; i < n; i++) {
        set.label[i] = (int32_t)(i * 13 % classes);
        for (size_t j = 0; j < features; j++)
            set.x[i * features + j] += (j % classes == (size_t)set.label[i] ? 1.0 : 0.25) + 3.0;
        for (size_t f = 0; f < set.subjects; f++) /* subjects 0 and 1 in a row, 2 and 3 in turn */
            set.used[f * n + i] = f < 2 ? i / 5 != f : i % 4 != f;
    }
    return set;
}

static void free_set(fold_set *set)
{
    free(set->x);
    free(set->label);
    free(set->used);
}

typedef struct fitted {
    double *weights, *intercept, *log_probability;
} fitted;

static size_t left_of(const fold_set *set, size_t fold)
{
    size_t left = 0;
    for (size_t i = 0; i < set->n; i++)
        left += !set->used[fold * set->n + i];
    return left;
}

static fitted fit(congru_context *own, const fold_set *set, size_t count, const double *c)
{
    size_t left = 0;
    for (size_t f = 0; f < set->subjects; f++)
        left += left_of(set, f);
    fitted made = {sample_alloc(count * set->subjects * set->classes * set->features),
                   sample_alloc(count * set->subjects * set->classes),
                   sample_alloc(count * left * set->classes)};
    const congru_logistic_folds_options options = {
        .folds = set->subjects, .used = set->used, .count = count, .c = c, .tolerance = 1e-9};
    const congru_logistic_folds_results results = {made.weights, made.intercept, made.log_probability, NULL};
    spd_expect(
        own,
        congru_logistic_folds(own, set->n, set->features, set->x, set->label, set->classes, &options, &results),
        CONGRU_OK, __FILE__, __LINE__);
    return made;
}

static void free_fitted(fitted *made)
{
    free(made->weights);
    free(made->intercept);
    free(made->log_probability);
}

/* What congru_logistic_fit makes of the trials that one fold uses: probability (n, classes) of all trials. */
static void fit_alone(const fold_set *set, size_t fold, double c, double *probability)
{
    const size_t p = set->features, K = set->classes;
    double *x = sample_alloc(set->n * p), *weights = sample_alloc(K * p), *intercept = sample_alloc(K);
    int32_t *label = calloc(set->n, sizeof *label);
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (!set->used[fold * set->n + i])
            continue;
        memcpy(x + n * p, set->x + i * p, p * sizeof *x);
        label[n++] = set->label[i];
    }
    const congru_logistic_options options = {.c = K == 2 ? 2 * c : c, .tolerance = 1e-9};
    CHECK(congru_logistic_fit(context, n, p, x, label, K, &options, weights, intercept, NULL) == CONGRU_OK);
    CHECK(congru_linear_probability(context, set->n, p, set->x, K, weights, intercept, probability) ==
          CONGRU_OK);
    free(x);
    free(weights);
    free(intercept);
    free(label);
}

static void compare(const fold_set *set, size_t count, const double *c)
{
    const size_t K = set->classes;
    fitted made = fit(context, set, count, c);
    double *alone = sample_alloc(set->n * K), *own = sample_alloc(set->n * K);
    const double *left = made.log_probability;
    for (size_t g = 0; g < count; g++) {
        for (size_t f = 0; f < set->subjects; f++) {
            const size_t at = g * set->subjects + f;
            fit_alone(set, f, c[g], alone);
            CHECK(congru_linear_probability(context, set->n, set->features, set->x, K,
                                            made.weights + at * K * set->features, made.intercept + at * K,
                                            own) == CONGRU_OK);
            for (size_t i = 0; i < set->n * K; i++)
                CHECK_NEAR(own[i], alone[i], 1e-7);
            for (size_t i = 0; i < set->n; i++)
                for (size_t k = 0; !set->used[f * set->n + i] && k < K; k++)
                    CHECK_NEAR(exp(*left++), alone[i * K + k], 1e-7);
        }
    }
    free(alone);
    free(own);
    free_fitted(&made);
}

TEST(folds_are_what_they_are_alone)
{
    static const struct {
        size_t n, features, classes; /* features fewer than trials, as many, and more */
    } shapes[] = {{60, 5, 4}, {61, 40, 4}, {60, 130, 3}, {44, 9, 2}, {40, 60, 2}, {230, 120, 4}};
    static const double c[] = {0.01, 1.0, 30.0};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        fold_set set = make_set((uint32_t)s, shapes[s].n, shapes[s].features, shapes[s].classes);
        compare(&set, 3, c);
        free_set(&set);
    }
}

/* One C or several, and one fold or several, are the same bits. */
TEST(a_fold_does_not_feel_the_others)
{
    static const double c[] = {0.1};
    fold_set set = make_set(20, 80, 60, 4), one = set;
    fitted all = fit(context, &set, 1, c);
    one.subjects = 1;
    one.used = set.used + 2 * set.n;
    fitted alone = fit(context, &one, 1, c);
    const size_t size = set.classes * set.features;
    CHECK(memcmp(all.weights + 2 * size, alone.weights, size * sizeof(double)) == 0);
    CHECK(memcmp(all.intercept + 2 * set.classes, alone.intercept, set.classes * sizeof(double)) == 0);
    free_fitted(&all);
    free_fitted(&alone);
    free_set(&set);
}

/* Labels of trials left out are in no bit of what is fitted without them. */
TEST(labels_left_out_do_not_matter)
{
    static const double c[] = {0.1};
    fold_set set = make_set(25, 80, 60, 4);
    set.subjects = 1;
    fitted first = fit(context, &set, 1, c);
    for (size_t i = 0; i < set.n; i++)
        if (!set.used[i])
            set.label[i] = 3 - set.label[i];
    fitted second = fit(context, &set, 1, c);
    CHECK(memcmp(first.weights, second.weights, set.classes * set.features * sizeof(double)) == 0);
    CHECK(memcmp(first.log_probability, second.log_probability,
                 left_of(&set, 0) * set.classes * sizeof(double)) == 0);
    free_fitted(&first);
    free_fitted(&second);
    free_set(&set);
}

TEST(threads_and_instruction_sets_do_not_matter)
{
    static const double c[] = {0.03, 0.3};
    for (size_t features = 20; features <= 120; features += 100) {
        fold_set set = make_set(30, 150, features, 4);
        fitted first = {0};
        const size_t size = 2 * set.subjects * set.classes * set.features;
        congru_context_options how;
        congru_context *own;
        for (size_t place = 0; (own = next_context(&place, &how)) != NULL; congru_context_destroy(&own)) {
            fitted made = fit(own, &set, 2, c);
            if (first.weights == NULL) {
                first = made;
                continue;
            }
            CHECK_SAYING(memcmp(first.weights, made.weights, size * sizeof(double)) == 0,
                         "other bits with %s and %d threads", how.cpu, how.threads);
            free_fitted(&made);
        }
        free_fitted(&first);
        free_set(&set);
    }
}

/* A class that only trials left out belong to has probability 0; a fold of one class is refused. */
TEST(classes_may_be_absent)
{
    static const double c[] = {0.5};
    fold_set set = make_set(40, 40, 12, 3);
    for (size_t i = 0; i < set.n; i++)
        set.used[i] = set.label[i] != 1;
    fitted made = fit(context, &set, 1, c);
    CHECK(made.intercept[1] == CONGRU_ABSENT_INTERCEPT);
    CHECK(exp(made.log_probability[1]) == 0.0);
    CHECK_NEAR(exp(made.log_probability[0]) + exp(made.log_probability[2]), 1.0, 1e-12);
    free_fitted(&made);
    for (size_t i = 0; i < set.n; i++)
        set.used[i] = set.label[i] == 1;
    const congru_logistic_folds_options options = {.folds = 1, .used = set.used, .count = 1, .c = c};
    const congru_logistic_folds_results none = {0};
    CHECK(congru_logistic_folds(context, set.n, set.features, set.x, set.label, set.classes, &options, &none) ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "fold 1 of 1 uses trials of 1 class") != NULL);
    free_set(&set);
}

/* Separable classes, a large C and large features: the objective is far from what the step takes it for. */
TEST(it_arrives_from_far)
{
    static const double c[] = {1e3};
    fold_set set = make_set(50, 60, 20, 5);
    for (size_t i = 0; i < set.n * set.features; i++)
        set.x[i] *= 5.0;
    compare(&set, 1, c);
    free_set(&set);
}

/* Trials that are there twice, in both forms: of their dual numbers only the sum counts. */
TEST(it_arrives_with_trials_that_depend_on_each_other)
{
    static const double c[] = {0.1, 100.0};
    for (size_t features = 20; features <= 100; features += 80) {
        fold_set set = make_set(51, 60, features, 3);
        for (size_t i = 30; i < 60; i++) {
            memcpy(set.x + i * features, set.x + (i - 30) * features, features * sizeof *set.x);
            set.label[i] = set.label[i - 30];
        }
        compare(&set, 2, c);
        free_set(&set);
    }
}

TEST(wrong_arguments_are_refused)
{
    fold_set set = make_set(60, 20, 4, 2);
    const double c[] = {1.0, -1.0};
    const congru_logistic_folds_results none = {0};
    congru_logistic_folds_options options = {.folds = 1, .used = set.used, .count = 2, .c = c};
    CHECK(congru_logistic_folds(context, 20, 4, set.x, set.label, 2, &options, &none) == CONGRU_ERROR_ARGUMENT);
    options.count = 1;
    options.folds = 0;
    CHECK(congru_logistic_folds(context, 20, 4, set.x, set.label, 2, &options, &none) == CONGRU_ERROR_ARGUMENT);
    options.folds = 1;
    set.x[7] = NAN;
    CHECK(congru_logistic_folds(context, 20, 4, set.x, set.label, 2, &options, &none) ==
          CONGRU_ERROR_NOT_FINITE);
    free_set(&set);
}

TEST(panels_are_inverted)
{
    static const size_t sizes[] = {1, 5, 24, 25, 96, 97, 200, 300};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t n = sizes[s], size = congru_panels_size(n, n);
        congru_random random = congru_random_stream(92, (uint32_t)n, 0, 0);
        double *x = sample_alloc(n * n), *mean = sample_alloc(n), *c = sample_alloc(n * n),
               *inverse = sample_alloc(n * n), *identity = sample_alloc(n * n);
        double *panels = aligned_alloc(64, size * 8), *data = aligned_alloc(64, size * 8),
               *work = aligned_alloc(64, (congru_panels_inverse_work(n) + 8) * 8);
        double *packs = aligned_alloc(64, 64 * CONGRU_PANELS_WORK * 8);
        congru_panels m = {n, n, data}, turned = {n, n, panels};
        sample_normals(&random, n * n, x);
        memset(mean, 0, n * sizeof *mean);
        congru_panels_fill(context, x, mean, &turned);
        congru_panels_gram(context, &turned, true, packs, &m); /* x^T x */
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double sum = 0.0;
                for (size_t k = 0; k < n; k++)
                    sum += x[k * n + i] * x[k * n + j];
                CHECK_NEAR(*congru_panels_entry(&m, i, j), sum, 1e-10);
            }
        congru_panels_gram(context, &turned, false, packs, &m);
        for (size_t i = 0; i < n; i++)
            *congru_panels_entry(&m, i, i) += 1.0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                c[i * n + j] = *congru_panels_entry(&m, i, j);
                CHECK_NEAR(c[i * n + j], dense_dot(n, x + i * n, x + j * n) + (i == j ? 1.0 : 0.0), 1e-10);
            }
        CHECK(congru_panels_invert(context, &m, work));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                inverse[i * n + j] = *congru_panels_entry(&m, i, j);
        dense_product(n, n, n, c, inverse, identity);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                CHECK_NEAR(identity[i * n + j], i == j ? 1.0 : 0.0, 1e-9);
        free(x);
        free(c);
        free(inverse);
        free(identity);
        free(data);
        free(work);
        free(packs);
        free(mean);
        free(panels);
    }
}

/* There and back, of shapes that leave rests in every direction. */
TEST(panels_are_multiplied)
{
    static const size_t shapes[][3] = {{1, 1, 1},    {4, 50, 23},   {7, 49, 24},
                                       {5, 300, 25}, {9, 13, 1000}, {3, 97, 2000}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t rows = shapes[s][0], p = shapes[s][1], n = shapes[s][2], stride = congru_panels_padded(n);
        congru_random random = congru_random_stream(94, (uint32_t)n, 0, 0);
        double *x = sample_alloc(n * p), *mean = sample_alloc(p), *w = sample_alloc(rows * p);
        double *panels = aligned_alloc(64, congru_panels_size(p, n) * 8),
               *f = aligned_alloc(64, rows * stride * 8);
        congru_panels m = {p, n, panels};
        sample_normals(&random, n * p, x);
        sample_normals(&random, p, mean);
        sample_normals(&random, rows * p, w);
        congru_panels_fill(context, x, mean, &m);
        congru_panels_product(context, rows, w, p, &m, f, stride);
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < stride; i++) {
                double sum = 0.0;
                for (size_t j = 0; j < p && i < n; j++)
                    sum += w[r * p + j] * (x[i * p + j] - mean[j]);
                CHECK_NEAR(f[r * stride + i], sum, 1e-10);
            }
        congru_panels_product_transposed(context, rows, f, stride, &m, w, p);
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < p; j++) {
                double sum = 0.0;
                for (size_t i = 0; i < n; i++)
                    sum += f[r * stride + i] * (x[i * p + j] - mean[j]);
                CHECK_NEAR(w[r * p + j], sum, 1e-9 * (double)(n + p));
            }
        free(x), free(mean), free(w), free(panels), free(f);
    }
}

/* Of three classes one is hardly said and one nearly always. */
TEST(classes_become_equally_frequent)
{
    enum { N = 30, K = 3 };
    congru_random random = congru_random_stream(93, 0, 0, 0);
    double z[N * K], count[K] = {0};
    sample_normals(&random, N * K, z);
    for (size_t i = 0; i < N; i++) {
        z[i * K + 1] += 4.0;
        z[i * K + 2] -= 3.0;
    }
    CHECK(congru_balance_classes(context, N, K, z) == CONGRU_OK);
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < K; k++) {
            sum += exp(z[i * K + k]);
            count[k] += exp(z[i * K + k]);
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
    }
    for (size_t k = 0; k < K; k++)
        CHECK_NEAR(count[k], (double)N / K, 0.05);
    for (size_t i = 0; i < N; i++)
        z[i * K + 2] = -1e300;
    CHECK(congru_balance_classes(context, N, K, z) == CONGRU_OK && exp(z[2]) == 0.0);
    z[4] = NAN;
    CHECK(congru_balance_classes(context, N, K, z) == CONGRU_ERROR_NOT_FINITE);
    CHECK(congru_balance_classes(context, 0, K, z) == CONGRU_ERROR_ARGUMENT);
}

/* The sinkhorn of the oracle views.py on the same numbers. */
TEST(balance_is_that_of_the_oracle)
{
    double z[] = {-0.2, -1.8, -2.0, -0.5, -1.0, -3.0, -0.1, -2.5, -4.0, -0.7, -0.9, -2.2};
    static const double expected[] = {-1.5738204693326,   -2.42791103332227,  -0.350228338468567,
                                      -1.73694326088049,  -0.39103382487016,  -1.91335113001645,
                                      -0.128320155376225, -2.5824107193659,   -3.10472802451219,
                                      -2.65282381018649,  -0.706914374176164, -0.829231679322458};
    CHECK(congru_balance_classes(context, 4, 3, z) == CONGRU_OK);
    for (size_t i = 0; i < 12; i++)
        CHECK_NEAR(z[i], expected[i], 1e-10);
}

int main(void)
{
    return context_main(&context, NULL);
}
