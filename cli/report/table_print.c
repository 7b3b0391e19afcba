/* Prints a table as text, Markdown or LaTeX. SPDX-License-Identifier: Apache-2.0 */
#include "table_print.h"

#include <stdio.h>
#include <string.h>

#include "terminal.h"

static void print_markdown_cell(const char *text)
{
    for (; *text != '\0'; text++)
        printf(strchr("|\\`*_<>[]", *text) != NULL ? "\\%c" : "%c", *text);
}

static int print_markdown(const text_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        printf("| ");
        print_markdown_cell(table->cell[i]);
        printf(" ");
        if (i % table->columns != table->columns - 1)
            continue;
        printf("|\n");
        for (size_t j = 0; i + 1 == table->columns && j < table->columns; j++)
            printf(j == 0 ? "| --- " : "| ---: ");
        printf(i + 1 == table->columns ? "|\n" : "");
    }
    return EXIT_DONE;
}

/* A cell that holds "$\pm$" is ours; what comes from files has its special characters escaped. */
static void print_latex_cell(const char *text)
{
    static const struct {
        char character;
        const char *escaped;
    } escapes[] = {{'\\', "\\textbackslash{}"},
                   {'~', "\\textasciitilde{}"},
                   {'^', "\\textasciicircum{}"},
                   {'&', "\\&"},
                   {'%', "\\%"},
                   {'$', "\\$"},
                   {'#', "\\#"},
                   {'_', "\\_"},
                   {'{', "\\{"},
                   {'}', "\\}"}};
    while (*text != '\0') {
        size_t i = 0;
        if (strncmp(text, "$\\pm$", 5) == 0) {
            printf("$\\pm$");
            text += 5;
            continue;
        }
        while (i < sizeof escapes / sizeof escapes[0] && escapes[i].character != *text)
            i++;
        if (i < sizeof escapes / sizeof escapes[0])
            printf("%s", escapes[i].escaped);
        else
            printf("%c", *text);
        text++;
    }
}

static int print_latex(const text_table *table)
{
    printf("\\begin{tabular}{l");
    for (size_t j = 1; j < table->columns; j++)
        printf("r");
    printf("}\n\\toprule\n");
    for (size_t i = 0; i < table->count; i++) {
        print_latex_cell(table->cell[i]);
        bool last = i % table->columns == table->columns - 1;
        printf(last ? " \\\\\n" : " & ");
        printf(i + 1 == table->columns ? "\\midrule\n" : "");
    }
    printf("\\bottomrule\n\\end{tabular}\n");
    return EXIT_DONE;
}

int table_print(const text_table *table, table_format format)
{
    if (table->failed)
        return terminal_fail(EXIT_FAILED, "not enough memory for a table");
    if (format == TABLE_MARKDOWN)
        return print_markdown(table);
    return format == TABLE_LATEX ? print_latex(table) : text_table_print(table, 0);
}
