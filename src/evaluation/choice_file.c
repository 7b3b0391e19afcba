/* Writes and reads what a run has chosen. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/choice_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/csv.h"
#include "array/folder.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"
#include "evaluation/fold_file.h"
#include "evaluation/results.h"
#include "evaluation/table_digest.h"

/* In place of a C: that of the branch's definition. */
static const char stated[] = "stated";

/* The columns before those of options. */
enum { COLUMNS = 4 };

static void add_values(const congru_grid *grid, const congru_choice *choice, congru_text *text)
{
    for (size_t i = 0; i < grid->choices; i++) {
        congru_text_add(text, ",");
        congru_text_add_csv(text, grid->choice[i].value[grid->variant[choice->variant].value[i]]);
    }
    congru_text_add(text, "\n");
}

void congru_choice_table(const char *fingerprint, const congru_pipeline *branches, const congru_grid *grid,
                         size_t groups, const congru_choice *choice, congru_text *text)
{
    congru_text_add(text, "group,branch,C,weight");
    for (size_t i = 0; i < grid->choices; i++)
        congru_text_add(text, ",%s", grid->choice[i].row->option.name);
    congru_text_add(text, "\n");
    for (size_t g = 0; g < groups; g++)
        for (size_t b = 0; b < branches->branches; b++) {
            congru_text_add(text, "%zu,", g + 1);
            congru_text_add_csv(text, branches->branch[b].name);
            if (grid->ridges[b] < 2)
                congru_text_add(text, ",%s,%.17g", stated, choice[g].weight[b]);
            else
                congru_text_add(text, ",%.17g,%.17g", choice[g].c[b], choice[g].weight[b]);
            add_values(grid, &choice[g], text);
        }
    congru_text_add(text, "end,%zu,%zu,%s", groups, branches->branches, fingerprint);
    for (size_t i = 0; i < grid->choices; i++)
        congru_text_add(text, ",");
    congru_text_add(text, "\n");
}

congru_status congru_choice_write(congru_context *context, const char *folder, const char *pipeline,
                                  const char *fingerprint, const congru_pipeline *branches,
                                  const congru_grid *grid, size_t groups, const congru_choice *choice)
{
    congru_text text = {0};
    char file[CONGRU_PIPELINE_SIZE + 8];
    congru_choice_table(fingerprint, branches, grid, groups, choice, &text);
    snprintf(file, sizeof file, "%s.csv", pipeline);
    congru_status status = congru_table_digest_add(context, pipeline, &text);
    if (status == CONGRU_OK)
        status = congru_folder_write(context, folder, "choices", file, &text);
    congru_text_clear(&text);
    return status;
}

static congru_status fail_choice(congru_context *context, const congru_csv *csv)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: not what was chosen for this set and pipeline",
                       csv->path);
}

/* One branch of one group. */
static congru_status parse_row(congru_context *context, const congru_csv *csv, size_t row, size_t group,
                               const congru_branch *branch, double *c, double *weight)
{
    size_t number;
    CONGRU_TRY(congru_csv_count(context, csv, row, 0, &number));
    if (strcmp(congru_csv_field(csv, row, 2), stated) != 0) {
        CONGRU_TRY(congru_csv_number(context, csv, row, 2, c));
        if (!(isfinite(*c) && *c > 0))
            return fail_choice(context, csv);
    }
    CONGRU_TRY(congru_csv_number(context, csv, row, 3, weight));
    const bool fits = number == group + 1 && strcmp(congru_csv_field(csv, row, 1), branch->name) == 0 &&
                      isfinite(*weight) && *weight >= 0;
    return fits ? CONGRU_OK : fail_choice(context, csv);
}

/* The variant whose values stand in the row; false where it is none. */
static bool find_variant(const congru_csv *csv, size_t row, const congru_grid *grid, size_t *variant)
{
    *variant = 0;
    for (size_t i = 0; i < grid->choices; i++) {
        const congru_option_values *values = &grid->choice[i];
        size_t value = 0;
        while (value < values->count &&
               strcmp(values->value[value], congru_csv_field(csv, row, COLUMNS + i)) != 0)
            value++;
        if (value == values->count)
            return false;
        *variant = *variant * values->count + value;
    }
    return true;
}

static bool has_columns(const congru_csv *csv, const congru_grid *grid)
{
    bool has = csv->columns == COLUMNS + grid->choices;
    for (size_t i = 0; has && i < grid->choices; i++)
        has = strcmp(csv->field[COLUMNS + i], grid->choice[i].row->option.name) == 0;
    return has;
}

