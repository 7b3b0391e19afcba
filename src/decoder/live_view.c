/* Plans views, looks at what they see, asks them, moves their references. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/covariance.h"
#include "decoder/live.h"
#include "decoder/model_spread.h"

static congru_status fail_memory(congru_decoder *d)
{
    return congru_fail(d->context, CONGRU_ERROR_MEMORY, "not enough memory for a decoder");
}

/* ---- Planning ------------------------------------------------------------------------------------------ */

/* An aligner and a classifier of covariances: the model's own window, and no trial is cut. */
static congru_status plan_plain(congru_decoder *d)
{
    const congru_preprocessing *p = &d->model->preprocessing;
    const double seconds = d->options.window > 0 ? d->options.window : (double)p->samples / p->rate;
    const double samples = floor(seconds * d->sampling + 0.5);
    const congru_set cut = {.rate = d->sampling, .start = p->window[0]};
    if (samples < 2)
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT, "a window of %.0f samples is too short", samples);
    if (!(samples < 1e15))
        return congru_fail(d->context, CONGRU_ERROR_ARGUMENT, "a window of %g samples is too long", samples);
    d->views = d->streams = 1;
    d->view = calloc(1, sizeof *d->view);
    d->stream = calloc(1, sizeof *d->stream);
    if (d->view == NULL || d->stream == NULL)
        return fail_memory(d);
    d->flows = true;
    d->extent = (size_t)samples;
    d->end = p->window[1] > p->window[0] && !p->rest ? congru_set_onset(&cut) + samples : (double)NAN;
    d->stream[0].window = (congru_window){.d = d->d, .samples = d->extent};
    /* A high-pass has taken constants away already. */
    d->stream[0].window.centred =
        p->estimator != CONGRU_ESTIMATOR_CSP && !(p->band[0] > 0 || p->filtered[0] > 0);
    d->view[0] = (congru_live_view){
        .alone = {.aligner = d->model->pipeline.aligner, .classifier = d->model->pipeline.classifier},
        .method = d->model->method,
        .tensors = &d->model->tensors,
        .blocks = 1};
    d->view[0].block[0] =
        (congru_live_block){.as = p, .prior = congru_model_prior(d->model), .length = d->extent};
    const double *spread = NULL;
    size_t rows = 0;
    congru_status status = CONGRU_OK;
    if (d->model->pipeline.aligner->recentring != NULL)
        status = congru_spread_find(d->context, &d->model->tensors, CONGRU_MODEL_SPREAD, &spread, &rows);
    congru_live_block_bound(d, spread, rows, &d->view[0].block[0]);
    return status;
}

/* The one trial that branches are planned on, which is as those of the model's set were. */
static congru_status plan_trial(congru_decoder *d)
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
    trial->samples = (size_t)samples;
    trial->signal = calloc(d->d * trial->samples + 1, sizeof(double));
    trial->variance = calloc(d->d, sizeof(double));
    if (trial->signal == NULL || trial->variance == NULL)
        return fail_memory(d);
    trial->set = (congru_set){
        .count = 1,
        .dimension = d->d,
        .samples = trial->samples,
        .signals = trial->signal,
        .subject = &trial->zero,
        .session = &trial->zero,
        .run = &trial->zero,
        .channel_name = p->channel_name,
        .rate = d->sampling,
        .start = p->window[0],
        .meta = (char *)(uintptr_t)congru_texts_find(&d->model->texts, "preprocessing"), /* only read */
    };
    trial->onset = congru_set_onset(&trial->set);
    return CONGRU_OK;
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
    view->alone = (congru_pipeline){.aligner = branch->aligner, .classifier = branch->classifier};
    view->signals = branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
    if (branch->blocks == 0 && !view->signals)
        return congru_fail(
            d->context, CONGRU_ERROR_UNSUPPORTED,
            "branch '%s' reads covariances as its set had them, and a model of branches does not "
            "say how they were made (give the branch a band or a window)",
            branch->name);
    congru_status status =
        congru_materials_want(d->context, &d->model->method, branch, &d->materials, &view->material);
    view->found = calloc(1, sizeof *view->found);
    if (status == CONGRU_OK && view->found == NULL)
        status = fail_memory(d);
    if (status != CONGRU_OK)
        return status;
    const congru_material *own = &d->materials.material[view->material];
    view->method = own->method;
    view->blocks = own->blocks;
    view->features = own->features;
    memcpy(view->first, own->first, sizeof view->first);
    status = congru_model_branch_find(d->context, d->model, index, view->blocks, view->found);
    view->tensors = &view->found->tensors;
    return status;
}

