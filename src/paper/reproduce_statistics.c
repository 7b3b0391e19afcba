/* Experiment statistics: tables 15 to 17, recomputed from the paper's columns of subjects, and ours. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"
#include "paper/score_list.h"
#include "statistics/points.h"

enum { QUANTITIES = 6, FIRST = 4, P = 2 };

/* gain, d_z, p, fraction improved, ends of the interval: how far apart two may be and count as the same, since the
 * columns are rounded to one or two decimals. */
static const double tolerance[QUANTITIES] = {0.0025, 0.0015, 0.0011, 0.0005, 0.0025, 0.0025};
static const char *const quantity[QUANTITIES] = {"gain", "d_z", "p", "up", "low", "high"};

/* Tables 15, 16 and 17 of paired statistics, by their names in the paper's file. */
static const char *const tables[][2] = {{"across", "15"}, {"dataset", "16"}, {"2a", "17"}};
enum { TABLES = sizeof tables / sizeof tables[0], ROWS_MAX = 64, SUBJECTS_MAX = 512 };

typedef struct statistics_job {
    congru_paper_runs runs;
    congru_scores_list aligned, classified; /* the paper's columns */
    congru_table lines;                     /* what differs from what is printed, in full */
    size_t rows, agree[QUANTITIES];
} statistics_job;

/* As the tables have them. p is exact for few subjects, ties or not. */
static void take_quantities(const congru_comparison *result, double found[QUANTITIES])
{
    const double p = result->count <= 13 ? result->wilcoxon.tied : result->wilcoxon.p;
    const double all[QUANTITIES] = {result->gain,     result->effect,      p,
                                    result->improved, result->interval[0], result->interval[1]};
    for (size_t i = 0; i < QUANTITIES; i++)
        found[i] = result->count > 0 ? all[i] : NAN;
}

/* The paper's columns as they are in floating point: its p have the ties of its own columns. Of ours, differences that are
 * equal in counts of trials are ties. */
static congru_status compare(const statistics_job *job, const congru_paper_row *row, bool ours,
                             congru_comparison *result)
{
    const congru_scores_list *printed =
        strstr(row->field[2], "-e2e") != NULL ? &job->classified : &job->aligned;
    double a[SUBJECTS_MAX], b[SUBJECTS_MAX];
    const congru_scores_list *list = ours ? &job->runs.scores : printed;
    *result = (congru_comparison){0};
    if (congru_score_list_subjects(list) > SUBJECTS_MAX)
        return congru_fail(job->runs.job->context, CONGRU_ERROR_ARGUMENT, "more than %d subjects",
                           (int)SUBJECTS_MAX);
    if (ours && strcmp(row->field[1], "all") != 0 && !congru_paper_runs_have(&job->runs, row->field[1]))
        return CONGRU_OK;
    const size_t count = congru_score_list_pair(list, row->field[1], row->field[2], row->field[3], a, b);
    for (size_t i = 0; ours && i < count; i++) {
        a[i] = congru_points_between(a[i] / 100, b[i] / 100);
        b[i] = 0;
    }
    return count > 0 ? congru_paired_compare(job->runs.job->context, count, a, b, 0.95, result) : CONGRU_OK;
}

static void add_numbers(congru_table *table, const congru_paper_row *row, const char *whose, size_t count,
                        const double found[QUANTITIES], const char *differ)
{
    congru_table_text(table, row->field[1]);
    congru_table_format_text(table, "%s - %s", row->field[2], row->field[3]);
    congru_table_text(table, whose);
    congru_table_format_text(table, count > 0 ? "%zu" : "-", count);
    for (size_t i = 0; i < QUANTITIES; i++)
        congru_table_format_text(table, isnan(found[i]) ? "-" : "%.3f", found[i]);
    congru_table_text(table, differ);
}

/* What is printed, what the paper's columns give, and ours where sets are given. */
static congru_status add_row(statistics_job *job, congru_table *table, const congru_paper_row *row)
{
    congru_comparison result;
    double printed[QUANTITIES], found[QUANTITIES];
    char differ[64] = "";
    CONGRU_TRY(compare(job, row, false, &result));
    take_quantities(&result, found);
    for (size_t i = 0; i < QUANTITIES; i++) {
        printed[i] = congru_number_read(row->field[FIRST + i], NULL);
        const bool same = fabs(found[i] - printed[i]) < tolerance[i];
        size_t used = strlen(differ);
        job->agree[i] += same;
        if (same)
            continue;
        snprintf(differ + used, sizeof differ - used, "%s%s", used > 0 ? ", " : "", quantity[i]);
        congru_table_format_text(&job->lines, "%s, %s - %s: %s is %.3f, printed %s", row->field[1],
                                 row->field[2], row->field[3], quantity[i], found[i], row->field[FIRST + i]);
    }
    job->rows++;
    add_numbers(table, row, "printed", 0, printed, "");
    add_numbers(table, row, "recomputed", result.count, found, differ);
    if (job->runs.scores.count == 0)
        return CONGRU_OK;
    congru_status status = compare(job, row, true, &result);
    take_quantities(&result, found);
    add_numbers(table, row, "ours", result.count, found, "");
    return status;
}

