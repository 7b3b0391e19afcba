/* A training made and freed; its steps from the first to the last. SPDX-License-Identifier: Apache-2.0 */
#include "network/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process_group.h"
#include "base/scalar_math.h"
#include "base/workspace.h"

/* ---- Checks ------------------------------------------------------------------------------------------ */

static congru_status check_trials(congru_context *context, const congru_trials *trials)
{
    size_t present = 0;
    CONGRU_TRY(congru_check_shape(context, trials->count, trials->d));
    for (size_t k = 0; k < trials->classes; k++) {
        size_t i = 0;
        while (i < trials->count && trials->label[i] != (int32_t)k)
            i++;
        present += i < trials->count;
    }
    if (present < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a network needs trials of at least two classes, and there are trials of %zu",
                           present);
    for (size_t i = 0; i < trials->count; i++)
        if (trials->label[i] < 0 || (size_t)trials->label[i] >= trials->classes || trials->subject[i] < 0 ||
            (size_t)trials->subject[i] >= trials->subjects)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "trial %zu: class or subject out of range",
                               i + 1);
    return CONGRU_OK;
}

/* Each option is within its bounds (congru_method_options_check); this is what does not go together. */
static congru_status check_options(congru_context *context, bool end_to_end, size_t subjects,
                                   const congru_network_options *o)
{
    if ((size_t)o->validation_subjects >= subjects)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%d subjects to validate with, of %zu: at least one must be left to train with",
                           o->validation_subjects, subjects);
    if (o->patience > 0 && o->validation_subjects == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a patience of %d looks at held-out subjects, and none are held out (hold some out "
                           "with --validation)",
                           o->patience);
    if (o->epochs > 0 && (o->balanced_batches || o->subject_dropout > 0.0))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "%d epochs pass over all trials alike: balanced batches and dropped subjects are drawn "
            "by steps",
            o->epochs);
    if (o->ensemble > 1 && !end_to_end)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "an ensemble of %d: only end-to-end models have one",
                           o->ensemble);
    if (o->unconstrained && !end_to_end)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "unconstrained training has cross-entropy alone, which only end-to-end models have");
    return CONGRU_OK;
}

/* ---- Making ------------------------------------------------------------------------------------------ */

/* What `unconstrained` and the choices by model come to for this one. */
static void apply_choices(const congru_network *network, congru_network_options *o)
{
    if (o->unconstrained)
        o->action = o->subject = o->reconstruction = o->ratio = o->subject_ratio = o->gamma_penalty =
            o->rotation_penalty = o->centre_penalty = 0.0;
    if (o->initial == CONGRU_INITIAL_UNET_RANDOM)
        o->initial = network->model->own.initial;
    if (o->head_reference == CONGRU_HEAD_DLDCT_IDENTITY)
        o->head_reference = network->model->own.head_reference;
}

/* The graph of the design with its losses, rewritten and planned. */
static congru_status build_graph(congru_training *t, unsigned rewritings)
{
    congru_graph *graph = &t->graph;
    graph->context = t->context;
    graph->options = &t->options;
    graph->constants = &t->constants;
    graph->parameters = &t->parameters;
    graph->batch = &t->batch;
    graph->classes = t->trials->classes;
    graph->subjects = t->trials->subjects;
    graph->series = t->series;
    graph->stops = &t->stops;
    congru_network_build(t->network, &t->design, graph);
    CONGRU_TRY(congru_graph_rewrite(graph, rewritings));
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        graph->output[k] = -1; /* losses alone say what is wanted */
    return congru_graph_plan(graph);
}

static void layout(congru_arena *arena, congru_training *t)
{
    t->parameters.value = congru_arena_take(arena, t->parameters.size + CONGRU_GROUP, sizeof(double));
    t->parameters.gradient = congru_arena_take(arena, t->parameters.size + CONGRU_GROUP, sizeof(double));
    congru_adam_layout(arena, &t->parameters, &t->adam);
    congru_batches_layout(arena, t);
    congru_constants_layout(arena, t->options.affine_reconstruction, &t->constants);
    congru_watch_layout(arena, &t->watch);
    congru_graph_layout(arena, &t->graph);
}

