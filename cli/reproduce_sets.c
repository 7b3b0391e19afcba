/* Runs pipelines on sets, and prints them beside the paper's. SPDX-License-Identifier: Apache-2.0 */
#include "reproduce_sets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper_tables.h"
#include "reproduce.h"
#include "session.h"
#include "set_load.h"

enum { PATH_SIZE = 1024 };

int reproduce_sets_open(run_state *run, arguments *chosen, const arguments *parsed, size_t which,
                        const char *pipelines)
{
    *chosen = *parsed;
    chosen->operands += which;
    chosen->operand_count = 1;
    if (chosen->values[RUN_PIPELINES] == NULL)
        chosen->values[RUN_PIPELINES] = pipelines;
    *run = (run_state){.parsed = chosen};
    return evaluation_open(run);
}

const char *reproduce_sets_name(const run_state *run)
{
    const char *known = paper_dataset(run->dataset);
    return known != NULL ? known : run->dataset;
}

static int run_set(reproduce_sets *sets, const arguments *parsed, size_t which, const char *pipelines,
                   congru_protocol protocol, const char *suffix)
{
    char short_name[RUN_NAME_SIZE], name[RUN_NAME_SIZE + 32], folder[PATH_SIZE];
    run_state run;
    arguments chosen;
    congru_results *results = NULL;
    int code = reproduce_sets_open(&run, &chosen, parsed, which, pipelines);
    set_short_name(parsed->operands[which], short_name, sizeof short_name);
    snprintf(name, sizeof name, "%s%s", short_name, suffix);
    if (code == EXIT_DONE)
        code = reproduce_folder(parsed, name, folder, sizeof folder);
    run.options.folder = folder;
    run.options.protocol = protocol;
    if (code == EXIT_DONE)
        code = evaluation_call(&run, &results);
    for (size_t i = 0; code == EXIT_DONE && i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        const char *subject = results->subject_name[fold->subject],
                   *pipeline = results->pipeline[fold->pipeline];
        const char *dataset = reproduce_sets_name(&run);
        if (!score_tables_add(&sets->scores, dataset, subject, pipeline, 100 * fold->accuracy) ||
            !score_tables_add(&sets->seconds, dataset, subject, pipeline, fold->seconds))
            code = terminal_fail(EXIT_FAILED, "%s: not enough memory", folder);
    }
    congru_results_destroy(&results);
    evaluation_close(&run);
    return code;
}

int reproduce_sets_run(reproduce_sets *sets, const arguments *parsed, const char *pipelines,
                       congru_protocol protocol, const char *suffix)
{
    int code = sets->context == NULL ? session_open(1, &sets->context) : EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < parsed->operand_count; i++)
        code = run_set(sets, parsed, i, pipelines, protocol, suffix);
    return code;
}

static int print_dataset(const reproduce_sets *sets, const char *dataset, const char *file,
                         const char *pipelines)
{
    text_table table = {.columns = 4};
    text_list names = {0};
    int code = text_list_split(&names, "reproduce", pipelines);
    text_table_add(&table, "%s", dataset);
    text_table_add(&table, "paper");
    text_table_add(&table, "ours");
    text_table_add(&table, "difference");
    for (size_t i = 0; i < names.count; i++) {
        double deviation, mean = score_tables_mean(&sets->scores, dataset, names.item[i], NULL, &deviation);
        double paper = paper_number(file, "mean", dataset, names.item[i]);
        text_table_add(&table, "%s", names.item[i]);
        reproduce_add_number(&table, paper, paper_number(file, "deviation", dataset, names.item[i]));
        reproduce_add_number(&table, mean, deviation);
        reproduce_add_difference(&table, mean, paper);
    }
    if (code == EXIT_DONE)
        code = text_table_print(&table, 0);
    text_list_clear(&names);
    text_table_clear(&table);
    return code;
}

static bool is_given(const reproduce_sets *sets, const char *dataset)
{
    for (size_t t = 0; t < sets->scores.count; t++)
        if (strcmp(sets->scores.table[t].name, dataset) == 0)
            return true;
    return false;
}

int reproduce_sets_print(const reproduce_sets *sets, const char *file, const char *pipelines)
{
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && paper_dataset_at(i) != NULL; i++) {
        const char *dataset = paper_dataset_at(i);
        printf(i > 0 ? "\n" : "");
        if (is_given(sets, dataset))
            code = print_dataset(sets, dataset, file, pipelines);
        else
            printf("%s: data not given\n", dataset);
    }
    for (size_t t = 0; code == EXIT_DONE && t < sets->scores.count; t++)
        if (paper_dataset(sets->scores.table[t].name) == NULL) {
            printf("\n");
            code = print_dataset(sets, sets->scores.table[t].name, file, pipelines);
        }
    return code;
}

int reproduce_sets_each(const arguments *parsed, int (*one)(const arguments *parsed, size_t which))
{
    int code = EXIT_DONE;
    if (parsed->operand_count == 0)
        printf("bnci2014-001: data not given\n");
    for (size_t i = 0; code == EXIT_DONE && i < parsed->operand_count; i++) {
        printf(i > 0 ? "\n" : "");
        code = one(parsed, i);
    }
    return code;
}

void reproduce_sets_clear(reproduce_sets *sets)
{
    score_tables_clear(&sets->scores);
    score_tables_clear(&sets->seconds);
    congru_context_destroy(&sets->context);
}
