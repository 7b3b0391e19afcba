/* Sums of products over a window that slides. SPDX-License-Identifier: Apache-2.0 */
#include "decoder/window.h"

#include <math.h>
#include <string.h>

#include "dataset/covariance.h"

enum { SEGMENT = 32 };

void congru_window_layout(congru_arena *arena, congru_window *w)
{
    w->segment = w->samples < SEGMENT ? w->samples : SEGMENT;
    w->segments = w->samples / w->segment + 2;
    size_t triangle = w->d * (w->d + 1) / 2;
    w->ring = congru_arena_take(arena, w->samples * w->d, sizeof(double));
    w->product = congru_arena_take(arena, w->segments * triangle, sizeof(double));
    w->sum = congru_arena_take(arena, w->segments * w->d, sizeof(double));
    w->offset = congru_arena_take(arena, w->d, sizeof(double));
    w->total = congru_arena_take(arena, triangle + w->d, sizeof(double));
}

void congru_window_reset(congru_window *w)
{
    w->count = 0;
    w->missing_end = 0;
    w->started = false;
    memset(w->ring, 0, w->samples * w->d * sizeof(double));
    memset(w->offset, 0, w->d * sizeof(double));
}

/* product (d (d + 1) / 2) += x x^T, sum (d) += x */
static void add_products(size_t d, const double *restrict x, double *restrict product, double *restrict sum)
{
    for (size_t i = 0; i < d; product += ++i) {
        sum[i] += x[i];
        for (size_t j = 0; j <= i; j++)
            product[j] += x[i] * x[j];
    }
}

static bool is_finite(size_t d, const double *x)
{
    for (size_t i = 0; i < d; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

void congru_window_push(congru_window *w, const double *x)
{
    size_t triangle = w->d * (w->d + 1) / 2, place = (size_t)(w->count / w->segment % w->segments);
    double *product = w->product + place * triangle, *sum = w->sum + place * w->d;
    double *kept = w->ring + (size_t)(w->count % w->samples) * w->d;
    bool whole = is_finite(w->d, x);
    if (w->count % w->segment == 0) {
        memset(product, 0, triangle * sizeof *product);
        memset(sum, 0, w->d * sizeof *sum);
    }
    if (whole && !w->started && w->centred)
        memcpy(w->offset, x, w->d * sizeof *x);
    w->started = w->started || whole;
    w->count++;
    if (!whole) {
        w->missing_end = w->count;
        memset(kept, 0, w->d * sizeof *kept);
        return;
    }
    for (size_t i = 0; i < w->d; i++)
        kept[i] = x[i] - w->offset[i];
    add_products(w->d, kept, product, sum);
}

bool congru_window_full(const congru_window *w)
{
    return w->count >= w->samples;
}

bool congru_window_whole(const congru_window *w)
{
    return congru_window_full(w) && w->missing_end <= w->count - w->samples;
}

/* A window's sums, into `total`: products, then samples. */
static void add_up(const congru_window *w, size_t delay, size_t length)
{
    size_t d = w->d, triangle = d * (d + 1) / 2;
    double *product = w->total, *sum = w->total + triangle;
    const uint64_t end = w->count - delay;
    uint64_t at = end - length;
    memset(w->total, 0, (triangle + d) * sizeof(double));
    for (; at % w->segment != 0 && at < end; at++)
        add_products(d, w->ring + (size_t)(at % w->samples) * d, product, sum);
    for (; at < end && (delay == 0 || at + w->segment <= end); at += w->segment) {
        size_t place = (size_t)(at / w->segment % w->segments);
        for (size_t i = 0; i < triangle; i++)
            product[i] += w->product[place * triangle + i];
        for (size_t i = 0; i < d; i++)
            sum[i] += w->sum[place * d + i];
    }
    for (; at < end; at++)
        add_products(d, w->ring + (size_t)(at % w->samples) * d, product, sum);
}

/* The sum over time of the squared power of the de-meaned signals, in the order of the ring. */
static double power_squares(const congru_window *w, size_t delay, size_t length, const double *sum)
{
    double squares = 0.0;
    for (size_t t = 0; t < w->samples; t++) {
        const size_t age = (size_t)((w->count - 1 - t) % w->samples); /* of what is there, in samples */
        double power = 0.0;
        if (age < delay || age >= delay + length)
            continue;
        for (size_t i = 0; i < w->d; i++) {
            double x = w->ring[t * w->d + i] - sum[i] / (double)length;
            power += x * x;
        }
        squares += power * power;
    }
    return squares;
}

void congru_window_covariance(const congru_window *w, size_t delay, size_t length, congru_estimator estimator,
                              bool trace_normalise, double *c)
{
    const size_t d = w->d;
    const double *product = w->total, *sum = w->total + d * (d + 1) / 2;
    add_up(w, delay, length);
    for (size_t i = 0; i < d; product += ++i) {
        for (size_t j = 0; j <= i; j++) {
            double entry = product[j];
            if (estimator != CONGRU_ESTIMATOR_CSP)
                entry -= sum[i] * sum[j] / (double)length;
            c[i * d + j] = c[j * d + i] = entry;
        }
    }
    congru_covariance_finish(estimator, trace_normalise, d, length,
                             estimator == CONGRU_ESTIMATOR_LWF ? power_squares(w, delay, length, sum) : 0.0, c);
}
