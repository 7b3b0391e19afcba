/* What a branch looks at in the trials it is asked about. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_BRANCH_LOOK_H
#define CONGRU_EVALUATION_BRANCH_LOOK_H

#include "evaluation/fold_branch.h"
#include "evaluation/patterns.h"

/* The pattern of a linear branch in the fold's test trials, by the log-probabilities (test, classes) that it has given
 * them; `aligned` and `model` as in congru_branch_ask, which has been called. Trials are compared within their domain.
 * Labels are not looked at. Freed by congru_pattern_clear, after a failure too. */
congru_status congru_branch_look(const congru_fold_case *fold, const congru_material *material,
                                 const congru_method_options *method, congru_fold_aligned *aligned,
                                 const congru_tensors *model, const double *log_probability,
                                 congru_pattern *pattern);

/* part (branches): of each in the variance of the scores that they add up to with their weights. */
congru_status congru_branches_part(const congru_fold_case *fold, size_t branches,
                                   const double *const *log_probability, const double *weight, double *part);

#endif
