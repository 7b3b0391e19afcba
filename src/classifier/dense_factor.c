/* The Cholesky factor of one large matrix, and solving with it. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/dense_factor.h"

#include <math.h>
#include <string.h>

enum { PANEL = 16 }; /* rows that are subtracted from all below while these are in the cache */

/* The multiple of CONGRU_GROUP at or before i: where a vector that holds i begins. */
static size_t vector_start(size_t i)
{
    return i - i % CONGRU_GROUP;
}

double congru_dense_factor(const congru_kernel *kernel, size_t m, double *a, double *work)
{
    const size_t stride = congru_dense_stride(m);
    double least = INFINITY;
    for (size_t i = 0; i < m; i++)
        work[i] = a[i * stride + i];
    for (size_t panel = 0; panel < m; panel += PANEL) {
        for (size_t i = panel; i < m; i++) {
            double *row = a + i * stride;
            const size_t start = vector_start(i), end = i < panel + PANEL ? i : panel + PANEL;
            for (size_t k = panel; k < end; k++)
                kernel->combine(stride - start, -a[k * stride + i], a + k * stride + start, 1.0, row + start);
            if (i >= panel + PANEL)
                continue;
            const double pivot = row[i];
            if (!(pivot > 0.0))
                return 0.0;
            least = fmin(least, pivot / work[i]);
            kernel->combine(stride - start, 1.0 / sqrt(pivot), row + start, 0.0, row + start);
        }
    }
    return least;
}

void congru_dense_solve_transposed(const congru_kernel *kernel, size_t m, const double *u, size_t count,
                                   double *x, double *work)
{
    const size_t stride = congru_dense_stride(m);
    for (size_t r = 0; r < count; r++, x += stride) {
        /* The part of a vector before i is done, and overwritten here: so the solution is kept apart. */
        memcpy(work, x, stride * sizeof(double));
        for (size_t i = 0; i < m; i++) {
            const double *row = u + i * stride;
            const size_t start = vector_start(i);
            x[i] = work[i] / row[i];
            kernel->combine(stride - start, -x[i], row + start, 1.0, work + start);
        }
    }
}

void congru_dense_solve(const congru_kernel *kernel, size_t m, const double *u, size_t count, double *x,
                        double *work)
{
    const size_t stride = congru_dense_stride(m), width = kernel->width;
    double *sum = work + m * width;
    /* As many right-hand sides as there are lanes go together, one in each. */
    for (size_t first = 0; first < count; first += width) {
        const size_t some = count - first < width ? count - first : width;
        memset(work, 0, m * width * sizeof(double));
        for (size_t i = m; i-- > 0;) {
            const double *row = u + i * stride;
            kernel->weigh(m - i - 1, row + i + 1, work + (i + 1) * width, sum);
            for (size_t r = 0; r < some; r++) {
                double *own = x + (first + r) * stride;
                work[i * width + r] = own[i] = (own[i] - sum[r]) / row[i];
            }
        }
    }
}
