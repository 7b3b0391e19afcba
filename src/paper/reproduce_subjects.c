/* Experiment subjects: the accuracy of every subject, paper and ours. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/ablation.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

#define PIPELINES CONGRU_PAPER_PREALIGNERS ",ts-spd-cnn,dct-e2e,dldct-e2e,ddct-unet-e2e"

enum { GROUP, SUBJECT, PIPELINE, ACCURACY, MARK };                        /* of subjects-*.csv */
enum { TABLE, MEANS_GROUP, MEANS_PIPELINE, MEAN, DEVIATION, MEANS_MARK }; /* of subjects-means.csv */

/* A table of the paper by groups, sets or parts that are left out; `ours` has scores by the same names. */
typedef struct subjects_table {
    const congru_paper_job *job;
    const char *number, *file, *marks;
    congru_scores_list printed;
    const congru_scores_list *ours;
} subjects_table;

static const congru_scores *find(const congru_scores_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i]->name, name) == 0)
            return list->item[i];
    return NULL;
}

/* The number in a subject's name: 3 of "A03", "S3", "A03T"; -1 where there is none. */
static long number_of(const char *name)
{
    const char *digit = strpbrk(name, "0123456789");
    return digit != NULL ? strtol(digit, NULL, 10) : -1;
}

/* By name, else by the number in it. */
static double our_score(const congru_scores *scores, const char *subject, const char *pipeline)
{
    for (size_t i = 0; i < scores->subjects; i++)
        if (strcmp(scores->subject[i], subject) == 0)
            return congru_score_value(scores, i, pipeline);
    for (size_t i = 0; i < scores->subjects; i++)
        if (number_of(subject) >= 0 && number_of(scores->subject[i]) == number_of(subject))
            return congru_score_value(scores, i, pipeline);
    return NAN;
}

/* The rows of a group. */
static congru_status show_group(const subjects_table *about, const char *group)
{
    const congru_scores *scores = find(about->ours, group);
    congru_table table = {0};
    congru_paper_row row;
    congru_table_headings(&table, scores != NULL ? 6 : 4,
                          (const char *const[]){group, "pipeline", "paper", "mark", "ours", "difference"});
    for (size_t i = 0; congru_paper_row_read(about->file, i, &row) > 0; i++) {
        char mark[CONGRU_PAPER_MARK_SIZE];
        if (strcmp(row.field[GROUP], group) != 0)
            continue;
        congru_paper_mark(row.field[MARK], mark);
        for (size_t k = SUBJECT; k < MARK; k++)
            congru_table_text(&table, row.field[k]);
        congru_table_text(&table, mark);
        if (scores == NULL)
            continue;
        const double ours = our_score(scores, row.field[SUBJECT], row.field[PIPELINE]);
        congru_paper_cell_number(&table, ours, NAN);
        congru_paper_cell_difference(&table, ours, congru_number_read(row.field[ACCURACY], NULL));
    }
    return congru_paper_table(about->job, true, &table, NULL);
}

/* What is printed under the columns, beside what they have and what is ours. */
static congru_status show_means(const subjects_table *about)
{
    congru_table table = {0};
    congru_paper_row row;
    const bool given = about->ours->count > 0;
    congru_table_headings(
        &table, given ? 6 : 5,
        (const char *const[]){"mean of", "pipeline", "printed", "mark", "of the column", "ours"});
    for (size_t i = 0; congru_paper_row_read("subjects-means", i, &row) > 0; i++) {
        char mark[CONGRU_PAPER_MARK_SIZE];
        const char *group = row.field[MEANS_GROUP], *pipeline = row.field[MEANS_PIPELINE];
        double deviation, mean = congru_score_list_mean(&about->printed, group, pipeline, NULL, &deviation);
        if (strcmp(row.field[TABLE], about->file) != 0)
            continue;
        congru_paper_mark(row.field[MEANS_MARK], mark);
        congru_table_text(&table, group);
        congru_table_text(&table, pipeline);
        congru_table_format_text(&table, "%s ± %s", row.field[MEAN], row.field[DEVIATION]);
        congru_table_text(&table, mark);
        congru_paper_cell_number(&table, mean, deviation);
        if (!given)
            continue;
        mean = congru_score_list_mean(about->ours, group, pipeline, NULL, &deviation);
        congru_paper_cell_number(&table, mean, deviation);
    }
    return congru_paper_table(about->job, true, &table, NULL);
}

