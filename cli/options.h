/* A command's options as a table, for parsing and for help. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_OPTIONS_H
#define CONGRU_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { OPTIONS_MAX = 24, OPERANDS_MAX = 64 };

typedef struct option {
    const char *name;     /* "metric" is --metric on the command line */
    char letter;          /* 'o' is -o as well; '\0' for none */
    const char *argument; /* what help calls the value, "FILE"; NULL for an option without one */
    const char *help;     /* sentences, with the default among them */
} option;

/* A constant table, at most OPTIONS_MAX of them. --help and -h are understood everywhere and not in it. */
typedef struct option_table {
    const option *options;
    size_t count;
} option_table;

/* What was on the command line. The strings are the caller's argv. */
typedef struct arguments {
    const char *command; /* the command's name, for messages */
    const option_table *table;
    const char *values[OPTIONS_MAX]; /* by place in the table: NULL when not given, "" without a value */
    const char *operands[OPERANDS_MAX];
    size_t operand_count;
    bool help; /* --help or -h came; nothing else counts then */
} arguments;

/* Sorts the words after the command into options and operands, in any order; "--" ends the options. Returns
 * EXIT_DONE, or prints one line and returns EXIT_USAGE: an unknown option, a missing or unwanted value, the
 * same option twice, too many operands. */
int options_parse(const char *command, const option_table *table, int count, char **words, arguments *parsed);

/* The number an option holds, or `fallback` when it was not given. Returns EXIT_DONE, or prints one line and
 * returns EXIT_USAGE for what is not a plain finite number between the limits. */
int options_number(const arguments *parsed, size_t place, double fallback, double least, double most,
                   double *number);

/* The same for whole numbers. */
int options_integer(const arguments *parsed, size_t place, int fallback, int least, int most, int *number);

#endif
