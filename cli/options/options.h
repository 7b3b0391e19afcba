/* A command's options as a table, for parsing and for help, and what their values mean. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_OPTIONS_H
#define CONGRU_CLI_OPTIONS_H

#include "congru/congru.h"

/* A list of words from one text with commas. {0} is an empty list. Freed by text_list_clear. */
typedef struct text_list {
    size_t count;
    char **item; /* into `text`; ended by NULL */
    char *text;
} text_list;

/* Splits at commas; blanks around a word are dropped. Replaces what the list held. Returns EXIT_DONE, or prints
 * one line that begins with `where` and returns EXIT_USAGE: an empty word, or no memory (EXIT_FAILED). */
int text_list_split(text_list *list, const char *where, const char *text);

void text_list_clear(text_list *list);

enum { OPTIONS_MAX = 160, OPTIONS_REPEATED_SIZE = 1024 };

/* As the library's own tables have them. */
typedef congru_option option;

/* The rows of an array, as the first two members of a table. */
#define OPTION_ROWS(rows) .options = (rows), .count = sizeof(rows) / sizeof *(rows)

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
    const char *values[OPTIONS_MAX]; /* of the parser: read by options_value */
    char **operands;
    size_t operand_count;
    char repeated[OPTIONS_REPEATED_SIZE]; /* values of options that were given several times, joined */
    size_t repeated_size;
    bool help; /* --help or -h came; nothing else counts then */
} arguments;

/* Sorts the words after the command into options and operands, in any order; "--" ends the options. Returns
 * EXIT_DONE, or prints one line and returns EXIT_USAGE: an unknown option, a missing or unwanted value, the
 * same option twice, unless its value is NAME=VALUES in help: all of those are then one value, with "; " between. The words are put in another order: operands first. */
int options_parse(const char *command, const option_table *table, int count, char **words, arguments *parsed);

/* EXIT_DONE, or one line and EXIT_FAILED where the file that -o names cannot be written, or is one that the command reads, by
 * whatever path or link: an operand, a file of the run in a folder that is an operand, or the file another option names. */
int options_check_output(const arguments *parsed);

/* What was given for the option of this name: NULL when it was not, "" without a value. Options are read by their names alone:
 * where a row is in its table matters to help and to nothing else. */
const char *options_value(const arguments *parsed, const char *name);
bool options_given(const arguments *parsed, const char *name);

/* As if it had been given, for commands that run others; NULL: not given. The option is in the table. */
void options_set(arguments *parsed, const char *name, const char *value);

/* The number an option holds, or `fallback` when it was not given. Each returns EXIT_DONE, or prints one line and
 * returns EXIT_USAGE for what is not a plain finite number between the limits. */
int options_number(const arguments *parsed, const char *name, double fallback, double least, double most,
                   double *number);
int options_integer(const arguments *parsed, const char *name, int fallback, int least, int most, int *number);

/* Which of the names, ended by NULL, was given; *choice is as it was when none was. */
int options_choice(const arguments *parsed, const char *name, const char *const *names, size_t *choice);

/* --target and --align-by, which several commands have. */
int options_target(const arguments *parsed, congru_target *target);
int options_align_by(const arguments *parsed, bool *by_session);

/* The words of an option, as text_list_split; none when it was not given. */
int options_words(const arguments *parsed, const char *name, text_list *words);

/* The same for text from anywhere: `where`, such as "spd: --t", begins the error line. */
int options_parse_number(const char *where, const char *text, double least, double most, double *number);
int options_parse_integer(const char *where, const char *text, int least, int most, int *number);

/* The indices of the subjects in `text`, "A,B,...", in an array the caller frees; none when it is NULL. `where`, such as
 * "loso: --subjects", and `path` begin error lines. Returns EXIT_DONE, or prints one line. */
int subject_list_find(congru_context *context, const char *where, const char *text, const char *path,
                      const congru_set *set, int32_t **subjects, size_t *count);

/* Put at the end of a command's option table as `.more`: classical methods, then networks. */
extern const option_table method_option_table;

/* Reads them, wherever they are in the command's table, over the library's defaults. Returns EXIT_DONE, or prints one
 * line and returns EXIT_USAGE. */
int method_settings_parse(congru_context *context, const arguments *parsed, congru_method_options *options);

#endif
