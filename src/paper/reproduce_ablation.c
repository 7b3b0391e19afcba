/* Experiment ablation: networks with a part left out. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/ablation.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

/* The mean over subjects where the table of means has none, as for dispersion. */
static double printed_subjects(const char *variant, const char *model, double *deviation)
{
    double sum = 0, squares = 0, count = 0;
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("subjects-ablation", i, &row) == 4; i++)
        if (strcmp(row.field[0], variant) == 0 && strcmp(row.field[2], model) == 0) {
            double value = congru_number_read(row.field[3], NULL);
            sum += value;
            squares += value * value;
            count++;
        }
    *deviation = count > 1 ? sqrt((squares - sum * sum / count) / (count - 1)) : NAN;
    return count > 0 ? sum / count : NAN;
}

static double printed_cell(const char *variant, const char *model, double *deviation)
{
    double mean = congru_paper_number("ablation", "mean", variant, model);
    *deviation = congru_paper_number("ablation", "deviation", variant, model);
    return isnan(mean) ? printed_subjects(variant, model, deviation) : mean;
}

typedef struct ablation_job {
    const congru_paper_open *open;
    congru_ablation found;
    char dataset[CONGRU_PAPER_NAME_SIZE];
} ablation_job;

/* Row "w/o skip merges" of model "ddct-unet"; or "chance", of any. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const ablation_job *job = user;
    double deviation;
    if (strcmp(row, "chance") == 0)
        cell->number = 100.0 / (side == CONGRU_CLAIM_PAPER ? 4 : (double)job->open->set->classes);
    else if (side == CONGRU_CLAIM_PAPER)
        cell->number = printed_cell(row, column, &deviation);
    else
        congru_claim_cell_variant(cell, &job->found.scores, row, column);
    cell->uses |= CONGRU_USES_NETWORK;
    if (strstr(column, "-e2e") == NULL && job->open->options.method.c != 0)
        cell->uses |= CONGRU_USES_RIDGE;
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const ablation_job *job = user;
    congru_paper_place_changes(job->dataset, text);
    congru_paper_set_changes(job->open, text);
    congru_paper_method_changes(job->open->job, uses, text);
}

static congru_status show(const congru_paper_job *job, const congru_ablation *found, const char *dataset)
{
    static const char *const headings[] = {"ablation", "model", "paper", "ours", "difference"};
    bool known = strcmp(dataset, "bnci2014-001") == 0;
    congru_table table = {0};
    congru_table_headings(&table, 5, headings);
    for (size_t v = 0; congru_ablation_variant(v, NULL) != NULL; v++)
        for (size_t i = 0; i < found->models; i++) {
            const char *variant = congru_ablation_variant(v, NULL), *model = found->model[i];
            double spread, theirs = printed_cell(variant, model, &spread), mean = found->mean[v][i];
            theirs = known ? theirs : NAN;
            if (isnan(theirs) && isnan(mean))
                continue;
            congru_table_format_text(&table, "%s", variant);
            congru_table_format_text(&table, "%s", model);
            congru_paper_cell_number(&table, theirs, spread);
            if (isnan(mean))
                congru_table_format_text(&table, "no such part");
            else
                congru_paper_cell_number(&table, mean, found->deviation[v][i]);
            congru_paper_cell_difference(&table, mean, theirs);
        }
    congru_status status =
        congru_paper_say(job, CONGRU_PAPER_LINE, true, "%s%s", dataset,
                         known ? "" : ": not in the paper's ablation, which is on bnci2014-001");
    if (status == CONGRU_OK)
        return congru_paper_table(job, true, &table, NULL);
    congru_table_clear(&table);
    return status;
}

static congru_status ablate_set(const congru_paper_job *paper, size_t which)
{
    char folder[CONGRU_PAPER_PATH_SIZE];
    congru_paper_open open;
    ablation_job job = {.open = &open};
    congru_status status = congru_paper_set_open(paper, which, NULL, CONGRU_ABLATION_PIPELINES, &open);
    if (status == CONGRU_OK)
        status = congru_paper_folder(paper, open.about->name, "-ablation", folder);
    if (status == CONGRU_OK)
        status = congru_ablation_run(&open, folder, &job.found);
    if (status == CONGRU_OK)
        status = congru_paper_set_remark(&open);
    if (status == CONGRU_OK) {
        congru_paper_set_name(&open, job.dataset);
        status = show(paper, &job.found, job.dataset);
    }
    if (status == CONGRU_OK)
        status = congru_claims_judge(paper, &(congru_claim_source){"ablation", read_cell, add_changes, &job},
                                     "Claims of the paper:");
    congru_scores_list_clear(&job.found.scores);
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_reproduce_ablation(const congru_paper_job *job)
{
    return congru_paper_each_set(job, ablate_set);
}
