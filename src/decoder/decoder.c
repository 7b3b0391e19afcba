/* Decodes a stream. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/live.h"
#include "evaluation/combine.h"

/* A variance below this part of the largest is none, as for trials (congru_covariance_check_rank). */
static const double flat_below = 1e-10;

void congru_decoder_options_init(congru_decoder_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_decoder_options){.rate = 4, .scale = 1, .prior_weight = 4, .memory = 100};
}

/* ---- Creation ------------------------------------------------------------------------------------------ */

/* What the decoder's own context was told, for the caller. */
static void pass_on(const congru_decoder *made, congru_context *context, congru_status status)
{
    for (size_t i = 0; made->context != NULL && congru_context_note(made->context, i) != NULL; i++)
        congru_note(context, "%s", congru_context_note(made->context, i));
    if (status != CONGRU_OK)
        congru_fail(context, status, "%s",
                    made->context != NULL ? made->context->error : "not enough memory for a decoder");
}

congru_status congru_decoder_create(congru_context *context, const congru_model *model,
                                    const congru_decoder_options *options, congru_decoder **decoder)
{
    congru_decoder_options defaults;
    congru_decoder_options_init(&defaults);
    if (context == NULL || model == NULL || decoder == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model or decoder given");
    *decoder = NULL;
    options = options != NULL ? options : &defaults;
    congru_decoder *made;
    CONGRU_TRY(congru_live_check_options(context, model, options));
    CONGRU_TRY(congru_allocate(context, &made, 1, sizeof *made, "a decoder"));
    made->model = model;
    made->options = *options;
    made->d = model->preprocessing.channels;
    made->sampling = options->sampling > 0 ? options->sampling : model->preprocessing.rate;
    const congru_context_options alone = {.threads = 1, .cpu = congru_context_cpu(context)};
    congru_status status = congru_context_create(&made->context, &alone);
    if (status == CONGRU_OK)
        status = congru_live_start(made);
    pass_on(made, context, status);
    if (status != CONGRU_OK) {
        congru_decoder_destroy(&made);
        return status;
    }
    made->options.channels = NULL; /* the caller's, looked at once */
    *decoder = made;
    return CONGRU_OK;
}

void congru_decoder_destroy(congru_decoder **decoder)
{
    if (decoder == NULL || *decoder == NULL)
        return;
    congru_decoder *old = *decoder;
    congru_live_clear(old);
    congru_context_destroy(&old->context);
    congru_arena_free(&old->arena);
    congru_memory_cache_clear(&old->cache);
    free(old);
    *decoder = NULL;
}

/* ---- Time ---------------------------------------------------------------------------------------------- */

/* The frame after which event `number` of a series with this period, in frames, is due: from the first full window on. */
static uint64_t due_at(const congru_decoder *d, uint64_t number, double period)
{
    return d->extent + (uint64_t)ceil((double)number * period - 1e-6);
}

static double decision_period(const congru_decoder *d)
{
    return d->sampling / d->options.rate;
}

static double adaptation_period(const congru_decoder *d)
{
    double every = d->options.adapt_every > 0 ? d->options.adapt_every * d->sampling : (double)d->extent;
    return every < 1 ? 1 : every;
}

/* Whether each decision moves the references once it is out. About cues there is nothing else to move them with. */
static bool adapts_to_decisions(const congru_decoder *d)
{
    return d->options.adaptation == CONGRU_ADAPT_DECISIONS ||
           (d->options.adaptation == CONGRU_ADAPT_WINDOWS && !d->flows);
}

bool congru_live_follows(const congru_decoder *d)
{
    return d->options.adaptation == CONGRU_ADAPT_TRIALS || adapts_to_decisions(d);
}

static void rewind_stream(congru_decoder *d)
{
    memset(d->state, 0, d->d * (d->filter.sections + 1) * 2 * sizeof *d->state);
    for (size_t s = 0; s < d->streams; s++) {
        memset(d->stream[s].state, 0, d->d * (d->stream[s].filter.sections + 1) * 2 * sizeof(double));
        congru_window_reset(&d->stream[s].window);
    }
    d->count = d->clear = 0;
    d->marks = 0;
    for (size_t v = 0; v < d->views; v++)
        d->view[v].looks = d->view[v].centred = 0;
    d->decisions = d->adaptations = 0;
    d->next_decision = d->flows && d->options.rate > 0 ? due_at(d, 0, decision_period(d)) : UINT64_MAX;
    d->next_adaptation = d->flows && d->options.adaptation == CONGRU_ADAPT_WINDOWS
                             ? due_at(d, 0, adaptation_period(d))
                             : UINT64_MAX;
}

congru_status congru_live_rewind(congru_decoder *d)
{
    congru_status status = CONGRU_OK;
    rewind_stream(d);
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++)
        status = congru_live_view_rewind(d, &d->view[v]);
    congru_memory_cache_lend(before);
    return status;
}

