/* Signals of all trials as reals, and moments of their windows. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "network/constants.h"

static size_t signal_size(const congru_signals *s)
{
    return s->channels * s->samples;
}

/* Less the mean and over the standard deviation; 0 of a channel whose samples differ by rounding alone. */
static void standardise(size_t samples, double *x)
{
    double mean = 0.0, square = 0.0, largest = 0.0;
    for (size_t t = 0; t < samples; t++) {
        mean += x[t] / (double)samples;
        largest = fabs(x[t]) > largest ? fabs(x[t]) : largest;
    }
    for (size_t t = 0; t < samples; t++)
        square += (x[t] - mean) * (x[t] - mean) / (double)samples;
    const double deviation = sqrt(square), scale = deviation > 1e-12 * largest ? 1.0 / deviation : 0.0;
    for (size_t t = 0; t < samples; t++)
        x[t] = isfinite(deviation) ? scale * (x[t] - mean) : NAN;
}

bool congru_signal_reals(const congru_signals *signals, size_t index, bool zscore, double *scratch,
                         congru_real *x)
{
    bool finite = true;
    congru_signals_read(signals, index, scratch);
    for (size_t c = 0; zscore && c < signals->channels; c++)
        standardise(signals->samples, scratch + c * signals->samples);
    for (size_t t = 0; t < signals->samples; t++) {
        for (size_t c = 0; c < signals->channels; c++) {
            x[t * signals->channels + c] = (congru_real)scratch[c * signals->samples + t];
            finite = finite && isfinite(x[t * signals->channels + c]);
        }
    }
    return finite;
}

/* ---- Moments ----------------------------------------------------------------------------------------- */

size_t congru_moment_count(size_t taps)
{
    return taps * (taps + 1) / 2 + taps;
}

enum { LAGS = 8 };

/* sum[l] = sum over s < samples - max(lag, left) of x[s] x[s + lag], with lag = first + l: several lags side by side, each
 * added up in the order of time. */
static void first_windows(size_t first, size_t lags, size_t left, size_t samples, const double *x,
                          double sum[LAGS])
{
    const size_t last = first + LAGS - 1 > left ? first + LAGS - 1 : left,
                 common = lags == LAGS && samples > last ? samples - last : 0;
    for (size_t l = 0; l < LAGS; l++)
        sum[l] = 0.0;
    for (size_t s = 0; s < common; s++) {
        for (size_t l = 0; l < LAGS; l++)
            sum[l] += x[s] * x[s + first + l];
    }
    for (size_t l = 0; l < lags; l++) {
        const size_t lag = first + l, end = samples - (lag > left ? lag : left);
        for (size_t s = common; s < end; s++)
            sum[l] += x[s] * x[s + lag];
    }
}

/* The moments of one channel, added. With `left` zeros before it, the window of t has x[t + k - left] at place k: the
 * product of places k and k + lag is x[s] x[s + lag] with s = t + k - left, so that from one k to the next one product
 * enters and one leaves. */
static void add_moments(size_t taps, size_t samples, const double *x, double *out)
{
    const size_t left = (taps - 1) / 2;
    double total = 0.0, block[LAGS];
    for (size_t lag = 0; lag < taps; lag++) {
        const size_t end = samples - lag; /* products there are */
        if (lag % LAGS == 0)
            first_windows(lag, taps - lag < LAGS ? taps - lag : LAGS, left, samples, x, block);
        double sum = block[lag % LAGS];
        for (size_t k = 0; k + lag < taps; k++) {
            *out++ += sum;
            const size_t enters = samples + k - left;
            if (enters < end)
                sum += x[enters] * x[enters + lag];
            if (k >= left && k - left < end)
                sum -= x[k - left] * x[k - left + lag];
        }
    }
    for (size_t s = 0; s + left < samples; s++)
        total += x[s];
    for (size_t k = 0; k < taps; k++) {
        *out++ += total;
        if (k < left)
            total += x[samples + k - left];
        else
            total -= x[k - left];
    }
}

void congru_window_moments(size_t taps, size_t samples, size_t channels, size_t step, const congru_real *x,
                           double *scratch, double *out)
{
    for (size_t c = 0; c < channels; c++) {
        for (size_t t = 0; t < samples; t++)
            scratch[t] = (double)x[t * step + c];
        add_moments(taps, samples, scratch, out);
    }
}

/* ---- All trials -------------------------------------------------------------------------------------- */

void congru_signals_layout(congru_arena *arena, congru_constants *c)
{
    const size_t count = c->trials->count;
    c->signal = congru_arena_take(arena, count * signal_size(c->trials->signals), sizeof(congru_real));
    c->moment =
        c->taps > 0 ? congru_arena_take(arena, count * congru_moment_count(c->taps), sizeof(double)) : NULL;
}

typedef struct filling {
    congru_constants *constants;
    double *scratch;      /* (workers, channels samples) */
    atomic_size_t broken; /* the first trial, from 1, that has a number which is not finite; SIZE_MAX: none */
} filling;

static void fill_trial(void *user, size_t trial, int worker)
{
    filling *f = user;
    const congru_constants *c = f->constants;
    const congru_signals *s = c->trials->signals;
    const size_t size = signal_size(s);
    double *scratch = f->scratch + (size_t)worker * size;
    congru_real *x = c->signal + trial * size;
    size_t first = atomic_load(&f->broken);
    if (!congru_signal_reals(s, trial, c->zscore, scratch, x))
        while (trial + 1 < first && !atomic_compare_exchange_weak(&f->broken, &first, trial + 1)) {
        }
    if (c->moment != NULL) {
        const size_t count = congru_moment_count(c->taps);
        memset(c->moment + trial * count, 0, count * sizeof(double));
        congru_window_moments(c->taps, s->samples, s->channels, s->channels, x, scratch,
                              c->moment + trial * count);
    }
    congru_mapped_pass(size * (sizeof(double) + sizeof(congru_real)));
}

congru_status congru_signals_fill(congru_context *context, congru_constants *c)
{
    filling f = {.constants = c};
    const size_t threads = (size_t)congru_thread_pool_threads(context->pool);
    f.scratch = congru_memory_take(threads * signal_size(c->trials->signals) * sizeof(double));
    if (f.scratch == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for signals");
    atomic_init(&f.broken, SIZE_MAX);
    congru_thread_pool_run(context->pool, c->trials->count, fill_trial, &f);
    congru_memory_give(f.scratch);
    if (atomic_load(&f.broken) != SIZE_MAX)
        return congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                           "trial %zu has a sample that is not finite (it was missing, or larger than single "
                           "precision holds)",
                           atomic_load(&f.broken));
    return CONGRU_OK;
}
