/* W^T C W with one W for all, and its adjoint. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "spd/spectral.h"

typedef struct congruence_job {
    size_t d_in, d_out;
    const double *c, *w;
    double epsilon;
    double *out;
    const double *d_y;
    double *d_c;
    double *d_w_parts; /* (chunks, d_in, d_out): the sum over each chunk */
} congruence_job;

typedef struct congruence_work {
    double *c, *d_c, *y, *between, *product, *plain, *check;
} congruence_work;

static void congruence_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors,
                              const congruence_job *job, congruence_work *w)
{
    w->c = congru_take_lanes(arena, kernel, vectors, job->d_in * job->d_in);
    w->d_c = congru_take_lanes(arena, kernel, vectors, job->d_in * job->d_in);
    w->y = congru_take_lanes(arena, kernel, vectors, job->d_out * job->d_out);
    w->between = congru_take_lanes(arena, kernel, vectors, job->d_in * job->d_out);
    w->product = congru_take_lanes(arena, kernel, vectors, job->d_in * job->d_out);
    w->plain = congru_take_lanes(arena, kernel, vectors, job->d_in * job->d_out);
    w->check = congru_take_lanes(arena, kernel, vectors, 2);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t congruence_scratch(const congru_context *context, const congruence_job *job)
{
    congru_arena measure = {0};
    size_t vectors = congru_chunk_vectors(context, larger(job->d_in, job->d_out));
    congruence_layout(&measure, context->kernel, vectors, job, &(congruence_work){0});
    return measure.used;
}

static bool all_finite(size_t count, const double *x)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i]))
            return false;
    }
    return true;
}

static congru_status congruence_check(congru_context *context, size_t n, size_t d_in, size_t d_out,
                                      const double *c, const double *w)
{
    CONGRU_TRY(congru_check_shape(context, n, d_in));
    CONGRU_TRY(congru_check_shape(context, n, d_out));
    CONGRU_TRY(congru_check_argument(context, c != NULL && w != NULL, "no matrices or no W was given"));
    if (!all_finite(d_in * d_out, w))
        CONGRU_TRY(congru_fail(context, CONGRU_ERROR_NOT_FINITE, "W holds a number that is not finite"));
    return CONGRU_OK;
}

static congru_failure forward_task(void *user, const congru_chunk *chunk)
{
    const congruence_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    const size_t d_in = job->d_in, d_out = job->d_out;
    congruence_work w;
    congruence_layout(chunk->arena, kernel, chunk->vectors, job, &w);
    congru_failure failure = congru_load_symmetric(chunk, d_in, job->c, false, w.c, w.check);
    if (failure.status != CONGRU_OK)
        return failure;
    congru_spectral_congruence(kernel, chunk->vectors, d_in, d_out, w.c, congru_shared(job->w, d_out), w.y,
                               w.between);
    kernel->add_diagonal(chunk->vectors, d_out, job->epsilon, w.y);
    kernel->unpack(chunk->vectors, chunk->count, d_out, d_out, w.y, job->out + chunk->first * d_out * d_out);
    return congru_check_finite(chunk, d_out * d_out, w.y);
}

congru_status congru_spd_congruence_forward(congru_context *context, size_t n, size_t d_in, size_t d_out,
                                            const double *c, const double *w, double epsilon, double *out)
{
    CONGRU_TRY(congruence_check(context, n, d_in, d_out, c, w));
    CONGRU_TRY(congru_check_argument(context, out != NULL && isfinite(epsilon),
                                     "no output, or an epsilon that is not finite"));
    congruence_job job = {.d_in = d_in, .d_out = d_out, .c = c, .w = w, .epsilon = epsilon, .out = out};
    return congru_batch_run(context, n, larger(d_in, d_out), congruence_scratch(context, &job), forward_task,
                            &job);
}

congru_status congru_spd_congruence(congru_context *context, size_t n, size_t d_in, size_t d_out,
                                    const double *c, const double *w, double *out)
{
    return congru_spd_congruence_forward(context, n, d_in, d_out, c, w, 0.0, out);
}

