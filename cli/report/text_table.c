/* Prints tables that fit the terminal. SPDX-License-Identifier: Apache-2.0 */
#include "text_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum { CELL_SIZE = 1024, GAP = 2, STACK_INDENT = 2 };

void text_table_add(text_table *table, const char *format, ...)
{
    char text[CELL_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strstr(format, "%s") == NULL) /* numbers alone: a name may be "-0" */
        terminal_plain_zero(text, strstr(format, "%+") != NULL);
    if (table->count == table->room) {
        size_t room = 2 * table->room + 64;
        char **grown = realloc(table->cell, room * sizeof *grown);
        if (grown == NULL) {
            table->failed = true;
            return;
        }
        table->cell = grown;
        table->room = room;
    }
    char *copy = malloc(strlen(text) + 1);
    if (copy == NULL) {
        table->failed = true;
        return;
    }
    memcpy(copy, text, strlen(text) + 1);
    terminal_clean(copy);
    table->cell[table->count++] = copy;
}

static bool is_number(const char *text)
{
    return strspn(text, "0123456789.e+-") == strlen(text);
}

/* The width of a column, and whether all below its heading are numbers. */
static size_t measure(const text_table *table, size_t column, bool *numbers)
{
    size_t width = 0;
    *numbers = true;
    for (size_t i = column; i < table->count; i += table->columns) {
        size_t own = terminal_columns(table->cell[i]);
        width = own > width ? own : width;
        *numbers = *numbers && (i < table->columns || is_number(table->cell[i]));
    }
    return width;
}

static void print_aligned(const text_table *table, size_t indent, const size_t *width, const bool *numbers)
{
    for (size_t i = 0; i < table->count; i += table->columns) {
        bool strong = table->strong > 0 && i == table->strong * table->columns && terminal_colours();
        printf(strong ? "\033[1m" : "");
        size_t owed = indent; /* blanks are printed only before text, so that no line ends with any */
        for (size_t j = 0; j < table->columns; j++) {
            const char *text = table->cell[i + j];
            size_t pad = width[j] - terminal_columns(text);
            owed += numbers[j] ? pad : 0;
            if (*text != '\0') {
                printf("%*s%s", (int)owed, "", text);
                owed = 0;
            } else {
                owed += terminal_columns(text);
            }
            owed += (numbers[j] ? 0 : pad) + GAP;
        }
        printf(strong ? "\033[0m\n" : "\n");
    }
}

static void print_stacked(const text_table *table, size_t indent)
{
    for (size_t i = table->columns; i < table->count; i += table->columns) {
        printf("%*s", (int)indent, "");
        terminal_wrap(table->cell[i], indent, indent + STACK_INDENT, "");
        for (size_t j = 1; j < table->columns; j++) {
            if (table->cell[i + j][0] == '\0')
                continue;
            char line[2 * CELL_SIZE];
            snprintf(line, sizeof line, "%s: %s", table->cell[j], table->cell[i + j]);
            printf("%*s", (int)(indent + STACK_INDENT), "");
            terminal_wrap(line, indent + STACK_INDENT, indent + 2 * STACK_INDENT, "");
        }
    }
}

int text_table_print(const text_table *table, size_t indent)
{
    size_t *width = calloc(table->columns, sizeof *width), total = indent;
    bool *numbers = calloc(table->columns, sizeof *numbers);
    bool failed = table->failed || width == NULL || numbers == NULL || table->count % table->columns != 0;
    for (size_t j = 0; !failed && j < table->columns; j++) {
        width[j] = measure(table, j, &numbers[j]);
        total += width[j] + (j > 0 ? GAP : 0);
    }
    if (!failed && total <= terminal_width())
        print_aligned(table, indent, width, numbers);
    else if (!failed)
        print_stacked(table, indent);
    free(width);
    free(numbers);
    return failed ? terminal_fail(EXIT_FAILED, "not enough memory for a table") : EXIT_DONE;
}

void text_table_clear(text_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (text_table){0};
}
