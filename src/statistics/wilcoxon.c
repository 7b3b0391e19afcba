/* Wilcoxon's signed-rank test and the test by flipped signs. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/random.h"
#include "congru/statistics.h"
#include "statistics/distributions.h"

enum {
    EXACT_MOST = 50,
    TIED_MOST = 13,
    FLIPS_EXACT_MOST = 20,
    FLIPS_HALF = 10,
    FLIPS_DRAWN = 100000,
    STREAM_FLIPS = 0x666c6970
};

static congru_status check_pairs(congru_context *context, const char *function, size_t n, const double *a,
                                 const double *b, const void *result)
{
    if (n == 0 || a == NULL || b == NULL || result == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: at least one pair is needed, and no argument may be NULL", function);
    if (congru_too_many(n, 1))
        return congru_check_count(context, n, 1);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE, "%s: pair %zu of %zu is %g and %g", function,
                               i, n, a[i], b[i]);
    return CONGRU_OK;
}

/* ---- Signed ranks -------------------------------------------------------------------------------------- */

static int by_size(const void *first, const void *second)
{
    double a = fabs(*(const double *)first), b = fabs(*(const double *)second);
    return (a > b) - (a < b);
}

typedef struct rank_sums {
    double gains, losses;
    double ties; /* the sum over groups of equals of t^3 - t */
} rank_sums;

/* Differences, sorted by size; equals share the mean of their ranks. */
static rank_sums sum_ranks(size_t n, const double *difference)
{
    rank_sums sums = {0};
    for (size_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && fabs(difference[end]) == fabs(difference[first]))
            end++;
        double rank = 0.5 * (double)(first + 1 + end), size = (double)(end - first);
        sums.ties += size * (size * size - 1.0);
        for (size_t i = first; i < end; i++) {
            sums.gains += difference[i] > 0.0 ? rank : 0.0;
            sums.losses += difference[i] < 0.0 ? rank : 0.0;
        }
    }
    return sums;
}

/* Twice the smaller share of the ways that give at most, or at least, the sum. */
static double two_sided(size_t most, const double *ways, size_t sum)
{
    double below = 0.0, above = 0.0, all = 0.0;
    for (size_t s = 0; s <= most; s++) {
        below += s <= sum ? ways[s] : 0.0;
        above += s >= sum ? ways[s] : 0.0;
        all += ways[s];
    }
    return fmin(1.0, 2.0 * fmin(below, above) / all);
}

/* Of the 2^n ways to sign the ranks 1 to n, how many give each sum: whole numbers up to 2^50, exact. A sum
 * that ties made a half is cut to the whole below, as scipy does. */
static double exact_p(size_t n, double gains)
{
    double ways[EXACT_MOST * (EXACT_MOST + 1) / 2 + 1] = {1.0};
    const size_t most = n * (n + 1) / 2, sum = (size_t)gains;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t s = rank * (rank + 1) / 2; s >= rank; s--)
            ways[s] += ways[s - rank];
    if (sum == most / 2)
        return 1.0;
    return two_sided(most, ways, sum);
}

/* The same for the ranks there are, counted in halves so that they are whole; sorted differences. */
static double tied_p(size_t n, const double *difference, double gains)
{
    double ways[EXACT_MOST * (EXACT_MOST + 1) + 1] = {1.0};
    const size_t sum = (size_t)(2.0 * gains);
    size_t most = 0;
    for (size_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && fabs(difference[end]) == fabs(difference[first]))
            end++;
        for (size_t i = first; i < end; i++) {
            const size_t rank = first + 1 + end;
            most += rank;
            for (size_t s = most; s >= rank; s--)
                ways[s] += ways[s - rank];
        }
    }
    return two_sided(most, ways, sum);
}

static double normal_p(size_t n, double statistic, double ties)
{
    double count = (double)n, mean = count * (count + 1.0) * 0.25;
    double variance = (count * (count + 1.0) * (2.0 * count + 1.0) - 0.5 * ties) / 24.0;
    return 2.0 * congru_normal_tail(fabs((statistic - mean) / sqrt(variance)));
}

