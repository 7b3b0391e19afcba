/* Accuracy, Cohen's kappa, balanced accuracy. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/scoring.h"

#include <stdlib.h>

#include "base/error.h"

void congru_fold_answer(congru_fold *fold, size_t classes)
{
    for (size_t i = 0; i < fold->samples; i++) {
        const double *row = fold->probability + i * classes;
        size_t best = 0;
        for (size_t k = 1; k < classes; k++)
            if (row[k] > row[best])
                best = k;
        fold->answer[i] = (int32_t)best;
    }
}

/* count (classes, 3): trials of the class, answers of the class, both at once. */
static void score(congru_fold *fold, size_t classes, const double (*count)[3])
{
    double samples = (double)fold->samples, right = 0, chance = 0, recall = 0;
    size_t present = 0;
    for (size_t k = 0; k < classes; k++) {
        right += count[k][2];
        chance += count[k][0] * count[k][1];
        if (count[k][0] > 0) {
            recall += count[k][2] / count[k][0];
            present++;
        }
    }
    chance /= samples * samples;
    fold->accuracy = right / samples;
    fold->kappa = chance < 1 ? (fold->accuracy - chance) / (1 - chance) : 0;
    fold->balanced = recall / (double)present;
}

congru_status congru_fold_score(congru_context *context, congru_fold *fold, size_t classes)
{
    double(*count)[3] = calloc(classes, sizeof *count);
    if (count == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu classes", classes);
    for (size_t i = 0; i < fold->samples; i++) {
        count[fold->truth[i]][0]++;
        count[fold->answer[i]][1]++;
        count[fold->truth[i]][2] += fold->truth[i] == fold->answer[i];
    }
    score(fold, classes, (const double(*)[3])count);
    free(count);
    return CONGRU_OK;
}
