/* Runs pipelines on sets and prints them beside the paper's. SPDX-License-Identifier: Apache-2.0 */
#include "reproduce_sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper_tables.h"
#include "reproduce.h"
#include "session.h"
#include "set_load.h"

enum { PATH_SIZE = 1024, LIST_SIZE = 1024 };

int reproduce_sets_open(run_state *run, arguments *chosen, const arguments *parsed, size_t which,
                        const char *pipelines)
{
    *chosen = *parsed;
    chosen->operands += which;
    chosen->operand_count = 1;
    if (!options_given(chosen, "pipelines"))
        options_set(chosen, "pipelines", pipelines);
    *run = (run_state){.parsed = chosen};
    return evaluation_open(run);
}

void reproduce_sets_name(const run_state *run, char name[RUN_NAME_SIZE])
{
    const char *known = paper_dataset(run->dataset);
    paper_set paper;
    if (known == NULL || !paper_set_read(known, &paper))
        snprintf(name, RUN_NAME_SIZE, "%s", run->dataset);
    else if (run->set->classes == paper.classes)
        snprintf(name, RUN_NAME_SIZE, "%s", known);
    else
        snprintf(name, RUN_NAME_SIZE, "%s (%zu classes)", known, run->set->classes);
}

/* The fewest and the most trials of a subject. */
static void count_trials(const congru_set *set, size_t *least, size_t *most)
{
    *least = set->count;
    *most = 0;
    for (size_t s = 0; s < set->subjects; s++) {
        size_t own = 0;
        for (size_t i = 0; i < set->count; i++)
            own += (size_t)set->subject[i] == s;
        *least = own < *least ? own : *least;
        *most = own > *most ? own : *most;
    }
}

static void describe_range(char text[48], size_t least, size_t most)
{
    if (least == most)
        snprintf(text, 48, "%zu", least);
    else
        snprintf(text, 48, "%zu to %zu", least, most);
}

/* "; 89 trials of a subject where the paper has 288" */
static void add_difference(char *line, size_t size, bool differs, const char *ours, const char *what,
                           const char *paper)
{
    size_t used = strlen(line);
    if (differs)
        snprintf(line + used, size - used, "%s%s %s where the paper has %s", used > 0 ? ", " : "", ours, what,
                 paper);
}

void reproduce_sets_remark(const run_state *run, char remark[REMARK_SIZE])
{
    const congru_set *set = run->set;
    char line[512] = "", name[RUN_NAME_SIZE], ours[48], theirs[48];
    const char *known = paper_dataset(run->dataset);
    paper_set paper;
    size_t least, most;
    remark[0] = '\0';
    if (known == NULL || !paper_set_read(known, &paper))
        return;
    count_trials(set, &least, &most);
    describe_range(ours, set->classes, set->classes);
    describe_range(theirs, paper.classes, paper.classes);
    add_difference(line, sizeof line, set->classes != paper.classes, ours, "classes", theirs);
    describe_range(ours, set->subjects, set->subjects);
    describe_range(theirs, paper.subjects, paper.subjects);
    add_difference(line, sizeof line, set->subjects != paper.subjects, ours, "subjects", theirs);
    describe_range(ours, set->dimension, set->dimension);
    describe_range(theirs, paper.channels, paper.channels);
    add_difference(line, sizeof line, set->dimension != paper.channels, ours, "channels", theirs);
    describe_range(ours, least, most);
    describe_range(theirs, paper.trials_least, paper.trials_most);
    add_difference(line, sizeof line, least < paper.trials_least || most > paper.trials_most, ours,
                   "trials of a subject", theirs);
    if (line[0] == '\0')
        return;
    reproduce_sets_name(run, name);
    snprintf(remark, REMARK_SIZE, "%s: %s%s; the whole set is what 'congru presets %s' names", name, line,
             set->classes != paper.classes ? "; it is not compared with the paper's" : "", known);
}

void reproduce_sets_absent(const char *dataset)
{
    printf("%s: data not given; its files are those that 'congru presets %s' names\n", dataset, dataset);
}

