/* Forward patterns as rows of a table, and back. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/csv.h"
#include "array/folder.h"
#include "base/error.h"

/* The headings before the channels, in their order. */
enum { PIPELINE, BRANCH, KIND, PART, SUBJECTS, LOW, HIGH, FROM, TO, CLASS, SHARE, COLUMNS };
static const char *const heading[COLUMNS] = {"pipeline", "branch", "kind", "part",  "subjects", "low",
                                             "high",     "from",   "to",   "class", "share"};
static const char *const kind_name[] = {"power", "potential"};

congru_status congru_pattern_reserve(congru_context *context, congru_pattern *pattern, size_t cells,
                                     size_t classes, size_t channels)
{
    size_t each = classes * (1 + channels), numbers;
    pattern->cells = 0;
    pattern->cell = NULL;
    if (cells == 0 || __builtin_mul_overflow(cells, each, &numbers) || numbers > SIZE_MAX / 16)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a pattern has no cells");
    double *number;
    CONGRU_TRY(congru_allocate(context, &pattern->cell, cells, sizeof *pattern->cell, "%zu cells", cells));
    const congru_status status = congru_allocate(context, &number, numbers, sizeof *number, "%zu cells", cells);
    pattern->cell[0].share = number; /* which congru_pattern_clear frees */
    CONGRU_TRY(status);
    for (size_t c = 0; c < cells; c++)
        pattern->cell[c] =
            (congru_pattern_cell){.share = number + c * each, .value = number + c * each + classes};
    pattern->cells = cells;
    return CONGRU_OK;
}

void congru_pattern_clear(congru_pattern *pattern)
{
    if (pattern->cell != NULL)
        free(pattern->cell[0].share); /* the numbers of all cells */
    free(pattern->cell);
    pattern->cell = NULL;
    pattern->cells = 0;
}

