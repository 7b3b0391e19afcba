/* Paired comparisons against scipy, Student's t against 40 digits, corrections by hand. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "statistics_oracle.h"

static congru_context *context;

/* NaN where NaN is expected. */
static void check_number(const char *what, size_t n, double actual, double expected, double tolerance)
{
    bool same = isnan(expected) ? isnan(actual) : fabs(actual - expected) <= tolerance;
    CHECK_SAYING(same, "%s of %zu pairs is %.17g, not %.17g", what, n, actual, expected);
}

static void check_pairs(FILE *stream, const char *words)
{
    size_t n = 0;
    int exact = 0;
    if (!CHECK(sscanf(words, "%zu %d", &n, &exact) == 2))
        return;
    double *number = oracle_numbers(stream, 2 * n + 10);
    const double *expected = number + 2 * n;
    congru_comparison c;
    CHECK(congru_paired_compare(context, n, number, number + n, 0.95, &c) == CONGRU_OK);
    CHECK(c.count == n && c.wilcoxon.exact == (exact != 0));
    check_number("statistic", n, c.wilcoxon.statistic, expected[0], 0.0);
    check_number("p", n, c.wilcoxon.p, expected[1], 1e-12);
    check_number("gain", n, c.gain, expected[2], 1e-13);
    check_number("deviation", n, c.deviation, expected[3], 1e-13);
    check_number("effect", n, c.effect, expected[4], 1e-12);
    check_number("lower end", n, c.interval[0], expected[5], 1e-11);
    check_number("upper end", n, c.interval[1], expected[6], 1e-11);
    check_number("fraction", n, c.improved, expected[7], 1e-15);
    if (!isnan(expected[8]))
        check_number("permutation p", n, c.permutation, expected[8], 0.0);
    if (!isnan(expected[9]))
        check_number("p with ties", n, c.wilcoxon.tied, expected[9], 1e-15);
    CHECK(isnan(c.wilcoxon.tied) == (c.wilcoxon.used > 50));
    free(number);
}

TEST(pairs_agree_with_scipy)
{
    CHECK(oracle_cases("pairs", check_pairs) == 42);
}

/* Tails relative to themselves where they are small, as far as 1 - p can tell otherwise. */
static void check_student(FILE *stream, const char *words)
{
    enum { TAILS = 9, QUANTILES = 6 };
    double freedom = atof(words);
    double *number = oracle_numbers(stream, 2 * TAILS + 2 * QUANTILES);
    for (size_t i = 0; i < TAILS; i++) {
        double t = number[i], tail = number[TAILS + i];
        CHECK_SAYING(fabs(congru_student_cdf(-t, freedom) - tail) <= 1e-12 * tail,
                     "cdf(%g; %g) = %.17g, not %.17g", -t, freedom, congru_student_cdf(-t, freedom), tail);
        CHECK_NEAR(congru_student_cdf(t, freedom), 1.0 - tail, 1e-15 + 1e-12 * tail);
        if (tail < 0.49)
            CHECK_NEAR(congru_student_quantile(tail, freedom) / -t, 1.0, 1e-12);
    }
    const double *p = number + 2 * TAILS, *quantile = p + QUANTILES;
    for (size_t i = 0; i < QUANTILES; i++)
        CHECK_SAYING(fabs(congru_student_quantile(p[i], freedom) / quantile[i] - 1.0) <= 1e-12,
                     "quantile(%g; %g) = %.17g, not %.17g", p[i], freedom,
                     congru_student_quantile(p[i], freedom), quantile[i]);
    free(number);
}

TEST(student_is_right_to_12_digits)
{
    CHECK(oracle_cases("student", check_student) == 13);
    CHECK(congru_student_cdf(0.0, 5.0) == 0.5 && congru_student_quantile(0.5, 5.0) == 0.0);
    CHECK(congru_student_cdf(INFINITY, 5.0) == 1.0 && congru_student_cdf(-INFINITY, 5.0) == 0.0);
    CHECK(isinf(congru_student_quantile(1.0, 5.0)) && congru_student_quantile(0.0, 5.0) < 0.0);
    CHECK(isnan(congru_student_quantile(1.1, 5.0)) && isnan(congru_student_quantile(0.3, 0.0)));
    CHECK(isnan(congru_student_cdf(1.0, -1.0)) && isnan(congru_student_cdf(NAN, 1.0)));
    /* One degree of freedom is Cauchy's distribution. */
    for (double t = 0.001; t < 1e6; t *= 7.0)
        CHECK_NEAR(congru_student_cdf(-t, 1.0) / (atan2(1.0, t) / acos(-1.0)), 1.0, 1e-13);
    CHECK_NEAR(congru_student_quantile(1e-100, 1.0) * acos(-1.0) * 1e-100, -1.0, 1e-12);
}

