/* Fisher scatters of rows by action or by subject. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_SCATTER_H
#define CONGRU_NETWORK_SCATTER_H

#include <stdint.h>

#include "base/arena.h"
#include "kernel/kernel.h"

/* Of N rows x_i in groups with n_m rows and mean mu_m, mu the mean of all:
 * W = scale / N sum ||x_i - mu_m||^2, B = scale / N sum n_m ||mu_m - mu||^2. */
typedef struct congru_scatter {
    size_t groups, stride;
    double *count;  /* (groups) */
    double *mean;   /* (groups, stride): first sums */
    double *offset; /* (groups, stride): the part of a row's derivative that its group shares */
    double within, between;
} congru_scatter;

/* The sum of squares, in order. */
double congru_squared_norm(size_t count, const double *x);

void congru_scatter_layout(congru_arena *arena, size_t groups, size_t stride, congru_scatter *scatter);

/* Sums of elements first to first + length - 1 of the rows, each in its group: row i of rows, or row index[i].
 * */
void congru_scatter_sum(const congru_kernel *kernel, congru_scatter *scatter, size_t n, const int32_t *group,
                        const double *rows, const size_t *index, size_t first, size_t length);

/* The mean of all rows, from the sums of any partition. */
void congru_scatter_mean(const congru_scatter *scatter, size_t n, double *mean);

/* Counts, means, W and B; `square` is the sum of all ||x_i||^2. */
void congru_scatter_forward(congru_scatter *scatter, size_t n, const int32_t *group, const double *mean,
                            double square, double scale);

/* d x_i = *own x_i + offset[group of i]: sets the offsets, adds to *own. */
void congru_scatter_backward(congru_scatter *scatter, size_t n, const double *mean, double scale,
                             double d_within, double d_between, double *own);

#endif
