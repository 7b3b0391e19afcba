/* Results in memory and as the files of a folder. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_RESULTS_H
#define CONGRU_EVALUATION_RESULTS_H

#include "array/csv.h"
#include "base/text.h"
#include "congru/evaluation.h"

/* The note of results that were made with congru_method_options.balance. */
extern const char congru_balance_note[];

/* An empty object with room for so many pipelines, subjects and folds; the caller destroys it, after a failure too. */
congru_status congru_results_reserve(congru_context *context, const char *dataset, size_t pipelines,
                                     size_t subjects, size_t folds, congru_results **results);

/* The same with the names of the set. */
congru_status congru_results_create(congru_context *context, const congru_set *set, const char *dataset,
                                    size_t pipelines, size_t folds, congru_results **results);

/* How many sessions the set holds of a subject. */
size_t congru_set_sessions(const congru_set *set, int32_t subject);

/* The most probable class of each row of fold->probability, the first of equals, into fold->prediction. */
void congru_fold_answer(congru_fold *fold, size_t classes);

/* Accuracy, Cohen's kappa and balanced accuracy from truth and prediction. */
congru_status congru_fold_score(congru_context *context, congru_fold *fold, size_t classes);

/* The session of all scored trials, or -1. */
int32_t congru_fold_session(const congru_set *set, const congru_fold *fold);

/* ",p_NAME" for each class: headings of a file of predictions. */
void congru_text_add_classes(congru_text *text, size_t classes, const char (*class_name)[CONGRU_LABEL_SIZE]);

/* The heading of predictions.csv, and the row of one trial. */
void congru_predictions_add_heading(congru_text *text, size_t classes,
                                    const char (*class_name)[CONGRU_LABEL_SIZE]);
void congru_predictions_add_row(congru_text *text, const char *dataset, const char *subject, size_t trial,
                                const char *pipeline, const char *truth, const char *prediction, size_t classes,
                                const double *probability, int32_t part);

/* FOLDER/predictions.csv, then FOLDER/results.csv, then FOLDER/patterns.csv where folds have patterns. */
congru_status congru_results_write(congru_context *context, const congru_results *results, const char *folder);

/* ---- What was chosen on source subjects ---- */

/* Gives the folds of a pipeline what a table of choices (evaluation/choice_file.h) says; `place` (folds of the results) are the
 * subjects' indices in the set, NULL: as the results have them. *options: options were chosen beside C and weights. */
congru_status congru_results_choose(congru_context *context, const congru_csv *csv, size_t pipeline,
                                    const int32_t *place, congru_results *results, bool *options);

/* The same of all tables FOLDER/choices/PIPELINE.csv there are; with notes, which the results have room for, of pipelines
 * that choose options, or of all where the run says what is chosen. CONGRU_ERROR_FORMAT for a table that is damaged, or of a
 * run with another fingerprint than this one (NULL: any). */
congru_status congru_results_choices(congru_context *context, const char *folder, const char *fingerprint,
                                     bool run_chooses, const int32_t *place, congru_results *results);
void congru_results_note_choices(congru_results *results, size_t pipeline);

#endif
