/* Subjects under pipelines: split, fitted, asked, scored. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_RUN_H
#define CONGRU_EVALUATION_FOLD_RUN_H

#include "evaluation/plan.h"

/* Runs pipelines of the plan, by their index, for subjects that are left out together, most often one: fold (count,
 * subjects), whose arrays the caller frees with congru_fold_clear. What pipelines share, an aligner or branches, is fitted
 * once, and what is fitted serves all subjects; each fold's seconds are those it would have taken alone. record
 * (count), of the last training of each pipeline, may be NULL. */
congru_status congru_fold_run(congru_context *context, const congru_plan *plan, size_t count,
                              const size_t *pipeline, size_t subjects, const int32_t *subject,
                              congru_fold *fold, congru_record *record);

/* Room for `samples` trials in the fold's arrays. */
congru_status congru_fold_reserve(congru_context *context, congru_fold *fold, size_t samples, size_t classes);
void congru_fold_clear(congru_fold *fold);

#endif
