/* Plans views, looks at what they see, asks them, moves their references. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/covariance.h"
#include "decoder/live.h"
#include "decoder/model_spread.h"

static const char memory[] = "a decoder";

/* ---- Planning ------------------------------------------------------------------------------------------ */

static bool reads_signals(const congru_live_view *view)
{
    return view->branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
}

static const congru_material *material_of(const congru_decoder *d, const congru_live_view *view)
{
    return &d->materials.material[view->material];
}

/* Of covariances as the model's set had them: a window of samples as they are, and no trial is cut. */
static congru_status plan_window(congru_decoder *d)
{
    const congru_preprocessing *p = &d->model->preprocessing;
    const double seconds = d->options.window > 0 ? d->options.window : (double)p->samples / p->rate;
    const double samples = floor(seconds * d->sampling + 0.5);
    if (samples < 2)
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT, "a window of %.0f samples is too short", samples);
    if (!(samples < 1e15))
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT, "a window of %g samples is too long", samples);
    CONGRU_TRY(congru_allocate(d->context, &d->stream, 1, sizeof *d->stream, memory));
    CONGRU_TRY(congru_allocate(d->context, &d->trial.matrix, d->d * d->d, sizeof(double), memory));
    d->trial.set.covariance = d->trial.matrix;
    d->streams = 1;
    d->flows = true;
    d->extent = (size_t)samples;
    d->end = p->window[1] > p->window[0] && !p->rest ? congru_set_onset(&d->trial.set) + samples : (double)NAN;
    /* A high-pass has taken constants away already. */
    d->stream[0].window = (congru_window){.d = d->d,
                                          .samples = d->extent,
                                          .centred = p->estimator != CONGRU_ESTIMATOR_CSP &&
                                                     !(p->band[0] > 0 || p->filtered[0] > 0)};
    return CONGRU_OK;
}

/* Of signals: the trial of a cue, which is as those of the model's set were. */
static congru_status plan_cue(congru_decoder *d)
{
    const congru_preprocessing *p = &d->model->preprocessing;
    congru_live_trial *trial = &d->trial;
    const double samples = floor((double)p->samples * d->sampling / p->rate + 0.5);
    if (!(p->window[1] > p->window[0]))
        return congru_fail(d->context, CONGRU_ERROR_UNSUPPORTED,
                           "the model does not know where the cue of its trials was (import its set with a "
                           "--window)");
    if (!(samples * (double)d->d * sizeof(double) * 4 <= CONGRU_DECODER_WINDOW_MAX))
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT,
                           "trials of %.0f samples of %zu channels take more than %d MB", samples, d->d,
                           (int)(CONGRU_DECODER_WINDOW_MAX >> 20));
    trial->able = true;
    trial->samples = trial->set.samples = (size_t)samples;
    CONGRU_TRY(congru_allocate(d->context, &trial->signal, d->d * trial->samples, sizeof(double), memory));
    CONGRU_TRY(congru_allocate(d->context, &trial->variance, d->d, sizeof(double), memory));
    trial->set.signals = trial->signal;
    trial->onset = congru_set_onset(&trial->set);
    return CONGRU_OK;
}

/* The one trial that branches are planned on. */
static congru_status plan_trial(congru_decoder *d)
{
    congru_live_trial *trial = &d->trial;
    trial->set = (congru_set){
        .count = 1,
        .dimension = d->d,
        .subject = &trial->zero,
        .session = &trial->zero,
        .run = &trial->zero,
        .channel_name = d->model->preprocessing.channel_name,
        .rate = d->sampling,
        .start = d->model->preprocessing.window[0],
        .meta = (char *)(uintptr_t)congru_texts_find(&d->model->texts, "preprocessing"), /* only read */
    };
    return congru_model_needs_signals(d->model) ? plan_cue(d) : plan_window(d);
}

/* How much of the trial a block needs: all of it where its filters look ahead. */
static size_t samples_needed(const congru_decoder *d, const congru_live_block *block)
{
    const congru_product *product = block->product;
    if (product == NULL)
        return d->trial.samples;
    const congru_preprocessing *p = &product->description;
    const bool filters = p->band[1] > 0 || p->notch > 0, ahead = p->fir || p->resample > 0;
    if (ahead || (!p->causal && (filters || p->baseline_whole)))
        return d->trial.samples;
    double end = product->onset + (double)product->samples;
    if (!p->baseline_whole && p->baseline[1] > p->baseline[0])
        end = fmax(end, ceil(p->baseline[1] * d->sampling));
    end -= d->trial.onset;
    return end < (double)d->trial.samples ? (size_t)end : d->trial.samples;
}

