/* The Cholesky factor of one large matrix, and solving with it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_DENSE_FACTOR_H
#define CONGRU_CLASSIFIER_DENSE_FACTOR_H

#include "kernel/kernel.h"

/* The kernels in lanes factor many small matrices; here is one of hundreds of rows, and what the vectors run along is
 * its rows. A row begins every congru_dense_stride(m) doubles, aligned. */
static inline size_t congru_dense_stride(size_t m)
{
    return (m + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
}

/* A = U^T U in place of the upper triangle of a (m, stride); what is below the diagonal is neither read nor kept.
 * Returns the smallest pivot relative to the diagonal entry it came from: near 0 where a row depends on those before;
 * where it is not positive the factor is useless. work: (m). */
double congru_dense_factor(const congru_kernel *kernel, size_t m, double *a, double *work);

/* x (count, stride) = U^-T b and U^-1 b for `count` right-hand sides, in place; padding of x must be 0 and stays so.
 * work: (m + CONGRU_GROUP, CONGRU_GROUP). */
void congru_dense_solve_transposed(const congru_kernel *kernel, size_t m, const double *u, size_t count,
                                   double *x, double *work);
void congru_dense_solve(const congru_kernel *kernel, size_t m, const double *u, size_t count, double *x,
                        double *work);

#endif
