/* Experiment silhouette: how trials cluster by subject and by class. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/statistics.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { METHODS = 5, KINDS = 2 };

static const char *const methods[METHODS] = {"none", "ra", "dct-e2e", "dldct-e2e", "ddct-unet-e2e"};
static const char *const kinds[KINDS] = {"subject", "class"};

/* One for each subject left out; `open` NULL: there is none. */
typedef struct silhouette_table {
    const congru_paper_job *job;
    const congru_paper_open *open;
    char dataset[CONGRU_PAPER_NAME_SIZE];
    double mean[METHODS][KINDS], deviation[METHODS][KINDS];
    size_t folds;
    double *one[METHODS][KINDS]; /* (folds) */
} silhouette_table;

static double printed(const void *user, const char *row, const char *column)
{
    (void)user;
    return congru_paper_number("silhouette", row, column, NULL);
}

/* "subject" or "class" of a method. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const silhouette_table *found = user;
    const size_t kind = strcmp(row, "class") == 0;
    if (side == CONGRU_CLAIM_PAPER)
        cell->number = printed(NULL, row, column);
    else if (found->open == NULL)
        cell->absent |= 1; /* the paper's set */
    for (size_t m = 0; side != CONGRU_CLAIM_PAPER && found->open != NULL && m < METHODS; m++)
        if (strcmp(methods[m], column) == 0 && congru_claim_cell_room(cell, found->folds)) {
            cell->number = found->mean[m][kind];
            memcpy(cell->unit, found->one[m][kind], found->folds * sizeof *cell->unit);
        }
    cell->uses |= strstr(column, "-e2e") != NULL ? CONGRU_USES_NETWORK : 0;
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const silhouette_table *found = user;
    congru_paper_place_changes(found->dataset, text);
    congru_paper_set_changes(found->open, text);
    congru_paper_method_changes(found->open->job, uses, text);
}

/* Of the source trials of each fold, so that the others' spread is over who is left out too. */
static congru_status measure(const congru_paper_open *open, size_t m, silhouette_table *found)
{
    const congru_evaluation_options *options = &open->options;
    bool network = strstr(methods[m], "-e2e") != NULL;
    const size_t folds = options->subjects != NULL ? options->subject_count : open->set->subjects;
    found->folds = folds;
    for (size_t k = 0; k < KINDS; k++)
        if ((found->one[m][k] = malloc((folds + 1) * sizeof(double))) == NULL)
            return congru_paper_no_memory(open->job);
    double one[KINDS];
    char pipeline[CONGRU_PIPELINE_SIZE];
    snprintf(pipeline, sizeof pipeline, network ? "%s" : "%s+mdm", methods[m]);
    for (size_t i = 0; i < folds; i++) {
        int32_t left_out = options->subjects != NULL ? options->subjects[i] : (int32_t)i;
        congru_status status = congru_pipeline_silhouette(open->job->context, open->set, options, pipeline,
                                                          left_out, &one[0], &one[1]);
        if (status != CONGRU_OK)
            return status;
        for (size_t k = 0; k < KINDS; k++)
            found->one[m][k][i] = one[k];
    }
    for (size_t k = 0; k < KINDS; k++) {
        const congru_interval over = congru_interval_of(folds, found->one[m][k], 0.95);
        found->mean[m][k] = over.mean;
        found->deviation[m][k] = over.deviation;
    }
    return CONGRU_OK;
}

static congru_status show(const silhouette_table *found)
{
    congru_table table = {0};
    congru_table_headings(
        &table, found->open != NULL ? 6 : 4,
        (const char *const[]){found->dataset, "by", "paper (2a)", "mark", "ours", "difference"});
    for (size_t k = 0; k < KINDS; k++)
        for (size_t m = 0; m < METHODS; m++) {
            char column[32];
            double theirs = printed(NULL, kinds[k], methods[m]);
            snprintf(column, sizeof column, "%s_deviation", kinds[k]);
            congru_table_format_text(&table, "%s", methods[m]);
            congru_table_format_text(&table, "%s", kinds[k]);
            congru_table_format_text(&table, "%+.4f ± %.4f", theirs,
                                     congru_paper_number("silhouette", column, methods[m], NULL));
            snprintf(column, sizeof column, "%s_mark", kinds[k]);
            congru_paper_cell_mark(&table, "silhouette", column, methods[m], NULL);
            if (found->open == NULL)
                continue;
            if (isnan(found->deviation[m][k]))
                congru_table_format_text(&table, "%+.4f", found->mean[m][k]);
            else
                congru_table_format_text(&table, "%+.4f ± %.4f", found->mean[m][k], found->deviation[m][k]);
            congru_table_format_text(&table, "%+.4f", found->mean[m][k] - theirs);
        }
    congru_status status = congru_paper_title(found->job, "18", NULL);
    if (status == CONGRU_OK)
        status = congru_paper_table(found->job, true, &table, NULL);
    congru_table_clear(&table);
    if (status == CONGRU_OK && found->open == NULL)
        status = congru_paper_set_absent(found->job, found->dataset);
    if (status == CONGRU_OK)
        status = congru_paper_tell_marks(found->job, "b is the paper's own model, not the best of a column");
    return status == CONGRU_OK
               ? congru_claims_judge(found->job,
                                     &(congru_claim_source){"silhouette", read_cell, add_changes, found},
                                     "Claims of the paper:")
               : status;
}

static congru_status run_set(const congru_paper_job *job, size_t which)
{
    congru_paper_open open;
    silhouette_table found = {.job = job, .open = &open};
    congru_status status = congru_paper_set_open(job, which, NULL, "ra+mdm", &open);
    for (size_t m = 0; status == CONGRU_OK && m < METHODS; m++)
        status = measure(&open, m, &found);
    if (status == CONGRU_OK)
        status = congru_paper_set_remark(&open);
    if (status == CONGRU_OK) {
        congru_paper_set_name(&open, found.dataset);
        status = show(&found);
    }
    for (size_t m = 0; m < METHODS * KINDS; m++)
        free(found.one[m / KINDS][m % KINDS]);
    congru_paper_set_close(&open);
    return status;
}

static congru_status show_printed(const congru_paper_job *job)
{
    silhouette_table found = {.job = job};
    snprintf(found.dataset, sizeof found.dataset, "%s", congru_paper_dataset_at(0));
    return show(&found);
}

congru_status congru_reproduce_silhouette(const congru_paper_job *job)
{
    if (!congru_paper_leads(job))
        return CONGRU_OK; /* nothing here is shared */
    return congru_paper_each_set(job, run_set, show_printed);
}