static congru_status plan_view(congru_decoder *d, size_t index)
{
    const congru_branch *branch = &d->model->pipeline.branch[index];
    congru_live_view *view = &d->view[index];
    view->branch = branch;
    view->fitted = &d->model->branch[index];
    if (d->trial.able && !congru_branch_reads(branch, CONGRU_NEEDS_SIGNALS))
        return congru_fail(
            d->context, CONGRU_ERROR_UNSUPPORTED,
            "branch '%s' reads covariances as its set had them, and a model of branches does not "
            "say how they were made (give the branch a band or a window)",
            branch->name);
    CONGRU_TRY(congru_materials_want(d->context, &d->model->method, branch, &d->materials, &view->material));
    view->blocks = material_of(d, view)->blocks;
    if (view->blocks != view->fitted->blocks)
        return congru_fail(d->context, CONGRU_ERROR_FORMAT, "branch '%s' was fitted on %zu blocks, and has %zu",
                           branch->name, view->fitted->blocks, view->blocks);
    return CONGRU_OK;
}

/* Each block's product, prior and bounds. */
static congru_status plan_blocks(congru_decoder *d, congru_live_view *view)
{
    for (size_t b = 0; b < view->blocks; b++) {
        const congru_product *product = material_of(d, view)->block[b]->product;
        congru_live_block *block = &view->block[b];
        *block = (congru_live_block){.product = product, .prior = view->fitted->prior[b]};
        if (product != NULL && product->channels != d->d)
            return congru_fail(d->context, CONGRU_ERROR_UNSUPPORTED,
                               "branch '%s' chooses channels of its own, which a stream does not",
                               view->branch->name);
        if (product != NULL)
            block->as = &product->description;
        if (!d->trial.able) {
            block->as = &d->model->preprocessing;
            block->length = d->extent;
        }
        congru_live_block_bound(d, view->fitted->spread[b], view->fitted->spread_rows[b], block);
    }
    return CONGRU_OK;
}

/* Whether covariances of it can be had at any time, the state of its filters kept. */
static bool can_flow(const congru_preprocessing *p)
{
    const bool baseline = p->baseline_whole || p->baseline[1] > p->baseline[0];
    return !p->fir && p->resample <= 0 && !p->rest && (!baseline || p->band[0] > 0);
}

bool congru_model_needs_cues(const congru_model *model)
{
    bool needs = false;
    for (size_t i = 0; model != NULL && i < model->pipeline.branches; i++) {
        const congru_branch *branch = &model->pipeline.branch[i];
        needs = needs || branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
        for (size_t b = 0; branch->block != NULL && b < branch->blocks; b++)
            needs = needs || !can_flow(&branch->block[b]);
    }
    return needs;
}

/* The stream that a block is cut from: one for all blocks that share their filters. */
static congru_status plan_stream(congru_decoder *d, double end, congru_live_block *block)
{
    const congru_preprocessing *p = block->as;
    size_t *s = &block->stream;
    for (*s = 0; *s < d->streams; ++*s)
        if (congru_product_shares(d->stream[*s].filters, p))
            break;
    congru_live_stream *stream = &d->stream[*s];
    if (*s == d->streams) {
        stream->filters = p;
        stream->window = (congru_window){.d = d->d, .centred = !(p->band[0] > 0)};
        d->streams++;
        CONGRU_TRY(congru_preprocess_design(d->context, p, d->sampling, &stream->filter, NULL));
    }
    const double last = block->product->onset + (double)block->product->samples;
    block->length = block->product->samples;
    block->delay = (size_t)(end - last);
    const size_t reach = block->delay + block->length;
    stream->window.centred = stream->window.centred && p->estimator != CONGRU_ESTIMATOR_CSP;
    stream->window.samples = reach > stream->window.samples ? reach : stream->window.samples;
    d->extent = reach > d->extent ? reach : d->extent;
    return CONGRU_OK;
}

