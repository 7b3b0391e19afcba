/* What a branch looks at in the trials it is asked about. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_BRANCH_LOOK_H
#define CONGRU_EVALUATION_BRANCH_LOOK_H

#include "evaluation/fit.h"
#include "evaluation/patterns.h"

/* The pattern of a linear branch in trials that it was just asked about, by the log-probabilities (test, classes) that it has
 * given them; the rest as for congru_ask. Trials are compared within their domain. Labels are not looked at. Freed by
 * congru_pattern_clear, after a failure too. */
congru_status congru_branch_look(const congru_executor *executor, const congru_material *material,
                                 const congru_tensors *fitted, congru_trial_list test,
                                 const congru_aligned *aligned, const double *log_probability,
                                 congru_pattern *pattern);

/* part (branches): of each in the variance of the scores that they add up to with their weights. */
congru_status congru_branches_part(const congru_executor *executor, congru_trial_list test, size_t branches,
                                   const double *const *log_probability, const double *weight, double *part);

#endif
