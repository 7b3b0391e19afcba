/* Experiment recipes: the paper's models under each recipe, one table. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/report.h"
#include "paper/paper_changes.h"
#include "paper/paper_sets.h"
#include "paper/reproduce.h"
#include "paper/score_list.h"

#define BASELINE "ra+tslr"
#define MODELS "dct+tslr,dldct+tslr,ddct-unet+tslr,dct-e2e,dldct-e2e,ddct-unet-e2e"
#define PIPELINES BASELINE "," MODELS

enum { PRINTED, AUTHORS, CONGRU, CHOSEN, RECIPES };

/* Each with the ending of its folder; that of the printed recipe is the one of the paper's tables. */
static const struct {
    const char *name, *suffix;
    congru_recipe recipe;
} recipes[RECIPES] = {
    [PRINTED] = {"printed", "", CONGRU_RECIPE_PRINTED},
    [AUTHORS] = {"authors", "-authors", CONGRU_RECIPE_AUTHORS},
    [CONGRU] = {"congru", "-congru", CONGRU_RECIPE_CONGRU},
    [CHOSEN] = {"chosen", "-chosen", CONGRU_RECIPE_PRINTED},
};

enum { VALIDATION_PART = 5, LEVEL_PERCENT = 5 };

typedef struct recipes_job {
    const congru_paper_job *paper;
    size_t which;                 /* of the sets */
    congru_names names;           /* of the pipelines, where they are the experiment's */
    const char *const *pipelines; /* the baseline first */
    size_t pipeline_count;
    congru_scores_list scores; /* of "dct-e2e, authors" */
    char validation[CONGRU_OPTION_TEXT_SIZE];
    char dataset[CONGRU_PAPER_NAME_SIZE];
    congru_pair *row;
    size_t rows;
} recipes_job;

/* A recipe without a list is the printed one under another name: it is not run. */
static bool is_run(size_t recipe)
{
    return recipe != CONGRU || congru_recipe_at(CONGRU_RECIPE_CONGRU, 0) != NULL;
}

static void name_cell(const char *pipeline, size_t recipe, char name[CONGRU_SCORE_NAME_SIZE])
{
    snprintf(name, CONGRU_SCORE_NAME_SIZE, "%.40s, %s", pipeline, recipes[recipe].name);
}

/* ---- Running ---- */

/* Whether an option has another value than its default, which then stands over a recipe. */
static bool is_given(const congru_method_options *method, const char *name)
{
    congru_method_options defaults;
    char value[CONGRU_OPTION_TEXT_SIZE], usual[CONGRU_OPTION_TEXT_SIZE];
    congru_method_options_init(&defaults);
    return congru_method_options_get(method, name, value) &&
           congru_method_options_get(&defaults, name, usual) && strcmp(value, usual) != 0;
}

/* One source subject of five, and at least one, decides for 'chosen' when training has lasted long enough. */
static congru_status look_at_set(recipes_job *job)
{
    const congru_evaluation_options *run = &job->paper->request->run;
    congru_paper_open open;
    congru_status status = congru_paper_set_open(job->paper, job->which, NULL, PIPELINES, &open);
    if (status == CONGRU_OK) {
        size_t sources = open.set->subjects - 1, held = (sources + VALIDATION_PART - 1) / VALIDATION_PART;
        congru_paper_set_name(&open, job->dataset);
        snprintf(job->validation, sizeof job->validation, "%zu",
                 held < sources ? held
                 : sources > 0  ? sources - 1
                                : 0);
        if (is_given(&run->method, "validation"))
            congru_method_options_get(&run->method, "validation", job->validation);
        congru_names_split(&job->names, PIPELINES);
        job->pipelines = run->pipelines != NULL ? run->pipelines : job->names.item;
        job->pipeline_count = run->pipelines != NULL ? run->pipeline_count : job->names.count;
        status = congru_paper_set_remark(&open);
    }
    congru_paper_set_close(&open);
    return status;
}

static congru_status add_scores(recipes_job *job, const congru_paper_runs *runs, size_t recipe)
{
    char name[CONGRU_SCORE_NAME_SIZE];
    for (size_t t = 0; t < runs->scores.count; t++) {
        const congru_scores *table = runs->scores.item[t];
        for (size_t i = 0; i < table->pipelines * table->subjects; i++) {
            const double percent = table->value[CONGRU_SCORE_ACCURACY][i];
            name_cell(table->pipeline[i / table->subjects], recipe, name);
            if (!isnan(percent) &&
                !congru_score_list_add(&job->scores, job->dataset, table->subject[i % table->subjects], name,
                                       percent / 100))
                return congru_paper_no_memory(job->paper);
        }
    }
    return CONGRU_OK;
}

