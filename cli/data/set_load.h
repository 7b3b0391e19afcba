/* A covariance set from a file, for every command that takes one. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SET_LOAD_H
#define CONGRU_CLI_SET_LOAD_H

#include "congru/congru.h"
#include "options.h"

/* Put into a command's option table as `.more`; followed by the methods' options. */
extern const option_table set_option_table;

/* Reads the set at `path`; keeps the classes and sessions asked for; makes covariances of its signals where an option asks for it or it
 * holds signals alone; the signals stay as wide as they are. Returns EXIT_DONE, or prints one line. */
int set_load(congru_context *context, const arguments *parsed, const char *path, congru_set **set);

/* The name of the file without folder and extension, in a text of the caller's. */
void set_short_name(const char *path, char *name, size_t size);

#endif
