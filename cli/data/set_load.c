/* Reads sets and makes covariances of their signals as options say. SPDX-License-Identifier: Apache-2.0 */
#include "set_load.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "session.h"
#include "terminal.h"

static const option part_options[] = {
    {"classes", '\0', "A,B,...", "Keep the trials of these classes alone. Default: all."},
    {"keep-sessions", '\0', "N,M,...", "Keep the trials of these sessions alone, by number. Default: all."},
};

static const option_table signal_option_table = {.options = congru_preprocessing_options,
                                                 .count = CONGRU_PREPROCESSING_TRIAL_OPTIONS,
                                                 .title = "Signals of the set",
                                                 .more = &pipeline_option_table};
const option_table set_option_table = {.options = part_options,
                                       .count = sizeof part_options / sizeof part_options[0],
                                       .title = "The set",
                                       .more = &signal_option_table};

static int fail(const congru_context *context, const char *path)
{
    if (session_interrupted())
        return session_interrupted_code();
    return terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(context));
}

int option_fail(const congru_context *context, const char *who, congru_status status)
{
    return terminal_fail(terminal_refusal(status), "%s: %s", who, congru_context_error(context));
}

int input_fail(congru_context *context, const char *path, congru_file_kind wanted)
{
    char error[4200];
    congru_file_kind kind;
    const bool model = wanted == CONGRU_FILE_MODEL;
    snprintf(error, sizeof error, "%s", congru_context_error(context));
    if (congru_file_kind_of(context, path, &kind) != CONGRU_OK)
        kind = wanted;
    if (model && (kind == CONGRU_FILE_SET || kind == CONGRU_FILE_TRIALS))
        return terminal_fail(
            EXIT_FAILED,
            "%s: a set of trials, where a model is needed ('congru train %s -o model.safetensors' "
            "makes one)",
            path, path);
    if (kind == CONGRU_FILE_RECORDING)
        return terminal_fail(EXIT_FAILED,
                             "%s: a file of EEG, where a %s is needed (first 'congru import %s -o set.npz'%s)",
                             path, model ? "model" : "set of trials", path,
                             model ? ", then 'congru train set.npz -o model.safetensors'" : "");
    if (kind == CONGRU_FILE_MODEL && !model)
        return terminal_fail(
            EXIT_FAILED,
            "%s: a model, where a set of trials is needed ('congru predict %s SET.npz' asks it about "
            "one)",
            path, path);
    return terminal_fail(EXIT_FAILED, "%s", error);
}

int model_load(congru_context *context, const char *path, congru_model **model)
{
    return congru_model_load(context, path, model) == CONGRU_OK ? EXIT_DONE
                                                                : input_fail(context, path, CONGRU_FILE_MODEL);
}

static int keep_classes(congru_context *context, const arguments *parsed, const char *path, congru_set *set)
{
    text_list list = {0};
    int code = options_words(parsed, "classes", &list);
    if (code == EXIT_DONE && list.count > 0 &&
        congru_set_keep_classes(context, set, (const char *const *)list.item, list.count) != CONGRU_OK)
        code = fail(context, path);
    text_list_clear(&list);
    return code;
}

static int keep_sessions(congru_context *context, const arguments *parsed, const char *path, congru_set *set)
{
    text_list list = {0};
    int code = options_words(parsed, "keep-sessions", &list);
    if (code != EXIT_DONE || list.count == 0)
        return code;
    int32_t *session = calloc(list.count, sizeof *session);
    if (session == NULL)
        code = terminal_fail(EXIT_FAILED, "%s: not enough memory", path);
    for (size_t i = 0; code == EXIT_DONE && i < list.count; i++) {
        char *end;
        long number = strtol(list.item[i], &end, 10);
        if (*end != '\0' || end == list.item[i] || number < INT32_MIN || number > INT32_MAX)
            code = terminal_fail(EXIT_USAGE, "%s: --keep-sessions wants numbers of sessions, not '%s'",
                                 parsed->command, list.item[i]);
        else
            session[i] = (int32_t)number;
    }
    if (code == EXIT_DONE && congru_set_keep_sessions(context, set, session, list.count) != CONGRU_OK)
        code = fail(context, path);
    free(session);
    text_list_clear(&list);
    return code;
}

/* What the options ask for, and whether any was given. */
static int parse_signal(congru_context *context, const arguments *parsed, congru_preprocessing *p, bool *given)
{
    congru_preprocessing_init_raw(p);
    *given = false;
    for (size_t i = 0; i < CONGRU_PREPROCESSING_TRIAL_OPTIONS; i++) {
        const char *name = congru_preprocessing_options[i].name, *value = options_value(parsed, name);
        if (value == NULL)
            continue;
        *given = true;
        congru_status status = congru_preprocessing_set(context, p, NULL, name, value);
        if (status != CONGRU_OK)
            return option_fail(context, parsed->command, status);
    }
    return EXIT_DONE;
}

/* What the recipe says about covariances and the command line does not. Where signals are gone, what can be done without
 * them is. */
static int follow_recipe(congru_context *context, const arguments *parsed, const char *path,
                         const congru_set *set, congru_preprocessing *p, bool *given)
{
    congru_method_options options;
    congru_preprocessing have, asked;
    const congru_recipe_value *value;
    int code = method_settings_parse(context, parsed, &options);
    if (code != EXIT_DONE || congru_recipe_at(options.network.recipe, 0) == NULL)
        return code;
    if (congru_set_preprocessing(context, set, &have) != CONGRU_OK)
        return fail(context, path);
    congru_preprocessing_init_raw(&asked);
    for (size_t i = 0; (value = congru_recipe_at(options.network.recipe, i)) != NULL; i++)
        if (congru_method_option_find(value->option) == NULL && !options_given(parsed, value->option) &&
            congru_preprocessing_set(context, &asked, NULL, value->option, value->value) != CONGRU_OK)
            code = fail(context, path);
    if (set->signals != NULL) {
        p->estimator = options_given(parsed, "estimator") ? p->estimator : asked.estimator;
    } else if (asked.estimator != have.estimator) {
        terminal_warn(
            "%s holds covariances alone: the estimator of the recipe is left out (import it anew with "
            "--estimator %s, or with --keep-signals)",
            path, congru_estimator_name(asked.estimator));
    }
    const bool divide = asked.trace_normalise && (set->signals != NULL || !have.trace_normalise);
    p->trace_normalise = p->trace_normalise || divide;
    *given = *given || set->signals != NULL || divide;
    congru_preprocessing_clear(&have);
    congru_preprocessing_clear(&asked);
    return code;
}

int set_load(congru_context *context, const arguments *parsed, const char *path, congru_set **set)
{
    congru_preprocessing p;
    bool given;
    *set = NULL;
    int code = parse_signal(context, parsed, &p, &given);
    if (code == EXIT_DONE && congru_set_read(context, path, set) != CONGRU_OK)
        code = input_fail(context, path, CONGRU_FILE_SET);
    if (code == EXIT_DONE)
        code = keep_classes(context, parsed, path, *set);
    if (code == EXIT_DONE)
        code = keep_sessions(context, parsed, path, *set);
    if (code == EXIT_DONE)
        code = follow_recipe(context, parsed, path, *set, &p, &given);
    if (code == EXIT_DONE && (given || (*set)->covariance == NULL) &&
        congru_set_estimate(context, *set, &p) != CONGRU_OK)
        code = fail(context, path);
    congru_preprocessing_clear(&p);
    if (code != EXIT_DONE)
        congru_set_destroy(set);
    return code;
}

void set_short_name(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
}
