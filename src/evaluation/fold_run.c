/* Runs one fold. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_run.h"

#include <stdlib.h>
#include <string.h>

#include "evaluation/fold_branch.h"
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

/* Everything a split needs while it is fitted and asked. */
typedef struct split_run {
    congru_fold_case fold;
    const congru_split *split;
    congru_fold_aligned aligned;
    double *probability; /* (test, classes) */
} split_run;

/* Adds the answers to the fold, those about calibration trials left out. */
static void collect(const split_run *run, congru_fold *fold)
{
    const congru_set *set = run->fold.materials->set;
    const congru_split *split = run->split;
    const congru_fold_target *target = &run->aligned.target[0];
    for (size_t i = 0; i < split->test; i++) {
        if (target->calibrated != NULL && target->calibrated[i])
            continue;
        size_t place = fold->samples++;
        fold->trial[place] = split->test_trial[i];
        fold->truth[place] = set->label[split->test_trial[i]];
        memcpy(fold->probability + place * set->classes, run->probability + i * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += split->train;
    fold->calibration += target->newcomer.calibration;
}

/* fold (count): what is common to all of them counts in each. */
static congru_status run_split(split_run *run, size_t count, const congru_pipeline *const *pipeline,
                               congru_fold *fold)
{
    const congru_materials *materials = run->fold.materials;
    congru_status status = CONGRU_OK;
    bool views = true;
    for (size_t i = 0; i < count; i++)
        views = views && pipeline[i]->classifier->views;
    run->probability = calloc(run->split->test * materials->set->classes, sizeof(double));
    if (run->probability == NULL)
        status =
            congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                        run->split->train + run->split->test);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        const congru_material *material = &materials->material[pipeline[i]->branch[0].material];
        double start = congru_seconds(), had = run->aligned.seconds;
        status = congru_fold_branch(&run->fold, material, views, &run->aligned, run->probability);
        if (status == CONGRU_OK)
            collect(run, &fold[i]);
        fold[i].seconds += congru_seconds() - start + (i > 0 ? had : 0);
        fold[i].aligning += run->aligned.sources;
        fold[i].fitting += run->aligned.fitting;
    }
    congru_fold_aligned_clear(&run->aligned);
    free(run->probability);
    return status;
}

static congru_status finish(congru_context *context, const congru_set *set, congru_fold *fold)
{
    congru_fold_answer(fold, set->classes);
    return congru_fold_score(context, fold, set->classes);
}

congru_status congru_fold_run(congru_context *context, const congru_materials *materials,
                              const congru_evaluation_options *options, size_t count,
                              const congru_pipeline *const *pipeline, int32_t subject, congru_fold *fold,
                              congru_record *record)
{
    const congru_set *set = materials->set;
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
        status = congru_split_make(context, set, options, subject, part, &split);
        split_run run = {.split = &split,
                         .fold = {.context = context,
                                  .materials = materials,
                                  .options = options,
                                  .train = {split.train, split.train_trial},
                                  .test = {split.test, split.test_trial},
                                  .record = record}};
        if (status == CONGRU_OK && split.test > 0)
            status = run_split(&run, count, pipeline, fold);
        congru_split_clear(&split);
    }
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = finish(context, set, &fold[i]);
    for (size_t i = 0; status != CONGRU_OK && i < count; i++)
        congru_fold_clear(&fold[i]);
    return status;
}
