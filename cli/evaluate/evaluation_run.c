/* Runs an evaluation from the command line. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "session.h"
#include "set_load.h"
#include "table_show.h"
#include "terminal.h"

/* Once: several may see it, and another process may have been the first. */
static int tell_interrupted(run_state *run)
{
    const int code = session_interrupted_code();
    if (!run->told && run->where[0] == '\0')
        terminal_fail(code, "interrupted");
    else if (!run->told)
        terminal_fail(code,
                      "interrupted; what is done is in %s (%zu of %s), and the same command goes on from there",
                      run->where, run->done, congru_count(run->total, "fold").text);
    run->told = true;
    return code;
}

/* What is told with the next count of folds. A part that was told does not fall. */
static void watch(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    run_state *run = user;
    run->work.part = part > run->work.part && part <= 1 ? part : run->work.part;
    if (pipeline != NULL && steps > 0)
        snprintf(run->doing, sizeof run->doing, "folds, %.40s step %zu of %zu", pipeline, step, steps);
    else if (pipeline != NULL)
        snprintf(run->doing, sizeof run->doing, "folds, %.40s", pipeline);
    else
        snprintf(run->doing, sizeof run->doing, "folds");
}

static bool progress(void *user, size_t done, size_t total)
{
    run_state *run = user;
    if (run->counts_folds) {
        run->done = done;
        run->total = total;
    }
    if (run->counts_folds && process_group_leads())
        terminal_progress_timed(&run->work, done, total, run->doing[0] != '\0' ? run->doing : "folds");
    /* At once: several processes that are interrupted are not waited for long. */
    if (run->counts_folds && session_interrupted())
        tell_interrupted(run);
    return !session_interrupted();
}