/* The steps that are done. */
static size_t end_of(const congru_training *t)
{
    const congru_network_options *o = &t->options;
    return (size_t)(o->stop > 0 && o->stop < o->steps ? o->stop : o->steps);
}

static congru_status lay_out(congru_training *t)
{
    congru_arena measure = {0};
    layout(&measure, t);
    if (congru_arena_reserve(&t->arena, measure.used) != CONGRU_OK)
        return congru_fail_memory(t->context, "a training: %zu bytes are needed", measure.used);
    layout(&t->arena, t);
    CONGRU_TRY(congru_workspace_check(t->context, &t->arena));
    memset(t->parameters.value, 0, t->parameters.size * sizeof(double));
    for (size_t s = 0; s < t->parameters.segments; s++)
        t->parameters.segment[s].value = congru_training_parameter(t, s);
    for (size_t i = 0; i < t->parameters.size; i++)
        t->adam.first_moment[i] = t->adam.second_moment[i] = t->adam.averaged[i] = 0.0;
    t->adam.best_loss = INFINITY;
    congru_batches_start(t);
    t->told = end_of(t);
    if (t->options.epochs > 0)
        t->options.steps = (int)((size_t)t->options.epochs * congru_batches_epoch(t));
    return CONGRU_OK;
}

/* Whether it has a head of its own, and nothing but cross-entropy to go by. */
static bool decides(const congru_training *t)
{
    return t->network->model->objective == NULL;
}

/* What stays constant, and the first parameters. */
static congru_status start(congru_training *t)
{
    CONGRU_TRY(congru_constants_fill(t->context, &t->constants));
    for (size_t k = 0; k < t->design.classes; k++)
        if (t->constants.present[k] == 0.0)
            congru_note(t->context, "%s has no trial among the source subjects: it is never predicted",
                        congru_class_named(t->trials->class_name, k).text);
    if (decides(t)) {
        congru_parts_first(t->seed, &t->parameters);
        return CONGRU_OK;
    }
    congru_trials seen = *t->trials;
    if (!t->constants.by_log) {
        seen.covariance = t->constants.covariance;
        CONGRU_TRY(congru_design_initial(t->context, &t->design, seen.covariance, seen.count,
                                         t->options.initial, t->seed, &t->parameters));
    }
    return congru_watch_start(t->context, &seen, t->constants.present_count, t->network, &t->parameters,
                              &t->watch);
}

static congru_status build(congru_training *t, bool end_to_end, unsigned rewritings)
{
    const congru_network_options *o = &t->options;
    CONGRU_TRY(congru_design_make(t->context, t->network, end_to_end, t->trials, o, &t->design));
    const congru_network_model *model = t->network->model;
    const bool moments = model->taps != NULL && t->design.samples == t->design.whole; /* of crops they vary */
    t->design.seed = t->seed;
    const size_t out = t->design.width[t->design.layers], count = t->trials->count;
    t->constants = (congru_constants){.trials = t->trials,
                                      .out = out,
                                      .stride = congru_vector(congru_spd_tangent_size(out)).size,
                                      .by_log = model->rotates,
                                      .taps = moments ? model->taps(&t->design) : 0,
                                      .signals = t->network->needs == CONGRU_NEEDS_SIGNALS,
                                      .zscore = t->design.zscore,
                                      .by_subject = o->dispersion == CONGRU_DISPERSION_SUBJECT_GLOBAL ||
                                                    o->dispersion == CONGRU_DISPERSION_SUBJECT,
                                      .floor = o->floor};
    t->graph.capacity = count < (size_t)o->batch ? count : (size_t)o->batch;
    t->adam = (congru_adam){.rate = o->rate, .clip = o->clip, .decay = o->decay, .kept = o->average};
    t->watch.design = &t->design;
    CONGRU_TRY(build_graph(t, rewritings));
    CONGRU_TRY(lay_out(t));
    return start(t);
}

