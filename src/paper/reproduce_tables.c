/* Experiment table-prealigners, table-e2e: accuracies by dataset and overall z. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/claims.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

#define PREALIGNERS \
    "ra+mdm,dct+mdm,dldct+mdm,ddct-unet+mdm,ra+tslr,dct+tslr,dldct+tslr,ddct-unet+tslr,ra+tsa-lda,dct+tsa-" \
    "lda," \
    "dldct+tsa-lda,ddct-unet+tsa-lda"
#define CLASSIFIERS "ra+mdm,ra+tslr,ra+tsa-lda,ts-spd-cnn,dct-e2e,dldct-e2e,ddct-unet-e2e"

enum { METHODS_MAX = 8, BEHIND_MAX = 4 };

/* The methods that the overall z is over: pipelines, or aligners with the classifiers that stand behind each. */
typedef struct table_about {
    const char *file, *subjects, *pipelines;
    const char *method[METHODS_MAX + 1], *behind[BEHIND_MAX];
} table_about;

static const table_about prealigners = {"prealigners",
                                        "subjects-prealigners",
                                        PREALIGNERS,
                                        {"ra", "dct", "dldct", "ddct-unet"},
                                        {"+mdm", "+tslr", "+tsa-lda"}};
static const table_about classifiers = {
    "classifiers",
    "subjects-classifiers",
    CLASSIFIERS,
    {"ra+mdm", "ra+tslr", "ra+tsa-lda", "ts-spd-cnn", "dct-e2e", "dldct-e2e", "ddct-unet-e2e"},
    {""}};

typedef struct table_job {
    const table_about *about;
    congru_paper_runs sets;
    congru_scores_list printed;                    /* the paper's columns of subjects */
    bool common[METHODS_MAX];                      /* methods that both sides have */
    bool whole;                                    /* all sets and methods of the paper are there */
    double z[METHODS_MAX], printed_z[METHODS_MAX]; /* over the same sets and methods */
} table_job;

static const congru_claim aligner_claims[] = {
    {"DCT improves on RA, by overall z", {{"z", "dct", "z", "ra", false}}},
    {"DLDCT improves on DCT, by overall z", {{"z", "dldct", "z", "dct", false}}},
    {"DDCT-UNet has the highest overall z",
     {{"z", "ddct-unet", "z", "ra", false},
      {"z", "ddct-unet", "z", "dct", false},
      {"z", "ddct-unet", "z", "dldct", false}}},
    {"The headline: DDCT-UNet before TSLR gains 2 points or more over RA on bnci2014-001",
     {{"gain on bnci2014-001", "ddct-unet+tslr", CONGRU_CLAIM_NUMBER, "2", true}}},
    {"The headline across benchmarks: DDCT-UNet before TSLR gains 2 points or more over RA, in the mean over "
     "sets",
     {{"gain", "ddct-unet+tslr", CONGRU_CLAIM_NUMBER, "2", true}}},
    {"DDCT-UNet gains more over RA on sets of several classes than on binary ones, with TSLR",
     {{"gain, several classes", "ddct-unet+tslr", "gain, two classes", "ddct-unet+tslr", false}}},
};

static const congru_claim classifier_claims[] = {
    {"DDCT-UNet end to end has the highest overall z",
     {{"z", "ddct-unet-e2e", "z", "ra+mdm", false},
      {"z", "ddct-unet-e2e", "z", "ra+tslr", false},
      {"z", "ddct-unet-e2e", "z", "ra+tsa-lda", false},
      {"z", "ddct-unet-e2e", "z", "ts-spd-cnn", false},
      {"z", "ddct-unet-e2e", "z", "dct-e2e", false},
      {"z", "ddct-unet-e2e", "z", "dldct-e2e", false}}},
    {"The headline: DDCT-UNet end to end gains 2 points or more over TSLR on bnci2014-001",
     {{"gain on bnci2014-001", "ddct-unet-e2e", CONGRU_CLAIM_NUMBER, "2", true}}},
    {"The headline across benchmarks: DDCT-UNet end to end gains 2 points or more over TSLR, in the mean over "
     "sets",
     {{"gain", "ddct-unet-e2e", CONGRU_CLAIM_NUMBER, "2", true}}},
    {"End to end, DCT is better than before TSLR", {{"mean", "dct-e2e", "mean", "dct+tslr", false}}},
    {"End to end, DLDCT is better than before TSLR", {{"mean", "dldct-e2e", "mean", "dldct+tslr", false}}},
    {"End to end, DDCT-UNet is better than before TSLR",
     {{"mean", "ddct-unet-e2e", "mean", "ddct-unet+tslr", false}}},
    {"DDCT-UNet end to end gains more over TSLR on sets of several classes than on binary ones",
     {{"gain, several classes", "ddct-unet-e2e", "gain, two classes", "ddct-unet-e2e", false}}},
};