/* The request's options under a recipe: those that it changed from their defaults are set again, in the order of the table,
 * as a command line would be read; one may put another back. */
static congru_status follow(const recipes_job *job, size_t recipe, congru_method_options *method)
{
    congru_context *context = job->paper->context;
    const congru_method_options *asked = &job->paper->request->run.method;
    const congru_method_option *row;
    char text[CONGRU_OPTION_TEXT_SIZE];
    congru_status status = CONGRU_OK;
    *method = *asked;
    congru_method_options_recipe(method, recipes[recipe].recipe);
    for (size_t i = 0; status == CONGRU_OK && (row = congru_method_option_at(i)) != NULL; i++)
        if (is_given(asked, row->option.name) && congru_method_options_get(asked, row->option.name, text))
            status = congru_method_options_set(context, method, NULL, row->option.name, text);
    if (status == CONGRU_OK && recipe == CHOSEN)
        status = congru_method_options_set(context, method, NULL, "C", "auto");
    if (status == CONGRU_OK && recipe == CHOSEN)
        status = congru_method_options_set(context, method, NULL, "validation", job->validation);
    return status;
}

static congru_status run_recipe(recipes_job *job, size_t recipe)
{
    congru_paper_runs runs = {.job = job->paper};
    congru_method_options method;
    congru_status status = follow(job, recipe, &method);
    if (status == CONGRU_OK)
        status = congru_paper_runs_add(&runs, job->which, &method, PIPELINES, CONGRU_PROTOCOL_LOSO,
                                       recipes[recipe].suffix);
    if (status == CONGRU_OK)
        status = add_scores(job, &runs, recipe);
    congru_paper_runs_clear(&runs);
    return status;
}

/* ---- Showing ---- */

static congru_status show_accuracies(const recipes_job *job)
{
    congru_table table = {0};
    char name[CONGRU_SCORE_NAME_SIZE];
    congru_table_column_text(&table, job->dataset, NULL);
    for (size_t r = 0; r < RECIPES; r++)
        congru_table_column_text(&table, recipes[r].name, NULL);
    for (size_t i = 0; i < job->pipeline_count; i++) {
        congru_table_format_text(&table, "%s", job->pipelines[i]);
        for (size_t r = 0; r < RECIPES; r++) {
            double deviation;
            name_cell(job->pipelines[i], r, name);
            double mean = congru_score_list_mean(&job->scores, job->dataset, name, NULL, &deviation);
            if (!is_run(r))
                congru_table_format_text(&table, "as printed");
            else
                congru_paper_cell_number(&table, 100 * mean, 100 * deviation);
        }
    }
    return congru_paper_table(job->paper, true, &table, NULL);
}

/* Adds the comparison of two cells to the family of this title. */
static congru_status add_pair(recipes_job *job, const char *title, const char *a, size_t a_recipe,
                              const char *b, size_t b_recipe)
{
    char names[2][CONGRU_SCORE_NAME_SIZE];
    congru_pair *row = &job->row[job->rows];
    name_cell(a, a_recipe, names[0]);
    name_cell(b, b_recipe, names[1]);
    CONGRU_TRY(congru_scores_compare(job->paper->context, job->scores.count,
                                     (const congru_scores *const *)job->scores.item, names[0], names[1],
                                     &row->result));
    row->dataset = title;
    row->a = a;
    row->b = a_recipe == b_recipe ? b : recipes[b_recipe].name;
    job->rows += row->result.count > 0;
    return CONGRU_OK;
}

/* Families, each corrected for its own number: models against the baseline within a recipe, and recipes against the
 * printed one pipeline by pipeline. */
