/* Results in memory and as the files of a folder. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_RESULTS_H
#define CONGRU_EVALUATION_RESULTS_H

#include "base/text.h"
#include "congru/evaluation.h"

/* The note of results that were made with congru_method_options.balance. */
extern const char congru_balance_note[];

/* An empty object with the names of the set and room for so many folds. */
congru_status congru_results_create(congru_context *context, const congru_set *set, const char *dataset,
                                    size_t pipelines, size_t folds, congru_results **results);

/* How many sessions the set holds of a subject. */
size_t congru_set_sessions(const congru_set *set, int32_t subject);

/* The session of all scored trials, or -1. */
int32_t congru_fold_session(const congru_set *set, const congru_fold *fold);

/* ",p_NAME" for each class and the end of the line: the last headings of a file of answers. */
void congru_text_add_classes(congru_text *text, size_t classes, const char (*class_name)[CONGRU_LABEL_SIZE]);

/* FOLDER/predictions.csv, then FOLDER/results.csv, then FOLDER/patterns.csv where folds have patterns. */
congru_status congru_results_write(congru_context *context, const congru_results *results, const char *folder);

#endif