/* ---- Overall z ---- */

static void name_cell(const table_about *about, size_t m, size_t k, char name[CONGRU_SCORE_NAME_SIZE])
{
    snprintf(name, CONGRU_SCORE_NAME_SIZE, "%s%s", about->method[m], about->behind[k]);
}

/* Which methods have a score on every set of the paper's that is given; `whole` when that is all of both. */
static void find_common(table_job *job)
{
    const table_about *about = job->about;
    size_t sets = 0;
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        sets += congru_paper_runs_have(&job->sets, congru_paper_dataset_at(i));
    job->whole = sets > 0 && congru_paper_dataset_at(sets) == NULL;
    for (size_t m = 0; about->method[m] != NULL; m++) {
        job->common[m] = sets > 0;
        for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
            for (size_t k = 0; k < BEHIND_MAX && about->behind[k] != NULL; k++) {
                char name[CONGRU_SCORE_NAME_SIZE];
                name_cell(about, m, k, name);
                if (congru_paper_runs_have(&job->sets, congru_paper_dataset_at(i)) &&
                    isnan(congru_score_list_mean(&job->sets.scores, congru_paper_dataset_at(i), name, NULL,
                                                 NULL)))
                    job->common[m] = false;
            }
        job->whole = job->whole && job->common[m];
    }
}

/* One row of scores of the common methods; false when one is missing. */
static bool take_row(const table_job *job, const congru_scores *table, size_t subject, size_t k, double *score)
{
    size_t used = 0;
    for (size_t m = 0; job->about->method[m] != NULL; m++) {
        char name[CONGRU_SCORE_NAME_SIZE];
        name_cell(job->about, m, k, name);
        if (!job->common[m])
            continue;
        score[used] = congru_score_value(table, subject, name);
        if (isnan(score[used++]))
            return false;
    }
    return true;
}

/* z of the common methods over the rows, subjects by classifiers, of the paper's sets that are given; NaN for others. */
static congru_status normalise(const table_job *job, const congru_scores_list *scores, double z[METHODS_MAX])
{
    const table_about *about = job->about;
    size_t methods = 0, rows = 0, room = BEHIND_MAX * congru_score_list_subjects(scores) + 1;
    double own[METHODS_MAX];
    for (size_t m = 0; about->method[m] != NULL; m++) {
        z[m] = NAN;
        methods += job->common[m];
    }
    double *score = calloc(room * METHODS_MAX + 1, sizeof *score);
    if (score == NULL)
        return congru_paper_no_memory(job->sets.job);
    for (size_t t = 0; t < scores->count; t++)
        for (size_t i = 0; i < scores->item[t]->subjects; i++)
            for (size_t k = 0; k < BEHIND_MAX && about->behind[k] != NULL; k++)
                if (congru_paper_dataset(scores->item[t]->name) != NULL &&
                    congru_paper_runs_have(&job->sets, scores->item[t]->name))
                    rows += take_row(job, scores->item[t], i, k, score + rows * methods);
    congru_status status = CONGRU_OK;
    if (rows > 0 && methods > 1) {
        status = congru_scores_normalise(job->sets.job->context, rows, methods, score, own);
        for (size_t m = 0, used = 0; status == CONGRU_OK && about->method[m] != NULL; m++)
            if (job->common[m])
                z[m] = own[used++];
    }
    free(score);
    return status;
}

/* ---- Cells of claims ---- */

static double printed_mean(const char *dataset, const char *pipeline)
{
    bool aligned = strncmp(pipeline, "ra+", 3) != 0 && strchr(pipeline, '+') != NULL;
    return congru_paper_number(aligned ? "prealigners" : "classifiers", "mean", dataset, pipeline);
}

static double our_mean(const table_job *job, const char *dataset, const char *pipeline)
{
    return congru_score_list_mean(&job->sets.scores, dataset, pipeline, NULL, NULL);
}

