/* congru reproduce table-preproc, table-e2e, runtime: accuracies and seconds by dataset. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"

#define PREALIGNERS \
    "ra+mdm,dct+mdm,dldct+mdm,ddct-unet+mdm,ra+tslr,dct+tslr,dldct+tslr,ddct-unet+tslr,ra+tsa-lda,dct+tsa-" \
    "lda," \
    "dldct+tsa-lda,ddct-unet+tsa-lda"
#define CLASSIFIERS "ra+mdm,ra+tslr,ra+tsa-lda,dct-e2e,dldct-e2e,ddct-unet-e2e"
#define TIMED \
    "ra+mdm,dct+mdm,dldct+mdm,ddct-unet+mdm,ra+tslr,ra+tsa-lda,none+csp-lda,dct-e2e,dldct-e2e,ddct-unet-e2e"

enum { METHODS_MAX = 8 };

/* The methods that the overall z is over: pipelines, or aligners with the classifiers that stand behind each. */
typedef struct table_about {
    const char *file, *pipelines;
    const char *method[METHODS_MAX + 1], *behind[4];
} table_about;

static const table_about prealigners = {
    "prealigners", PREALIGNERS, {"ra", "dct", "dldct", "ddct-unet"}, {"+mdm", "+tslr", "+tsa-lda"}};
static const table_about classifiers = {
    "classifiers",
    CLASSIFIERS,
    {"ra+mdm", "ra+tslr", "ra+tsa-lda", "dct-e2e", "dldct-e2e", "ddct-unet-e2e"},
    {""}};

typedef struct table_job {
    const table_about *about;
    reproduce_sets sets;
    double z[METHODS_MAX];
} table_job;

static const claim aligner_claims[] = {
    {"DCT improves on RA, by overall z", {{"z", "dct", "z", "ra", false}}},
    {"DLDCT improves on DCT, by overall z", {{"z", "dldct", "z", "dct", false}}},
    {"DDCT-UNet has the highest overall z",
     {{"z", "ddct-unet", "z", "ra", false},
      {"z", "ddct-unet", "z", "dct", false},
      {"z", "ddct-unet", "z", "dldct", false}}},
    {"DDCT-UNet gains more over RA on sets of several classes than on binary ones, with TSLR",
     {{"gain, several classes", "ddct-unet+tslr", "gain, two classes", "ddct-unet+tslr", false}}},
};

static const claim classifier_claims[] = {
    {"DDCT-UNet end to end has the highest overall z",
     {{"z", "ddct-unet-e2e", "z", "ra+mdm", false},
      {"z", "ddct-unet-e2e", "z", "ra+tslr", false},
      {"z", "ddct-unet-e2e", "z", "ra+tsa-lda", false},
      {"z", "ddct-unet-e2e", "z", "dct-e2e", false},
      {"z", "ddct-unet-e2e", "z", "dldct-e2e", false}}},
    {"End to end, DCT is better than before TSLR", {{"mean", "dct-e2e", "mean", "dct+tslr", false}}},
    {"End to end, DLDCT is better than before TSLR", {{"mean", "dldct-e2e", "mean", "dldct+tslr", false}}},
    {"End to end, DDCT-UNet is better than before TSLR",
     {{"mean", "ddct-unet-e2e", "mean", "ddct-unet+tslr", false}}},
    {"DDCT-UNet end to end gains more over TSLR on sets of several classes than on binary ones",
     {{"gain, several classes", "ddct-unet-e2e", "gain, two classes", "ddct-unet-e2e", false}}},
};

/* z of every method over the rows, subjects by classifiers, that have a score of each; NaN without any. */
static int normalise(table_job *job)
{
    const table_about *about = job->about;
    const score_tables *scores = &job->sets.scores;
    size_t methods = 0, rows = 0, room = 4 * score_tables_subjects(scores) + 1;
    while (about->method[methods] != NULL)
        methods++;
    double *score = calloc(room * methods + 1, sizeof *score);
    if (score == NULL)
        return terminal_fail(EXIT_FAILED, "reproduce: not enough memory");
    for (size_t t = 0; t < scores->count; t++)
        for (size_t i = 0; i < scores->table[t].rows; i++)
            for (size_t k = 0; k < 4 && about->behind[k] != NULL; k++) {
                bool whole = true;
                for (size_t m = 0; m < methods; m++) {
                    char name[SCORE_NAME_SIZE];
                    snprintf(name, sizeof name, "%s%s", about->method[m], about->behind[k]);
                    score[rows * methods + m] = score_table_value(&scores->table[t], i, name);
                    whole = whole && !isnan(score[rows * methods + m]);
                }
                rows += whole;
            }
    int code = EXIT_DONE;
    for (size_t m = 0; m < METHODS_MAX; m++)
        job->z[m] = NAN;
    if (rows > 0 && congru_scores_normalise(job->sets.context, rows, methods, score, job->z) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->sets.context));
    free(score);
    return code;
}

static double printed_mean(const char *dataset, const char *pipeline)
{
    bool aligned = strncmp(pipeline, "ra+", 3) != 0 && strchr(pipeline, '+') != NULL;
    return paper_number(aligned ? "prealigners" : "classifiers", "mean", dataset, pipeline);
}

static double our_mean(const table_job *job, const char *dataset, const char *pipeline)
{
    return score_tables_mean(&job->sets.scores, dataset, pipeline, NULL, NULL);
}

/* The mean over datasets that have a number: of a pipeline, or of its gain over ra+tslr; of all sets, or of those with
 * two classes or more. */
