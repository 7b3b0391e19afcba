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

/* From the end of the tail inwards would add small terms first, but needs another start; the terms are positive, so that the
 * order costs a few roundings and no cancellation. */
double congru_binomial_tail(size_t k, size_t n, double probability)
{
    if (!valid(n, probability))
        return NAN;
    double log_odds = congru_scalar_log(probability) - congru_scalar_log(1.0 - probability);
    double log_mass = (double)n * congru_scalar_log(1.0 - probability), sum = 0.0;
    if (k == 0)
        return 1.0;
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