congru_status congru_training_create_rewritten(congru_context *context, const congru_network *network,
                                               bool end_to_end, const congru_trials *trials,
                                               const congru_method_options *options, unsigned rewritings,
                                               congru_training **training)
{
    *training = NULL;
    congru_training *t;
    CONGRU_TRY(congru_method_options_check(context, options));
    CONGRU_TRY(congru_model_reads(context, network, trials->covariance, trials->signals));
    CONGRU_TRY(check_trials(context, trials));
    CONGRU_TRY(check_options(context, end_to_end, trials->subjects, &options->network));
    CONGRU_TRY(congru_allocate(context, &t, 1, sizeof *t, "a training"));
    t->context = context;
    t->network = network;
    t->seed = options->seed;
    t->options = congru_network_settle(network, &options->network);
    t->trials = trials;
    apply_choices(network, &t->options);
    const congru_status status = build(t, end_to_end, rewritings);
    if (status != CONGRU_OK)
        congru_training_destroy(&t);
    *training = t;
    return status;
}

congru_status congru_training_create(congru_context *context, const congru_network *network, bool end_to_end,
                                     const congru_trials *trials, const congru_method_options *options,
                                     congru_training **training)
{
    return congru_training_create_rewritten(context, network, end_to_end, trials, options, CONGRU_REWRITE_ALL,
                                            training);
}

void congru_training_destroy(congru_training **training)
{
    if (*training == NULL)
        return;
    congru_watch_end(&(*training)->watch);
    congru_graph_clear(&(*training)->graph);
    congru_arena_free(&(*training)->arena);
    free(*training);
    *training = NULL;
}

/* ---- A step ------------------------------------------------------------------------------------------ */

congru_status congru_training_evaluate(congru_training *t)
{
    t->graph.step = t->step;
    CONGRU_TRY(congru_graph_step(&t->graph));
    congru_constraints_project(&t->parameters);
    const double norm = sqrt(congru_squared_norm(t->parameters.size, t->parameters.gradient));
    t->series[CONGRU_SERIES_GRADIENT_NORM] = norm;
    if (!isfinite(t->series[CONGRU_SERIES_LOSS]) || !isfinite(norm))
        return congru_fail(t->context, CONGRU_ERROR_NOT_FINITE,
                           "step %zu: the loss is %g and the gradient's norm %g (a smaller rate, or a smaller "
                           "clip, keeps them in range)",
                           t->step, t->series[CONGRU_SERIES_LOSS], norm);
    return CONGRU_OK;
}

/* What the rate is multiplied with in this step. */
static double schedule(const congru_training *t)
{
    const congru_network_options *o = &t->options;
    const size_t warmup = (size_t)o->warmup, steps = (size_t)o->steps;
    if (t->step < warmup)
        return (double)(t->step + 1) / (double)warmup;
    if (o->schedule == CONGRU_SCHEDULE_CONSTANT || steps <= warmup)
        return 1.0;
    const double part = (double)(t->step - warmup) / (double)(steps - warmup);
    return part < 1.0 ? 0.5 + 0.5 * congru_scalar_cos_2pi(0.5 * part) : 0.0;
}

void congru_training_update(congru_training *t)
{
    t->adam.steps = t->step;
    t->adam.rate = t->options.rate * schedule(t);
    congru_adam_update(t->context, &t->adam, &t->parameters, t->series[CONGRU_SERIES_GRADIENT_NORM]);
    congru_constraints_retract(&t->parameters);
    t->step++;
}

/* ---- The loop ---------------------------------------------------------------------------------------- */

enum { VALIDATE_EVERY = 10 };

/* The moving average becomes the parameters, which go aside. */
static void use_average(congru_training *t)
{
    congru_adam_use_average(&t->adam, &t->parameters);
    congru_constraints_retract(&t->parameters);
}

