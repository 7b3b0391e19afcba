/* The results folder of a run: what it was made from, and who may add to it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_RUN_FOLDER_H
#define CONGRU_EVALUATION_RUN_FOLDER_H

#include "evaluation/cohort.h"
#include "evaluation/settings.h"

/* A folder in use, from congru_run_open to congru_run_close. */
typedef struct congru_run_folder {
    const char *path;                          /* NULL: results go nowhere, and every call below succeeds */
    int lock;                                  /* descriptor of the folder; -1 when there is none */
    bool unnamed;                              /* there was no run.json */
    congru_text text;                          /* of run.json */
    char fingerprint[CONGRU_FINGERPRINT_SIZE]; /* which every fold of this run carries */
} congru_run_folder;

/* Makes the folder, or takes up one whose run.json tells of the same data with the same options; CONGRU_ERROR_ARGUMENT
 * tells the settings that differ. Nothing is written yet. The folder is locked until congru_run_close: a second run
 * in it is refused with CONGRU_ERROR_IO. */
congru_status congru_run_open(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, const congru_member *member,
                              congru_run_folder *run);

/* The same folder for another process of the run, once the first has begun: CONGRU_ERROR_IO, naming the process, where it does
 * not see what the first has written. The lock stays the first's. */
congru_status congru_run_join(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, const congru_member *member,
                              congru_run_folder *run);

/* After the folds in it were looked at, of which `found` are of this run: writes run.json and removes drafts that a killed
 * run left. Refuses a folder with results of which nothing says what they were made with. */
congru_status congru_run_begin(congru_context *context, congru_run_folder *run, size_t found);

/* CONGRU_ERROR_IO when the folder is no longer what it was when it was opened, or has no run.json. */
congru_status congru_run_check(congru_context *context, const congru_run_folder *run);

void congru_run_close(congru_run_folder *run);

#endif
