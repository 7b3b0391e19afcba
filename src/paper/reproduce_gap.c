/* Experiment gap: accuracy within subjects less that across subjects. SPDX-License-Identifier: Apache-2.0 */
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

#define BASELINES "none+mdm,none+tslr,none+tsa-lda,none+csp-lda"
#define OURS "ddct-unet-e2e"

/* The mean of the pipelines with commas between. */
static double mean_of(const congru_paper_runs *sets, const char *dataset, const char *pipelines)
{
    congru_names names = {0};
    double sum = 0;
    congru_names_split(&names, pipelines);
    for (size_t i = 0; i < names.count; i++)
        sum += congru_score_list_mean(&sets->scores, dataset, names.item[i], NULL, NULL);
    return sum / (double)names.count;
}

typedef struct gap_job {
    congru_paper_runs within, cross;
    const char *dataset;
} gap_job;

typedef double (*gap_value)(const void *user, const char *row, const char *column);

/* How much of the baselines' gap is gone, in percent; and how much of it is recovered when the baselines' accuracy
 * within subjects is what can be reached. */
static double reduction(gap_value value, const void *user, bool recovered)
{
    double whole = value(user, "gap", "euclidean baselines");
    if (!(whole > 0))
        return NAN; /* there is none to make smaller */
    return recovered
               ? 100 * (value(user, "cross", "ours") - value(user, "cross", "euclidean baselines")) / whole
               : 100 * (whole - value(user, "gap", "ours")) / whole;
}

static double our_gap(const void *user, const char *row, const char *column)
{
    const gap_job *job = user;
    const char *names = strcmp(column, "ours") == 0 ? OURS : BASELINES;
    double within = mean_of(&job->within, job->dataset, names),
           cross = mean_of(&job->cross, job->dataset, names);
    return strcmp(row, "within") == 0 ? within : strcmp(row, "cross") == 0 ? cross : within - cross;
}

static double printed_gap(const void *user, const char *row, const char *column)
{
    (void)user;
    return congru_paper_number("gap", row, column, NULL);
}

/* Of every subject 100 where the first is above the second, else 0: their mean is the share of subjects in percent. */
static void count_improved(congru_claim_cell *cell, const congru_claim_cell *other)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < cell->units && i < other->units; i++) {
        if (isnan(cell->unit[i]))
            continue;
        cell->unit[i] = cell->unit[i] > other->unit[i] ? 100 : 0;
        sum += cell->unit[i];
        count++;
    }
    cell->number = count > 0 ? sum / count : NAN;
}

static void subtract(congru_claim_cell *cell, const congru_claim_cell *other)
{
    for (size_t i = 0; i < cell->units && i < other->units; i++)
        cell->unit[i] -= other->unit[i];
    cell->number -= other->number;
}

/* "within", "cross", "gap" and "subjects improved" of "ours" and of "euclidean baselines". */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const gap_job *job = user;
    const bool improved = strcmp(row, "subjects improved") == 0, gap = strcmp(row, "gap") == 0;
    const char *names = strcmp(column, "ours") == 0 ? OURS : BASELINES;
    congru_claim_cell other = {0};
    if (side != CONGRU_CLAIM_PAPER && !congru_paper_runs_have(&job->cross, job->dataset))
        cell->absent |= 1; /* the paper's set */
    if (side == CONGRU_CLAIM_PAPER) {
        cell->number = improved ? NAN : printed_gap(NULL, row, column);
        return;
    }
    congru_claim_cell_scores(cell, &job->cross.scores,
                             gap || strcmp(row, "within") == 0 ? &job->within.scores : &job->cross.scores,
                             job->dataset, 0, names);
    cell->uses |= congru_paper_uses(job->cross.job, names);
    if (!improved && !gap)
        return;
    congru_claim_cell_scores(&other, &job->cross.scores, &job->cross.scores, job->dataset, 0,
                             improved ? BASELINES : names);
    if (improved)
        count_improved(cell, &other);
    else
        subtract(cell, &other);
    cell->failed |= other.failed;
    free(other.unit);
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const gap_job *job = user;
    congru_paper_place_changes(job->dataset, text);
    congru_paper_runs_changed(&job->cross, uses, job->dataset, text);
}

static congru_status show_gap(const gap_job *job)
{
    static const char *const methods[] = {"euclidean baselines", "ours"}, *const rows[] = {"within", "cross",
                                                                                           "gap"};
    const bool given = congru_paper_runs_have(&job->cross, job->dataset);
    congru_table table = {0};
    congru_table_headings(&table, given ? 4 : 3,
                          (const char *const[]){job->dataset, "where", "paper (2a)", "ours"});
    for (size_t m = 0; m < 2; m++)
        for (size_t r = 0; r < 3; r++) {
            congru_table_format_text(&table, "%s", methods[m]);
            congru_table_format_text(&table, "%s", rows[r]);
            congru_paper_cell_number(&table, printed_gap(NULL, rows[r], methods[m]), NAN);
            if (given)
                congru_paper_cell_number(&table, our_gap(job, rows[r], methods[m]), NAN);
        }
    for (int recovered = 0; recovered < 2; recovered++) {
        congru_table_format_text(&table, "ours");
        congru_table_format_text(&table, recovered ? "of the gap recovered, %%" : "relative reduction, %%");
        congru_paper_cell_number(&table, reduction(printed_gap, job, recovered), NAN);
        if (given)
            congru_paper_cell_number(&table, reduction(our_gap, job, recovered), NAN);
    }
    CONGRU_TRY(congru_paper_table(job->cross.job, true, &table, NULL));
    if (!given)
        CONGRU_TRY(congru_paper_set_absent(job->cross.job, job->dataset));
    return congru_claims_judge(job->cross.job, &(congru_claim_source){"gap", read_cell, add_changes, job},
                               "Claims of the paper:");
}

congru_status congru_reproduce_gap(const congru_paper_job *paper)
{
    static const char pipelines[] = BASELINES "," OURS;
    gap_job job = {.cross.job = paper, .within.job = paper};
    congru_status status = congru_paper_runs_all(&job.cross, pipelines, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_all(&job.within, pipelines, CONGRU_PROTOCOL_FOLDS, "-within");
    if (status == CONGRU_OK)
        status = congru_paper_title(paper, "20", NULL);
    if (status == CONGRU_OK)
        status = congru_paper_runs_remark(&job.cross);
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&job.cross, " across subjects");
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&job.within, " within subjects");
    if (status == CONGRU_OK && paper->request->set_count == 0) {
        job.dataset = congru_paper_dataset_at(0);
        status = show_gap(&job);
    }
    for (size_t t = 0; status == CONGRU_OK && t < job.cross.scores.count; t++) {
        job.dataset = job.cross.scores.item[t]->name;
        status = show_gap(&job);
    }
    congru_paper_runs_clear(&job.cross);
    congru_paper_runs_clear(&job.within);
    return status;
}
