/* Reads comma-separated values. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "array/csv.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"

static congru_status fail_memory(congru_context *context, const char *path)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", path);
}

static congru_status fail_line(congru_context *context, const char *path, size_t line, const char *what)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s", path, line, what);
}

/* Where parsing stands; `write` trails `read`, since unquoting shortens. */
typedef struct csv_cursor {
    char *read;
    size_t line;
} csv_cursor;

/* Takes one field, unquoted in place and ended by '\0'. `last` tells whether the row ends with it. NULL: an open
 * quote, or text after a closing one. */
static char *take_field(csv_cursor *cursor, bool *last)
{
    char *start = cursor->read, *write = start, *read = start;
    if (*read == '"') {
        for (read++; *read != '"' || read[1] == '"'; read++) {
            if (*read == '\0')
                return NULL;
            cursor->line += *read == '\n';
            read += *read == '"';
            *write++ = *read;
        }
        read++;
        if (*read != ',' && *read != '\r' && *read != '\n' && *read != '\0')
            return NULL;
    } else {
        read += strcspn(read, ",\r\n");
        write = read;
    }
    *last = *read != ',';
    if (*read == '\r' && read[1] == '\n')
        read++;
    cursor->line += *read == '\n' || *read == '\r';
    cursor->read = *read != '\0' ? read + 1 : read;
    *write = '\0';
    return start + (*start == '\'' && congru_csv_is_formula(start));
}

static bool add_field(congru_csv *csv, size_t *count, size_t *room, char *field)
{
    if (*count == *room) {
        size_t larger = *room > 0 ? 2 * *room : 1024;
        char **grown = realloc(csv->field, larger * sizeof *grown);
        if (grown == NULL)
            return false;
        csv->field = grown;
        *room = larger;
    }
    csv->field[(*count)++] = field;
    return true;
}

static congru_status parse(congru_context *context, const char *path, congru_csv *csv)
{
    csv_cursor cursor = {csv->bytes, 1};
    size_t count = 0, room = 0, in_row = 0;
    while (*cursor.read != '\0') {
        size_t line = cursor.line;
        bool last;
        char *field = take_field(&cursor, &last);
        if (field == NULL)
            return fail_line(context, path, line, "a quote that is not closed");
        if (!add_field(csv, &count, &room, field))
            return fail_memory(context, path);
        in_row++;
        if (!last && *cursor.read == '\0' && !add_field(csv, &count, &room, cursor.read))
            return fail_memory(context, path);
        in_row += !last && *cursor.read == '\0';
        if (!last && *cursor.read != '\0')
            continue;
        if (csv->columns == 0)
            csv->columns = in_row;
        if (in_row != csv->columns)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s, but the heading has %zu", path,
                               line, congru_count(in_row, "field").text, csv->columns);
        in_row = 0;
    }
    if (csv->columns == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: empty; expected a heading line", path);
    csv->rows = count / csv->columns - 1;
    return CONGRU_OK;
}

/* The bytes are there; `path` is what they are called. */
static congru_status finish(congru_context *context, const char *path, congru_csv *csv)
{
    congru_status status = (csv->path = strdup(path)) != NULL ? CONGRU_OK : fail_memory(context, path);
    if (status == CONGRU_OK)
        status = parse(context, path, csv);
    if (status != CONGRU_OK)
        congru_csv_clear(csv);
    return status;
}

congru_status congru_csv_read(congru_context *context, const char *path, congru_csv *csv)
{
    *csv = (congru_csv){0};
    size_t size = 0;
    congru_status status =
        congru_source_text(context, path, CONGRU_CSV_SIZE_MAX, "a results file", &csv->bytes, &size);
    if (status == CONGRU_OK && strlen(csv->bytes) != size)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: byte %zu is NUL; not a text file", path,
                             strlen(csv->bytes));
    if (status == CONGRU_OK)
        return finish(context, path, csv);
    congru_csv_clear(csv);
    return status;
}

congru_status congru_csv_parse(congru_context *context, const char *name, const char *text, congru_csv *csv)
{
    *csv = (congru_csv){.bytes = strdup(text)};
    return csv->bytes != NULL ? finish(context, name, csv) : fail_memory(context, name);
}

void congru_csv_clear(congru_csv *csv)
{
    free(csv->path);
    free(csv->bytes);
    free(csv->field);
    *csv = (congru_csv){0};
}

size_t congru_csv_column(const congru_csv *csv, const char *heading)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->field[i], heading) == 0)
            return i;
    return SIZE_MAX;
}

const char *congru_csv_field(const congru_csv *csv, size_t row, size_t column)
{
    return csv->field[(row + 1) * csv->columns + column];
}

congru_status congru_csv_number(congru_context *context, const congru_csv *csv, size_t row, size_t column,
                                double *number)
{
    const char *text = congru_csv_field(csv, row, column);
    char *end;
    *number = congru_number_read(text, &end);
    if (end == text || *end != '\0' || !isfinite(*number))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: row %zu: %s is '%.40s', expected a number",
                           csv->path, row + 1, csv->field[column], text);
    return CONGRU_OK;
}

congru_status congru_csv_count(congru_context *context, const congru_csv *csv, size_t row, size_t column,
                               size_t *count)
{
    const char *text = congru_csv_field(csv, row, column);
    size_t size = strlen(text);
    if (size == 0 || size > 15 || strspn(text, "0123456789") != size)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: row %zu: %s is '%.40s', expected a whole number",
                           csv->path, row + 1, csv->field[column], text);
    *count = (size_t)strtoull(text, NULL, 10);
    return CONGRU_OK;
}