congru_status congru_decoder_set_scale(congru_decoder *d, double scale)
{
    if (d == NULL || !isfinite(scale) || scale == 0)
        return CONGRU_ERROR_ARGUMENT;
    d->options.scale = scale;
    return CONGRU_OK;
}

void congru_decoder_reset(congru_decoder *d)
{
    if (d != NULL)
        congru_live_rewind(d); /* which create has done: it finds what it needs in the cache */
}

/* ---- Deciding ------------------------------------------------------------------------------------------ */

static bool is_full(const congru_decoder *d)
{
    return d->flows && d->count >= d->extent;
}

static bool is_whole(const congru_decoder *d)
{
    for (size_t s = 0; s < d->streams; s++)
        if (!congru_window_whole(&d->stream[s].window))
            return false;
    return is_full(d);
}

/* Every view at the windows that end now. */
static void look(congru_decoder *d)
{
    for (size_t v = 0; v < d->views; v++)
        congru_live_view_look(d, &d->view[v]);
    congru_live_judge(d); /* finds its memory in the cache */
}

static void move_all(congru_decoder *d)
{
    for (size_t v = 0; v < d->views; v++)
        if (d->view[v].waiting)
            congru_live_view_move(d, &d->view[v]);
}

/* Filters ring on behind an artefact, and a window with its end alone is near enough to the others: nothing is learned of one
 * that is half the artefact's. */
static bool learns(const congru_decoder *d)
{
    return !d->artefact && d->count >= d->clear;
}

static void wait_all(congru_decoder *d)
{
    for (size_t v = 0; v < d->views; v++)
        d->view[v].waiting = true;
}

void congru_live_settle(congru_decoder *d)
{
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    move_all(d);
    congru_memory_cache_lend(before);
}

void congru_decoder_rewind(congru_decoder *d)
{
    if (d == NULL)
        return;
    congru_live_settle(d);
    rewind_stream(d);
}

/* What all views say of what they have looked at, added up where they are several. */
static congru_status ask(congru_decoder *d)
{
    const size_t classes = d->model->classes;
    congru_opinions opinions = {.branches = d->views, .count = 1, .classes = classes};
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(congru_live_view_check_scale(d, &d->view[v]));
    if (d->artefact)
        return CONGRU_ERROR_ARTEFACT;
    for (size_t v = 0; d->options.adaptation == CONGRU_ADAPT_TRIALS && v < d->views; v++)
        CONGRU_TRY(congru_live_view_move(d, &d->view[v]));
    for (size_t v = 0; v < d->views; v++) {
        opinions.log_probability[v] = d->view[v].probability;
        CONGRU_TRY(congru_live_view_ask(d, &d->view[v]));
    }
    if (d->views > 1) {
        congru_opinions_log(d->views * classes, d->said);
        congru_opinions_combine(&opinions, d->model->weight, d->probability);
    } else {
        memcpy(d->probability, d->said, classes * sizeof *d->probability);
    }
    for (size_t k = 0; k < classes; k++)
        if (!isfinite(d->probability[k]))
            return CONGRU_ERROR_NOT_FINITE;
    return CONGRU_OK;
}

/* The first channel without variance beside the others' in a window, or -1. */
static int32_t find_flat(const congru_decoder *d)
{
    const size_t n = d->d;
    const double *c = d->view[0].latest;
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, c[i * (n + 1)]);
    for (size_t i = 0; i < n; i++)
        if (!(c[i * (n + 1)] > flat_below * most))
            return (int32_t)i;
    return -1;
}

