/* What a run has chosen, on disk: a run that goes on does not choose again. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_CHOICE_FILE_H
#define CONGRU_EVALUATION_CHOICE_FILE_H

#include "array/csv.h"
#include "base/text.h"
#include "evaluation/choices.h"

/* Adds, as a table, for each group of subjects C and weight of every branch, to the bit, and the values of the options that are
 * chosen, which are the same in all of its branches; choice (groups). */
void congru_choice_table(const char *fingerprint, const congru_pipeline *branches, const congru_grid *grid,
                         size_t groups, const congru_choice *choice, congru_text *text);

/* FOLDER/choices/PIPELINE.csv, this table. Whole or not
 * at all. `fingerprint` is that of the run. */
congru_status congru_choice_write(congru_context *context, const char *folder, const char *pipeline,
                                  const char *fingerprint, const congru_pipeline *branches,
                                  const congru_grid *grid, size_t groups, const congru_choice *choice);

/* *found is false when there is no such file. CONGRU_ERROR_FORMAT for one that is not what congru_choice_write wrote for these
 * branches and groups, CONGRU_ERROR_ARGUMENT for one of a run with another fingerprint. */
congru_status congru_choice_read(congru_context *context, const char *folder, const char *pipeline,
                                 const char *fingerprint, const congru_pipeline *branches,
                                 const congru_grid *grid, size_t groups, congru_choice *choice, bool *found);

/* What such a table says was chosen for the subject of this index in the set, "C 0.1, lambda-sub 0.05", which the caller
 * frees; NULL for a table that is none. `options`: it has options beside C and weights. */
congru_status congru_choice_words(congru_context *context, const congru_csv *csv, size_t subject, char **words,
                                  bool *options);

#endif
