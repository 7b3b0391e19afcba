/* Text files of accuracies. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SCORE_FILE_H
#define CONGRU_CLI_SCORE_FILE_H

#include "congru/congru.h"

/* Adds the accuracies of a file: columns subject,PIPELINE,... with a row for each subject and per cents in it, or columns
 * dataset,subject,pipeline,accuracy. Returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int score_file_read(const char *path, congru_scores_list *list);

#endif
