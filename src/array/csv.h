/* Files of comma-separated values, as spreadsheets and pandas write them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_CSV_H
#define CONGRU_ARRAY_CSV_H

#include <stdbool.h>

#include "congru/status.h"

/* A table with a heading line. Fields are the file's bytes, unquoted in place and without the apostrophe that
 * congru_text_add_csv puts before a formula; every row has as many as the heading. */
typedef struct congru_csv {
    char *path;
    char *bytes; /* owned */
    size_t columns, rows;
    char **field; /* (rows + 1, columns), the heading first */
} congru_csv;

enum { CONGRU_CSV_SIZE_MAX = 1 << 30 };

/* CONGRU_ERROR_IO; CONGRU_ERROR_FORMAT with the line for a row of another length, an open quote, a NUL byte, a file
 * above CONGRU_CSV_SIZE_MAX bytes. *csv is emptied on failure. */
congru_status congru_csv_read(congru_context *context, const char *path, congru_csv *csv);
/* The same of a text in memory, which is copied; `name` is what errors call it. */
congru_status congru_csv_parse(congru_context *context, const char *name, const char *text, congru_csv *csv);
void congru_csv_clear(congru_csv *csv);

/* The column of this heading, or SIZE_MAX. */
size_t congru_csv_column(const congru_csv *csv, const char *heading);

const char *congru_csv_field(const congru_csv *csv, size_t row, size_t column);

/* A field as a number or a whole number of at least 0; CONGRU_ERROR_FORMAT names the row and heading. */
congru_status congru_csv_number(congru_context *context, const congru_csv *csv, size_t row, size_t column,
                                double *number);
congru_status congru_csv_count(congru_context *context, const congru_csv *csv, size_t row, size_t column,
                               size_t *count);

#endif
