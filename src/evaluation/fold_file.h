/* A finished fold on disk, whole or not at all. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_FILE_H
#define CONGRU_EVALUATION_FOLD_FILE_H

#include "array/csv.h"
#include "evaluation/settings.h"
#include "evaluation/table_digest.h"
#include "network/record.h"

/* What a file says of its fold beside the predictions. */
typedef struct congru_fold_about {
    char subject_name[CONGRU_LABEL_SIZE];
    size_t sessions; /* that the set holds of the subject */
    size_t channels;
    char fingerprint[CONGRU_FINGERPRINT_SIZE];
    char pattern[CONGRU_DIGEST_SIZE]; /* the digest of that beside it; "" when there is none */
    bool whole;                       /* its digest was looked at; folds of 0.2 have none */
} congru_fold_about;

/* FOLDER/folds/PIPELINE/SUBJECT.csv, SUBJECT being its index in the set, and before it SUBJECT.pattern.csv where the fold
 * has a pattern. `fingerprint` is that of the run. */
congru_status congru_fold_write(congru_context *context, const char *folder, const char *pipeline,
                                const char *fingerprint, const congru_set *set, const congru_fold *fold);

/* *found is false when there is no such file. CONGRU_ERROR_FORMAT for one that is not what congru_fold_write wrote for
 * this set, CONGRU_ERROR_ARGUMENT for one of a run with another fingerprint. */
congru_status congru_fold_read(congru_context *context, const char *folder, const char *pipeline,
                               const char *fingerprint, int32_t subject, const congru_set *set,
                               congru_fold *fold, bool *found);

/* The fold by itself, and what its file says of it; classes are the columns of `csv` from the fourth on. *found is false where
 * there is no such file. The fold is freed by congru_fold_clear and the table by congru_csv_clear, whatever the status. */
congru_status congru_fold_load(congru_context *context, const char *folder, const char *pipeline,
                               int32_t subject, congru_csv *csv, congru_fold *fold, congru_fold_about *about,
                               bool *found);

/* FOLDER/training/PIPELINE-SUBJECT.json: every series of the record. */
congru_status congru_record_write(congru_context *context, const char *folder, const char *pipeline,
                                  int32_t subject, const char *subject_name, const congru_record *record);

/* Writes FOLDER/BELOW/FILE, whole or not at all, and makes FOLDER/BELOW where it is not there. Frees the text. */
congru_status congru_folder_write(congru_context *context, const char *folder, const char *below,
                                  const char *file, congru_text *text);

#endif
