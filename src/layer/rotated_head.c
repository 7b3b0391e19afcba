/* The tangent head behind a rotation, whose work is in the basis of the inputs. SPDX-License-Identifier: Apache-2.0 */
#include "layer/rotated_head.h"

#include <string.h>

void congru_rotated_head_layout(congru_arena *arena, congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const size_t vectors = congru_kernel_vectors(t->kernel, t->classes);
    for (int k = 0; k < 4; k++)
        r->class_lanes[k] = congru_take_lanes(arena, t->kernel, vectors, t->d * t->d);
    r->class_rows = congru_take_lanes(arena, t->kernel, vectors, t->stride);
    r->class_chains = congru_arena_take(arena, CONGRU_GROUP * t->d * t->d, sizeof(double));
    r->slope = congru_arena_take(arena, t->chunks * CONGRU_STEP_CHUNK, sizeof(double));
    congru_training_share(t, CONGRU_PHASE_BACKWARD, r->slope, 1, t->chunks * CONGRU_STEP_CHUNK);
}

/* Matrices of rows (classes, stride), in lanes, those beyond the classes zero; and rows of matrices. */
static void rows_to_matrices(const congru_training *t, const double *rows, double *matrices)
{
    const congru_rotated *r = &t->part.rotated;
    const size_t vectors = congru_kernel_vectors(t->kernel, t->classes);
    t->kernel->pack(vectors, t->classes, t->stride, 1, rows, r->class_rows);
    t->kernel->untriangle(vectors, t->d, t->stride, r->class_rows, matrices);
}

static void matrices_to_rows(const congru_training *t, const double *matrices, double *rows)
{
    const congru_rotated *r = &t->part.rotated;
    const size_t vectors = congru_kernel_vectors(t->kernel, t->classes);
    t->kernel->triangle(vectors, t->d, t->stride, matrices, r->class_rows);
    t->kernel->unpack(vectors, t->classes, t->stride, 1, r->class_rows, rows);
}

void congru_rotated_head_prepare(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const size_t d = t->d, vectors = congru_kernel_vectors(t->kernel, t->classes);
    congru_head_prepare(t);
    /* R W R^T */
    rows_to_matrices(t, t->head.weight, r->class_lanes[0]);
    congru_spectral_congruence(t->kernel, vectors, d, d, r->class_lanes[0], congru_shared_transposed(r->r, d),
                               r->class_lanes[1], r->class_lanes[2]);
    matrices_to_rows(t, r->class_lanes[1], t->head.weight);
    congru_head_reference_forward(t, t->mean_row, -0.5 * r->gamma);
}

/* With N = P V e^(gamma w / 2): Y = N N^T, and dY/dgamma = N diag(w) N^T - (M Y + Y M) / 2, M the mean
 * logarithm, so
 * that <dY, dY/dgamma> = <dY N, N diag(w) - M N>. */
static void gamma_backward(const congru_step_chunk *chunk, const congru_step_work *work, const double *n,
                           const double *values, const double *d_y)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, vectors = chunk->vectors, count = congru_lane_doubles(kernel, vectors, d * d);
    double *first = work->spectral.first, *second = work->spectral.second;
    double *scaled = work->m[2], *slope = t->part.rotated.slope + chunk->first;
    kernel->product(vectors, d, d, d, congru_per_lane(d_y, d), congru_per_lane(n, d), CONGRU_PRODUCT_SET,
                    first);
    kernel->product(vectors, d, d, d, congru_shared(t->head.mean, d), congru_per_lane(n, d), CONGRU_PRODUCT_SET,
                    second);
    kernel->scale_columns(vectors, d, n, values, scaled);
    kernel->combine(count, -1.0, second, 1.0, scaled);
    kernel->dots(vectors, d * d, first, scaled, slope);
}

void congru_rotated_head_chunk(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    congru_rotated *r = &t->part.rotated;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, vectors = chunk->vectors;
    const congru_function function = {CONGRU_FUNCTION_LOG, t->options.head_jitter, t->options.floor};
    double *n = work->m[0], *y = work->m[1], *z = work->m[2], *d_y = work->m[3], *v = work->m[4];
    double *values = work->m[5], *root = values + congru_lane_doubles(kernel, vectors, d);
    kernel->gather(vectors, d * d, r->vectors, t->index + chunk->first, v);
    kernel->gather(vectors, d, r->values, t->index + chunk->first, values);
    kernel->map((congru_function){CONGRU_FUNCTION_EXP, 0.5 * r->gamma, 0.0},
                congru_lane_doubles(kernel, vectors, d), values, root);
    kernel->product(vectors, d, d, d, congru_shared(t->head.reference, d), congru_per_lane(v, d),
                    CONGRU_PRODUCT_SET, y);
    kernel->scale_columns(vectors, d, y, root, n);
    kernel->product(vectors, d, d, d, congru_per_lane(n, d), congru_per_lane_transposed(n, d),
                    CONGRU_PRODUCT_SYMMETRIC, y);
    congru_step_eigen(chunk, work, 2, d, y, work->value, z);
    congru_spectral_forward(kernel, vectors, d, function, work->value, z, y, &work->spectral);
    kernel->triangle(vectors, d, t->stride, y, work->row);
    congru_head_softmax(chunk, work);
    if (!r->learns_gamma)
        return;
    kernel->untriangle(vectors, d, t->stride, work->row, y);
    congru_spectral_backward(kernel, vectors, d, function, work->value, z, y, d_y, &work->spectral);
    gamma_backward(chunk, work, n, values, d_y);
}

double congru_rotated_head_finish(congru_training *t, double *d_gamma)
{
    congru_rotated *r = &t->part.rotated;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, vectors = congru_kernel_vectors(kernel, t->classes);
    double *gradient = congru_training_gradient(t, t->head.weights), *padded = t->head.weight;
    double *w = r->class_lanes[0], *d_turned = r->class_lanes[1], *d_w = r->class_lanes[2];
    const double loss = congru_head_finish(t);
    for (size_t i = 0; i < t->count && r->learns_gamma; i++)
        *d_gamma += r->slope[i];
    /* The gradient so far is by R W R^T. */
    for (size_t k = 0; k < t->classes; k++)
        memcpy(padded + k * t->stride, gradient + k * t->features, t->features * sizeof(double));
    rows_to_matrices(t, padded, d_turned);
    congru_spectral_congruence(kernel, vectors, d, d, d_turned, congru_shared(r->r, d), d_w, r->class_lanes[3]);
    /* dR = 2 sum (dW' R) W, the first factor being what the congruence left behind */
    memset(r->class_chains, 0, CONGRU_GROUP * d * d * sizeof(double));
    kernel->add_product(vectors, d, d, d, congru_per_lane(r->class_lanes[3], d), congru_per_lane(w, d),
                        r->class_chains);
    kernel->fold(d * d, r->class_chains, t->head.plain);
    for (size_t e = 0; e < d * d; e++)
        r->d_r[e] += 2.0 * t->head.plain[e];
    matrices_to_rows(t, d_w, padded);
    for (size_t k = 0; k < t->classes; k++)
        memcpy(gradient + k * t->features, padded + k * t->stride, t->features * sizeof(double));
    return loss;
}
