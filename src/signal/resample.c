/* Another sampling rate, by a rational factor. SPDX-License-Identifier: Apache-2.0
 *
 * Output k lies at input time k down/up. With k down = q up + phase, it is the sum over inputs j of x[j] times
 * the filter at phase + (q - j) up: the same weights for every output of a phase, so they are laid out by
 * phase. */
#include <math.h>
#include <stdint.h>

#include "base/scalar_math.h"
#include "base/workspace.h"
#include "signal/channel_lanes.h"
#include "signal/stretches.h"

enum { FACTOR_MAX = 1 << 16, ZERO_CROSSINGS = 10, BLOCK_INPUTS = 512 };

static const double pi = 3.14159265358979323846, kaiser_beta = 5.0;

typedef struct resample {
    congru_context *context;
    size_t up, down, taps, before; /* of the taps of an output, `before` are of inputs before q */
    size_t block;                  /* outputs at a time */
    const double *weights;         /* (up, taps), by phase, in the order of the inputs */
    size_t channels, samples, resampled;
    const double *signal;
    double *out;
} resample;

/* What one thread needs for one set of channels. */
typedef struct resample_work {
    const resample *job;
    size_t first;    /* channel */
    double *lanes;   /* (inputs of a block, width) */
    double *results; /* (width) */
} resample_work;

static size_t block_inputs(size_t block, size_t up, size_t down, size_t taps)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): congru_signal_resampled has refused a factor of 0. */
    return block * down / up + 1 + taps;
}

static void layout(congru_arena *arena, resample_work *w, const resample *job)
{
    const size_t width = job->context->kernel->width;
    w->lanes = congru_arena_take(arena, block_inputs(job->block, job->up, job->down, job->taps) * width,
                                 sizeof(double));
    w->results = congru_arena_take(arena, width, sizeof(double));
}

static void reduce(size_t *up, size_t *down)
{
    size_t a = *up, b = *down;
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    *up /= a;
    *down /= a;
}

/* The modified Bessel function I0(2 sqrt y), by its series: every term is positive. */
static double bessel_i0_of_root(double y)
{
    double sum = 1.0, term = 1.0;
    for (int k = 1; term > 1e-20 * sum; k++) {
        term *= y / ((double)k * k);
        sum += term;
    }
    return sum;
}

/* The low-pass at distance m from its middle: a sinc with its first zero at `most`, under a Kaiser window that
 * ends at `half`. Not yet scaled. */
static double prototype(size_t m, size_t most, size_t half)
{
    if (m > half)
        return 0.0;
    double y = 0.25 * kaiser_beta * kaiser_beta * (double)(half - m) * (double)(half + m) /
               ((double)half * (double)half);
    double sinc = 1.0;
    if (m > 0)
        sinc = congru_scalar_sin_2pi((double)(m % (2 * most)) / (double)(2 * most)) /
               (pi * (double)m / (double)most);
    return sinc * bessel_i0_of_root(y);
}

static void design(const resample *job, double *weights)
{
    const size_t up = job->up, most = up > job->down ? up : job->down, half = ZERO_CROSSINGS * most;
    double gain = 0.0;
    for (size_t m = half; m > 0; m--)
        gain += 2.0 * prototype(m, most, half);
    gain = (gain + prototype(0, most, half)) / (double)up;
    for (size_t phase = 0; phase < up; phase++) {
        for (size_t t = 0; t < job->taps; t++) {
            size_t ahead = phase + job->before * up, behind = t * up;
            size_t m = ahead > behind ? ahead - behind : behind - ahead;
            weights[phase * job->taps + t] = prototype(m, most, half) / gain;
        }
    }
}

/* Lanes from input `first` on; what is not in the stretch is 0. */
static void gather(const resample_work *w, size_t row, size_t rows, congru_stretch stretch, ptrdiff_t first,
                   size_t count)
{
    const size_t width = w->job->context->kernel->width;
    const double *x = w->job->signal + (w->first + row) * w->job->samples;
    const ptrdiff_t begin = (ptrdiff_t)stretch.first, end = begin + (ptrdiff_t)stretch.count;
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t at = first + (ptrdiff_t)i;
        bool inside = at >= begin && at < end;
        for (size_t r = 0; r < width; r++)
            w->lanes[i * width + r] = inside && r < rows ? x[(ptrdiff_t)(r * w->job->samples) + at] : 0.0;
    }
}

