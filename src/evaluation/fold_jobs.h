/* The folds of a run: which there are, which share a training, run by threads and processes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_JOBS_H
#define CONGRU_EVALUATION_FOLD_JOBS_H

#include "evaluation/cohort.h"
#include "evaluation/plan.h"
#include "evaluation/run_folder.h"

/* One fold to be had. */
typedef struct congru_wanted_fold {
    size_t pipeline; /* index in results->pipeline */
    int32_t subject;
    bool wanted; /* by this run; otherwise only taken from the folder if it is there */
    bool done;
    double cost;
    congru_fold fold;
} congru_wanted_fold;

/* One call of congru_evaluate. */
typedef struct congru_evaluation {
    congru_context *context;
    const congru_set *set;
    const congru_evaluation_options *options;
    congru_member *member; /* (set->subjects) */
    congru_run_folder run;
    congru_plan plan;
    congru_pipeline *pipeline;          /* all there are, in the order of the registry */
    char (*name)[CONGRU_PIPELINE_SIZE]; /* likewise */
    size_t pipelines;
    size_t *unit;            /* (pipelines) the first of those that it is run with, itself among them */
    size_t *folds;           /* (pipelines) that wait to be run */
    double *share;           /* (pipelines) of each of them in the seconds of what all folds read */
    congru_wanted_fold *job; /* all there could be, by pipeline, then by subject */
    size_t jobs;
    size_t *
        order; /* (waiting) of those to run, quick ones first, then the longest; folds that share a training side by side */
    size_t *group; /* (groups + 1) where in the order each job of a worker begins */
    size_t waiting, groups;
    double cost;         /* of all groups, by the steps of their networks */
    size_t choice_steps; /* of networks that were trained to choose, before the folds */
    bool prepared;       /* the plan is made */
} congru_evaluation;

/* Whether this process writes what is not of a fold: rank 0, or the only one there is. */
bool congru_jobs_lead(const congru_evaluation *e);

/* Whether this run is to have the pipeline. */
bool congru_jobs_asked(const congru_evaluation *e, size_t pipeline);

/* Every fold that this run wants, and, on rank 0, what the folder holds from runs before. The caller frees unit, job, order
 * and group. */
congru_status congru_jobs_list(congru_evaluation *e);

/* Runs those that wait, with the other processes. `ready` is how this one fared so far; with a failure none begins. On rank 0
 * the answer is what failed anywhere, on others CONGRU_OK. */
congru_status congru_jobs_run(congru_evaluation *e, congru_status ready);

/* Reads what the folder holds of folds that this process does not have; those that are wanted and not there wait. */
congru_status congru_jobs_collect(congru_evaluation *e);

#endif
