/* A folder of its own for a test program's files. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_SCRATCH_H
#define CONGRU_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Makes the folder; false, with the reason on standard error, when it cannot. */
bool scratch_open(void);

const char *scratch_folder(void);

/* The path of a name in it. Good until eight more have been asked for. */
const char *path_in(const char *name);

/* How many files are in it. */
size_t files_in_directory(void);

/* Writes a file of text into a folder. */
void put_file(const char *folder, const char *name, const char *text);

/* From here on a write stops after 1000 bytes of a file, as on a full disk; and until it is emptied. */
void disk_fill(void);
void disk_empty(void);

/* For fuzzing: CONGRU_CORPUS names a folder for examples. A file of that name in it; NULL, silently where no folder is
 * named. */
FILE *corpus_file(const char *name);

/* Removes a folder with all that is in it. */
void remove_folder(const char *path);

/* Removes that of the program. */
void scratch_close(void);

#endif