void reproduce_sets_print_remark(const run_state *run)
{
    char remark[REMARK_SIZE];
    reproduce_sets_remark(run, remark);
    if (remark[0] != '\0') {
        terminal_wrap(remark, 0, 2, "");
        printf("\n");
    }
}

void reproduce_sets_print_remarks(const reproduce_sets *sets)
{
    for (size_t i = 0; i < sets->remarks.notes; i++) {
        terminal_wrap(sets->remarks.note[i], 0, 2, "");
        printf("\n");
    }
}

/* ---- Running ---- */

bool reproduce_sets_exists(const reproduce_sets *sets, const char *pipeline)
{
    return congru_pipeline_check(sets->context, pipeline) == CONGRU_OK;
}

/* Those of the list that exist, with commas between. */
static int keep_known(const reproduce_sets *sets, const char *pipelines, char known[LIST_SIZE])
{
    text_list names = {0};
    size_t used = 0;
    int code = text_list_split(&names, "reproduce", pipelines);
    known[0] = '\0';
    for (size_t i = 0; code == EXIT_DONE && i < names.count; i++)
        if (reproduce_sets_exists(sets, names.item[i]))
            used +=
                (size_t)snprintf(known + used, LIST_SIZE - used, "%s%s", used > 0 ? "," : "", names.item[i]);
    text_list_clear(&names);
    return code;
}

/* A set of covariances alone does not hold up what needs no more than those. */
static void drop_without_signals(run_state *run, const char **kept)
{
    congru_pipeline_description about;
    size_t count = 0;
    for (size_t i = 0; i < run->options.pipeline_count; i++)
        if (run->set->signals != NULL ||
            congru_pipeline_describe(run->context, run->options.pipelines[i], &about) != CONGRU_OK ||
            !about.needs_signals)
            kept[count++] = run->options.pipelines[i];
    run->options.pipelines = kept;
    run->options.pipeline_count = count;
}

static bool add_fold(reproduce_sets *sets, const char *dataset, const char *subject, const char *pipeline,
                     const congru_fold *fold)
{
    return score_list_add(&sets->scores, dataset, subject, pipeline, 100 * fold->accuracy) &&
           score_list_add(&sets->aligning, dataset, subject, pipeline, fold->aligning) &&
           score_list_add(&sets->fitting, dataset, subject, pipeline, fold->fitting) &&
           score_list_add(&sets->predicting, dataset, subject, pipeline,
                          fold->seconds - fold->aligning - fold->fitting);
}

static int run_set(reproduce_sets *sets, const arguments *parsed, size_t which, const char *pipelines,
                   congru_protocol protocol, const char *suffix)
{
    char short_name[RUN_NAME_SIZE], name[RUN_NAME_SIZE + 32], folder[PATH_SIZE], dataset[RUN_NAME_SIZE];
    char remark[REMARK_SIZE];
    run_state run;
    arguments chosen;
    congru_results *results = NULL;
    const char **kept = NULL;
    int code = reproduce_sets_open(&run, &chosen, parsed, which, pipelines);
    set_short_name(parsed->operands[which], short_name, sizeof short_name);
    snprintf(name, sizeof name, "%s%s", short_name, suffix);
    if (code == EXIT_DONE)
        code = reproduce_folder(parsed, name, folder, sizeof folder);
    run.options.folder = folder;
    run.options.protocol = protocol;
    if (code == EXIT_DONE && (kept = calloc(run.options.pipeline_count, sizeof *kept)) == NULL)
        code = terminal_fail(EXIT_FAILED, "%s: not enough memory", folder);
    if (code == EXIT_DONE) {
        if (!options_given(parsed, "pipelines"))
            drop_without_signals(&run, kept);
        reproduce_sets_remark(&run, remark);
        if (remark[0] != '\0')
            congru_table_note(&sets->remarks, remark);
        reproduce_sets_name(&run, dataset);
        code = evaluation_call(&run, &results);
    }
    for (size_t i = 0; code == EXIT_DONE && i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        if (!add_fold(sets, dataset, results->subject_name[fold->subject], results->pipeline[fold->pipeline],
                      fold))
            code = terminal_fail(EXIT_FAILED, "%s: not enough memory", folder);
    }
    free(kept);
    congru_results_destroy(&results);
    evaluation_close(&run);
    return code;
}

