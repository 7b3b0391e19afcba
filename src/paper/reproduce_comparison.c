/* Experiment comparison: methods of every kind, across and within subjects. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { LIST_SIZE = CONGRU_NAMES_SIZE, WIDTH = 16, CELL_SIZE = 64, MARK_COLUMN = 2 };
enum { GROUP, METHOD, PIPELINE, CROSS, CROSS_DEVIATION, WITHIN, WITHIN_DEVIATION, MARK };

#define OURS "Ours"

typedef struct comparison_job {
    congru_paper_runs cross, within;
    const char *dataset;
} comparison_job;

static double field(const congru_paper_row *row, size_t place)
{
    return row->count > place && row->field[place][0] != '\0' ? congru_number_read(row->field[place], NULL)
                                                              : NAN;
}

static double printed_cross(const char *pipeline, size_t place)
{
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("comparison", i, &row) > 0; i++)
        if (strcmp(row.field[PIPELINE], pipeline) == 0)
            return field(&row, place);
    return NAN;
}

/* "cross", "within", or "on the trials of rpa+mdm": of the other pipelines where that one was scored. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    static const char trials_of[] = "on the trials of ";
    const comparison_job *job = user;
    const bool inside = strcmp(row, "within") == 0;
    const congru_paper_runs *runs = inside ? &job->within : &job->cross;
    char name[CONGRU_SCORE_NAME_SIZE];
    if (side == CONGRU_CLAIM_PAPER) {
        cell->number = printed_cross(column, inside ? WITHIN : CROSS);
        return;
    }
    snprintf(name, sizeof name, "%s", column);
    if (strncmp(row, trials_of, strlen(trials_of)) == 0) {
        congru_paper_common_name(column, row + strlen(trials_of), name);
        if (isnan(congru_score_list_mean(&runs->scores, job->dataset, name, NULL, NULL)))
            snprintf(name, sizeof name, "%s", column); /* all are scored on the same */
    } else if (!inside && congru_paper_has_ridge(column)) {
        congru_paper_ridge(runs->job, column, side == CONGRU_CLAIM_PLAIN_RIDGE, name);
        cell->ridge = true;
    }
    congru_claim_cell_scores(cell, &job->cross.scores, &runs->scores, job->dataset, 0, name);
    cell->uses |= congru_paper_uses(runs->job, column) & ~(cell->ridge ? (unsigned)CONGRU_USES_RIDGE : 0U);
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const comparison_job *job = user;
    congru_paper_place_changes(job->dataset, text);
    congru_paper_runs_changed(&job->cross, uses, job->dataset, text);
}

/* The table's pipelines, with commas between; or those that it, and we, have within subjects. */
static void list_pipelines(bool within, char list[LIST_SIZE])
{
    congru_paper_row row;
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; congru_paper_row_read("comparison", i, &row) > 0; i++) {
        bool wanted =
            !within || !isnan(field(&row, WITHIN)) || strncmp(row.field[GROUP], OURS, strlen(OURS)) == 0;
        if (wanted && row.field[PIPELINE][0] != '\0')
            used += (size_t)snprintf(list + used, LIST_SIZE - used, "%s%s", used > 0 ? "," : "",
                                     row.field[PIPELINE]);
    }
}

/* ---- Showing ---- */

static void describe_number(double mean, double deviation, char text[CELL_SIZE])
{
    if (isnan(mean))
        congru_format(text, CELL_SIZE, "-");
    else if (isnan(deviation))
        congru_format(text, CELL_SIZE, "%6.2f", mean);
    else
        congru_format(text, CELL_SIZE, "%6.2f ± %5.2f", mean, deviation);
}

/* "no such method" where none is in the registry. */
static void describe_ours(const congru_paper_runs *sets, const char *dataset, const char *pipeline,
                          char text[CELL_SIZE])
{
    double deviation, mean = congru_score_list_mean(&sets->scores, dataset, pipeline, NULL, &deviation);
    congru_pipeline_description about;
    if (pipeline[0] == '\0' || congru_pipeline_describe(sets->job->context, pipeline, &about) != CONGRU_OK)
        congru_format(text, CELL_SIZE, "no such method");
    else if (isnan(mean) && about.needs_signals && congru_paper_runs_lack_signals(sets, dataset))
        congru_format(text, CELL_SIZE, "needs signals");
    else
        describe_number(mean, deviation, text);
}

/* The pipeline, with what it looked at across subjects: "rpa+mdm, 20 labels". */
static void describe_name(const comparison_job *job, const char *pipeline, char text[CELL_SIZE])
{
    char mark[CONGRU_MARK_SIZE] = "";
    for (size_t t = 0; t < job->cross.scores.count; t++) {
        const congru_scores *scores = job->cross.scores.item[t];
        if (strcmp(scores->name, job->dataset) == 0)
            congru_scores_mark(scores, congru_scores_find(scores, pipeline), mark);
    }
    congru_format(text, CELL_SIZE, "%s%s%s", pipeline, mark[0] != '\0' ? ", " : "", mark);
}

