/* Covariances of trials: sample, shrunk and trace-normalised. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/workspace.h"
#include "dataset/covariance.h"
#include "kernel/kernel.h"
#include "spd/batch.h"

enum { BLOCK_TRIALS = 4 }; /* few, so that one recording's trials still divide among threads */

typedef struct covariance_job {
    congru_context *context;
    congru_estimator estimator;
    bool trace_normalise;
    size_t count, d, samples, stride, blocks;
    const double *signals; // (count, d, samples)
    const size_t *number;  // (count): of trials, for messages; or NULL
    double *out;           // (count, d, d)
    atomic_size_t done;
    atomic_bool cancelled;
} covariance_job;

/* Rows of whole vectors, an odd number of cache lines apart: rows a power of two apart would compete for the
 * same lines of the cache. */
static size_t row_stride(size_t samples)
{
    size_t lines = (samples + CONGRU_GROUP - 1) / CONGRU_GROUP;
    return (lines + (lines % 2 == 0)) * CONGRU_GROUP;
}

static double trace_of(size_t d, const double *c)
{
    double trace = 0.0;
    for (size_t i = 0; i < d; i++)
        trace += c[i * (d + 1)];
    return trace;
}

static double sum_of_squares(size_t d, const double *c)
{
    double sum = 0.0;
    for (size_t i = 0; i < d * d; i++)
        sum += c[i] * c[i];
    return sum;
}

static void divide(size_t d, double divisor, double *c)
{
    for (size_t i = 0; i < d * d; i++)
        c[i] /= divisor;
}

/* (1 - shrinkage) C + shrinkage mean I, the mean being that of the diagonal. */
static void shrink(size_t d, double shrinkage, double *c)
{
    double mean = trace_of(d, c) / (double)d;
    for (size_t i = 0; i < d * d; i++)
        c[i] *= 1.0 - shrinkage;
    for (size_t i = 0; i < d; i++)
        c[i * (d + 1)] += shrinkage * mean;
}

void congru_covariance_shrink(double shrinkage, size_t count, size_t d, double *c)
{
    for (size_t i = 0; shrinkage > 0 && i < count; i++)
        shrink(d, shrinkage, c + i * d * d);
}

/* Chen, Wiesel, Eldar and Hero's oracle approximating shrinkage, as scikit-learn has it. c = X X^T / T. */
static double oas_shrinkage(size_t d, size_t samples, const double *c)
{
    double mean = trace_of(d, c) / (double)d, size = sum_of_squares(d, c) / (double)d / (double)d;
    double over = size + mean * mean, under = ((double)samples + 1.0) * (size - mean * mean / (double)d);
    return under > 0.0 && over < under ? over / under : 1.0;
}

/* Ledoit and Wolf's, as scikit-learn has it: the variance of the entries of c = X X^T / T over their distance
 * from a multiple of the identity. The sum of X^2 (X^2)^T that it takes is the sum over time of the squared
 * power. */
static double ledoit_wolf_shrinkage(size_t d, size_t samples, const double *c, double power_squares)
{
    double n = (double)samples, trace = trace_of(d, c), mean = trace / (double)d, size = sum_of_squares(d, c);
    double variance = (power_squares / n - size) / n / (double)d;
    double distance = (size - 2.0 * mean * trace + (double)d * mean * mean) / (double)d;
    if (!(variance > 0.0))
        return 0.0;
    return variance < distance ? variance / distance : 1.0;
}

void congru_covariance_finish(congru_estimator estimator, bool trace_normalise, size_t d, size_t samples,
                              double power_squares, double *c)
{
    switch (estimator) {
    case CONGRU_ESTIMATOR_SCM:
        divide(d, (double)samples - 1.0, c);
        break;
    case CONGRU_ESTIMATOR_OAS:
        divide(d, (double)samples, c);
        if (d > 1) /* one number is its own mean */
            shrink(d, oas_shrinkage(d, samples, c), c);
        break;
    case CONGRU_ESTIMATOR_LWF:
        divide(d, (double)samples, c);
        if (d > 1)
            shrink(d, ledoit_wolf_shrinkage(d, samples, c, power_squares), c);
        break;
    case CONGRU_ESTIMATOR_CSP:
        divide(d, trace_of(d, c), c);
        break;
    }
    if (trace_normalise)
        divide(d, trace_of(d, c), c);
}

/* x (d, stride) is scratch. */
static void estimate(const covariance_job *job, const double *signals, double *x, double *out)
{
    const congru_kernel *kernel = job->context->kernel;
    const size_t d = job->d;
    kernel->centre(d, job->samples, job->stride, job->estimator != CONGRU_ESTIMATOR_CSP, signals, x);
    kernel->gram(d, job->stride, x, out);
    double power_squares =
        job->estimator == CONGRU_ESTIMATOR_LWF ? kernel->power_squares(d, job->stride, x) : 0.0;
    congru_covariance_finish(job->estimator, job->trace_normalise, d, job->samples, power_squares, out);
}