/* dC += W dY W^T */
static void add_d_c(const congruence_job *job, const congru_chunk *chunk, const congruence_work *w)
{
    const congru_kernel *kernel = chunk->kernel;
    const size_t d_in = job->d_in, d_out = job->d_out, size = d_in * d_in;
    double *d_c = job->d_c + chunk->first * size;
    kernel->product(chunk->vectors, d_in, d_out, d_out, congru_shared(job->w, d_out),
                    congru_per_lane(w->y, d_out), CONGRU_PRODUCT_SET, w->product);
    kernel->product(chunk->vectors, d_in, d_in, d_out, congru_per_lane(w->product, d_out),
                    congru_shared_transposed(job->w, d_out), CONGRU_PRODUCT_SYMMETRIC, w->d_c);
    kernel->pack(chunk->vectors, chunk->count, d_in, d_in, d_c, w->c);
    kernel->combine(congru_lane_doubles(kernel, chunk->vectors, size), 1.0, w->d_c, 1.0, w->c);
    kernel->unpack(chunk->vectors, chunk->count, d_in, d_in, w->c, d_c);
}

/* dW += 2 C W dY, summed over the chunk in the order of the matrices. */
static void sum_d_w(const congruence_job *job, const congru_chunk *chunk, const congruence_work *w)
{
    const congru_kernel *kernel = chunk->kernel;
    const size_t d_in = job->d_in, d_out = job->d_out, size = d_in * d_out;
    kernel->product(chunk->vectors, d_in, d_out, d_in, congru_per_lane(w->c, d_in),
                    congru_shared(job->w, d_out), CONGRU_PRODUCT_SET, w->between);
    kernel->product(chunk->vectors, d_in, d_out, d_out, congru_per_lane(w->between, d_out),
                    congru_per_lane(w->y, d_out), CONGRU_PRODUCT_SET, w->product);
    kernel->unpack(chunk->vectors, chunk->count, d_in, d_out, w->product, w->plain);
    double *part = job->d_w_parts + chunk->block * size;
    memset(part, 0, size * sizeof(double));
    for (size_t m = 0; m < chunk->count; m++) {
        for (size_t e = 0; e < size; e++)
            part[e] += 2.0 * w->plain[m * size + e];
    }
}

static congru_failure backward_task(void *user, const congru_chunk *chunk)
{
    const congruence_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    congruence_work w;
    congruence_layout(chunk->arena, kernel, chunk->vectors, job, &w);
    congru_failure failure = congru_load_symmetric(chunk, job->d_in, job->c, false, w.c, w.check);
    if (failure.status != CONGRU_OK)
        return failure;
    kernel->pack(chunk->vectors, chunk->count, job->d_out, job->d_out,
                 job->d_y + chunk->first * job->d_out * job->d_out, w.y);
    kernel->symmetrise(chunk->vectors, job->d_out, w.y, w.check, w.check + chunk->vectors * kernel->width);
    if (job->d_w_parts != NULL)
        sum_d_w(job, chunk, &w);
    if (job->d_c != NULL)
        add_d_c(job, chunk, &w);
    return congru_no_failure;
}

congru_status congru_spd_congruence_backward(congru_context *context, size_t n, size_t d_in, size_t d_out,
                                             const double *c, const double *w, const double *d_y, double *d_c,
                                             double *d_w)
{
    CONGRU_TRY(congruence_check(context, n, d_in, d_out, c, w));
    CONGRU_TRY(congru_check_argument(context, d_y != NULL, "no derivative of the output was given"));
    congruence_job job = {.d_in = d_in, .d_out = d_out, .c = c, .w = w, .d_y = d_y, .d_c = d_c};
    const size_t dimension = larger(d_in, d_out), chunks = congru_chunk_count(n, dimension),
                 size = d_in * d_out;
    if (d_w != NULL) {
        if (congru_arena_reserve(&context->shared, chunks * size * sizeof(double)) != CONGRU_OK)
            return congru_fail(context, CONGRU_ERROR_MEMORY,
                               "no memory for the derivative of W over %zu matrices", n);
        job.d_w_parts = congru_arena_take(&context->shared, chunks * size, sizeof(double));
    }
    congru_status status =
        congru_batch_run(context, n, dimension, congruence_scratch(context, &job), backward_task, &job);
    if (status == CONGRU_OK)
        status = congru_workspace_check(context, &context->shared);
    if (status != CONGRU_OK || d_w == NULL)
        return status;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        for (size_t e = 0; e < size; e++)
            d_w[e] += job.d_w_parts[chunk * size + e];
    }
    return CONGRU_OK;
}
