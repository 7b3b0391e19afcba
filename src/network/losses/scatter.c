/* Fisher scatters: values and derivatives from group means. SPDX-License-Identifier: Apache-2.0 */
#include "network/losses/scatter.h"

#include <string.h>

double congru_squared_norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

void congru_scatter_layout(congru_arena *arena, size_t groups, size_t stride, congru_scatter *scatter)
{
    scatter->groups = groups;
    scatter->stride = stride;
    scatter->count = congru_arena_take(arena, groups, sizeof(double));
    scatter->mean = congru_arena_take(arena, groups * stride, sizeof(double));
    scatter->offset = congru_arena_take(arena, groups * stride, sizeof(double));
}

void congru_scatter_sum(const congru_kernel *kernel, congru_scatter *scatter, size_t n, const int32_t *group,
                        const double *rows, const size_t *index, size_t first, size_t length)
{
    const size_t stride = scatter->stride;
    for (size_t m = 0; m < scatter->groups; m++)
        memset(scatter->mean + m * stride + first, 0, length * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const double *row = rows + (index != NULL ? index[i] : i) * stride + first;
        kernel->combine(length, 1.0, row, 1.0, scatter->mean + (size_t)group[i] * stride + first);
    }
}

void congru_scatter_mean(const congru_scatter *scatter, size_t n, double *mean)
{
    const size_t stride = scatter->stride;
    memcpy(mean, scatter->mean, stride * sizeof(double));
    for (size_t m = 1; m < scatter->groups; m++) {
        for (size_t e = 0; e < stride; e++)
            mean[e] += scatter->mean[m * stride + e];
    }
    for (size_t e = 0; e < stride; e++)
        mean[e] /= (double)n;
}

void congru_scatter_forward(congru_scatter *scatter, size_t n, const int32_t *group, const double *mean,
                            double square, double scale)
{
    const size_t stride = scatter->stride;
    memset(scatter->count, 0, scatter->groups * sizeof(double));
    for (size_t i = 0; i < n; i++)
        scatter->count[group[i]] += 1.0;
    double own = 0.0, between = 0.0;
    for (size_t m = 0; m < scatter->groups; m++) {
        const double count = scatter->count[m];
        if (count == 0.0)
            continue;
        double *mu = scatter->mean + m * stride, square_mu = 0.0, square_gap = 0.0;
        for (size_t e = 0; e < stride; e++) {
            mu[e] /= count;
            double gap = mu[e] - mean[e];
            square_mu += mu[e] * mu[e];
            square_gap += gap * gap;
        }
        own += count * square_mu;
        between += count * square_gap;
    }
    /* Rows lie about the origin, where the trials were recentred: the difference keeps its digits. */
    scatter->within = scale * ((square - own) / (double)n);
    scatter->between = scale * (between / (double)n);
}

/* dW/dx_i = 2/N (x_i - mu_m), dB/dx_i = 2/N (mu_m - mu). */
void congru_scatter_backward(congru_scatter *scatter, size_t n, const double *mean, double scale,
                             double d_within, double d_between, double *own)
{
    const size_t stride = scatter->stride;
    const double within = 2.0 * scale * d_within / (double)n, between = 2.0 * scale * d_between / (double)n;
    *own += within;
    for (size_t m = 0; m < scatter->groups; m++) {
        const double *mu = scatter->mean + m * stride;
        double *offset = scatter->offset + m * stride;
        for (size_t e = 0; e < stride; e++)
            offset[e] = (between - within) * mu[e] - between * mean[e];
    }
}
