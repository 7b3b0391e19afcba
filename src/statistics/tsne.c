/* t-SNE in the plane, every pair of points at every step. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/scalar_math.h"
#include "base/workspace.h"
#include "congru/random.h"
#include "congru/statistics.h"
#include "kernel/kernel.h"
#include "statistics/tsne_affinity.h"

enum { BLOCK_ROWS = 8, CHAINS = 8, POINTS_MAX = 100000, STREAM_START = 0x74736e65 };

static const double early_momentum = 0.5, late_momentum = 0.8, start_size = 1e-4, gain_least = 0.01;

/* What the steps work on. Positions are by coordinate: x, then y, each `stride` long; behind the n-th, p and
 * the mask are 0, so that nothing there counts. */
typedef struct tsne_job {
    congru_context *context;
    congru_affinity affinity;
    congru_neighbours points;
    size_t n, stride;
    double *y;        // (2, stride)
    double *mask;     // (stride) 1 for points, 0 behind them
    double *attract;  // (2, stride) sums of p q (y_i - y_j)
    double *repel;    // (2, stride) sums of q^2 (y_i - y_j)
    double *weight;   // (n) sums of q, by row
    double *log_part; // (n) sums of p log q, by row
    double *velocity; // (2, stride)
    double *gain;     // (2, stride)
} tsne_job;

/* ---- Forces -------------------------------------------------------------------------------------------- */

/* CHAINS sums side by side, which the compiler turns into vectors, then added in a fixed order. */
static double join(const double chain[CHAINS])
{
    return ((chain[0] + chain[4]) + (chain[2] + chain[6])) + ((chain[1] + chain[5]) + (chain[3] + chain[7]));
}

/* With q = 1/(1 + |y_i - y_j|^2): what pulls and pushes point i. */
static void sum_row(tsne_job *job, size_t i)
{
    const size_t stride = job->stride;
    const double *restrict p = job->affinity.p + i * stride, *restrict x = job->y,
                           *restrict y = job->y + stride;
    const double *restrict mask = job->mask;
    const double mine_x = x[i], mine_y = y[i];
    double weight[CHAINS] = {0}, pull_x[CHAINS] = {0}, pull_y[CHAINS] = {0}, push_x[CHAINS] = {0},
           push_y[CHAINS] = {0};
    for (size_t j = 0; j < stride; j += CHAINS)
        for (size_t c = 0; c < CHAINS; c++) {
            double dx = mine_x - x[j + c], dy = mine_y - y[j + c];
            double q = mask[j + c] / (1.0 + (dx * dx + dy * dy)), pq = p[j + c] * q, qq = q * q;
            weight[c] += q;
            pull_x[c] += pq * dx;
            pull_y[c] += pq * dy;
            push_x[c] += qq * dx;
            push_y[c] += qq * dy;
        }
    job->weight[i] = join(weight) - 1.0; /* less the point itself */
    job->attract[i] = join(pull_x);
    job->attract[stride + i] = join(pull_y);
    job->repel[i] = join(push_x);
    job->repel[stride + i] = join(push_y);
}

static void run_rows(void *user, size_t block, int worker)
{
    tsne_job *job = user;
    (void)worker;
    for (size_t i = block * BLOCK_ROWS; i < (block + 1) * BLOCK_ROWS && i < job->n; i++)
        sum_row(job, i);
}

/* Fills in attract and repel; returns the sum of all q. */
static double find_forces(tsne_job *job)
{
    congru_thread_pool_run(job->context->pool, (job->n + BLOCK_ROWS - 1) / BLOCK_ROWS, run_rows, job);
    double sum = 0.0;
    for (size_t i = 0; i < job->n; i++)
        sum += job->weight[i];
    return sum;
}

static double slope(const tsne_job *job, size_t at, double exaggeration, double sum)
{
    return 4.0 * (exaggeration * job->attract[at] - job->repel[at] / sum);
}

/* The sum of p log q over row i, q not yet divided by its sum. */
static void sum_log_row(void *user, size_t i, int worker)
{
    tsne_job *job = user;
    congru_arena *arena = &job->context->scratch[worker];
    congru_arena_reset(arena);
    double *apart = congru_arena_take(arena, job->stride, sizeof *apart);
    const double *p = job->affinity.p + i * job->stride, *x = job->y, *y = job->y + job->stride;
    for (size_t j = 0; j < job->stride; j++)
        apart[j] = 1.0 + ((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
    job->context->kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, 0.0}, job->stride, apart, apart);
    job->log_part[i] = 0.0;
    for (size_t j = 0; j < job->n; j++)
        job->log_part[i] -= p[j] * apart[j];
}

