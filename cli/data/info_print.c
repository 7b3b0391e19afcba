/* Describes recordings, epochs, covariance sets and arrays. SPDX-License-Identifier: Apache-2.0 */
#include "info_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/spd.h"
#include "info_lines.h"
#include "table_show.h"
#include "terminal.h"

static const char *const type_names[] = {
    [CONGRU_CHANNEL_EEG] = "EEG", [CONGRU_CHANNEL_EOG] = "EOG",           [CONGRU_CHANNEL_EMG] = "EMG",
    [CONGRU_CHANNEL_ECG] = "ECG", [CONGRU_CHANNEL_STIMULUS] = "stimulus", [CONGRU_CHANNEL_OTHER] = "other",
};

/* ---- Recordings ---------------------------------------------------------------------------------------- */

static bool alike(const congru_channel *a, const congru_channel *b)
{
    return a->type == b->type && strcmp(a->unit, b->unit) == 0 && a->rate == b->rate;
}

/* The channels of one type, unit and rate in one paragraph: "EEG, uV: Fz Cz". */
static int print_channels(const congru_recording *recording)
{
    size_t count = recording->channels, size = 128 + count * (CONGRU_LABEL_SIZE + 1);
    char *line = malloc(size);
    bool *printed = calloc(count + 1, sizeof *printed);
    for (size_t i = 0; line != NULL && printed != NULL && i < count; i++) {
        const congru_channel *first = &recording->channel[i];
        if (printed[i])
            continue;
        size_t used = 0;
        used = (size_t)snprintf(line, size, "%s", type_names[first->type]);
        if (first->unit[0] != '\0')
            used += (size_t)snprintf(line + used, size - used, ", %s", first->unit);
        if (first->rate != recording->rate)
            used += (size_t)snprintf(line + used, size - used, ", %g Hz", first->rate);
        used += (size_t)snprintf(line + used, size - used, ":");
        for (size_t j = i; j < count; j++) {
            if (!alike(first, &recording->channel[j]))
                continue;
            used += (size_t)snprintf(line + used, size - used, " %s", recording->channel[j].name);
            printed[j] = true;
        }
        terminal_clean(line);
        printf("    ");
        terminal_wrap(line, 4, 6, "");
    }
    bool failed = line == NULL || printed == NULL;
    free(line);
    free(printed);
    return failed ? terminal_fail(EXIT_FAILED, "info: not enough memory for %zu channels", count) : EXIT_DONE;
}

static int print_events(const congru_recording *recording)
{
    congru_event_kind *kinds;
    size_t count;
    congru_table table = {0};
    if (!congru_event_kinds(recording, &kinds, &count))
        return terminal_fail(EXIT_FAILED, "info: not enough memory for %zu events", recording->events);
    congru_table_headings(&table, 4, (const char *const[]){"code", "text", "count", "seconds"});
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].code >= 0)
            congru_table_format_text(&table, "%d", (int)kinds[i].code);
        else
            congru_table_format_text(&table, "-");
        congru_table_format_text(&table, "%s", kinds[i].text != NULL ? kinds[i].text : "");
        congru_table_format_text(&table, "%zu", kinds[i].count);
        congru_table_format_text(&table, "%.3g", kinds[i].seconds);
    }
    int code = count > 0 ? table_show(&table, 4) : EXIT_DONE;
    congru_table_clear(&table);
    free(kinds);
    return code;
}

int info_print_recording(const char *path, const congru_recording *recording)
{
    char length[48];
    info_duration((double)recording->samples / recording->rate, length);
    info_title(path, recording->format);
    info_line("rate", "%g Hz", recording->rate);
    info_line("length", "%s, %s", congru_count(recording->samples, "sample").text, length);
    info_line("channels", "%zu", recording->channels);
    int code = print_channels(recording);
    info_line("events", "%zu", recording->events);
    return code == EXIT_DONE ? print_events(recording) : code;
}

/* ---- Trials -------------------------------------------------------------------------------------------- */

/* A group of trials: a subject's session, or a session's run. */
typedef struct trial_groups {
    size_t count;
    int32_t (*key)[2];
    size_t *of_trial;
    const char (*name)[CONGRU_LABEL_SIZE]; /* of the first key, or NULL for its number */
} trial_groups;