/* What is cut of the trial of a cue and, where that can be, of samples as they flow. */
static congru_status plan_streams(congru_decoder *d)
{
    double end = -INFINITY;
    size_t blocks = 0, needed = 2;
    for (size_t v = 0; v < d->views; v++)
        for (size_t b = 0; b < d->view[v].blocks; b++, blocks++) {
            const congru_live_block *block = &d->view[v].block[b];
            const size_t own = samples_needed(d, block);
            needed = own > needed ? own : needed;
            if (block->product != NULL)
                end = fmax(end, block->product->onset + (double)block->product->samples);
        }
    d->end = end;
    d->flows = !congru_model_needs_cues(d->model);
    CONGRU_TRY(congru_allocate(d->context, &d->stream, blocks, sizeof *d->stream, memory));
    for (size_t v = 0; d->flows && v < d->views; v++)
        for (size_t b = 0; b < d->view[v].blocks; b++)
            CONGRU_TRY(plan_stream(d, end, &d->view[v].block[b]));
    d->trial.room = 2 * d->trial.samples + (size_t)d->sampling; /* for markers that come late */
    d->trial.samples = d->trial.set.samples = needed;
    return congru_materials_reserve(d->context, &d->materials);
}

congru_status congru_live_plan(congru_decoder *d)
{
    CONGRU_TRY(plan_trial(d));
    CONGRU_TRY(congru_materials_begin(d->context, &d->trial.set, false, false, &d->materials));
    CONGRU_TRY(congru_allocate(d->context, &d->view, d->model->pipeline.branches, sizeof *d->view, memory));
    d->views = d->model->pipeline.branches;
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(plan_view(d, v));
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(plan_blocks(d, &d->view[v]));
    return d->trial.able ? plan_streams(d) : CONGRU_OK;
}

void congru_live_clear(congru_decoder *d)
{
    for (size_t v = 0; v < d->views; v++)
        congru_following_clear(&d->view[v].following);
    congru_materials_clear(&d->materials);
    free(d->view);
    free(d->stream);
    free(d->trial.signal);
    free(d->trial.variance);
    free(d->trial.matrix);
}

void congru_live_view_layout(congru_arena *arena, const congru_decoder *d, congru_live_view *view)
{
    const size_t size = view->blocks * d->d * d->d;
    view->reference = congru_arena_take(arena, size, sizeof(double));
    view->root = congru_arena_take(arena, size, sizeof(double));
    view->latest = congru_arena_take(arena, size, sizeof(double));
    view->aligned = congru_arena_take(arena, size, sizeof(double));
    view->moved = congru_arena_take(arena, size, sizeof(double));
    view->row = congru_arena_take(arena, material_of(d, view)->features + 1, sizeof(double));
    congru_live_view_layout_looks(arena, d, view);
}

/* ---- Looking ------------------------------------------------------------------------------------------- */

void congru_live_view_look(const congru_decoder *d, congru_live_view *view)
{
    for (size_t b = 0; b < view->blocks; b++) {
        const congru_live_block *block = &view->block[b];
        double *c = view->latest + b * d->d * d->d;
        congru_window_covariance(&d->stream[block->stream].window, block->delay, block->length,
                                 block->as->estimator, block->as->trace_normalise, c);
        congru_covariance_shrink(block->as->shrinkage, 1, d->d, c);
    }
}

/* Signals of a block as they are, or whitened by its reference as they are read. */
static congru_signals signals_of(const congru_decoder *d, const congru_live_view *view, size_t b, bool white)
{
    static const int32_t own = 0;
    const congru_product *product = view->block[b].product;
    congru_signals signals = {.plain = d->trial.signal,
                              .channels = d->d,
                              .samples = d->trial.samples,
                              .rate = d->sampling,
                              .start = d->trial.set.start};
    if (product != NULL) {
        signals.plain = product->signals;
        signals.samples = product->samples;
        signals.rate = product->rate;
        signals.start = product->start;
    }
    if (white && view->branch->aligner->recentring != NULL) {
        signals.root = view->root + b * d->d * d->d;
        signals.owner = &own;
    }
    return signals;
}

congru_status congru_live_view_look_at_trial(const congru_decoder *d, congru_live_view *view)
{
    const size_t size = d->d * d->d;
    const congru_recentring *recentring = view->branch->aligner->recentring;
    for (size_t b = 0; b < view->blocks; b++) {
        if (!reads_signals(view)) {
            memcpy(view->latest + b * size, view->block[b].product->covariance, size * sizeof(double));
        } else if (recentring != NULL) {
            const congru_signals signals = signals_of(d, view, b, false);
            CONGRU_TRY(recentring->moment(d->context, &signals, view->latest + b * size));
        }
    }
    return CONGRU_OK;
}

static double trace_of(size_t d, const double *c)
{
    double trace = 0;
    for (size_t i = 0; i < d; i++)
        trace += c[i * (d + 1)];
    return trace;
}

