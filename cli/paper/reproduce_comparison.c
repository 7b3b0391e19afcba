/* congru reproduce comparison: methods of every kind, across and within subjects. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"

enum { LIST_SIZE = 1024 };
enum { GROUP, METHOD, PIPELINE, CROSS, CROSS_DEVIATION, WITHIN, WITHIN_DEVIATION };

#define OURS "Ours"

typedef struct comparison_job {
    reproduce_sets cross, within;
    const char *dataset;
} comparison_job;

static const claim claims[] = {
    {"Euclidean methods lose from within to across subjects",
     {{"within", "none+mdm", "cross", "none+mdm", false},
      {"within", "none+tslr", "cross", "none+tslr", false},
      {"within", "none+tsa-lda", "cross", "none+tsa-lda", false},
      {"within", "none+csp-lda", "cross", "none+csp-lda", false}}},
    {"Deep Euclidean networks lose from within to across subjects",
     {{"within", "shallow", "cross", "shallow", false},
      {"within", "eegnet", "cross", "eegnet", false},
      {"within", "deep", "cross", "deep", false},
      {"within", "conformer", "cross", "conformer", false},
      {"within", "inception", "cross", "inception", false}}},
    {"Riemannian alignment improves classifiers of covariances across subjects",
     {{"cross", "ra+mdm", "cross", "none+mdm", false},
      {"cross", "ra+tslr", "cross", "none+tslr", false},
      {"cross", "ra+tsa-lda", "cross", "none+tsa-lda", false}}},
    {"Riemannian alignment is above deep Euclidean networks",
     {{"cross", "ra+tslr", "cross", "shallow", false},
      {"cross", "ra+tslr", "cross", "eegnet", false},
      {"cross", "ra+tslr", "cross", "deep", false},
      {"cross", "ra+tslr", "cross", "conformer", false},
      {"cross", "ra+tslr", "cross", "inception", false}}},
    {"Riemannian alignment is above deep Riemannian networks",
     {{"cross", "ra+tslr", "cross", "spd-cnn", false}, {"cross", "ra+tslr", "cross", "ts-spd-cnn", false}}},
    {"DDCT-UNet, before TSLR and end to end, is above Riemannian alignment",
     {{"cross", "ddct-unet+tslr", "cross", "ra+mdm", false},
      {"cross", "ddct-unet+tslr", "cross", "ra+tslr", false},
      {"cross", "ddct-unet+tslr", "cross", "ra+tsa-lda", false},
      {"cross", "ddct-unet-e2e", "cross", "ra+mdm", false},
      {"cross", "ddct-unet-e2e", "cross", "ra+tslr", false},
      {"cross", "ddct-unet-e2e", "cross", "ra+tsa-lda", false}}},
    {"DDCT-UNet end to end is 2 points or more above TSLR after alignment",
     {{"gain", "ddct-unet-e2e", CLAIM_NUMBER, "2", true}}},
    {"DDCT-UNet end to end is above RPA", {{"cross", "ddct-unet-e2e", "cross", "rpa+mdm", false}}},
};

static double ours(const void *user, const char *row, const char *column)
{
    const comparison_job *job = user;
    const reproduce_sets *sets = strcmp(row, "within") == 0 ? &job->within : &job->cross;
    double mean = score_list_mean(&sets->scores, job->dataset, column, NULL, NULL);
    if (strcmp(row, "gain") == 0)
        mean -= score_list_mean(&sets->scores, job->dataset, "ra+tslr", NULL, NULL);
    return mean;
}

static double field(const paper_row *row, size_t place)
{
    return row->count > place && row->field[place][0] != '\0' ? strtod(row->field[place], NULL) : NAN;
}

static double printed_cross(const char *pipeline, size_t place)
{
    paper_row row;
    for (size_t i = 0; paper_row_read("comparison", i, &row) > 0; i++)
        if (strcmp(row.field[PIPELINE], pipeline) == 0)
            return field(&row, place);
    return NAN;
}

static double printed(const void *user, const char *row, const char *column)
{
    (void)user;
    double mean = printed_cross(column, strcmp(row, "within") == 0 ? WITHIN : CROSS);
    return strcmp(row, "gain") == 0 ? mean - printed_cross("ra+tslr", CROSS) : mean;
}

/* The table's pipelines, with commas between; or those that it, and we, have within subjects. */
static void list_pipelines(bool within, char list[LIST_SIZE])
{
    paper_row row;
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; paper_row_read("comparison", i, &row) > 0; i++) {
        bool wanted =
            !within || !isnan(field(&row, WITHIN)) || strncmp(row.field[GROUP], OURS, strlen(OURS)) == 0;
        if (wanted && row.field[PIPELINE][0] != '\0')
            used += (size_t)snprintf(list + used, LIST_SIZE - used, "%s%s", used > 0 ? "," : "",
                                     row.field[PIPELINE]);
    }
}