static congru_status show(subjects_table *about)
{
    char group[CONGRU_PAPER_NAME_SIZE] = "";
    congru_paper_row row;
    congru_status status = congru_paper_title(about->job, about->number, NULL);
    if (status == CONGRU_OK)
        status = congru_paper_printed_scores(about->job, about->file, &about->printed);
    for (size_t i = 0; status == CONGRU_OK && congru_paper_row_read(about->file, i, &row) > 0; i++)
        if (strcmp(row.field[GROUP], group) != 0) {
            snprintf(group, sizeof group, "%s", row.field[GROUP]);
            status = show_group(about, group);
            if (status == CONGRU_OK && congru_paper_dataset(group) != NULL && find(about->ours, group) == NULL)
                status = congru_paper_set_absent(about->job, group);
        }
    if (status == CONGRU_OK)
        status = show_means(about);
    if (status == CONGRU_OK)
        status = congru_paper_tell_marks(about->job, about->marks);
    congru_scores_list_clear(&about->printed);
    return status;
}

/* ---- Ours, without parts ---- */

/* The networks of the request, or those of the paper, with parts left out, on the set that the paper's ablation of subjects, table 23, is on. */
static congru_status ablate(const congru_paper_job *job, size_t which, congru_scores_list *ablated)
{
    char folder[CONGRU_PAPER_PATH_SIZE], dataset[CONGRU_PAPER_NAME_SIZE] = "";
    const char *chosen[CONGRU_ABLATION_MODELS_MAX];
    congru_paper_open open;
    congru_ablation found = {0};
    size_t count = 0;
    congru_status status = congru_paper_set_open(job, which, NULL, CONGRU_ABLATION_PIPELINES, &open);
    for (size_t i = 0; status == CONGRU_OK && i < open.options.pipeline_count; i++)
        if (count < CONGRU_ABLATION_MODELS_MAX &&
            congru_ablation_check(job->context, 1, &open.options.pipelines[i]) == CONGRU_OK)
            chosen[count++] = open.options.pipelines[i];
    open.options.pipelines = chosen;
    open.options.pipeline_count = count;
    if (status == CONGRU_OK)
        congru_paper_set_name(&open, dataset);
    const bool wanted = status == CONGRU_OK && count > 0 && strcmp(dataset, congru_paper_dataset_at(0)) == 0;
    if (wanted)
        status = congru_paper_folder(job, open.about->name, "-ablation", folder);
    if (wanted && status == CONGRU_OK)
        status = congru_ablation_run(&open, folder, &found);
    if (wanted && status == CONGRU_OK && ablated->count == 0) {
        *ablated = found.scores;
        found.scores = (congru_scores_list){0};
    }
    congru_scores_list_clear(&found.scores);
    congru_paper_set_close(&open);
    return status;
}

/* What earlier runs left of it. */
static congru_status find_ablated(const congru_paper_job *job, congru_scores_list *ablated)
{
    congru_status status = CONGRU_OK;
    const char *folder, *variant;
    for (size_t run = 0; status == CONGRU_OK && (folder = congru_ablation_folder(run, &variant)) != NULL;
         run++) {
        char inside[CONGRU_PAPER_NAME_SIZE];
        congru_results *results = NULL;
        snprintf(inside, sizeof inside, "-ablation/%s", folder);
        status = congru_paper_results_find(job, congru_paper_dataset_at(0), inside, &results);
        for (size_t i = 0; status == CONGRU_OK && results != NULL && i < results->folds; i++) {
            const congru_fold *fold = &results->fold[i];
            char model[CONGRU_PIPELINE_SIZE];
            congru_ablation_model(results->pipeline[fold->pipeline], model);
            if (!congru_score_list_add(ablated, variant, results->subject_name[fold->subject], model,
                                       100 * fold->accuracy))
                status = congru_paper_no_memory(job);
        }
        congru_results_destroy(&results);
    }
    return status;
}

congru_status congru_reproduce_subjects(const congru_paper_job *job)
{
    static const char marks[] = "u is the best method of a subject, b the paper's own";
    congru_paper_runs runs = {.job = job};
    congru_scores_list ablated = {0};
    congru_status status = congru_paper_runs_all(&runs, PIPELINES, CONGRU_PROTOCOL_LOSO, "");
    for (size_t i = 0; status == CONGRU_OK && i < job->request->set_count; i++)
        status = ablate(job, i, &ablated);
    if (status == CONGRU_OK)
        status = congru_paper_runs_remark(&runs);
    if (status == CONGRU_OK)
        status = congru_paper_runs_tell_ridges(&runs, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_found(&runs);
    if (status == CONGRU_OK && ablated.count == 0)
        status = find_ablated(job, &ablated);
    if (status == CONGRU_OK)
        status = show(&(subjects_table){job, "21", "subjects-prealigners", marks, {0}, &runs.scores});
    if (status == CONGRU_OK)
        status = show(&(subjects_table){job, "22", "subjects-classifiers", marks, {0}, &runs.scores});
    if (status == CONGRU_OK)
        status = show(&(subjects_table){job, "23", "subjects-ablation", "b is the baseline", {0}, &ablated});
    congru_scores_list_clear(&ablated);
    congru_paper_runs_clear(&runs);
    return status;
}
