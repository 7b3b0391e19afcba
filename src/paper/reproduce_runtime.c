/* Experiment runtime: seconds of training per subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/claims.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

#define TIMED \
    "ra+mdm,dct+mdm,dldct+mdm,ddct-unet+mdm,ra+tslr,ra+tsa-lda,none+csp-lda,dct-e2e,dldct-e2e,ddct-unet-e2e"

static const congru_claim claims[] = {
    {"RA takes less than a second for a subject", {{CONGRU_CLAIM_NUMBER, "1", "seconds", "ra", false}}},
    {"Pre-aligners cost more the deeper they are: RA, DCT, DLDCT, DDCT-UNet",
     {{"seconds", "dct", "seconds", "ra", false},
      {"seconds", "dldct", "seconds", "dct", false},
      {"seconds", "ddct-unet", "seconds", "dldct", false}}},
    {"MDM, TSLR and TSA-LDA take less than CSP-LDA",
     {{"seconds", "csp-lda", "seconds", "ra+mdm", false},
      {"seconds", "csp-lda", "seconds", "ra+tslr", false},
      {"seconds", "csp-lda", "seconds", "ra+tsa-lda", false}}},
    {"CSP-LDA takes less than any end-to-end model",
     {{"seconds", "dldct-e2e", "seconds", "csp-lda", false},
      {"seconds", "dct-e2e", "seconds", "csp-lda", false},
      {"seconds", "ddct-unet-e2e", "seconds", "csp-lda", false}}},
    {"Of the end-to-end models DLDCT takes least, then DCT, then DDCT-UNet",
     {{"seconds", "dct-e2e", "seconds", "dldct-e2e", false},
      {"seconds", "ddct-unet-e2e", "seconds", "dct-e2e", false}}},
};

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

static double our_seconds(const void *user, const char *row, const char *column)
{
    const congru_paper_runs *sets = user;
    double sum = 0;
    (void)row;
    for (size_t t = 0; t < sets->scores.count; t++)
        sum += training(sets, sets->scores.item[t]->name, column);
    return sets->scores.count > 0 ? sum / (double)sets->scores.count : NAN;
}

static double printed_seconds(const void *user, const char *row, const char *column)
{
    double sum = 0;
    (void)user, (void)row;
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        sum += congru_paper_number("runtime", "seconds", congru_paper_dataset_at(i), column);
    return sum / 5;
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
    congru_table_format_text(table, isnan(mean) ? "-" : "%.4f", mean);
    congru_table_format_text(table, isnan(mean / theirs) ? "-" : "%.2g", mean / theirs);
    congru_table_format_text(table, isnan(asked) || is_aligner(method) ? "-" : "%.4f", asked);
}

/* The paper's sets, given or not, then others that are. */
static void add_rows(congru_table *table, const congru_paper_runs *sets)
{
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("runtime", i, &row) > 0; i++)
        add_row(table, sets, row.field[0], row.field[1]);
    for (size_t t = 0; t < sets->scores.count; t++)
        for (size_t i = 0; congru_paper_dataset(sets->scores.item[t]->name) == NULL &&
                           congru_paper_row_read("runtime", i, &row) > 0;
             i++)
            if (strcmp(row.field[0], congru_paper_dataset_at(0)) == 0)
                add_row(table, sets, sets->scores.item[t]->name, row.field[1]);
}

congru_status congru_reproduce_runtime(const congru_paper_job *job)
{
    static const char *const headings[] = {"dataset", "method",       "paper s",
                                           "ours s",  "ours / paper", "predicting s"};
    congru_paper_runs sets = {.job = job};
    congru_table table = {0};
    congru_status status = congru_paper_runs_all(&sets, TIMED, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_remark(&sets);
    if (status == CONGRU_OK)
        status = congru_paper_say(job, CONGRU_PAPER_TEXT, true,
                                  "Seconds of training per subject, as the paper has them: of the aligner "
                                  "alone, of the classifier on aligned trials, of the whole end-to-end model. "
                                  "The paper's on its GPU, ours on this machine, one thread to a fold; '-' "
                                  "where data is not given. Predicting is apart.");
    if (status == CONGRU_OK) {
        congru_table_headings(&table, 6, headings);
        add_rows(&table, &sets);
        status = congru_paper_table(job, true, &table, NULL);
    }
    if (status == CONGRU_OK)
        status =
            congru_claims_judge(job, "Claims of the paper, by the mean over the sets that are given:", claims,
                                sizeof claims / sizeof claims[0], our_seconds, printed_seconds, &sets);
    congru_paper_runs_clear(&sets);
    return status;
}
