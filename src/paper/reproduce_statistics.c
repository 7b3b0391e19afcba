/* Experiment statistics: the paper's columns of subjects through our statistics. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"
#include "paper/score_list.h"

enum { QUANTITIES = 6, FIRST = 4, P = 2 };

/* gain, d_z, p, fraction improved, ends of the interval: how far apart two may be and count as the same, since the
 * columns are rounded to one or two decimals. */
static const double tolerance[QUANTITIES] = {0.0025, 0.0015, 0.0011, 0.0005, 0.0025, 0.0025};
static const char *const quantity[QUANTITIES] = {"gain", "d_z", "p", "up", "low", "high"};

/* The differences as they are in floating point: the paper's p have the ties of its own columns. */
static congru_status compare(congru_context *context, const congru_scores_list *tables,
                             const congru_paper_row *row, congru_comparison *result)
{
    double a[128], b[128];
    size_t count = congru_score_list_pair(tables, row->field[1], row->field[2], row->field[3], a, b);
    return congru_paired_compare(context, count, a, b, 0.95, result);
}

/* What differs from what is printed, into `lines` in full. */
static void add_row(congru_table *table, const congru_paper_row *row, const congru_comparison *result,
                    size_t agree[QUANTITIES], congru_table *lines)
{
    double p = result->count <= 13 ? result->wilcoxon.tied : result->wilcoxon.p;
    double found[QUANTITIES] = {result->gain,     result->effect,      p,
                                result->improved, result->interval[0], result->interval[1]};
    char differ[64] = "";
    for (size_t i = 0; i < QUANTITIES; i++) {
        bool same = fabs(found[i] - congru_number_read(row->field[FIRST + i], NULL)) < tolerance[i];
        size_t used = strlen(differ);
        agree[i] += same;
        if (same)
            continue;
        snprintf(differ + used, sizeof differ - used, "%s%s", used > 0 ? ", " : "", quantity[i]);
        congru_table_format_text(lines, "%s, %s - %s: %s is %.3f, printed %s", row->field[1], row->field[2],
                                 row->field[3], quantity[i], found[i], row->field[FIRST + i]);
    }
    congru_table_format_text(table, "%s", row->field[1]);
    congru_table_format_text(table, "%s - %s", row->field[2], row->field[3]);
    congru_table_format_text(table, "%zu", result->count);
    congru_table_format_text(table, "%s", differ[0] == '\0' ? "all" : "");
    congru_table_format_text(table, "%s", differ);
}

/* "Of 22 rows come back: gain 22, ..." */
static congru_status count_rows(const congru_paper_job *job, size_t rows, const size_t agree[QUANTITIES])
{
    char line[256];
    size_t used = (size_t)snprintf(line, sizeof line, "Of %zu rows come back:", rows);
    for (size_t i = 0; i < QUANTITIES && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s %zu", i > 0 ? "," : "", quantity[i],
                                 agree[i]);
    return congru_paper_say(job, CONGRU_PAPER_LINE, true, "%s", line);
}

static congru_status show(const congru_paper_job *job, const congru_scores_list *aligned,
                          const congru_scores_list *classified)
{
    static const char *const headings[] = {"dataset", "comparison", "n", "same", "differ"};
    congru_table table = {0}, lines = {0};
    size_t rows = 0, agree[QUANTITIES] = {0};
    congru_paper_row row;
    congru_status status = CONGRU_OK;
    congru_table_headings(&table, 5, headings);
    for (; status == CONGRU_OK && congru_paper_row_read("statistics", rows, &row) > 0; rows++) {
        congru_comparison result = {0};
        status =
            compare(job->context, strstr(row.field[2], "-e2e") != NULL ? classified : aligned, &row, &result);
        add_row(&table, &row, &result, agree, &lines);
    }
    if (status == CONGRU_OK && lines.failed)
        status = congru_paper_no_memory(job);
    if (status == CONGRU_OK)
        status = congru_paper_say(job, CONGRU_PAPER_LINE, true,
                                  "The paper's columns of subjects through our statistics");
    if (status == CONGRU_OK)
        status = congru_paper_table(job, true, &table, NULL);
    for (size_t i = 0; status == CONGRU_OK && i < lines.cells; i++)
        status = congru_paper_say(job, CONGRU_PAPER_NOTE, i == 0, "%s", lines.cell[i].text);
    if (status == CONGRU_OK)
        status = count_rows(job, rows, agree);
    congru_table_clear(&table);
    congru_table_clear(&lines);
    return status;
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
    congru_status status = congru_holm_correct(job->context, count, p, corrected);
    if (status != CONGRU_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        below += p[i] < 0.05;
        still += corrected[i] < 0.05;
    }
    return congru_paper_say(job, CONGRU_PAPER_LINE, false,
                            "Across subjects, %zu of %zu printed p are below 0.05; by Holm's correction %zu",
                            below, count, still);
}

congru_status congru_reproduce_statistics(const congru_paper_job *job)
{
    congru_scores_list aligned = {0}, classified = {0};
    congru_status status = congru_paper_printed_scores(job, "subjects-prealigners", &aligned);
    if (status == CONGRU_OK)
        status = congru_paper_printed_scores(job, "subjects-classifiers", &classified);
    if (status == CONGRU_OK)
        status = show(job, &aligned, &classified);
    if (status == CONGRU_OK)
        status = show_corrected(job);
    congru_scores_list_clear(&aligned);
    congru_scores_list_clear(&classified);
    return status;
}
