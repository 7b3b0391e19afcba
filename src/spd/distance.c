/* Distances between matrices. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "spd/spectral.h"

/* A sum of squares below it has lost bits of small ones. */
static const double LEAST_SQUARE = 1e-280;

/* Every a of a chunk against one or more b. */
typedef struct distance_job {
    congru_metric metric;
    size_t d;
    const double *a; /* plain; logarithms already for the log-Euclidean metric */
    size_t n_b;      /* how many b each a is measured against */
    bool matched;    /* each a[i] against b[i] alone instead */
    bool among;      /* b is a: each pair is measured once, and a matrix is at 0 from itself */
    const double *b; /* as a; for the affine-invariant metric of unmatched b, their Cholesky factors */
    double *out;     /* (n, n_b), or (n) when matched */
} distance_job;

typedef struct distance_work {
    congru_spectral_work spectral;
    double *a, *b, *x, *values, *sum;
} distance_work;

static void distance_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                            distance_work *w)
{
    congru_spectral_layout(arena, kernel, vectors, d, &w->spectral);
    w->a = congru_take_lanes(arena, kernel, vectors, d * d);
    w->b = congru_take_lanes(arena, kernel, vectors, d * d);
    w->x = congru_take_lanes(arena, kernel, vectors, d * d);
    w->values = congru_take_lanes(arena, kernel, vectors, d);
    w->sum = congru_take_lanes(arena, kernel, vectors, 1);
}

static void transpose_lanes(const congru_kernel *kernel, size_t vectors, size_t d, const double *from,
                            double *to)
{
    const size_t width = kernel->width;
    for (size_t v = 0; v < vectors; v++, from += d * d * width, to += d * d * width) {
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++) {
                const double *restrict entry = from + (i * d + j) * width;
                double *restrict place = to + (j * d + i) * width;
                for (size_t k = 0; k < width; k++) /* shorter than a call of memcpy */
                    place[k] = entry[k];
            }
        }
    }
}

/* The squared affine-invariant distances of a and b = L L^T: the squared logarithms of the eigenvalues of
 * L^-1 A L^-T. */
static congru_failure riemann_squares(const congru_chunk *chunk, size_t d, congru_operand l,
                                      const distance_work *w)
{
    const congru_kernel *kernel = chunk->kernel;
    const size_t vectors = chunk->vectors;
    memcpy(w->x, w->a, congru_lane_doubles(kernel, vectors, d * d) * sizeof(double));
    kernel->solve_lower(vectors, d, d, l, w->x);
    transpose_lanes(kernel, vectors, d, w->x, w->spectral.second);
    kernel->solve_lower(vectors, d, d, l, w->spectral.second);
    if (!kernel->eigen(vectors, d, w->spectral.second, w->values, NULL, w->spectral.eigen))
        return (congru_failure){CONGRU_ERROR_NOT_CONVERGED, chunk->first, 0, 0};
    congru_failure failure = congru_check_relative(chunk, d, w->values);
    if (failure.status != CONGRU_OK)
        return failure;
    kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0, 0}, congru_lane_doubles(kernel, vectors, d),
                w->values, w->values);
    kernel->sum_squares(vectors, d, w->values, w->sum);
    return congru_no_failure;
}

/* The squared Frobenius distances of a and b, both in lanes. */
static void flat_squares(const congru_chunk *chunk, size_t d, const distance_work *w)
{
    const congru_kernel *kernel = chunk->kernel;
    kernel->combine(congru_lane_doubles(kernel, chunk->vectors, d * d), 1.0, w->a, -1.0, w->b);
    kernel->sum_squares(chunk->vectors, d * d, w->b, w->sum);
}

/* The root of matrix m's sum of squares. Of differences whose squares leave the range of doubles it is taken anew, relative to
 * the largest of them. */
static double distance_of(const distance_job *job, const congru_chunk *chunk, const distance_work *w, size_t m)
{
    const size_t width = chunk->kernel->width, size = job->d * job->d;
    const double *difference = w->b + m / width * size * width + m % width;
    double largest = 0.0, sum = 0.0;
    if (job->metric == CONGRU_METRIC_RIEMANN || (w->sum[m] >= LEAST_SQUARE && w->sum[m] <= DBL_MAX))
        return sqrt(w->sum[m]);
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs(difference[i * width]));
    for (size_t i = 0; i < size && largest > 0.0; i++)
        sum += difference[i * width] / largest * (difference[i * width] / largest);
    return largest * sqrt(sum);
}

