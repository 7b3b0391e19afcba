/* Logarithm and exponential maps at a base point, and tangent vectors. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>

#include "base/workspace.h"
#include "spd/view_load.h"

/* All four maps are one: a congruence into the tangent space at the identity, log or exp there, and a congruence
 * back out of it; what differs is which congruences take part and whether a side is a vector. */
typedef struct map_job {
    size_t d;
    congru_function_kind function; /* LOG or EXP */
    const double *before, *after;  /* plain (d, d) symmetric, or NULL for none */
    bool from_vector, to_vector;
    congru_view in; /* of plain vectors where from_vector */
    double *out;
} map_job;

size_t congru_spd_tangent_size(size_t d)
{
    return d * (d + 1) / 2;
}

static const double root_two = 0x1.6a09e667f3bcdp+0;
static const double root_half = 0x1.6a09e667f3bcdp-1;

static void matrix_from_vector(size_t d, const double *vector, double *matrix)
{
    for (size_t i = 0; i < d; i++) {
        matrix[i * d + i] = *vector++;
        for (size_t j = i + 1; j < d; j++)
            matrix[i * d + j] = matrix[j * d + i] = root_half * *vector++;
    }
}

static void vector_from_matrix(size_t d, const double *matrix, double *vector)
{
    for (size_t i = 0; i < d; i++) {
        *vector++ = matrix[i * d + i];
        for (size_t j = i + 1; j < d; j++)
            *vector++ = root_two * matrix[i * d + j];
    }
}

static congru_failure map_load(const map_job *job, const congru_chunk *chunk, const congru_map_work *w)
{
    const size_t d = job->d, length = congru_spd_tangent_size(d);
    if (!job->from_vector) {
        const congru_view_work reading = {w->plain, w->z, w->b, w->spectral.first, w->spectral.check};
        return congru_view_load(chunk, d, &job->in, w->a, &reading);
    }
    for (size_t m = 0; m < chunk->count; m++)
        matrix_from_vector(d, job->in.plain + (chunk->first + m) * length, w->plain + m * d * d);
    congru_chunk local = *chunk;
    local.first = 0;
    congru_failure failure = congru_load_symmetric(&local, d, w->plain, false, w->a, w->spectral.check);
    failure.index += chunk->first;
    return failure;
}

static void map_store(const map_job *job, const congru_chunk *chunk, const double *result,
                      const congru_map_work *w)
{
    const size_t d = job->d, length = congru_spd_tangent_size(d);
    if (!job->to_vector) {
        chunk->kernel->unpack(chunk->vectors, chunk->count, d, d, result, job->out + chunk->first * d * d);
        return;
    }
    chunk->kernel->unpack(chunk->vectors, chunk->count, d, d, result, w->plain);
    for (size_t m = 0; m < chunk->count; m++)
        vector_from_matrix(d, w->plain + m * d * d, job->out + (chunk->first + m) * length);
}

static congru_failure map_task(void *user, const congru_chunk *chunk)
{
    const map_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    const size_t d = job->d, vectors = chunk->vectors;
    congru_map_work w;
    congru_map_layout(chunk->arena, kernel, vectors, d, &w);
    congru_failure failure = map_load(job, chunk, &w);
    if (failure.status != CONGRU_OK)
        return failure;
    double *from = w.a, *to = w.b;
    if (job->before != NULL) {
        congru_spectral_congruence(kernel, vectors, d, d, w.a, congru_shared(job->before, d), w.b,
                                   w.spectral.first);
        from = w.b;
        to = w.a;
    }
    failure = congru_spectral_decompose(chunk, d, from, w.values, w.z, &w.spectral);
    if (failure.status == CONGRU_OK && job->function == CONGRU_FUNCTION_LOG)
        failure = job->before != NULL ? congru_check_relative(chunk, d, w.values)
                                      : congru_check_positive(chunk, d, w.values);
    if (failure.status != CONGRU_OK)
        return failure;
    congru_function function = {job->function, job->function == CONGRU_FUNCTION_EXP ? 1.0 : 0.0, 0};
    congru_spectral_forward(kernel, vectors, d, function, w.values, w.z, to, &w.spectral);
    if (job->after != NULL) {
        congru_spectral_congruence(kernel, vectors, d, d, to, congru_shared(job->after, d), from,
                                   w.spectral.first);
        to = from;
    }
    map_store(job, chunk, to, &w);
    return congru_check_finite(chunk, d * d, to);
}