/* The mean over the held-out subjects of the cross-entropy (of an aligner, the loss) of their trials. */
static congru_status validate(congru_training *t, double *loss)
{
    double sum = 0.0, count = 0.0;
    for (size_t s = 0; s < t->trials->subjects; s++) {
        if (!t->batches.held_out[s])
            continue;
        congru_training_take_subject(t, s);
        CONGRU_TRY(congru_training_evaluate(t));
        sum += t->series[t->design.classes > 0 ? CONGRU_SERIES_CROSS_ENTROPY : CONGRU_SERIES_LOSS];
        count += 1.0;
    }
    *loss = sum / count;
    return CONGRU_OK;
}

/* Keeps what is best for the held-out subjects: the parameters, or their average where there is one. */
static congru_status keep_validated(congru_training *t)
{
    double loss;
    const bool averages = t->options.average > 0.0;
    if (averages)
        use_average(t);
    t->graph.resting = true;
    CONGRU_TRY(validate(t, &loss));
    t->graph.resting = false;
    t->waited = loss < t->adam.best_loss ? 0 : t->waited + 1;
    congru_adam_keep_best(&t->adam, &t->parameters, loss, t->step);
    if (averages)
        memcpy(t->parameters.value, t->adam.aside, t->parameters.size * sizeof(double));
    return CONGRU_OK;
}

static bool gives_up(const congru_training *t)
{
    return t->options.patience > 0 && t->waited >= (size_t)t->options.patience;
}

static congru_status one_step(congru_training *t, congru_record *record)
{
    const congru_context *context = t->context;
    const size_t end = end_of(t);
    const bool validates = t->options.validation_subjects > 0;
    t->stops = context->progress != NULL &&
               !context->progress(context->progress_user, t->step * t->told / end, t->told);
    if (t->stops && !congru_process_group_shares(
                        t->options.processes)) /* others have to hear of it, in the next exchange */
        return congru_fail(t->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    if (validates && t->step % VALIDATE_EVERY == 0)
        CONGRU_TRY(keep_validated(t));
    if (gives_up(t))
        return CONGRU_OK;
    t->graph.watched = record != NULL || t->step % CONGRU_WATCH_EVERY == 0;
    congru_training_draw(t);
    CONGRU_TRY(congru_training_evaluate(t));
    if (!decides(t))
        CONGRU_TRY(congru_watch_step(&t->watch, &t->graph));
    for (size_t series = 0; record != NULL && series < CONGRU_SERIES_COUNT; series++)
        record->value[series][t->step] = t->series[series];
    if (!validates && !decides(t))
        congru_adam_keep_best(&t->adam, &t->parameters, t->series[CONGRU_SERIES_LOSS], t->step);
    congru_training_update(t);
    return CONGRU_OK;
}

congru_status congru_training_loop(congru_training *t, congru_record *record)
{
    const size_t steps = (size_t)t->options.steps, end = end_of(t);
    const bool validates = t->options.validation_subjects > 0, last = t->options.keep == CONGRU_KEEP_LAST;
    if (record != NULL)
        CONGRU_TRY(congru_record_start(t->context, record, steps));
    while (t->step < end && !gives_up(t))
        CONGRU_TRY(one_step(t, record));
    if (validates)
        CONGRU_TRY(keep_validated(t));
    /* One that says stop here is heard at the next step of another training. */
    if (t->context->progress != NULL)
        t->context->progress(t->context->progress_user, t->told, t->told);
    if (last || (!validates && (t->options.average > 0.0 || decides(t)))) {
        if (!last && t->options.average > 0.0)
            use_average(t);
        t->adam.best_step = t->step;
    } else if (isfinite(t->adam.best_loss)) {
        memcpy(t->parameters.value, t->adam.best, t->parameters.size * sizeof(double));
    }
    if (record != NULL) {
        record->best_step = t->adam.best_step;
        record->steps = t->step;
    }
    return CONGRU_OK;
}