static congru_status parse_group(congru_context *context, const congru_csv *csv, size_t group,
                                 const congru_pipeline *branches, const congru_grid *grid,
                                 congru_choice *choice)
{
    const size_t first = group * branches->branches;
    size_t variant, other;
    if (!find_variant(csv, first, grid, &variant))
        return fail_choice(context, csv);
    *choice = congru_choice_variant(branches, grid, variant);
    for (size_t b = 0; b < branches->branches; b++) {
        if (!find_variant(csv, first + b, grid, &other) || other != variant)
            return fail_choice(context, csv);
        CONGRU_TRY(
            parse_row(context, csv, first + b, group, &branches->branch[b], &choice->c[b], &choice->weight[b]));
    }
    return CONGRU_OK;
}

static congru_status parse(congru_context *context, const congru_csv *csv, const char *fingerprint,
                           const congru_pipeline *branches, const congru_grid *grid, size_t groups,
                           congru_choice *choice)
{
    const size_t rows = groups * branches->branches;
    if (!has_columns(csv, grid) || csv->rows != rows + 1 || strcmp(congru_csv_field(csv, rows, 0), "end") != 0)
        return fail_choice(context, csv);
    if (strcmp(congru_csv_field(csv, rows, 3), fingerprint) != 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: made with other settings or from other data than this run has (name another "
                           "folder with -o, or remove this one)",
                           csv->path);
    for (size_t g = 0; g < groups; g++)
        CONGRU_TRY(parse_group(context, csv, g, branches, grid, &choice[g]));
    return CONGRU_OK;
}

/* FOLDER/choices/PIPELINE.csv; `whole`: it has a digest, which is right. */
static congru_status load(congru_context *context, const char *folder, const char *pipeline, congru_csv *csv,
                          bool *found, bool *whole)
{
    CONGRU_TRY(congru_folder_table(context, folder, csv, found, "choices/%s.csv", pipeline));
    return *found ? congru_table_digest_check(context, pipeline, csv, whole) : CONGRU_OK;
}

congru_status congru_choice_read(congru_context *context, const char *folder, const char *pipeline,
                                 const char *fingerprint, const congru_pipeline *branches,
                                 const congru_grid *grid, size_t groups, congru_choice *choice, bool *found)
{
    congru_csv csv;
    bool whole = false;
    congru_status status;
    CONGRU_TRY_TO(done, load(context, folder, pipeline, &csv, found, &whole));
    if (*found && !whole)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: has no digest", csv.path);
    else if (*found)
        status = parse(context, &csv, fingerprint, branches, grid, groups, choice);
done:
    congru_csv_clear(&csv);
    return status == CONGRU_ERROR_FORMAT ? congru_fail_more(context, status, "remove the file to choose again")
                                         : status;
}

/* ---- In words ------------------------------------------------------------------------------------------- */

/* A number of the table as few digits tell it. */
static void add_number(const char *what, const char *text, const char *between, congru_text *words)
{
    char *end, digits[32] = "";
    congru_format(digits, sizeof digits, "%.3g", congru_number_read(text, &end));
    congru_text_add(words, "%s%s %s", words->size > 0 ? between : "", what, digits);
}

/* "C 0.1" of one branch; "whole C 0.1 weight 0.8" of several. */
static void add_branch(const congru_csv *csv, size_t row, bool several, congru_text *words)
{
    const char *c = congru_csv_field(csv, row, 2), *name = congru_csv_field(csv, row, 1);
    if (several)
        congru_text_add(words, "%s%s", words->size > 0 ? ", " : "", name);
    if (strcmp(c, stated) != 0)
        add_number("C", c, several ? " " : ", ", words);
    if (several)
        add_number("weight", congru_csv_field(csv, row, 3), " ", words);
}

congru_status congru_choice_words(congru_context *context, const congru_csv *csv, size_t subject, char **words,
                                  bool *options)
{
    size_t end = csv->rows, groups = 0, branches = 0;
    congru_text text = {0};
    *words = NULL;
    *options = csv->columns > COLUMNS;
    while (end > 0 && strcmp(congru_csv_field(csv, end - 1, 0), "end") != 0)
        end--;
    if (csv->columns < COLUMNS || end-- == 0 || congru_csv_count(NULL, csv, end, 1, &groups) != CONGRU_OK ||
        congru_csv_count(NULL, csv, end, 2, &branches) != CONGRU_OK || groups == 0 || branches == 0 ||
        end % branches != 0 || end / branches != groups)
        return CONGRU_OK;
    const size_t first = subject % groups * branches;
    for (size_t b = 0; b < branches; b++)
        add_branch(csv, first + b, branches > 1, &text);
    for (size_t i = COLUMNS; i < csv->columns; i++)
        congru_text_add(&text, "%s%s %s", text.size > 0 ? ", " : "", csv->field[i],
                        congru_csv_field(csv, first, i));
    if (text.failed)
        return congru_fail_memory(context, "what was chosen");
    *words = text.data;
    return CONGRU_OK;
}

/* ---- Beside the results ---------------------------------------------------------------------------------- */

congru_status congru_results_choose(congru_context *context, const congru_csv *csv, size_t pipeline,
                                    const int32_t *place, congru_results *results, bool *options)
{
    *options = false;
    for (size_t i = 0; i < results->folds; i++) {
        congru_fold *fold = &results->fold[i];
        const int32_t subject = place != NULL ? place[i] : fold->subject;
        if (fold->pipeline != pipeline || subject < 0)
            continue;
        free(fold->chosen);
        CONGRU_TRY(congru_choice_words(context, csv, (size_t)subject, &fold->chosen, options));
    }
    return CONGRU_OK;
}

/* Whether a fold before this one of the pipeline chose the same. */
static bool is_new(const congru_results *results, size_t fold)
{
    const congru_fold *own = &results->fold[fold];
    for (size_t i = 0; i < fold; i++)
        if (results->fold[i].pipeline == own->pipeline && results->fold[i].chosen != NULL &&
            strcmp(results->fold[i].chosen, own->chosen) == 0)
            return false;
    return true;
}

/* "ra+tslr chose on source subjects: C 0.1 for 7 of 9; C 0.3 for 2", cut to fit. */
void congru_results_note_choices(congru_results *results, size_t pipeline)
{
    congru_text text = {0};
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *own = &results->fold[i];
        size_t same = 0, all = 0;
        if (own->pipeline != pipeline || own->chosen == NULL || !is_new(results, i))
            continue;
        for (size_t k = 0; k < results->folds; k++) {
            const congru_fold *other = &results->fold[k];
            all += other->pipeline == pipeline;
            same +=
                other->pipeline == pipeline && other->chosen != NULL && strcmp(other->chosen, own->chosen) == 0;
        }
        if (text.size == 0)
            congru_text_add(&text, "%s chose on source subjects: %s for %zu of %zu",
                            results->pipeline[pipeline], own->chosen, same, all);
        else
            congru_text_add(&text, "; %s for %zu", own->chosen, same);
    }
    if (text.data != NULL)
        congru_format(results->note[results->note_count++], CONGRU_NOTE_SIZE, "%s", text.data);
    congru_text_clear(&text);
}

