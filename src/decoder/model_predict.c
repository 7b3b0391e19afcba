/* Asks a model about the trials of a set. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/file_write.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/scalar_math.h"
#include "dataset/set_check.h"
#include "dataset/set_products.h"
#include "decoder/model_branches.h"
#include "evaluation/combine.h"
#include "evaluation/materials.h"

typedef struct prediction_run {
    congru_context *context;
    const congru_model *model;
    const congru_set *set; /* as the model wants it */
    congru_set *prepared;  /* owns that where the caller's is another */
    const congru_prediction_options *options;
    congru_set view; /* the set with the model's classes */
    congru_evaluation_options evaluation;
    congru_materials materials;
    size_t material[CONGRU_BRANCHES_MAX]; /* of each branch */
    size_t *first, *listed; /* (subjects + 1), (trials): those of one subject after those of another */
    const size_t *trial;    /* of the subject at hand */
    double *probability;    /* likewise */
    congru_predictions *made;
} prediction_run;

void congru_predictions_destroy(congru_predictions **predictions)
{
    if (predictions == NULL || *predictions == NULL)
        return;
    congru_predictions *old = *predictions;
    free(old->trial);
    free(old->prediction);
    free(old->truth);
    free(old->probability);
    congru_memory_give(old->aligned);
    free(old);
    *predictions = NULL;
}

/* The geometric mean of the traces, which a few artefacts do not move. */
static double mean_trace(const congru_set *set)
{
    const size_t d = set->dimension;
    double sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        double trace = 0;
        for (size_t k = 0; k < d; k++)
            trace += set->covariance[i * d * d + k * (d + 1)];
        sum += congru_scalar_log(trace);
        congru_mapped_pass(d * d * sizeof trace);
    }
    return congru_scalar_exp(sum / (double)set->count);
}

static congru_status check_scale(prediction_run *run)
{
    static const double farthest = 1e30; /* no unit of volts is so far from another */
    double factor = congru_model_scale(run->model, mean_trace(run->set));
    if (factor == 1)
        return CONGRU_OK;
    if (!(factor < farthest && factor > 1 / farthest))
        return congru_fail(run->context, CONGRU_ERROR_FORMAT,
                           "the mean of what the model was fitted on is of another unit by %.0e, which none is",
                           factor);
    return congru_fail(
        run->context, CONGRU_ERROR_SCALE,
        "of another unit than what the model was fitted on: its samples must be multiplied by about %.0e "
        "(declare the unit of signals with --unit V or mV; import covariances anew)",
        factor);
}

static congru_status check_covariances(prediction_run *run)
{
    congru_preprocessing of_set;
    congru_status status = congru_set_preprocessing(run->context, run->set, &of_set);
    if (status != CONGRU_OK)
        return status;
    if (run->model->preprocessing.known && !of_set.known)
        congru_note(run->context,
                    "The set does not say how its signals were filtered; it is taken to be as the "
                    "model's were.");
    congru_preprocessing_clear(&of_set);
    status = congru_set_check_rank(run->context, run->set, 0, NULL);
    return status == CONGRU_OK ? check_scale(run) : status;
}

/* Signals go through the model's preparation; covariances are to have gone through it. */
static congru_status prepare(prediction_run *run)
{
    const bool branched = congru_model_branched(run->model);
    bool fits;
    congru_status status = congru_model_fits(run->context, run->model, run->set, &fits);
    if (status == CONGRU_OK && branched && run->options->keep_aligned)
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                           "a model of several branches puts no covariances anywhere that could be shown");
    if (status == CONGRU_OK && !fits) {
        status = congru_set_create_borrowing(run->context, run->set, &run->prepared);
        if (status == CONGRU_OK)
            status = congru_model_prepare(run->context, run->model, run->prepared, 1);
        run->set = run->prepared;
    }
    return status == CONGRU_OK && !branched ? check_covariances(run) : status;
}

