/* Log-probabilities of several branches added with weights. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_COMBINE_H
#define CONGRU_EVALUATION_COMBINE_H

#include "evaluation/pipeline.h"

/* What branches say of `count` trials: log_probability[branch] (count, classes). */
typedef struct congru_opinions {
    size_t branches, count, classes;
    const double *log_probability[CONGRU_BRANCHES_MAX];
} congru_opinions;

/* Logarithms of probabilities, in place; what is 0 counts as 1e-300. */
void congru_opinions_log(size_t numbers, double *probability);

/* probability (count, classes), proportional to the exponential of the weighted sums. */
void congru_opinions_combine(const congru_opinions *opinions, const double *weight, double *probability);

/* The weights, none negative, that make the labels (count) likeliest; the loss is the mean of -log p of the labels.
 * Every branch begins with weight 1. CONGRU_ERROR_MEMORY is all that can fail. */
congru_status congru_opinions_learn(congru_context *context, const congru_opinions *opinions,
                                    const int32_t *label, double *weight, double *loss);

#endif
