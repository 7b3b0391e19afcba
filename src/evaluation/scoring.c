/* Accuracy, Cohen's kappa, balanced accuracy. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/scoring.h"

#include "base/error.h"

#include "congru/statistics.h"

void congru_fold_answer(congru_fold *fold, size_t classes)
{
    for (size_t i = 0; i < fold->samples; i++) {
        const double *row = fold->probability + i * classes;
        size_t best = 0;
        for (size_t k = 1; k < classes; k++)
            if (row[k] > row[best])
                best = k;
        fold->prediction[i] = (int32_t)best;
    }
}

congru_status congru_fold_score(congru_context *context, congru_fold *fold, size_t classes)
{
    double value[CONGRU_SCORE_KINDS];
    CONGRU_TRY(congru_metrics_measure(context, fold->samples, classes, fold->truth, fold->prediction, NULL,
                                      value, NULL));
    fold->accuracy = value[CONGRU_SCORE_ACCURACY];
    fold->kappa = value[CONGRU_SCORE_KAPPA];
    fold->balanced = value[CONGRU_SCORE_BALANCED];
    return CONGRU_OK;
}
