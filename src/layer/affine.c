/* DLDCT: the stack as one affine congruence, differentiated through T and K once per batch. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "layer/training.h"

static congru_status plan(congru_training *t)
{
    return congru_stack_plan(t, false);
}

static void layout(congru_arena *arena, congru_training *t)
{
    congru_affine *a = &t->part.affine;
    const size_t d = t->d, out = t->out, largest = t->largest * t->largest;
    congru_stack_layout(arena, t);
    for (size_t l = 1; l <= t->layers; l++) {
        a->t[l] = congru_arena_take(arena, d * t->width[l], sizeof(double));
        a->k[l] = congru_arena_take(arena, t->width[l] * t->width[l], sizeof(double));
    }
    double **matrices[] = {&a->d_t, &a->d_k, &a->next_d_t, &a->next_d_k, &a->product, &a->transposed};
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        *matrices[k] = congru_arena_take(arena, largest, sizeof(double));
    a->n = congru_training_lanes(arena, t, d * out);
    a->values = congru_training_lanes(arena, t, out);
    a->z = congru_training_lanes(arena, t, out * out);
    a->part_t = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, d * out);
    a->part_k = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, out * out);
}

/* T and K of every depth. */
static void prepare(congru_training *t)
{
    congru_affine *a = &t->part.affine;
    const congru_kernel *kernel = t->kernel;
    const double jitter = t->options.layer_jitter;
    memcpy(a->t[1], congru_training_parameter(t, 0), t->d * t->width[1] * sizeof(double));
    memset(a->k[1], 0, t->width[1] * t->width[1] * sizeof(double));
    for (size_t l = 1; l <= t->layers; l++) {
        const size_t in = t->width[l - 1], out = t->width[l];
        const double *w = congru_training_parameter(t, l - 1);
        if (l > 1) {
            kernel->dense(t->d, out, in, congru_shared(a->t[l - 1], in), w, false, a->t[l]);
            kernel->dense(in, out, in, congru_shared(a->k[l - 1], in), w, false, a->product);
            kernel->dense(out, out, in, congru_shared_transposed(w, out), a->product, false, a->k[l]);
        }
        for (size_t i = 0; i < out; i++)
            a->k[l][i * (out + 1)] += jitter;
    }
}

static void forward(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    congru_affine *a = &t->part.affine;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, out = t->out, vectors = chunk->vectors;
    double *n = congru_step_lanes(chunk, a->n, d * out), *y = work->m[1];
    double *values = congru_step_lanes(chunk, a->values, out), *z = congru_step_lanes(chunk, a->z, out * out);
    const double *w = a->t[t->layers];
    kernel->gather(vectors, d * d, t->covariance, t->index + chunk->first, work->m[0]);
    kernel->product(vectors, d, out, d, congru_per_lane(work->m[0], d), congru_shared(w, out),
                    CONGRU_PRODUCT_SET, n);
    kernel->spread(vectors, out * out, a->k[t->layers], y);
    kernel->product(vectors, out, out, d, congru_shared_transposed(w, out), congru_per_lane(n, out),
                    CONGRU_PRODUCT_SYMMETRIC_ADD, y);
    if (t->needs_out)
        memcpy(congru_step_lanes(chunk, t->c_out, out * out), y,
               congru_lane_doubles(kernel, vectors, out * out) * sizeof(double));
    congru_step_eigen(chunk, work, t->layers, out, y, values, z);
    congru_step_watch(chunk, out, values, false);
    congru_spectral_forward(kernel, vectors, out, (congru_function){CONGRU_FUNCTION_LOG, 0.0, t->options.floor},
                            values, z, work->m[0], &work->spectral);
}

/* dC = D log(C_out)* dL + dC_out, dT = 2 C T dC, dK = dC. */
static void backward(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    congru_affine *a = &t->part.affine;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, out = t->out, vectors = chunk->vectors;
    double *d_c = work->m[1];
    congru_spectral_backward(kernel, vectors, out,
                             (congru_function){CONGRU_FUNCTION_LOG, 0.0, t->options.floor},
                             congru_step_lanes(chunk, a->values, out),
                             congru_step_lanes(chunk, a->z, out * out), work->m[0], d_c, &work->spectral);
    if (t->needs_out)
        kernel->combine(congru_lane_doubles(kernel, vectors, out * out), 1.0,
                        congru_step_lanes(chunk, t->d_c_out, out * out), 1.0, d_c);
    double *chains = congru_step_chains(chunk, d * out), *k_chains = congru_step_chains(chunk, out * out);
    kernel->add_product(vectors, d, out, out, congru_per_lane(congru_step_lanes(chunk, a->n, d * out), out),
                        congru_per_lane(d_c, out), chains);
    kernel->add_lanes(vectors, out * out, d_c, k_chains);
    kernel->fold(d * out, chains, a->part_t + chunk->block * d * out);
    kernel->fold(out * out, k_chains, a->part_k + chunk->block * out * out);
}

static void transpose(size_t rows, size_t cols, const double *a, double *b)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++)
            b[j * rows + i] = a[i * cols + j];
    }
}

/* Back through T_l = T_(l-1) W_l and K_l = W_l^T K_(l-1) W_l + eps I. */
static void finish(congru_training *t)
{
    congru_affine *a = &t->part.affine;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d;
    memset(a->d_t, 0, d * t->out * sizeof(double));
    memset(a->d_k, 0, t->out * t->out * sizeof(double));
    congru_training_add_partials(t, d * t->out, a->part_t, a->d_t);
    congru_training_add_partials(t, t->out * t->out, a->part_k, a->d_k);
    for (size_t e = 0; e < d * t->out; e++)
        a->d_t[e] *= 2.0;
    for (size_t l = t->layers; l > 1; l--) {
        const size_t in = t->width[l - 1], out = t->width[l];
        const double *w = congru_training_parameter(t, l - 1);
        double *d_w = congru_training_gradient(t, l - 1), *swap;
        /* W dK, which both derivatives have */
        kernel->dense(in, out, out, congru_shared(w, out), a->d_k, false, a->product);
        kernel->dense(in, out, in, congru_shared(a->k[l - 1], in), a->product, false, d_w);
        for (size_t e = 0; e < in * out; e++)
            d_w[e] *= 2.0;
        kernel->dense(in, out, d, congru_shared_transposed(a->t[l - 1], in), a->d_t, true, d_w);
        transpose(in, out, w, a->transposed);
        kernel->dense(in, in, out, congru_shared(a->product, out), a->transposed, false, a->next_d_k);
        kernel->dense(d, in, out, congru_shared(a->d_t, out), a->transposed, false, a->next_d_t);
        swap = a->d_k, a->d_k = a->next_d_k, a->next_d_k = swap;
        swap = a->d_t, a->d_t = a->next_d_t, a->next_d_t = swap;
    }
    memcpy(congru_training_gradient(t, 0), a->d_t, d * t->width[1] * sizeof(double));
}

static const congru_stack affine_stack = {prepare, forward, backward, finish};

static congru_status evaluate(congru_training *t)
{
    return congru_stack_evaluate(t, &affine_stack);
}

const congru_step_model congru_affine_model = {plan, layout, congru_stack_start, evaluate};
