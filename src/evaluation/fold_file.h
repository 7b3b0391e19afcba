/* A finished fold on disk, whole or not at all. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_FILE_H
#define CONGRU_EVALUATION_FOLD_FILE_H

#include "congru/evaluation.h"
#include "network/record.h"

/* FOLDER/folds/PIPELINE/SUBJECT.csv, SUBJECT being its index in the set. */
congru_status congru_fold_write(congru_context *context, const char *folder, const char *pipeline,
                                size_t classes, const congru_fold *fold);

/* *found is false when there is no such file. CONGRU_ERROR_FORMAT for one that is not what congru_fold_write wrote for
 * this set. */
congru_status congru_fold_read(congru_context *context, const char *folder, const char *pipeline,
                               int32_t subject, const congru_set *set, congru_fold *fold, bool *found);

/* FOLDER/training/PIPELINE-SUBJECT.json: every series of the record. */
congru_status congru_record_write(congru_context *context, const char *folder, const char *pipeline,
                                  int32_t subject, const char *subject_name, const congru_record *record);

/* Makes FOLDER/NAME with its parents' folders, if it is not there. */
congru_status congru_folder_make(congru_context *context, const char *folder, const char *name);

#endif