/* A model that is to take labels of subjects of whom nothing is to be seen. */
static congru_status check_target(const prediction_run *run)
{
    const size_t labels = congru_aligner_labels(run->model->pipeline.aligner, &run->model->method);
    bool labelled = false;
    for (size_t i = 0; i < run->view.count && !labelled; i++)
        labelled = run->view.label[i] >= 0;
    if (!labelled || labels == 0 || run->options->ignore_labels || run->options->target != CONGRU_TARGET_NONE)
        return CONGRU_OK;
    return congru_fail(
        run->context, CONGRU_ERROR_ARGUMENT,
        "the model takes %s of each class of a subject (--rpa-labels), of whom --target none lets "
        "nothing be seen (--unlabelled takes none)",
        congru_count(labels, "labelled trial").text);
}

/* The set's labels as classes of the model; -1 for a class the model does not know. */
static congru_status match_labels(prediction_run *run)
{
    const congru_set *set = run->set;
    run->view = *set;
    run->view.classes = run->model->classes;
    run->view.class_name = run->model->class_name;
    run->view.label = malloc(set->count * sizeof *run->view.label);
    run->first = calloc(set->subjects + 1, sizeof *run->first);
    run->listed = malloc(set->count * sizeof *run->listed);
    if (run->view.label == NULL || run->first == NULL || run->listed == NULL)
        return congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", set->count);
    congru_list_groups(set->count, set->subject, set->subjects, run->first, run->listed);
    for (size_t i = 0; i < set->count; i++) {
        const char *name = set->label != NULL ? set->class_name[set->label[i]] : "";
        run->view.label[i] = -1;
        for (size_t k = 0; k < run->model->classes; k++)
            if (strcmp(run->model->class_name[k], name) == 0)
                run->view.label[i] = (int32_t)k;
    }
    return CONGRU_OK;
}

static congru_status reserve(prediction_run *run)
{
    congru_predictions *made = run->made;
    size_t n = run->set->count, size = run->set->dimension * run->set->dimension;
    made->classes = run->model->classes;
    made->dimension = run->set->dimension;
    made->trial = malloc(n * sizeof *made->trial);
    made->prediction = malloc(n * sizeof *made->prediction);
    made->truth = malloc(n * sizeof *made->truth);
    made->probability = malloc(n * made->classes * sizeof(double));
    run->probability = malloc(n * made->classes * sizeof(double));
    if (run->options->keep_aligned)
        made->aligned = congru_memory_take(n * size * sizeof(double));
    if (made->trial == NULL || made->prediction == NULL || made->truth == NULL || made->probability == NULL ||
        run->probability == NULL || (run->options->keep_aligned && made->aligned == NULL))
        return congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu predictions", n);
    return CONGRU_OK;
}

static void collect(prediction_run *run, size_t count, const congru_fold_target *target)
{
    congru_predictions *made = run->made;
    size_t classes = made->classes, size = made->dimension * made->dimension;
    for (size_t i = 0; i < count; i++) {
        if (target->calibrated != NULL && target->calibrated[i])
            continue;
        const double *row = run->probability + i * classes;
        size_t place = made->count++, best = 0;
        for (size_t k = 1; k < classes; k++)
            if (row[k] > row[best])
                best = k;
        made->trial[place] = run->trial[i];
        made->prediction[place] = (int32_t)best;
        made->truth[place] = run->view.label[run->trial[i]];
        memcpy(made->probability + place * classes, row, classes * sizeof *row);
        if (made->aligned != NULL)
            memcpy(made->aligned + place * size, target->covariance + i * size, size * sizeof *row);
        congru_mapped_pass(2 * size * sizeof *row);
    }
    made->calibration += target->target.calibration;
}

