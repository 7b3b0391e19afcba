/* Makes every class equally frequent over a subject's trials. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "base/scalar_math.h"
#include "congru/classifier.h"

/* Log-probabilities are doubled first, so that a sure trial stays what it is; then classes and trials are normalised in
 * turn (Sinkhorn and Knopp, 1967), which converges within this number unless most trials are very sure of their class. */
enum { ROUNDS = 50, SHARPER = 2 };

/* Below it a class has had no trial, and stays out. */
static const double absent = -1e29;

/* The logarithm of the sum of exponentials of `count` numbers, `step` apart. */
static double log_sum(size_t count, const double *z, size_t step)
{
    double largest = z[0], sum = 0.0;
    for (size_t i = 1; i < count; i++)
        largest = fmax(largest, z[i * step]);
    for (size_t i = 0; i < count; i++)
        sum += congru_scalar_exp(z[i * step] - largest);
    return largest + congru_scalar_log(sum);
}

static bool is_absent(size_t n, size_t classes, const double *column)
{
    for (size_t i = 0; i < n; i++)
        if (column[i * classes] > absent)
            return false;
    return true;
}

congru_status congru_balance_classes(congru_context *context, size_t n, size_t classes, double *log_probability)
{
    double *z = log_probability;
    if (context == NULL || n == 0 || classes == 0 || z == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there are no log-probabilities to balance");
    if (congru_too_many(n, classes))
        return congru_check_count(context, n, classes);
    size_t present = 0;
    for (size_t k = 0; k < classes; k++)
        present += !is_absent(n, classes, z + k);
    for (size_t i = 0; i < n * classes; i++) {
        if (isnan(z[i]) || z[i] > 0.5 * INFINITY)
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                               "the log-probability of class %zu for trial %zu is not a number", i % classes,
                               i / classes + 1);
        z[i] = z[i] > absent ? SHARPER * z[i] : absent;
    }
    const double share = congru_scalar_log((double)n / (double)(present > 0 ? present : 1));
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < classes; k++) {
            if (is_absent(n, classes, z + k))
                continue;
            const double shift = log_sum(n, z + k, classes) - share;
            for (size_t i = 0; i < n; i++)
                z[i * classes + k] = z[i * classes + k] > absent ? z[i * classes + k] - shift : absent;
        }
        for (size_t i = 0; i < n; i++) {
            const double shift = log_sum(classes, z + i * classes, 1);
            for (size_t k = 0; k < classes; k++)
                z[i * classes + k] = z[i * classes + k] > absent ? z[i * classes + k] - shift : absent;
        }
    }
    return CONGRU_OK;
}
