/* Reads covariance sets and makes covariances of signals. SPDX-License-Identifier: Apache-2.0 */
#include "set_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method_settings.h"
#include "terminal.h"
#include "text_list.h"

enum { CLASSES, ESTIMATOR, TRACE_NORMALISE, BAND, ORDER, NOTCH };

static const option set_options[SET_OPTIONS] = {
    [CLASSES] = {"classes", '\0', "A,B,...", "Keep the trials of these classes alone. Default: all."},
    [ESTIMATOR] =
        {"estimator", '\0', "NAME",
         "How covariances are made of signals: 'scm', 'oas' or 'lwf'; a set that holds covariances is "
         "taken as it is. Default: scm."},
    [TRACE_NORMALISE] = {"trace-normalise", '\0', "NAME",
                         "Divide covariances made of signals by their trace: 'on' or 'off'. Default: off."},
    [BAND] = {"band", '\0', "LO:HI", "Band-pass signals first, zero phase. Default: off, as they were stored."},
    [ORDER] = {"order", '\0', "N", "The order of that band-pass, 1 to 10. Default: 4."},
    [NOTCH] = {"notch", '\0', "HZ", "Remove this mains frequency from signals first. Default: off."},
};

const option_table set_option_table = {set_options, SET_OPTIONS, "The set", &method_option_table};

static int fail(const congru_context *context, const char *path)
{
    return terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(context));
}

static int keep_classes(congru_context *context, const char *command, const char *names, const char *path,
                        congru_set *set)
{
    char where[64];
    text_list list = {0};
    snprintf(where, sizeof where, "%s: --classes", command);
    int code = text_list_split(&list, where, names);
    if (code == EXIT_DONE &&
        congru_set_keep_classes(context, set, (const char *const *)list.item, list.count) != CONGRU_OK)
        code = fail(context, path);
    text_list_clear(&list);
    return code;
}

/* What signals go through before covariances are made of them. */
typedef struct signal_settings {
    size_t estimator, trace_normalise;
    double band[2], notch;
    int order;
} signal_settings;

static int parse_signal(const arguments *parsed, size_t first, signal_settings *settings)
{
    static const char *const estimators[] = {"scm", "oas", "lwf", NULL}, *const switches[] = {"off", "on",
                                                                                              NULL};
    const char *const *value = parsed->values + first;
    char where[64];
    int code = EXIT_DONE;
    *settings = (signal_settings){.order = 4};
    snprintf(where, sizeof where, "%s: --estimator", parsed->command);
    if (value[ESTIMATOR] != NULL)
        code = options_parse_choice(where, value[ESTIMATOR], estimators, &settings->estimator);
    snprintf(where, sizeof where, "%s: --trace-normalise", parsed->command);
    if (code == EXIT_DONE && value[TRACE_NORMALISE] != NULL)
        code = options_parse_choice(where, value[TRACE_NORMALISE], switches, &settings->trace_normalise);
    snprintf(where, sizeof where, "%s: --band", parsed->command);
    if (code == EXIT_DONE && value[BAND] != NULL && strcmp(value[BAND], "off") != 0)
        code = options_parse_range(where, value[BAND], 0, 1e6, settings->band);
    if (code == EXIT_DONE)
        code = options_integer(parsed, first + ORDER, 4, 1, 10, &settings->order);
    if (code == EXIT_DONE && value[NOTCH] != NULL && strcmp(value[NOTCH], "off") != 0)
        code = options_number(parsed, first + NOTCH, 0, 0.001, 1e6, &settings->notch);
    return code;
}

static congru_status filter_signals(congru_context *context, const signal_settings *settings, congru_set *set)
{
    congru_iir filter = {0}, more;
    congru_status status = CONGRU_OK;
    if (settings->band[1] > 0)
        status = congru_iir_butterworth(context, settings->order, settings->band[0], settings->band[1],
                                        set->rate, &filter);
    if (status == CONGRU_OK && settings->notch > 0) {
        status = congru_iir_notch(context, settings->notch, 30, false, set->rate, &more);
        if (status == CONGRU_OK)
            status = congru_iir_append(context, &filter, &more);
    }
    for (size_t i = 0; status == CONGRU_OK && filter.sections > 0 && i < set->count; i++)
        status = congru_signal_filter_zero_phase(context, &filter, set->dimension, set->samples,
                                                 set->signals + i * set->dimension * set->samples);
    return status;
}

/* What was done, in the words of import: a model fitted on the set carries it along. */
static bool describe(const signal_settings *settings, congru_set *set)
{
    static const char *const estimators[] = {"scm", "oas", "lwf"};
    char meta[512];
    snprintf(
        meta, sizeof meta,
        "{\"congru\": \"%s\", \"band\": [%.17g, %.17g], \"order\": %d, \"filter\": \"iir\", \"phase\": "
        "\"zero\", \"notch\": %.17g, \"harmonics\": false, \"estimator\": \"%s\", \"trace_normalise\": %s}",
        congru_version(), settings->band[0], settings->band[1], settings->order, settings->notch,
        estimators[settings->estimator], settings->trace_normalise == 1 ? "true" : "false");
    free(set->meta);
    set->meta = malloc(strlen(meta) + 1);
    if (set->meta != NULL)
        memcpy(set->meta, meta, strlen(meta) + 1);
    return set->meta != NULL;
}

static int make_covariances(congru_context *context, const signal_settings *settings, const char *path,
                            congru_set *set)
{
    if (set->rate <= 0 && (settings->band[1] > 0 || settings->notch > 0))
        return terminal_fail(EXIT_FAILED, "%s: does not say its sampling rate 'fs', which filters need", path);
    if (settings->band[1] > 0 && settings->band[1] >= set->rate / 2)
        return terminal_fail(
            EXIT_FAILED, "%s: a band up to %g Hz needs a rate above %g Hz, found %g (lower the end of --band)",
            path, settings->band[1], 2 * settings->band[1], set->rate);
    set->covariance = malloc(set->count * set->dimension * set->dimension * sizeof *set->covariance);
    if (set->covariance == NULL || !describe(settings, set))
        return terminal_fail(EXIT_FAILED, "%s: not enough memory for %zu covariances", path, set->count);
    congru_status status = filter_signals(context, settings, set);
    if (status == CONGRU_OK)
        status =
            congru_covariance(context, (congru_estimator)settings->estimator, settings->trace_normalise == 1,
                              set->count, set->dimension, set->samples, set->signals, set->covariance);
    return status == CONGRU_OK ? EXIT_DONE : fail(context, path);
}

int set_load(congru_context *context, const arguments *parsed, size_t first, const char *path, congru_set **set)
{
    signal_settings settings;
    *set = NULL;
    int code = parse_signal(parsed, first, &settings);
    if (code != EXIT_DONE)
        return code;
    if (congru_set_read(context, path, set) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    if (parsed->values[first + CLASSES] != NULL)
        code = keep_classes(context, parsed->command, parsed->values[first + CLASSES], path, *set);
    if (code == EXIT_DONE && (*set)->covariance == NULL)
        code = make_covariances(context, &settings, path, *set);
    else if (code == EXIT_DONE && (settings.band[1] > 0 || settings.notch > 0))
        code = terminal_fail(
            EXIT_FAILED, "%s: holds covariances; --band and --notch are for signals (import it anew)", path);
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
