/* Experiment table-prealigners, table-e2e: accuracies by dataset and overall z. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { METHODS_MAX = 8, BEHIND_MAX = 4 };

/* The methods that the overall z is over: pipelines, or aligners with the classifiers that stand behind each. */
typedef struct table_about {
    const char *number, *again, *file, *subjects, *pipelines, *marks;
    const char *method[METHODS_MAX + 1], *behind[BEHIND_MAX];
} table_about;

static const table_about prealigners = {"3",
                                        "10",
                                        "prealigners",
                                        "subjects-prealigners",
                                        CONGRU_PAPER_PREALIGNERS,
                                        "bu is the best aligner of a classifier, i the second",
                                        {"ra", "dct", "dldct", "ddct-unet"},
                                        {"+mdm", "+tslr", "+tsa-lda"}};
static const table_about classifiers = {
    "4",
    "11",
    "classifiers",
    "subjects-classifiers",
    CONGRU_PAPER_CLASSIFIERS,
    "bu is the best method of a set, i the second",
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

/* The paper's mean in its tables; before TSLR and the like it is the aligners' table that has it. */
static double printed_mean(const table_job *job, const char *dataset, const char *pipeline)
{
    const double own = congru_paper_number(job->about->file, "mean", dataset, pipeline);
    return isnan(own) ? congru_paper_number("prealigners", "mean", dataset, pipeline) : own;
}

/* The sets that a row is about, as bits: "2a" or another name of one, "all sets", "several classes", "two classes". */
static unsigned sets_of(const char *row)
{
    unsigned sets = 0;
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++) {
        const char *dataset = congru_paper_dataset_at(i), *one = congru_paper_dataset(row);
        congru_paper_facts paper;
        bool binary = congru_paper_facts_read(dataset, &paper) && paper.classes == 2;
        if (one != NULL ? strcmp(one, dataset) == 0
                        : strcmp(row, "all sets") == 0 || (strcmp(row, "two classes") == 0) == binary)
            sets |= 1u << i;
    }
    return sets;
}

/* The z of one method by subject, over the rows that the subject has. */
static void add_z_units(const table_job *job, const congru_scores_list *scores, size_t method,
                        congru_claim_cell *cell)
{
    double score[METHODS_MAX], z[METHODS_MAX];
    size_t methods = 0, place = 0, unit = 0;
    for (size_t m = 0; job->about->method[m] != NULL; m++) {
        place += m < method && job->common[m];
        methods += job->common[m];
    }
    if (methods < 2 || !congru_claim_cell_room(cell, congru_score_list_subjects(scores)))
        return;
    for (size_t t = 0; t < scores->count; t++)
        for (size_t i = 0; i < scores->item[t]->subjects; i++, unit++) {
            double sum = 0, rows = 0;
            for (size_t k = 0; k < BEHIND_MAX && job->about->behind[k] != NULL; k++)
                if (congru_paper_dataset(scores->item[t]->name) != NULL &&
                    take_row(job, scores->item[t], i, k, score) &&
                    congru_scores_normalise(job->sets.job->context, 1, methods, score, z) == CONGRU_OK) {
                    sum += z[place];
                    rows++;
                }
            cell->unit[unit] = rows > 0 ? sum / rows : NAN;
        }
}

/* A z over other sets or methods than the paper's says nothing about its claims. */
static void read_z(const table_job *job, bool paper, const char *column, congru_claim_cell *cell)
{
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        if (!paper && !congru_paper_runs_have(&job->sets, congru_paper_dataset_at(i)))
            cell->absent |= 1u << i;
        else
            cell->uses |= 1u << i;
    cell->uses |= congru_paper_uses(job->sets.job, job->about->pipelines);
    for (size_t m = 0; job->about->method[m] != NULL; m++)
        if (strcmp(job->about->method[m], column) == 0) {
            if (paper)
                cell->number = congru_paper_number("overall", "z", job->about->file, column);
            else if (job->whole)
                cell->number = job->z[m];
            if (!paper && job->whole)
                add_z_units(job, &job->sets.scores, m, cell);
        }
}

