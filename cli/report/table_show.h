/* Tables on standard output: folded on a narrow terminal, never in a pipe. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TABLE_SHOW_H
#define CONGRU_CLI_TABLE_SHOW_H

#include "congru/congru.h"
#include "options.h"

/* Prints a table to standard output as text, each line after `indent` blanks. Each returns EXIT_DONE, or prints one line and
 * returns another code. */
int table_show(const congru_table *table, size_t indent);

/* The same in any format. */
int table_show_as(const congru_table *table, congru_table_format format, size_t indent);

/* The format of --format, "text", "markdown", "csv", "latex", "html" or "json"; text where it is not given. */
int table_format_parse(const arguments *parsed, congru_table_format *format);

#define TABLE_FORMAT_OPTION \
    { \
        "format", '\0', "NAME", \
            "How tables are written: 'text', 'markdown', 'csv', 'latex' (for the package booktabs), 'html' " \
            "or 'json'; " \
            "numbers have all their digits in csv and json. Default: text." \
    }

#endif
