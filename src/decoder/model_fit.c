/* Fits a model as folds are fitted. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "congru/version.h"
#include "dataset/set_check.h"
#include "dataset/set_products.h"
#include "decoder/model_patterns.h"
#include "decoder/model_spread.h"
#include "evaluation/choice_file.h"
#include "evaluation/plan.h"
#include "evaluation/request_check.h"
#include "evaluation/settings.h"
#include "evaluation/trainings.h"

/* ---- Progress -------------------------------------------------------------------------------------------- */

/* Tells of networks that are trained, those that choose weights and then the model's own. */
typedef struct fit_watch {
    const congru_evaluation_options *options;
    const char *name;
    size_t steps;
    atomic_size_t taken;
    congru_progress next; /* the caller's, which is asked after that */
    void *next_user;
} fit_watch;

static void tell(const fit_watch *watch, size_t taken, size_t steps)
{
    if (steps > 0)
        watch->options->watch(watch->options->watch_user, (double)taken / (double)steps, watch->name, taken,
                              steps);
}

static bool tell_step(void *user, size_t done, size_t total)
{
    fit_watch *watch = user;
    tell(watch, atomic_load(&watch->taken), watch->steps);
    return watch->next(watch->next_user, done, total);
}

static void begin_watch(congru_context *context, fit_watch *watch)
{
    watch->next = context->progress;
    watch->next_user = context->progress_user;
    if (watch->options->watch == NULL || context->progress == NULL)
        return;
    context->progress = tell_step;
    context->progress_user = watch;
}

static void end_watch(congru_context *context, const fit_watch *watch)
{
    context->progress = watch->next;
    context->progress_user = watch->next_user;
}

static void tell_choice(void *user, const congru_stop *stop)
{
    const fit_watch *watch = user;
    tell(watch, atomic_load(&stop->taken), stop->steps + watch->steps);
}

/* One call of congru_model_fit. */
typedef struct fit_run {
    congru_context *context;
    const congru_set *set;
    congru_evaluation_options options; /* of methods those that were chosen, in the end */
    bool signals;                      /* these are what it reads, and not covariances alone */
    double rate;
    size_t samples;
    bool *left_out; /* (subjects) */
    int8_t *side;   /* (trials): which are fitted on */
    size_t *trial;  /* these */
    size_t count;
    congru_plan plan;
    congru_choice choice;
    fit_watch watch;
    congru_model_looks looks;
    congru_model *model;
} fit_run;

/* ---- Texts --------------------------------------------------------------------------------------------- */

static void add_names(congru_text *text, size_t count, const char (*name)[CONGRU_LABEL_SIZE],
                      const bool *left_out)
{
    bool first = true;
    congru_text_add(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (left_out != NULL && left_out[i])
            continue;
        congru_text_add(text, first ? "" : ", ");
        congru_text_add_json(text, name[i]);
        first = false;
    }
    congru_text_add(text, "]");
}

/* Adds a text under its name, and frees it. */
static congru_status keep(congru_context *context, congru_texts *texts, const char *name, congru_text *text)
{
    congru_status status = text->failed || text->data == NULL
                               ? congru_fail_memory(context, "a model")
                               : congru_texts_add(context, texts, name, text->data);
    congru_text_clear(text);
    return status;
}

static congru_status keep_names(congru_context *context, congru_texts *texts, const char *name, size_t count,
                                const char (*names)[CONGRU_LABEL_SIZE], const bool *left_out)
{
    congru_text text = {0};
    add_names(&text, count, names, left_out);
    return keep(context, texts, name, &text);
}

/* How branches were defined, and when the trials that they were cut from begin. */
static congru_status describe_branches(const fit_run *run)
{
    congru_context *context = run->context;
    congru_texts *texts = &run->model->texts;
    const char *definitions = congru_pipeline_definitions(context, run->model->name);
    congru_text start = {0};
    if (definitions != NULL)
        CONGRU_TRY(congru_texts_add(context, texts, "definitions", definitions));
    if (run->options.causal)
        CONGRU_TRY(congru_texts_add(context, texts, CONGRU_MODEL_CAUSAL, "yes"));
    if (!run->signals || !isfinite(run->set->start))
        return CONGRU_OK;
    congru_text_add_number(&start, run->set->start, 17);
    return keep(context, texts, "start", &start);
}