congru_status congru_wilcoxon_test(congru_context *context, size_t n, const double *a, const double *b,
                                   congru_wilcoxon *result)
{
    CONGRU_TRY(check_pairs(context, "congru_wilcoxon_test", n, a, b, result));
    double *difference = malloc(n * sizeof *difference);
    if (difference == NULL)
        return congru_fail_memory(context, "%zu pairs", n);
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (a[i] - b[i] != 0.0)
            difference[used++] = a[i] - b[i];
    qsort(difference, used, sizeof *difference, by_size);
    rank_sums sums = sum_ranks(used, difference);
    *result = (congru_wilcoxon){.statistic = fmin(sums.gains, sums.losses), .p = 1.0, .used = used};
    result->tied = used <= EXACT_MOST ? tied_p(used, difference, sums.gains) : NAN;
    free(difference);
    result->exact = used == n && n <= EXACT_MOST;
    if (result->exact)
        result->p = exact_p(n, sums.gains);
    else if (used > 0)
        result->p = normal_p(used, result->statistic, sums.ties);
    return CONGRU_OK;
}

double congru_wilcoxon_p(const congru_wilcoxon *result)
{
    if (result == NULL)
        return NAN;
    return result->used <= TIED_MOST && !isnan(result->tied) ? result->tied : result->p;
}

/* ---- Flipped signs ------------------------------------------------------------------------------------- */

/* sums[mask] of the differences, those in the mask with their sign flipped. */
static void signed_sums(size_t n, const double *difference, double *sums)
{
    sums[0] = 0.0;
    for (size_t i = 0; i < n; i++)
        sums[0] += difference[i];
    for (size_t mask = 1; mask < (size_t)1 << n; mask++) {
        sums[mask] = 0.0;
        for (size_t i = 0; i < n; i++)
            sums[mask] += mask >> i & 1 ? -difference[i] : difference[i];
    }
}

static double all_flips(size_t n, const double *difference, double least)
{
    double low[1 << FLIPS_HALF], high[1 << FLIPS_HALF];
    const size_t half = n / 2, rest = n - half;
    size_t far = 0;
    signed_sums(half, difference, low);
    signed_sums(rest, difference + half, high);
    for (size_t i = 0; i < (size_t)1 << half; i++)
        for (size_t j = 0; j < (size_t)1 << rest; j++)
            far += fabs(low[i] + high[j]) >= least;
    return (double)far / (double)((size_t)1 << n);
}

/* The signs that were found count as one of the draws, so that p is never 0. */
static double drawn_flips(uint64_t seed, size_t n, const double *difference, double least)
{
    congru_random random = congru_random_stream(seed, STREAM_FLIPS, 0, 0);
    size_t far = 1;
    for (size_t draw = 0; draw < FLIPS_DRAWN; draw++) {
        double sum = 0.0;
        uint64_t signs = 0;
        for (size_t i = 0; i < n; i++) {
            signs = i % 64 == 0 ? congru_random_bits(&random) : signs >> 1;
            sum += signs & 1 ? -difference[i] : difference[i];
        }
        far += fabs(sum) >= least;
    }
    return (double)far / (FLIPS_DRAWN + 1.0);
}

congru_status congru_permutation_test(congru_context *context, uint64_t seed, size_t n, const double *a,
                                      const double *b, double *p)
{
    CONGRU_TRY(check_pairs(context, "congru_permutation_test", n, a, b, p));
    double *difference = malloc(n * sizeof *difference);
    if (difference == NULL)
        return congru_fail_memory(context, "%zu pairs", n);
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        difference[i] = a[i] - b[i];
        sum += difference[i];
        size += fabs(difference[i]);
    }
    /* Sums that are equal but for rounding count as equal. */
    double least = fabs(sum) - 1e-12 * size;
    *p = n <= FLIPS_EXACT_MOST ? all_flips(n, difference, least) : drawn_flips(seed, n, difference, least);
    free(difference);
    return CONGRU_OK;
}
