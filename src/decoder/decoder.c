/* Decodes a stream. SPDX-License-Identifier: Apache-2.0 */
#include "congru/decoder.h"
#include "base/workspace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bank.h"
#include "congru/signal.h"
#include "dataset/covariance.h"
#include "decoder/model_internal.h"
#include "decoder/window.h"

/* A variance below this part of the largest is none, as for trials (congru_covariance_check_rank). */
/* The part of a rate up to which a band is sampled alike at any rate. */
static const double band_of_rate = 0.45;
static const double flat_below = 1e-10;

enum { CHUNK = 64, WARM_UPS = 3 }; /* frames filtered at a time; first questions */

struct congru_decoder {
    congru_context *context; /* its own, of one thread */
    congru_bank bank;
    congru_arena arena;
    const congru_model *model;
    congru_decoder_options options;
    double sampling;
    size_t channels;  /* of a frame */
    size_t *position; /* (d) where the model's channels are in a frame */
    congru_iir filter;

    /* The stream */
    double *state; /* (d, sections, 2) */
    double *chunk; /* (d, CHUNK) */
    double *frame; /* (d) */
    congru_window window;
    uint64_t decisions, next_decision, adaptations, next_adaptation;

    /* The person */
    double *reference, *root; /* (d, d); root is reference^-1/2 */
    size_t moves;
    bool waiting;    /* `latest` has yet to move the reference */
    double *latest;  /* (d, d) the covariance of the last window looked at */
    double *aligned; /* (d, d) */
    double *probability;
};

void congru_decoder_options_init(congru_decoder_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_decoder_options){.rate = 4, .scale = 1, .prior_weight = 4, .memory = 100};
}

/* ---- Creation ------------------------------------------------------------------------------------------ */

static void layout(congru_arena *arena, congru_decoder *d)
{
    size_t n = d->window.d, size = n * n;
    d->position = congru_arena_take(arena, n, sizeof *d->position);
    d->state = congru_arena_take(arena, n * (d->filter.sections + 1) * 2, sizeof(double));
    d->chunk = congru_arena_take(arena, n * CHUNK, sizeof(double));
    d->frame = congru_arena_take(arena, n, sizeof(double));
    d->reference = congru_arena_take(arena, size, sizeof(double));
    d->root = congru_arena_take(arena, size, sizeof(double));
    d->latest = congru_arena_take(arena, size, sizeof(double));
    d->aligned = congru_arena_take(arena, size, sizeof(double));
    d->probability = congru_arena_take(arena, d->model->classes, sizeof(double));
    congru_window_layout(arena, &d->window);
}