/* The outputs at times from the first sample of the stretch to just before the one after its last. */
static void resample_stretch(void *user, size_t row, size_t rows, congru_stretch stretch)
{
    const resample_work *w = user;
    const resample *job = w->job;
    const congru_kernel *kernel = job->context->kernel;
    const size_t up = job->up, down = job->down;
    size_t k = (stretch.first * up + down - 1) / down,
           end = ((stretch.first + stretch.count) * up + down - 1) / down;
    double *out = job->out + (w->first + row) * job->resampled;
    while (k < end) {
        size_t block = end - k < job->block ? end - k : job->block;
        size_t first = k * down / up, phase = k * down % up;
        const double *inputs = w->lanes;
        gather(w, row, rows, stretch, (ptrdiff_t)first - (ptrdiff_t)job->before,
               block_inputs(block, up, down, job->taps));
        for (size_t last = k + block; k < last; k++) {
            kernel->weigh(job->taps, job->weights + phase * job->taps, inputs, w->results);
            for (size_t r = 0; r < rows; r++)
                out[r * job->resampled + k] = w->results[r];
            phase += down;
            inputs += phase / up * kernel->width;
            phase %= up;
        }
    }
}

static void resample_set(void *user, size_t part, congru_arena *arena)
{
    const resample *job = user;
    const size_t width = job->context->kernel->width;
    resample_work w = {.job = job, .first = part * width};
    layout(arena, &w, job);
    size_t rows = job->channels - w.first < width ? job->channels - w.first : width;
    const double *row[CONGRU_GROUP];
    for (size_t r = 0; r < rows; r++)
        row[r] = job->signal + (w.first + r) * job->samples;
    for (size_t i = 0; i < rows * job->resampled; i++)
        job->out[w.first * job->resampled + i] = NAN;
    congru_stretches_visit(rows, row, job->samples, resample_stretch, &w);
}

size_t congru_signal_resampled(size_t samples, size_t up, size_t down)
{
    if (up == 0 || down == 0)
        return 0;
    reduce(&up, &down);
    if (up > FACTOR_MAX || down > FACTOR_MAX || samples > (SIZE_MAX >> 4) / FACTOR_MAX)
        return 0;
    return (samples * up + down - 1) / down;
}

congru_status congru_signal_resample(congru_context *context, size_t up, size_t down, size_t channels,
                                     size_t samples, const double *signal, double *out)
{
    CONGRU_TRY(congru_signal_check(context, channels, samples, signal));
    if (out == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no place for the resampled signal");
    size_t resampled = congru_signal_resampled(samples, up, down);
    if (resampled == 0 || channels > PTRDIFF_MAX / sizeof(double) / resampled)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "resampling %zu samples by %zu/%zu: expected a factor whose numbers, without common "
                           "divisors, are from 1 to %d",
                           samples, up, down, FACTOR_MAX);
    reduce(&up, &down);
    size_t half = ZERO_CROSSINGS * (up > down ? up : down);
    resample job = {.context = context, .up = up, .down = down, .before = half / up};
    job.taps = job.before + 1 + (half + up - 1) / up;
    job.block = 1 + BLOCK_INPUTS * up / down;
    job.channels = channels;
    job.samples = samples;
    job.resampled = resampled;
    job.signal = signal;
    job.out = out;
    if (congru_arena_reserve(&context->shared, up * job.taps * sizeof(double)) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu taps", up * job.taps);
    double *weights = congru_arena_take(&context->shared, up * job.taps, sizeof(double));
    CONGRU_TRY(congru_workspace_check(context, &context->shared));
    design(&job, weights);
    job.weights = weights;
    congru_arena measure = {0};
    resample_work w;
    layout(&measure, &w, &job);
    return congru_parts_run(context, congru_channel_sets(context, channels), measure.used, resample_set, &job);
}