/* `status` is that of having looked; the decision is what came of it. */
static void conclude(congru_decoder *d, congru_status status, congru_decision *decision)
{
    decision->status = status == CONGRU_OK ? ask(d) : status;
    if (decision->status == CONGRU_ERROR_ARTEFACT && d->flows && find_flat(d) >= 0)
        decision->status =
            CONGRU_ERROR_NOT_POSITIVE; /* which says more; of a trial that is cut it has been seen */
    if (decision->status == CONGRU_ERROR_NOT_POSITIVE && decision->flat < 0)
        decision->flat = status == CONGRU_OK ? find_flat(d) : -1;
    if (decision->status != CONGRU_OK)
        return;
    decision->prediction = 0;
    for (size_t k = 1; k < d->model->classes; k++)
        if (d->probability[k] > d->probability[decision->prediction])
            decision->prediction = (int32_t)k;
    decision->probability = d->probability;
    if (adapts_to_decisions(d) && learns(d))
        wait_all(d);
}

static congru_decision begin_decision(const congru_decoder *d)
{
    return (congru_decision){
        .due = true,
        .sample = d->count,
        .time = (double)d->count / d->sampling,
        .status = CONGRU_ERROR_NOT_FINITE,
        .prediction = -1,
        .flat = -1,
    };
}

static void decide(congru_decoder *d, congru_decision *decision)
{
    *decision = begin_decision(d);
    if (!is_whole(d))
        return;
    look(d);
    conclude(d, CONGRU_OK, decision);
}

/* About the trial of a cue that is complete. Where no trials are cut, the window is there at its moment alone. */
static void decide_cue(congru_decoder *d, uint64_t cue, congru_decision *decision)
{
    if (d->trial.able) {
        *decision = begin_decision(d);
        congru_status status = congru_live_trial_cut(d, cue, &decision->flat);
        if (status == CONGRU_OK)
            status = congru_live_judge(d);
        conclude(d, status, decision);
    } else if (d->count == congru_live_trial_due(d, cue)) {
        decide(d, decision);
    } else {
        *decision = begin_decision(d);
    }
    decision->cued = true;
    decision->cue = cue;
}

/* A mark, or a decision of the series and then the references may move: one decision at a time. They do so when the next
 * frame is pushed, so that the decision is out before. */
static void keep_appointments(congru_decoder *d, congru_decision *decision)
{
    if (d->marks > 0 && d->mark[0].due <= d->count) {
        decide_cue(d, d->mark[0].cue, decision);
        d->marks--;
        memmove(d->mark, d->mark + 1, d->marks * sizeof *d->mark);
        return;
    }
    bool looked = false;
    if (d->count == d->next_decision) {
        looked = is_whole(d);
        decide(d, decision);
        d->next_decision = due_at(d, ++d->decisions, decision_period(d));
        if (d->next_decision <= d->count) /* more decisions than frames: one for each frame */
            d->next_decision = d->count + 1;
    }
    if (d->count == d->next_adaptation) {
        d->next_adaptation = due_at(d, ++d->adaptations, adaptation_period(d));
        if (is_whole(d)) {
            if (!looked)
                look(d);
            if (learns(d))
                wait_all(d);
        }
    }
}