/* Whether a row is about this dataset: "gain on NAME", "gain, two classes", "gain, several classes", or all. */
static bool row_is_about(const char *row, const char *dataset)
{
    congru_paper_facts paper;
    if (strncmp(row, "gain on ", 8) == 0)
        return strcmp(row + 8, dataset) == 0;
    if (strncmp(row, "gain, ", 6) == 0)
        return congru_paper_facts_read(dataset, &paper) &&
               (paper.classes == 2) == (strcmp(row, "gain, two classes") == 0);
    return true;
}

/* The mean over datasets that have a number: of a pipeline, or of its gain over ra+tslr in the same table. */
static double over_datasets(const table_job *job, const char *row, const char *pipeline)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++) {
        const char *dataset = congru_paper_dataset_at(i);
        if (!row_is_about(row, dataset))
            continue;
        double value = job != NULL ? our_mean(job, dataset, pipeline) : printed_mean(dataset, pipeline);
        if (strncmp(row, "gain", 4) == 0)
            value -= job != NULL ? our_mean(job, dataset, "ra+tslr")
                     : strchr(pipeline, '+') == NULL
                         ? printed_mean(dataset, "ra+tslr")
                         : congru_paper_number("prealigners", "mean", dataset, "ra+tslr");
        if (isnan(value))
            continue;
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* A z over other sets or methods than the paper's says nothing about its claims. */
static double ours(const void *user, const char *row, const char *column)
{
    const table_job *job = user;
    for (size_t m = 0; strcmp(row, "z") == 0 && job->about->method[m] != NULL; m++)
        if (strcmp(job->about->method[m], column) == 0)
            return job->whole ? job->z[m] : NAN;
    return strcmp(row, "z") == 0 ? NAN : over_datasets(job, row, column);
}

static double printed(const void *user, const char *row, const char *column)
{
    const table_job *job = user;
    return strcmp(row, "z") == 0 ? congru_paper_number("overall", "z", job->about->file, column)
                                 : over_datasets(NULL, row, column);
}

/* ---- Showing ---- */

static void add_z(congru_table *table, double z)
{
    congru_table_format_text(table, isnan(z) ? "-" : "%+.4f", z);
}

static congru_status show_z(const table_job *job)
{
    static const char *const headings[] = {"overall z", "printed", "paper", "ours", "difference"};
    congru_table table = {0};
    congru_table_headings(&table, 5, headings);
    for (size_t m = 0; job->about->method[m] != NULL; m++) {
        congru_table_format_text(&table, "%s", job->about->method[m]);
        add_z(&table, printed(job, "z", job->about->method[m]));
        add_z(&table, job->printed_z[m]);
        add_z(&table, job->z[m]);
        add_z(&table, job->z[m] - job->printed_z[m]);
    }
    congru_status status = congru_paper_table(job->sets.job, true, &table, NULL);
    if (status == CONGRU_OK)
        status = congru_paper_say(job->sets.job, CONGRU_PAPER_TEXT, false,
                                  "Paper and ours are over the same sets and methods, those that both have: "
                                  "the paper's from its columns of subjects.");
    if (status == CONGRU_OK && !job->whole)
        status = congru_paper_say(job->sets.job, CONGRU_PAPER_TEXT, false,
                                  "Claims by z are judged when all five sets and all methods are there.");
    return status;
}

static congru_status reproduce_table(const congru_paper_job *paper, const table_about *about,
                                     const congru_claim *claims, size_t count)
{
    table_job job = {.about = about, .sets.job = paper};
    congru_status status = congru_paper_runs_all(&job.sets, about->pipelines, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_printed_scores(paper, about->subjects, &job.printed);
    find_common(&job);
    if (status == CONGRU_OK)
        status = normalise(&job, &job.sets.scores, job.z);
    if (status == CONGRU_OK)
        status = normalise(&job, &job.printed, job.printed_z);
    if (status == CONGRU_OK)
        status = congru_paper_runs_show(&job.sets, about->file, about->pipelines);
    if (status == CONGRU_OK)
        status = show_z(&job);
    if (status == CONGRU_OK)
        status = congru_claims_judge(paper, "Claims of the paper, by the sets that are given:", claims, count,
                                     ours, printed, &job);
    congru_scores_list_clear(&job.printed);
    congru_paper_runs_clear(&job.sets);
    return status;
}

congru_status congru_reproduce_prealigners(const congru_paper_job *job)
{
    return reproduce_table(job, &prealigners, aligner_claims, sizeof aligner_claims / sizeof aligner_claims[0]);
}

congru_status congru_reproduce_e2e(const congru_paper_job *job)
{
    return reproduce_table(job, &classifiers, classifier_claims,
                           sizeof classifier_claims / sizeof classifier_claims[0]);
}