/* Each block's product and prior, now that the list of products does not move. */
static congru_status plan_blocks(congru_decoder *d, size_t index)
{
    congru_live_view *view = &d->view[index];
    const congru_materials *m = &d->materials;
    congru_status status = CONGRU_OK;
    for (size_t b = 0; status == CONGRU_OK && b < view->blocks; b++) {
        const size_t product = m->prepared_product[m->material[view->material].block[b]];
        view->block[b] = (congru_live_block){.prior = view->found->aligned.prior[b]};
        congru_live_block_bound(d, view->found->spread[b], view->found->spread_rows[b], &view->block[b]);
        if (product >= m->products)
            continue;
        view->block[b].product = &m->product[product];
        view->block[b].as = &m->product[product].description;
        if (m->product[product].channels != d->d)
            status = congru_fail(d->context, CONGRU_ERROR_UNSUPPORTED,
                                 "branch '%s' chooses channels of its own, which a stream does not",
                                 d->model->pipeline.branch[index].name);
    }
    return status;
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
        for (size_t b = 0; b < branch->blocks; b++)
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
        congru_status status = congru_preprocess_design(d->context, p, d->sampling, &stream->filter, NULL);
        if (status != CONGRU_OK)
            return status;
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

static congru_status plan_streams(congru_decoder *d)
{
    double end = -INFINITY;
    size_t blocks = 0;
    congru_status status = CONGRU_OK;
    d->flows = !congru_model_needs_cues(d->model);
    for (size_t v = 0; v < d->views; v++)
        for (size_t b = 0; b < d->view[v].blocks; b++) {
            const congru_live_block *block = &d->view[v].block[b];
            if (block->product != NULL)
                end = fmax(end, block->product->onset + (double)block->product->samples);
            blocks++;
        }
    d->end = end;
    if (!d->flows)
        return CONGRU_OK;
    d->stream = calloc(blocks, sizeof *d->stream);
    if (d->stream == NULL)
        return fail_memory(d);
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++)
        for (size_t b = 0; status == CONGRU_OK && b < d->view[v].blocks; b++)
            status = plan_stream(d, end, &d->view[v].block[b]);
    return status;
}

/* Arrays of the products, as views read them, and which are filtered together. */
static congru_status reserve_products(congru_decoder *d)
{
    congru_materials *m = &d->materials;
    d->trial.leader = calloc(m->products + 1, sizeof *d->trial.leader);
    if (d->trial.leader == NULL)
        return fail_memory(d);
    for (size_t i = 0; i < m->products; i++)
        while (d->trial.leader[i] < i &&
               !congru_product_shares(&m->product[d->trial.leader[i]].description, &m->product[i].description))
            d->trial.leader[i]++;
    for (size_t i = 0; i < m->count; i++) {
        if (m->prepared_product[i] >= m->products)
            continue;
        congru_product *product = &m->product[m->prepared_product[i]];
        const bool signals = m->prepared[i].needs == CONGRU_NEEDS_SIGNALS;
        double **array = signals ? &product->signals : &product->covariance;
        if (*array == NULL)
            *array = congru_memory_take(product->channels * (signals ? product->samples : product->channels) *
                                        sizeof **array);
        if (*array == NULL)
            return fail_memory(d);
    }
    return CONGRU_OK;
}

static congru_status plan_branches(congru_decoder *d)
{
    const congru_tensor *weight = congru_tensors_find(&d->model->tensors, CONGRU_MODEL_WEIGHTS);
    size_t needed = 2;
    congru_status status = plan_trial(d);
    if (status == CONGRU_OK)
        status = congru_materials_begin(d->context, &d->trial.set, false, false, &d->materials);
    d->view = calloc(d->model->pipeline.branches, sizeof *d->view);
    if (status == CONGRU_OK && d->view == NULL)
        status = fail_memory(d);
    if (status != CONGRU_OK)
        return status;
    d->weight = weight->data;
    d->views = d->model->pipeline.branches;
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++)
        status = plan_view(d, v);
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++) {
        status = plan_blocks(d, v);
        for (size_t b = 0; status == CONGRU_OK && b < d->view[v].blocks; b++) {
            const size_t own = samples_needed(d, &d->view[v].block[b]);
            needed = own > needed ? own : needed;
        }
    }
    if (status == CONGRU_OK)
        status = plan_streams(d);
    if (status == CONGRU_OK)
        status = reserve_products(d);
    if (status != CONGRU_OK)
        return status;
    d->trial.room = 2 * d->trial.samples + (size_t)d->sampling; /* for markers that come late */
    d->trial.samples = d->trial.set.samples = needed;
    return CONGRU_OK;
}

congru_status congru_live_plan(congru_decoder *d)
{
    return congru_model_branched(d->model) ? plan_branches(d) : plan_plain(d);
}

void congru_live_clear(congru_decoder *d)
{
    for (size_t v = 0; d->view != NULL && v < d->views; v++) {
        if (d->view[v].found != NULL)
            congru_model_branch_clear(d->view[v].found);
        free(d->view[v].found);
        congru_following_clear(&d->view[v].following);
    }
    congru_materials_clear(&d->materials);
    free(d->view);
    free(d->stream);
    free(d->trial.signal);
    free(d->trial.variance);
    free(d->trial.leader);
}

