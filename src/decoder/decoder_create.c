/* Makes a decoder: options checked, views planned, memory placed, first questions asked. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/workspace.h"
#include "decoder/live.h"

/* The part of a rate up to which a band is sampled alike at any rate. */
static const double band_of_rate = 0.45;

enum { WARM_UPS = 3 }; /* first questions */

/* ---- Options ------------------------------------------------------------------------------------------- */

/* Whether covariances of a band are alike at both rates. */
static congru_status check_band(congru_context *context, const congru_preprocessing *p, double sampling,
                                double rate)
{
    const double high = p->band[1] > 0 ? p->band[1] : p->filtered[1], least = fmin(sampling, rate);
    if (high > 0 && high <= band_of_rate * least)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_ARGUMENT,
        "the stream has %g Hz where the model has %g Hz, and %s (bring it to the model's rate first)", sampling,
        rate, high > 0 ? "its band is too wide for that" : "no band-pass");
}

static congru_status check_rate(congru_context *context, const congru_model *model,
                                const congru_decoder_options *o)
{
    const congru_preprocessing *p = &model->preprocessing;
    if (!(o->sampling > 0) || fabs(o->sampling - p->rate) <= 1e-6 * p->rate)
        return CONGRU_OK;
    for (size_t i = 0; i < model->pipeline.branches; i++) {
        const congru_branch *branch = &model->pipeline.branch[i];
        if (branch->classifier->needs == CONGRU_NEEDS_SIGNALS)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "the stream has %g Hz where the model has %g Hz, whose samples it reads one by "
                               "one (bring it to the model's rate first)",
                               o->sampling, p->rate);
        for (size_t b = 0; b < branch->blocks; b++)
            CONGRU_TRY(
                check_band(context, branch->block != NULL ? &branch->block[b] : p, o->sampling, p->rate));
    }
    congru_note(
        context,
        "The stream has %g Hz where the model has %g Hz: the filters are designed for the stream's rate.",
        o->sampling, p->rate);
    return CONGRU_OK;
}

