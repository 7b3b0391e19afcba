/* Finished folds as results, for a run that did not come to its end. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_RESULTS_FOLDS_H
#define CONGRU_EVALUATION_RESULTS_FOLDS_H

#include "congru/evaluation.h"

/* A file FOLDER/folds/PIPELINE/SUBJECT.csv. */
typedef struct congru_fold_place {
    char pipeline[CONGRU_PIPELINE_SIZE];
    int32_t subject; /* index in the set */
} congru_fold_place;

/* By pipeline, those of the registry before those that run.json names beside them, then by subject. {0} is empty; place is freed with free. */
typedef struct congru_fold_list {
    size_t count, room;
    congru_fold_place *place;
} congru_fold_list;

/* A folder without folds has an empty list. */
congru_status congru_fold_list_make(congru_context *context, const char *folder, congru_fold_list *list);

/* Results of these folds alone; CONGRU_ERROR_FORMAT when they are not of one run. The data set has no name yet. */
congru_status congru_fold_list_read(congru_context *context, const char *folder, const congru_fold_list *list,
                                    congru_results **results);

/* What FOLDER/run.json, where there is one, says of results that were read: the data set's name, where they lack one,
 * and which folds are missing and which subjects were not scored; the latter as notes of results and context. And what FOLDER/choices
 * says was chosen for the folds of the list. */
congru_status congru_results_complete(congru_context *context, const char *folder, bool from_folds,
                                      const congru_fold_list *list, congru_results *results);

#endif
