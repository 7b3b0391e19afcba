/* Comparisons of methods over subjects. SPDX-License-Identifier: Apache-2.0 */
#include "congru/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static const uint64_t permutation_seed = 50;

congru_status congru_paired_compare(congru_context *context, size_t n, const double *a, const double *b,
                                    double confidence, congru_comparison *comparison)
{
    if (comparison == NULL || !(confidence > 0.0 && confidence < 1.0))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "congru_paired_compare: a confidence of %g; it must be between 0 and 1, such as 0.95", confidence);
    *comparison = (congru_comparison){0};
    CONGRU_TRY(congru_wilcoxon_test(context, n, a, b, &comparison->wilcoxon));
    CONGRU_TRY(congru_permutation_test(context, permutation_seed, n, a, b, &comparison->permutation));
    congru_gain gain = congru_gain_of(n, a, b, confidence);
    comparison->count = n;
    comparison->gain = gain.interval.mean;
    comparison->deviation = gain.interval.deviation;
    comparison->effect = gain.effect;
    comparison->interval[0] = gain.interval.low;
    comparison->interval[1] = gain.interval.high;
    comparison->improved = (double)gain.wins / (double)n;
    comparison->p = comparison->holm = congru_wilcoxon_p(&comparison->wilcoxon);
    return CONGRU_OK;
}

/* ---- Several comparisons ------------------------------------------------------------------------------- */

typedef struct ranked_p {
    double p;
    size_t index;
} ranked_p;

static int by_p(const void *first, const void *second)
{
    const ranked_p *a = first, *b = second;
    return a->p != b->p ? (a->p > b->p) - (a->p < b->p) : (a->index > b->index) - (a->index < b->index);
}

congru_status congru_holm_correct(congru_context *context, size_t n, const double *p, double *adjusted)
{
    if (n == 0 || p == NULL || adjusted == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_holm_correct: at least one p is needed, and no argument may be NULL");
    if (congru_too_many(n, 1))
        return congru_check_count(context, n, 1);
    for (size_t i = 0; i < n; i++)
        if (!(p[i] >= 0.0 && p[i] <= 1.0))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "p-value %zu of %zu is %g; it must be 0 to 1", i,
                               n, p[i]);
    ranked_p *ranked = malloc(n * sizeof *ranked);
    if (ranked == NULL)
        return congru_fail_memory(context, "%zu p-values", n);
    for (size_t i = 0; i < n; i++)
        ranked[i] = (ranked_p){p[i], i};
    qsort(ranked, n, sizeof *ranked, by_p);
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmin(1.0, fmax(largest, (double)(n - i) * ranked[i].p));
        adjusted[ranked[i].index] = largest;
    }
    free(ranked);
    return CONGRU_OK;
}

/* Adds the standardised scores of one subject to `sum`; false when it lacks one. Methods that are equal but for rounding,
 * as means over folds may be, tell nothing: 0 for each. */
static bool standardise(size_t methods, const double *score, double *sum)
{
    double mean = 0, squares = 0, largest = 0, count = (double)methods;
    for (size_t j = 0; j < methods; j++) {
        if (isnan(score[j]))
            return false;
        mean += score[j] / count;
        largest = fmax(largest, fabs(score[j]));
    }
    for (size_t j = 0; j < methods; j++)
        squares += (score[j] - mean) * (score[j] - mean);
    double deviation = sqrt(squares / count);
    for (size_t j = 0; deviation > 1e-12 * largest && j < methods; j++)
        sum[j] += (score[j] - mean) / deviation;
    return true;
}

congru_status congru_scores_normalise(congru_context *context, size_t subjects, size_t methods,
                                      const double *scores, double *z)
{
    if (subjects == 0 || methods == 0 || scores == NULL || z == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_scores_normalise: scores of a subject and a method are needed, not NULL");
    if (congru_too_many(subjects, methods))
        return congru_check_count(context, subjects, methods);
    for (size_t i = 0; i < subjects * methods; i++)
        if (isinf(scores[i]))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE, "the score of subject %zu by method %zu is %g",
                               i / methods + 1, i % methods + 1, scores[i]);
    size_t complete = 0;
    for (size_t j = 0; j < methods; j++)
        z[j] = 0;
    for (size_t i = 0; i < subjects; i++)
        complete += standardise(methods, scores + i * methods, z);
    for (size_t j = 0; j < methods; j++)
        z[j] = complete > 0 ? z[j] / (double)complete : NAN;
    return CONGRU_OK;
}
