/* Noise, and slow potentials, whose sample covariance is exactly the one asked for. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "base/workspace.h"
#include "congru/spd.h"
#include "kernel/kernel.h"
#include "synth/synth_internal.h"

typedef struct signal_job {
    congru_context *context;
    const congru_synth_options *options;
    size_t index, d, samples, stride;
    double *sample_covariance; // (count, d, d), then its inverse square root
    double *root;              // (count, d, d), the square root of what is asked for
    double *signals;           // (count, d, samples)
} signal_job;

/* ---- Slow potentials ------------------------------------------------------------------------------------ */

static const double slow_seconds = SYNTH_SLOW_MS / 1000.0;

const char *congru_synth_slow_channel(size_t source)
{
    static const char *const names[CONGRU_SYNTH_SOURCES] = {"Fz", "C3", "C4"};
    return source < CONGRU_SYNTH_SOURCES ? names[source] : NULL;
}

double congru_synth_slow_course(size_t class_index, size_t source, double seconds)
{
    if (class_index >= CONGRU_SYNTH_CLASSES || source >= CONGRU_SYNTH_SOURCES ||
        !(seconds >= 0.0 && seconds < slow_seconds))
        return 0.0;
    double periods = (double)(source + 1) * (seconds / slow_seconds);
    return congru_synth_corner[class_index][source] * congru_scalar_sin_2pi(periods - floor(periods));
}

size_t congru_synth_slow_lead(double rate)
{
    return (size_t)ceil(rate * SYNTH_SLOW_LEAD_MS / 1000.0);
}

/* Added before the whitening, which sees the same of every class as the courses are orthogonal. */
static void add_slow(const congru_synth_options *options, size_t trial, double *signal)
{
    const double lead = (double)congru_synth_slow_lead(options->rate);
    for (size_t k = 0; k < CONGRU_SYNTH_SOURCES; k++)
        for (size_t t = 0; t < options->samples; t++)
            signal[k * options->samples + t] +=
                options->slow *
                congru_synth_slow_course(trial % CONGRU_SYNTH_CLASSES, k, ((double)t - lead) / options->rate);
}

/* ---- Signals -------------------------------------------------------------------------------------------- */

/* White noise and what is slow without its mean, and the sample covariance. */
static void draw_trial(void *user, size_t trial, int worker)
{
    signal_job *job = user;
    const congru_kernel *kernel = job->context->kernel;
    const size_t d = job->d, samples = job->samples;
    congru_arena *arena = &job->context->scratch[worker];
    congru_arena_reset(arena);
    double *rows = congru_arena_take(arena, d * job->stride, sizeof *rows);
    double *signal = job->signals + trial * d * samples, *gram = job->sample_covariance + trial * d * d;
    congru_random random =
        congru_random_stream(job->options->seed, SYNTH_SIGNAL, (uint32_t)job->index, (uint32_t)trial);
    for (size_t i = 0; i < d * samples; i++)
        signal[i] = congru_random_normal(&random);
    if (job->options->slow > 0.0)
        add_slow(job->options, trial, signal);
    kernel->centre(d, samples, job->stride, true, signal, rows);
    kernel->gram(d, job->stride, rows, gram);
    for (size_t i = 0; i < d * d; i++)
        gram[i] /= (double)samples - 1.0;
    for (size_t i = 0; i < d; i++)
        memcpy(signal + i * samples, rows + i * job->stride, samples * sizeof *signal);
}

/* signal = root whitening signal. */
static void colour_trial(void *user, size_t trial, int worker)
{
    signal_job *job = user;
    const size_t d = job->d, samples = job->samples;
    congru_arena *arena = &job->context->scratch[worker];
    congru_arena_reset(arena);
    double *rows = congru_arena_take(arena, d * job->stride, sizeof *rows);
    double *weight = congru_arena_take(arena, d, sizeof *weight);
    double *signal = job->signals + trial * d * samples;
    const double *root = job->root + trial * d * d, *whitening = job->sample_covariance + trial * d * d;
    memcpy(rows, signal, d * samples * sizeof *rows);
    memset(signal, 0, d * samples * sizeof *signal);
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < d; k++) {
            weight[k] = 0.0;
            for (size_t j = 0; j < d; j++)
                weight[k] += root[i * d + j] * whitening[j * d + k];
        }
        for (size_t k = 0; k < d; k++)
            for (size_t t = 0; t < samples; t++)
                signal[i * samples + t] += weight[k] * rows[k * samples + t];
    }
}

congru_status congru_synth_make_signals(congru_context *context, const congru_synth_options *options,
                                        size_t index, size_t count, const double *covariance, double *signals)
{
    const size_t d = options->channels;
    signal_job job = {.context = context, .options = options, .index = index, .d = d, .signals = signals};
    job.samples = options->samples;
    job.stride = (options->samples + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
    congru_arena measure = {0}, scratch = {0};
    congru_arena_take(&measure, count * d * d, sizeof(double));
    congru_arena_take(&measure, count * d * d, sizeof(double));
    congru_arena_take(&scratch, d * job.stride, sizeof(double));
    congru_arena_take(&scratch, d, sizeof(double));
    congru_status status = congru_arena_reserve(&context->composed, measure.used);
    if (status == CONGRU_OK)
        status = congru_scratch_reserve(context, scratch.used);
    if (status != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "synth: not enough memory for signals of %zu samples",
                           options->samples);
    job.sample_covariance = congru_arena_take(&context->composed, count * d * d, sizeof(double));
    job.root = congru_arena_take(&context->composed, count * d * d, sizeof(double));

    status = congru_workspace_check(context, &context->composed);
    if (status != CONGRU_OK)
        return status;
    congru_thread_pool_run(context->pool, count, draw_trial, &job);
    status = congru_scratch_check(context);
    if (status == CONGRU_OK)
        status = congru_spd_invsqrt(context, count, d, job.sample_covariance, job.sample_covariance);
    if (status == CONGRU_OK)
        status = congru_spd_sqrt(context, count, d, covariance, job.root);
    if (status == CONGRU_OK)
        status = congru_scratch_reserve(context, scratch.used);
    if (status != CONGRU_OK)
        return status;
    congru_thread_pool_run(context->pool, count, colour_trial, &job);
    return congru_scratch_check(context);
}
