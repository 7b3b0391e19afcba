/* Results in memory and as the files of a folder. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_RESULTS_H
#define CONGRU_EVALUATION_RESULTS_H

#include "congru/evaluation.h"

/* An empty object with the names of the set and room for so many folds. */
congru_status congru_results_create(congru_context *context, const congru_set *set, const char *dataset,
                                    size_t pipelines, size_t folds, congru_results **results);

/* FOLDER/predictions.csv, then FOLDER/results.csv. */
congru_status congru_results_write(congru_context *context, const congru_results *results, const char *folder);

#endif
