/* Writes and reads what a run has chosen. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/choice_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/csv.h"
#include "array/source.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluation/fold_file.h"
#include "evaluation/table_digest.h"

/* In place of a C: that of the branch's definition. */
static const char stated[] = "stated";

congru_status congru_choice_write(congru_context *context, const char *folder, const char *pipeline,
                                  const char *fingerprint, const congru_pipeline *branches,
                                  const congru_grid *grid, size_t groups, const congru_choice *choice)
{
    congru_text text = {0};
    char file[CONGRU_PIPELINE_SIZE + 8];
    congru_text_add(&text, "group,branch,C,weight\n");
    for (size_t g = 0; g < groups; g++)
        for (size_t b = 0; b < branches->branches; b++) {
            congru_text_add(&text, "%zu,", g + 1);
            congru_text_add_csv(&text, branches->branch[b].name);
            if (grid->ridges[b] < 2)
                congru_text_add(&text, ",%s,%.17g\n", stated, choice[g].weight[b]);
            else
                congru_text_add(&text, ",%.17g,%.17g\n", choice[g].c[b], choice[g].weight[b]);
        }
    congru_text_add(&text, "end,%zu,%zu,%s\n", groups, branches->branches, fingerprint);
    snprintf(file, sizeof file, "%s.csv", pipeline);
    congru_status status = congru_table_digest_add(context, pipeline, &text);
    if (status == CONGRU_OK)
        return congru_folder_write(context, folder, "choices", file, &text);
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
    congru_status status = congru_csv_count(context, csv, row, 0, &number);
    if (status == CONGRU_OK && strcmp(congru_csv_field(csv, row, 2), stated) != 0) {
        status = congru_csv_number(context, csv, row, 2, c);
        if (status == CONGRU_OK && !(isfinite(*c) && *c > 0))
            return fail_choice(context, csv);
    }
    if (status == CONGRU_OK)
        status = congru_csv_number(context, csv, row, 3, weight);
    if (status != CONGRU_OK)
        return status;
    const bool fits = number == group + 1 && strcmp(congru_csv_field(csv, row, 1), branch->name) == 0 &&
                      isfinite(*weight) && *weight >= 0;
    return fits ? CONGRU_OK : fail_choice(context, csv);
}

static congru_status parse(congru_context *context, const congru_csv *csv, const char *fingerprint,
                           const congru_pipeline *branches, const congru_grid *grid, size_t groups,
                           congru_choice *choice)
{
    const size_t rows = groups * branches->branches;
    congru_status status = CONGRU_OK;
    if (csv->columns != 4 || csv->rows != rows + 1 || strcmp(congru_csv_field(csv, rows, 0), "end") != 0)
        return fail_choice(context, csv);
    if (strcmp(congru_csv_field(csv, rows, 3), fingerprint) != 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: made with other settings or from other data than this run has (name another "
                           "folder with -o, or remove this one)",
                           csv->path);
    for (size_t g = 0; g < groups; g++) {
        choice[g] = congru_choice_constant(branches, grid);
        choice[g].learned = true;
        for (size_t b = 0; status == CONGRU_OK && b < branches->branches; b++)
            status = parse_row(context, csv, g * branches->branches + b, g, &branches->branch[b],
                               &choice[g].c[b], &choice[g].weight[b]);
    }
    return status;
}

congru_status congru_choice_read(congru_context *context, const char *folder, const char *pipeline,
                                 const char *fingerprint, const congru_pipeline *branches,
                                 const congru_grid *grid, size_t groups, congru_choice *choice, bool *found)
{
    congru_text path = {0};
    congru_csv csv = {0};
    *found = false;
    bool whole = false;
    congru_text_add(&path, "%s/choices/%s.csv", folder, pipeline);
    congru_status status = path.failed
                               ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder)
                               : congru_source_exists(context, path.data, found);
    if (status == CONGRU_OK && *found)
        status = congru_csv_read(context, path.data, &csv);
    if (status == CONGRU_OK && *found)
        status = congru_table_digest_check(context, pipeline, &csv, &whole);
    if (status == CONGRU_OK && *found && !whole)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: has no digest", path.data);
    if (status == CONGRU_OK && *found)
        status = parse(context, &csv, fingerprint, branches, grid, groups, choice);
    congru_csv_clear(&csv);
    congru_text_clear(&path);
    return status == CONGRU_ERROR_FORMAT ? congru_fail_more(context, status, "remove the file to choose again")
                                         : status;
}
