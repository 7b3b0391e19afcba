/* The patterns of a model: found while it is fitted, kept as a text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_MODEL_PATTERNS_H
#define CONGRU_DECODER_MODEL_PATTERNS_H

#include "decoder/model_internal.h"
#include "evaluation/branch_look.h"

/* What the branches look at in the trials they were fitted on, subject by subject. {0} to begin with; freed by
 * congru_model_looks_clear. */
typedef struct congru_model_looks {
    double *log_probability[CONGRU_BRANCHES_MAX]; /* (trials fitted on, classes) */
    congru_pattern
        pattern[CONGRU_BRANCHES_MAX]; /* sums over subjects; without cells where a branch is not linear */
} congru_model_looks;

void congru_model_looks_clear(congru_model_looks *looks);

/* Adds branch `branch`, which was just fitted on these trials. */
congru_status congru_model_look(const congru_executor *executor, const congru_material *material,
                                const congru_tensors *fitted, congru_trial_list train, congru_aligned *aligned,
                                size_t branch, congru_model_looks *looks);

/* Keeps them among the model's texts, where any branch has a pattern. `weight` (branches) are those of log-probabilities. */
congru_status congru_model_keep_patterns(const congru_executor *executor, congru_trial_list train,
                                         const double *weight, congru_model_looks *looks, congru_model *model);

#endif