/* As a row of a table whose groups have headings of their own: fixed columns. */
static void print_text(const char *text, int width)
{
    int seen = 0;
    for (const char *at = text; *at != '\0'; at++)
        seen += ((unsigned char)*at & 0xc0) != 0x80; /* a character of several bytes counts once */
    printf("%s%*s", text, seen < width ? width - seen : 0, "");
}

static void print_number(double mean, double deviation, int width)
{
    char text[64];
    if (isnan(mean))
        snprintf(text, sizeof text, "-");
    else if (isnan(deviation))
        snprintf(text, sizeof text, "%6.2f", mean);
    else
        snprintf(text, sizeof text, "%6.2f ± %5.2f", mean, deviation);
    print_text(text, width);
}

/* "no such method" where none is in the registry. */
static void print_ours(const reproduce_sets *sets, const char *dataset, const char *pipeline, int width)
{
    double deviation, mean = score_list_mean(&sets->scores, dataset, pipeline, NULL, &deviation);
    congru_pipeline_description about;
    if (pipeline[0] == '\0' || congru_pipeline_describe(sets->context, pipeline, &about) != CONGRU_OK)
        print_text("no such method", width);
    else if (isnan(mean) && about.needs_signals && reproduce_sets_given(sets, dataset))
        print_text("needs signals", width);
    else
        print_number(mean, deviation, width);
}

/* `known`: the paper's figures are of this set. */
static void print_table(const comparison_job *job, bool known)
{
    static const char *const headings[] = {"paper, across", "ours", "paper, within", "ours"};
    char group[PAPER_LINE_SIZE] = "";
    paper_row row;
    printf("%s\n", job->dataset);
    print_text("", 16);
    for (size_t i = 0; i < 4; i++)
        print_text(headings[i], i < 3 ? 16 : 0);
    printf("\n");
    for (size_t i = 0; paper_row_read("comparison", i, &row) > 0; i++) {
        const char *pipeline = row.field[PIPELINE];
        if (strcmp(group, row.field[GROUP]) != 0)
            printf("%s\n", row.field[GROUP]);
        snprintf(group, sizeof group, "%s", row.field[GROUP]);
        print_text(pipeline[0] != '\0' ? pipeline : row.field[METHOD], 16);
        print_number(known ? field(&row, CROSS) : NAN, field(&row, CROSS_DEVIATION), 16);
        print_ours(&job->cross, job->dataset, pipeline, 16);
        print_number(known ? field(&row, WITHIN) : NAN, field(&row, WITHIN_DEVIATION), 16);
        print_ours(&job->within, job->dataset, pipeline, 0);
        printf("\n");
    }
}

static void print(comparison_job *job, const char *dataset)
{
    job->dataset = dataset;
    print_table(job, strcmp(dataset, paper_dataset_at(0)) == 0);
    printf("\nClaims of the paper:\n");
    claims_print(claims, sizeof claims / sizeof claims[0], ours, printed, job);
}

int reproduce_comparison(const arguments *parsed)
{
    comparison_job job = {0};
    char cross[LIST_SIZE], within[LIST_SIZE];
    list_pipelines(false, cross);
    list_pipelines(true, within);
    int code = reproduce_sets_run(&job.cross, parsed, cross, CONGRU_PROTOCOL_LOSO, "");
    if (code == EXIT_DONE)
        code = reproduce_sets_run(&job.within, parsed, within, CONGRU_PROTOCOL_FOLDS, "-within");
    if (code == EXIT_DONE)
        reproduce_sets_print_remarks(&job.cross);
    if (code == EXIT_DONE && parsed->operand_count == 0)
        print(&job, paper_dataset_at(0));
    for (size_t t = 0; code == EXIT_DONE && t < job.cross.scores.count; t++) {
        printf(t > 0 ? "\n" : "");
        print(&job, job.cross.scores.item[t]->name);
    }
    reproduce_sets_clear(&job.cross);
    reproduce_sets_clear(&job.within);
    return code;
}
