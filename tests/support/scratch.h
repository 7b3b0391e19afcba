/* A folder of its own for a test program's files. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_SCRATCH_H
#define CONGRU_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder; false, with the reason on standard error, when it cannot. */
bool scratch_open(void);

const char *scratch_folder(void);

/* The path of a name in it. Good until eight more have been asked for. */
const char *path_in(const char *name);

/* How many files are in it. */
size_t files_in_directory(void);

/* Removes a folder with all that is in it. */
void remove_folder(const char *path);

/* Removes that of the program. */
void scratch_close(void);

#endif
