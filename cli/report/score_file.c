/* Reads accuracies from text files. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "score_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "terminal.h"
#include "text_file.h"

enum { LINE_SIZE = 8192, CSV_FIELDS_MAX = 64 };

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

static bool add(congru_scores_list *list, const char *dataset, const char *subject, const char *pipeline,
                double percent)
{
    congru_scores *scores;
    size_t row, column;
    double value[CONGRU_SCORE_KINDS];
    for (size_t m = 0; m < CONGRU_SCORE_KINDS; m++)
        value[m] = NAN;
    value[CONGRU_SCORE_ACCURACY] = percent / 100;
    if (congru_scores_list_find(NULL, list, dataset, 0, &scores) != CONGRU_OK ||
        congru_scores_subject(NULL, scores, subject, &row) != CONGRU_OK ||
        congru_scores_pipeline(NULL, scores, pipeline, &column) != CONGRU_OK)
        return false;
    congru_scores_add(scores, column, row, value);
    return true;
}

static int fail_memory(const char *path)
{
    return terminal_fail(EXIT_FAILED, "%s: not enough memory", path);
}

static int parse_score(const char *path, size_t row, const char *text, double *score)
{
    char *end;
    *score = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*score))
        return terminal_fail(EXIT_FAILED, "%s: line %zu: a number was expected, not '%s'", path, row, text);
    if (fabs(*score) > 100.0)
        return terminal_fail(EXIT_FAILED, "%s: line %zu: %.40s is no score (0 to 1, or percent up to 100)",
                             path, row, text);
    return EXIT_DONE;
}

static int add_line(congru_scores_list *list, const char *path, const char *dataset, size_t row, size_t count,
                    char **heading, char **field)
{
    bool narrow = count == 4 && strcmp(heading[0], "dataset") == 0;
    double score;
    int code = EXIT_DONE;
    if (narrow) {
        code = parse_score(path, row, field[3], &score);
        if (code == EXIT_DONE && !add(list, field[0], field[1], field[2], score))
            code = fail_memory(path);
        return code;
    }
    for (size_t i = 1; code == EXIT_DONE && i < count; i++) {
        if (field[i][0] == '\0')
            continue;
        code = parse_score(path, row, field[i], &score);
        if (code == EXIT_DONE && !add(list, dataset, field[0], heading[i], score))
            code = fail_memory(path);
    }
    return code;
}

/* The next line; "" and false in *more where there is none. */
static int next_line(const char *path, FILE *file, size_t row, char line[LINE_SIZE], bool *more)
{
    text_line found = text_line_read(file, LINE_SIZE, line);
    *more = found == TEXT_LINE_WHOLE;
    if (found == TEXT_LINE_LONG)
        return terminal_fail(EXIT_FAILED, "%s: line %zu: longer than %d bytes", path, row, LINE_SIZE - 1);
    if (!*more)
        line[0] = '\0';
    return EXIT_DONE;
}

static int read_lines(congru_scores_list *list, const char *path, FILE *file)
{
    char head[LINE_SIZE], line[LINE_SIZE], *heading[CSV_FIELDS_MAX], *field[CSV_FIELDS_MAX];
    bool more;
    size_t row = 1;
    int code = next_line(path, file, row, head, &more);
    if (code != EXIT_DONE)
        return code;
    const size_t count = csv_split(head, heading);
    bool narrow = count == 4 && strcmp(heading[0], "dataset") == 0 && strcmp(heading[1], "subject") == 0;
    if (!narrow && (count < 2 || strcmp(heading[0], "subject") != 0))
        return terminal_fail(EXIT_FAILED,
                             "%s: the first line must be subject,PIPELINE,... or "
                             "dataset,subject,pipeline,accuracy",
                             path);
    if (count == CSV_FIELDS_MAX)
        return terminal_fail(EXIT_FAILED, "%s: has more than %d columns", path, CSV_FIELDS_MAX - 1);
    const char *slash = strrchr(path, '/');
    while ((code = next_line(path, file, ++row, line, &more)) == EXIT_DONE && more) {
        size_t fields = csv_split(line, field);
        if (fields == 1 && field[0][0] == '\0')
            continue;
        if (fields != count)
            return terminal_fail(EXIT_FAILED, "%s: line %zu has %s, the first %zu", path, row,
                                 congru_count(fields, "field").text, count);
        code = add_line(list, path, slash != NULL ? slash + 1 : path, row, count, heading, field);
        if (code != EXIT_DONE)
            break;
    }
    return code;
}

int score_file_read(const char *path, congru_scores_list *list)
{
    FILE *file;
    char *text;
    int code = text_file_open(path, TEXT_TABLE_MAX, "a table of scores", &file, &text);
    if (code != EXIT_DONE)
        return code;
    code = read_lines(list, path, file);
    fclose(file);
    free(text);
    if (code == EXIT_DONE && list->count == 0)
        code = terminal_fail(EXIT_FAILED, "%s: holds no scores", path);
    return code;
}