int reproduce_sets_run(reproduce_sets *sets, const arguments *parsed, const char *pipelines,
                       congru_protocol protocol, const char *suffix)
{
    char known[LIST_SIZE];
    int code = sets->context == NULL ? session_open(1, &sets->context) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = keep_known(sets, pipelines, known);
    for (size_t i = 0; code == EXIT_DONE && i < parsed->operand_count; i++)
        code = run_set(sets, parsed, i, known, protocol, suffix);
    return code;
}

/* ---- Printing ---- */

static int print_dataset(const reproduce_sets *sets, const char *dataset, const char *file,
                         const char *pipelines)
{
    congru_table table = {0};
    text_list names = {0};
    int code = text_list_split(&names, "reproduce", pipelines);
    congru_table_headings(&table, 4, (const char *const[]){dataset, "paper", "ours", "difference"});
    for (size_t i = 0; i < names.count; i++) {
        double deviation, mean = score_list_mean(&sets->scores, dataset, names.item[i], NULL, &deviation);
        double paper = paper_number(file, "mean", dataset, names.item[i]);
        congru_table_format_text(&table, "%s", names.item[i]);
        reproduce_add_number(&table, paper, paper_number(file, "deviation", dataset, names.item[i]));
        if (isnan(mean) && !reproduce_sets_exists(sets, names.item[i]))
            congru_table_format_text(&table, "no such method");
        else
            reproduce_add_number(&table, mean, deviation);
        reproduce_add_difference(&table, mean, paper);
    }
    if (code == EXIT_DONE)
        code = table_show(&table, 0);
    text_list_clear(&names);
    congru_table_clear(&table);
    return code;
}

bool reproduce_sets_given(const reproduce_sets *sets, const char *dataset)
{
    for (size_t t = 0; t < sets->scores.count; t++)
        if (strcmp(sets->scores.item[t]->name, dataset) == 0)
            return true;
    return false;
}

int reproduce_sets_print(const reproduce_sets *sets, const char *file, const char *pipelines)
{
    int code = EXIT_DONE;
    reproduce_sets_print_remarks(sets);
    for (size_t i = 0; code == EXIT_DONE && paper_dataset_at(i) != NULL; i++) {
        const char *dataset = paper_dataset_at(i);
        printf(i > 0 ? "\n" : "");
        if (reproduce_sets_given(sets, dataset))
            code = print_dataset(sets, dataset, file, pipelines);
        else
            reproduce_sets_absent(dataset);
    }
    for (size_t t = 0; code == EXIT_DONE && t < sets->scores.count; t++)
        if (paper_dataset(sets->scores.item[t]->name) == NULL) {
            printf("\n");
            code = print_dataset(sets, sets->scores.item[t]->name, file, pipelines);
        }
    return code;
}

int reproduce_sets_each(const arguments *parsed, int (*one)(const arguments *parsed, size_t which))
{
    int code = EXIT_DONE;
    if (parsed->operand_count == 0)
        reproduce_sets_absent("bnci2014-001");
    for (size_t i = 0; code == EXIT_DONE && i < parsed->operand_count; i++) {
        printf(i > 0 ? "\n" : "");
        code = one(parsed, i);
    }
    return code;
}

int reproduce_sets_printed(const char *file, congru_scores_list *tables)
{
    paper_row row;
    for (size_t i = 0; paper_row_read(file, i, &row) > 0; i++)
        if (!score_list_add(tables, row.field[0], row.field[1], row.field[2], strtod(row.field[3], NULL)))
            return terminal_fail(EXIT_FAILED, "not enough memory for the paper's columns");
    return EXIT_DONE;
}

void reproduce_sets_clear(reproduce_sets *sets)
{
    congru_scores_list_clear(&sets->scores);
    congru_scores_list_clear(&sets->aligning);
    congru_scores_list_clear(&sets->fitting);
    congru_scores_list_clear(&sets->predicting);
    congru_table_clear(&sets->remarks);
    congru_context_destroy(&sets->context);
}
