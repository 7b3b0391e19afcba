/* Scores of answers. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_SCORING_H
#define CONGRU_EVALUATION_SCORING_H

#include "congru/evaluation.h"

/* The most probable class of each row of fold->probability, the first of equals, into fold->prediction. */
void congru_fold_answer(congru_fold *fold, size_t classes);

/* Accuracy, Cohen's kappa and balanced accuracy from truth and prediction. */
congru_status congru_fold_score(congru_context *context, congru_fold *fold, size_t classes);

#endif
