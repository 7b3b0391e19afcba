/* Trials made symmetric, logarithms of all of them, dispersions; signals as reals, and moments of their windows. SPDX-License-Identifier: Apache-2.0 */
#include "network/constants.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/scalar_math.h"
#include "base/thread_pool.h"
#include "network/rows.h"

static size_t signal_size(const congru_signals *s)
{
    return s->channels * s->samples;
}

void congru_constants_layout(congru_arena *arena, bool roots, congru_constants *c)
{
    const size_t count = c->trials->count, d = c->trials->d, block = c->out < d ? c->out : d;
    c->present = congru_arena_take(arena, c->trials->classes, sizeof(double));
    if (c->signals) {
        const size_t size = count * signal_size(c->trials->signals),
                     moments = count * congru_moment_count(c->taps);
        c->signal = congru_arena_take(arena, size, sizeof(congru_real));
        c->moment = c->taps > 0 ? congru_arena_take(arena, moments, sizeof(double)) : NULL;
        return;
    }
    c->row = congru_arena_take(arena, count * c->stride, sizeof(double));
    if (c->by_log) {
        c->logarithm = congru_arena_take(arena, count * d * d, sizeof(double));
        c->values = congru_arena_take(arena, count * d, sizeof(double));
        c->vectors = congru_arena_take(arena, count * d * d, sizeof(double));
        c->norm = congru_arena_take(arena, count, sizeof(double));
        c->dispersion = congru_arena_take(arena, c->trials->subjects, sizeof(double));
        return;
    }
    c->covariance = congru_arena_take(arena, count * d * d, sizeof(double));
    c->mask = c->out > d ? congru_arena_take(arena, c->stride, sizeof(double)) : NULL;
    c->root = roots ? congru_arena_take(arena, count * block * block, sizeof(double)) : NULL;
}

/* z f z^T of one trial. */
static void rebuild(size_t d, const double *values, const double *z, double *out)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < d; k++)
                sum += z[i * d + k] * values[k] * z[j * d + k];
            out[i * d + j] = out[j * d + i] = sum;
        }
    }
}

/* Logarithms of all trials, floored: (count, d, d); their eigenpairs are kept for DCT. */
static congru_status logarithms(congru_context *context, const congru_constants *c, double *logarithm)
{
    enum { BLOCK = 256 };
    const size_t d = c->trials->d, size = d * d, count = c->trials->count;
    const bool own = !c->by_log;
    double *scratch = own ? congru_memory_take(BLOCK * (size + d) * sizeof *scratch) : NULL;
    congru_status status =
        own && scratch == NULL ? congru_fail_memory(context, "%zu logarithms", count) : CONGRU_OK;
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        double *w = own ? scratch : c->values + first * d, *z = own ? w + BLOCK * d : c->vectors + first * size;
        CONGRU_TRY_TO(done, congru_spd_eigen(context, n, d, c->trials->covariance + first * size, w, z));
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < d; k++) {
                double x = w[i * d + k] > c->floor ? w[i * d + k] : c->floor;
                w[i * d + k] = congru_scalar_log(x);
                if (!isfinite(w[i * d + k]))
                    CONGRU_TRY_TO(done, congru_fail(context, CONGRU_ERROR_NOT_POSITIVE,
                                                    "trial %zu has an eigenvalue of %g: its logarithm needs a "
                                                    "floor above 0",
                                                    first + i + 1, x));
            }
            congru_mapped_pass(2 * size * sizeof(double));
            rebuild(d, w + i * d, z + i * size, logarithm + (first + i) * size);
        }
    }
done:
    congru_memory_give(scratch);
    return status;
}

/* The leading block of a logarithm as a row of the output's dimension, zeros beyond it. */
static void make_row(const congru_constants *c, const double *logarithm, double *row)
{
    const size_t d = c->trials->d;
    size_t e = 0;
    for (size_t i = 0; i < c->out; i++) {
        for (size_t j = i; j < c->out; j++, e++) {
            double x = i < d && j < d ? logarithm[i * d + j] : 0.0;
            row[e] = i == j ? x : x * sqrt(2.0);
        }
    }
    for (; e < c->stride; e++)
        row[e] = 0.0;
}

/* ---- DCT --------------------------------------------------------------------------------------------- */