/* `fingerprint`, of a run that has chosen; or NULL, of whatever run. */
static congru_status take_choices(congru_context *context, const char *folder, const char *fingerprint,
                                  size_t pipeline, bool run_chooses, const int32_t *place,
                                  congru_results *results)
{
    congru_csv csv;
    bool found, whole, options = false;
    congru_status status;
    CONGRU_TRY_TO(done, load(context, folder, results->pipeline[pipeline], &csv, &found, &whole));
    if (found && fingerprint != NULL &&
        (csv.rows == 0 || csv.columns < 4 || strcmp(congru_csv_field(&csv, csv.rows - 1, 3), fingerprint) != 0))
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: not what this run has chosen", csv.path);
    if (found && status == CONGRU_OK)
        CONGRU_TRY_TO(done, congru_results_choose(context, &csv, pipeline, place, results, &options));
    if (options || run_chooses)
        congru_results_note_choices(results, pipeline);
done:
    congru_csv_clear(&csv);
    return status == CONGRU_ERROR_FORMAT
               ? congru_fail_more(context, status, "remove the file to go on without it")
               : status;
}

congru_status congru_results_choices(congru_context *context, const char *folder, const char *fingerprint,
                                     bool run_chooses, const int32_t *place, congru_results *results)
{
    for (size_t p = 0; p < results->pipelines; p++)
        CONGRU_TRY(take_choices(context, folder, fingerprint, p, run_chooses, place, results));
    return CONGRU_OK;
}
