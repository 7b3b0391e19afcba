/* Fits the branches of a model, and finds them in its tensors. SPDX-License-Identifier: Apache-2.0 */
#include "decoder/model_branches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/model_patterns.h"
#include "decoder/model_spread.h"
#include "evaluation/choice_file.h"
#include "evaluation/combine.h"
#include "evaluation/plan.h"
#include "evaluation/trainings.h"

#define FEATURES "features"
#define BLOCKS "blocks"

bool congru_model_branched(const congru_model *model)
{
    return congru_pipeline_combines(&model->pipeline) ||
           model->pipeline.classifier->needs == CONGRU_NEEDS_SIGNALS;
}

/* ---- Fitting ------------------------------------------------------------------------------------------- */

static congru_status add_all(congru_context *context, const char *prefix, const congru_tensors *from,
                             congru_tensors *to)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < from->count; i++) {
        char name[CONGRU_TENSOR_NAME_SIZE];
        const congru_tensor *own = &from->tensor[i];
        snprintf(name, sizeof name, "%s%.50s", prefix, own->name);
        status = congru_tensors_add_copy(context, to, name, own->dims, own->shape, own->data);
    }
    return status;
}

static congru_status add_number(congru_context *context, const char *prefix, const char *what, size_t number,
                                congru_tensors *to)
{
    char name[CONGRU_TENSOR_NAME_SIZE];
    snprintf(name, sizeof name, "%s%s", prefix, what);
    return congru_tensors_add_number(context, to, name, (double)number);
}

/* The references of a subject of whom nothing is known, block by block. */
static congru_status add_priors(congru_context *context, const char *prefix, const congru_materials *materials,
                                const congru_material *material, const congru_fold_aligned *aligned,
                                bool branched, congru_tensors *to)
{
    congru_status status = CONGRU_OK;
    for (size_t b = 0;
         status == CONGRU_OK && material->branch->aligner->recentring != NULL && b < material->blocks; b++) {
        const size_t d = congru_material_block(materials, material, b)->d, shape[2] = {d, d};
        char name[CONGRU_TENSOR_NAME_SIZE];
        snprintf(name, sizeof name, branched ? "%sprior.%zu" : "%s" CONGRU_MODEL_PRIOR, prefix, b);
        status = congru_tensors_add_copy(context, to, name, 2, shape, aligned->prior[b]);
    }
    return status;
}

/* How far the trials are from references, block by block: what is no trial is told by it as samples come. */
static congru_status add_spreads(const congru_fold_case *fold, const char *prefix,
                                 const congru_material *material, bool branched, congru_tensors *to)
{
    congru_status status = CONGRU_OK;
    for (size_t b = 0;
         status == CONGRU_OK && material->branch->aligner->recentring != NULL && b < material->blocks; b++) {
        double spread[CONGRU_SPREAD_ROWS * CONGRU_SPREAD_COLUMNS];
        size_t shape[2] = {0, CONGRU_SPREAD_COLUMNS};
        char name[CONGRU_TENSOR_NAME_SIZE];
        snprintf(name, sizeof name, branched ? "%sspread.%zu" : "%s" CONGRU_MODEL_SPREAD, prefix, b);
        status =
            congru_spread_measure(fold, congru_material_block(fold->materials, material, b), spread, &shape[0]);
        if (status == CONGRU_OK && shape[0] > 0)
            status = congru_tensors_add_copy(fold->context, to, name, 2, shape, spread);
    }
    return status;
}

typedef struct branch_fit {
    congru_fold_case fold;
    const bool *used; /* (trials of the set) */
    bool branched;
    bool linear; /* one of the branches has a pattern */
    congru_model_looks *looks;
    congru_model *model;
    atomic_size_t *taken; /* steps of networks */
} branch_fit;

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

