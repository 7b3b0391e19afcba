/* Asks a model about a set from the command line. SPDX-License-Identifier: Apache-2.0 */
#include "set_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "session.h"
#include "terminal.h"

void model_answers_clear(model_answers *answers)
{
    congru_predictions_destroy(&answers->predictions);
    congru_table_clear(&answers->imported);
    congru_set_destroy(&answers->set);
    congru_model_destroy(&answers->model);
    congru_context_destroy(&answers->context);
    free(answers->subjects);
}

void model_answers_print_dropped(const model_answers *answers)
{
    if (answers->dropped == 0)
        return;
    printf("\ndropped: %zu of %s\n", answers->dropped, congru_count(answers->found, "trial").text);
    for (size_t i = 0; i < answers->imported.notes; i++) {
        terminal_clean(answers->imported.note[i]);
        terminal_wrap(answers->imported.note[i], 0, 2, "");
    }
}

static int parse(const arguments *parsed, congru_prediction_options *options, int *jobs)
{
    int code = options_integer(parsed, "jobs", 0, 0, CONGRU_THREADS_MAX, jobs);
    if (code == EXIT_DONE)
        code = options_target(parsed, &options->target);
    if (code == EXIT_DONE)
        code = options_align_by(parsed, &options->align_by_session);
    options->ignore_labels = options_given(parsed, "unlabelled");
    return code;
}

static int fail(const model_answers *answers, const char *path)
{
    const char *error = congru_context_error(answers->context);
    if (strncmp(error, path, strlen(path)) == 0)
        return terminal_fail(EXIT_FAILED, "%s", error);
    return terminal_fail(EXIT_FAILED, "%s: %s", path, error);
}

const char *model_meta(const congru_model *model)
{
    const char *name, *text;
    for (size_t i = 0; congru_model_text(model, i, &name, &text); i++)
        if (strcmp(name, "preprocessing") == 0)
            return text;
    return NULL;
}

static congru_status run_import(const arguments *parsed, const congru_import *importer, model_answers *answers)
{
    const char *const *paths = (const char *const *)parsed->operands + 1;
    congru_import_summary *summary = NULL;
    congru_status status = congru_import_run(answers->context, importer, paths, parsed->operand_count - 1,
                                             &answers->set, &summary);
    for (size_t i = 0; status == CONGRU_OK && i < summary->files; i++) {
        answers->found += summary->file[i].report.found;
        answers->dropped += summary->file[i].report.found - summary->file[i].report.kept;
    }
    if (status == CONGRU_OK)
        status = congru_table_of_import(answers->context, summary, answers->set, &answers->imported);
    congru_import_summary_destroy(&summary);
    return status;
}

