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
#include "decoder/model_internal.h"
#include "evaluation/combine.h"
#include "evaluation/fit.h"
#include "evaluation/results.h"

typedef struct prediction_run {
    congru_context *context;
    const congru_model *model;
    const congru_set *set; /* as the model wants it */
    congru_set *prepared;  /* owns that where the caller's is another */
    const congru_prediction_options *options;
    congru_set view; /* the set with the model's classes */
    congru_materials materials;
    size_t material[CONGRU_BRANCHES_MAX]; /* of each branch */
    congru_executor executor;
    congru_aligned *aligned;
    size_t *first, *listed; /* (subjects + 1), (trials): those of one subject after those of another */
    const size_t *trial;    /* of the subject at hand */
    double *said;           /* (branches, trials, classes) */
    double *probability;    /* (trials, classes) */
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
    const double *prior = run->model->branch[0].prior[0];
    const size_t d = run->model->preprocessing.channels;
    double own = 0;
    for (size_t i = 0; prior != NULL && i < d; i++)
        own += prior[i * (d + 1)];
    const double factor =
        run->model->preprocessing.trace_normalise ? 1 : congru_model_factor(own, mean_trace(run->set));
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
    CONGRU_TRY(congru_set_preprocessing(run->context, run->set, &of_set));
    if (run->model->preprocessing.known && !of_set.known)
        congru_note(run->context,
                    "The set does not say how its signals were filtered; it is taken to be as the "
                    "model's were.");
    congru_preprocessing_clear(&of_set);
    CONGRU_TRY(congru_set_check_rank(run->context, run->set, 0, NULL));
    return check_scale(run);
}

/* Signals go through the model's preparation; covariances are to have gone through it. */
static congru_status prepare(prediction_run *run)
{
    const congru_pipeline *pipeline = &run->model->pipeline;
    const bool signals = congru_pipeline_reads(pipeline, CONGRU_NEEDS_SIGNALS);
    bool fits;
    CONGRU_TRY(congru_model_fits(run->context, run->model, run->set, &fits));
    if (run->options->keep_aligned && (signals || pipeline->branches > 1))
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                           "a model of several branches puts no covariances anywhere that could be shown");
    if (!fits) {
        CONGRU_TRY(congru_set_create_borrowing(run->context, run->set, &run->prepared));
        CONGRU_TRY(congru_model_prepare(run->context, run->model, run->prepared, 1));
        run->set = run->prepared;
    }
    return signals ? CONGRU_OK : check_covariances(run);
}