/* The sum of p log(p / q): p adds up to 1, so that the logarithm of the sum of all q comes out of it. */
static double find_divergence(tsne_job *job, double sum)
{
    congru_thread_pool_run(job->context->pool, job->n, sum_log_row, job);
    double logs = 0.0;
    for (size_t i = 0; i < job->n; i++)
        logs += job->log_part[i];
    return job->affinity.entropy - logs + congru_scalar_log(sum);
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Every coordinate has a step of its own, longer while it goes on in one direction and shorter where it
 * turns. Returns the norm of the gradient. */
static double step(tsne_job *job, double exaggeration, double momentum, double rate, double sum)
{
    double squares = 0.0;
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < job->n; i++) {
            size_t at = c * job->stride + i;
            double gradient = slope(job, at, exaggeration, sum);
            bool onward = job->velocity[at] * gradient < 0.0;
            job->gain[at] = fmax(gain_least, onward ? job->gain[at] + 0.2 : job->gain[at] * 0.8);
            job->velocity[at] = momentum * job->velocity[at] - rate * job->gain[at] * gradient;
            squares += gradient * gradient;
        }
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < job->n; i++)
            job->y[c * job->stride + i] += job->velocity[c * job->stride + i];
    return sqrt(squares);
}

static void rest(tsne_job *job)
{
    for (size_t i = 0; i < 2 * job->stride; i++) {
        job->velocity[i] = 0.0;
        job->gain[i] = 1.0;
    }
}

static congru_status descend(tsne_job *job, const congru_tsne_options *options)
{
    congru_context *context = job->context;
    double rate =
        options->rate > 0.0 ? options->rate : fmax((double)job->n / options->exaggeration / 4.0, 50.0);
    for (int i = 0; i < options->iterations; i++) {
        bool early = i < options->exaggerated;
        if (i == 0 || i == options->exaggerated)
            rest(job);
        double norm = step(job, early ? options->exaggeration : 1.0, early ? early_momentum : late_momentum,
                           rate, find_forces(job));
        if (!isfinite(norm))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                               "t-SNE ran away at step %d (a rate below %g is needed)", i, rate);
        if (norm < options->least && !early)
            break;
        if (context->progress != NULL &&
            !context->progress(context->progress_user, (size_t)i + 1, (size_t)options->iterations))
            return congru_fail(context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    }
    return CONGRU_OK;
}

/* ---- Setting up ---------------------------------------------------------------------------------------- */

static void tsne_layout(congru_arena *arena, tsne_job *job, bool has_points)
{
    const size_t plane = 2 * job->stride;
    job->affinity.p = congru_arena_take(arena, job->n * job->stride, sizeof(double));
    job->affinity.part = congru_arena_take(arena, job->n, sizeof(double));
    job->points.coordinate =
        has_points ? congru_arena_take(arena, job->points.d * job->stride, sizeof(double)) : NULL;
    job->y = congru_arena_take(arena, plane, sizeof(double));
    job->mask = congru_arena_take(arena, job->stride, sizeof(double));
    job->attract = congru_arena_take(arena, plane, sizeof(double));
    job->repel = congru_arena_take(arena, plane, sizeof(double));
    job->velocity = congru_arena_take(arena, plane, sizeof(double));
    job->gain = congru_arena_take(arena, plane, sizeof(double));
    job->weight = congru_arena_take(arena, job->n, sizeof(double));
    job->log_part = congru_arena_take(arena, job->n, sizeof(double));
}

static congru_status check_distances(congru_context *context, size_t n, const double *distances)
{
    congru_status status = congru_neighbours_check(context, "row of distances", n, n, distances);
    for (size_t i = 0; i < n && status == CONGRU_OK; i++)
        for (size_t j = 0; j <= i && status == CONGRU_OK; j++) {
            double a = distances[i * n + j], b = distances[j * n + i];
            if (a < 0.0 || b < 0.0 || fabs(a - b) > 1e-6 * fmax(a, b))
                status = congru_fail(
                    context, CONGRU_ERROR_ARGUMENT,
                    "the distances between points %zu and %zu are %g and %g; they must be equal and "
                    "not negative",
                    i, j, a, b);
        }
    return status;
}