static double over_datasets(const table_job *job, const char *row, const char *pipeline)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; paper_dataset_at(i) != NULL; i++) {
        const char *dataset = paper_dataset_at(i);
        bool binary = strcmp(dataset, "bnci2014-004") == 0 || strcmp(dataset, "bnci2014-002") == 0;
        if (strncmp(row, "gain", 4) == 0 && binary != (strcmp(row, "gain, two classes") == 0))
            continue;
        double value = job != NULL ? our_mean(job, dataset, pipeline) : printed_mean(dataset, pipeline);
        if (strncmp(row, "gain", 4) == 0)
            value -= job != NULL ? our_mean(job, dataset, "ra+tslr")
                     : strstr(pipeline, "-e2e") != NULL
                         ? printed_mean(dataset, "ra+tslr")
                         : paper_number("prealigners", "mean", dataset, "ra+tslr");
        if (isnan(value))
            continue;
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

static double ours(const void *user, const char *row, const char *column)
{
    const table_job *job = user;
    for (size_t m = 0; strcmp(row, "z") == 0 && job->about->method[m] != NULL; m++)
        if (strcmp(job->about->method[m], column) == 0)
            return job->z[m];
    return strcmp(row, "z") == 0 ? NAN : over_datasets(job, row, column);
}

static double printed(const void *user, const char *row, const char *column)
{
    const table_job *job = user;
    return strcmp(row, "z") == 0 ? paper_number("overall", "z", job->about->file, column)
                                 : over_datasets(NULL, row, column);
}

static int print_z(const table_job *job)
{
    text_table table = {.columns = 4};
    text_table_add(&table, "overall z");
    text_table_add(&table, "paper");
    text_table_add(&table, "ours");
    text_table_add(&table, "difference");
    for (size_t m = 0; job->about->method[m] != NULL; m++) {
        double theirs = printed(job, "z", job->about->method[m]);
        text_table_add(&table, "%s", job->about->method[m]);
        text_table_add(&table, "%+.4f", theirs);
        text_table_add(&table, isnan(job->z[m]) ? "-" : "%+.4f", job->z[m]);
        text_table_add(&table, isnan(job->z[m]) ? "-" : "%+.4f", job->z[m] - theirs);
    }
    printf("\n");
    int code = text_table_print(&table, 0);
    text_table_clear(&table);
    return code;
}

static int reproduce_table(const arguments *parsed, const table_about *about, const claim *claims, size_t count)
{
    table_job job = {.about = about};
    int code = reproduce_sets_run(&job.sets, parsed, about->pipelines, CONGRU_PROTOCOL_LOSO, "");
    if (code == EXIT_DONE)
        code = normalise(&job);
    if (code == EXIT_DONE)
        code = reproduce_sets_print(&job.sets, about->file, about->pipelines);
    if (code == EXIT_DONE)
        code = print_z(&job);
    if (code == EXIT_DONE) {
        printf("\nClaims of the paper, by the sets that are given:\n");
        claims_print(claims, count, ours, printed, &job);
    }
    reproduce_sets_clear(&job.sets);
    return code;
}

int reproduce_table_preproc(const arguments *parsed)
{
    return reproduce_table(parsed, &prealigners, aligner_claims,
                           sizeof aligner_claims / sizeof aligner_claims[0]);
}

int reproduce_table_e2e(const arguments *parsed)
{
    return reproduce_table(parsed, &classifiers, classifier_claims,
                           sizeof classifier_claims / sizeof classifier_claims[0]);
}

/* What the paper times as an aligner is timed here before mdm, which takes next to nothing. */
static const char *timed_pipeline(const char *method, char name[SCORE_NAME_SIZE])
{
    bool aligner = strchr(method, '+') == NULL && strstr(method, "-e2e") == NULL;
    if (strcmp(method, "csp-lda") == 0)
        return "none+csp-lda";
    snprintf(name, SCORE_NAME_SIZE, aligner ? "%s+mdm" : "%s", method);
    return name;
}

int reproduce_runtime(const arguments *parsed)
{
    static const char *const headings[] = {"dataset", "method", "paper s", "ours s", "ours / paper"};
    reproduce_sets sets = {0};
    text_table table = {.columns = 5};
    paper_row row;
    char name[SCORE_NAME_SIZE];
    int code = reproduce_sets_run(&sets, parsed, TIMED, CONGRU_PROTOCOL_LOSO, "");
    for (size_t i = 0; i < 5; i++)
        text_table_add(&table, "%s", headings[i]);
    for (size_t i = 0; code == EXIT_DONE && paper_row_read("runtime", i, &row) > 0; i++) {
        double theirs = strtod(row.field[2], NULL);
        double mean =
            score_tables_mean(&sets.seconds, row.field[0], timed_pipeline(row.field[1], name), NULL, NULL);
        text_table_add(&table, "%s", row.field[0]);
        text_table_add(&table, "%s", row.field[1]);
        text_table_add(&table, "%.2f", theirs);
        text_table_add(&table, isnan(mean) ? "-" : "%.3f", mean);
        text_table_add(&table, isnan(mean) ? "-" : "%.2g", mean / theirs);
    }
    if (code == EXIT_DONE) {
        terminal_wrap(
            "Seconds per subject: the paper's on its GPU, ours on this machine, one thread to a fold; '-' "
            "where data is not given.",
            0, 0, "");
        printf("\n");
        code = text_table_print(&table, 0);
    }
    text_table_clear(&table);
    reproduce_sets_clear(&sets);
    return code;
}