congru_status congru_live_check_options(congru_context *context, const congru_model *model,
                                        const congru_decoder_options *o)
{
    const congru_preprocessing *p = &model->preprocessing;
    if (!(o->rate >= 0 && o->rate <= 1e6 && o->sampling >= 0 && o->sampling <= 1e7 && o->window >= 0 &&
          o->window <= 1e6 && o->adapt_every >= 0 && o->adapt_every <= 1e9 && o->prior_weight >= 0 &&
          o->prior_weight <= 1e9 && o->memory >= 0 && isfinite(o->scale) && o->scale != 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a rate, window, weight or scale of the decoder is out of range");
    if (p->rate <= 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the model does not know the sampling rate of its signals (its set has no 'fs')");
    CONGRU_TRY(check_rate(context, model, o));
    if (!p->known && !congru_model_needs_signals(model))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the model does not know how its covariances were made (train it on a set that "
                           "congru import wrote, or on signals)");
    if (o->window > 0 && congru_model_needs_signals(model))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the windows of a model of branches, or of signals, are its own (give none)");
    if (o->window <= 0 && p->samples == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the model does not know how long its trials were: give a window");
    if (p->regress[0] != '\0')
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s were regressed out of the model's trials, which takes all trials of a subject "
                           "(import without --regress)",
                           p->regress);
    if (p->fir)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "the model's signals went through a FIR filter without delay, which no stream can "
                           "(import with --filter iir)");
    return CONGRU_OK;
}

/* Where the model's channels are in a frame. */
static congru_status find_channels(congru_decoder *d)
{
    const congru_preprocessing *p = &d->model->preprocessing;
    const congru_decoder_options *o = &d->options;
    d->channels = o->channels != NULL ? o->channel_count : p->channels;
    for (size_t i = 0; i < p->channels; i++) {
        size_t found = i;
        if (o->channels != NULL)
            for (found = 0; found < o->channel_count; found++)
                if (p->channel_name[i][0] != '\0' &&
                    congru_channel_matches(o->channels[found], p->channel_name[i]))
                    break;
        if (found == d->channels)
            return congru_fail(d->context, CONGRU_ERROR_ARGUMENT,
                               "the stream has no channel '%s', which is number %zu of the model's %zu",
                               p->channel_name[i], i + 1, p->channels);
        d->position[i] = found;
    }
    return CONGRU_OK;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

static void layout(congru_arena *arena, congru_decoder *d)
{
    d->position = congru_arena_take(arena, d->d, sizeof *d->position);
    d->state = congru_arena_take(arena, d->d * (d->filter.sections + 1) * 2, sizeof(double));
    d->chunk = congru_arena_take(arena, d->d * CONGRU_LIVE_CHUNK, sizeof(double));
    d->copy = congru_arena_take(arena, d->d * CONGRU_LIVE_CHUNK, sizeof(double));
    d->frame = congru_arena_take(arena, d->d, sizeof(double));
    d->said = congru_arena_take(arena, d->views * d->model->classes, sizeof(double));
    d->probability = congru_arena_take(arena, d->model->classes, sizeof(double));
    d->trial.ring = congru_arena_take(arena, d->trial.room * d->d, sizeof(double));
    for (size_t v = 0; v < d->views; v++) {
        congru_live_view_layout(arena, d, &d->view[v]);
        d->view[v].probability = d->said + v * d->model->classes;
    }
    for (size_t s = 0; s < d->streams; s++) {
        congru_live_stream *stream = &d->stream[s];
        stream->state = congru_arena_take(arena, d->d * (stream->filter.sections + 1) * 2, sizeof(double));
        congru_window_layout(arena, &stream->window);
    }
}

static congru_status place(congru_decoder *d)
{
    double bytes = 0;
    /* In doubles, so that nothing overflows before it is refused. */
    for (size_t s = 0; s < d->streams; s++)
        bytes +=
            (double)d->stream[s].window.samples * (double)d->d * (1 + ((double)d->d + 1) / 64) * sizeof(double);
    if (!(bytes <= CONGRU_DECODER_WINDOW_MAX))
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT,
                           "a window of %zu samples of %zu channels takes more than %d MB (give a shorter one)",
                           d->extent, d->d, (int)(CONGRU_DECODER_WINDOW_MAX >> 20));
    congru_arena measure = {0};
    layout(&measure, d);
    if (congru_arena_reserve(&d->arena, measure.used) != CONGRU_OK)
        return congru_fail_memory(d->context, "a window of %zu samples", d->extent);
    layout(&d->arena, d);
    return congru_workspace_check(d->context, &d->arena);
}

/* ---- First questions ----------------------------------------------------------------------------------- */

/* Any samples but constant ones, of the size of the model's. */
static void fill_trial(congru_decoder *d)
{
    uint32_t state = 1;
    for (size_t i = 0; i < d->trial.room * d->d; i++) {
        state = state * 1664525u + 1013904223u;
        d->trial.ring[i] = 1e-8 * (double)(state >> 8);
    }
    d->count = d->trial.room;
}

static congru_status warm_streams(congru_decoder *d)
{
    const size_t n = d->d;
    for (size_t s = 0; s < d->streams; s++) {
        memset(d->copy, 0, n * CONGRU_LIVE_CHUNK * sizeof *d->copy);
        CONGRU_TRY(congru_signal_filter_causal(d->context, &d->stream[s].filter, n, CONGRU_LIVE_CHUNK, d->copy,
                                               d->stream[s].state));
    }
    for (size_t v = 0; d->flows && v < d->views; v++) {
        congru_live_view *view = &d->view[v];
        memcpy(view->latest, view->reference, view->blocks * n * n * sizeof *view->latest);
        CONGRU_TRY(congru_live_view_ask(d, view));
    }
    return d->flows ? congru_live_judge(d) : CONGRU_OK;
}

static congru_status warm_trial(congru_decoder *d)
{
    int32_t flat;
    fill_trial(d);
    const double cue = fmax(0, -d->trial.onset);
    CONGRU_TRY(congru_live_trial_cut(d, (uint64_t)cue, &flat));
    CONGRU_TRY(congru_live_judge(d));
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(congru_live_view_ask(d, &d->view[v]));
    return CONGRU_OK;
}

/* Every call that a push can make, made a few times: what they allocate is in the cache from then on. */
static congru_status warm_up(congru_decoder *d)
{
    const size_t n = d->d;
    for (int i = 0; i < WARM_UPS; i++) {
        memset(d->chunk, 0, n * CONGRU_LIVE_CHUNK * sizeof *d->chunk);
        CONGRU_TRY(
            congru_signal_filter_causal(d->context, &d->filter, n, CONGRU_LIVE_CHUNK, d->chunk, d->state));
        /* Whether or not the model has it: a stream of its own may. */
        CONGRU_TRY(congru_signal_average_reference(d->context, n, CONGRU_LIVE_CHUNK, d->chunk));
        CONGRU_TRY(warm_streams(d));
        if (d->trial.able)
            CONGRU_TRY(warm_trial(d));
        for (size_t v = 0; v < d->views; v++)
            if (congru_live_view_move(d, &d->view[v]) == CONGRU_ERROR_MEMORY)
                return CONGRU_ERROR_MEMORY;
    }
    return CONGRU_OK;
}

congru_status congru_live_start(congru_decoder *d)
{
    congru_preprocessing filters = d->model->preprocessing;
    congru_preprocessing_own_filters(&filters);
    CONGRU_TRY(congru_preprocess_design(d->context, &filters, d->sampling, &d->filter, NULL));
    CONGRU_TRY(congru_live_plan(d));
    CONGRU_TRY(place(d));
    CONGRU_TRY(find_channels(d));
    congru_status status = congru_live_rewind(d);
    if (status == CONGRU_ERROR_NOT_POSITIVE || status == CONGRU_ERROR_NOT_FINITE)
        status = congru_fail(
            d->context, CONGRU_ERROR_NOT_POSITIVE,
            "a reference of the model (b0.prior.0, ...) is not a covariance (train the model again)");
    CONGRU_TRY(status);
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    status = warm_up(d);
    congru_memory_cache_lend(before);
    CONGRU_TRY(status);
    return congru_live_rewind(d);
}
