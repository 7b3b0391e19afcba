/* Experiment runtime: seconds of training per subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { DATASETS = 5 };

#define TIMED \
    "ra+mdm,dct+mdm,dldct+mdm,ddct-unet+mdm,ra+tslr,ra+tsa-lda,none+csp-lda,dct-e2e,dldct-e2e,ddct-unet-e2e"

/* Rows without a classifier are the aligner's own time; it is measured before mdm. */
static bool is_aligner(const char *method)
{
    return strcmp(method, "ra") == 0 || strcmp(method, "dct") == 0 || strcmp(method, "dldct") == 0 ||
           strcmp(method, "ddct-unet") == 0;
}

static void timed_pipeline(const char *method, char name[CONGRU_SCORE_NAME_SIZE])
{
    snprintf(name, CONGRU_SCORE_NAME_SIZE,
             is_aligner(method)               ? "%s+mdm"
             : strcmp(method, "csp-lda") == 0 ? "none+%s"
                                              : "%s",
             method);
}

/* The aligner's training in rows of aligners, the classifier's in others: the paper's classifiers are timed on aligned
 * trials. */
static double training(const congru_paper_runs *sets, const char *dataset, const char *method)
{
    char name[CONGRU_SCORE_NAME_SIZE];
    timed_pipeline(method, name);
    return congru_score_list_mean(is_aligner(method) ? &sets->aligning : &sets->fitting, dataset, name, NULL,
                                  NULL);
}

/* Of the paper the mean over its sets; ours over the subjects of those that are given, which the verdict says. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const congru_paper_runs *sets = user;
    const congru_scores_list *times = is_aligner(column) ? &sets->aligning : &sets->fitting;
    char name[CONGRU_SCORE_NAME_SIZE];
    double sum = 0;
    (void)row;
    timed_pipeline(column, name);
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++) {
        const char *dataset = congru_paper_dataset_at(i);
        sum += congru_paper_number("runtime", "seconds", dataset, column);
        cell->uses |= congru_paper_runs_have(sets, dataset) ? 1u << i : 0;
    }
    if (side == CONGRU_CLAIM_PAPER)
        cell->number = sum / DATASETS;
    else
        congru_claim_cell_scores(cell, times, times, NULL, cell->uses, name);
    cell->uses |= congru_paper_uses(sets->job, name);
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const congru_paper_runs *sets = user;
    size_t given = 0;
    for (size_t i = 0; i < DATASETS; i++)
        given += uses >> i & 1;
    if (given < DATASETS) {
        congru_paper_next_change(text);
        congru_text_add(text, "%zu of %d sets", given, DATASETS);
    }
    congru_paper_runs_changed(sets, uses & ~(unsigned)CONGRU_USES_RIDGE, NULL, text);
}

static void add_row(congru_table *table, const congru_paper_runs *sets, const char *dataset, const char *method)
{
    char name[CONGRU_SCORE_NAME_SIZE];
    timed_pipeline(method, name);
    double theirs = congru_paper_number("runtime", "seconds", dataset, method),
           mean = training(sets, dataset, method),
           asked = congru_score_list_mean(&sets->predicting, dataset, name, NULL, NULL);
    congru_table_format_text(table, "%s", dataset);
    congru_table_format_text(table, "%s", method);
    congru_table_format_text(table, isnan(theirs) ? "-" : "%.2f", theirs);
    if (sets->scores.count == 0)
        return;
    congru_table_format_text(table, isnan(mean) ? "-" : "%.4f", mean);
    congru_table_format_text(table, isnan(mean / theirs) ? "-" : "%.2g", mean / theirs);
    congru_table_format_text(table, isnan(asked) || is_aligner(method) ? "-" : "%.4f", asked);
}

/* Of aligners or of the others: the paper's sets, given or not, then others that are. */
static void add_rows(congru_table *table, const congru_paper_runs *sets, bool aligners)
{
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("runtime", i, &row) > 0; i++)
        if (is_aligner(row.field[1]) == aligners)
            add_row(table, sets, row.field[0], row.field[1]);
    for (size_t t = 0; t < sets->scores.count; t++)
        for (size_t i = 0; congru_paper_dataset(sets->scores.item[t]->name) == NULL &&
                           congru_paper_row_read("runtime", i, &row) > 0;
             i++)
            if (strcmp(row.field[0], congru_paper_dataset_at(0)) == 0 && is_aligner(row.field[1]) == aligners)
                add_row(table, sets, sets->scores.item[t]->name, row.field[1]);
}

/* Where no set is given, the paper's column alone. */
static congru_status show(const congru_paper_runs *sets, bool aligners)
{
    static const char *const headings[] = {"dataset", "method",       "paper s",
                                           "ours s",  "ours / paper", "predicting s"};
    congru_table table = {0};
    CONGRU_TRY(congru_paper_title(sets->job, aligners ? "13" : "14", NULL));
    congru_table_headings(&table, sets->scores.count > 0 ? 6 : 3, headings);
    add_rows(&table, sets, aligners);
    return congru_paper_table(sets->job, true, &table, NULL);
}

congru_status congru_reproduce_runtime(const congru_paper_job *job)
{
    congru_paper_runs sets = {.job = job};
    congru_status status = congru_paper_runs_all(&sets, TIMED, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_remark(&sets);
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&sets, "");
    if (status == CONGRU_OK)
        status = congru_paper_say(job, CONGRU_PAPER_TEXT, true,
                                  "Seconds of training per subject, as the paper has them: of the aligner "
                                  "alone, of the classifier on aligned trials, of the whole end-to-end model. "
                                  "The paper's on its GPU, ours on this machine, one thread to a fold; '-' "
                                  "where data is not given. Predicting is apart.");
    if (status == CONGRU_OK)
        status = show(&sets, true);
    if (status == CONGRU_OK)
        status = show(&sets, false);
    if (status == CONGRU_OK)
        status = congru_claims_judge(job, &(congru_claim_source){"runtime", read_cell, add_changes, &sets},
                                     "Claims of the paper, by the sets that are given:");
    congru_paper_runs_clear(&sets);
    return status;
}
