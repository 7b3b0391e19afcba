/* Reconstruction, log-Euclidean and affine-invariant. SPDX-License-Identifier: Apache-2.0 */
#include "layer/reconstruction.h"

#include <string.h>

#include "base/store.h"

void congru_reconstruction_forward(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t count = congru_lane_doubles(kernel, chunk->vectors, t->stride);
    kernel->gather(chunk->vectors, t->stride, t->start_row, t->index + chunk->first, work->other_row);
    kernel->combine(count, -1.0, work->row, 1.0, work->other_row);
    if (t->mask != NULL) {
        kernel->spread(chunk->vectors, t->stride, t->mask, work->m[1]);
        kernel->multiply(count, work->m[1], work->other_row);
    }
    kernel->sum_squares(chunk->vectors, t->stride, work->other_row, t->distance + chunk->first);
}

static size_t block_of(const congru_training *t)
{
    return t->out < t->d ? t->out : t->d;
}

congru_status congru_reconstruction_start(congru_training *t)
{
    const size_t m = block_of(t), d = t->d;
    for (size_t i = 0; i < t->trials->count; i++) {
        congru_store_pass((m * m + d * d) * sizeof(double));
        for (size_t r = 0; r < m; r++)
            memcpy(t->root + (i * m + r) * m, t->covariance + (i * d + r) * d, m * sizeof(double));
    }
    return congru_spd_invsqrt(t->context, t->trials->count, m, t->root, t->root);
}

/* block (m, m) of a (d, d), or added back to it, in lanes. */
static void take_block(const congru_kernel *kernel, size_t vectors, size_t d, size_t m, const double *a,
                       double *block)
{
    const size_t row = m * kernel->width;
    for (size_t v = 0; v < vectors; v++) {
        for (size_t i = 0; i < m; i++)
            memcpy(block + (v * m + i) * row, a + (v * d + i) * d * kernel->width, row * sizeof(double));
    }
}

static void add_block(const congru_kernel *kernel, size_t vectors, size_t d, size_t m, const double *block,
                      double *a)
{
    const size_t row = m * kernel->width;
    for (size_t v = 0; v < vectors; v++) {
        for (size_t i = 0; i < m; i++)
            kernel->combine(row, 1.0, block + (v * m + i) * row, 1.0, a + (v * d + i) * d * kernel->width);
    }
}

/* Y = A C A has eigenvalues y: the distance is the sum of log^2 y, its derivative by Y is V (2 log y / y) V^T.
 * */
void congru_reconstruction_affine(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t vectors = chunk->vectors, d = t->out, m = block_of(t), count = vectors * kernel->width;
    const double weight = 2.0 * t->options.reconstruction / (double)t->count;
    double *root = work->m[0], *y = work->m[1], *z = work->m[2], *scaled = work->m[3],
           *logs = work->spectral.row;
    double *d_c = congru_step_lanes(chunk, t->d_c_out, d * d);
    if (!t->end_to_end)
        memset(d_c, 0, count * d * d * sizeof(double));
    kernel->gather(vectors, m * m, t->root, t->index + chunk->first, root);
    take_block(kernel, vectors, d, m, congru_step_lanes(chunk, t->c_out, d * d), z);
    congru_spectral_congruence(kernel, vectors, m, m, z, congru_per_lane(root, m), y, scaled);
    congru_step_eigen(chunk, work, t->layers + 1, m, y, work->value, z);
    kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, 0.0}, count * m, work->value, logs);
    kernel->sum_squares(vectors, m, logs, t->distance + chunk->first);
    for (size_t i = 0; i < count * m; i++)
        logs[i] = i / (m * kernel->width) * kernel->width + i % kernel->width < chunk->count
                      ? weight * logs[i] / work->value[i]
                      : 0.0;
    kernel->scale_columns(vectors, m, z, logs, scaled);
    kernel->product(vectors, m, m, m, congru_per_lane(scaled, m), congru_per_lane_transposed(z, m),
                    CONGRU_PRODUCT_SYMMETRIC, y);
    congru_spectral_congruence(kernel, vectors, m, m, y, congru_per_lane(root, m), z, scaled);
    add_block(kernel, vectors, d, m, z, d_c);
}