/* What the tensors are, who they come from, and what the signals went through. */
static congru_status describe(const fit_run *run)
{
    congru_context *context = run->context;
    const congru_set *set = run->set;
    congru_texts *texts = &run->model->texts;
    congru_text format = {0}, rate = {0}, samples = {0}, settings = {0};
    const char *meta = run->signals && set->signals_meta != NULL ? set->signals_meta : set->meta;
    char seed[CONGRU_OPTION_TEXT_SIZE] = "", recipe[CONGRU_OPTION_TEXT_SIZE] = "";
    congru_method_options_get(&run->options.method, "seed", seed);
    congru_method_options_get(&run->options.method, "recipe", recipe);
    const struct {
        const char *name, *text;
    } plain[] = {
        {"format", "congru model"},
        {"version", congru_version()},
        {"commit", congru_version_commit()},
        {"compiler", congru_version_compiler()},
        {"pipeline", run->model->name},
        {"recipe", recipe},
        {"preprocessing", meta != NULL ? meta : "{}"},
        {"seed", seed},
    };
    congru_text_add(&format, "%d", (int)CONGRU_MODEL_FORMAT);
    CONGRU_TRY(keep(context, texts, "format_version", &format));
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        CONGRU_TRY(congru_texts_add(context, texts, plain[i].name, plain[i].text));
    congru_text_add_number(&rate, run->rate, 17);
    CONGRU_TRY(keep(context, texts, "rate", &rate));
    congru_text_add(&samples, "%zu", run->samples);
    CONGRU_TRY(keep(context, texts, "samples", &samples));
    congru_text_add(&settings, "{\n");
    congru_settings_text(context, set, &run->options, &settings);
    congru_text_add(&settings, "\n}");
    CONGRU_TRY(keep(context, texts, "settings", &settings));
    CONGRU_TRY(keep_names(context, texts, "channels", set->dimension,
                          (const char(*)[CONGRU_LABEL_SIZE])set->channel_name, NULL));
    CONGRU_TRY(keep_names(context, texts, "classes", set->classes,
                          (const char(*)[CONGRU_LABEL_SIZE])set->class_name, NULL));
    CONGRU_TRY(keep_names(context, texts, "subjects", set->subjects,
                          (const char(*)[CONGRU_LABEL_SIZE])set->subject_name, run->left_out));
    return describe_branches(run);
}

/* ---- Choosing -------------------------------------------------------------------------------------------- */

/* What the run asks to be chosen is an option of the pipeline. */
static congru_status check_choices(const fit_run *run)
{
    congru_option_values values;
    for (size_t i = 0; congru_choose_at(run->options.method.choose, i, &values); i++)
        if (!congru_grid_takes(&run->model->pipeline, values.row))
            return congru_grid_fail_untaken(run->context, values.row);
    return CONGRU_OK;
}

/* Those of the networks that the model trains. */
static size_t steps_of(const congru_plan *plan, const congru_choice *choice)
{
    size_t steps = 0;
    for (size_t b = 0; b < plan->pipeline->branches; b++)
        steps += congru_trainings_steps(&plan->materials.material[choice->material[b]]);
    return steps;
}

/* Chooses as for a subject of the groups that are left out. */
static congru_status choose(fit_run *run, const congru_workers *workers)
{
    const congru_plan *plan = &run->plan;
    const size_t groups = congru_groups(run->set, plan->options, plan->grid);
    const congru_chosen_for of = {plan->pipeline, plan->grid};
    uint64_t shut = 0;
    run->choice = congru_choice_constant(plan->pipeline, plan->grid);
    run->watch.steps = steps_of(plan, &run->choice);
    workers->stop->watch = run->options.watch != NULL ? tell_choice : NULL;
    workers->stop->watch_user = &run->watch;
    for (size_t s = 0; s < run->set->subjects; s++)
        shut |= run->left_out[s] ? UINT64_C(1) << s % groups : 0;
    if (congru_grid_chooses(plan->grid))
        CONGRU_TRY(congru_choices_make(workers, &plan->materials, plan->options, groups, 1, &of, 1, &shut,
                                       &run->choice));
    run->watch.steps = workers->stop->steps + steps_of(plan, &run->choice);
    atomic_store(&run->watch.taken, workers->stop->steps);
    return CONGRU_OK;
}