/* A model that is to take labels of subjects of whom nothing is to be seen. */
static congru_status check_target(const prediction_run *run)
{
    const size_t labels = congru_aligner_labels(run->model->pipeline.branch[0].aligner, &run->model->method);
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
    run->view.label = NULL; /* the set's own stay its own */
    CONGRU_TRY(congru_allocate(run->context, &run->view.label, set->count, sizeof *run->view.label,
                               "%zu trials", set->count));
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
    congru_context *context = run->context;
    const size_t n = run->set->count, numbers = n * run->model->classes, d = run->set->dimension;
    made->classes = run->model->classes;
    made->dimension = d;
    CONGRU_TRY(congru_allocate(context, &made->trial, n, sizeof *made->trial, "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &made->prediction, n, sizeof *made->prediction, "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &made->truth, n, sizeof *made->truth, "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &made->probability, numbers, sizeof(double), "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &run->first, run->set->subjects + 1, sizeof *run->first,
                               "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &run->listed, n, sizeof *run->listed, "%zu predictions", n));
    congru_list_groups(n, run->set->subject, run->set->subjects, run->first, run->listed);
    CONGRU_TRY(congru_allocate(context, &run->aligned, 1, sizeof *run->aligned, "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &run->probability, numbers, sizeof(double), "%zu predictions", n));
    CONGRU_TRY(congru_allocate(context, &run->said, run->model->pipeline.branches * numbers, sizeof(double),
                               "%zu predictions", n));
    return run->options->keep_aligned
               ? congru_take(context, &made->aligned, n * d * d, sizeof(double), "%zu predictions", n)
               : CONGRU_OK;
}

/* Those of one subject, whose trials the aligner of the only branch may have taken labels of. */
static void collect(prediction_run *run, size_t count, const double *probability)
{
    congru_predictions *made = run->made;
    const congru_aligned *aligned = run->aligned;
    const size_t classes = made->classes, size = made->dimension * made->dimension;
    for (size_t i = 0; i < count; i++) {
        const double *row = probability + i * classes;
        if (aligned->calibrated != NULL && aligned->calibrated[i]) {
            made->calibration++;
            continue;
        }
        size_t place = made->count++, best = 0;
        for (size_t k = 1; k < classes; k++)
            if (row[k] > row[best])
                best = k;
        made->trial[place] = run->trial[i];
        made->prediction[place] = (int32_t)best;
        made->truth[place] = run->view.label[run->trial[i]];
        memcpy(made->probability + place * classes, row, classes * sizeof *row);
        if (made->aligned != NULL)
            memcpy(made->aligned + place * size, aligned->block[0].covariance + i * size, size * sizeof *row);
        congru_mapped_pass(2 * size * sizeof *row);
    }
}

/* Where the only branch has put the trials, which the network of an end-to-end model does behind the aligner. */
static congru_status embed(prediction_run *run)
{
    const congru_classifier *classifier = run->model->pipeline.branch[0].classifier;
    congru_target_block *block = &run->aligned->block[0];
    if (!run->options->keep_aligned)
        return CONGRU_OK;
    if (block->covariance == NULL)
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                           "a classifier of features puts no covariances anywhere that could be shown");
    return classifier->embed_target != NULL
               ? classifier->embed_target(classifier, run->context, &run->model->branch[0].tensors,
                                          &run->aligned->target[0], block->covariance)
               : CONGRU_OK;
}

static congru_status ask(prediction_run *run, int32_t subject)
{
    const congru_model *model = run->model;
    const size_t branches = model->pipeline.branches;
    congru_opinions opinions = {.branches = branches, .classes = model->classes};
    if (subject < 0 || (size_t)subject >= run->set->subjects)
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT, "there is no subject %d", (int)subject);
    opinions.count = run->first[subject + 1] - run->first[subject];
    run->trial = run->listed + run->first[subject];
    const size_t count = opinions.count, numbers = count * model->classes;
    for (size_t b = 0; count > 0 && b < branches; b++) {
        congru_aligned_clear(run->aligned);
        opinions.log_probability[b] = run->said + b * numbers;
        CONGRU_TRY(congru_ask(&run->executor, &run->materials.material[run->material[b]],
                              &model->branch[b].tensors, (congru_trial_list){count, run->trial}, run->aligned,
                              run->said + b * numbers));
    }
    if (branches > 1) {
        congru_opinions_log(branches * numbers, run->said);
        congru_opinions_combine(&opinions, model->weight, run->probability);
    }
    if (count > 0)
        CONGRU_TRY(embed(run));
    collect(run, count, branches > 1 ? run->probability : run->said);
    return CONGRU_OK;
}

/* What the branches read of the set. */
static congru_status make_materials(prediction_run *run)
{
    const congru_pipeline *pipeline = &run->model->pipeline;
    congru_workers workers;
    CONGRU_TRY(congru_materials_begin(run->context, &run->view, run->options->align_by_session,
                                      run->options->target == CONGRU_TARGET_FULL, &run->materials));
    for (size_t b = 0; b < pipeline->branches; b++)
        CONGRU_TRY(congru_materials_want(run->context, &run->model->method, &pipeline->branch[b],
                                         &run->materials, &run->material[b]));
    CONGRU_TRY(congru_workers_start(run->context, run->set->subjects, &workers));
    const congru_status status = congru_materials_make(&workers, &run->materials);
    congru_workers_end(&workers);
    return status;
}

static congru_status predict(prediction_run *run)
{
    const congru_prediction_options *options = run->options;
    CONGRU_TRY(prepare(run));
    CONGRU_TRY(match_labels(run));
    CONGRU_TRY(check_target(run));
    CONGRU_TRY(reserve(run));
    CONGRU_TRY(make_materials(run));
    run->executor = (congru_executor){.context = run->context,
                                      .materials = &run->materials,
                                      .target = options->target,
                                      .labelled = !options->ignore_labels};
    const size_t asked = options->subjects != NULL ? options->subject_count : run->set->subjects;
    for (size_t i = 0; i < asked; i++)
        CONGRU_TRY(ask(run, options->subjects != NULL ? options->subjects[i] : (int32_t)i));
    return CONGRU_OK;
}

congru_status congru_model_predict(congru_context *context, const congru_model *model, const congru_set *set,
                                   const congru_prediction_options *options, congru_predictions **predictions)
{
    static const congru_prediction_options defaults = {.subjects = NULL};
    if (context == NULL || model == NULL || set == NULL || predictions == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model, set or predictions given");
    prediction_run run = {
        .context = context, .model = model, .set = set, .options = options != NULL ? options : &defaults};
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &run.made, 1, sizeof *run.made, "predictions"));
    status = predict(&run);
done:
    congru_materials_clear(&run.materials);
    if (run.aligned != NULL)
        congru_aligned_clear(run.aligned);
    congru_set_destroy(&run.prepared);
    free(run.view.label);
    free(run.aligned);
    free(run.first);
    free(run.listed);
    free(run.said);
    free(run.probability);
    if (status != CONGRU_OK)
        congru_predictions_destroy(&run.made);
    *predictions = run.made;
    return status;
}

/* ---- As a file ----------------------------------------------------------------------------------------- */

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
    CONGRU_TRY(congru_set_check(context, set));
    CONGRU_TRY(check_answers(context, predictions, model, set));
    congru_predictions_add_heading(&text, model->classes, (const char(*)[CONGRU_LABEL_SIZE])model->class_name);
    for (size_t i = 0; i < predictions->count; i++) {
        const int32_t truth = predictions->truth[i];
        congru_predictions_add_row(
            &text, dataset != NULL ? dataset : "", set->subject_name[set->subject[predictions->trial[i]]],
            predictions->trial[i], model->name, truth >= 0 ? model->class_name[truth] : "",
            model->class_name[predictions->prediction[i]], model->classes,
            predictions->probability + i * model->classes, 0);
    }
    const congru_status status =
        text.failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to write it", path)
                    : congru_file_write(context, path, &(congru_file_piece){text.data, text.size}, 1);
    congru_text_clear(&text);
    return status;
}
