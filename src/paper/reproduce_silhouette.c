/* Experiment silhouette: how trials cluster by subject and by class. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper/claims.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { METHODS = 5, KINDS = 2 };

static const char *const methods[METHODS] = {"none", "ra", "dct-e2e", "dldct-e2e", "ddct-unet-e2e"};
static const char *const kinds[KINDS] = {"subject", "class"};

/* One for each subject left out. */
typedef struct silhouette_table {
    double mean[METHODS][KINDS], deviation[METHODS][KINDS];
} silhouette_table;

static const congru_claim claims[] = {
    {"RA takes away the clustering by subject", {{"subject", "none", "subject", "ra", false}}},
    {"RA improves the structure by class", {{"class", "ra", "class", "none", false}}},
    {"DDCT-UNet clusters less by subject than RA", {{"subject", "ra", "subject", "ddct-unet-e2e", false}}},
    {"DDCT-UNet has the best structure by class",
     {{"class", "ddct-unet-e2e", "class", "none", false},
      {"class", "ddct-unet-e2e", "class", "ra", false},
      {"class", "ddct-unet-e2e", "class", "dct-e2e", false},
      {"class", "ddct-unet-e2e", "class", "dldct-e2e", false}}},
};

static double ours(const void *user, const char *row, const char *column)
{
    const silhouette_table *found = user;
    for (size_t m = 0; m < METHODS; m++)
        if (strcmp(methods[m], column) == 0)
            return found->mean[m][strcmp(row, "class") == 0];
    return NAN;
}

static double printed(const void *user, const char *row, const char *column)
{
    (void)user;
    return congru_paper_number("silhouette", row, column, NULL);
}

/* Of the source trials of each fold, so that the others' spread is over who is left out too. */
static congru_status measure(const congru_paper_open *open, size_t m, silhouette_table *found)
{
    const congru_evaluation_options *options = &open->options;
    bool network = strstr(methods[m], "-e2e") != NULL;
    size_t folds = options->subjects != NULL ? options->subject_count : open->set->subjects;
    double sum[KINDS] = {0}, squares[KINDS] = {0}, one[KINDS];
    char pipeline[CONGRU_PIPELINE_SIZE];
    snprintf(pipeline, sizeof pipeline, network ? "%s" : "%s+mdm", methods[m]);
    for (size_t i = 0; i < folds; i++) {
        int32_t left_out = options->subjects != NULL ? options->subjects[i] : (int32_t)i;
        congru_status status = congru_pipeline_silhouette(open->job->context, open->set, options, pipeline,
                                                          left_out, &one[0], &one[1]);
        if (status != CONGRU_OK)
            return status;
        for (size_t k = 0; k < KINDS; k++) {
            sum[k] += one[k];
            squares[k] += one[k] * one[k];
        }
    }
    for (size_t k = 0; k < KINDS; k++) {
        double n = (double)folds;
        found->mean[m][k] = sum[k] / n;
        found->deviation[m][k] = folds > 1 ? sqrt(fmax(0.0, squares[k] - sum[k] * sum[k] / n) / (n - 1)) : NAN;
    }
    return CONGRU_OK;
}

static congru_status show(const congru_paper_open *open, const silhouette_table *found)
{
    char dataset[CONGRU_PAPER_NAME_SIZE];
    congru_table table = {0};
    congru_paper_set_name(open, dataset);
    congru_table_headings(&table, 5, (const char *const[]){dataset, "by", "paper (2a)", "ours", "difference"});
    for (size_t k = 0; k < KINDS; k++)
        for (size_t m = 0; m < METHODS; m++) {
            char column[32];
            double theirs = printed(NULL, kinds[k], methods[m]);
            snprintf(column, sizeof column, "%s_deviation", kinds[k]);
            congru_table_format_text(&table, "%s", methods[m]);
            congru_table_format_text(&table, "%s", kinds[k]);
            congru_table_format_text(&table, "%+.4f ± %.4f", theirs,
                                     congru_paper_number("silhouette", column, methods[m], NULL));
            if (isnan(found->deviation[m][k]))
                congru_table_format_text(&table, "%+.4f", found->mean[m][k]);
            else
                congru_table_format_text(&table, "%+.4f ± %.4f", found->mean[m][k], found->deviation[m][k]);
            congru_table_format_text(&table, "%+.4f", found->mean[m][k] - theirs);
        }
    return congru_paper_table(open->job, true, &table, NULL);
}

static congru_status run_set(const congru_paper_job *job, size_t which)
{
    congru_paper_open open;
    silhouette_table found;
    congru_status status = congru_paper_set_open(job, which, NULL, "ra+mdm", &open);
    for (size_t m = 0; status == CONGRU_OK && m < METHODS; m++)
        status = measure(&open, m, &found);
    if (status == CONGRU_OK)
        status = congru_paper_set_remark(&open);
    if (status == CONGRU_OK)
        status = show(&open, &found);
    if (status == CONGRU_OK)
        status = congru_claims_judge(job, "Claims of the paper:", claims, sizeof claims / sizeof claims[0],
                                     ours, printed, &found);
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_reproduce_silhouette(const congru_paper_job *job)
{
    if (!congru_paper_leads(job))
        return CONGRU_OK; /* nothing here is shared */
    return congru_paper_each_set(job, run_set);
}