/* As a fold does it: classifiers of features on rows of the whole set, where it is several branches. */
static congru_status fit_one(const branch_fit *fit, size_t branch, size_t index, double c)
{
    congru_context *context = fit->fold.context;
    const congru_materials *materials = fit->fold.materials;
    const congru_material *material = &materials->material[index];
    const congru_classifier *classifier = material->branch->classifier;
    congru_fold_aligned *aligned = calloc(1, sizeof *aligned);
    congru_tensors own = {0};
    congru_method_options method = material->method;
    char prefix[16] = "";
    if (aligned == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model");
    if (fit->branched)
        snprintf(prefix, sizeof prefix, "b%zu.", branch);
    method.c = c;
    congru_trainings trainings;
    congru_trainings_begin(context, material, fit->taken, &trainings);
    congru_status status = congru_branch_align(&fit->fold, material, &method, classifier->views, aligned);
    if (status == CONGRU_OK && fit->branched && congru_plan_fits_together(material))
        status = congru_plan_fit(context, materials, index, c, 1, fit->used, &own);
    else if (status == CONGRU_OK)
        status = congru_branch_fit(&fit->fold, material, &method, classifier->views, aligned, &own);
    congru_trainings_end(&trainings);
    if (status == CONGRU_OK)
        status = add_priors(context, prefix, materials, material, aligned, fit->branched, &fit->model->tensors);
    if (status == CONGRU_OK)
        status = add_spreads(&fit->fold, prefix, material, fit->branched, &fit->model->tensors);
    if (status == CONGRU_OK)
        status = add_all(context, prefix, &aligned->model, &fit->model->tensors);
    if (status == CONGRU_OK)
        status = add_all(context, prefix, &own, &fit->model->tensors);
    if (status == CONGRU_OK && fit->branched)
        status = add_number(context, prefix, BLOCKS, material->blocks, &fit->model->tensors);
    if (status == CONGRU_OK && fit->branched)
        status = add_number(context, prefix, FEATURES, material->features, &fit->model->tensors);
    if (status == CONGRU_OK && fit->linear)
        status = congru_model_look(&fit->fold, material, &method, aligned, &own, branch, fit->looks);
    congru_tensors_clear(&own);
    congru_fold_aligned_clear(aligned);
    free(aligned);
    return status;
}

static congru_status fit_all(const branch_fit *fit, const congru_choice *choice)
{
    congru_model *model = fit->model;
    const size_t shape[1] = {model->pipeline.branches};
    congru_status status = CONGRU_OK;
    for (size_t b = 0; status == CONGRU_OK && b < model->pipeline.branches; b++)
        status = fit_one(fit, b, choice->material[b], choice->c[b]);
    if (status == CONGRU_OK && fit->branched)
        status = congru_tensors_add_copy(fit->fold.context, &model->tensors, CONGRU_MODEL_WEIGHTS, 1, shape,
                                         choice->weight);
    if (status == CONGRU_OK && fit->linear)
        status = congru_model_keep_patterns(&fit->fold, choice->weight, fit->looks, model);
    congru_model_looks_clear(fit->looks);
    return status;
}

/* What the run asks to be chosen is an option of the pipeline. */
static congru_status check_choices(congru_context *context, const congru_evaluation_options *options,
                                   const congru_pipeline *pipeline)
{
    congru_option_values values;
    for (size_t i = 0; congru_choose_at(options->method.choose, i, &values); i++)
        if (!congru_grid_takes(pipeline, values.row))
            return congru_grid_fail_untaken(context, values.row);
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
static congru_status choose(const congru_workers *workers, const bool *left_out, const congru_plan *plan,
                            congru_choice *choice)
{
    const congru_set *set = plan->set;
    const size_t groups = congru_groups(set, plan->options, plan->grid);
    const congru_chosen_for of = {plan->pipeline, plan->grid};
    uint64_t shut = 0;
    *choice = congru_choice_constant(plan->pipeline, plan->grid);
    if (!congru_grid_chooses(plan->grid))
        return CONGRU_OK;
    for (size_t s = 0; s < set->subjects; s++)
        shut |= left_out[s] ? UINT64_C(1) << s % groups : 0;
    return congru_choices_make(workers, &plan->materials, plan->options, groups, 1, &of, 1, &shut, choice);
}

/* The model's options become those that were chosen, and its text "chosen" says them. */
static congru_status keep_choice(congru_context *context, const congru_plan *plan, const congru_choice *choice,
                                 congru_evaluation_options *options, congru_model *model)
{
    congru_text table = {0};
    congru_csv csv = {0};
    char *words = NULL;
    bool any;
    if (!choice->learned || !congru_grid_chooses(plan->grid))
        return CONGRU_OK;
    congru_choice_table("", plan->pipeline, plan->grid, 1, choice, &table);
    congru_status status = table.failed
                               ? congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model")
                               : congru_csv_parse(context, "choices", table.data, &csv);
    if (status == CONGRU_OK)
        status = congru_choice_words(context, &csv, 0, &words, &any);
    if (status == CONGRU_OK && words != NULL)
        status = congru_texts_add(context, &model->texts, CONGRU_MODEL_CHOSEN, words);
    free(words);
    congru_csv_clear(&csv);
    congru_text_clear(&table);
    if (plan->grid->variants > 1)
        congru_grid_set(plan->grid, choice->variant, &options->method);
    return status;
}

congru_status congru_model_fit_branches(congru_context *context, const congru_set *set,
                                        congru_evaluation_options *options, size_t count, const size_t *trial,
                                        const bool *left_out, congru_model *model)
{
    char name[1][CONGRU_PIPELINE_SIZE];
    const congru_pipeline *pipeline = &model->pipeline;
    congru_choice choice = {0};
    congru_plan plan = {0};
    congru_workers workers;
    fit_watch watch = {.options = options, .name = model->name};
    bool *used = calloc(set->count, sizeof *used);
    if (used == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", set->count);
    snprintf(name[0], sizeof name[0], "%s", model->name);
    for (size_t i = 0; i < count; i++)
        used[trial[i]] = true;
    congru_status status = check_choices(context, options, pipeline);
    if (status == CONGRU_OK)
        status = congru_workers_start(context, set->subjects, &workers);
    if (status == CONGRU_OK) {
        status = congru_plan_begin(context, set, options, 1, &model->pipeline,
                                   (const char(*)[CONGRU_PIPELINE_SIZE])name, &plan);
        if (status == CONGRU_OK)
            status = congru_materials_make(&workers, &plan.materials);
        watch.steps = status == CONGRU_OK ? steps_of(&plan, plan.choice) : 0;
        workers.stop->watch = options->watch != NULL ? tell_choice : NULL;
        workers.stop->watch_user = &watch;
        if (status == CONGRU_OK)
            status = choose(&workers, left_out, &plan, &choice);
        watch.steps = workers.stop->steps + (status == CONGRU_OK ? steps_of(&plan, &choice) : 0);
        atomic_store(&watch.taken, workers.stop->steps);
        congru_workers_end(&workers);
    }
    begin_watch(context, &watch);
    congru_model_looks looks = {0};
    bool linear = false;
    for (size_t b = 0; b < pipeline->branches; b++)
        linear = linear || congru_branch_linear(&pipeline->branch[b]);
    const branch_fit fit = {
        .fold = {.context = context, .materials = &plan.materials, .options = options, .train = {count, trial}},
        .used = used,
        .branched = congru_model_branched(model),
        .linear = linear,
        .looks = &looks,
        .model = model,
        .taken = &watch.taken};
    if (status == CONGRU_OK)
        status = fit_all(&fit, &choice);
    end_watch(context, &watch);
    if (status == CONGRU_OK)
        status = keep_choice(context, &plan, &choice, options, model);
    congru_plan_clear(&plan);
    free(used);
    return status;
}

/* ---- Finding ------------------------------------------------------------------------------------------- */

void congru_model_branch_clear(congru_model_branch *found)
{
    free(found->tensors.tensor); /* the numbers are the model's */
    found->tensors = (congru_tensors){0};
    found->aligned.model = (congru_tensors){0};
    for (size_t b = 0; b < CONGRU_BLOCKS_MAX; b++)
        found->aligned.prior[b] = NULL;
    congru_fold_aligned_clear(&found->aligned);
}

congru_status congru_model_branch_find(congru_context *context, const congru_model *model, size_t branch,
                                       size_t blocks, congru_model_branch *found)
{
    const congru_aligner *aligner = model->pipeline.branch[branch].aligner;
    const size_t d = model->preprocessing.channels;
    const bool branched = congru_model_branched(model);
    char prefix[16] = "", name[CONGRU_TENSOR_NAME_SIZE];
    congru_status status = CONGRU_OK;
    if (branched)
        snprintf(prefix, sizeof prefix, "b%zu.", branch);
    *found = (congru_model_branch){0};
    found->tensors.tensor = calloc(model->tensors.count + 1, sizeof *found->tensors.tensor);
    if (found->tensors.tensor == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model");
    for (size_t i = 0; i < model->tensors.count; i++) {
        congru_tensor own = model->tensors.tensor[i];
        if (strncmp(own.name, prefix, strlen(prefix)) != 0)
            continue;
        memmove(own.name, own.name + strlen(prefix), strlen(own.name) - strlen(prefix) + 1);
        found->tensors.tensor[found->tensors.count++] = own;
    }
    found->aligned.model = found->tensors;
    for (size_t b = 0; status == CONGRU_OK && aligner->recentring != NULL && b < blocks; b++) {
        size_t shape[2] = {d, d};
        const double *prior;
        snprintf(name, sizeof name, branched ? "prior.%zu" : CONGRU_MODEL_PRIOR, b);
        status = congru_tensors_expect(context, &found->tensors, name, 2, shape, &prior);
        found->aligned.prior[b] = status == CONGRU_OK ? (double *)(uintptr_t)prior : NULL; /* only read */
        snprintf(name, sizeof name, branched ? "spread.%zu" : CONGRU_MODEL_SPREAD, b);
        if (status == CONGRU_OK)
            status =
                congru_spread_find(context, &found->tensors, name, &found->spread[b], &found->spread_rows[b]);
    }
    return status;
}

/* A row of zeros is asked about. */
static congru_status check_features(congru_context *context, const congru_model *model,
                                    const congru_classifier *classifier, const congru_tensors *tensors,
                                    size_t features)
{
    size_t shape[2] = {0, features};
    const double *weights;
    char name[CONGRU_TENSOR_NAME_SIZE];
    snprintf(name, sizeof name, "%s.weights", classifier->name);
    congru_status status = congru_tensors_expect(context, tensors, name, 2, shape, &weights);
    if (status == CONGRU_OK)
        status = congru_model_check_classes(context, model, shape[0]);
    double *zeros = calloc(features, sizeof *zeros), *probability = calloc(shape[0] + 1, sizeof *probability);
    const congru_features rows = {.plain = zeros, .size = features};
    const congru_target_trials one = {.count = 1, .d = model->preprocessing.channels, .features = &rows};
    if (status == CONGRU_OK && (zeros == NULL || probability == NULL))
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model");
    if (status == CONGRU_OK)
        status = classifier->predict(classifier, context, tensors, &one, probability);
    free(zeros);
    free(probability);
    return status;
}

/* Whether the branch tells the model's classes apart. */
static congru_status check_classes(congru_context *context, const congru_model *model,
                                   const congru_branch *branch, const congru_tensors *tensors, size_t features)
{
    const congru_classifier *classifier = branch->classifier;
    size_t classes = 0;
    if ((classifier->features != NULL) != (features > 0))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "branch '%s' has %zu features", branch->name,
                           features);
    if (features > 0)
        return check_features(context, model, classifier, tensors, features);
    if (classifier->count_classes != NULL) {
        congru_status status = classifier->count_classes(classifier, context, tensors, &classes);
        return status == CONGRU_OK ? congru_model_check_classes(context, model, classes) : status;
    }
    const congru_pipeline alone = {.aligner = branch->aligner, .classifier = classifier};
    return congru_model_ask_identity(context, model, &alone, tensors);
}

static congru_status check_branch(congru_context *context, const congru_model *model, size_t branch)
{
    congru_model_branch *found = calloc(1, sizeof *found);
    double blocks = 0, features = 0;
    if (found == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model");
    congru_status status = congru_model_branch_find(context, model, branch, 0, found);
    if (status == CONGRU_OK)
        status = congru_tensors_expect_number(context, &found->tensors, BLOCKS, 1, CONGRU_BLOCKS_MAX, &blocks);
    if (status == CONGRU_OK)
        status = congru_tensors_expect_number(context, &found->tensors, FEATURES, 0, 1e7, &features);
    congru_model_branch_clear(found);
    if (status == CONGRU_OK)
        status = congru_model_branch_find(context, model, branch, (size_t)blocks, found);
    if (status == CONGRU_OK)
        status =
            check_classes(context, model, &model->pipeline.branch[branch], &found->tensors, (size_t)features);
    congru_model_branch_clear(found);
    free(found);
    return status;
}

congru_status congru_model_check_branches(congru_context *context, const congru_model *model)
{
    size_t shape[1] = {model->pipeline.branches};
    const double *weight;
    congru_status status =
        congru_tensors_expect(context, &model->tensors, CONGRU_MODEL_WEIGHTS, 1, shape, &weight);
    for (size_t b = 0; status == CONGRU_OK && b < model->pipeline.branches; b++) {
        if (!(weight[b] >= 0))
            status = congru_fail(context, CONGRU_ERROR_FORMAT, "a branch has the weight %g", weight[b]);
        if (status == CONGRU_OK)
            status = check_branch(context, model, b);
    }
    return status;
}
