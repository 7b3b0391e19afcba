/* Prints tables of the library. SPDX-License-Identifier: Apache-2.0 */
#include "table_show.h"

#include <stdio.h>
#include <unistd.h>

#include "terminal.h"

int table_show_as(const congru_table *table, congru_table_format format, size_t indent)
{
    const congru_table_layout layout = {.width = terminal_is(STDOUT_FILENO) ? terminal_width() : 0,
                                        .indent = indent,
                                        .bold = terminal_colours()};
    char *text = NULL;
    congru_status status = congru_table_print(NULL, table, format, &layout, &text);
    if (status != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "not enough memory for a table");
    fputs(text, stdout);
    congru_report_text_destroy(&text);
    return EXIT_DONE;
}

int table_show(const congru_table *table, size_t indent)
{
    return table_show_as(table, CONGRU_TABLE_TEXT, indent);
}

int table_format_parse(const arguments *parsed, congru_table_format *format)
{
    static const char *const names[] = {"csv", "latex", "html", "text", "markdown", "json", NULL};
    size_t chosen = CONGRU_TABLE_TEXT;
    int code = options_choice(parsed, "format", names, &chosen);
    *format = (congru_table_format)chosen;
    return code;
}
