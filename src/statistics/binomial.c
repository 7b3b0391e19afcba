/* The binomial distribution: when is an accuracy above guessing? SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "congru/statistics.h"

static bool valid(size_t n, double probability)
{
    return n > 0 && probability > 0.0 && probability < 1.0;
}

/* The logarithm of the probability of k + 1 successes from that of k. */
static double step(double log_k, size_t k, size_t n, double log_odds)
{
    return log_k + congru_scalar_log((double)(n - k) / (double)(k + 1)) + log_odds;
}

/* ---- Many trials ------------------------------------------------------------------------------------------ */

/* Beyond it terms are not added up one by one. */
static const size_t added_up = 1 << 20;

/* log(1 + u) - u, above u = -1. */
static double log_rest(double u)
{
    if (u < -0.1 || u > 0.1)
        return congru_scalar_log(1.0 + u) - u;
    double power = u, sum = 0.0;
    for (int i = 2; i < 20; i++) {
        power *= -u;
        sum += power / i;
    }
    return sum;
}

/* The density of a beta distribution with a = k and b = n - k + 1 at `from` its mode, relative to the mode's, for 1 < k < n.
 * The terms of first order cancel: what is left is small where the density is not. */
static double beta_density(double k, double n, double mode, double from)
{
    const double left = 1.0 + from / mode, right = 1.0 - from / (1.0 - mode);
    if (!(left > 0.0 && right > 0.0))
        return 0.0;
    return congru_scalar_exp((k - 1.0) * log_rest(from / mode) + (n - k) * log_rest(-from / (1.0 - mode)));
}

/* Simpson's rule from `first` to `last`, both relative to the mode. */
static double beta_integral(double k, double n, double mode, double first, double last)
{
    enum { INTERVALS = 1 << 14 };
    const double width = (last - first) / INTERVALS;
    double sum = 0.0;
    if (!(width > 0.0))
        return 0.0;
    for (int i = 0; i <= INTERVALS; i++)
        sum += (i == 0 || i == INTERVALS ? 1.0
                : i % 2 != 0             ? 4.0
                                         : 2.0) *
               beta_density(k, n, mode, i == INTERVALS ? last : first + i * width);
    return sum * width / 3.0;
}

/* P(X >= k) is the part of that distribution below `probability`. */
static double tail_of_many(double k, double n, double probability)
{
    if (k <= 1.0)
        return 1.0 - congru_scalar_exp(n * (log_rest(-probability) - probability));
    if (k >= n)
        return congru_scalar_exp(n * congru_scalar_log(probability));
    const double mode = (k - 1.0) / (n - 1.0), deviation = sqrt(mode * (1.0 - mode) / (n - 1.0));
    /* Beyond 40 deviations nothing is left, but for the long side of one that is near 0 or 1. */
    const double wide = 40.0 * deviation + 800.0 / n;
    const double low = fmax(-mode, -wide), high = fmin(1.0 - mode, wide);
    const double end = fmin(fmax(probability - mode, low), high);
    const double below = beta_integral(k, n, mode, low, end), above = beta_integral(k, n, mode, end, high);
    return below / (below + above);
}

/* The fewest successes that n trials do not exceed with a probability of p. */
static double quantile_of_many(double p, size_t n, double probability)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (1.0 - tail_of_many((double)middle + 1.0, (double)n, probability) >= p)
            high = middle;
        else
            low = middle + 1;
    }
    return (double)low;
}

/* ---- Few trials ------------------------------------------------------------------------------------------- */

/* From the end of the tail inwards would add small terms first, but needs another start; the terms are positive, so that the
 * order costs a few roundings and no cancellation. */
double congru_binomial_tail(size_t k, size_t n, double probability)
{
    if (!valid(n, probability))
        return NAN;
    if (k == 0)
        return 1.0;
    if (k > n)
        return 0.0;
    if (n > added_up)
        return tail_of_many((double)k, (double)n, probability);
    double log_odds = congru_scalar_log(probability) - congru_scalar_log(1.0 - probability);
    double log_mass = (double)n * congru_scalar_log(1.0 - probability), sum = 0.0;
    for (size_t i = 0; i <= n; i++) {
        sum += i >= k ? congru_scalar_exp(log_mass) : 0.0;
        if (i < n)
            log_mass = step(log_mass, i, n, log_odds);
    }
    return sum < 1.0 ? sum : 1.0;
}

double congru_binomial_quantile(double p, size_t n, double probability)
{
    if (!valid(n, probability) || !(p >= 0.0 && p <= 1.0))
        return NAN;
    if (n > added_up)
        return quantile_of_many(p, n, probability);
    double log_odds = congru_scalar_log(probability) - congru_scalar_log(1.0 - probability);
    double log_mass = (double)n * congru_scalar_log(1.0 - probability), sum = congru_scalar_exp(log_mass);
    size_t k = 0;
    while (sum < p && k < n) {
        log_mass = step(log_mass, k++, n, log_odds);
        sum += congru_scalar_exp(log_mass);
    }
    return (double)k;
}

double congru_chance_level(size_t n, size_t classes, double confidence)
{
    return classes < 2 ? NAN : congru_binomial_quantile(confidence, n, 1.0 / (double)classes) / (double)n;
}

double congru_transfer_bits(double accuracy, size_t classes)
{
    const double log_2 = 0.69314718055994530942, n = (double)classes;
    if (classes < 2 || !(accuracy >= 0.0 && accuracy <= 1.0))
        return NAN;
    if (accuracy * n <= 1.0)
        return 0.0;
    double nats = congru_scalar_log(n) + accuracy * congru_scalar_log(accuracy);
    if (accuracy < 1.0)
        nats += (1.0 - accuracy) * congru_scalar_log((1.0 - accuracy) / (n - 1.0));
    return nats / log_2;
}
