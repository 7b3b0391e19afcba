/* Experiment synthetic: the hierarchy of made-up sets. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/synth.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { PIPELINES = 5, SEEDS_MAX = 1000, SEED_MAX = 1000000000 };

/* The paper's columns. */
static const char *const pipelines[PIPELINES] = {"none+tslr", "ra+tslr", "dct-e2e", "dldct-e2e",
                                                 "ddct-unet-e2e"};
static const char *const ridge = CONGRU_PAPER_RIDGE;

/* The ridge with C chosen on the sources, which claims compare with, and with C = 1. */
enum { RIDGES = 2 };
static const double ridge_c[RIDGES] = {0, 1};
static const char *const ridge_folder[RIDGES] = {"-tuned", "-plain"};

typedef struct synthetic_job {
    const congru_paper_job *paper;
    congru_evaluation_options options;
    congru_set *set;
    char parent[CONGRU_PAPER_PATH_SIZE];
    int seeds[2];
    congru_scores_list tables; /* a table for each stage; subjects are "SEED/NAME" */
} synthetic_job;

/* Runs pipelines on the set that is made; their scores go under `name`, or their own. */
static congru_status score(synthetic_job *job, const char *stage, int seed, const char *suffix,
                           const char *const *names, size_t count, const char *name)
{
    char folder[CONGRU_PAPER_PATH_SIZE + 64], subject[CONGRU_SCORE_NAME_SIZE];
    congru_results *results = NULL;
    snprintf(folder, sizeof folder, "%s/%s-%d%s", job->parent, stage, seed, suffix);
    job->options.dataset = stage;
    job->options.folder = folder;
    job->options.pipelines = names;
    job->options.pipeline_count = count;
    congru_status status = congru_paper_evaluate(job->paper, job->set, &job->options, &results);
    for (size_t i = 0; status == CONGRU_OK && i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        snprintf(subject, sizeof subject, "%d/%s", seed, results->subject_name[fold->subject]);
        if (!congru_score_list_add(&job->tables, stage, subject,
                                   name != NULL ? name : results->pipeline[fold->pipeline],
                                   100 * fold->accuracy))
            status = congru_paper_no_memory(job->paper);
    }
    congru_results_destroy(&results);
    return status;
}

static congru_status run_stage(synthetic_job *job, congru_synth_stage stage, int seed)
{
    congru_synth_options made;
    congru_synth_options_init(&made);
    made.stage = stage;
    made.trials = (size_t)job->paper->request->trials;
    made.seed = (uint64_t)seed;
    const char *name = congru_synth_stage_name(stage);
    congru_set_destroy(&job->set);
    CONGRU_TRY(congru_synth(job->paper->context, &made, &job->set));
    const double c = job->options.method.c;
    job->options.method.seed = (uint64_t)seed;
    congru_status status = score(job, name, seed, "", pipelines, PIPELINES, NULL);
    for (size_t k = 0; status == CONGRU_OK && k < RIDGES; k++) {
        char scored[CONGRU_SCORE_NAME_SIZE];
        congru_paper_ridge(job->paper, ridge, k == 1, scored);
        job->options.method.c = ridge_c[k];
        if (c != ridge_c[k])
            status = score(job, name, seed, ridge_folder[k], &ridge, 1, scored);
    }
    job->options.method.c = c;
    return status;
}

static double ours(const synthetic_job *job, const char *row, const char *column)
{
    return congru_score_list_mean(&job->tables, row, column, NULL, NULL);
}

/* A pipeline on a stage, by subjects of all seeds. The paper has no numbers by subject. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const synthetic_job *job = user;
    if (side == CONGRU_CLAIM_PAPER) {
        cell->number = congru_paper_number("synthetic", "accuracy", row, column);
        return;
    }
    cell->ridge = strcmp(column, CONGRU_PAPER_RIDGE) == 0;
    char name[CONGRU_SCORE_NAME_SIZE];
    snprintf(name, sizeof name, "%s", column);
    if (cell->ridge)
        congru_paper_ridge(job->paper, column, side == CONGRU_CLAIM_PLAIN_RIDGE, name);
    cell->uses = cell->ridge ? 0 : congru_paper_uses(job->paper, column);
    congru_claim_cell_variant(cell, &job->tables, row, name);
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const synthetic_job *job = user;
    congru_synth_options paper;
    congru_synth_options_init(&paper);
    if (job->paper->request->trials != (int)paper.trials) {
        congru_paper_next_change(text);
        congru_text_add(text, "%d of %zu trials of a class", job->paper->request->trials, paper.trials);
    }
    congru_paper_method_changes(job->paper, uses, text);
}

/* The deviation of the means of seeds, n - 1; NaN for one. */
static double seed_deviation(const synthetic_job *job, const char *stage, const char *column)
{
    double sum = 0, squares = 0, mean = ours(job, stage, column);
    int count = job->seeds[1] - job->seeds[0] + 1;
    for (int seed = job->seeds[0]; seed <= job->seeds[1]; seed++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%d/", seed);
        double one = congru_score_list_mean(&job->tables, stage, column, prefix, NULL) - mean;
        sum += one;
        squares += one * one;
    }
    return count > 1 ? sqrt(fmax(0.0, squares - sum * sum / count) / (count - 1)) : NAN;
}