static int compare_keys(const void *a, const void *b)
{
    const int32_t *left = a, *right = b;
    for (int i = 0; i < 2; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static bool groups_make(trial_groups *groups, size_t trials, const int32_t *first, const int32_t *second)
{
    groups->key = calloc(trials + 1, sizeof *groups->key);
    groups->of_trial = calloc(trials + 1, sizeof *groups->of_trial);
    if (groups->key == NULL || groups->of_trial == NULL)
        return false;
    for (size_t i = 0; i < trials; i++) {
        groups->key[i][0] = first[i];
        groups->key[i][1] = second[i];
    }
    qsort(groups->key, trials, sizeof *groups->key, compare_keys);
    for (size_t i = 0; i < trials; i++)
        if (i == 0 || compare_keys(groups->key[groups->count - 1], groups->key[i]) != 0)
            memcpy(groups->key[groups->count++], groups->key[i], sizeof groups->key[i]);
    for (size_t i = 0; i < trials; i++) {
        const int32_t key[2] = {first[i], second[i]};
        const int32_t(*found)[2] = bsearch(key, groups->key, groups->count, sizeof *groups->key, compare_keys);
        groups->of_trial[i] = (size_t)(found - (const int32_t(*)[2])groups->key);
    }
    return true;
}

static void groups_cell(const void *user, size_t group, size_t heading, char text[CONGRU_LABEL_SIZE])
{
    const trial_groups *groups = user;
    if (heading == 0 && groups->name != NULL)
        snprintf(text, CONGRU_LABEL_SIZE, "%s", groups->name[groups->key[group][0]]);
    else
        snprintf(text, CONGRU_LABEL_SIZE, "%d", (int)groups->key[group][heading]);
}

static int print_trials(trial_groups *groups, const char *const *headings, size_t trials, const int32_t *first,
                        const int32_t *second, const int32_t *label, size_t classes,
                        const char (*class_name)[CONGRU_LABEL_SIZE])
{
    int code;
    if (groups_make(groups, trials, first, second)) {
        info_groups table = {
            .headings = 2, .heading = headings, .count = groups->count, .cell = groups_cell, .user = groups};
        code = info_trials(&table, groups->of_trial, trials, label, classes, class_name);
    } else {
        code = terminal_fail(EXIT_FAILED, "info: not enough memory for %zu trials", trials);
    }
    free(groups->key);
    free(groups->of_trial);
    return code;
}

int info_print_epochs(const char *path, const congru_epochs *epochs)
{
    static const char *const headings[] = {"session", "run"};
    trial_groups groups = {0};
    info_title(path, "trials");
    if (epochs->rate > 0)
        info_line("rate", "%g Hz", epochs->rate);
    if (isnan(epochs->start) || !(epochs->rate > 0))
        info_line("window", "%s, at an unknown time from the cue",
                  congru_count(epochs->samples, "sample").text);
    else
        info_line("window", "%s, %g to %g s after the cue", congru_count(epochs->samples, "sample").text,
                  epochs->start, epochs->start + (double)epochs->samples / epochs->rate);
    int code = info_channels((const char(*)[CONGRU_LABEL_SIZE])epochs->channel_name, epochs->channels);
    if (code != EXIT_DONE)
        return code;
    info_line("trials", "%zu", epochs->count);
    return print_trials(&groups, headings, epochs->count, epochs->session, epochs->run, epochs->label,
                        epochs->classes, (const char(*)[CONGRU_LABEL_SIZE])epochs->class_name);
}

/* ---- Covariance sets ----------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The largest eigenvalue over the smallest, for the least, the middle and the greatest of the trials. */
static int print_conditions(congru_context *context, const char *path, const congru_set *set)
{
    size_t d = set->dimension;
    double *values = calloc(set->count * d + 1, sizeof *values);
    if (values == NULL)
        return terminal_fail(EXIT_FAILED, "%s: not enough memory for %zu trials", path, set->count);
    int code = EXIT_DONE;
    if (congru_spd_eigen(context, set->count, d, set->covariance, values, NULL) != CONGRU_OK) {
        code = terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(context));
    } else {
        for (size_t i = 0; i < set->count; i++) {
            double least = values[i * d], greatest = values[i * d + d - 1];
            values[i] = least > 0 ? greatest / least : (double)INFINITY;
        }
        qsort(values, set->count, sizeof *values, compare_numbers);
        size_t finite = 0;
        while (finite < set->count && isfinite(values[finite]))
            finite++;
        if (finite == set->count)
            info_line("condition", "%.3g to %.3g, median %.3g", values[0], values[set->count - 1],
                      values[set->count / 2]);
        else
            info_line("condition", "infinite in %s: an eigenvalue is not positive, or tiny",
                      congru_count(set->count - finite, "trial").text);
    }
    free(values);
    return code;
}

int info_print_set(congru_context *context, const char *path, const congru_set *set)
{
    static const char *const headings[] = {"subject", "session"};
    trial_groups groups = {.name = (const char(*)[CONGRU_LABEL_SIZE])set->subject_name};
    info_title(path, set->covariance != NULL ? "covariance set" : "signal set");
    if (set->covariance != NULL)
        info_line("covariances", "%zu of %zu x %zu", set->count, set->dimension, set->dimension);
    if (set->signals != NULL)
        info_line("signals", "%zu of %zu x %zu samples", set->count, set->dimension, set->samples);
    if (set->rate > 0)
        info_line("rate", "%g Hz", set->rate);
    congru_preprocessing p;
    char line[CONGRU_PREPROCESSING_LINE_SIZE];
    if (congru_set_preprocessing(context, set, &p) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(context));
    congru_preprocessing_print(&p, line);
    info_line("prepared", "%s", p.known ? line : "not described");
    congru_preprocessing_clear(&p);
    int code = info_channels((const char(*)[CONGRU_LABEL_SIZE])set->channel_name, set->dimension);
    if (code == EXIT_DONE && set->covariance != NULL && set->count > 0)
        code = print_conditions(context, path, set);
    if (code != EXIT_DONE)
        return code;
    info_line("trials", "%zu of %s", set->count, congru_count(set->subjects, "subject").text);
    return print_trials(&groups, headings, set->count, set->subject, set->session, set->label, set->classes,
                        (const char(*)[CONGRU_LABEL_SIZE])set->class_name);
}

/* ---- Arrays -------------------------------------------------------------------------------------------- */

int info_print_array(const char *path, const congru_array *array)
{
    char shape[CONGRU_NPY_DIMS_MAX * 24] = "";
    size_t used = 0;
    for (size_t i = 0; i < array->dims; i++)
        used +=
            (size_t)snprintf(shape + used, sizeof shape - used, "%s%zu", i > 0 ? ", " : "", array->shape[i]);
    info_title(path, "array");
    info_line("shape", "(%s%s)", shape, array->dims == 1 ? "," : "");
    return EXIT_DONE;
}
