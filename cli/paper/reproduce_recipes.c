/* congru reproduce recipes: the paper's models under each recipe, one table. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"
#include "reproduce_sets.h"
#include "score_list.h"
#include "session.h"
#include "table_show.h"

#define BASELINE "ra+tslr"
#define MODELS "dct+tslr,dldct+tslr,ddct-unet+tslr,dct-e2e,dldct-e2e,ddct-unet-e2e"
#define PIPELINES BASELINE "," MODELS

enum { PRINTED, AUTHORS, CONGRU, CHOSEN, RECIPES };

/* Each with the ending of its folder; that of the printed recipe is the one of the paper's tables. */
static const struct {
    const char *name, *suffix, *recipe;
} recipes[RECIPES] = {
    [PRINTED] = {"printed", "", "printed"},
    [AUTHORS] = {"authors", "-authors", "authors"},
    [CONGRU] = {"congru", "-congru", "congru"},
    [CHOSEN] = {"chosen", "-chosen", "printed"},
};

enum { VALIDATION_PART = 5, LEVEL_PERCENT = 5 };

typedef struct recipes_job {
    const arguments *parsed;
    congru_context *context;
    text_list pipelines;       /* the baseline first */
    congru_scores_list scores; /* of "dct-e2e, authors" */
    char validation[16];
    char dataset[RUN_NAME_SIZE];
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

/* One source subject of five, and at least one, decides for 'chosen' when training has lasted long enough. */
static int look_at_set(recipes_job *job, size_t which)
{
    run_state run;
    arguments chosen;
    int code = reproduce_sets_open(&run, &chosen, job->parsed, which, PIPELINES);
    if (code == EXIT_DONE) {
        size_t sources = run.set->subjects - 1, held = (sources + VALIDATION_PART - 1) / VALIDATION_PART;
        reproduce_sets_name(&run, job->dataset);
        reproduce_sets_print_remark(&run);
        snprintf(job->validation, sizeof job->validation, "%zu", held < sources ? held : sources - 1);
        code = text_list_split(&job->pipelines, "reproduce recipes",
                               options_given(job->parsed, "pipelines") ? options_value(job->parsed, "pipelines")
                                                                       : PIPELINES);
    }
    evaluation_close(&run);
    return code;
}

static int add_scores(recipes_job *job, const reproduce_sets *sets, size_t recipe)
{
    char name[CONGRU_SCORE_NAME_SIZE];
    for (size_t t = 0; t < sets->scores.count; t++) {
        const congru_scores *table = sets->scores.item[t];
        for (size_t i = 0; i < table->pipelines * table->subjects; i++) {
            const double percent = table->value[CONGRU_SCORE_ACCURACY][i];
            name_cell(table->pipeline[i / table->subjects], recipe, name);
            if (!isnan(percent) && !score_list_add(&job->scores, job->dataset,
                                                   table->subject[i % table->subjects], name, percent / 100))
                return terminal_fail(EXIT_FAILED, "not enough memory for scores");
        }
    }
    return EXIT_DONE;
}

static int run_recipe(recipes_job *job, size_t which, size_t recipe)
{
    reproduce_sets sets = {0};
    arguments inner = *job->parsed;
    inner.operands += which;
    inner.operand_count = 1;
    options_set(&inner, "recipe", recipes[recipe].recipe);
    if (recipe == CHOSEN) {
        options_set(&inner, "C", "auto");
        if (options_value(&inner, "validation") == NULL)
            options_set(&inner, "validation", job->validation);
    }
    int code = reproduce_sets_run(&sets, &inner, PIPELINES, CONGRU_PROTOCOL_LOSO, recipes[recipe].suffix);
    if (code == EXIT_DONE)
        code = add_scores(job, &sets, recipe);
    reproduce_sets_clear(&sets);
    return code;
}

/* ---- Printing ---- */

static int print_accuracies(const recipes_job *job)
{
    congru_table table = {0};
    char name[CONGRU_SCORE_NAME_SIZE];
    congru_table_column_text(&table, job->dataset, NULL);
    for (size_t r = 0; r < RECIPES; r++)
        congru_table_column_text(&table, recipes[r].name, NULL);
    for (size_t i = 0; i < job->pipelines.count; i++) {
        congru_table_format_text(&table, "%s", job->pipelines.item[i]);
        for (size_t r = 0; r < RECIPES; r++) {
            double deviation;
            name_cell(job->pipelines.item[i], r, name);
            double mean = score_list_mean(&job->scores, job->dataset, name, NULL, &deviation);
            if (!is_run(r))
                congru_table_format_text(&table, "as printed");
            else
                reproduce_add_number(&table, 100 * mean, 100 * deviation);
        }
    }
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    return code;
}

/* Adds the comparison of two cells to the family of this title. */
static int add_pair(recipes_job *job, const char *title, const char *a, size_t a_recipe, const char *b,
                    size_t b_recipe)
{
    char names[2][CONGRU_SCORE_NAME_SIZE];
    congru_pair *row = &job->row[job->rows];
    name_cell(a, a_recipe, names[0]);
    name_cell(b, b_recipe, names[1]);
    if (congru_scores_compare(job->context, job->scores.count, (const congru_scores *const *)job->scores.item,
                              names[0], names[1], &row->result) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    row->dataset = title;
    row->a = a;
    row->b = a_recipe == b_recipe ? b : recipes[b_recipe].name;
    job->rows += row->result.count > 0;
    return EXIT_DONE;
}

/* Families, each corrected for its own number: models against the baseline within a recipe, and recipes against the
 * printed one pipeline by pipeline. */
static int compare(recipes_job *job)
{
    static const char *const within[RECIPES] = {
        "As printed, gain over " BASELINE, "Authors, gain over " BASELINE " with their covariances",
        "Congru, gain over " BASELINE, "Steps and C chosen on sources, gain over " BASELINE " with C chosen"};
    static const char *const across[RECIPES] = {NULL, "Authors, gain over printed", "Congru, gain over printed",
                                                "Steps and C chosen on sources, gain over printed"};
    int code = EXIT_DONE;
    job->row = calloc(2 * RECIPES * job->pipelines.count + 1, sizeof *job->row);
    if (job->row == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for comparisons");
    for (size_t r = 0; r < RECIPES; r++)
        for (size_t i = 0; code == EXIT_DONE && is_run(r) && i < job->pipelines.count; i++)
            if (strcmp(job->pipelines.item[i], BASELINE) != 0)
                code = add_pair(job, within[r], job->pipelines.item[i], r, BASELINE, r);
    for (size_t r = 1; r < RECIPES; r++)
        for (size_t i = 0; code == EXIT_DONE && is_run(r) && i < job->pipelines.count; i++)
            code = add_pair(job, across[r], job->pipelines.item[i], r, job->pipelines.item[i], PRINTED);
    if (code == EXIT_DONE && job->rows > 0 &&
        congru_pairs_correct(job->context, job->rows, job->row) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    return code;
}

/* "ahead: none; behind: dct+tslr; not told apart: ..." of a family. */
static void judge_family(const congru_pair *row, size_t count)
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
    terminal_wrap(line, 0, 2, "");
}

static int print(const recipes_job *job)
{
    int code = print_accuracies(job);
    char line[256];
    const char *given = options_value(job->parsed, "validation");
    snprintf(
        line, sizeof line,
        "'chosen' is the printed recipe with C and the step to stop at chosen on source subjects: %s of them "
        "are held out of training, and the weights are kept that are best for those.",
        given != NULL ? given : job->validation);
    printf("\n");
    terminal_wrap(line, 0, 0, "");
    printf("\n");
    if (code == EXIT_DONE && job->rows > 0)
        code = pairs_show(job->context, job->rows, job->row, false, CONGRU_TABLE_TEXT);
    if (code == EXIT_DONE && job->rows > 0)
        printf("\nVerdicts at %d %%, by Holm's correction:\n", (int)LEVEL_PERCENT);
    for (size_t first = 0, end; code == EXIT_DONE && first < job->rows; first = end) {
        for (end = first; end < job->rows && job->row[end].dataset == job->row[first].dataset; end++)
            ;
        judge_family(job->row + first, end - first);
    }
    return code;
}

static int recipes_of_set(const arguments *parsed, size_t which)
{
    recipes_job job = {.parsed = parsed};
    int code = session_open(1, &job.context);
    if (code == EXIT_DONE)
        code = look_at_set(&job, which);
    for (size_t r = 0; code == EXIT_DONE && r < RECIPES; r++)
        if (is_run(r))
            code = run_recipe(&job, which, r);
    if (code == EXIT_DONE)
        code = compare(&job);
    if (code == EXIT_DONE)
        code = print(&job);
    free(job.row);
    congru_scores_list_clear(&job.scores);
    text_list_clear(&job.pipelines);
    congru_context_destroy(&job.context);
    return code;
}

int reproduce_recipes(const arguments *parsed)
{
    if (options_value(parsed, "recipe") != NULL)
        return terminal_fail(EXIT_USAGE, "reproduce recipes: --recipe does not apply: all are run");
    return reproduce_sets_each(parsed, recipes_of_set);
}