/* "dct+*" is "dct+mdm,dct+tslr,dct+tsa-lda", and ridges are those whose C is chosen. */
static void list_pipelines(const table_job *job, congru_claim_side side, const char *column,
                           char list[CONGRU_NAMES_SIZE])
{
    static const char *const behind[] = {"mdm", "tslr", "tsa-lda"};
    const size_t size = strcspn(column, "*");
    list[0] = '\0';
    for (size_t i = 0, used = 0; i < (column[size] == '*' ? 3 : 1); i++) {
        char name[CONGRU_SCORE_NAME_SIZE];
        snprintf(name, sizeof name, "%.*s%s", (int)size, column, column[size] == '*' ? behind[i] : "");
        if (side != CONGRU_CLAIM_PAPER) {
            char pipeline[CONGRU_SCORE_NAME_SIZE];
            memcpy(pipeline, name, sizeof pipeline);
            congru_paper_ridge(job->sets.job, pipeline, side == CONGRU_CLAIM_PLAIN_RIDGE, name);
        }
        used += (size_t)snprintf(list + used, CONGRU_NAMES_SIZE - used, "%s%s", i > 0 ? "," : "", name);
    }
}

/* The mean over pipelines that the paper's table prints. */
static double printed_of(const table_job *job, const char *dataset, const char *pipelines)
{
    congru_names names = {0};
    double sum = 0;
    congru_names_split(&names, pipelines);
    for (size_t i = 0; i < names.count; i++)
        sum += printed_mean(job, dataset, names.item[i]);
    return sum / (double)names.count;
}

/* The z of a method over one set, the mean of its subjects'; on both sides of the methods that both have, which must be all. */
static void read_z_of(const table_job *job, bool paper, const char *name, const char *column,
                      congru_claim_cell *cell)
{
    const congru_scores_list *scores = paper ? &job->printed : &job->sets.scores;
    const char *dataset = congru_paper_dataset(name);
    size_t methods = 0, method = METHODS_MAX, first = 0, rows = 0;
    double sum = 0;
    for (; job->about->method[methods] != NULL; methods++)
        if (strcmp(job->about->method[methods], column) == 0)
            method = methods;
    cell->uses |= sets_of(name) | congru_paper_uses(job->sets.job, job->about->pipelines);
    if (!congru_paper_runs_have(&job->sets, dataset))
        cell->absent |= sets_of(name);
    for (size_t m = 0; m < methods; m++)
        if (!job->common[m])
            return;
    if (method == METHODS_MAX)
        return;
    add_z_units(job, scores, method, cell);
    for (size_t t = 0; cell->unit != NULL && t < scores->count; first += scores->item[t++]->subjects)
        for (size_t i = first; i < first + scores->item[t]->subjects; i++) {
            if (strcmp(scores->item[t]->name, dataset) != 0)
                cell->unit[i] = NAN;
            rows += isnan(cell->unit[i]) ? 0 : 1;
            sum += isnan(cell->unit[i]) ? 0 : cell->unit[i];
        }
    cell->number = rows > 0 ? sum / (double)rows : NAN;
}

/* Row "z" over all sets, "z 2a" over one, or a set or several; column a method or pipeline. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const table_job *job = user;
    const bool paper = side == CONGRU_CLAIM_PAPER;
    char list[CONGRU_NAMES_SIZE], pipelines[CONGRU_NAMES_SIZE];
    if (strcmp(row, "z") == 0) {
        read_z(job, paper, column, cell);
        return;
    }
    if (strncmp(row, "z ", 2) == 0) {
        read_z_of(job, paper, row + 2, column, cell);
        return;
    }
    list_pipelines(job, side, column, list);
    list_pipelines(job, CONGRU_CLAIM_PAPER, column, pipelines);
    const congru_scores_list *scores = paper ? &job->printed : &job->sets.scores;
    congru_claim_cell_scores(cell, scores, scores, NULL, sets_of(row), list);
    if (paper && congru_paper_dataset(row) != NULL)
        cell->number = printed_of(job, congru_paper_dataset(row), list);
    congru_names names = {0};
    congru_names_split(&names, pipelines);
    for (size_t i = 0; i < names.count; i++)
        cell->ridge = cell->ridge || congru_paper_has_ridge(names.item[i]);
    if (strncmp(column, "ra+", 3) != 0)
        cell->uses |= congru_paper_uses(job->sets.job, pipelines) & ~(unsigned)CONGRU_USES_RIDGE;
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const table_job *job = user;
    congru_paper_runs_changed(&job->sets, uses, NULL, text);
}

/* ---- Showing ---- */