static congru_status show_table(statistics_job *job, const char *name, const char *number)
{
    static const char *const headings[] = {"dataset", "comparison", "numbers", "n",    "gain",   "d_z",
                                           "p",       "up",         "low",     "high", "differs"};
    congru_table table = {0};
    congru_paper_row row;
    congru_status status = congru_paper_title(job->runs.job, number, NULL);
    congru_table_headings(&table, sizeof headings / sizeof headings[0], headings);
    for (size_t i = 0; status == CONGRU_OK && congru_paper_row_read("statistics", i, &row) > 0; i++)
        if (strcmp(row.field[0], name) == 0)
            status = add_row(job, &table, &row);
    if (status == CONGRU_OK)
        return congru_paper_table(job->runs.job, true, &table, NULL);
    congru_table_clear(&table);
    return status;
}

/* "Of 22 rows come back: gain 22, ..." */
static congru_status count_rows(const statistics_job *job)
{
    char line[256];
    size_t used = (size_t)snprintf(line, sizeof line, "Of %zu rows come back:", job->rows);
    for (size_t i = 0; i < QUANTITIES && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s %zu", i > 0 ? "," : "", quantity[i],
                                 job->agree[i]);
    return congru_paper_say(job->runs.job, CONGRU_PAPER_LINE, true, "%s", line);
}

static congru_status show(statistics_job *job)
{
    for (size_t i = 0; i < TABLES; i++)
        CONGRU_TRY(show_table(job, tables[i][0], tables[i][1]));
    if (job->lines.failed)
        CONGRU_TRY(congru_paper_no_memory(job->runs.job));
    CONGRU_TRY(congru_paper_say(
        job->runs.job, CONGRU_PAPER_TEXT, true,
        "Gain in points, d_z, p of Wilcoxon's test, the share of subjects that improve, and the ends of the "
        "95 %% interval: as printed, and recomputed from the paper's own columns of subjects (tables 21 "
        "and 22).%s",
        job->runs.scores.count > 0 ? " Ours are of the sets that are given, n subjects of them." : ""));
    for (size_t i = 0; i < job->lines.cells; i++)
        CONGRU_TRY(congru_paper_say(job->runs.job, CONGRU_PAPER_NOTE, i == 0, "%s", job->lines.cell[i].text));
    return count_rows(job);
}

/* Holm's correction of the p the paper prints across subjects. */
static congru_status show_corrected(const congru_paper_job *job)
{
    double p[32], corrected[32];
    size_t count = 0, below = 0, still = 0;
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("statistics", i, &row) > 0; i++)
        if (strcmp(row.field[0], "across") == 0 && count < 32)
            p[count++] = congru_number_read(row.field[FIRST + P], NULL);
    CONGRU_TRY(congru_holm_correct(job->context, count, p, corrected));
    for (size_t i = 0; i < count; i++) {
        below += p[i] < 0.05;
        still += corrected[i] < 0.05;
    }
    return congru_paper_say(job, CONGRU_PAPER_LINE, false,
                            "Across subjects, %zu of %zu printed p are below 0.05; by Holm's correction %zu",
                            below, count, still);
}

congru_status congru_reproduce_statistics(const congru_paper_job *paper)
{
    static const char pipelines[] = "ra+mdm,ra+tslr,ra+tsa-lda,ddct-unet+mdm,ddct-unet+tslr,ddct-unet+tsa-lda,"
                                    "ddct-unet-e2e";
    statistics_job job = {.runs.job = paper};
    congru_status status = congru_paper_runs_all(&job.runs, pipelines, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_remark(&job.runs);
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&job.runs, "");
    if (status == CONGRU_OK)
        status = congru_paper_printed_scores(paper, "subjects-prealigners", &job.aligned);
    if (status == CONGRU_OK)
        status = congru_paper_printed_scores(paper, "subjects-classifiers", &job.classified);
    if (status == CONGRU_OK)
        status = show(&job);
    if (status == CONGRU_OK)
        status = show_corrected(paper);
    congru_table_clear(&job.lines);
    congru_scores_list_clear(&job.aligned);
    congru_scores_list_clear(&job.classified);
    congru_paper_runs_clear(&job.runs);
    return status;
}
