/* Reads accuracies from text files. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/text_file.h"
#include "base/error.h"
#include "base/number_text.h"
#include "congru/evaluation.h"

enum { LINE_SIZE = 8192, CSV_FIELDS_MAX = 64, FILE_MAX = 1 << 26 };

/* Cuts a line at its commas; returns how many fields there are, at most CSV_FIELDS_MAX. No field is in quotes. */
static size_t csv_split(char *line, char *field[CSV_FIELDS_MAX])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (line != NULL && count < CSV_FIELDS_MAX) {
        field[count++] = line;
        line = strchr(line, ',');
        if (line != NULL)
            *line++ = '\0';
    }
    return count;
}

static congru_status parse_score(congru_context *context, const char *path, size_t row, const char *text,
                                 double *score)
{
    char *end;
    *score = congru_number_read(text, &end);
    if (end == text || *end != '\0' || !isfinite(*score))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: line %zu: a number was expected, not '%s'", path,
                           row, text);
    if (fabs(*score) > 100.0)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: line %zu: %.40s is no score (0 to 1, or percent up to 100)", path, row, text);
    return CONGRU_OK;
}

/* Rows of one number each; columns behind it are not looked at. */
static bool is_narrow(size_t count, char *const *heading)
{
    return count >= 4 && strcmp(heading[0], "dataset") == 0 && strcmp(heading[1], "subject") == 0;
}

static congru_status add_line(congru_context *context, congru_scores_list *list, const char *path,
                              const char *dataset, size_t row, size_t count, char **heading, char **field)
{
    double score;
    if (is_narrow(count, heading)) {
        CONGRU_TRY(parse_score(context, path, row, field[3], &score));
        CONGRU_TRY(congru_scores_list_add(context, list, field[0], field[1], field[2], score / 100));
        return CONGRU_OK;
    }
    for (size_t i = 1; i < count; i++) {
        if (field[i][0] == '\0')
            continue;
        CONGRU_TRY(parse_score(context, path, row, field[i], &score));
        CONGRU_TRY(congru_scores_list_add(context, list, dataset, field[0], heading[i], score / 100));
    }
    return CONGRU_OK;
}

/* Cuts the next line off the text at *rest, which becomes NULL after the last; NULL where there is none, or after a failure. */
static char *next_line(congru_context *context, const char *path, char **rest, size_t row,
                       congru_status *status)
{
    char *line = *rest;
    const size_t size = line != NULL ? strcspn(line, "\n") : 0;
    if (line == NULL || *line == '\0')
        return NULL;
    if (size >= LINE_SIZE) {
        *status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: line %zu: longer than %d bytes", path, row,
                              LINE_SIZE - 1);
        return NULL;
    }
    *rest = line[size] == '\n' ? line + size + 1 : NULL;
    line[size] = '\0';
    return line;
}

static congru_status read_lines(congru_context *context, congru_scores_list *list, const char *path, char *text)
{
    char *heading[CSV_FIELDS_MAX], *field[CSV_FIELDS_MAX];
    congru_status status = CONGRU_OK;
    size_t row = 1;
    char *rest = text, *line = next_line(context, path, &rest, row, &status);
    if (status != CONGRU_OK)
        return status;
    const size_t count = line != NULL ? csv_split(line, heading) : 0;
    if (!is_narrow(count, heading) && (count < 2 || strcmp(heading[0], "subject") != 0))
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: the first line must be subject,PIPELINE,... or dataset,subject,pipeline,accuracy", path);
    if (count == CSV_FIELDS_MAX)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: has more than %d columns", path,
                           CSV_FIELDS_MAX - 1);
    const char *slash = strrchr(path, '/');
    while (status == CONGRU_OK && (line = next_line(context, path, &rest, ++row, &status)) != NULL) {
        size_t fields = csv_split(line, field);
        if (fields == 1 && field[0][0] == '\0')
            continue;
        if (fields != count)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: line %zu has %s, the first %zu", path, row,
                               congru_count(fields, "field").text, count);
        status = add_line(context, list, path, slash != NULL ? slash + 1 : path, row, count, heading, field);
    }
    return status;
}

congru_status congru_scores_read(congru_context *context, const char *path, congru_scores_list *list)
{
    char *text = NULL;
    if (path == NULL || list == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a file and where its scores go are needed");
    congru_status status = congru_text_file_read(context, path, FILE_MAX, "a table of scores", &text);
    if (status == CONGRU_OK)
        status = read_lines(context, list, path, text);
    free(text);
    if (status == CONGRU_OK && list->count == 0)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: holds no scores", path);
    return status;
}