/* What is read is made, and what is not given is chosen. */
static congru_status begin_plan(fit_run *run)
{
    congru_workers workers;
    congru_status status;
    CONGRU_TRY(check_choices(run));
    CONGRU_TRY(congru_plan_begin(run->context, run->set, &run->options, 1, &run->model->pipeline,
                                 (const char(*)[CONGRU_PIPELINE_SIZE]) & run->model->name, &run->plan));
    CONGRU_TRY(congru_workers_start(run->context, run->set->subjects, &workers));
    CONGRU_TRY_TO(done, congru_materials_make(&workers, &run->plan.materials));
    status = choose(run, &workers);
done:
    congru_workers_end(&workers);
    return status;
}

/* The model's options become those that were chosen, and its text "chosen" says them. */
static congru_status keep_choice(fit_run *run)
{
    const congru_plan *plan = &run->plan;
    congru_text table = {0};
    congru_csv csv = {0};
    char *words = NULL;
    bool any;
    congru_status status = CONGRU_OK;
    if (!run->choice.learned || !congru_grid_chooses(plan->grid))
        return CONGRU_OK;
    congru_choice_table("", plan->pipeline, plan->grid, 1, &run->choice, &table);
    if (table.failed)
        status = congru_fail_memory(run->context, "a model");
    else
        CONGRU_TRY_TO(done, congru_csv_parse(run->context, "choices", table.data, &csv));
    if (status == CONGRU_OK)
        CONGRU_TRY_TO(done, congru_choice_words(run->context, &csv, 0, &words, &any));
    if (words != NULL)
        status = congru_texts_add(run->context, &run->model->texts, CONGRU_MODEL_CHOSEN, words);
    if (plan->grid->variants > 1)
        congru_grid_set(plan->grid, run->choice.variant, &run->options.method);
done:
    free(words);
    congru_csv_clear(&csv);
    congru_text_clear(&table);
    return status;
}

/* ---- Fitting --------------------------------------------------------------------------------------------- */

/* How far the trials are from references, block by block: what is no trial is told by it as samples come. */
static congru_status add_spreads(const congru_executor *e, const congru_material *m, congru_trial_list train,
                                 congru_tensors *to)
{
    for (size_t b = 0; m->branch->aligner->recentring != NULL && b < m->blocks; b++) {
        double spread[CONGRU_SPREAD_ROWS * CONGRU_SPREAD_COLUMNS];
        size_t shape[2] = {0, CONGRU_SPREAD_COLUMNS};
        char name[CONGRU_TENSOR_NAME_SIZE];
        snprintf(name, sizeof name, "spread.%zu", b);
        CONGRU_TRY(congru_spread_measure(e->context, m->block[b], train, spread, &shape[0]));
        if (shape[0] > 0)
            CONGRU_TRY(congru_tensors_add_copy(e->context, to, name, 2, shape, spread));
    }
    return CONGRU_OK;
}

/* On rows of the whole set where folds are fitted together on these: the bits are those of a fold. */
static congru_status fit_as_fold(fit_run *run, const congru_executor *e, const congru_material *m, double c,
                                 congru_trial_list train, congru_aligned *aligned, congru_tensors *fitted)
{
    const int8_t *side[1] = {run->side};
    congru_trainings trainings;
    if (congru_fits_together(m)) {
        CONGRU_TRY(congru_align(e, m, train, false, aligned));
        CONGRU_TRY(congru_tensors_add_all(e->context, fitted, "", &aligned->tensors));
        return congru_fit_together(e->context, e->materials, m, 1, &c, 1, side, NULL, fitted);
    }
    congru_trainings_begin(e->context, m, &run->watch.taken, &trainings);
    const congru_status status = congru_fit(e, m, c, train, aligned, fitted, NULL);
    congru_trainings_end(&trainings);
    return status;
}

