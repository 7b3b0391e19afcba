/* One subject under one pipeline: split, fitted, asked, scored. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_RUN_H
#define CONGRU_EVALUATION_FOLD_RUN_H

#include "evaluation/pipeline.h"
#include "evaluation/prepare.h"

/* Fills in `fold`, whose arrays the caller frees with congru_fold_clear. `record` may be NULL. */
congru_status congru_fold_run(congru_context *context, const congru_prepared *prepared,
                              const congru_evaluation_options *options, const congru_pipeline *pipeline,
                              int32_t subject, congru_fold *fold, congru_record *record);

/* Room for `samples` trials in the fold's arrays. */
congru_status congru_fold_reserve(congru_context *context, congru_fold *fold, size_t samples, size_t classes);
void congru_fold_clear(congru_fold *fold);

#endif
