/* Collects accuracies by dataset, subject and pipeline. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "score_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "terminal.h"
#include "text_file.h"

enum { LINE_SIZE = 8192 };

size_t csv_split(char *line, char *field[CSV_FIELDS_MAX])
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

/* The place of a name, added when it is new; SIZE_MAX where memory ends. */
static size_t find_name(char (**names)[SCORE_NAME_SIZE], size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strncmp((*names)[i], name, SCORE_NAME_SIZE - 1) == 0)
            return i;
    void *grown = realloc(*names, (*count + 1) * sizeof **names);
    if (grown == NULL)
        return SIZE_MAX;
    *names = grown;
    snprintf((*names)[*count], SCORE_NAME_SIZE, "%s", name);
    return (*count)++;
}

static score_table *find_table(score_tables *tables, const char *dataset)
{
    for (size_t i = 0; i < tables->count; i++)
        if (strncmp(tables->table[i].name, dataset, SCORE_NAME_SIZE - 1) == 0)
            return &tables->table[i];
    score_table *grown = realloc(tables->table, (tables->count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    tables->table = grown;
    score_table *table = &grown[tables->count++];
    *table = (score_table){0};
    snprintf(table->name, sizeof table->name, "%s", dataset);
    return table;
}

bool score_tables_add(score_tables *tables, const char *dataset, const char *subject, const char *pipeline,
                      double percent)
{
    score_table *table = find_table(tables, dataset);
    if (table == NULL)
        return false;
    size_t row = find_name(&table->row, &table->rows, subject);
    size_t column = find_name(&table->column, &table->columns, pipeline);
    if (row == SIZE_MAX || column == SIZE_MAX)
        return false;
    size_t i = 0;
    while (i < table->cells && (table->cell[i].row != row || table->cell[i].column != column))
        i++;
    if (i == table->cell_room) {
        size_t room = 2 * table->cell_room + 64;
        score_cell *grown = realloc(table->cell, room * sizeof *grown);
        if (grown == NULL)
            return false;
        table->cell = grown;
        table->cell_room = room;
    }
    if (i == table->cells)
        table->cell[table->cells++] = (score_cell){.row = row, .column = column};
    table->cell[i].sum += percent;
    table->cell[i].count++;
    return true;
}

bool score_tables_add_results(score_tables *tables, const char *dataset, const congru_results *results)
{
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        if (!score_tables_add(tables, dataset != NULL ? dataset : results->dataset,
                              results->subject_name[fold->subject], results->pipeline[fold->pipeline],
                              100 * fold->accuracy))
            return false;
    }
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

static int add_line(score_tables *tables, const char *path, const char *dataset, size_t row, size_t count,
                    char **heading, char **field)
{
    bool narrow = count == 4 && strcmp(heading[0], "dataset") == 0;
    double score;
    int code = EXIT_DONE;
    if (narrow) {
        code = parse_score(path, row, field[3], &score);
        if (code == EXIT_DONE && !score_tables_add(tables, field[0], field[1], field[2], score))
            code = fail_memory(path);
        return code;
    }
    for (size_t i = 1; code == EXIT_DONE && i < count; i++) {
        if (field[i][0] == '\0')
            continue;
        code = parse_score(path, row, field[i], &score);
        if (code == EXIT_DONE && !score_tables_add(tables, dataset, field[0], heading[i], score))
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

static int read_lines(score_tables *tables, const char *path, FILE *file)
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
        code = add_line(tables, path, slash != NULL ? slash + 1 : path, row, count, heading, field);
        if (code != EXIT_DONE)
            break;
    }
    return code;
}

int score_tables_read_csv(score_tables *tables, const char *path)
{
    FILE *file;
    char *text;
    int code = text_file_open(path, TEXT_TABLE_MAX, "a table of scores", &file, &text);
    if (code != EXIT_DONE)
        return code;
    code = read_lines(tables, path, file);
    fclose(file);
    free(text);
    if (code == EXIT_DONE && tables->count == 0)
        code = terminal_fail(EXIT_FAILED, "%s: holds no scores", path);
    return code;
}

double score_table_value(const score_table *table, size_t row, const char *pipeline)
{
    for (size_t i = 0; i < table->cells; i++)
        if (table->cell[i].row == row && strcmp(table->column[table->cell[i].column], pipeline) == 0)
            return table->cell[i].sum / (double)table->cell[i].count;
    return NAN;
}

size_t score_tables_pair(const score_tables *tables, const score_table *table, const char *pipeline_a,
                         const char *pipeline_b, double *a, double *b)
{
    size_t count = 0;
    for (size_t t = 0; t < tables->count; t++) {
        const score_table *one = &tables->table[t];
        for (size_t i = 0; (table == NULL || table == one) && i < one->rows; i++) {
            a[count] = score_table_value(one, i, pipeline_a);
            b[count] = score_table_value(one, i, pipeline_b);
            count += !isnan(a[count]) && !isnan(b[count]);
        }
    }
    return count;
}

double score_tables_mean(const score_tables *tables, const char *dataset, const char *pipeline,
                         const char *prefix, double *deviation)
{
    double sum = 0, squares = 0, first = NAN;
    size_t count = 0;
    for (size_t t = 0; t < tables->count; t++) {
        const score_table *table = &tables->table[t];
        for (size_t i = 0; strcmp(table->name, dataset) == 0 && i < table->rows; i++) {
            double score = score_table_value(table, i, pipeline);
            if (isnan(score) || (prefix != NULL && strncmp(table->row[i], prefix, strlen(prefix)) != 0))
                continue;
            first = count == 0 ? score : first; /* subtracted, so that the squares lose nothing */
            sum += score - first;
            squares += (score - first) * (score - first);
            count++;
        }
    }
    double n = (double)count;
    if (deviation != NULL)
        *deviation = count > 1 ? sqrt(fmax(0.0, squares - sum * sum / n) / (n - 1)) : NAN;
    return count > 0 ? first + sum / n : NAN;
}

size_t score_tables_subjects(const score_tables *tables)
{
    size_t count = 0;
    for (size_t t = 0; t < tables->count; t++)
        count += tables->table[t].rows;
    return count;
}

void score_tables_clear(score_tables *tables)
{
    for (size_t t = 0; t < tables->count; t++) {
        free(tables->table[t].row);
        free(tables->table[t].column);
        free(tables->table[t].cell);
    }
    free(tables->table);
    *tables = (score_tables){0};
}