congru_status congru_decoder_decide(congru_decoder *d, congru_decision *decision)
{
    if (d == NULL || decision == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *decision = (congru_decision){.due = false};
    if (!d->flows)
        return CONGRU_ERROR_UNSUPPORTED;
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    if (is_full(d)) /* the references move at the next frame, as after any decision */
        decide(d, decision);
    congru_memory_cache_lend(before);
    return CONGRU_OK;
}

/* ---- Cues ---------------------------------------------------------------------------------------------- */

uint64_t congru_decoder_cue_due(const congru_decoder *d, uint64_t cue)
{
    return d != NULL && (d->trial.able || !isnan(d->end)) ? congru_live_trial_due(d, cue) : UINT64_MAX;
}

congru_status congru_decoder_decide_cue(congru_decoder *d, uint64_t cue, congru_decision *decision)
{
    if (d == NULL || decision == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *decision = (congru_decision){.due = false};
    if (congru_decoder_cue_due(d, cue) == UINT64_MAX)
        return CONGRU_ERROR_UNSUPPORTED;
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    move_all(d); /* of the decision before: frames need not come between two cues */
    if (d->count >= congru_live_trial_due(d, cue))
        decide_cue(d, cue, decision);
    congru_memory_cache_lend(before);
    return CONGRU_OK;
}

congru_status congru_decoder_mark(congru_decoder *d, uint64_t cue)
{
    if (d == NULL || cue >= UINT64_MAX / 2)
        return CONGRU_ERROR_ARGUMENT;
    if (congru_decoder_cue_due(d, cue) == UINT64_MAX)
        return CONGRU_ERROR_UNSUPPORTED;
    if (d->marks == CONGRU_DECODER_MARKS_MAX)
        return CONGRU_ERROR_ARGUMENT;
    const uint64_t due = congru_live_trial_due(d, cue);
    size_t at = d->marks++;
    for (; at > 0 && d->mark[at - 1].due > due; at--)
        d->mark[at] = d->mark[at - 1];
    d->mark[at] = (congru_live_mark){cue, due};
    return CONGRU_OK;
}

/* ---- Pushing ------------------------------------------------------------------------------------------- */

static bool is_due(const congru_decoder *d)
{
    return (d->marks > 0 && d->mark[0].due <= d->count) || d->count == d->next_decision ||
           d->count == d->next_adaptation;
}

/* Frames that can be taken before something is due, at most a chunk. */
static size_t next_stretch(const congru_decoder *d, size_t frames)
{
    uint64_t event = d->next_decision < d->next_adaptation ? d->next_decision : d->next_adaptation;
    if (d->marks > 0 && d->mark[0].due < event)
        event = d->mark[0].due;
    uint64_t left = event - d->count;
    size_t stretch = frames < CONGRU_LIVE_CHUNK ? frames : CONGRU_LIVE_CHUNK;
    return left < stretch ? (size_t)left : stretch;
}

/* One stream's filters over a copy of the chunk, and its window. */
static congru_status take_stream(congru_decoder *d, congru_live_stream *stream, size_t count)
{
    const congru_preprocessing *p = stream->filters;
    const double *chunk = p != NULL ? d->copy : d->chunk;
    congru_status status = CONGRU_OK;
    if (p != NULL) {
        for (size_t i = 0; i < d->d * count; i++)
            d->copy[i] = p->scale * d->chunk[i];
        if (p->average_reference)
            status = congru_signal_average_reference(d->context, d->d, count, d->copy);
        if (status == CONGRU_OK)
            status =
                congru_signal_filter_causal(d->context, &stream->filter, d->d, count, d->copy, stream->state);
    }
    for (size_t t = 0; status == CONGRU_OK && t < count; t++) {
        for (size_t i = 0; i < d->d; i++)
            d->frame[i] = chunk[i * count + t];
        congru_window_push(&stream->window, d->frame);
    }
    return status;
}

/* `count` frames are in the chunk, channel by channel. */
static congru_status take_chunk(congru_decoder *d, size_t count)
{
    if (d->model->preprocessing.average_reference)
        CONGRU_TRY(congru_signal_average_reference(d->context, d->d, count, d->chunk));
    CONGRU_TRY(congru_signal_filter_causal(d->context, &d->filter, d->d, count, d->chunk, d->state));
    if (d->trial.able)
        congru_live_trial_push(d, count, d->chunk);
    for (size_t s = 0; s < d->streams; s++)
        CONGRU_TRY(take_stream(d, &d->stream[s], count));
    d->count += count;
    return CONGRU_OK;
}

/* The sample at an index, in either precision. */
typedef double (*sample_reader)(const void *data, size_t index);

static double read_double(const void *data, size_t index)
{
    return ((const double *)data)[index];
}

static double read_float(const void *data, size_t index)
{
    return ((const float *)data)[index];
}

/* `count` frames from `first` on, channel by channel. */
static void fill_chunk(congru_decoder *d, size_t count, const void *data, size_t first, sample_reader read)
{
    for (size_t i = 0; i < d->d; i++)
        for (size_t t = 0; t < count; t++)
            d->chunk[i * count + t] = d->options.scale * read(data, (first + t) * d->channels + d->position[i]);
}

static congru_status push(congru_decoder *d, size_t frames, const void *data, sample_reader read, size_t *taken,
                          congru_decision *decision)
{
    congru_status status = CONGRU_OK;
    if (d == NULL || (data == NULL && frames > 0) || taken == NULL || decision == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *taken = 0;
    *decision = (congru_decision){.due = false};
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    while (status == CONGRU_OK && *taken < frames && !decision->due) {
        move_all(d);
        if (is_due(d)) { /* a late mark, or not the only decision of its frame */
            keep_appointments(d, decision);
            continue;
        }
        size_t count = next_stretch(d, frames - *taken);
        fill_chunk(d, count, data, *taken, read);
        status = take_chunk(d, count);
        *taken += count;
        keep_appointments(d, decision);
    }
    congru_memory_cache_lend(before);
    return status;
}

congru_status congru_decoder_push(congru_decoder *decoder, size_t frames, const double *data, size_t *taken,
                                  congru_decision *decision)
{
    return push(decoder, frames, data, read_double, taken, decision);
}

congru_status congru_decoder_push_float(congru_decoder *decoder, size_t frames, const float *data,
                                        size_t *taken, congru_decision *decision)
{
    return push(decoder, frames, data, read_float, taken, decision);
}

/* ---- Rest ---------------------------------------------------------------------------------------------- */

/* Looks at the window that ends now, as at a trial where the model needs cues: *seen is false where there is nothing to see. */
static congru_status look_at_rest(congru_decoder *d, bool *seen)
{
    const double cue = (double)d->count - (double)d->trial.samples - d->trial.onset;
    int32_t flat;
    *seen = d->flows ? is_whole(d) : cue >= 0;
    if (*seen && d->flows)
        look(d);
    if (!*seen || d->flows)
        return CONGRU_OK;
    congru_status status = congru_live_trial_cut(d, (uint64_t)cue, &flat);
    if (status == CONGRU_OK)
        status = congru_live_judge(d);
    *seen = status == CONGRU_OK;
    return status == CONGRU_ERROR_MEMORY ? status : CONGRU_OK;
}

static congru_status learn_rest(congru_decoder *d, size_t *windows)
{
    const size_t before = d->view[0].moves;
    bool seen;
    CONGRU_TRY(look_at_rest(d, &seen));
    for (size_t v = 0; seen && v < d->views; v++)
        CONGRU_TRY(congru_live_view_check_scale(d, &d->view[v]));
    for (size_t v = 0; seen && learns(d) && v < d->views; v++) {
        congru_following_begin(&d->view[v].following); /* no trial: what is remembered of these stays */
        congru_live_view_move(d, &d->view[v]);
    }
    *windows += d->view[0].moves > before;
    return CONGRU_OK;
}

congru_status congru_decoder_rest(congru_decoder *d, size_t frames, const double *data, size_t *windows)
{
    congru_status status = CONGRU_OK;
    size_t learned = 0;
    if (d == NULL || (data == NULL && frames > 0))
        return CONGRU_ERROR_ARGUMENT;
    congru_decoder_rewind(d);
    congru_memory_cache *before = congru_memory_cache_lend(&d->cache);
    const size_t length = congru_decoder_window(d);
    for (size_t at = 0, count; status == CONGRU_OK && at < frames; at += count) {
        const size_t left = length - (size_t)(d->count % length);
        count = frames - at < left ? frames - at : left;
        count = count < CONGRU_LIVE_CHUNK ? count : CONGRU_LIVE_CHUNK;
        fill_chunk(d, count, data, at, read_double);
        status = take_chunk(d, count);
        if (status == CONGRU_OK && d->count % length == 0)
            status = learn_rest(d, &learned);
    }
    congru_memory_cache_lend(before);
    congru_decoder_rewind(d);
    if (windows != NULL)
        *windows = learned;
    return status;
}

/* ---- What it is ---------------------------------------------------------------------------------------- */

size_t congru_decoder_channels(const congru_decoder *decoder)
{
    return decoder != NULL ? decoder->channels : 0;
}

double congru_decoder_sampling(const congru_decoder *decoder)
{
    return decoder != NULL ? decoder->sampling : 0;
}

size_t congru_decoder_window(const congru_decoder *decoder)
{
    if (decoder == NULL)
        return 0;
    return decoder->flows ? decoder->extent : decoder->trial.samples;
}

uint64_t congru_decoder_position(const congru_decoder *decoder)
{
    return decoder != NULL ? decoder->count : 0;
}

size_t congru_decoder_reference(const congru_decoder *decoder, double *reference)
{
    if (decoder == NULL)
        return 0;
    if (reference != NULL)
        memcpy(reference, decoder->view[0].reference, decoder->d * decoder->d * sizeof *reference);
    return decoder->view[0].moves;
}
