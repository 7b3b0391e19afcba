/* congru reproduce gap: accuracy within subjects less that across subjects. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"

#define BASELINES "none+mdm,none+tslr,none+tsa-lda,none+csp-lda"

/* The mean of the pipelines with commas between. */
static double mean_of(const reproduce_sets *sets, const char *dataset, const char *pipelines)
{
    text_list names = {0};
    double sum = 0;
    if (text_list_split(&names, "reproduce", pipelines) != EXIT_DONE)
        return NAN;
    for (size_t i = 0; i < names.count; i++)
        sum += score_list_mean(&sets->scores, dataset, names.item[i], NULL, NULL);
    sum /= (double)names.count;
    text_list_clear(&names);
    return sum;
}

typedef struct gap_job {
    reproduce_sets within, cross;
    const char *dataset;
} gap_job;

/* How much of the baselines' gap is gone, in percent; and how much of it is recovered when the baselines' accuracy
 * within subjects is what can be reached. */
static double reduction(claim_value value, const void *user, bool recovered)
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
    const char *names = strcmp(column, "ours") == 0 ? "ddct-unet-e2e" : BASELINES;
    double within = mean_of(&job->within, job->dataset, names),
           cross = mean_of(&job->cross, job->dataset, names);
    return strcmp(row, "within") == 0 ? within : strcmp(row, "cross") == 0 ? cross : within - cross;
}

static double printed_gap(const void *user, const char *row, const char *column)
{
    (void)user;
    return paper_number("gap", row, column, NULL);
}

static double our_cell(const void *user, const char *row, const char *column)
{
    return strcmp(row, "reduction") == 0 ? reduction(our_gap, user, false) : our_gap(user, row, column);
}

static double printed_cell(const void *user, const char *row, const char *column)
{
    return strcmp(row, "reduction") == 0 ? reduction(printed_gap, user, false) : printed_gap(user, row, column);
}

static const claim gap_claims[] = {
    {"The gap from within to across subjects is smaller than that of Euclidean baselines",
     {{"gap", "euclidean baselines", "gap", "ours", false}}},
    {"The gap is smaller by 44 % of the baselines' or more", {{"reduction", "ours", CLAIM_NUMBER, "44", true}}},
};

static int print_gap(const gap_job *job)
{
    static const char *const methods[] = {"euclidean baselines", "ours"}, *const rows[] = {"within", "cross",
                                                                                           "gap"};
    congru_table table = {0};
    congru_table_headings(&table, 4, (const char *const[]){job->dataset, "where", "paper (2a)", "ours"});
    for (size_t m = 0; m < 2; m++)
        for (size_t r = 0; r < 3; r++) {
            congru_table_format_text(&table, "%s", methods[m]);
            congru_table_format_text(&table, "%s", rows[r]);
            reproduce_add_number(&table, printed_gap(NULL, rows[r], methods[m]), NAN);
            reproduce_add_number(&table, our_gap(job, rows[r], methods[m]), NAN);
        }
    for (int recovered = 0; recovered < 2; recovered++) {
        congru_table_format_text(&table, "ours");
        congru_table_format_text(&table, recovered ? "of the gap recovered, %%" : "relative reduction, %%");
        reproduce_add_number(&table, reduction(printed_gap, job, recovered), NAN);
        reproduce_add_number(&table, reduction(our_gap, job, recovered), NAN);
    }
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    printf("\n");
    if (code == EXIT_DONE)
        claims_print(gap_claims, sizeof gap_claims / sizeof gap_claims[0], our_cell, printed_cell, job);
    return code;
}

int reproduce_gap(const arguments *parsed)
{
    gap_job job = {0};
    int code = reproduce_sets_run(&job.cross, parsed, BASELINES ",ddct-unet-e2e", CONGRU_PROTOCOL_LOSO, "");
    if (code == EXIT_DONE)
        code = reproduce_sets_run(&job.within, parsed, BASELINES ",ddct-unet-e2e", CONGRU_PROTOCOL_FOLDS,
                                  "-within");
    if (code == EXIT_DONE)
        reproduce_sets_print_remarks(&job.cross);
    if (code == EXIT_DONE && parsed->operand_count == 0)
        reproduce_sets_absent("bnci2014-001");
    for (size_t t = 0; code == EXIT_DONE && t < job.cross.scores.count; t++) {
        job.dataset = job.cross.scores.item[t]->name;
        printf(t > 0 ? "\n" : "");
        code = print_gap(&job);
    }
    reproduce_sets_clear(&job.cross);
    reproduce_sets_clear(&job.within);
    return code;
}