void congru_dispersions(const congru_trials *trials, const double *norm, double *dispersion)
{
    for (size_t s = 0; s < trials->subjects; s++) {
        double sum = 0.0, count = 0.0;
        for (size_t i = 0; i < trials->count; i++) {
            sum += trials->subject[i] == (int32_t)s ? norm[i] : 0.0;
            count += trials->subject[i] == (int32_t)s ? 1.0 : 0.0;
        }
        dispersion[s] = sum > 0.0 ? sqrt(sum / count) : 1.0;
    }
}

static congru_status fill_logarithms(congru_context *context, congru_constants *c)
{
    const size_t d = c->trials->d;
    CONGRU_TRY(logarithms(context, c, c->logarithm));
    for (size_t i = 0; i < c->trials->count; i++)
        c->norm[i] = congru_squared_norm(d, c->values + i * d);
    for (size_t s = 0; s < c->trials->subjects; s++)
        c->dispersion[s] = 1.0;
    if (c->by_subject)
        congru_dispersions(c->trials, c->norm, c->dispersion);
    for (size_t i = 0; i < c->trials->count; i++) {
        const double dispersion = c->dispersion[c->trials->subject[i]];
        double *logarithm = c->logarithm + i * d * d, *values = c->values + i * d;
        for (size_t e = 0; e < d * d; e++)
            logarithm[e] /= dispersion;
        for (size_t k = 0; k < d; k++)
            values[k] /= dispersion;
        c->norm[i] = congru_squared_norm(d, values);
        make_row(c, logarithm, c->row + i * c->stride);
        congru_mapped_pass(2 * d * d * sizeof(double));
    }
    return CONGRU_OK;
}

/* ---- Stacks of congruences --------------------------------------------------------------------------- */

static congru_status fill_roots(congru_context *context, congru_constants *c)
{
    const size_t d = c->trials->d, m = c->out < d ? c->out : d;
    for (size_t i = 0; i < c->trials->count; i++) {
        congru_mapped_pass((m * m + d * d) * sizeof(double));
        for (size_t r = 0; r < m; r++)
            memcpy(c->root + (i * m + r) * m, c->covariance + (i * d + r) * d, m * sizeof(double));
    }
    return congru_spd_invsqrt(context, c->trials->count, m, c->root, c->root);
}

static congru_status fill_covariances(congru_context *context, congru_constants *c)
{
    const size_t d = c->trials->d, count = c->trials->count;
    double *logarithm = congru_memory_take(count * d * d * sizeof(double));
    if (logarithm == NULL)
        return congru_fail_memory(context, "%zu logarithms", count);
    congru_status status = logarithms(context, c, logarithm);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        make_row(c, logarithm + i * d * d, c->row + i * c->stride);
        const double *x = c->trials->covariance + i * d * d;
        congru_mapped_pass(4 * d * d * sizeof(double));
        for (size_t r = 0; r < d; r++) {
            for (size_t s = 0; s < d; s++)
                c->covariance[(i * d + r) * d + s] = 0.5 * (x[r * d + s] + x[s * d + r]);
        }
    }
    congru_memory_give(logarithm);
    for (size_t i = 0, e = 0; i < c->out && c->mask != NULL; i++) {
        for (size_t j = i; j < c->out; j++)
            c->mask[e++] = j < d ? 1.0 : 0.0;
    }
    for (size_t e = c->out * (c->out + 1) / 2; e < c->stride && c->mask != NULL; e++)
        c->mask[e] = 0.0;
    return status == CONGRU_OK && c->root != NULL ? fill_roots(context, c) : status;
}

/* ---- Signals ----------------------------------------------------------------------------------------- */

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

static congru_status fill_signals(congru_context *context, congru_constants *c)
{
    filling f = {.constants = c};
    const size_t threads = (size_t)congru_thread_pool_threads(context->pool);
    f.scratch = congru_memory_take(threads * signal_size(c->trials->signals) * sizeof(double));
    if (f.scratch == NULL)
        return congru_fail_memory(context, "signals");
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

/* ---- All of it --------------------------------------------------------------------------------------- */

congru_status congru_constants_fill(congru_context *context, congru_constants *c)
{
    memset(c->present, 0, c->trials->classes * sizeof(double));
    for (size_t i = 0; i < c->trials->count; i++)
        c->present[c->trials->label[i]] = 1.0;
    c->present_count = 0;
    for (size_t k = 0; k < c->trials->classes; k++)
        c->present_count += c->present[k] != 0.0;
    if (c->signals)
        return fill_signals(context, c);
    return c->by_log ? fill_logarithms(context, c) : fill_covariances(context, c);
}