/* base^1/2 and base^-1/2, in the context's shared arena; both NULL for a NULL base. */
static congru_status take_roots(congru_context *context, size_t d, const double *base, double *roots[2])
{
    roots[0] = roots[1] = NULL;
    if (base == NULL)
        return CONGRU_OK;
    congru_arena measure = {0};
    for (int k = 0; k < 2; k++)
        congru_arena_take(&measure, d * d, sizeof(double));
    if (congru_arena_reserve(&context->shared, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the roots of the base point");
    for (int k = 0; k < 2; k++)
        roots[k] = congru_arena_take(&context->shared, d * d, sizeof(double));
    congru_status status = congru_workspace_check(context, &context->shared);
    if (status == CONGRU_OK)
        status = congru_spd_sqrt(context, 1, d, base, roots[0]);
    if (status == CONGRU_OK)
        status = congru_spd_invsqrt(context, 1, d, base, roots[1]);
    if (status != CONGRU_OK) {
        char reason[sizeof context->error];
        for (size_t i = 0; i < sizeof reason; i++)
            reason[i] = context->error[i];
        return congru_fail(context, status, "the base point: %.900s", reason);
    }
    return CONGRU_OK;
}

/* Runs the job with base^-1/2 before and base^1/2 after the function, where wanted and where there is a base. */
static congru_status map_at(congru_context *context, size_t n, const double *base, bool before, bool after,
                            map_job job)
{
    double *roots[2];
    CONGRU_TRY(congru_check_shape(context, n, job.d));
    CONGRU_TRY(congru_check_argument(context, job.in.plain != NULL && job.out != NULL,
                                     "no input or no output was given"));
    CONGRU_TRY(take_roots(context, job.d, base, roots));
    job.after = after ? roots[0] : NULL;
    job.before = before ? roots[1] : NULL;
    congru_arena measure = {0};
    congru_map_layout(&measure, context->kernel, congru_chunk_vectors(context, job.d), job.d,
                      &(congru_map_work){0});
    return congru_batch_run(context, n, job.d, measure.used, map_task, &job);
}

congru_status congru_spd_log_map(congru_context *context, size_t n, size_t d, const double *base,
                                 const double *c, double *out)
{
    CONGRU_TRY(congru_check_argument(context, base != NULL, "no base point was given"));
    map_job job = {.d = d, .function = CONGRU_FUNCTION_LOG, .in = {.plain = c}, .out = out};
    return map_at(context, n, base, true, true, job);
}

congru_status congru_spd_exp_map(congru_context *context, size_t n, size_t d, const double *base,
                                 const double *z, double *out)
{
    CONGRU_TRY(congru_check_argument(context, base != NULL, "no base point was given"));
    map_job job = {.d = d, .function = CONGRU_FUNCTION_EXP, .in = {.plain = z}, .out = out};
    return map_at(context, n, base, true, true, job);
}

congru_status congru_view_tangent(congru_context *context, size_t n, size_t d, const double *base,
                                  const congru_view *view, double *out)
{
    map_job job = {.d = d, .function = CONGRU_FUNCTION_LOG, .to_vector = true, .in = *view, .out = out};
    return map_at(context, n, base, true, false, job);
}

congru_status congru_spd_tangent(congru_context *context, size_t n, size_t d, const double *base,
                                 const double *c, double *out)
{
    return congru_view_tangent(context, n, d, base, &(congru_view){.plain = c}, out);
}

congru_status congru_spd_untangent(congru_context *context, size_t n, size_t d, const double *base,
                                   const double *vectors, double *out)
{
    map_job job = {
        .d = d, .function = CONGRU_FUNCTION_EXP, .from_vector = true, .in = {.plain = vectors}, .out = out};
    return map_at(context, n, base, false, true, job);
}