/* One branch asked about the trials of a subject: probability (count, classes). `keep`: collects, as the only one. */
static congru_status ask_branch(prediction_run *run, size_t branch, size_t count, bool keep,
                                double *probability)
{
    const congru_branch *own = &run->model->pipeline.branch[branch];
    const congru_material *material = &run->materials.material[run->material[branch]];
    congru_method_options method = material->method;
    congru_model_branch *found = calloc(1, sizeof *found);
    const congru_fold_case fold = {.context = run->context,
                                   .materials = &run->materials,
                                   .options = &run->evaluation,
                                   .test = {count, run->trial}};
    if (found == NULL)
        return congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for a model");
    congru_status status = congru_model_branch_find(run->context, run->model, branch, material->blocks, found);
    if (status == CONGRU_OK)
        status = congru_branch_ask(&fold, material, &method, &found->aligned, &found->tensors,
                                   !run->options->ignore_labels, probability);
    if (status == CONGRU_OK && keep && run->options->keep_aligned &&
        found->aligned.target[0].covariance == NULL)
        status = congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                             "a classifier of features puts no covariances anywhere that could be shown");
    if (status == CONGRU_OK && keep && run->options->keep_aligned && own->classifier->embed_target != NULL)
        status = own->classifier->embed_target(own->classifier, run->context, &found->tensors,
                                               &found->aligned.target[0].target,
                                               found->aligned.target[0].covariance);
    if (status == CONGRU_OK && keep)
        collect(run, count, &found->aligned.target[0]);
    congru_model_branch_clear(found);
    free(found);
    return status;
}

/* All branches, added up. */
static congru_status ask_branches(prediction_run *run, size_t count)
{
    const size_t branches = run->model->pipeline.branches, numbers = count * run->model->classes;
    congru_opinions opinions = {.branches = branches, .count = count, .classes = run->model->classes};
    double *said = malloc((branches * numbers + 1) * sizeof *said);
    congru_status status = said != NULL ? CONGRU_OK
                                        : congru_fail(run->context, CONGRU_ERROR_MEMORY,
                                                      "not enough memory for %zu predictions", count);
    for (size_t b = 0; status == CONGRU_OK && b < branches; b++) {
        opinions.log_probability[b] = said + b * numbers;
        status = ask_branch(run, b, count, false, said + b * numbers);
    }
    if (status == CONGRU_OK) {
        const congru_tensor *weight = congru_tensors_find(&run->model->tensors, CONGRU_MODEL_WEIGHTS);
        if (congru_pipeline_combines(&run->model->pipeline)) {
            congru_opinions_log(branches * numbers, said);
            congru_opinions_combine(&opinions, weight->data, run->probability);
        } else {
            memcpy(run->probability, said, numbers * sizeof *said);
        }
        collect(run, count, &(congru_fold_target){0});
    }
    free(said);
    return status;
}

static congru_status ask(prediction_run *run, int32_t subject)
{
    if (subject < 0 || (size_t)subject >= run->set->subjects)
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT, "there is no subject %d", (int)subject);
    const size_t count = run->first[subject + 1] - run->first[subject];
    run->trial = run->listed + run->first[subject];
    if (count == 0)
        return CONGRU_OK;
    return congru_model_branched(run->model) ? ask_branches(run, count)
                                             : ask_branch(run, 0, count, true, run->probability);
}

static congru_status predict(prediction_run *run)
{
    const congru_prediction_options *options = run->options;
    congru_workers workers;
    congru_status status = prepare(run);
    if (status == CONGRU_OK)
        status = match_labels(run);
    if (status == CONGRU_OK)
        status = check_target(run);
    if (status == CONGRU_OK)
        status = reserve(run);
    if (status != CONGRU_OK)
        return status;
    congru_evaluation_options_init(&run->evaluation);
    run->evaluation.target = options->target;
    run->evaluation.method = run->model->method;
    status = congru_workers_start(run->context, run->set->subjects, &workers);
    if (status != CONGRU_OK)
        return status;
    status = congru_materials_begin(run->context, &run->view, options->align_by_session,
                                    options->target == CONGRU_TARGET_FULL, &run->materials);
    for (size_t b = 0; status == CONGRU_OK && b < run->model->pipeline.branches; b++)
        status = congru_materials_want(run->context, &run->evaluation.method, &run->model->pipeline.branch[b],
                                       &run->materials, &run->material[b]);
    if (status == CONGRU_OK)
        status = congru_materials_make(&workers, &run->materials);
    congru_workers_end(&workers);
    size_t asked = options->subjects != NULL ? options->subject_count : run->set->subjects;
    for (size_t i = 0; status == CONGRU_OK && i < asked; i++)
        status = ask(run, options->subjects != NULL ? options->subjects[i] : (int32_t)i);
    return status;
}