/* Why b of the chunk has no Cholesky factor at matrix `index`. */
static congru_failure not_positive(const distance_job *job, const congru_chunk *chunk, size_t index,
                                   const distance_work *w)
{
    congru_load_symmetric(chunk, job->d, job->b, false, w->b, w->spectral.check);
    congru_failure failure = congru_spectral_decompose(chunk, job->d, w->b, w->values, NULL, &w->spectral);
    if (failure.status == CONGRU_OK)
        failure = congru_check_positive(chunk, job->d, w->values);
    return failure.status != CONGRU_OK ? failure : (congru_failure){CONGRU_ERROR_NOT_POSITIVE, index, 0, 0};
}

static congru_failure matched_task(void *user, const congru_chunk *chunk)
{
    const distance_job *job = user;
    const size_t d = job->d;
    distance_work w;
    distance_layout(chunk->arena, chunk->kernel, chunk->vectors, d, &w);
    congru_failure failure = congru_load_symmetric(chunk, d, job->a, false, w.a, w.spectral.check);
    if (failure.status == CONGRU_OK)
        failure = congru_load_symmetric(chunk, d, job->b, false, w.b, w.spectral.check);
    if (failure.status != CONGRU_OK)
        return failure;
    if (job->metric == CONGRU_METRIC_RIEMANN) {
        chunk->kernel->cholesky(chunk->vectors, d, w.b);
        failure = congru_check_finite(chunk, d * d, w.b);
        if (failure.status != CONGRU_OK)
            return not_positive(job, chunk, failure.index, &w);
        failure = riemann_squares(chunk, d, congru_per_lane(w.b, d), &w);
    } else {
        flat_squares(chunk, d, &w);
    }
    for (size_t m = 0; m < chunk->count && failure.status == CONGRU_OK; m++)
        job->out[chunk->first + m] = distance_of(job, chunk, &w, m);
    return failure;
}

/* Column b of the distances of a chunk. Among the matrices of one batch a chunk has the pairs whose first it holds, so every
 * entry is written once. */
static void store_column(const distance_job *job, const congru_chunk *chunk, size_t b, const distance_work *w)
{
    for (size_t m = 0; m < chunk->count; m++) {
        const size_t i = chunk->first + m;
        if (!job->among)
            job->out[i * job->n_b + b] = distance_of(job, chunk, w, m);
        else if (i < b)
            job->out[i * job->n_b + b] = job->out[b * job->n_b + i] = distance_of(job, chunk, w, m);
        else if (i == b)
            job->out[i * job->n_b + b] = 0.0;
    }
}

static congru_failure pairwise_task(void *user, const congru_chunk *chunk)
{
    const distance_job *job = user;
    const size_t d = job->d;
    distance_work w;
    distance_layout(chunk->arena, chunk->kernel, chunk->vectors, d, &w);
    congru_failure failure = congru_load_symmetric(chunk, d, job->a, false, w.a, w.spectral.check);
    for (size_t b = job->among ? chunk->first : 0; b < job->n_b && failure.status == CONGRU_OK; b++) {
        const double *other = job->b + b * d * d;
        if (job->metric == CONGRU_METRIC_RIEMANN) {
            failure = riemann_squares(chunk, d, congru_shared(other, d), &w);
        } else {
            failure = congru_load_symmetric(chunk, d, other, true, w.b, w.spectral.check);
            flat_squares(chunk, d, &w);
        }
        store_column(job, chunk, b, &w);
    }
    return failure;
}

typedef struct factor_job {
    size_t d;
    const double *in;
    double *out;
} factor_job;