static congru_status check_options(congru_context *context, const congru_model *model,
                                   const congru_decoder_options *o)
{
    const congru_preprocessing *p = &model->preprocessing;
    if (congru_model_needs_signals(model))
        return congru_fail(
            context, CONGRU_ERROR_UNSUPPORTED,
            "a model of several branches or of signals is asked about trials, by 'congru predict' (for a "
            "stream, train an aligner and a classifier of covariances)");
    if (!(o->rate >= 0 && o->rate <= 1e6 && o->sampling >= 0 && o->sampling <= 1e7 && o->window >= 0 &&
          o->window <= 1e6 && o->adapt_every >= 0 && o->adapt_every <= 1e9 && o->prior_weight >= 0 &&
          o->prior_weight <= 1e9 && o->memory >= 0 && isfinite(o->scale) && o->scale != 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a rate, window, weight or scale of the decoder is out of range");
    if (p->rate <= 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the model does not know the sampling rate of its signals (its set has no 'fs')");
    if (o->sampling > 0 && fabs(o->sampling - p->rate) > 1e-6 * p->rate) {
        double high = p->band[1] > 0 ? p->band[1] : p->filtered[1], least = fmin(o->sampling, p->rate);
        if (!(high > 0 && high <= band_of_rate * least))
            return congru_fail(
                context, CONGRU_ERROR_ARGUMENT,
                "the stream has %g Hz where the model has %g Hz, and %s (bring it to the model's rate first)",
                o->sampling, p->rate, high > 0 ? "its band is too wide for that" : "no band-pass");
        congru_note(
            context,
            "The stream has %g Hz where the model has %g Hz: the filters are designed for the stream's rate.",
            o->sampling, p->rate);
    }
    if (!p->known)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the model does not know how its covariances were made (train it on a set that "
                           "congru import wrote, or on signals)");
    if (o->window <= 0 && p->samples == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the model does not know how long its trials were: give a window");
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

static congru_status place(congru_decoder *d)
{
    const congru_preprocessing *p = &d->model->preprocessing;
    double seconds = d->options.window > 0 ? d->options.window : (double)p->samples / p->rate;
    double samples = floor(seconds * d->sampling + 0.5);
    /* In doubles, so that nothing overflows before it is refused. */
    double numbers = (double)p->channels * (1 + ((double)p->channels + 1) / 64);
    if (samples < 2)
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT, "a window of %.0f samples is too short", samples);
    if (!(samples * numbers * sizeof(double) <= CONGRU_DECODER_WINDOW_MAX))
        return congru_fail(
            d->context, CONGRU_ERROR_ARGUMENT,
            "a window of %.0f samples of %zu channels takes more than %d MB (give a shorter one)", samples,
            p->channels, (int)(CONGRU_DECODER_WINDOW_MAX >> 20));
    d->window.d = p->channels;
    d->window.samples = (size_t)samples;
    /* A high-pass has taken constants away already. */
    d->window.centred = p->estimator != CONGRU_ESTIMATOR_CSP && !(p->band[0] > 0 || p->filtered[0] > 0);
    congru_arena measure = {0};
    layout(&measure, d);
    if (congru_arena_reserve(&d->arena, measure.used) != CONGRU_OK)
        return congru_fail(d->context, CONGRU_ERROR_MEMORY, "not enough memory for a window of %zu samples",
                           d->window.samples);
    layout(&d->arena, d);
    return congru_workspace_check(d->context, &d->arena);
}

static congru_status ask(congru_decoder *d);
static congru_status move_reference(congru_decoder *d);
static congru_status rewind_all(congru_decoder *d);

/* Every call that a push can make, made a few times: what they allocate is in the bank from then on. */
static congru_status warm_up(congru_decoder *d)
{
    const size_t n = d->window.d;
    congru_status status = CONGRU_OK;
    for (int i = 0; status == CONGRU_OK && i < WARM_UPS; i++) {
        memset(d->chunk, 0, n * CHUNK * sizeof *d->chunk);
        status = congru_signal_filter_causal(d->context, &d->filter, n, CHUNK, d->chunk, d->state);
        if (status == CONGRU_OK && d->model->preprocessing.average_reference)
            status = congru_signal_average_reference(d->context, n, CHUNK, d->chunk);
        memcpy(d->latest, d->reference, n * n * sizeof *d->latest);
        if (status == CONGRU_OK)
            status = ask(d);
        d->waiting = true;
        if (status == CONGRU_OK && move_reference(d) == CONGRU_ERROR_MEMORY)
            status = CONGRU_ERROR_MEMORY;
    }
    return status;
}

static congru_status start(congru_decoder *d)
{
    congru_preprocessing filters = d->model->preprocessing;
    congru_preprocessing_own_filters(&filters);
    congru_status status = congru_preprocess_design(d->context, &filters, d->sampling, &d->filter, NULL);
    if (status == CONGRU_OK)
        status = place(d);
    if (status == CONGRU_OK)
        status = find_channels(d);
    if (status == CONGRU_OK)
        status = rewind_all(d);
    if (status == CONGRU_ERROR_NOT_POSITIVE || status == CONGRU_ERROR_NOT_FINITE)
        status = congru_fail(d->context, CONGRU_ERROR_NOT_POSITIVE,
                             "the model's tensor " CONGRU_MODEL_PRIOR
                             " is not a covariance (train the model again)");
    if (status != CONGRU_OK)
        return status;
    congru_bank *before = congru_bank_lend(&d->bank);
    status = warm_up(d);
    congru_bank_lend(before);
    return status == CONGRU_OK ? rewind_all(d) : status;
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
    congru_status status = check_options(context, model, options);
    if (status != CONGRU_OK)
        return status;
    congru_decoder *made = calloc(1, sizeof *made);
    if (made == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a decoder");
    made->model = model;
    made->options = *options;
    made->sampling = options->sampling > 0 ? options->sampling : model->preprocessing.rate;
    const congru_context_options alone = {.threads = 1, .cpu = congru_context_cpu(context)};
    status = congru_context_create(&made->context, &alone);
    if (status == CONGRU_OK)
        status = start(made);
    if (status != CONGRU_OK) {
        congru_fail(context, status, "%s",
                    made->context != NULL ? made->context->error : "not enough memory for a decoder");
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
    congru_context_destroy(&old->context);
    congru_arena_free(&old->arena);
    congru_bank_clear(&old->bank);
    free(old);
    *decoder = NULL;
}

/* ---- Time ---------------------------------------------------------------------------------------------- */

/* The frame after which event `number` of a series with this period, in frames, is due: from the first full window on. */
static uint64_t due_at(const congru_decoder *d, uint64_t number, double period)
{
    return d->window.samples + (uint64_t)ceil((double)number * period - 1e-6);
}

static double decision_period(const congru_decoder *d)
{
    return d->sampling / d->options.rate;
}

static double adaptation_period(const congru_decoder *d)
{
    double every =
        d->options.adapt_every > 0 ? d->options.adapt_every * d->sampling : (double)d->window.samples;
    return every < 1 ? 1 : every;
}

/* To the state before the first frame. */
static congru_status rewind_all(congru_decoder *d)
{
    const size_t n = d->window.d;
    const double *prior = congru_model_prior(d->model);
    memset(d->state, 0, n * (d->filter.sections + 1) * 2 * sizeof *d->state);
    congru_window_reset(&d->window);
    d->decisions = d->adaptations = 0;
    d->moves = 0;
    d->waiting = false;
    d->next_decision = d->options.rate > 0 ? due_at(d, 0, decision_period(d)) : UINT64_MAX;
    d->next_adaptation =
        d->options.adaptation == CONGRU_ADAPT_WINDOWS ? due_at(d, 0, adaptation_period(d)) : UINT64_MAX;
    for (size_t i = 0; i < n * n; i++)
        d->reference[i] = prior != NULL ? prior[i] : i % (n + 1) == 0 ? 1.0 : 0.0;
    congru_bank *before = congru_bank_lend(&d->bank);
    congru_status status = congru_spd_invsqrt(d->context, 1, n, d->reference, d->root);
    congru_bank_lend(before);
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
        rewind_all(d); /* which create has done: it finds what it needs in the bank */
}

/* ---- Deciding ------------------------------------------------------------------------------------------ */

/* probability of the window whose covariance is `latest`. */
static congru_status ask(congru_decoder *d)
{
    const size_t n = d->window.d;
    congru_status status = CONGRU_OK;
    if (d->model->pipeline.aligner->recentring != NULL)
        status = congru_spd_congruence(d->context, 1, n, n, d->latest, d->root, d->aligned);
    else
        memcpy(d->aligned, d->latest, n * n * sizeof *d->aligned);
    const congru_newcomer newcomer = {.count = 1, .d = n, .covariance = d->aligned};
    if (status == CONGRU_OK)
        status = congru_pipeline_predict(d->context, &d->model->pipeline, &d->model->method, &d->model->tensors,
                                         &newcomer, d->aligned, d->probability);
    return status;
}

/* A step along the geodesic of the model's metric: 1 / (windows so far + 1), those the prior stands for included. */
static congru_status move_reference(congru_decoder *d)
{
    const size_t n = d->window.d;
    bool waiting = d->waiting;
    d->waiting = false;
    if (!waiting || d->model->pipeline.aligner->recentring == NULL)
        return CONGRU_OK;
    double behind = d->options.prior_weight + (double)d->moves;
    if (d->options.memory > 0 && behind > d->options.memory)
        behind = d->options.memory;
    congru_status status = d->model->pipeline.aligner->recentring->move(
        d->context, &d->model->method, n, d->reference, d->latest, 1.0 / (behind + 1.0), d->aligned);
    if (status == CONGRU_OK)
        status = congru_spd_invsqrt(d->context, 1, n, d->aligned, d->latest);
    if (status != CONGRU_OK)
        return status; /* a window with flat channels teaches nothing */
    memcpy(d->reference, d->aligned, n * n * sizeof *d->reference);
    memcpy(d->root, d->latest, n * n * sizeof *d->root);
    d->moves++;
    return CONGRU_OK;
}

static void look_at_window(congru_decoder *d)
{
    congru_window_covariance(&d->window, d->model->preprocessing.estimator,
                             d->model->preprocessing.trace_normalise, d->latest);
    congru_covariance_shrink(d->model->preprocessing.shrinkage, 1, d->window.d, d->latest);
}

/* The first channel without variance beside the others' in the window, or -1. */
static int32_t find_flat(const congru_decoder *d)
{
    const size_t n = d->window.d;
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, d->latest[i * (n + 1)]);
    for (size_t i = 0; i < n; i++)
        if (!(d->latest[i * (n + 1)] > flat_below * most))
            return (int32_t)i;
    return -1;
}

static void decide(congru_decoder *d, congru_decision *decision)
{
    *decision = (congru_decision){
        .due = true,
        .sample = d->window.count,
        .time = (double)d->window.count / d->sampling,
        .status = CONGRU_ERROR_NOT_FINITE,
        .answer = -1,
        .flat = -1,
    };
    if (!congru_window_whole(&d->window))
        return;
    look_at_window(d);
    double trace = 0;
    for (size_t i = 0; i < d->window.d; i++)
        trace += d->latest[i * (d->window.d + 1)];
    decision->status = congru_model_scale(d->model, trace) == 1 ? ask(d) : CONGRU_ERROR_SCALE;
    for (size_t k = 0; decision->status == CONGRU_OK && k < d->model->classes; k++)
        if (!isfinite(d->probability[k]))
            decision->status = CONGRU_ERROR_NOT_FINITE;
    if (decision->status == CONGRU_ERROR_NOT_POSITIVE)
        decision->flat = find_flat(d);
    if (decision->status != CONGRU_OK)
        return;
    decision->answer = 0;
    for (size_t k = 1; k < d->model->classes; k++)
        if (d->probability[k] > d->probability[decision->answer])
            decision->answer = (int32_t)k;
    decision->probability = d->probability;
    d->waiting = d->waiting || d->options.adaptation == CONGRU_ADAPT_DECISIONS;
}

/* What is due after the last frame: a decision, and then the reference may move. It does so when the next frame is
 * pushed, so that the decision is out before. */
static void keep_appointments(congru_decoder *d, congru_decision *decision)
{
    bool looked = false;
    if (d->window.count == d->next_decision) {
        decide(d, decision);
        looked = decision->status == CONGRU_OK;
        d->next_decision = due_at(d, ++d->decisions, decision_period(d));
        if (d->next_decision <= d->window.count) /* more decisions than frames: one for each frame */
            d->next_decision = d->window.count + 1;
    }
    if (d->window.count == d->next_adaptation) {
        d->next_adaptation = due_at(d, ++d->adaptations, adaptation_period(d));
        if (congru_window_whole(&d->window)) {
            if (!looked)
                look_at_window(d);
            d->waiting = true;
        }
    }
}

congru_status congru_decoder_decide(congru_decoder *d, congru_decision *decision)
{
    if (d == NULL || decision == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *decision = (congru_decision){.due = false};
    congru_bank *before = congru_bank_lend(&d->bank);
    if (congru_window_full(&d->window)) /* the reference moves at the next frame, as after any decision */
        decide(d, decision);
    congru_bank_lend(before);
    return CONGRU_OK;
}

/* ---- Pushing ------------------------------------------------------------------------------------------- */

/* Frames that can be taken before something is due, at most CHUNK. */
static size_t next_stretch(const congru_decoder *d, size_t frames)
{
    uint64_t event = d->next_decision < d->next_adaptation ? d->next_decision : d->next_adaptation;
    uint64_t left = event - d->window.count;
    size_t stretch = frames < CHUNK ? frames : CHUNK;
    return left < stretch ? (size_t)left : stretch;
}

/* `count` frames are in the chunk, channel by channel. */
static congru_status take_chunk(congru_decoder *d, size_t count)
{
    const size_t n = d->window.d;
    congru_status status = CONGRU_OK;
    if (d->model->preprocessing.average_reference)
        status = congru_signal_average_reference(d->context, n, count, d->chunk);
    if (status == CONGRU_OK)
        status = congru_signal_filter_causal(d->context, &d->filter, n, count, d->chunk, d->state);
    for (size_t t = 0; status == CONGRU_OK && t < count; t++) {
        for (size_t i = 0; i < n; i++)
            d->frame[i] = d->chunk[i * count + t];
        congru_window_push(&d->window, d->frame);
    }
    return status;
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

static congru_status push(congru_decoder *d, size_t frames, const void *data, sample_reader read, size_t *taken,
                          congru_decision *decision)
{
    congru_status status = CONGRU_OK;
    if (d == NULL || (data == NULL && frames > 0) || taken == NULL || decision == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *taken = 0;
    *decision = (congru_decision){.due = false};
    congru_bank *before = congru_bank_lend(&d->bank);
    while (status == CONGRU_OK && *taken < frames && !decision->due) {
        move_reference(d);
        size_t count = next_stretch(d, frames - *taken);
        for (size_t i = 0; i < d->window.d; i++)
            for (size_t t = 0; t < count; t++)
                d->chunk[i * count + t] =
                    d->options.scale * read(data, (*taken + t) * d->channels + d->position[i]);
        status = take_chunk(d, count);
        *taken += count;
        keep_appointments(d, decision);
    }
    congru_bank_lend(before);
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
    return decoder != NULL ? decoder->window.samples : 0;
}

uint64_t congru_decoder_position(const congru_decoder *decoder)
{
    return decoder != NULL ? decoder->window.count : 0;
}

size_t congru_decoder_reference(const congru_decoder *decoder, double *reference)
{
    if (decoder == NULL)
        return 0;
    if (reference != NULL)
        memcpy(reference, decoder->reference, decoder->window.d * decoder->window.d * sizeof *reference);
    return decoder->moves;
}
