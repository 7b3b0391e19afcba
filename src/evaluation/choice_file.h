/* What a run has chosen, on disk: a run that goes on does not choose again. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_CHOICE_FILE_H
#define CONGRU_EVALUATION_CHOICE_FILE_H

#include "evaluation/choices.h"

/* FOLDER/choices/PIPELINE.csv: for each group of subjects C and weight of every branch, to the bit; choice (groups). Whole or not
 * at all. `fingerprint` is that of the run. */
congru_status congru_choice_write(congru_context *context, const char *folder, const char *pipeline,
                                  const char *fingerprint, const congru_pipeline *branches,
                                  const congru_grid *grid, size_t groups, const congru_choice *choice);

/* *found is false when there is no such file. CONGRU_ERROR_FORMAT for one that is not what congru_choice_write wrote for these
 * branches and groups, CONGRU_ERROR_ARGUMENT for one of a run with another fingerprint. */
congru_status congru_choice_read(congru_context *context, const char *folder, const char *pipeline,
                                 const char *fingerprint, const congru_pipeline *branches,
                                 const congru_grid *grid, size_t groups, congru_choice *choice, bool *found);

#endif
