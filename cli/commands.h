/* The commands of congru, what each is made of, and their help. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_COMMANDS_H
#define CONGRU_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/congru.h"
#include "options.h"

/* A term with its explanation, in the help of a command. */
typedef struct definition {
    const char *term;
    const char *text;
} definition;

/* Terms under a title: index 0, 1, ... until a NULL term. */
typedef struct definition_list {
    const char *title;
    definition (*at)(size_t index);
} definition_list;

typedef struct command {
    const char *name;
    const char *summary;     /* one line, for the list of commands */
    const char *usage;       /* what follows "congru NAME" */
    const char *description; /* sentences; newlines are kept */

    const definition_list *definitions; /* what help explains before the options; or NULL */

    option_table options;
    const char *const *examples; /* command lines, ended by NULL; or NULL */

    bool shares; /* several processes that mpirun starts share its work; others work each for itself */

    /* Does the work after the command line was parsed; prints its own error line. Returns the exit code. */
    int (*run)(const arguments *parsed);
} command;

extern const command command_ablate, command_align, command_compare, command_explain, command_help,
    command_import, command_info, command_loso, command_predict, command_presets, command_report,
    command_reproduce, command_show, command_spd, command_stream, command_synth, command_train, command_version,
    command_within;

/* All of them in the order help lists them, ended by NULL. */
extern const command *const commands[];

/* The command of this name, or NULL. */
const command *commands_find(const char *name);

/* Prints the help of one command, or with NULL the list of all, to standard output. */
void help_print(const command *about);

/* All aligners, then all classifiers, then the built-in pipelines. */
extern const definition_list pipeline_definitions;

/* The option --pipeline-file, in front of those of the methods. */
extern const option_table pipeline_option_table;

/* Makes the pipelines of the file known to the context, where one is given. EXIT_DONE, or prints one line. */
int pipeline_file_read(congru_context *context, const arguments *parsed);

/* Prints which band and window the networks on signals of a run have, where there are any: their own options say so, not
 * those of the set. */
int pipeline_signals_print(congru_context *context, const congru_set *set,
                           const congru_evaluation_options *options);

/* Prints every pipeline of several branches, and how to define others. */
int pipeline_help_print(void);

/* Print mdoc source to standard output: of a command, and of congru with the list of all. */
void manual_print(const command *about);
void manual_print_all(void);

#endif
