/* Asks a model about a set from the command line. SPDX-License-Identifier: Apache-2.0 */
#include "model_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "set_load.h"
#include "subject_list.h"
#include "terminal.h"

void model_answers_clear(model_answers *answers)
{
    congru_predictions_destroy(&answers->predictions);
    congru_set_destroy(&answers->set);
    congru_model_destroy(&answers->model);
    congru_context_destroy(&answers->context);
    free(answers->subjects);
}

static int parse(const arguments *parsed, congru_prediction_options *options, int *jobs)
{
    static const char *const align_by[] = {"subject", "session", NULL};
    const char *names[CONGRU_TARGET_COUNT + 1];
    char where[64];
    size_t choice = 0, by = 0;
    int code = options_integer(parsed, ASK_JOBS, 0, 0, CONGRU_THREADS_MAX, jobs);
    for (size_t i = 0; i <= CONGRU_TARGET_COUNT; i++)
        names[i] = congru_target_name((congru_target)i);
    snprintf(where, sizeof where, "%s: --target", parsed->command);
    if (code == EXIT_DONE && parsed->values[ASK_TARGET] != NULL)
        code = options_parse_choice(where, parsed->values[ASK_TARGET], names, &choice);
    snprintf(where, sizeof where, "%s: --align-by", parsed->command);
    if (code == EXIT_DONE && parsed->values[ASK_ALIGN_BY] != NULL)
        code = options_parse_choice(where, parsed->values[ASK_ALIGN_BY], align_by, &by);
    options->target = (congru_target)choice;
    options->align_by_session = by == 1;
    options->ignore_labels = parsed->values[ASK_UNLABELLED] != NULL;
    return code;
}

/* Covariances of a set that holds signals alone, as the model's were made. */
static int make_covariances(model_answers *answers, const char *path)
{
    const congru_preprocessing *p = congru_model_preprocessing(answers->model);
    congru_set *set = answers->set;
    set->covariance = malloc(set->count * set->dimension * set->dimension * sizeof *set->covariance);
    if (set->covariance == NULL)
        return terminal_fail(EXIT_FAILED, "%s: not enough memory for %zu covariances", path, set->count);
    if (congru_covariance(answers->context, p->estimator, p->trace_normalise, set->count, set->dimension,
                          set->samples, set->signals, set->covariance) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(answers->context));
    return EXIT_DONE;
}

static int load(const arguments *parsed, model_answers *answers)
{
    congru_context *context = answers->context;
    const char *path = parsed->operands[1];
    if (congru_model_load(context, parsed->operands[0], &answers->model) != CONGRU_OK ||
        congru_set_read(context, path, &answers->set) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    set_short_name(path, answers->dataset, sizeof answers->dataset);
    return answers->set->covariance == NULL ? make_covariances(answers, path) : EXIT_DONE;
}

int model_ask(const arguments *parsed, bool keep_aligned, model_answers *answers)
{
    congru_prediction_options options = {.keep_aligned = keep_aligned};
    char where[64];
    int jobs = 0;
    *answers = (model_answers){.context = NULL};
    if (parsed->operand_count != 2)
        return terminal_fail(EXIT_USAGE, "%s: %s (see 'congru help %s')", parsed->command,
                             parsed->operand_count < 2 ? "a model and a set are needed"
                                                       : "one model and one set at a time",
                             parsed->command);
    int code = parse(parsed, &options, &jobs);
    if (code == EXIT_DONE)
        code = session_open(jobs, &answers->context);
    if (code == EXIT_DONE)
        code = load(parsed, answers);
    snprintf(where, sizeof where, "%s: --subjects", parsed->command);
    if (code == EXIT_DONE)
        code = subject_list_find(where, parsed->values[ASK_SUBJECTS], parsed->operands[1], answers->set,
                                 &answers->subjects, &options.subject_count);
    options.subjects = answers->subjects;
    if (code == EXIT_DONE && congru_model_predict(answers->context, answers->model, answers->set, &options,
                                                  &answers->predictions) != CONGRU_OK)
        code =
            terminal_fail(EXIT_FAILED, "%s: %s", parsed->operands[1], congru_context_error(answers->context));
    return code;
}
