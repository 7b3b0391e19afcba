/* Experiment ablation: networks with a part left out. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/ablation.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

/* The mean over subjects where the table of means has none, as for dispersion. */
static double printed_subjects(const char *variant, const char *model, double *deviation)
{
    double sum = 0, squares = 0, count = 0;
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("subjects-ablation", i, &row) > 0; i++)
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

/* `open` NULL: there is no set. */
typedef struct ablation_job {
    const congru_paper_job *paper;
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
        cell->number =
            100.0 / (side == CONGRU_CLAIM_PAPER || job->open == NULL ? 4 : (double)job->open->set->classes);
    else if (side == CONGRU_CLAIM_PAPER)
        cell->number = printed_cell(row, column, &deviation);
    else if (job->open == NULL)
        cell->absent |= 1; /* the paper's set */
    else
        congru_claim_cell_variant(cell, &job->found.scores, row, column);
    cell->uses |= CONGRU_USES_NETWORK;
    if (strstr(column, "-e2e") == NULL && job->open != NULL && job->open->options.method.c != 0)
        cell->uses |= CONGRU_USES_RIDGE;
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const ablation_job *job = user;
    congru_paper_place_changes(job->dataset, text);
    congru_paper_set_changes(job->open, text);
    congru_paper_method_changes(job->open->job, uses, text);
}

/* The paper's models, and behind them others that were run. */
static size_t list_models(const congru_ablation *found, char model[][CONGRU_PIPELINE_SIZE])
{
    congru_names names = {0};
    size_t count = 0;
    congru_names_split(&names, CONGRU_ABLATION_PIPELINES);
    for (size_t i = 0; i < names.count; i++)
        congru_ablation_model(names.item[i], model[count++]);
    for (size_t i = 0; i < found->models; i++) {
        size_t k = 0;
        while (k < count && strcmp(model[k], found->model[i]) != 0)
            k++;
        if (k == count)
            snprintf(model[count++], CONGRU_PIPELINE_SIZE, "%s", found->model[i]);
    }
    return count;
}

/* Where there is such a row: of the paper, or ours. */
static void add_row(congru_table *table, const ablation_job *job, size_t variant, const char *model, bool known)
{
    const congru_ablation *found = &job->found;
    const char *name = congru_ablation_variant(variant, NULL);
    double spread, theirs = printed_cell(name, model, &spread), mean = NAN, deviation = NAN;
    bool run = false;
    for (size_t i = 0; i < found->models; i++)
        if (strcmp(found->model[i], model) == 0) {
            run = true;
            mean = found->mean[variant][i];
            deviation = found->deviation[variant][i];
        }
    if (isnan(theirs) && isnan(mean))
        return;
    congru_table_format_text(table, "%s", name);
    congru_table_format_text(table, "%s", model);
    congru_paper_cell_number(table, theirs, spread);
    if (isnan(congru_paper_number("ablation", "mean", name, model)) && !isnan(theirs))
        congru_table_text(table, "23");
    else
        congru_paper_cell_mark(table, "ablation", "mark", name, model);
    if (job->open == NULL)
        return;
    if (run && isnan(mean))
        congru_table_format_text(table, "no such part");
    else
        congru_paper_cell_number(table, mean, deviation);
    congru_paper_cell_difference(table, mean, known ? theirs : NAN);
}

static congru_status show(const ablation_job *job)
{
    static const char *const headings[] = {"ablation", "model", "paper", "mark", "ours", "difference"};
    const bool known = strcmp(job->dataset, congru_paper_dataset_at(0)) == 0;
    char model[2 * CONGRU_ABLATION_MODELS_MAX][CONGRU_PIPELINE_SIZE];
    congru_table table = {0};
    congru_table_headings(&table, job->open != NULL ? 6 : 4, headings);
    const size_t models = list_models(&job->found, model);
    for (size_t v = 0; congru_ablation_variant(v, NULL) != NULL; v++)
        for (size_t i = 0; i < models; i++)
            add_row(&table, job, v, model[i], known);
    congru_status status = congru_paper_title(job->paper, "5", "12");
    if (status == CONGRU_OK)
        status = congru_paper_say(job->paper, CONGRU_PAPER_LINE, true, "%s%s%s", job->dataset,
                                  known ? "" : ": the paper's ablation is on ",
                                  known ? "" : congru_paper_dataset_at(0));
    if (status == CONGRU_OK)
        status = congru_paper_table(job->paper, true, &table, NULL);
    congru_table_clear(&table);
    if (status == CONGRU_OK && job->open == NULL)
        status = congru_paper_set_absent(job->paper, job->dataset);
    if (status == CONGRU_OK)
        status = congru_paper_tell_marks(
            job->paper,
            "arrows are from the baseline of a column, bu is the best of all; 23 marks means of the ablation by subject, table 23, that this table does not have");
    return status == CONGRU_OK
               ? congru_claims_judge(job->paper,
                                     &(congru_claim_source){"ablation", read_cell, add_changes, job},
                                     "Claims of the paper:")
               : status;
}

static congru_status ablate_set(const congru_paper_job *paper, size_t which)
{
    char folder[CONGRU_PAPER_PATH_SIZE], c[CONGRU_OPTION_TEXT_SIZE];
    congru_paper_open open;
    ablation_job job = {.paper = paper, .open = &open};
    congru_status status = congru_paper_set_open(paper, which, NULL, CONGRU_ABLATION_PIPELINES, &open);
    if (status == CONGRU_OK)
        status = congru_paper_folder(paper, open.about->name, "-ablation", folder);
    if (status == CONGRU_OK)
        status = congru_ablation_run(&open, folder, &job.found);
    if (status == CONGRU_OK)
        status = congru_paper_set_remark(&open);
    if (status == CONGRU_OK)
        status = congru_paper_say(paper, CONGRU_PAPER_NOTE, true, "C of tslr behind aligners: %s",
                                  congru_paper_c(paper, c));
    if (status == CONGRU_OK) {
        congru_paper_set_name(&open, job.dataset);
        status = show(&job);
    }
    congru_scores_list_clear(&job.found.scores);
    congru_paper_set_close(&open);
    return status;
}

static congru_status show_printed(const congru_paper_job *paper)
{
    ablation_job job = {.paper = paper};
    snprintf(job.dataset, sizeof job.dataset, "%s", congru_paper_dataset_at(0));
    return show(&job);
}

congru_status congru_reproduce_ablation(const congru_paper_job *job)
{
    return congru_paper_each_set(job, ablate_set, show_printed);
}
