/* What congru info prints for each kind of file. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_INFO_PRINT_H
#define CONGRU_CLI_INFO_PRINT_H

#include "congru/dataset.h"
#include "congru/model.h"
#include "congru/npy.h"

/* Each prints a file's description under its name, and returns EXIT_DONE, or prints an error line and returns
 * EXIT_FAILED. */
int info_print_recording(const char *path, const congru_recording *recording);
int info_print_epochs(const char *path, const congru_epochs *epochs);
int info_print_set(congru_context *context, const char *path, const congru_set *set);
int info_print_model(const char *path, const congru_model *model);
int info_print_array(const char *path, const congru_array *array);

#endif
