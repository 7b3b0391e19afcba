/* What may be chosen for a pipeline: values of options, C of each branch, weights of branches. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_GRID_H
#define CONGRU_EVALUATION_GRID_H

#include "evaluation/materials.h"

enum { CONGRU_RIDGES_MAX = 16 };

/* One value of every option that is chosen, the same in all branches. */
typedef struct congru_variant {
    congru_method_options method;
    const congru_pipeline *pipeline;      /* as these options make it */
    size_t material[CONGRU_BRANCHES_MAX]; /* what its branches read */
} congru_variant;

/* Each variant, with each C of each branch by itself. Of one variant and one C nothing is to be chosen. */
typedef struct congru_grid {
    size_t variants;
    congru_variant *variant; /* (variants) */
    congru_pipeline *made;   /* (variants), those of several variants */
    size_t branches;
    size_t ridges[CONGRU_BRANCHES_MAX];
    double c[CONGRU_BRANCHES_MAX]
            [CONGRU_RIDGES_MAX];       /* ascending; the one that is given where there is no choice */
    size_t usual[CONGRU_BRANCHES_MAX]; /* that which is taken where none can be chosen */
    bool weights;                      /* of branches are learned */
} congru_grid;

/* Lists it, and what its variants read in `materials`. The caller clears it, after a failure too; the pipeline and the
 * materials live as long. */
congru_status congru_grid_make(congru_context *context, const congru_evaluation_options *options,
                               congru_pipeline *pipeline, congru_materials *materials, congru_grid *grid);
void congru_grid_clear(congru_grid *grid);

/* Whether anything is to be chosen at all, or by fits of this branch. */
bool congru_grid_chooses(const congru_grid *grid);
bool congru_grid_fits(const congru_grid *grid, size_t branch);

#endif