congru_status congru_live_view_check_scale(const congru_decoder *d, const congru_live_view *view)
{
    const congru_live_block *block = &view->block[0];
    if (block->prior == NULL || view->branch->aligner->recentring == NULL ||
        (block->as != NULL && block->as->trace_normalise))
        return CONGRU_OK;
    return congru_model_factor(trace_of(d->d, block->prior), trace_of(d->d, view->latest)) == 1
               ? CONGRU_OK
               : CONGRU_ERROR_SCALE;
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

congru_status congru_live_view_ask(const congru_decoder *d, congru_live_view *view)
{
    const congru_material *m = material_of(d, view);
    const size_t n = d->d, size = n * n;
    const bool signals = reads_signals(view), recentres = view->branch->aligner->recentring != NULL;
    congru_target_trials block[CONGRU_BLOCKS_MAX];
    congru_signals own[CONGRU_BLOCKS_MAX];
    for (size_t b = 0; b < view->blocks; b++) {
        const double *latest = view->latest + b * size;
        double *aligned = view->aligned + b * size;
        if (signals)
            own[b] = signals_of(d, view, b, true);
        else if (recentres)
            CONGRU_TRY(congru_spd_congruence(d->context, 1, n, n, latest, view->root + b * size, aligned));
        else
            memcpy(aligned, latest, size * sizeof *aligned);
        block[b] = (congru_target_trials){.count = 1,
                                          .d = n,
                                          .covariance = signals ? NULL : aligned,
                                          .signals = signals ? &own[b] : NULL,
                                          .following = congru_live_follows(d) ? &view->following : NULL};
    }
    const congru_asked asked = {.blocks = view->blocks,
                                .features = m->features,
                                .block = block,
                                .first = m->first,
                                .mapped = view->aligned,
                                .row = view->row};
    congru_following_begin(&view->following);
    CONGRU_TRY(congru_branch_predict(d->context, view->branch, &m->method, &view->fitted->tensors, &asked,
                                     view->probability));
    if (view->following.before)
        congru_following_keep(&view->following);
    return CONGRU_OK;
}

/* ---- The subject ---------------------------------------------------------------------------------------- */

congru_status congru_live_view_rewind(const congru_decoder *d, congru_live_view *view)
{
    const size_t n = d->d, size = n * n;
    view->moves = 0;
    view->waiting = false;
    view->following.before = d->options.adaptation == CONGRU_ADAPT_TRIALS;
    view->following.memory = d->options.memory;
    congru_following_forget(&view->following);
    for (size_t b = 0; b < view->blocks; b++) {
        const double *prior = view->block[b].prior;
        for (size_t i = 0; i < size; i++)
            view->reference[b * size + i] = prior != NULL ? prior[i] : i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    return congru_spd_invsqrt(d->context, view->blocks, n, view->reference, view->root);
}

/* A step along the geodesic of the model's metric: 1 / (windows so far + 1), those the prior stands for included. Before
 * the first of all, as for trials (congru_recentre_target). */
congru_status congru_live_view_move(const congru_decoder *d, congru_live_view *view)
{
    const size_t n = d->d, size = view->blocks * n * n;
    const congru_recentring *recentring = view->branch->aligner->recentring;
    double behind = d->options.prior_weight + (double)view->moves;
    view->waiting = false;
    if (recentring == NULL && !view->following.before)
        congru_following_keep(&view->following);
    if (recentring == NULL)
        return CONGRU_OK;
    if (d->options.memory > 0 && behind > d->options.memory)
        behind = d->options.memory;
    if (behind == 0 && d->options.adaptation == CONGRU_ADAPT_TRIALS)
        for (size_t b = 0; b < view->blocks; b++)
            congru_recentre_begin(n, view->latest + b * n * n, view->aligned + b * n * n);
    else
        CONGRU_TRY(recentring->move(d->context, &material_of(d, view)->method, view->blocks, n, view->reference,
                                    view->latest, 1.0 / (behind + 1.0), view->aligned));
    /* Nothing is learned of a window with flat channels. */
    CONGRU_TRY(congru_spd_invsqrt(d->context, view->blocks, n, view->aligned, view->moved));
    memcpy(view->reference, view->aligned, size * sizeof(double));
    memcpy(view->root, view->moved, size * sizeof(double));
    view->moves++;
    if (!view->following.before)
        congru_following_keep(&view->following);
    return CONGRU_OK;
}
