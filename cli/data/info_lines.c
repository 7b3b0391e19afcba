/* Prints the lines and tables of congru info. SPDX-License-Identifier: Apache-2.0 */
#include "info_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table_show.h"
#include "terminal.h"

enum { LINE_SIZE = 4096, KEY_INDENT = 15 };

void info_title(const char *path, const char *kind)
{
    char line[LINE_SIZE];
    snprintf(line, sizeof line, "%s: %s", path, kind);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
}

void info_line(const char *key, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    terminal_clean(line);
    terminal_define(key, line, KEY_INDENT);
}

void info_duration(double seconds, char text[48])
{
    double minutes = (double)(long)(seconds / 60);
    if (seconds < 60 || !(minutes < 1e9))
        snprintf(text, 48, "%.6g s", seconds);
    else
        snprintf(text, 48, "%.0f min %.5g s", minutes, seconds - 60 * minutes);
}

int info_channels(const char (*name)[CONGRU_LABEL_SIZE], size_t count)
{
    size_t size = 32 + count * (CONGRU_LABEL_SIZE + 1), used;
    if (count == 0 || name[0][0] == '\0') {
        info_line("channels", "%zu", count);
        return EXIT_DONE;
    }
    char *line = malloc(size);
    if (line == NULL)
        return terminal_fail(EXIT_FAILED, "info: not enough memory for the names of %zu channels", count);
    used = (size_t)snprintf(line, size, "%zu:", count);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(line + used, size - used, " %s", name[i]);
    terminal_clean(line);
    terminal_define("channels", line, KEY_INDENT);
    free(line);
    return EXIT_DONE;
}

static void add_rows(const info_groups *groups, const size_t *counts, size_t classes,
                     const char (*class_name)[CONGRU_LABEL_SIZE], congru_table *table)
{
    char text[CONGRU_LABEL_SIZE];
    congru_table_headings(table, groups->headings, groups->heading);
    for (size_t c = 0; c < classes; c++)
        congru_table_column_text(table, class_name[c], NULL);
    for (size_t g = 0; g < groups->count; g++) {
        for (size_t h = 0; h < groups->headings; h++) {
            groups->cell(groups->user, g, h, text);
            congru_table_format_text(table, "%s", text);
        }
        for (size_t c = 0; c < classes; c++)
            congru_table_format_text(table, "%zu", counts[g * classes + c]);
    }
}

int info_trials(const info_groups *groups, const size_t *group, size_t trials, const int32_t *label,
                size_t classes, const char (*class_name)[CONGRU_LABEL_SIZE])
{
    congru_table table = {0};
    size_t *counts = calloc(groups->count * classes + 1, sizeof *counts);
    if (counts == NULL)
        return terminal_fail(EXIT_FAILED, "info: not enough memory for a table");
    for (size_t i = 0; i < trials; i++)
        counts[group[i] * classes + (size_t)label[i]]++;
    add_rows(groups, counts, classes, class_name, &table);
    int code = table_show(&table, 2);
    congru_table_clear(&table);
    free(counts);
    return code;
}
