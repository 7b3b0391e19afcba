/* What a run knows before its folds: materials, choices, and fits that are made together. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PLAN_H
#define CONGRU_EVALUATION_PLAN_H

#include "evaluation/choices.h"
#include "evaluation/fit.h"

/* A fit of a classifier of features without one subject, or those that are left out together. */
typedef struct congru_shared_fit {
    size_t material;
    int32_t leader; /* congru_split_leader of them */
    double c;
    bool made;
    congru_tensors fitted;
} congru_shared_fit;

typedef struct congru_plan {
    const congru_set *set;
    const congru_evaluation_options *options;
    size_t pipelines;
    congru_pipeline *pipeline; /* (pipelines), the caller's; without branches where it is not asked for */
    const char (*name)[CONGRU_PIPELINE_SIZE]; /* (pipelines), the caller's */
    congru_materials materials;
    congru_grid *grid;      /* (pipelines) */
    congru_choice *choice;  /* (pipelines, groups): for subjects of each group */
    double *seconds;        /* (pipelines) that choosing took, and fits made together */
    congru_shared_fit *fit; /* those that folds would make alike, had once */
    size_t fits, fit_room;
    const char *folder; /* where choices are kept, of a run of this fingerprint; NULL: nowhere */
    const char *fingerprint;
} congru_plan;

/* Lists what the pipelines read. What the set cannot give is CONGRU_ERROR_ARGUMENT, in one line that names the pipeline. The
 * caller clears the plan, after a failure too. */
congru_status congru_plan_begin(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, size_t pipelines,
                                congru_pipeline *pipeline, const char (*name)[CONGRU_PIPELINE_SIZE],
                                congru_plan *plan);

/* Computes materials and choices, and fits together what folds can share; waiting (pipelines, subjects): which folds are to
 * be run. In a run of several processes each does so. */
congru_status congru_plan_make(const congru_workers *workers, const bool *waiting, congru_plan *plan);
void congru_plan_clear(congru_plan *plan);

/* What is chosen for a subject under a pipeline. */
const congru_choice *congru_plan_choice(const congru_plan *plan, size_t pipeline, int32_t subject);

/* Whether something is chosen for every subject under it. */
bool congru_plan_learned(const congru_plan *plan, size_t pipeline);

/* The fit of a material without the subject; NULL where each fold makes its own. */
const congru_tensors *congru_plan_model(const congru_plan *plan, size_t material, int32_t subject, double c);

#endif
