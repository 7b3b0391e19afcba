/* Logarithms of all trials, had once before training. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_math.h"
#include "base/store.h"
#include "layer/training.h"

/* z f z^T of one trial. */
static void rebuild(size_t d, const double *values, const double *z, double *out)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < d; k++)
                sum += z[i * d + k] * values[k] * z[j * d + k];
            out[i * d + j] = out[j * d + i] = sum;
        }
    }
}

congru_status congru_training_logarithms(congru_training *t, double *logarithm, double *values, double *vectors)
{
    enum { BLOCK = 256 };
    const size_t d = t->d, size = d * d, count = t->trials->count;
    const bool own = values == NULL;
    double *scratch = own ? malloc(BLOCK * (size + d) * sizeof(double)) : NULL;
    if (own && scratch == NULL)
        return congru_fail(t->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu logarithms", count);
    congru_status status = CONGRU_OK;
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        double *w = own ? scratch : values + first * d, *z = own ? scratch + BLOCK * d : vectors + first * size;
        status = congru_spd_eigen(t->context, n, d, t->trials->covariance + first * size, w, z);
        for (size_t i = 0; status == CONGRU_OK && i < n; i++) {
            for (size_t k = 0; k < d; k++) {
                double x = w[i * d + k] > t->options.floor ? w[i * d + k] : t->options.floor;
                w[i * d + k] = congru_scalar_log(x);
                if (!isfinite(w[i * d + k]))
                    status =
                        congru_fail(t->context, CONGRU_ERROR_NOT_POSITIVE,
                                    "trial %zu has an eigenvalue of %g: its logarithm needs a floor above 0",
                                    first + i + 1, x);
            }
            congru_store_pass(2 * size * sizeof(double));
            rebuild(d, w + i * d, z + i * size, logarithm + (first + i) * size);
        }
    }
    free(scratch);
    return status;
}
