/* Points along geodesics. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "spd/spectral.h"

typedef struct geodesic_job {
    congru_metric metric;
    size_t d;
    const double *a, *b;
    bool one_b;
    double t;
    double *out;
} geodesic_job;

typedef struct geodesic_work {
    congru_spectral_work spectral;
    double *a, *b, *z, *values, *root, *inverse_root;
} geodesic_work;

static void geodesic_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                            geodesic_work *w)
{
    congru_spectral_layout(arena, kernel, vectors, d, &w->spectral);
    w->a = congru_take_lanes(arena, kernel, vectors, d * d);
    w->b = congru_take_lanes(arena, kernel, vectors, d * d);
    w->z = congru_take_lanes(arena, kernel, vectors, d * d);
    w->values = congru_take_lanes(arena, kernel, vectors, d);
    w->root = congru_take_lanes(arena, kernel, vectors, d * d);
    w->inverse_root = congru_take_lanes(arena, kernel, vectors, d * d);
}

static congru_failure decompose_positive(const congru_chunk *chunk, size_t d, const double *x,
                                         const geodesic_work *w)
{
    congru_failure failure = congru_spectral_decompose(chunk, d, x, w->values, w->z, &w->spectral);
    return failure.status == CONGRU_OK ? congru_check_positive(chunk, d, w->values) : failure;
}

static void apply(const congru_chunk *chunk, size_t d, congru_function function, double *out,
                  const geodesic_work *w)
{
    congru_spectral_forward(chunk->kernel, chunk->vectors, d, function, w->values, w->z, out, &w->spectral);
}

/* b = a^1/2 (a^-1/2 b a^-1/2)^t a^1/2 */
static congru_failure riemann_point(const congru_chunk *chunk, size_t d, double t, const geodesic_work *w)
{
    const congru_kernel *kernel = chunk->kernel;
    congru_failure failure = decompose_positive(chunk, d, w->a, w);
    if (failure.status != CONGRU_OK)
        return failure;
    apply(chunk, d, (congru_function){CONGRU_FUNCTION_SQRT, 0, 0}, w->root, w);
    apply(chunk, d, (congru_function){CONGRU_FUNCTION_INVSQRT, 0, 0}, w->inverse_root, w);
    congru_spectral_congruence(kernel, chunk->vectors, d, d, w->b, congru_per_lane(w->inverse_root, d), w->a,
                               w->spectral.first);
    failure = congru_spectral_decompose(chunk, d, w->a, w->values, w->z, &w->spectral);
    if (failure.status == CONGRU_OK)
        failure = congru_check_relative(chunk, d, w->values);
    if (failure.status != CONGRU_OK)
        return failure;
    apply(chunk, d, (congru_function){CONGRU_FUNCTION_POWER, t, 0}, w->a, w);
    congru_spectral_congruence(kernel, chunk->vectors, d, d, w->a, congru_per_lane(w->root, d), w->b,
                               w->spectral.first);
    return congru_no_failure;
}

/* b = exp((1 - t) log a + t log b) */
static congru_failure logeuclid_point(const congru_chunk *chunk, size_t d, double t, const geodesic_work *w)
{
    const congru_function log = {CONGRU_FUNCTION_LOG, 0, 0};
    congru_failure failure = decompose_positive(chunk, d, w->a, w);
    if (failure.status != CONGRU_OK)
        return failure;
    apply(chunk, d, log, w->a, w);
    failure = decompose_positive(chunk, d, w->b, w);
    if (failure.status != CONGRU_OK)
        return failure;
    apply(chunk, d, log, w->b, w);
    chunk->kernel->combine(congru_lane_doubles(chunk->kernel, chunk->vectors, d * d), 1.0 - t, w->a, t, w->b);
    failure = congru_spectral_decompose(chunk, d, w->b, w->values, w->z, &w->spectral);
    if (failure.status != CONGRU_OK)
        return failure;
    apply(chunk, d, (congru_function){CONGRU_FUNCTION_EXP, 1, 0}, w->b, w);
    return congru_no_failure;
}

static congru_failure geodesic_task(void *user, const congru_chunk *chunk)
{
    const geodesic_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    const size_t d = job->d;
    geodesic_work w;
    geodesic_layout(chunk->arena, kernel, chunk->vectors, d, &w);
    congru_failure failure = congru_load_symmetric(chunk, d, job->a, false, w.a, w.spectral.check);
    if (failure.status == CONGRU_OK)
        failure = congru_load_symmetric(chunk, d, job->b, job->one_b, w.b, w.spectral.check);
    if (failure.status != CONGRU_OK)
        return failure;
    if (job->metric == CONGRU_METRIC_RIEMANN)
        failure = riemann_point(chunk, d, job->t, &w);
    else if (job->metric == CONGRU_METRIC_LOGEUCLID)
        failure = logeuclid_point(chunk, d, job->t, &w);
    else
        kernel->combine(congru_lane_doubles(kernel, chunk->vectors, d * d), 1.0 - job->t, w.a, job->t, w.b);
    if (failure.status != CONGRU_OK)
        return failure;
    kernel->unpack(chunk->vectors, chunk->count, d, d, w.b, job->out + chunk->first * d * d);
    return congru_check_finite(chunk, d * d, w.b);
}

congru_status congru_spd_geodesic(congru_context *context, congru_metric metric, size_t n, size_t d,
                                  const double *a, size_t n_b, const double *b, double t, double *out)
{
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, a != NULL && b != NULL && out != NULL,
                                     "no input or no output was given"));
    CONGRU_TRY(congru_check_argument(context, n_b == n || n_b == 1,
                                     "the second set must hold as many matrices as the first, or one"));
    CONGRU_TRY(congru_check_argument(
        context, isfinite(t) && metric >= CONGRU_METRIC_RIEMANN && metric <= CONGRU_METRIC_EUCLID,
        "the fraction is not a finite number, or the metric not one of congru_metric"));
    geodesic_job job = {metric, d, a, b, n_b == 1 && n > 1, t, out};
    congru_arena measure = {0};
    geodesic_layout(&measure, context->kernel, congru_chunk_vectors(context, d), d, &(geodesic_work){0});
    return congru_batch_run(context, n, d, measure.used, geodesic_task, &job);
}