static void run_block(void *user, size_t block, int worker)
{
    covariance_job *job = user;
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
        return;
    congru_arena *arena = &job->context->scratch[worker];
    congru_arena_reset(arena);
    double *x = congru_arena_take(arena, job->d * job->stride, sizeof *x);
    size_t first = block * BLOCK_TRIALS, left = job->count - first;
    for (size_t i = first; i < first + (left < BLOCK_TRIALS ? left : BLOCK_TRIALS); i++)
        estimate(job, job->signals + i * job->d * job->samples, x, job->out + i * job->d * job->d);
    size_t done = atomic_fetch_add(&job->done, 1) + 1;
    if (worker == 0 && job->context->progress != NULL &&
        !job->context->progress(job->context->progress_user, done, job->blocks))
        atomic_store(&job->cancelled, true);
}

/* Why the covariance of a trial is not finite. */
static congru_status fail_trial(const covariance_job *job, size_t index)
{
    const double *signals = job->signals + index * job->d * job->samples;
    const size_t trial = job->number != NULL ? job->number[index] : index + 1;
    char of[32] = "";
    if (job->number == NULL)
        snprintf(of, sizeof of, " of %zu", job->count);
    bool flat = true;
    for (size_t i = 0; i < job->d * job->samples; i++) {
        if (!isfinite(signals[i]))
            return congru_fail(
                job->context, CONGRU_ERROR_NOT_FINITE,
                "trial %zu%s: channel %zu is NaN or infinite at sample %zu (leave the trial out)", trial, of,
                i / job->samples + 1, i % job->samples + 1);
        flat = flat && signals[i] == signals[i - i % job->samples];
    }
    if (flat)
        return congru_fail(job->context, CONGRU_ERROR_NOT_POSITIVE,
                           "trial %zu%s: every channel is flat, so its covariance has no trace to divide by "
                           "(leave the trial out)",
                           trial, of);
    return congru_fail(
        job->context, CONGRU_ERROR_NOT_FINITE,
        "trial %zu%s: its covariance is too large or too small for a double (scale the signals to "
        "microvolts)",
        trial, of);
}

/* Every sample is in the diagonal, so that shows whatever is not finite. */
static congru_status check_covariances(const covariance_job *job)
{
    for (size_t m = 0; m < job->count; m++) {
        const double *c = job->out + m * job->d * job->d;
        for (size_t i = 0; i < job->d; i++)
            if (!isfinite(c[i * (job->d + 1)]))
                return fail_trial(job, m);
    }
    return CONGRU_OK;
}

static congru_status check_arguments(congru_context *context, congru_estimator estimator, size_t count,
                                     size_t d, size_t samples, const double *signals, const double *out)
{
    CONGRU_TRY(congru_check_shape(context, count, d));
    if (estimator > CONGRU_ESTIMATOR_CSP || signals == NULL || out == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_covariance: an unknown estimator, or signals or out is NULL");
    if (samples < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "trials of %s: a covariance needs at least 2",
                           congru_count(samples, "sample").text);
    if (samples > PTRDIFF_MAX / sizeof(double) / 2 / d / count)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%zu trials of %zu x %zu samples are more than memory can hold", count, d, samples);
    return CONGRU_OK;
}

congru_status congru_covariance(congru_context *context, congru_estimator estimator, bool trace_normalise,
                                size_t count, size_t d, size_t samples, const double *signals, double *out)
{
    return congru_covariance_numbered(context, estimator, trace_normalise, count, d, samples, signals, NULL,
                                      out);
}

congru_status congru_covariance_numbered(congru_context *context, congru_estimator estimator,
                                         bool trace_normalise, size_t count, size_t d, size_t samples,
                                         const double *signals, const size_t *number, double *out)
{
    CONGRU_TRY(check_arguments(context, estimator, count, d, samples, signals, out));
    covariance_job job = {.context = context,
                          .estimator = estimator,
                          .trace_normalise = trace_normalise,
                          .count = count,
                          .d = d,
                          .samples = samples,
                          .stride = row_stride(samples),
                          .signals = signals,
                          .number = number,
                          .out = out};
    job.blocks = (count + BLOCK_TRIALS - 1) / BLOCK_TRIALS;
    congru_arena measure = {0};
    congru_arena_take(&measure, d * job.stride, sizeof(double));
    CONGRU_TRY(congru_scratch_reserve(context, measure.used));
    congru_thread_pool_run(context->pool, job.blocks, run_block, &job);
    if (atomic_load(&job.cancelled))
        return congru_fail(context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    CONGRU_TRY(congru_scratch_check(context));
    return check_covariances(&job);
}
