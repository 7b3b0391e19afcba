/* Rows of text in columns, or stacked where the terminal is narrow. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TEXT_TABLE_H
#define CONGRU_CLI_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* {.columns = n} is empty. The first n cells are the headings. Freed by text_table_clear. */
typedef struct text_table {
    size_t columns;
    size_t count; /* cells */
    size_t room;
    char **cell;
    bool failed;   /* out of memory: said when it is printed */
    size_t strong; /* the row, headings being row 0, that stands out on a terminal; 0: none */
} text_table;

/* Adds the next cell. Control characters come out as '?'. */
void text_table_add(text_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the table to standard output, each line after `indent` blanks: columns of numbers to the right, others
 * to the left; when it is wider than the terminal, each row as its first cell with the others under it, by
 * heading. Returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int text_table_print(const text_table *table, size_t indent);

void text_table_clear(text_table *table);

#endif
