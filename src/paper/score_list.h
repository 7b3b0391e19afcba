/* Numbers by dataset, subject and pipeline for experiments: per cent, or seconds. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_SCORE_LIST_H
#define CONGRU_PAPER_SCORE_LIST_H

#include "congru/statistics.h"

/* Adds a number; those of the same subject and pipeline are averaged. False where memory ends. */
bool congru_score_list_add(congru_scores_list *list, const char *dataset, const char *subject,
                           const char *pipeline, double number);

/* NaN where there is none. */
double congru_score_value(const congru_scores *scores, size_t subject, const char *pipeline);

/* Subjects of a dataset, or of all where there is none of that name, that both pipelines have a number of, into a and b.
 * Returns how many. */
size_t congru_score_list_pair(const congru_scores_list *list, const char *dataset, const char *pipeline_a,
                              const char *pipeline_b, double *a, double *b);

/* The mean of a pipeline on a dataset, of the subjects whose names begin with `prefix` (NULL: all); NaN where there are
 * none. *deviation, or NULL: n - 1, NaN for one. */
double congru_score_list_mean(const congru_scores_list *list, const char *dataset, const char *pipeline,
                              const char *prefix, double *deviation);

size_t congru_score_list_subjects(const congru_scores_list *list);

#endif