void congru_live_view_layout(congru_arena *arena, const congru_decoder *d, congru_live_view *view)
{
    const size_t size = view->blocks * d->d * d->d;
    view->reference = congru_arena_take(arena, size, sizeof(double));
    view->root = congru_arena_take(arena, size, sizeof(double));
    view->latest = congru_arena_take(arena, size, sizeof(double));
    view->aligned = congru_arena_take(arena, size, sizeof(double));
    view->moved = congru_arena_take(arena, size, sizeof(double));
    view->row = congru_arena_take(arena, view->features + 1, sizeof(double));
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
    if (white && view->alone.aligner->recentring != NULL) {
        signals.root = view->root + b * d->d * d->d;
        signals.owner = &own;
    }
    return signals;
}

congru_status congru_live_view_look_at_trial(const congru_decoder *d, congru_live_view *view)
{
    const size_t size = d->d * d->d;
    const congru_recentring *recentring = view->alone.aligner->recentring;
    congru_status status = CONGRU_OK;
    for (size_t b = 0; status == CONGRU_OK && b < view->blocks; b++) {
        if (!view->signals) {
            memcpy(view->latest + b * size, view->block[b].product->covariance, size * sizeof(double));
        } else if (recentring != NULL) {
            const congru_signals signals = signals_of(d, view, b, false);
            status = recentring->moment(d->context, &signals, view->latest + b * size);
        }
    }
    return status;
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
    if (block->prior == NULL || view->alone.aligner->recentring == NULL ||
        (block->as != NULL && block->as->trace_normalise))
        return CONGRU_OK;
    return congru_model_factor(trace_of(d->d, block->prior), trace_of(d->d, view->latest)) == 1
               ? CONGRU_OK
               : CONGRU_ERROR_SCALE;
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

/* Several blocks side by side: those of covariances are as many trials of one block. */
static congru_status ask_blocks(const congru_decoder *d, congru_live_view *view)
{
    const congru_classifier *classifier = view->alone.classifier;
    const congru_features rows = {.plain = view->row, .size = view->features};
    const congru_target_trials target = {.count = 1, .d = d->d, .features = &rows};
    congru_status status = CONGRU_OK;
    if (!view->signals) {
        const congru_target_trials blocks = {.count = view->blocks, .d = d->d, .covariance = view->aligned};
        status =
            classifier->features(d->context, &blocks, &view->method, view->features / view->blocks, view->row);
    }
    for (size_t b = 0; view->signals && status == CONGRU_OK && b < view->blocks; b++) {
        const congru_signals signals = signals_of(d, view, b, true);
        const congru_target_trials block = {.count = 1, .d = d->d, .signals = &signals};
        status =
            classifier->features(d->context, &block, &view->method, view->features, view->row + view->first[b]);
    }
    return status == CONGRU_OK
               ? classifier->predict(classifier, d->context, view->tensors, &target, view->probability)
               : status;
}

congru_status congru_live_view_ask(const congru_decoder *d, congru_live_view *view)
{
    const size_t n = d->d, size = n * n;
    const bool recentres = view->alone.aligner->recentring != NULL;
    congru_status status = CONGRU_OK;
    for (size_t b = 0; !view->signals && status == CONGRU_OK && b < view->blocks; b++) {
        if (recentres)
            status = congru_spd_congruence(d->context, 1, n, n, view->latest + b * size, view->root + b * size,
                                           view->aligned + b * size);
        else
            memcpy(view->aligned + b * size, view->latest + b * size, size * sizeof(double));
    }
    if (status != CONGRU_OK || view->blocks > 1)
        return status == CONGRU_OK ? ask_blocks(d, view) : status;
    congru_signals signals;
    congru_target_trials target = {.count = 1,
                                   .d = n,
                                   .covariance = view->signals ? NULL : view->aligned,
                                   .following = congru_live_follows(d) ? &view->following : NULL};
    congru_following_begin(&view->following);
    if (view->signals) {
        signals = signals_of(d, view, 0, true);
        target.signals = &signals;
    }
    status = congru_pipeline_predict(d->context, &view->alone, &view->method, view->tensors, &target,
                                     view->aligned, view->probability);
    if (status == CONGRU_OK && view->following.before)
        congru_following_keep(&view->following);
    return status;
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
    const congru_recentring *recentring = view->alone.aligner->recentring;
    double behind = d->options.prior_weight + (double)view->moves;
    congru_status status = CONGRU_OK;
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
        status = recentring->move(d->context, &view->method, view->blocks, n, view->reference, view->latest,
                                  1.0 / (behind + 1.0), view->aligned);
    if (status == CONGRU_OK)
        status = congru_spd_invsqrt(d->context, view->blocks, n, view->aligned, view->moved);
    if (status != CONGRU_OK)
        return status; /* a window with flat channels teaches nothing */
    memcpy(view->reference, view->aligned, size * sizeof(double));
    memcpy(view->root, view->moved, size * sizeof(double));
    view->moves++;
    if (!view->following.before)
        congru_following_keep(&view->following);
    return CONGRU_OK;
}