/* Recordings and files of trials, imported as the model's own were. */
static int import(const arguments *parsed, model_answers *answers)
{
    congru_context *context = answers->context;
    static const char *const given[] = {"events", "unit", "stream"}; /* options of import by the same names */
    congru_import *importer = NULL;
    congru_status status = congru_import_create(context, &importer);
    if (status == CONGRU_OK)
        status = congru_import_like(context, importer, congru_model_preprocessing(answers->model),
                                    model_meta(answers->model));
    int code = status == CONGRU_OK ? EXIT_DONE : fail(answers, parsed->operands[0]);
    for (size_t i = 0; code == EXIT_DONE && i < sizeof given / sizeof given[0]; i++) {
        const char *name = given[i], *value = options_value(parsed, name);
        if (value != NULL && (status = congru_import_set(context, importer, name, value)) != CONGRU_OK)
            code = option_fail(context, parsed->command, status);
    }
    if (code == EXIT_DONE && congru_model_needs_signals(answers->model) &&
        (status = congru_import_set(context, importer, "keep-signals", "")) != CONGRU_OK)
        code = option_fail(context, parsed->command, status);
    if (code == EXIT_DONE && run_import(parsed, importer, answers) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    congru_import_destroy(&importer);
    return code;
}

/* A set; its signals are treated as the model's were. */
static int read_set(const arguments *parsed, model_answers *answers)
{
    congru_context *context = answers->context;
    const char *path = parsed->operands[1], *unit = options_value(parsed, "unit");
    congru_preprocessing p;
    if (parsed->operand_count != 2)
        return terminal_fail(EXIT_USAGE, "%s: one set at a time (see 'congru help %s')", parsed->command,
                             parsed->command);
    congru_preprocessing_init_raw(&p);
    congru_status status = unit != NULL ? congru_preprocessing_set(context, &p, NULL, "unit", unit) : CONGRU_OK;
    if (status != CONGRU_OK)
        return option_fail(context, parsed->command, status);
    if (congru_set_read(context, path, &answers->set) != CONGRU_OK)
        return input_fail(context, path, CONGRU_FILE_SET);
    if (congru_model_prepare(context, answers->model, answers->set, p.scale) != CONGRU_OK)
        return fail(answers, path);
    return EXIT_DONE;
}

/* Whether the data stand before the model. */
static bool is_swapped(congru_context *context, const arguments *parsed, congru_file_kind second)
{
    congru_file_kind first;
    return second == CONGRU_FILE_MODEL &&
           congru_file_kind_of(context, parsed->operands[0], &first) == CONGRU_OK &&
           first != CONGRU_FILE_MODEL && first != CONGRU_FILE_UNKNOWN;
}

static int load(const arguments *parsed, model_answers *answers)
{
    congru_context *context = answers->context;
    const char *path = parsed->operands[1];
    congru_file_kind kind;
    if (congru_file_kind_of(context, path, &kind) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    if (is_swapped(context, parsed, kind))
        return terminal_fail(EXIT_FAILED, "%s: the model comes first ('congru %s %s %s')", parsed->operands[0],
                             parsed->command, path, parsed->operands[0]);
    int code = model_load(context, parsed->operands[0], &answers->model);
    if (code != EXIT_DONE)
        return code;
    set_short_name(path, answers->dataset, sizeof answers->dataset);
    return kind == CONGRU_FILE_RECORDING || kind == CONGRU_FILE_TRIALS ? import(parsed, answers)
                                                                       : read_set(parsed, answers);
}

/* Numbers of a set were looked at when it was read: where an answer is none, those of the model are to blame. */
static int ask(const arguments *parsed, const congru_prediction_options *options, model_answers *answers)
{
    const congru_status status =
        congru_model_predict(answers->context, answers->model, answers->set, options, &answers->predictions);
    const char *error = congru_context_error(answers->context);
    if (status == CONGRU_OK)
        return EXIT_DONE;
    if (status == CONGRU_ERROR_NOT_FINITE || status == CONGRU_ERROR_FORMAT)
        return terminal_fail(EXIT_FAILED, "%s: asked about %s: %s (is the model whole?)", parsed->operands[0],
                             parsed->operands[1], error);
    return terminal_fail(EXIT_FAILED, "%s: %s", parsed->operands[1], error);
}

int model_ask(const arguments *parsed, bool keep_aligned, model_answers *answers)
{
    congru_prediction_options options = {.keep_aligned = keep_aligned};
    char where[64];
    int jobs = 0;
    *answers = (model_answers){.context = NULL};
    if (parsed->operand_count < 2)
        return terminal_fail(EXIT_USAGE, "%s: a model and a set are needed (see 'congru help %s')",
                             parsed->command, parsed->command);
    int code = parse(parsed, &options, &jobs);
    if (code == EXIT_DONE)
        code = session_open(jobs, &answers->context);
    if (code == EXIT_DONE)
        code = load(parsed, answers);
    snprintf(where, sizeof where, "%s: --subjects", parsed->command);
    if (code == EXIT_DONE)
        code = subject_list_find(answers->context, where, options_value(parsed, "subjects"),
                                 parsed->operands[1], answers->set, &answers->subjects, &options.subject_count);
    options.subjects = answers->subjects;
    return code == EXIT_DONE ? ask(parsed, &options, answers) : code;
}
