/* Pipelines and what they are made of, for help, and those of a file. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PIPELINE_LIST_H
#define CONGRU_CLI_PIPELINE_LIST_H

#include "commands.h"
#include "congru/congru.h"

/* All aligners, then all classifiers, then the built-in pipelines; a NULL term after the last. */
definition pipeline_definition(size_t index);

/* The option --pipeline-file, in front of those of the methods. */
extern const option_table pipeline_option_table;

/* Makes the pipelines of the file known to the context, where one is given. EXIT_DONE, or prints one line. */
int pipeline_file_read(congru_context *context, const arguments *parsed);

/* Prints every pipeline of several branches, and how to define others. */
int pipeline_help_print(void);

#endif
