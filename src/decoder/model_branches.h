/* The branches of a model: fitted into its tensors, and found there again. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_MODEL_BRANCHES_H
#define CONGRU_DECODER_MODEL_BRANCHES_H

#include "decoder/model_internal.h"
#include "evaluation/fold_branch.h"

/* Whether the tensors are those of branches: "b0.", "b1.", ... before each name, "b0.prior.3" for the reference of its fourth
 * block, and "branches.weight". A pipeline of an aligner and a classifier has none of this. */
bool congru_model_branched(const congru_model *model);

/* Fits the branches on `count` trials, which are those of the subjects that are not left out. The options of methods become
 * those that were chosen. */
congru_status congru_model_fit_branches(congru_context *context, const congru_set *set,
                                        congru_evaluation_options *options, size_t count, const size_t *trial,
                                        const bool *left_out, congru_model *model);

/* A branch of the model: tensors without their prefix, which point into the model's, and an `aligned` that has its
 * references. Freed by congru_model_branch_clear. */
typedef struct congru_model_branch {
    congru_tensors tensors;
    congru_fold_aligned aligned;
    const double *spread[CONGRU_BLOCKS_MAX]; /* decoder/model_spread.h */
    size_t spread_rows[CONGRU_BLOCKS_MAX];
} congru_model_branch;

congru_status congru_model_branch_find(congru_context *context, const congru_model *model, size_t branch,
                                       size_t blocks, congru_model_branch *found);
void congru_model_branch_clear(congru_model_branch *found);

/* Whether every branch has what asking it takes, and tells the model's classes apart: CONGRU_ERROR_FORMAT otherwise. */
congru_status congru_model_check_branches(congru_context *context, const congru_model *model);

#endif
