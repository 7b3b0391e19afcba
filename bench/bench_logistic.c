/* Logistic regression by size, C and folds: processor time, steps, and how far from the minimum. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "congru/classifier.h"
#include "congru/random.h"

/* What takes longer is not tried with more trials, features or folds. */
static const double seconds_most = 20.0;

enum { CLASSES = 4 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Features whose deviations fall as those of tangent vectors do, and a small shift for each class. */
static void make_features(size_t n, size_t features, double *x, int32_t *label)
{
    congru_random random = congru_random_stream(7, (uint32_t)n, (uint32_t)features, 0);
    for (size_t i = 0; i < n; i++) {
        label[i] = (int32_t)congru_random_index(&random, CLASSES);
        for (size_t j = 0; j < features; j++) {
            const double deviation = 0.6 / sqrt(1.0 + 10.0 * (double)j / (double)features);
            const double shift = j % CLASSES == (size_t)label[i] ? 0.25 : 0.0;
            x[i * features + j] = deviation * (congru_random_normal(&random) + shift);
        }
    }
}

/* The norm of the derivative at weights and intercepts of all classes, of the trials that are used. */
static double derivative(size_t n, size_t features, const double *x, const int32_t *label, const bool *used,
                         double c, const double *weights, const double *intercept)
{
    double *sum = calloc(CLASSES * (features + 1), sizeof *sum), squares = 0.0;
    if (sum == NULL)
        abort();
    for (size_t i = 0; i < n; i++) {
        double score[CLASSES], largest = -INFINITY, total = 0.0;
        if (!used[i])
            continue;
        for (size_t k = 0; k < CLASSES; k++) {
            score[k] = intercept[k];
            for (size_t j = 0; j < features; j++)
                score[k] += weights[k * features + j] * x[i * features + j];
            largest = fmax(largest, score[k]);
        }
        for (size_t k = 0; k < CLASSES; k++)
            total += score[k] = exp(score[k] - largest);
        for (size_t k = 0; k < CLASSES; k++) {
            const double r = c * (score[k] / total - (label[i] == (int32_t)k));
            for (size_t j = 0; j < features; j++)
                sum[k * (features + 1) + j] += r * x[i * features + j];
            sum[k * (features + 1) + features] += r;
        }
    }
    for (size_t k = 0; k < CLASSES; k++)
        for (size_t j = 0; j <= features; j++) {
            const double slope = sum[k * (features + 1) + j] + (j < features ? weights[k * features + j] : 0.0);
            squares += slope * slope;
        }
    free(sum);
    return sqrt(squares);
}

/* Fits `folds` folds, each without its share of the trials, or none where there is one. Returns seconds. */
static double try_one(congru_context *context, size_t n, size_t features, size_t folds, double c,
                      const double *x, const int32_t *label)
{
    bool *used = malloc(folds * n);
    double *weights = malloc(folds * CLASSES * features * sizeof *weights), intercept[50 * CLASSES];
    int iterations[50] = {0};
    if (used == NULL || weights == NULL)
        abort();
    for (size_t f = 0; f < folds; f++)
        for (size_t i = 0; i < n; i++)
            used[f * n + i] = folds == 1 || i % folds != f;
    const congru_logistic_folds_options options = {.folds = folds, .used = used, .count = 1, .c = &c};
    const congru_logistic_folds_results results = {weights, intercept, NULL, iterations};
    const double begin = processor_seconds();
    const congru_status status =
        congru_logistic_folds(context, n, features, x, label, CLASSES, &options, &results);
    const double seconds = processor_seconds() - begin;
    double steps = 0.0;
    for (size_t f = 0; f < folds; f++)
        steps += (double)iterations[f] / (double)folds;
    printf("folds  %6zu %5zu %3zu %8g %9.3f s %7.1f steps %9.2g%s\n", n, features, folds, c, seconds, steps,
           derivative(n, features, x, label, used, c, weights, intercept),
           status == CONGRU_OK ? "" : congru_context_error(context));
    fflush(stdout);
    free(used);
    free(weights);
    return seconds;
}

int main(int count, char **words)
{
    static const size_t trials[] = {71, 500, 2304, 4300, 20000, 100000}, sizes[] = {10, 253, 1012, 2530, 5060};
    static const double c[] = {1e-4, 1e-2, 1, 100, 1e4};
    const bool quick = count > 1 && strcmp(words[1], "quick") == 0;
    const size_t most = quick ? 71 : count > 1 ? strtoul(words[1], NULL, 10) : 4300;
    congru_context *context;
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        return 1;
    for (size_t s = 0; s < sizeof trials / sizeof trials[0] && trials[s] <= most; s++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            const size_t n = trials[s], features = sizes[j];
            if ((double)n * (double)features > 5e7 || (quick && features > 253))
                continue;
            double *x = malloc(n * features * sizeof *x), last = 0.0;
            int32_t *label = malloc(n * sizeof *label);
            if (x == NULL || label == NULL)
                abort();
            make_features(n, features, x, label);
            for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
                for (size_t folds = 1; folds <= 50; folds += 49) {
                    if (folds > 1 && (last > seconds_most / 20 || n < 500))
                        continue;
                    last = try_one(context, n, features, folds, c[i], x, label);
                }
            free(x);
            free(label);
        }
    congru_context_destroy(&context);
    return 0;
}