static void add_z(congru_table *table, double z)
{
    congru_table_format_text(table, isnan(z) ? "-" : "%+.4f", z);
}

static congru_status show_z(const table_job *job)
{
    static const char *const headings[] = {"overall z", "printed", "mark", "paper", "ours", "difference"};
    const bool given = job->sets.scores.count > 0;
    congru_table table = {0};
    congru_table_headings(&table, given ? 6 : 3, headings);
    for (size_t m = 0; job->about->method[m] != NULL; m++) {
        congru_table_format_text(&table, "%s", job->about->method[m]);
        add_z(&table, congru_paper_number("overall", "z", job->about->file, job->about->method[m]));
        congru_paper_cell_mark(&table, "overall", "mark", job->about->file, job->about->method[m]);
        if (!given)
            continue;
        add_z(&table, job->printed_z[m]);
        add_z(&table, job->z[m]);
        add_z(&table, job->z[m] - job->printed_z[m]);
    }
    CONGRU_TRY(congru_paper_table(job->sets.job, true, &table, NULL));
    CONGRU_TRY(congru_paper_tell_marks(job->sets.job, job->about->marks));
    if (given)
        CONGRU_TRY(congru_paper_say(job->sets.job, CONGRU_PAPER_TEXT, false,
                                    "Paper and ours are over the same sets and methods, those that both have: "
                                    "the paper's from its columns of subjects."));
    if (!job->whole)
        CONGRU_TRY(congru_paper_say(job->sets.job, CONGRU_PAPER_TEXT, false,
                                    "Claims by z are judged when all five sets and all methods are there."));
    return CONGRU_OK;
}

/* The paper's columns of subjects: the table's own, and those of aligners that it is compared with. */
static congru_status read_printed(table_job *job)
{
    static const char other[] = "subjects-prealigners";
    congru_paper_row row;
    congru_status status = congru_paper_printed_scores(job->sets.job, job->about->subjects, &job->printed);
    if (strcmp(job->about->subjects, other) == 0)
        return status;
    for (size_t i = 0; status == CONGRU_OK && congru_paper_row_read(other, i, &row) > 0; i++)
        if (strncmp(row.field[2], "ra+", 3) != 0 && /* these are in both, with numbers of their own */
            !congru_score_list_add(&job->printed, row.field[0], row.field[1], row.field[2],
                                   congru_number_read(row.field[3], NULL)))
            status = congru_paper_no_memory(job->sets.job);
    return status;
}

static congru_status reproduce_table(const congru_paper_job *paper, const table_about *about)
{
    table_job job = {.about = about, .sets.job = paper};
    char rows[CONGRU_NAMES_SIZE];
    const congru_claim_source source = {about->file, read_cell, add_changes, &job};
    congru_status status = congru_paper_runs_all(&job.sets, about->pipelines, CONGRU_PROTOCOL_LOSO, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_ridges(&job.sets, about->pipelines);
    if (status == CONGRU_OK)
        status = read_printed(&job);
    congru_paper_ridge_rows(&job.sets, about->pipelines, rows);
    find_common(&job);
    if (status == CONGRU_OK)
        status = normalise(&job, &job.sets.scores, job.z);
    if (status == CONGRU_OK)
        status = normalise(&job, &job.printed, job.printed_z);
    if (status == CONGRU_OK)
        status = congru_paper_title(paper, about->number, about->again);
    if (status == CONGRU_OK)
        status = congru_paper_runs_show(&job.sets, about->file, rows);
    if (status == CONGRU_OK)
        status = show_z(&job);
    if (status == CONGRU_OK)
        status = congru_claims_judge(paper, &source, "Claims of the paper:");
    congru_scores_list_clear(&job.printed);
    congru_paper_runs_clear(&job.sets);
    return status;
}

congru_status congru_reproduce_prealigners(const congru_paper_job *job)
{
    return reproduce_table(job, &prealigners);
}

congru_status congru_reproduce_e2e(const congru_paper_job *job)
{
    return reproduce_table(job, &classifiers);
}
