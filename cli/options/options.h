/* A command's options as a table, for parsing and for help. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_OPTIONS_H
#define CONGRU_CLI_OPTIONS_H

#include "congru/option.h"

enum { OPTIONS_MAX = 160 };

/* As the library's own tables have them. */
typedef congru_option option;

/* A constant table; `more` are options that several commands share. At most OPTIONS_MAX in all. --help and -h are
 * understood everywhere and not in it. */
typedef struct option_table {
    const option *options;
    size_t count;
    const char *title; /* above them in help; NULL: "Options" */
    const struct option_table *more;
    const option *(*at)(size_t index); /* instead of the first two: 0, 1, ... until NULL */
} option_table;

/* The option at a place of this table alone; NULL after the last. */
const option *options_own(const option_table *table, size_t place);

/* The option at a place, counted on through `more`; NULL after the last. */
const option *options_at(const option_table *table, size_t place);

/* What was on the command line. The strings are the caller's argv; the operands are gathered at its front. */
typedef struct arguments {
    const char *command; /* the command's name, for messages */
    const option_table *table;
    const char *values[OPTIONS_MAX]; /* by place in the table: NULL when not given, "" without a value */
    char **operands;
    size_t operand_count;
    bool help; /* --help or -h came; nothing else counts then */
} arguments;

/* Sorts the words after the command into options and operands, in any order; "--" ends the options. Returns
 * EXIT_DONE, or prints one line and returns EXIT_USAGE: an unknown option, a missing or unwanted value, the
 * same option twice. The words are put in another order: operands first. */
int options_parse(const char *command, const option_table *table, int count, char **words, arguments *parsed);

/* EXIT_DONE, or one line and EXIT_FAILED where the file that -o names is one that the command reads, by whatever path or
 * link: an operand, a file of the run in a folder that is an operand, or the file another option names. */
int options_check_output(const arguments *parsed);

/* The place of the option of this name; that after the last when there is none. */
size_t options_place(const option_table *table, const char *name);

/* What was given for the option of this name: NULL when it was not, "" without a value. */
const char *options_value(const arguments *parsed, const char *name);

/* The number an option holds, or `fallback` when it was not given. Returns EXIT_DONE, or prints one line and
 * returns EXIT_USAGE for what is not a plain finite number between the limits. */
int options_number(const arguments *parsed, size_t place, double fallback, double least, double most,
                   double *number);

/* The same for whole numbers. */
int options_integer(const arguments *parsed, size_t place, int fallback, int least, int most, int *number);

/* The same for text from anywhere: `where`, such as "spd: --t", begins the error line. */
int options_parse_number(const char *where, const char *text, double least, double most, double *number);
int options_parse_integer(const char *where, const char *text, int least, int most, int *number);

/* Two numbers "LOW:HIGH", the second larger. */
int options_parse_range(const char *where, const char *text, double least, double most, double range[2]);

/* Which of the names, ended by NULL, the text is; otherwise one line that lists them, and EXIT_USAGE. */
int options_parse_choice(const char *where, const char *text, const char *const *names, size_t *choice);

#endif
