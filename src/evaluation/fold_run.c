/* Runs one fold. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_run.h"

#include <stdlib.h>
#include <string.h>

#include "evaluation/fold_parts.h"
#include "evaluation/scoring.h"
#include "evaluation/split.h"

congru_status congru_fold_reserve(congru_context *context, congru_fold *fold, size_t samples, size_t classes)
{
    size_t room = samples > 0 ? samples : 1;
    fold->trial = calloc(room, sizeof *fold->trial);
    fold->truth = calloc(room, sizeof *fold->truth);
    fold->answer = calloc(room, sizeof *fold->answer);
    fold->probability = calloc(room * classes, sizeof *fold->probability);
    if (fold->trial == NULL || fold->truth == NULL || fold->answer == NULL || fold->probability == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu answers", samples);
    return CONGRU_OK;
}

void congru_fold_clear(congru_fold *fold)
{
    free(fold->trial);
    free(fold->truth);
    free(fold->answer);
    free(fold->probability);
    *fold = (congru_fold){0};
}

/* Adds the answers to the fold, those about calibration trials left out. */
static void collect(const congru_set *set, const congru_split *split, const congru_fold_target *target,
                    const double *probability, congru_fold *fold)
{
    for (size_t i = 0; i < split->test; i++) {
        if (target->calibrated[i])
            continue;
        size_t place = fold->samples++;
        fold->trial[place] = split->test_trial[i];
        fold->truth[place] = set->label[split->test_trial[i]];
        memcpy(fold->probability + place * set->classes, probability + i * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += split->train;
    fold->calibration += target->newcomer.calibration;
}

/* Everything a split needs while it is fitted and asked. */
typedef struct split_run {
    congru_fold_setting setting;
    const congru_split *split;
    congru_fold_sources sources;
    congru_fold_target target;
    congru_tensors model; /* the aligner's */
    double *prior, *probability;
} split_run;

/* Trials of both sides recentred and mapped by the aligner, which is fitted here. *seconds is how long the sources
 * took. */
static congru_status align(split_run *run, congru_record *record, double *seconds)
{
    const congru_set *set = run->setting.prepared->set;
    run->prior = malloc(set->dimension * set->dimension * sizeof(double));
    run->probability = calloc(run->split->test * set->classes, sizeof(double));
    if (run->prior == NULL || run->probability == NULL)
        return congru_fail(run->setting.context, CONGRU_ERROR_MEMORY,
                           "not enough memory for a fold of %zu trials", run->split->train + run->split->test);
    double start = congru_seconds();
    congru_status status = congru_fold_sources_align(&run->setting, run->split->train, run->split->train_trial,
                                                     &run->model, run->prior, record, &run->sources);
    *seconds = congru_seconds() - start;
    if (status == CONGRU_OK)
        status = congru_fold_target_align(&run->setting, run->split->test, run->split->test_trial, true,
                                          &run->model, run->prior, &run->target);
    return status;
}

static congru_status ask(split_run *run, const congru_classifier *classifier, congru_fold *fold,
                         congru_record *record)
{
    congru_context *context = run->setting.context;
    congru_tensors model = {0};
    double start = congru_seconds();
    congru_status status =
        classifier->fit(context, &run->sources.trials, &run->setting.options->method, &model, record);
    fold->fitting += congru_seconds() - start;
    if (status == CONGRU_OK)
        status = classifier->predict(context, &model, &run->target.newcomer, run->probability);
    if (status == CONGRU_OK)
        collect(run->setting.prepared->set, run->split, &run->target, run->probability, fold);
    congru_tensors_clear(&model);
    return status;
}

/* fold (count): what is common to all of them counts in each. */
static congru_status run_split(split_run *run, size_t count, const congru_pipeline *const *pipeline,
                               congru_fold *fold, congru_record *record)
{
    double start = congru_seconds(), aligning = 0;
    congru_status status = align(run, record, &aligning);
    double common = congru_seconds() - start;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        start = congru_seconds();
        status = ask(run, pipeline[i]->classifier, &fold[i], record);
        fold[i].aligning += aligning;
        fold[i].seconds += common + congru_seconds() - start;
    }
    congru_fold_sources_clear(&run->sources);
    congru_fold_target_clear(&run->target);
    congru_tensors_clear(&run->model);
    free(run->prior);
    free(run->probability);
    return status;
}

static congru_status finish(congru_context *context, const congru_set *set, congru_fold *fold)
{
    congru_fold_answer(fold, set->classes);
    return congru_fold_score(context, fold, set->classes);
}

congru_status congru_fold_run(congru_context *context, const congru_prepared *prepared,
                              const congru_evaluation_options *options, size_t count,
                              const congru_pipeline *const *pipeline, int32_t subject, congru_fold *fold,
                              congru_record *record)
{
    const congru_set *set = prepared->set;
    size_t own = 0;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < set->count; i++)
        own += set->subject[i] == subject;
    for (size_t i = 0; i < count; i++) {
        fold[i] = (congru_fold){.subject = subject, .session = -1};
        if (status == CONGRU_OK)
            status = congru_fold_reserve(context, &fold[i], own, set->classes);
    }
    for (size_t part = 0; status == CONGRU_OK && part < congru_split_parts(options); part++) {
        congru_split split;
        split_run run = {.setting = {context, prepared, options, pipeline[0]->aligner, true}};
        for (size_t i = 0; i < count; i++)
            run.setting.views = run.setting.views && pipeline[i]->classifier->views;
        status = congru_split_make(context, set, options, subject, part, &split);
        run.split = &split;
        if (status == CONGRU_OK && split.test > 0)
            status = run_split(&run, count, pipeline, fold, record);
        congru_split_clear(&split);
    }
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = finish(context, set, &fold[i]);
    for (size_t i = 0; status != CONGRU_OK && i < count; i++)
        congru_fold_clear(&fold[i]);
    return status;
}