static congru_status fit_branch(fit_run *run, size_t branch)
{
    const congru_material *m = &run->plan.materials.material[run->choice.material[branch]];
    congru_executor e = congru_executor_make(run->context, &run->plan.materials, &run->options);
    const congru_trial_list train = {run->count, run->trial};
    congru_tensors fitted = {0};
    congru_aligned *aligned;
    char prefix[16];
    congru_status status;
    e.keeps_priors = true;
    CONGRU_TRY(congru_allocate(run->context, &aligned, 1, sizeof *aligned, "a model"));
    snprintf(prefix, sizeof prefix, "b%zu.", branch);
    CONGRU_TRY_TO(done, fit_as_fold(run, &e, m, run->choice.c[branch], train, aligned, &fitted));
    CONGRU_TRY_TO(done, add_spreads(&e, m, train, &fitted));
    CONGRU_TRY_TO(done,
                  congru_tensors_add_number(run->context, &fitted, CONGRU_MODEL_BLOCKS, (double)m->blocks));
    CONGRU_TRY_TO(done, congru_tensors_add_all(run->context, &run->model->tensors, prefix, &fitted));
    if (congru_pipeline_linear(&run->model->pipeline))
        status = congru_model_look(&e, m, &fitted, train, aligned, branch, &run->looks);
done:
    congru_tensors_clear(&fitted);
    congru_aligned_clear(aligned);
    free(aligned);
    return status;
}

static congru_status fit_branches(fit_run *run)
{
    congru_model *model = run->model;
    const size_t shape[1] = {model->pipeline.branches};
    for (size_t b = 0; b < model->pipeline.branches; b++)
        CONGRU_TRY(fit_branch(run, b));
    if (model->pipeline.branches > 1)
        CONGRU_TRY(congru_tensors_add_copy(run->context, &model->tensors, CONGRU_MODEL_WEIGHTS, 1, shape,
                                           run->choice.weight));
    if (!congru_pipeline_linear(&model->pipeline))
        return CONGRU_OK;
    const congru_executor e = congru_executor_make(run->context, &run->plan.materials, &run->options);
    return congru_model_keep_patterns(&e, (congru_trial_list){run->count, run->trial}, run->choice.weight,
                                      &run->looks, model);
}

/* ---- What it is fitted on -------------------------------------------------------------------------------- */

static congru_status check_set(const fit_run *run)
{
    static const struct {
        congru_needs needs;
        const char *name;
    } kinds[] = {{CONGRU_NEEDS_SIGNALS, "signals"}, {CONGRU_NEEDS_COVARIANCES, "covariances"}};
    const congru_set *set = run->set;
    const double *const held[] = {set->signals, set->covariance};
    for (size_t i = 0; i < 2; i++)
        if (congru_pipeline_reads(&run->model->pipeline, kinds[i].needs) &&
            (held[i] == NULL || set->count == 0 || set->label == NULL))
            return congru_fail(run->context, CONGRU_ERROR_ARGUMENT, "the set holds no labelled %s",
                               kinds[i].name);
    if (set->classes < 2)
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                           "the set holds one class, '%s'; nothing to tell apart",
                           set->classes > 0 ? set->class_name[0] : "");
    CONGRU_TRY(congru_set_check(run->context, set));
    CONGRU_TRY(congru_request_check_subjects(run->context, set));
    return congru_pipeline_reads(&run->model->pipeline, CONGRU_NEEDS_COVARIANCES)
               ? congru_set_check_rank(run->context, set, 0, NULL)
               : CONGRU_OK;
}