/* Plain Cholesky factors of plain matrices. */
static congru_failure factor_task(void *user, const congru_chunk *chunk)
{
    const factor_job *job = user;
    const size_t d = job->d;
    distance_work w;
    distance_layout(chunk->arena, chunk->kernel, chunk->vectors, d, &w);
    congru_failure failure = congru_load_symmetric(chunk, d, job->in, false, w.a, w.spectral.check);
    if (failure.status == CONGRU_OK)
        failure = congru_spectral_decompose(chunk, d, w.a, w.values, NULL, &w.spectral);
    if (failure.status == CONGRU_OK)
        failure = congru_check_positive(chunk, d, w.values);
    if (failure.status != CONGRU_OK)
        return failure;
    chunk->kernel->cholesky(chunk->vectors, d, w.a);
    chunk->kernel->unpack(chunk->vectors, chunk->count, d, d, w.a, job->out + chunk->first * d * d);
    failure = congru_check_finite(chunk, d * d, w.a);
    return failure.status == CONGRU_OK ? failure
                                       : (congru_failure){CONGRU_ERROR_NOT_POSITIVE, failure.index, 0, 0};
}

static size_t distance_scratch(const congru_context *context, size_t d)
{
    congru_arena measure = {0};
    distance_layout(&measure, context->kernel, congru_chunk_vectors(context, d), d, &(distance_work){0});
    return measure.used;
}

static congru_status distance_check(congru_context *context, congru_metric metric, size_t n, size_t d,
                                    const double *a, const double *b, const double *out)
{
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, a != NULL && b != NULL && out != NULL,
                                     "no input or no output was given"));
    if ((metric < CONGRU_METRIC_RIEMANN || metric > CONGRU_METRIC_EUCLID))
        CONGRU_TRY(
            congru_fail(context, CONGRU_ERROR_ARGUMENT, "metric %d is not one of congru_metric", (int)metric));
    return CONGRU_OK;
}

/* Replaces a and b of the job by what the metric compares: logarithms of both, or factors of unmatched b. */
static congru_status distance_prepare(congru_context *context, distance_job *job, size_t n)
{
    if (job->metric == CONGRU_METRIC_EUCLID || (job->metric == CONGRU_METRIC_RIEMANN && job->matched))
        return CONGRU_OK;
    const size_t size = job->d * job->d, n_b = job->matched ? n : job->n_b;
    const size_t count_a = job->metric == CONGRU_METRIC_LOGEUCLID ? n * size : 0;
    congru_arena measure = {0};
    congru_arena_take(&measure, count_a, sizeof(double));
    congru_arena_take(&measure, n_b * size, sizeof(double));
    if (congru_arena_reserve(&context->shared, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for distances between %zu and %zu matrices",
                           n, n_b);
    double *logs_a = congru_arena_take(&context->shared, count_a, sizeof(double));
    double *other = congru_arena_take(&context->shared, n_b * size, sizeof(double));
    congru_status status = congru_workspace_check(context, &context->shared);
    if (status != CONGRU_OK)
        return status;
    if (job->metric == CONGRU_METRIC_LOGEUCLID) {
        status = congru_spd_log(context, n, job->d, job->a, logs_a);
        job->a = logs_a;
        if (status == CONGRU_OK)
            status = congru_spd_log(context, n_b, job->d, job->b, other);
    } else {
        factor_job factor = {job->d, job->b, other};
        status =
            congru_batch_run(context, n_b, job->d, distance_scratch(context, job->d), factor_task, &factor);
    }
    job->b = other;
    return status;
}

static congru_status distance_run(congru_context *context, distance_job *job, size_t n)
{
    CONGRU_TRY(distance_prepare(context, job, n));
    return congru_batch_run(context, n, job->d, distance_scratch(context, job->d),
                            job->matched ? matched_task : pairwise_task, job);
}

congru_status congru_spd_distance(congru_context *context, congru_metric metric, size_t n, size_t d,
                                  const double *a, size_t n_b, const double *b, double *out)
{
    CONGRU_TRY(distance_check(context, metric, n, d, a, b, out));
    CONGRU_TRY(congru_check_argument(context, n_b == n || n_b == 1,
                                     "the second set must hold as many matrices as the first, or one"));
    distance_job job = {metric, d, a, 1, n_b == n && n > 1, false, b, out};
    return distance_run(context, &job, n);
}

congru_status congru_spd_distance_pairwise(congru_context *context, congru_metric metric, size_t d, size_t n_a,
                                           const double *a, size_t n_b, const double *b, double *out)
{
    CONGRU_TRY(distance_check(context, metric, n_a, d, a, b, out));
    CONGRU_TRY(congru_check_shape(context, n_b, d));
    distance_job job = {metric, d, a, n_b, false, a == b && n_a == n_b, b, out};
    return distance_run(context, &job, n_a);
}
