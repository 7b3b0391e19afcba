/* Silhouettes: are points nearer to their own kind than to any other? SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/workspace.h"
#include "congru/statistics.h"
#include "statistics/neighbours.h"

enum { BLOCK_POINTS = 16 };

typedef struct silhouette_job {
    congru_context *context;
    congru_neighbours neighbours;
    size_t kinds;
    size_t *kind;   // (n) which of the kinds a point is
    size_t *member; // (kinds) how many there are
    double *sample; // (n)
} silhouette_job;

/* ---- Kinds --------------------------------------------------------------------------------------------- */

static int by_value(const void *first, const void *second)
{
    int32_t a = *(const int32_t *)first, b = *(const int32_t *)second;
    return (a > b) - (a < b);
}

/* Labels may be any numbers: kinds are their ranks among the distinct ones. `sorted` (n) is scratch. */
static void find_kinds(silhouette_job *job, const int32_t *label, int32_t *sorted)
{
    const size_t n = job->neighbours.n;
    for (size_t i = 0; i < n; i++)
        sorted[i] = label[i];
    qsort(sorted, n, sizeof *sorted, by_value);
    job->kinds = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[job->kinds++] = sorted[i];
    for (size_t k = 0; k < job->kinds; k++)
        job->member[k] = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t *found = bsearch(&label[i], sorted, job->kinds, sizeof *sorted, by_value);
        job->kind[i] = (size_t)(found - sorted);
        job->member[job->kind[i]]++;
    }
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static double sample(const silhouette_job *job, size_t i, double *square, double *sum)
{
    const size_t own = job->kind[i];
    if (job->member[own] == 1)
        return 0.0;
    for (size_t k = 0; k < job->kinds; k++)
        sum[k] = 0.0;
    congru_neighbours_measure(&job->neighbours, i, square);
    for (size_t j = 0; j < job->neighbours.n; j++)
        sum[job->kind[j]] += sqrt(square[j]);
    double inside = sum[own] / (double)(job->member[own] - 1), outside = INFINITY;
    for (size_t k = 0; k < job->kinds; k++)
        if (k != own)
            outside = fmin(outside, sum[k] / (double)job->member[k]);
    double larger = fmax(inside, outside);
    return larger > 0.0 ? (outside - inside) / larger : 0.0;
}

static void run_block(void *user, size_t block, int worker)
{
    silhouette_job *job = user;
    congru_arena *arena = &job->context->scratch[worker];
    congru_arena_reset(arena);
    double *square = congru_arena_take(arena, job->neighbours.stride, sizeof *square);
    double *sum = congru_arena_take(arena, job->neighbours.n, sizeof *sum);
    for (size_t i = block * BLOCK_POINTS; i < (block + 1) * BLOCK_POINTS && i < job->neighbours.n; i++)
        job->sample[i] = sample(job, i, square, sum);
}

static void silhouette_layout(congru_arena *arena, silhouette_job *job, int32_t **sorted)
{
    const congru_neighbours *at = &job->neighbours;
    job->neighbours.coordinate = congru_arena_take(arena, at->d * at->stride, sizeof(double));
    job->kind = congru_arena_take(arena, at->n, sizeof *job->kind);
    job->member = congru_arena_take(arena, at->n, sizeof *job->member);
    job->sample = congru_arena_take(arena, at->n, sizeof *job->sample);
    *sorted = congru_arena_take(arena, at->n, sizeof **sorted);
}

static congru_status reserve(silhouette_job *job, int32_t **sorted)
{
    congru_context *context = job->context;
    congru_arena measure = {0}, scratch = {0};
    silhouette_layout(&measure, job, sorted);
    congru_arena_take(&scratch, job->neighbours.stride, sizeof(double));
    congru_arena_take(&scratch, job->neighbours.n, sizeof(double));
    congru_status status = congru_arena_reserve(&context->shared, measure.used);
    if (status == CONGRU_OK)
        status = congru_scratch_reserve(context, scratch.used);
    if (status != CONGRU_OK)
        return congru_fail(context, status, "not enough memory for %zu points of %zu numbers",
                           job->neighbours.n, job->neighbours.d);
    silhouette_layout(&context->shared, job, sorted);
    return congru_workspace_check(context, &context->shared);
}

congru_status congru_silhouette(congru_context *context, size_t n, size_t d, const double *points,
                                const int32_t *label, double *samples, double *mean)
{
    if (context == NULL || n < 2 || d < 1 || points == NULL || label == NULL || n > SIZE_MAX / 64 / d)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "congru_silhouette: %zu points of %zu numbers; at least two points and their labels are "
            "needed",
            n, d);
    CONGRU_TRY(congru_neighbours_check(context, "point", n, d, points));
    silhouette_job job = {.context = context, .neighbours = {.n = n, .d = d}};
    job.neighbours.stride = congru_neighbours_stride(n);
    int32_t *sorted;
    CONGRU_TRY(reserve(&job, &sorted));
    find_kinds(&job, label, sorted);
    if (job.kinds < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "all %zu points have the label %ld; a silhouette compares at least two", n,
                           (long)label[0]);
    congru_neighbours_arrange(points, &job.neighbours);
    congru_thread_pool_run(context->pool, (n + BLOCK_POINTS - 1) / BLOCK_POINTS, run_block, &job);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += job.sample[i];
        if (samples != NULL)
            samples[i] = job.sample[i];
    }
    if (mean != NULL)
        *mean = sum / (double)n;
    return congru_scratch_check(context);
}