static congru_status choose_trials(fit_run *run, const congru_model_options *options)
{
    const congru_set *set = run->set;
    congru_context *context = run->context;
    CONGRU_TRY(congru_allocate(context, &run->left_out, set->subjects, sizeof(bool), "%zu trials", set->count));
    CONGRU_TRY(congru_allocate(context, &run->side, set->count, sizeof(int8_t), "%zu trials", set->count));
    CONGRU_TRY(congru_allocate(context, &run->trial, set->count, sizeof(size_t), "%zu trials", set->count));
    for (size_t i = 0; options->without != NULL && i < options->without_count; i++) {
        if (options->without[i] < 0 || (size_t)options->without[i] >= set->subjects)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no subject %d",
                               (int)options->without[i]);
        run->left_out[options->without[i]] = true;
    }
    for (size_t i = 0; i < set->count; i++) {
        run->side[i] = run->left_out[set->subject[i]] ? CONGRU_SIDE_ASKED : CONGRU_SIDE_FITTED;
        if (run->side[i] == CONGRU_SIDE_FITTED)
            run->trial[run->count++] = i;
    }
    return run->count > 0 ? CONGRU_OK
                          : congru_fail(context, CONGRU_ERROR_ARGUMENT,
                                        "every subject of the set is left out; nothing to fit on");
}

/* What the set's signals went through: their rate, and how long trials are. */
static congru_status look_at_set(fit_run *run)
{
    congru_preprocessing of_set = {0};
    CONGRU_TRY(run->signals ? congru_set_signals_preprocessing(run->context, run->set, &of_set)
                            : congru_set_preprocessing(run->context, run->set, &of_set));
    run->samples = of_set.samples;
    run->rate = of_set.rate;
    congru_preprocessing_clear(&of_set);
    return CONGRU_OK;
}

static congru_status fit(fit_run *run, const congru_model_options *options)
{
    congru_context *context = run->context;
    congru_pipeline *pipeline = &run->model->pipeline;
    CONGRU_TRY(congru_pipeline_parse(context, options->pipeline, pipeline));
    CONGRU_TRY(congru_method_options_check(context, &options->method));
    CONGRU_TRY(congru_pipeline_adjust(context, &options->method, options->causal, pipeline));
    if (options->method.balance)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "--balance looks at all trials of a target subject at once, which a model does not "
                           "(leave it out)");
    run->signals = congru_pipeline_reads(pipeline, CONGRU_NEEDS_SIGNALS);
    CONGRU_TRY(check_set(run));
    CONGRU_TRY(look_at_set(run));
    CONGRU_TRY(choose_trials(run, options));
    strcpy(run->model->name, options->pipeline);
    CONGRU_TRY(begin_plan(run));
    begin_watch(context, &run->watch);
    const congru_status status = fit_branches(run);
    end_watch(context, &run->watch);
    CONGRU_TRY(status);
    CONGRU_TRY(keep_choice(run));
    CONGRU_TRY(describe(run));
    return congru_model_interpret(context,
                                  run->model); /* so that what is fitted and what is loaded are alike */
}

congru_status congru_model_fit(congru_context *context, const congru_set *set,
                               const congru_model_options *options, congru_model **model)
{
    fit_run *run;
    if (context == NULL || set == NULL || options == NULL || options->pipeline == NULL || model == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipeline or model given");
    *model = NULL;
    CONGRU_TRY(congru_allocate(context, &run, 1, sizeof *run, "a model"));
    run->context = context;
    run->set = set;
    congru_evaluation_options_init(&run->options);
    run->options.method = options->method;
    run->options.align_by_session = options->align_by_session;
    run->options.causal = options->causal;
    run->options.watch = options->watch;
    run->options.watch_user = options->watch_user;
    congru_status status = congru_allocate(context, &run->model, 1, sizeof *run->model, "a model");
    if (status == CONGRU_OK) {
        run->watch = (fit_watch){.options = &run->options, .name = run->model->name};
        status = fit(run, options);
    }
    if (status != CONGRU_OK)
        congru_model_destroy(&run->model);
    *model = run->model;
    congru_model_looks_clear(&run->looks);
    congru_plan_clear(&run->plan);
    free(run->left_out);
    free(run->side);
    free(run->trial);
    free(run);
    return status;
}
