/* Functions of symmetric matrices in lanes. SPDX-License-Identifier: Apache-2.0 */
#include "spd/spectral.h"

#include <string.h>

double *congru_take_lanes(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t size)
{
    return congru_arena_take(arena, congru_lane_doubles(kernel, vectors, size), sizeof(double));
}

void congru_spectral_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                            congru_spectral_work *work)
{
    work->first = congru_take_lanes(arena, kernel, vectors, d * d);
    work->second = congru_take_lanes(arena, kernel, vectors, d * d);
    work->row = congru_take_lanes(arena, kernel, vectors, 3 * d);
    work->eigen = congru_arena_take(arena, kernel->eigen_work(d), sizeof(double));
    work->check = congru_take_lanes(arena, kernel, vectors, 2);
}

void congru_map_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                       congru_map_work *work)
{
    congru_spectral_layout(arena, kernel, vectors, d, &work->spectral);
    work->a = congru_take_lanes(arena, kernel, vectors, d * d);
    work->b = congru_take_lanes(arena, kernel, vectors, d * d);
    work->z = congru_take_lanes(arena, kernel, vectors, d * d);
    work->values = congru_take_lanes(arena, kernel, vectors, d);
    work->plain = congru_take_lanes(arena, kernel, vectors, d * d);
}

congru_failure congru_spectral_decompose(const congru_chunk *chunk, size_t d, const double *a, double *values,
                                         double *z, const congru_spectral_work *work)
{
    const congru_kernel *kernel = chunk->kernel;
    memcpy(work->first, a, congru_lane_doubles(kernel, chunk->vectors, d * d) * sizeof(double));
    if (!kernel->eigen(chunk->vectors, d, work->first, values, z, work->eigen))
        return (congru_failure){CONGRU_ERROR_NOT_CONVERGED, chunk->first, 0, 0};
    return congru_no_failure;
}

void congru_spectral_forward(const congru_kernel *kernel, size_t vectors, size_t d, congru_function function,
                             const double *values, const double *z, double *out,
                             const congru_spectral_work *work)
{
    kernel->map(function, congru_lane_doubles(kernel, vectors, d), values, work->row);
    kernel->scale_columns(vectors, d, z, work->row, work->first);
    kernel->product(vectors, d, d, d, congru_per_lane(work->first, d), congru_per_lane_transposed(z, d),
                    CONGRU_PRODUCT_SYMMETRIC, out);
}

void congru_spectral_backward(const congru_kernel *kernel, size_t vectors, size_t d, congru_function function,
                              const double *values, const double *z, const double *d_out, double *d_a,
                              const congru_spectral_work *work)
{
    kernel->loewner(function, vectors, d, values, work->second, work->row);
    congru_spectral_congruence(kernel, vectors, d, d, d_out, congru_per_lane(z, d), d_a, work->first);
    kernel->multiply(congru_lane_doubles(kernel, vectors, d * d), d_a, work->second);
    congru_spectral_congruence(kernel, vectors, d, d, work->second, congru_per_lane_transposed(z, d), d_a,
                               work->first);
}

void congru_spectral_congruence(const congru_kernel *kernel, size_t vectors, size_t d_in, size_t d_out,
                                const double *x, congru_operand w, double *y, double *scratch)
{
    kernel->product(vectors, d_in, d_out, d_in, congru_per_lane(x, d_in), w, CONGRU_PRODUCT_SET, scratch);
    congru_operand transposed = {w.data, w.column_stride, w.row_stride, w.shared};
    kernel->product(vectors, d_out, d_out, d_in, transposed, congru_per_lane(scratch, d_out),
                    CONGRU_PRODUCT_SYMMETRIC, y);
}