/* The names of a whole family. */
static int list_family(run_state *run, bool classical)
{
    char name[CONGRU_PIPELINE_SIZE];
    size_t count = 0;
    while (congru_pipeline_at(count, classical, name))
        count++;
    run->pipeline = calloc(count + 1, sizeof *run->pipeline);
    run->pipeline_name = calloc(count + 1, sizeof *run->pipeline_name);
    if (run->pipeline == NULL || run->pipeline_name == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for %zu pipelines", count);
    for (size_t i = 0; i < count; i++) {
        congru_pipeline_at(i, classical, run->pipeline[i]);
        run->pipeline_name[i] = run->pipeline[i];
    }
    run->options.pipelines = run->pipeline_name;
    run->options.pipeline_count = count;
    return EXIT_DONE;
}

static int parse_pipelines(run_state *run)
{
    const char *text = options_value(run->parsed, "pipelines");
    if (text == NULL)
        text = run->motor && congru_pipeline_suits(run->context, run->set, "motor") == CONGRU_OK
                   ? "ra+mdm,ra+tslr,ra+tsa-lda,ra+csp-lda,motor"
                   : "ra+mdm,ra+tslr,ra+tsa-lda,ra+csp-lda";
    if (strcmp(text, "classical") == 0 || strcmp(text, "all") == 0)
        return list_family(run, text[0] == 'c');
    char where[64];
    snprintf(where, sizeof where, "%s: --pipelines", run->parsed->command);
    int code = text_list_split(&run->pipelines, where, text);
    for (size_t i = 0; code == EXIT_DONE && i < run->pipelines.count; i++) {
        const congru_status status = congru_pipeline_check(run->context, run->pipelines.item[i]);
        if (status != CONGRU_OK)
            code = option_fail(run->context, run->parsed->command, status);
    }
    run->options.pipelines = (const char *const *)run->pipelines.item;
    run->options.pipeline_count = run->pipelines.count;
    return code;
}

static int parse_subjects(run_state *run)
{
    char where[64];
    snprintf(where, sizeof where, "%s: --subjects", run->parsed->command);
    int code =
        subject_list_find(run->context, where, options_value(run->parsed, "subjects"), run->parsed->operands[0],
                          run->set, &run->subject, &run->options.subject_count);
    run->options.subjects = run->subject;
    return code;
}

static int parse_modes(run_state *run)
{
    int code = options_target(run->parsed, &run->options.target);
    if (code == EXIT_DONE)
        code = options_align_by(run->parsed, &run->options.align_by_session);
    run->options.causal = options_given(run->parsed, "causal");
    return code;
}

/* The command line again, as a shell would take it. The options parser has moved the operands to the front. */
static void describe_command(run_state *run)
{
    const arguments *parsed = run->parsed;
    size_t used = (size_t)snprintf(run->command, RUN_COMMAND_SIZE, "congru %s", parsed->command);
    for (size_t i = 0; i < parsed->operand_count && used < RUN_COMMAND_SIZE; i++)
        used += (size_t)snprintf(run->command + used, RUN_COMMAND_SIZE - used, " '%s'", parsed->operands[i]);
    const option *found;
    for (size_t i = 0; (found = options_at(parsed->table, i)) != NULL && used < RUN_COMMAND_SIZE; i++) {
        const char *value = options_value(parsed, found->name);
        if (value == NULL)
            continue;
        used += (size_t)snprintf(run->command + used, RUN_COMMAND_SIZE - used,
                                 found->argument != NULL ? " --%s '%s'" : " --%s", found->name, value);
    }
}

static void name_folder(run_state *run)
{
    const char *dataset = options_value(run->parsed, "dataset"), *output = options_value(run->parsed, "output");
    set_short_name(run->parsed->operands[0], run->dataset, sizeof run->dataset);
    snprintf(run->folder, sizeof run->folder, "%s-%s", run->dataset, run->parsed->command);
    if (dataset != NULL)
        snprintf(run->dataset, sizeof run->dataset, "%s", dataset);
    terminal_clean(run->dataset); /* it is printed, and stands in tables that others print */
    run->options.dataset = run->dataset;
    run->options.folder = output != NULL ? output : run->folder;
}

void evaluation_catch_interrupts(run_state *run)
{
    session_catch_interrupts();
    run->options.watch = watch;
    run->options.watch_user = run;
}

void evaluation_running(run_state *run, const char *folder)
{
    run->counts_folds = folder != NULL;
    if (folder == NULL) {
        terminal_progress_end();
        return;
    }
    run->work = (terminal_work){0};
    run->doing[0] = '\0';
    run->done = run->total = 0;
    snprintf(run->where, sizeof run->where, "%s", folder);
}

int evaluation_end(run_state *run, congru_status status)
{
    evaluation_running(run, NULL);
    if (status == CONGRU_ERROR_CANCELLED && session_interrupted())
        return tell_interrupted(run);
    return status == CONGRU_OK ? EXIT_DONE
                               : terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

int evaluation_call(run_state *run, congru_results **results)
{
    evaluation_catch_interrupts(run);
    evaluation_running(run, run->options.folder);
    return evaluation_end(run, congru_evaluate(run->context, run->set, &run->options, results));
}

int evaluation_call_curve(run_state *run, size_t count, const int *number, congru_curve **curve)
{
    evaluation_catch_interrupts(run);
    evaluation_running(run, run->options.folder);
    return evaluation_end(run,
                          congru_curve_evaluate(run->context, run->set, &run->options, count, number, curve));
}

/* "5 folds, shuffled ...": what is left out, where it is not one subject. */
static void describe_folds(const run_state *run)
{
    const congru_evaluation_options *options = &run->options;
    if (options->groups > 0)
        printf("subjects left out in %d groups, each fitted on the others\n", options->groups);
    if (options->protocol == CONGRU_PROTOCOL_FOLDS && options->contiguous)
        printf("%d folds of each subject, contiguous blocks in the order of the set\n", options->folds);
    else if (options->protocol == CONGRU_PROTOCOL_FOLDS)
        printf("%d folds of each subject, shuffled, with equal shares of each class, seed %llu\n",
               options->folds, (unsigned long long)options->method.seed);
    else if (options->protocol == CONGRU_PROTOCOL_SESSION_OUT)
        printf("each session left out in turn, fitted on the subject's others\n");
}

static int evaluate(run_state *run)
{
    congru_results *results = NULL;
    int code = evaluation_call(run, &results);
    if (code == EXIT_DONE && run->diagnostics && process_group_leads())
        code = evaluation_end(run, congru_diagnostics_write(run->context, run->set, &run->options));
    if (code != EXIT_DONE) {
        congru_results_destroy(&results);
        return code;
    }
    printf("%s: %s, %s, %s, %s; target %s\n", run->dataset, congru_count(run->set->subjects, "subject").text,
           congru_count(run->set->count, "trial").text, congru_count(run->set->classes, "class").text,
           congru_count(run->set->dimension, "channel").text, congru_target_name(run->options.target));
    if (results->resumed > 0)
        printf("%zu of %zu folds %s there from before\n", results->resumed, results->folds,
               results->resumed == 1 ? "was" : "were");
    describe_folds(run);
    code = pipeline_signals_print(run->context, run->set, &run->options);
    printf("\n");
    if (code == EXIT_DONE)
        code = results_show_scores(run->context, results, &metrics_default, false, CONGRU_TABLE_TEXT);
    printf("\nResults in %s\n", run->options.folder);
    congru_results_destroy(&results);
    return code;
}

int evaluation_settle(run_state *run)
{
    congru_evaluation_options_init(&run->options);
    int jobs = 0, code = options_integer(run->parsed, "jobs", 0, 0, CONGRU_THREADS_MAX, &jobs);
    if (code == EXIT_DONE)
        code = session_open_with(&(congru_context_options){.threads = process_group_threads(jobs),
                                                           .progress = progress,
                                                           .progress_user = run},
                                 &run->context);
    if (code == EXIT_DONE)
        code = method_settings_parse(run->context, run->parsed, &run->options.method);
    if (code == EXIT_DONE)
        code = parse_modes(run);
    if (code == EXIT_DONE)
        describe_command(run);
    run->options.command = run->command;
    run->options.processes = process_group_of_command();
    run->options.data_parallel = options_given(run->parsed, "data-parallel");
    return code;
}

int evaluation_choose(run_state *run)
{
    int code = evaluation_settle(run);
    if (code == EXIT_DONE)
        code = pipeline_file_read(run->context, run->parsed);
    if (code == EXIT_DONE && options_given(run->parsed, "pipelines"))
        code = parse_pipelines(run);
    return code;
}

int evaluation_open(run_state *run)
{
    int code = evaluation_choose(run);
    if (code == EXIT_DONE)
        code = set_load(run->context, run->parsed, run->parsed->operands[0], &run->set);
    if (code == EXIT_DONE && !options_given(run->parsed, "pipelines")) /* which depends on what the set holds */
        code = parse_pipelines(run);
    run->options.file = run->parsed->operands[0];
    if (code == EXIT_DONE)
        code = parse_subjects(run);
    if (code == EXIT_DONE)
        name_folder(run);
    return code;
}

void evaluation_close(run_state *run)
{
    congru_set_destroy(&run->set);
    congru_context_destroy(&run->context);
    text_list_clear(&run->pipelines);
    free(run->pipeline);
    free(run->pipeline_name);
    free(run->subject);
}

/* ---- Learning curves ---------------------------------------------------------------------------------------- */

enum { PATH_SIZE = 1024, NUMBER_MAX = 100000 };

/* Labelled trials of each class, ascending. */
typedef struct calibration_list {
    size_t count;
    int number[CONGRU_CURVE_MAX];
} calibration_list;

/* "0,1,2,5"; nothing of NULL. */
static int calibration_parse(const arguments *parsed, const char *text, calibration_list *list)
{
    text_list words = {0};
    char what[64];
    if (text == NULL)
        return EXIT_DONE;
    snprintf(what, sizeof what, "%s: --calibration", parsed->command);
    int code = text_list_split(&words, what, text);
    for (size_t i = 0; code == EXIT_DONE && i < words.count; i++) {
        if (i == CONGRU_CURVE_MAX)
            code = terminal_fail(EXIT_USAGE, "%s: at most %d numbers", what, (int)CONGRU_CURVE_MAX);
        else
            code = options_parse_integer(what, words.item[i], 0, NUMBER_MAX, &list->number[i]);
        if (code == EXIT_DONE && i > 0 && list->number[i] <= list->number[i - 1])
            code = terminal_fail(EXIT_USAGE, "%s wants ascending numbers, not '%s'", what, text);
        list->count = i + 1;
    }
    text_list_clear(&words);
    return code;
}

static int save(run_state *run, const congru_table *table, const char *parent)
{
    char path[PATH_SIZE], *text = NULL;
    snprintf(path, sizeof path, "%s/curve.csv", parent);
    congru_status status = congru_table_print(run->context, table, CONGRU_TABLE_CSV, NULL, &text);
    if (status == CONGRU_OK)
        status = congru_report_write(run->context, path, text, strlen(text));
    congru_report_text_destroy(&text);
    return status == CONGRU_OK ? EXIT_DONE
                               : terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

/* Runs each number in a folder of its own below the run's, all scored on the trials behind the largest, and prints the
 * accuracies side by side; curve.csv in the run's folder has them too. */
static int calibration_curve(run_state *run, const calibration_list *list)
{
    const char *parent = run->options.folder;
    congru_curve *curve = NULL;
    congru_table table = {.title = "Accuracy by labelled target trials of each class"};
    int code = evaluation_call_curve(run, list->count, list->number, &curve);
    if (code == EXIT_DONE && congru_table_of_curve(run->context, curve, &table) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
    if (code == EXIT_DONE) {
        printf("%s: accuracy %% by the number of labelled target trials of each class, the first in the set;\n"
               "scored on the target's trials behind the first %d of each class\n",
               run->dataset, list->number[list->count - 1]);
        code = pipeline_signals_print(run->context, run->set, &run->options);
        printf("\n");
    }
    if (code == EXIT_DONE)
        code = table_show(&table, 0);
    if (code == EXIT_DONE && process_group_leads())
        code = save(run, &table, parent);
    if (code == EXIT_DONE)
        printf("\nResults in %s\n", parent);
    congru_curve_destroy(&curve);
    congru_table_clear(&table);
    return code;
}

int evaluation_run(const arguments *parsed, const run_choice *choice)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "%s: %s (see 'congru help %s')", parsed->command,
                             parsed->operand_count == 0 ? "the set is missing" : "one set at a time",
                             parsed->command);
    run_state run = {.parsed = parsed,
                     .diagnostics = choice->diagnostics,
                     .motor = choice->protocol == CONGRU_PROTOCOL_LOSO && !choice->diagnostics};
    calibration_list list = {0};
    int code = calibration_parse(parsed, choice->calibration, &list);
    if (code == EXIT_DONE)
        code = evaluation_open(&run);
    run.options.protocol = choice->protocol;
    run.options.folds = choice->folds;
    run.options.contiguous = choice->contiguous;
    run.options.calibration = list.count > 0 ? list.number[0] : 0;
    if (code == EXIT_DONE && choice->groups)
        code = options_integer(parsed, "groups", 0, 0, CONGRU_SUBJECT_GROUPS_MAX, &run.options.groups);
    if (code == EXIT_DONE && choice->diagnostics &&
        congru_diagnostics_pipeline(run.context, &run.options) == NULL)
        code = terminal_fail(EXIT_USAGE, "%s: --diagnostics needs a pipeline with a network", parsed->command);
    if (code == EXIT_DONE && choice->diagnostics && run.options.method.choose[0] != '\0')
        code =
            terminal_fail(EXIT_USAGE, "%s: --diagnostics follows a network whose options are given, not chosen",
                          parsed->command);
    if (code == EXIT_DONE)
        code = list.count > 1 ? calibration_curve(&run, &list) : evaluate(&run);
    evaluation_close(&run);
    return code;
}
