/* The covariance set that imported files make, and what is said of it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_IMPORT_SET_H
#define CONGRU_CLI_IMPORT_SET_H

#include "import_file.h"

/* Reads all files, `jobs` at a time, and puts their trials in the order of the command line into one set. Frees
 * the epochs of each as it goes. Returns EXIT_DONE, or prints one line and returns another code; *set is the
 * caller's to destroy in either case. */
int import_set_build(congru_context *context, const import_settings *settings, import_file *files, size_t count,
                     int jobs, congru_set **set);

/* Gives the set its `meta`: versions, settings and the names of the files, as JSON. What may differ between
 * runs that give the same numbers, such as the number of jobs, is not in it. */
int import_set_describe(const import_settings *settings, const import_file *files, size_t count,
                        congru_set *set);

/* Prints a row for each file: trials by class, and those dropped with the reasons. */
int import_set_summarise(const char *output, const import_file *files, size_t count, const congru_set *set);

#endif