static congru_status compare(recipes_job *job)
{
    static const char *const within[RECIPES] = {
        "As printed, gain over " BASELINE, "Authors, gain over " BASELINE " with their covariances",
        "Congru, gain over " BASELINE, "Steps and C chosen on sources, gain over " BASELINE " with C chosen"};
    static const char *const across[RECIPES] = {NULL, "Authors, gain over printed", "Congru, gain over printed",
                                                "Steps and C chosen on sources, gain over printed"};
    congru_status status = CONGRU_OK;
    job->row = calloc(2 * RECIPES * job->pipeline_count + 1, sizeof *job->row);
    if (job->row == NULL)
        return congru_paper_no_memory(job->paper);
    for (size_t r = 0; r < RECIPES; r++)
        for (size_t i = 0; status == CONGRU_OK && is_run(r) && i < job->pipeline_count; i++)
            if (strcmp(job->pipelines[i], BASELINE) != 0)
                status = add_pair(job, within[r], job->pipelines[i], r, BASELINE, r);
    for (size_t r = 1; r < RECIPES; r++)
        for (size_t i = 0; status == CONGRU_OK && is_run(r) && i < job->pipeline_count; i++)
            status = add_pair(job, across[r], job->pipelines[i], r, job->pipelines[i], PRINTED);
    return status == CONGRU_OK && job->rows > 0 ? congru_pairs_correct(job->paper->context, job->rows, job->row)
                                                : status;
}

/* "ahead: none; behind: dct+tslr; not told apart: ..." of a family. */
static congru_status judge_family(const recipes_job *job, const congru_pair *row, size_t count)
{
    static const char *const words[3] = {"ahead", "behind", "not told apart"};
    char line[1024];
    size_t used = (size_t)snprintf(line, sizeof line, "%s:", row[0].dataset);
    for (size_t verdict = 0; verdict < 3; verdict++) {
        size_t named = 0;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s: ", verdict > 0 ? ";" : "",
                                 words[verdict]);
        for (size_t i = 0; i < count && used < sizeof line; i++) {
            bool sure = row[i].result.holm < LEVEL_PERCENT / 100.0;
            size_t own = !sure ? 2 : row[i].result.gain > 0 ? 0 : 1;
            if (own == verdict)
                used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", named++ > 0 ? ", " : "",
                                         row[i].a);
        }
        if (named == 0 && used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, "none");
    }
    return congru_paper_say(job->paper, CONGRU_PAPER_NOTE, false, "%s", line);
}

/* The rows of one family: they stand together. */
static size_t family_end(const recipes_job *job, size_t first)
{
    size_t end = first;
    while (end < job->rows && strcmp(job->row[end].dataset, job->row[first].dataset) == 0)
        end++;
    return end;
}

static congru_status show_families(const recipes_job *job)
{
    bool several = family_end(job, 0) < job->rows;
    congru_status status = CONGRU_OK;
    for (size_t first = 0, end; status == CONGRU_OK && first < job->rows; first = end) {
        congru_table table = {.title = "Pipelines compared, subject by subject"};
        end = family_end(job, first);
        if (several)
            status = congru_paper_say(job->paper, CONGRU_PAPER_LINE, true, "%s:", job->row[first].dataset);
        if (status == CONGRU_OK)
            status = congru_table_of_pairs(job->paper->context, end - first, job->row + first, false, &table);
        if (status == CONGRU_OK)
            status = congru_paper_table(job->paper, !several, &table, NULL);
        congru_table_clear(&table);
    }
    if (status == CONGRU_OK && job->rows > 0)
        status = congru_paper_say(job->paper, CONGRU_PAPER_LINE, true,
                                  "Verdicts at %d %%, by Holm's correction:", (int)LEVEL_PERCENT);
    for (size_t first = 0, end; status == CONGRU_OK && first < job->rows; first = end) {
        end = family_end(job, first);
        status = judge_family(job, job->row + first, end - first);
    }
    return status;
}

static congru_status recipes_of_set(const congru_paper_job *paper, size_t which)
{
    recipes_job job = {.paper = paper, .which = which};
    char c[CONGRU_OPTION_TEXT_SIZE];
    congru_status status = look_at_set(&job);
    for (size_t r = 0; status == CONGRU_OK && r < RECIPES; r++)
        if (is_run(r))
            status = run_recipe(&job, r);
    if (status == CONGRU_OK)
        status = compare(&job);
    if (status == CONGRU_OK)
        status = show_accuracies(&job);
    if (status == CONGRU_OK)
        status = congru_paper_say(
            paper, CONGRU_PAPER_TEXT, true,
            "'authors' has choices of ours after a description of the paper's authors' code; 'chosen' is "
            "the printed recipe with C and the step to stop at chosen on "
            "source subjects: %s of them are "
            "held out of training, and the weights are kept that are best for those. C of the other columns "
            "is %s.",
            job.validation, congru_paper_c(paper, c));
    if (status == CONGRU_OK)
        status = show_families(&job);
    free(job.row);
    congru_scores_list_clear(&job.scores);
    return status;
}

congru_status congru_reproduce_recipes(const congru_paper_job *job)
{
    return congru_paper_each_set(job, recipes_of_set, NULL);
}
