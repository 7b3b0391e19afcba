/* congru reproduce silhouette: how trials cluster by subject and by class. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"
#include "session.h"

enum { METHODS = 5, KINDS = 2 };

static const char *const methods[METHODS] = {"none", "ra", "dct-e2e", "dldct-e2e", "ddct-unet-e2e"};
static const char *const kinds[KINDS] = {"subject", "class"};

/* One for each subject left out. */
typedef struct silhouette_table {
    double mean[METHODS][KINDS], deviation[METHODS][KINDS];
} silhouette_table;

static const claim claims[] = {
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
    return paper_number("silhouette", row, column, NULL);
}

/* Of the source trials of each fold, so that the others' spread is over who is left out too. */
static int measure(run_state *run, size_t m, silhouette_table *found)
{
    bool network = strstr(methods[m], "-e2e") != NULL;
    size_t folds = run->options.subjects != NULL ? run->options.subject_count : run->set->subjects;
    double sum[KINDS] = {0}, squares[KINDS] = {0}, one[KINDS];
    char pipeline[CONGRU_PIPELINE_SIZE];
    snprintf(pipeline, sizeof pipeline, network ? "%s" : "%s+mdm", methods[m]);
    for (size_t i = 0; i < folds; i++) {
        int32_t left_out = run->options.subjects != NULL ? run->options.subjects[i] : (int32_t)i;
        if (congru_pipeline_silhouette(run->context, run->set, &run->options, pipeline, left_out, &one[0],
                                       &one[1]) != CONGRU_OK)
            return terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
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
    return EXIT_DONE;
}

static int print(const silhouette_table *found, const char *dataset)
{
    congru_table table = {0};
    congru_table_headings(&table, 5, (const char *const[]){dataset, "by", "paper (2a)", "ours", "difference"});
    for (size_t k = 0; k < KINDS; k++)
        for (size_t m = 0; m < METHODS; m++) {
            char column[32];
            double theirs = printed(NULL, kinds[k], methods[m]);
            snprintf(column, sizeof column, "%s_deviation", kinds[k]);
            congru_table_format_text(&table, "%s", methods[m]);
            congru_table_format_text(&table, "%s", kinds[k]);
            congru_table_format_text(&table, "%+.4f ± %.4f", theirs,
                                     paper_number("silhouette", column, methods[m], NULL));
            if (isnan(found->deviation[m][k]))
                congru_table_format_text(&table, "%+.4f", found->mean[m][k]);
            else
                congru_table_format_text(&table, "%+.4f ± %.4f", found->mean[m][k], found->deviation[m][k]);
            congru_table_format_text(&table, "%+.4f", found->mean[m][k] - theirs);
        }
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    return code;
}

static int run_set(const arguments *parsed, size_t which)
{
    char dataset[RUN_NAME_SIZE];
    run_state run;
    arguments chosen;
    silhouette_table found;
    int code = reproduce_sets_open(&run, &chosen, parsed, which, "ra+mdm");
    for (size_t m = 0; code == EXIT_DONE && m < METHODS; m++)
        code = measure(&run, m, &found);
    if (code == EXIT_DONE) {
        reproduce_sets_name(&run, dataset);
        reproduce_sets_print_remark(&run);
        code = print(&found, dataset);
    }
    if (code == EXIT_DONE) {
        printf("\nClaims of the paper:\n");
        claims_print(claims, sizeof claims / sizeof claims[0], ours, printed, &found);
    }
    evaluation_close(&run);
    return code;
}

int reproduce_silhouette(const arguments *parsed)
{
    if (options_given(parsed, "pipelines"))
        return terminal_fail(EXIT_USAGE, "%s: --pipelines does not apply", parsed->command);
    if (!process_group_leads())
        return EXIT_DONE; /* nothing here is shared */
    return reproduce_sets_each(parsed, run_set);
}
