/* The results folder of a run: what it was made from, and who may add to it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_RUN_FOLDER_H
#define CONGRU_EVALUATION_RUN_FOLDER_H

#include "congru/evaluation.h"

/* Makes the folder, or takes up one that holds a run of the same data with the same options; drafts that a killed run
 * left are removed. CONGRU_ERROR_ARGUMENT tells the first setting that differs. Writes run.json. The folder is locked until
 * congru_run_close: a second run in it is refused with CONGRU_ERROR_IO. */
typedef struct congru_run_folder {
    int lock; /* descriptor; -1 when there is none */
} congru_run_folder;

congru_status congru_run_open(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, congru_run_folder *run);
void congru_run_close(congru_run_folder *run);

#endif