TEST(one_pair_has_no_interval)
{
    congru_comparison c;
    CHECK(congru_paired_compare(context, 1, (const double[]){3.0}, (const double[]){1.0}, 0.95, &c) ==
          CONGRU_OK);
    CHECK(c.gain == 2.0 && isnan(c.deviation) && isnan(c.effect) && isnan(c.interval[0]) && c.improved == 1.0);
    CHECK(c.wilcoxon.p == 1.0 && c.permutation == 1.0);
}

/* Many pairs: drawn signs, near what all of them give, the same for a seed, never 0. */
TEST(drawn_signs_are_near_all_signs)
{
    double a[25] = {0}, b[25] = {0}, p = 0.0, again = 0.0;
    for (size_t i = 0; i < 19; i++)
        a[i] = (double)(i * 7 % 19) - 6.5;
    CHECK(congru_permutation_test(context, 1, 19, a, b, &p) == CONGRU_OK);
    CHECK(congru_permutation_test(context, 1, 25, a, b, &again) == CONGRU_OK); /* zeros change nothing */
    CHECK_NEAR(again, p, 4.0 * sqrt(p * (1.0 - p) / 100000.0));
    double other = again;
    CHECK(congru_permutation_test(context, 1, 25, a, b, &again) == CONGRU_OK && again == other);
    CHECK(congru_permutation_test(context, 2, 25, a, b, &again) == CONGRU_OK && again != other);
    for (size_t i = 0; i < 25; i++)
        a[i] = 1.0 + (double)i;
    CHECK(congru_permutation_test(context, 1, 25, a, b, &p) == CONGRU_OK && p == 1.0 / 100001.0);
}

TEST(holm_corrects)
{
    const double p[] = {0.01, 0.04, 0.03, 0.005, 0.03};
    const double expected[] = {0.04, 0.09, 0.09, 0.025, 0.09};
    double adjusted[5];
    CHECK(congru_holm_correct(context, 5, p, adjusted) == CONGRU_OK);
    for (size_t i = 0; i < 5; i++)
        CHECK_NEAR(adjusted[i], expected[i], 1e-15);
    double one[] = {0.7, 0.6};
    CHECK(congru_holm_correct(context, 2, one, one) == CONGRU_OK && one[0] == 1.0 && one[1] == 1.0);
    CHECK(congru_holm_correct(context, 2, (const double[]){0.5, NAN}, one) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_holm_correct(context, 0, p, one) == CONGRU_ERROR_ARGUMENT);
}

TEST(scores_are_normalised)
{
    /* Deviations over methods, dividing by n, are 1 and 2; the third subject tells nothing. */
    const double scores[] = {11.0, 9.0, 30.0, 34.0, 5.0, 5.0};
    double z[2];
    CHECK(congru_scores_normalise(context, 3, 2, scores, z) == CONGRU_OK);
    CHECK_NEAR(z[0], 0.0, 1e-15);
    const double three[] = {1.0, 2.0, 6.0};
    double zs[3];
    CHECK(congru_scores_normalise(context, 1, 3, three, zs) == CONGRU_OK);
    CHECK_NEAR(zs[0], -2.0 / sqrt(14.0 / 3.0), 1e-15);
    CHECK_NEAR(zs[2], 3.0 / sqrt(14.0 / 3.0), 1e-15);
    CHECK(congru_scores_normalise(context, 1, 2, (const double[]){1.0, INFINITY}, z) ==
          CONGRU_ERROR_NOT_FINITE);
    CHECK(congru_scores_normalise(context, 1, 0, scores, z) == CONGRU_ERROR_ARGUMENT);
}

TEST(wrong_pairs_are_refused)
{
    const double a[] = {1.0, NAN}, b[] = {2.0, 3.0};
    congru_comparison c;
    congru_wilcoxon w;
    double p;
    CHECK(congru_paired_compare(context, 2, a, b, 0.95, &c) == CONGRU_ERROR_NOT_FINITE);
    CHECK(strstr(congru_context_error(context), "pair 1 of 2") != NULL);
    CHECK(congru_paired_compare(context, 2, b, b, 1.0, &c) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_paired_compare(context, 0, a, b, 0.95, &c) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_wilcoxon_test(context, 2, NULL, b, &w) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_permutation_test(context, 1, 2, b, b, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_permutation_test(context, 1, 2, b, a, &p) == CONGRU_ERROR_NOT_FINITE);
}

int main(void)
{
    return context_main(&context, NULL);
}