static congru_status show(const synthetic_job *job)
{
    static const char *const headings[] = {"stage",          "pipeline", "paper",     "mark",
                                           "ours, subjects", "seeds",    "difference"};
    bool several = job->seeds[1] > job->seeds[0];
    congru_table table = {0};
    for (size_t i = 0; i < 7; i++)
        if (i != 5 || several)
            congru_table_column_text(&table, headings[i], NULL);
    for (size_t s = 0; s < CONGRU_SYNTH_STAGES; s++)
        for (size_t p = 0; p < PIPELINES + RIDGES; p++) {
            const char *stage = congru_synth_stage_name((congru_synth_stage)s);
            char name[CONGRU_SCORE_NAME_SIZE];
            snprintf(name, sizeof name, "%s", pipelines[p < PIPELINES ? p : 0]);
            if (p >= PIPELINES)
                congru_paper_ridge(job->paper, ridge, p == PIPELINES + 1, name);
            double deviation, paper = congru_paper_number("synthetic", "accuracy", stage, name);
            if (p >= PIPELINES && strcmp(name, ridge) == 0)
                continue; /* it has its row */
            double mean = congru_score_list_mean(&job->tables, stage, name, NULL, &deviation);
            congru_table_format_text(&table, "%s", p == 0 ? stage : "");
            congru_table_format_text(&table, "%s", name);
            congru_paper_cell_number(&table, paper, NAN);
            congru_paper_cell_mark(&table, "synthetic", "mark", stage, name);
            congru_paper_cell_number(&table, mean, deviation);
            if (several)
                congru_table_format_text(&table, "%.2f", seed_deviation(job, stage, name));
            congru_paper_cell_difference(&table, mean, paper);
        }
    return congru_paper_table(job->paper, true, &table, NULL);
}

static congru_status show_all(const synthetic_job *job)
{
    char steps[CONGRU_OPTION_TEXT_SIZE] = "", c[CONGRU_OPTION_TEXT_SIZE];
    congru_method_options_get(&job->options.method, "steps", steps);
    CONGRU_TRY(congru_paper_title(job->paper, "2", "6"));
    CONGRU_TRY(congru_paper_say(
        job->paper, CONGRU_PAPER_LINE, true,
        "Accuracy in %%, 9 subjects with %d trials of each class; seeds %d to %d; %s training steps; "
        "C %s",
        job->paper->request->trials, job->seeds[0], job->seeds[1], steps, congru_paper_c(job->paper, c)));
    CONGRU_TRY(show(job));
    CONGRU_TRY(congru_paper_tell_marks(job->paper, "b are the best methods of a stage"));
    CONGRU_TRY(congru_claims_judge(job->paper, &(congru_claim_source){"synthetic", read_cell, add_changes, job},
                                   "Claims of the paper:"));
    return congru_paper_say(job->paper, CONGRU_PAPER_LINE, true, "Results in %s", job->parent);
}

congru_status congru_reproduce_synthetic(const congru_paper_job *paper)
{
    const congru_paper_request *request = paper->request;
    synthetic_job job = {
        .paper = paper, .options = request->run, .seeds = {request->seeds[0], request->seeds[1]}};
    job.options.protocol = CONGRU_PROTOCOL_LOSO;
    job.options.subjects = NULL;
    job.options.subject_count = 0;
    if (job.seeds[0] < 0 || job.seeds[1] > SEED_MAX || job.seeds[1] < job.seeds[0] ||
        job.seeds[1] - job.seeds[0] >= SEEDS_MAX || request->trials < 1)
        return congru_fail(
            paper->context, CONGRU_ERROR_ARGUMENT,
            "%s: seeds %d to %d with %d trials: the smaller number is first, at most %d are made, "
            "and trials are 1 or more",
            request->experiment, job.seeds[0], job.seeds[1], request->trials, (int)SEEDS_MAX);
    congru_status status = congru_paper_folder(paper, "synthetic", "", job.parent);
    for (int seed = job.seeds[0]; status == CONGRU_OK && seed <= job.seeds[1]; seed++)
        for (int stage = 0; status == CONGRU_OK && stage < CONGRU_SYNTH_STAGES; stage++)
            status = run_stage(&job, (congru_synth_stage)stage, seed);
    if (status == CONGRU_OK)
        status = show_all(&job);
    congru_scores_list_clear(&job.tables);
    congru_set_destroy(&job.set);
    return status;
}
