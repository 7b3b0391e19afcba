/* Which trials a method is fitted on and which it is asked about. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_SPLIT_H
#define CONGRU_EVALUATION_SPLIT_H

#include "congru/evaluation.h"

/* Folds are fitted on all other subjects or sessions: their cost grows with the square of how many there are. */
enum { CONGRU_EVALUATED_SUBJECTS_MAX = 10000, CONGRU_EVALUATED_SESSIONS_MAX = 1000 };

/* Trials by their index in the set, ascending. Freed by congru_split_clear. */
typedef struct congru_split {
    size_t train, test, calibration; /* the last of those fitted on, of the subject that is scored */
    size_t *train_trial;             /* (train) */
    size_t *test_trial;              /* (test) */
} congru_split;

/* The part of a subject's trials that is left out in fold `part` of options->folds (0 of 1 for the other protocols),
 * and what is fitted on then. Folds hold equal shares of each class, drawn by seed, or are contiguous blocks. With
 * calibration, the first trials of each class of the subject are fitted on too. A part but the first
 * may have nothing to score, of a subject with fewer trials of each class than folds. CONGRU_ERROR_ARGUMENT when a subject
 * has too few trials or sessions. */
congru_status congru_split_make(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, int32_t subject, size_t part,
                                congru_split *split);
void congru_split_clear(congru_split *split);

/* The first of the subjects that are left out together with this one, itself among them: two with the same are fitted
 * without alike. */
int32_t congru_split_leader(const congru_evaluation_options *options, int32_t subject);

/* CONGRU_ERROR_ARGUMENT where the options' groups do not go with the set, the protocol or the calibration. */
congru_status congru_groups_check(congru_context *context, const congru_set *set,
                                  const congru_evaluation_options *options);

/* How many parts subjects are scored in: the most of any. */
size_t congru_split_parts(const congru_set *set, const congru_evaluation_options *options);

#endif
