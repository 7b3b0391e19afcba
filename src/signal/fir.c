/* A linear-phase band-pass by windowed sinc, its delay removed. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/scalar_math.h"
#include "base/workspace.h"
#include "signal/channel_lanes.h"
#include "signal/stretches.h"

enum { TAPS_MAX = 1 << 20, BLOCK_MIN = 256 };

static const double pi = 3.14159265358979323846;

typedef struct fir {
    congru_context *context;
    size_t half, block;    /* taps each side of the middle; outputs at a time */
    const double *weights; /* (2 half + 1) */
    size_t channels, samples;
    double *signal;
} fir;

/* What one thread needs for one set of channels. */
typedef struct fir_work {
    const fir *job;
    congru_channel_set set;
    double *lanes; /* (2 half + block, width): the inputs of a block of outputs */
    double *after; /* (half, width): the extension past the end, taken before outputs cover its source */
    double *out;   /* (width) */
} fir_work;

static void layout(congru_arena *arena, fir_work *w, size_t half, size_t block, size_t width)
{
    w->lanes = congru_arena_take(arena, (2 * half + block) * width, sizeof(double));
    w->after = congru_arena_take(arena, half * width, sizeof(double));
    w->out = congru_arena_take(arena, width, sizeof(double));
}

/* The fraction of a turn that `frequency` makes in m samples. */
static double turns(double frequency, double rate, size_t m)
{
    double u = frequency * (double)m / rate;
    return u - floor(u);
}

/* The ideal band-pass under a Hamming window, scaled to a gain of 1 at the middle of the band. */
static void design(double low, double high, double rate, size_t half, double *weights)
{
    double gain = 0.0;
    for (size_t m = half + 1; m-- > 0;) {
        double ideal = 2.0 * (high - low) / rate;
        if (m > 0)
            ideal = (congru_scalar_sin_2pi(turns(high, rate, m)) - congru_scalar_sin_2pi(turns(low, rate, m))) /
                    (pi * (double)m);
        double window = 0.54 + 0.46 * congru_scalar_cos_2pi((double)m / (double)(2 * half));
        double weight = ideal * window;
        weights[half + m] = weight;
        gain += (m > 0 ? 2.0 : 1.0) * weight * congru_scalar_cos_2pi(turns(0.5 * (low + high), rate, m));
    }
    for (size_t m = 0; m <= half; m++) {
        weights[half + m] /= gain;
        weights[half - m] = weights[half + m];
    }
}

/* Lanes from sample `first` on, which may lie before the stretch or after it. */
static void gather(const fir_work *w, size_t rows, double *const *x, size_t stretch, ptrdiff_t first,
                   size_t count, double *lanes)
{
    const size_t width = w->job->context->kernel->width;
    for (size_t i = 0; i < count; i++, lanes += width) {
        ptrdiff_t at = first + (ptrdiff_t)i;
        if (at >= (ptrdiff_t)stretch) {
            memcpy(lanes, w->after + (size_t)(at - (ptrdiff_t)stretch) * width, width * sizeof(double));
            continue;
        }
        for (size_t r = 0; r < width; r++)
            lanes[r] = r >= rows ? 0.0 : at >= 0 ? x[r][at] : 2.0 * x[r][0] - x[r][-at];
    }
}

static void filter_stretch(void *user, size_t row, size_t rows, congru_stretch stretch)
{
    fir_work *w = user;
    const congru_kernel *kernel = w->job->context->kernel;
    const size_t half = w->job->half, width = kernel->width, count = stretch.count;
    double *x[CONGRU_GROUP];
    for (size_t r = 0; r < rows; r++)
        x[r] = w->set.row[row + r] + stretch.first;
    if (count <= half) {
        for (size_t i = 0; i < rows * count; i++)
            x[i / count][i % count] = NAN;
        return;
    }
    for (size_t i = 0; i < half; i++) {
        for (size_t r = 0; r < width; r++)
            w->after[i * width + r] = r < rows ? 2.0 * x[r][count - 1] - x[r][count - 2 - i] : 0.0;
    }
    gather(w, rows, x, count, -(ptrdiff_t)half, 2 * half, w->lanes);
    for (size_t done = 0; done < count;) {
        size_t block = count - done < w->job->block ? count - done : w->job->block;
        gather(w, rows, x, count, (ptrdiff_t)(done + half), block, w->lanes + 2 * half * width);
        for (size_t i = 0; i < block; i++) {
            kernel->weigh(2 * half + 1, w->job->weights, w->lanes + i * width, w->out);
            for (size_t r = 0; r < rows; r++)
                x[r][done + i] = w->out[r];
        }
        memmove(w->lanes, w->lanes + block * width, 2 * half * width * sizeof(double));
        done += block;
    }
}

static void filter_set(void *user, size_t part, congru_arena *arena)
{
    const fir *job = user;
    fir_work w = {.job = job};
    layout(arena, &w, job->half, job->block, job->context->kernel->width);
    w.set = congru_channel_set_at(job->context, part, job->channels, job->samples, job->signal);
    congru_channel_set_filter(&w.set, job->samples, filter_stretch, &w);
}

/* Checks the band, and the length or finds it. */
static congru_status choose_length(congru_context *context, double low, double high, double rate, size_t *taps)
{
    if (!(rate > 0.0 && isfinite(rate)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a sampling rate of %g Hz: expected a positive number", rate);
    if (!(low > 0.0 && low < high && high < 0.5 * rate))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "a band of %g to %g Hz: at %g samples per second it must lie above 0 and below %g Hz, its low "
            "edge below its high",
            low, high, rate, 0.5 * rate);
    if (*taps == 0) {
        double transition = fmin(fmax(0.25 * low, 2.0), low), length = ceil(3.3 * rate / transition);
        *taps = length < TAPS_MAX ? (size_t)length | 1 : SIZE_MAX;
    }
    if (*taps < 3 || *taps > TAPS_MAX || *taps % 2 == 0) {
        if (*taps == SIZE_MAX)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "a band from %g Hz at %g samples per second needs more than %d taps", low, rate,
                               TAPS_MAX);
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%zu taps: expected an odd number from 3 to %d",
                           *taps, TAPS_MAX);
    }
    return CONGRU_OK;
}

congru_status congru_signal_filter_fir(congru_context *context, double low, double high, double rate,
                                       size_t taps, size_t channels, size_t samples, double *signal)
{
    CONGRU_TRY(congru_signal_check(context, channels, samples, signal));
    CONGRU_TRY(choose_length(context, low, high, rate, &taps));
    if (congru_arena_reserve(&context->shared, taps * sizeof(double)) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu taps", taps);
    double *weights = congru_arena_take(&context->shared, taps, sizeof(double));
    fir job = {.context = context, .half = taps / 2, .weights = weights};
    job.block = job.half > BLOCK_MIN ? job.half : BLOCK_MIN;
    job.channels = channels;
    job.samples = samples;
    job.signal = signal;
    CONGRU_TRY(congru_workspace_check(context, &context->shared));
    design(low, high, rate, job.half, weights);
    congru_arena measure = {0};
    fir_work w;
    layout(&measure, &w, job.half, job.block, context->kernel->width);
    return congru_parts_run(context, congru_channel_sets(context, channels), measure.used, filter_set, &job);
}