/* Fixed columns, since groups of rows have headings of their own; none behind the last. */
static void add_plain(congru_text *plain, size_t count, const char *const *cell)
{
    for (size_t i = 0; i < count; i++) {
        int seen = 0;
        for (const char *at = cell[i]; *at != '\0'; at++)
            seen += ((unsigned char)*at & 0xc0) != 0x80; /* a character of several bytes counts once */
        const int width = i == MARK_COLUMN ? WIDTH / 2 - 2 : WIDTH;
        congru_text_add(plain, "%s%*s", cell[i], i + 1 == count ? 0 : seen < width ? width - seen : 1, "");
    }
    congru_text_add(plain, "\n");
}

static congru_status show_table(const comparison_job *job)
{
    enum { COLUMNS = 7 };
    static const char *const headings[COLUMNS] = {"group",        "method",        "paper, across", "mark",
                                                  "ours, across", "paper, within", "ours, within"};
    static const char *const plain_headings[] = {"", "paper, across", "mark", "ours", "paper, within", "ours"};
    char group[CONGRU_PAPER_LINE_SIZE] = "", text[COLUMNS][CELL_SIZE];
    congru_table table = {0};
    congru_text plain = {0};
    congru_paper_row row;
    congru_table_headings(&table, COLUMNS, headings);
    add_plain(&plain, COLUMNS - 1, plain_headings);
    for (size_t i = 0; congru_paper_row_read("comparison", i, &row) > 0; i++) {
        const char *pipeline = row.field[PIPELINE];
        describe_name(job, pipeline[0] != '\0' ? pipeline : row.field[METHOD], text[1]);
        const char *cell[COLUMNS] = {row.field[GROUP], text[1], text[2], text[3], text[4], text[5], text[6]};
        describe_number(field(&row, CROSS), field(&row, CROSS_DEVIATION), text[2]);
        congru_paper_mark(row.field[MARK], text[3]);
        describe_ours(&job->cross, job->dataset, pipeline, text[4]);
        describe_number(field(&row, WITHIN), field(&row, WITHIN_DEVIATION), text[5]);
        describe_ours(&job->within, job->dataset, pipeline, text[6]);
        if (strcmp(group, row.field[GROUP]) != 0)
            congru_text_add(&plain, "%s\n", row.field[GROUP]);
        snprintf(group, sizeof group, "%s", row.field[GROUP]);
        add_plain(&plain, COLUMNS - 1, cell + 1);
        for (size_t c = 0; c < COLUMNS; c++)
            congru_table_text(&table, cell[c]);
    }
    return congru_paper_table(job->cross.job, false, &table, &plain);
}

static congru_status show(comparison_job *job, const char *dataset)
{
    job->dataset = dataset;
    const bool known = strcmp(dataset, congru_paper_dataset_at(0)) == 0;
    CONGRU_TRY(congru_paper_say(job->cross.job, CONGRU_PAPER_LINE, true, "%s%s%s", dataset,
                                known ? "" : ": the paper's numbers are of ",
                                known ? "" : congru_paper_dataset_at(0)));
    CONGRU_TRY(show_table(job));
    CONGRU_TRY(congru_paper_tell_marks(job->cross.job, "b is the paper's own"));
    return congru_claims_judge(job->cross.job,
                               &(congru_claim_source){"comparison", read_cell, add_changes, job},
                               "Claims of the paper:");
}

congru_status congru_reproduce_comparison(const congru_paper_job *paper)
{
    comparison_job job = {.cross.job = paper, .within.job = paper};
    char cross[LIST_SIZE], within[LIST_SIZE];
    list_pipelines(false, cross);
    list_pipelines(true, within);
    congru_status status = congru_paper_runs_all(&job.cross, cross, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_ridges(&job.cross, cross);
    if (status == CONGRU_OK)
        status = congru_paper_runs_all(&job.within, within, CONGRU_PROTOCOL_FOLDS, "-within");
    if (status == CONGRU_OK)
        status = congru_paper_title(paper, "19", NULL);
    if (status == CONGRU_OK)
        status = congru_paper_runs_remark(&job.cross);
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&job.cross, " across subjects");
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&job.within, " within subjects");
    if (status == CONGRU_OK && paper->request->set_count == 0)
        status = show(&job, congru_paper_dataset_at(0));
    for (size_t t = 0; status == CONGRU_OK && t < job.cross.scores.count; t++)
        status = show(&job, job.cross.scores.item[t]->name);
    congru_paper_runs_clear(&job.cross);
    congru_paper_runs_clear(&job.within);
    return status;
}
