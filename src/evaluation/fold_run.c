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
static void collect(const congru_set *set, const congru_split *split, const congru_fold_answers *answers,
                    congru_fold *fold)
{
    for (size_t i = 0; i < split->test; i++) {
        if (answers->calibrated[i])
            continue;
        size_t place = fold->samples++;
        fold->trial[place] = split->test_trial[i];
        fold->truth[place] = set->label[split->test_trial[i]];
        memcpy(fold->probability + place * set->classes, answers->probability + i * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += split->train;
    fold->calibration += answers->calibration;
}

static congru_status run_part(const congru_fold_setting *setting, int32_t subject, size_t part,
                              congru_fold *fold, congru_record *record)
{
    const congru_set *set = setting->prepared->set;
    congru_split split;
    congru_status status = congru_split_make(setting->context, set, setting->options, subject, part, &split);
    if (status != CONGRU_OK)
        return status;
    congru_tensors model = {0};
    congru_fold_answers answers = {0};
    double *prior = malloc(set->dimension * set->dimension * sizeof *prior);
    if (prior == NULL)
        status = congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for a reference");
    if (status == CONGRU_OK)
        status = congru_fold_fit(setting, split.train, split.train_trial, &model, prior, record);
    if (status == CONGRU_OK)
        status = congru_fold_ask(setting, split.test, split.test_trial, true, &model, prior, &answers);
    if (status == CONGRU_OK)
        collect(set, &split, &answers, fold);
    congru_fold_answers_clear(&answers);
    congru_tensors_clear(&model);
    free(prior);
    congru_split_clear(&split);
    return status;
}

/* The session of all scored trials, or -1. */
static int32_t common_session(const congru_set *set, const congru_fold *fold)
{
    for (size_t i = 1; i < fold->samples; i++)
        if (set->session[fold->trial[i]] != set->session[fold->trial[0]])
            return -1;
    return fold->samples > 0 ? set->session[fold->trial[0]] : -1;
}

congru_status congru_fold_run(congru_context *context, const congru_prepared *prepared,
                              const congru_evaluation_options *options, const congru_pipeline *pipeline,
                              int32_t subject, congru_fold *fold, congru_record *record)
{
    const congru_set *set = prepared->set;
    double start = congru_seconds();
    size_t own = 0;
    for (size_t i = 0; i < set->count; i++)
        own += set->subject[i] == subject;
    *fold = (congru_fold){.subject = subject};
    congru_status status = congru_fold_reserve(context, fold, own, set->classes);
    for (size_t part = 0; status == CONGRU_OK && part < congru_split_parts(options); part++) {
        congru_fold_setting setting = {context, prepared, options, pipeline};
        status = run_part(&setting, subject, part, fold, record);
    }
    if (status == CONGRU_OK) {
        congru_fold_answer(fold, set->classes);
        status = congru_fold_score(context, fold, set->classes);
    }
    fold->session = status == CONGRU_OK ? common_session(set, fold) : -1;
    fold->seconds = congru_seconds() - start;
    if (status != CONGRU_OK)
        congru_fold_clear(fold);
    return status;
}
