/* The matrices of one subject, by the stage's equation. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "congru/spd.h"
#include "synth/synth_internal.h"

const double congru_synth_corner[CONGRU_SYNTH_CLASSES][CONGRU_SYNTH_SOURCES] = {
    {1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

typedef struct trial_work {
    congru_synth_subject subject[SYNTH_BRANCHES];
    double *square; // (d, d)
    double *values; // (d)
    double *logs;   // (count, d, d)
    double *more;   // (count, d, d), the second branch
} trial_work;

static void trial_layout(congru_arena *arena, size_t count, size_t d, size_t branches, trial_work *w)
{
    for (size_t b = 0; b < SYNTH_BRANCHES; b++) {
        w->subject[b].frame = congru_arena_take(arena, d * d, sizeof(double));
        w->subject[b].warp = congru_arena_take(arena, d * d, sizeof(double));
        w->subject[b].distortion = congru_arena_take(arena, d * d, sizeof(double));
    }
    w->square = congru_arena_take(arena, d * d, sizeof(double));
    w->values = congru_arena_take(arena, d, sizeof(double));
    w->logs = congru_arena_take(arena, count * d * d, sizeof(double));
    w->more = branches > 1 ? congru_arena_take(arena, count * d * d, sizeof(double)) : NULL;
}

/* ---- Logarithms before the warp ------------------------------------------------------------------------ */

/* out = frame diag(values) frame^T. */
static void compose(size_t d, const double *frame, const double *values, double *out)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < d; k++)
                sum += frame[i * d + k] * values[k] * frame[j * d + k];
            out[i * d + j] = out[j * d + i] = sum;
        }
}

/* out (count, d, d): U diag(scale o mu + noise) U^T + V diag(background) V^T, trial by trial. */
static void draw_logs(const congru_synth_options *options, size_t index, size_t branch,
                      const congru_synth_subject *subject, const double *background, double *values,
                      double *out)
{
    const size_t d = options->channels, count = options->trials * CONGRU_SYNTH_CLASSES;
    /* Classes that differ in slow potentials do not differ here. */
    const double side = options->slow > 0.0 ? 0.0 : options->separation / sqrt(3.0);
    const double noise = options->stage == CONGRU_SYNTH_SHIFT ? options->shift_noise : options->noise;
    memcpy(values + CONGRU_SYNTH_SOURCES, background, (d - CONGRU_SYNTH_SOURCES) * sizeof *values);
    for (size_t t = 0; t < count; t++) {
        congru_random random =
            congru_random_stream(options->seed, (uint32_t)(SYNTH_NOISE + branch * SYNTH_BRANCH_STRIDE),
                                 (uint32_t)index, (uint32_t)t);
        const double *mu = congru_synth_corner[t % CONGRU_SYNTH_CLASSES];
        for (size_t k = 0; k < CONGRU_SYNTH_SOURCES; k++)
            values[k] = subject->scale[k] * side * mu[k] + noise * congru_random_normal(&random);
        compose(d, subject->frame, values, out + t * d * d);
    }
}

/* square = l l, for symmetric l. */
static void multiply_itself(size_t d, const double *l, double *square)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < d; k++)
                sum += l[i * d + k] * l[j * d + k];
            square[i * d + j] = square[j * d + i] = sum;
        }
}

/* l += gamma1 (S l + l S) + gamma2 l^2. Every term is symmetric, so that the printed sym() changes nothing. */
static void distort(const congru_synth_options *options, const double *s, size_t d, double *l, double *sum)
{
    multiply_itself(d, l, sum);
    for (size_t i = 0; i < d * d; i++)
        sum[i] *= options->gamma2;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double both = 0.0;
            for (size_t k = 0; k < d; k++)
                both += s[i * d + k] * l[k * d + j] + l[i * d + k] * s[k * d + j];
            sum[i * d + j] += options->gamma1 * both;
        }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            l[i * d + j] += sum[i * d + j];
            l[j * d + i] = l[i * d + j];
        }
}