void congru_patterns_destroy(congru_patterns **patterns)
{
    if (patterns == NULL || *patterns == NULL)
        return;
    for (size_t i = 0; i < (*patterns)->count; i++)
        congru_pattern_clear(&(*patterns)->pattern[i]);
    free((*patterns)->pattern);
    free((*patterns)->class_name);
    free((*patterns)->channel_name);
    free(*patterns);
    *patterns = NULL;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* Nine digits are more than a pattern is known to; what is not known is an empty field. */
static void add_number(congru_text *text, double number)
{
    if (isfinite(number))
        congru_text_add(text, ",%.9g", number);
    else
        congru_text_add(text, ",");
}

void congru_patterns_add_heading(congru_text *text, size_t channels,
                                 const char (*channel_name)[CONGRU_LABEL_SIZE])
{
    for (size_t i = 0; i < COLUMNS; i++)
        congru_text_add(text, i > 0 ? ",%s" : "%s", heading[i]);
    for (size_t i = 0; i < channels; i++) {
        congru_text_add(text, ",");
        if (channel_name[i][0] != '\0')
            congru_text_add_csv(text, channel_name[i]);
        else
            congru_text_add(text, "%zu", i + 1);
    }
    congru_text_add(text, "\n");
}

void congru_patterns_add_rows(congru_text *text, const char *pipeline, double part,
                              const congru_pattern *pattern, size_t classes,
                              const char (*class_name)[CONGRU_LABEL_SIZE], size_t channels)
{
    for (size_t c = 0; c < pattern->cells; c++) {
        const congru_pattern_cell *cell = &pattern->cell[c];
        for (size_t k = 0; k < classes; k++) {
            congru_text_add_csv(text, pipeline);
            congru_text_add(text, ",");
            congru_text_add_csv(text, pattern->branch);
            congru_text_add(text, ",%s", kind_name[pattern->kind]);
            add_number(text, part);
            congru_text_add(text, ",%zu", pattern->subjects);
            for (size_t i = 0; i < 2; i++)
                add_number(text, cell->band[i]);
            for (size_t i = 0; i < 2; i++)
                add_number(text, cell->window[i]);
            congru_text_add(text, ",");
            congru_text_add_csv(text, class_name[k]);
            add_number(text, cell->share[k]);
            for (size_t i = 0; i < channels; i++)
                add_number(text, cell->value[k * channels + i]);
            congru_text_add(text, "\n");
        }
    }
}

void congru_patterns_add(congru_text *text, const congru_patterns *patterns, size_t count)
{
    if (text->size == 0)
        congru_patterns_add_heading(text, patterns->channels,
                                    (const char(*)[CONGRU_LABEL_SIZE])patterns->channel_name);
    for (size_t i = 0; i < count && i < patterns->count; i++)
        congru_patterns_add_rows(text, patterns->pattern[i].pipeline, patterns->pattern[i].part,
                                 &patterns->pattern[i], patterns->classes,
                                 (const char(*)[CONGRU_LABEL_SIZE])patterns->class_name, patterns->channels);
}

congru_status congru_patterns_csv(congru_context *context, const congru_patterns *patterns, size_t count,
                                  char **text)
{
    congru_text made = {0};
    if (context == NULL || patterns == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no context, patterns or text given");
    *text = NULL;
    congru_patterns_add(&made, patterns, count);
    if (made.failed) {
        congru_text_clear(&made);
        return congru_fail_memory(context, "patterns");
    }
    *text = made.data;
    return CONGRU_OK;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static congru_status fail_row(congru_context *context, const congru_csv *csv, size_t row, const char *what)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s: row %zu: %s (run 'congru loso' or 'congru train' again)", csv->path, row + 1, what);
}

static bool take_name(char *to, size_t size, const char *from)
{
    if (strlen(from) >= size)
        return false;
    strcpy(to, from);
    return true;
}

/* A field that may be empty: NaN. */
static congru_status take_number(congru_context *context, const congru_csv *csv, size_t row, size_t column,
                                 double *number)
{
    *number = NAN;
    return congru_csv_field(csv, row, column)[0] == '\0' ? CONGRU_OK
                                                         : congru_csv_number(context, csv, row, column, number);
}

static bool same_field(const congru_csv *csv, size_t a, size_t b, size_t column)
{
    return strcmp(congru_csv_field(csv, a, column), congru_csv_field(csv, b, column)) == 0;
}

static bool same_branch(const congru_csv *csv, size_t a, size_t b)
{
    return same_field(csv, a, b, PIPELINE) && same_field(csv, a, b, BRANCH);
}

/* The names of classes are those of the first rows, until the first comes again. */
static congru_status take_names(congru_context *context, const congru_csv *csv, congru_patterns *made)
{
    if (csv->columns <= COLUMNS || csv->rows == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no patterns (see docs/explain.md)", csv->path);
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcmp(csv->field[i], heading[i]) != 0)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: column %zu is '%.40s', expected '%s'",
                               csv->path, i + 1, csv->field[i], heading[i]);
    made->channels = csv->columns - COLUMNS;
    for (made->classes = 1; made->classes < csv->rows; made->classes++)
        if (same_field(csv, 0, made->classes, CLASS))
            break;
    const char *what = csv->path;
    CONGRU_TRY(congru_allocate(context, &made->channel_name, made->channels, CONGRU_LABEL_SIZE, "%s", what));
    CONGRU_TRY(congru_allocate(context, &made->class_name, made->classes, CONGRU_LABEL_SIZE, "%s", what));
    CONGRU_TRY(congru_allocate(context, &made->pattern, csv->rows, sizeof *made->pattern, "%s", what));
    bool fits = csv->rows % made->classes == 0;
    for (size_t i = 0; i < made->channels; i++)
        fits = fits && take_name(made->channel_name[i], CONGRU_LABEL_SIZE, csv->field[COLUMNS + i]);
    for (size_t k = 0; k < made->classes; k++)
        fits = fits && take_name(made->class_name[k], CONGRU_LABEL_SIZE, congru_csv_field(csv, k, CLASS));
    return fits ? CONGRU_OK : fail_row(context, csv, 0, "its names are not those of patterns");
}

/* The row of one class in a cell. */
static congru_status take_row(congru_context *context, const congru_csv *csv, size_t row, size_t label,
                              const congru_patterns *made, congru_pattern_cell *cell)
{
    if (strcmp(congru_csv_field(csv, row, CLASS), made->class_name[label]) != 0)
        return fail_row(context, csv, row, "the classes are not in order");
    for (size_t i = 0; i < 2; i++) {
        CONGRU_TRY(take_number(context, csv, row, LOW + i, &cell->band[i]));
        CONGRU_TRY(take_number(context, csv, row, FROM + i, &cell->window[i]));
    }
    CONGRU_TRY(congru_csv_number(context, csv, row, SHARE, &cell->share[label]));
    for (size_t i = 0; i < made->channels; i++)
        CONGRU_TRY(take_number(context, csv, row, COLUMNS + i, &cell->value[label * made->channels + i]));
    return CONGRU_OK;
}

/* The rows of one branch, from `first` on: how many there are. */
static congru_status take_branch(congru_context *context, const congru_csv *csv, size_t first,
                                 congru_patterns *made, size_t *rows)
{
    congru_pattern *pattern = &made->pattern[made->count];
    const size_t classes = made->classes;
    for (*rows = 1; first + *rows < csv->rows && same_branch(csv, first, first + *rows);)
        ++*rows;
    if (*rows % classes != 0)
        return fail_row(context, csv, first + *rows - 1, "a cell lacks a class");
    const char *kind = congru_csv_field(csv, first, KIND);
    pattern->kind = strcmp(kind, kind_name[1]) == 0 ? CONGRU_PATTERN_POTENTIAL : CONGRU_PATTERN_POWER;
    if (strcmp(kind, kind_name[pattern->kind]) != 0 ||
        !take_name(pattern->pipeline, CONGRU_PIPELINE_SIZE, congru_csv_field(csv, first, PIPELINE)) ||
        !take_name(pattern->branch, CONGRU_PIPELINE_SIZE, congru_csv_field(csv, first, BRANCH)))
        return fail_row(context, csv, first, "no pipeline, branch and kind that could be");
    CONGRU_TRY(congru_csv_number(context, csv, first, PART, &pattern->part));
    CONGRU_TRY(congru_csv_count(context, csv, first, SUBJECTS, &pattern->subjects));
    made->count++;
    CONGRU_TRY(congru_pattern_reserve(context, pattern, *rows / classes, classes, made->channels));
    for (size_t i = 0; i < *rows; i++)
        CONGRU_TRY(take_row(context, csv, first + i, i % classes, made, &pattern->cell[i / classes]));
    return CONGRU_OK;
}

static congru_status take_table(congru_context *context, const congru_csv *csv, congru_patterns **patterns)
{
    congru_patterns *made;
    CONGRU_TRY(congru_allocate(context, &made, 1, sizeof *made, "%s", csv->path));
    congru_status status = take_names(context, csv, made);
    for (size_t row = 0, rows = 0; status == CONGRU_OK && row < csv->rows; row += rows)
        status = take_branch(context, csv, row, made, &rows);
    if (status != CONGRU_OK)
        congru_patterns_destroy(&made);
    *patterns = made;
    return status;
}

congru_status congru_patterns_parse(congru_context *context, const char *name, const char *text,
                                    congru_patterns **patterns)
{
    congru_csv csv = {0};
    if (context == NULL || name == NULL || text == NULL || patterns == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no context, name, text or patterns given");
    *patterns = NULL;
    congru_status status = congru_csv_parse(context, name, text, &csv);
    if (status == CONGRU_OK)
        status = take_table(context, &csv, patterns);
    congru_csv_clear(&csv);
    return status;
}

congru_status congru_patterns_read(congru_context *context, const char *folder, congru_patterns **patterns)
{
    congru_csv csv = {0};
    bool exists, ran = false;
    congru_status status;
    if (context == NULL || folder == NULL || patterns == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no context, folder or patterns given");
    *patterns = NULL;
    CONGRU_TRY_TO(done, congru_folder_table(context, folder, &csv, &exists, CONGRU_PATTERNS_FILE));
    if (!exists)
        CONGRU_TRY_TO(done, congru_folder_look(context, folder, &ran, "run.json"));
    if (exists)
        status = take_table(context, &csv, patterns);
    else
        status = congru_fail(context, ran ? CONGRU_ERROR_ARGUMENT : CONGRU_ERROR_IO,
                             ran ? "%s: has no " CONGRU_PATTERNS_FILE
                                   ": none of its pipelines is linear, the run is not finished, or it is not "
                                   "of 'congru loso'"
                                 : "%s: not a results folder with " CONGRU_PATTERNS_FILE
                                   ", nor a model (make one with 'congru loso' or 'congru train')",
                             folder);
done:
    congru_csv_clear(&csv);
    return status;
}

/* ---- Averages ------------------------------------------------------------------------------------------ */

static bool alike(const congru_patterns *a, const congru_patterns *b)
{
    bool same = a->classes == b->classes && a->channels == b->channels && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->pattern[i].cells == b->pattern[i].cells &&
               strcmp(a->pattern[i].branch, b->pattern[i].branch) == 0;
    return same;
}

/* to += from, or to *= factor where `from` is NULL. */
static void combine(congru_patterns *to, const congru_patterns *from, double factor)
{
    const size_t numbers = to->classes * (1 + to->channels);
    for (size_t i = 0; i < to->count; i++) {
        congru_pattern *own = &to->pattern[i];
        own->part = from != NULL ? own->part + from->pattern[i].part : own->part * factor;
        own->subjects += from != NULL ? from->pattern[i].subjects : 0;
        for (size_t c = 0; c < own->cells; c++)
            for (size_t j = 0; j < numbers; j++) {
                double *number = own->cell[c].share + j;
                *number = from != NULL ? *number + from->pattern[i].cell[c].share[j] : *number * factor;
            }
    }
}

congru_status congru_patterns_average(congru_context *context, const char *pipeline, size_t count,
                                      const char *const *text, congru_patterns **patterns)
{
    char name[CONGRU_PIPELINE_SIZE + 32];
    snprintf(name, sizeof name, "folds/%s: the pattern of a fold", pipeline);
    congru_status status = congru_patterns_parse(context, name, text[0], patterns);
    for (size_t i = 1; status == CONGRU_OK && i < count; i++) {
        congru_patterns *next = NULL;
        status = congru_patterns_parse(context, name, text[i], &next);
        if (status == CONGRU_OK && !alike(*patterns, next))
            status = congru_fail(context, CONGRU_ERROR_FORMAT,
                                 "%s is not like the others (remove the folder and run it again)", name);
        if (status == CONGRU_OK)
            combine(*patterns, next, 1);
        congru_patterns_destroy(&next);
    }
    if (status == CONGRU_OK)
        combine(*patterns, NULL, 1 / (double)count);
    else
        congru_patterns_destroy(patterns);
    return status;
}