static congru_status check(congru_context *context, double perplexity, size_t n, size_t d, const double *points,
                           const double *distances, const double *positions)
{
    if (context == NULL || (points == NULL) == (distances == NULL) || positions == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "t-SNE needs a context, positions, and either points or distances");
    if (n < 3 || n > POINTS_MAX || (points != NULL && (d < 1 || d > SIZE_MAX / 64 / n)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "t-SNE of %zu points of %zu numbers; it takes 3 to %d", n, d, (int)POINTS_MAX);
    if (!(perplexity >= 1.0 && perplexity < (double)(n - 1)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a perplexity of %g for %zu points; it must be at least 1 and below %zu", perplexity,
                           n, n - 1);
    return points != NULL ? congru_neighbours_check(context, "point", n, d, points)
                          : check_distances(context, n, distances);
}

static congru_status prepare(tsne_job *job, double perplexity, size_t d, const double *points,
                             const double *distances)
{
    congru_context *context = job->context;
    job->stride = congru_neighbours_stride(job->n);
    job->points = (congru_neighbours){.n = job->n, .d = d, .stride = job->stride};
    congru_arena measure = {0}, scratch = {0};
    tsne_layout(&measure, job, points != NULL);
    for (int i = 0; i < 3; i++)
        congru_arena_take(&scratch, job->stride, sizeof(double));
    congru_status status = congru_arena_reserve(&context->shared, measure.used);
    if (status == CONGRU_OK)
        status = congru_scratch_reserve(context, scratch.used);
    if (status != CONGRU_OK)
        return congru_fail(context, status, "not enough memory for t-SNE of %zu points", job->n);
    tsne_layout(&context->shared, job, points != NULL);
    status = congru_workspace_check(context, &context->shared);
    if (status != CONGRU_OK)
        return status;
    job->affinity.context = context;
    job->affinity.n = job->n;
    job->affinity.stride = job->stride;
    if (points != NULL)
        congru_neighbours_arrange(points, &job->points);
    congru_affinity_find(&job->affinity, perplexity, points != NULL ? &job->points : NULL, distances);
    memset(job->y, 0, 2 * job->stride * sizeof *job->y);
    for (size_t j = 0; j < job->stride; j++)
        job->mask[j] = j < job->n ? 1.0 : 0.0;
    return CONGRU_OK;
}

static void place(tsne_job *job, const double *positions)
{
    for (size_t i = 0; i < job->n; i++)
        for (size_t c = 0; c < 2; c++)
            job->y[c * job->stride + i] = positions[2 * i + c];
}

void congru_tsne_options_init(congru_tsne_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_tsne_options){.perplexity = 30.0,
                                     .iterations = 1000,
                                     .exaggerated = 250,
                                     .exaggeration = 12.0,
                                     .least = 1e-7,
                                     .seed = 50};
}

static congru_status check_options(congru_context *context, const congru_tsne_options *options)
{
    if (options == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_tsne: options must not be NULL");
    if (options->iterations < 0 || options->exaggerated < 0 ||
        !(options->exaggeration >= 1.0 && isfinite(options->exaggeration)) ||
        !(options->rate >= 0.0 && isfinite(options->rate)) || !(options->least >= 0.0))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "t-SNE: %d iterations, %d of them exaggerated %g times, at a rate of %g: none may be "
            "negative, and the exaggeration must be at least 1",
            options->iterations, options->exaggerated, options->exaggeration, options->rate);
    return CONGRU_OK;
}

congru_status congru_tsne(congru_context *context, const congru_tsne_options *options, size_t n, size_t d,
                          const double *points, const double *distances, const double *start, double *positions,
                          double *divergence)
{
    CONGRU_TRY(check_options(context, options));
    CONGRU_TRY(check(context, options->perplexity, n, d, points, distances, positions));
    if (start != NULL)
        CONGRU_TRY(congru_neighbours_check(context, "starting position", n, 2, start));
    tsne_job job = {.context = context, .n = n};
    CONGRU_TRY(prepare(&job, options->perplexity, d, points, distances));
    congru_random random = congru_random_stream(options->seed, STREAM_START, 0, 0);
    for (size_t i = 0; i < 2 * n && start == NULL; i++)
        positions[i] = start_size * congru_random_normal(&random);
    place(&job, start != NULL ? start : positions);
    congru_status status = descend(&job, options);
    for (size_t i = 0; i < 2 * n; i++)
        positions[i] = job.y[i % 2 * job.stride + i / 2];
    if (status == CONGRU_OK && divergence != NULL)
        *divergence = find_divergence(&job, find_forces(&job));
    return status == CONGRU_OK ? congru_scratch_check(context) : status;
}

congru_status congru_tsne_divergence(congru_context *context, double perplexity, size_t n, size_t d,
                                     const double *points, const double *distances, const double *positions,
                                     double *divergence, double *gradient)
{
    CONGRU_TRY(check(context, perplexity, n, d, points, distances, positions));
    CONGRU_TRY(congru_neighbours_check(context, "position", n, 2, positions));
    tsne_job job = {.context = context, .n = n};
    CONGRU_TRY(prepare(&job, perplexity, d, points, distances));
    place(&job, positions);
    double sum = find_forces(&job);
    if (divergence != NULL)
        *divergence = find_divergence(&job, sum);
    for (size_t i = 0; i < 2 * n && gradient != NULL; i++)
        gradient[i] = slope(&job, i % 2 * job.stride + i / 2, 1.0, sum);
    return congru_scratch_check(context);
}