/* ---- Stages -------------------------------------------------------------------------------------------- */

/* out = G exp(logs) G. */
static congru_status warp(congru_context *context, size_t count, size_t d, const double *logs, const double *g,
                          double *out)
{
    CONGRU_TRY(congru_spd_exp(context, count, d, logs, out));
    return congru_spd_congruence(context, count, d, d, out, g, out);
}

static congru_status make_distorted(congru_context *context, const congru_synth_options *options, size_t count,
                                    trial_work *w, double *out)
{
    const size_t d = options->channels;
    congru_status status = warp(context, count, d, w->logs, w->subject[0].warp, out);
    if (status == CONGRU_OK)
        status = congru_spd_log(context, count, d, out, w->logs);
    for (size_t t = 0; t < count && status == CONGRU_OK; t++)
        distort(options, w->subject[0].distortion, d, w->logs + t * d * d, w->square);
    return status == CONGRU_OK ? congru_spd_exp(context, count, d, w->logs, out) : status;
}

/* Two branches of one trial: its class and the subject's dispersion are common, noise, rotation and
 * distortion are drawn for each. */
static congru_status make_fused(congru_context *context, const congru_synth_options *options, size_t count,
                                trial_work *w, double *out)
{
    const size_t d = options->channels;
    for (size_t t = 0; t < count; t++) {
        double *l = w->logs + t * d * d, *other = w->more + t * d * d;
        distort(options, w->subject[0].distortion, d, l, w->square);
        distort(options, w->subject[1].distortion, d, other, w->square);
        for (size_t i = 0; i < d * d; i++)
            l[i] += other[i];
        multiply_itself(d, l, w->square);
        for (size_t i = 0; i < d * d; i++)
            l[i] += options->delta * w->square[i];
    }
    return warp(context, count, d, w->logs, w->subject[0].warp, out);
}

/* Symmetrised, lifted off the boundary, and divided by the trace. */
static void finish(size_t d, double jitter, double *c)
{
    double trace = 0.0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            c[i * d + j] = c[j * d + i] = 0.5 * (c[i * d + j] + c[j * d + i]);
    for (size_t i = 0; i < d; i++) {
        c[i * (d + 1)] += jitter;
        trace += c[i * (d + 1)];
    }
    for (size_t i = 0; i < d * d; i++)
        c[i] /= trace;
}

congru_status congru_synth_make_trials(congru_context *context, const congru_synth_options *options,
                                       size_t index, const double *basis, const double *background, double *out)
{
    const size_t d = options->channels, count = options->trials * CONGRU_SYNTH_CLASSES;
    const size_t branches = options->stage == CONGRU_SYNTH_FUSION ? SYNTH_BRANCHES : 1;
    trial_work w;
    congru_arena measure = {0};
    trial_layout(&measure, count, d, branches, &w);
    if (congru_arena_reserve(&context->composed, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY,
                           "synth: not enough memory for %zu trials of %zu channels", count, d);
    trial_layout(&context->composed, count, d, branches, &w);

    congru_status status = congru_workspace_check(context, &context->composed);
    for (size_t b = 0; b < branches && status == CONGRU_OK; b++) {
        status = congru_synth_draw_subject(context, options, index, b, basis, &w.subject[b], w.square);
        if (status == CONGRU_OK)
            draw_logs(options, index, b, &w.subject[b], background, w.values, b == 0 ? w.logs : w.more);
    }
    if (status != CONGRU_OK)
        return status;
    if (options->stage == CONGRU_SYNTH_FUSION)
        status = make_fused(context, options, count, &w, out);
    else if (options->stage == CONGRU_SYNTH_DISTORTION)
        status = make_distorted(context, options, count, &w, out);
    else
        status = warp(context, count, d, w.logs, w.subject[0].warp, out);
    for (size_t t = 0; t < count && status == CONGRU_OK; t++)
        finish(d, options->jitter, out + t * d * d);
    return status;
}
