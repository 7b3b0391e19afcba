/* What may be chosen for a pipeline: values of options, C of each branch, weights of branches. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_GRID_H
#define CONGRU_EVALUATION_GRID_H

#include "evaluation/materials.h"
#include "model/method_options.h"

enum { CONGRU_RIDGES_MAX = CONGRU_VALUES_MAX, CONGRU_CHOICES_MAX = 16, CONGRU_VARIANTS_MAX = 64 };

/* One value of every option that is chosen. Branches that use none of them read the same in every variant. */
typedef struct congru_variant {
    size_t value[CONGRU_CHOICES_MAX];     /* (choices) which of the values */
    size_t material[CONGRU_BRANCHES_MAX]; /* what the branches read */
} congru_variant;

/* Each variant, with each C of each branch by itself. Of one variant and one C nothing is to be chosen. */
typedef struct congru_grid {
    size_t choices;
    congru_option_values *choice; /* (choices) but C; the pipeline's own, then the run's */
    size_t variants;
    congru_variant *variant; /* (variants), the last option's values running fastest */
    congru_pipeline *made;   /* (variants), of several: the pipeline as their options make it */
    size_t branches;
    size_t material
        [CONGRU_BRANCHES_MAX]; /* where nothing can be chosen: what the branches read with the run's options */
    size_t ridges[CONGRU_BRANCHES_MAX];
    double c[CONGRU_BRANCHES_MAX]
            [CONGRU_RIDGES_MAX];       /* as they are tried; the one that is given where there is no choice */
    double usual[CONGRU_BRANCHES_MAX]; /* that which is taken where none can be chosen */
    bool weights;                      /* of branches are learned */
    bool trains; /* networks: fewer groups of subjects are left out to choose between variants */
} congru_grid;

/* Lists it, and what its variants read in `materials`; more than CONGRU_VARIANTS_MAX are CONGRU_ERROR_ARGUMENT. The caller
 * clears it, after a failure too; the pipeline and the materials live as long. */
congru_status congru_grid_make(congru_context *context, const congru_evaluation_options *options,
                               congru_pipeline *pipeline, congru_materials *materials, congru_grid *grid);
void congru_grid_clear(congru_grid *grid);

/* Gives options the values of a variant. */
void congru_grid_set(const congru_grid *grid, size_t variant, congru_method_options *options);

/* Whether the run's own choice of this option is one of the pipeline's: it has the option, and no choice of its own of it.
 * NULL: the weights of branches. */
bool congru_grid_takes(const congru_pipeline *pipeline, const congru_method_option *option);

/* CONGRU_ERROR_ARGUMENT, in one line: no pipeline takes it. */
congru_status congru_grid_fail_untaken(congru_context *context, const congru_method_option *option);

/* Whether anything is to be chosen at all, or by fits of this branch. */
bool congru_grid_chooses(const congru_grid *grid);
bool congru_grid_fits(const congru_grid *grid, size_t branch);

#endif