congru_status congru_model_predict(congru_context *context, const congru_model *model, const congru_set *set,
                                   const congru_prediction_options *options, congru_predictions **predictions)
{
    static const congru_prediction_options defaults = {.subjects = NULL};
    if (context == NULL || model == NULL || set == NULL || predictions == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model, set or predictions given");
    prediction_run run = {.context = context,
                          .model = model,
                          .set = set,
                          .options = options != NULL ? options : &defaults,
                          .made = calloc(1, sizeof *run.made)};
    congru_status status = run.made != NULL
                               ? predict(&run)
                               : congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for predictions");
    congru_materials_clear(&run.materials);
    congru_set_destroy(&run.prepared);
    free(run.view.label);
    free(run.first);
    free(run.listed);
    free(run.probability);
    if (status != CONGRU_OK)
        congru_predictions_destroy(&run.made);
    *predictions = run.made;
    return status;
}

/* ---- As a file ----------------------------------------------------------------------------------------- */

static void add_heading(congru_text *text, const congru_model *model)
{
    congru_text_add(text, "dataset,subject,trial,pipeline,y_true,y_pred");
    for (size_t k = 0; k < model->classes; k++) {
        char name[CONGRU_LABEL_SIZE + 2];
        snprintf(name, sizeof name, "p_%s", model->class_name[k]);
        congru_text_add(text, ",");
        congru_text_add_csv(text, name);
    }
    congru_text_add(text, ",fold\n");
}

static void add_row(congru_text *text, const congru_predictions *made, const congru_model *model,
                    const congru_set *set, const char *dataset, size_t i)
{
    congru_text_add_csv(text, dataset);
    congru_text_add(text, ",");
    congru_text_add_csv(text, set->subject_name[set->subject[made->trial[i]]]);
    congru_text_add(text, ",%zu,%s,", made->trial[i], model->name);
    congru_text_add_csv(text, made->truth[i] >= 0 ? model->class_name[made->truth[i]] : "");
    congru_text_add(text, ",");
    congru_text_add_csv(text, model->class_name[made->prediction[i]]);
    for (size_t k = 0; k < made->classes; k++)
        congru_text_add(text, ",%.17g", made->probability[i * made->classes + k]);
    congru_text_add(text, ",0\n"); /* all trials are left out of the fit at once */
}

/* Predictions may come from another model or set, or be the caller's own. */
static congru_status check_answers(congru_context *context, const congru_predictions *made,
                                   const congru_model *model, const congru_set *set)
{
    bool fit = made->classes == model->classes;
    for (size_t i = 0; fit && i < made->count; i++)
        fit = made->trial[i] < set->count && made->prediction[i] >= 0 &&
              (size_t)made->prediction[i] < model->classes && made->truth[i] < (int32_t)model->classes;
    return fit ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_ARGUMENT, "the predictions are not of this model and set");
}

congru_status congru_predictions_write(congru_context *context, const congru_predictions *predictions,
                                       const congru_model *model, const congru_set *set, const char *dataset,
                                       const char *path)
{
    congru_text text = {0};
    if (context == NULL || predictions == NULL || model == NULL || set == NULL || path == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no predictions, model, set or path given");
    congru_status status = congru_set_check(context, set);
    if (status == CONGRU_OK)
        status = check_answers(context, predictions, model, set);
    if (status != CONGRU_OK)
        return status;
    add_heading(&text, model);
    for (size_t i = 0; i < predictions->count; i++)
        add_row(&text, predictions, model, set, dataset != NULL ? dataset : "", i);
    status = text.failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to write it", path)
                         : congru_file_write(context, path, &(congru_file_piece){text.data, text.size}, 1);
    congru_text_clear(&text);
    return status;
}
