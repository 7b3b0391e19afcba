/* Trials from a file of trials: chosen, filtered, resampled, cropped. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/signal.h"
#include "import_file.h"

/* ---- Channels ------------------------------------------------------------------------------------------ */

/* "Fz, FC3, FC1 ..." */
static void list_channels(const congru_epochs *epochs, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < epochs->channels && used < size; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%s", i > 0 ? ", " : "", epochs->channel_name[i]);
}

/* Where each wanted channel is: by name, else by position. */
static bool find_channels(const import_settings *settings, import_file *file, size_t *place)
{
    const congru_epochs *epochs = file->epochs;
    const char *missing = NULL;
    bool placed = settings->position != NULL;
    for (size_t i = 0; i < settings->channels.count; i++) {
        size_t at = 0;
        while (at < epochs->channels &&
               !congru_channel_matches(epochs->channel_name[at], settings->channels.item[i]))
            at++;
        if (at == epochs->channels && missing == NULL)
            missing = settings->channels.item[i];
        place[i] = at;
        placed = placed && settings->position[i] <= epochs->channels;
    }
    if (missing == NULL)
        return true;
    if (!placed) {
        char list[700];
        list_channels(epochs, list, sizeof list);
        return import_file_fail(file, "no channel '%s': it has %s (name some of these with --channels)",
                                missing, list);
    }
    for (size_t i = 0; i < settings->channels.count; i++)
        place[i] = settings->position[i] - 1;
    return true;
}

/* The trials with the wanted channels in the wanted order, through a copy of one trial. */
static bool choose_channels(const import_settings *settings, import_file *file)
{
    congru_epochs *epochs = file->epochs;
    size_t count = settings->channels.count, samples = epochs->samples;
    if (count == 0)
        return true;
    size_t *place = calloc(count, sizeof *place);
    double *trial = calloc(epochs->channels * samples + 1, sizeof *trial);
    bool done = place != NULL && trial != NULL ? find_channels(settings, file, place)
                                               : import_file_fail(file, "not enough memory for a trial");
    if (done && count > epochs->channels)
        done = import_file_fail(file, "%s wanted, it has %zu", congru_count(count, "channel").text,
                                epochs->channels);
    if (done) {
        for (size_t i = 0; i < epochs->count; i++) {
            memcpy(trial, epochs->data + i * epochs->channels * samples,
                   epochs->channels * samples * sizeof *trial);
            for (size_t k = 0; k < count; k++)
                memcpy(epochs->data + (i * count + k) * samples, trial + place[k] * samples,
                       samples * sizeof *trial);
        }
        epochs->channels = count;
        for (size_t k = 0; k < count; k++)
            snprintf(epochs->channel_name[k], CONGRU_LABEL_SIZE, "%s", settings->channels.item[k]);
    }
    free(trial);
    free(place);
    return done;
}

/* ---- Classes ------------------------------------------------------------------------------------------- */

/* The event of the command line that a class of the file is: by its name, or by its label. */
static const congru_event_class *find_event(const event_rule *rule, const char *class_name)
{
    for (size_t i = 0; i < rule->event_count; i++)
        if (strcmp(rule->by_text[i].text, class_name) == 0)
            return &rule->by_text[i];
    return NULL;
}

static void move_trial(congru_epochs *epochs, size_t from, size_t to)
{
    size_t size = epochs->channels * epochs->samples;
    if (from == to)
        return;
    memcpy(epochs->data + to * size, epochs->data + from * size, size * sizeof *epochs->data);
    epochs->label[to] = epochs->label[from];
    epochs->run[to] = epochs->run[from];
    epochs->session[to] = epochs->session[from];
    epochs->number[to] = epochs->number[from];
}

/* Gives the wanted classes their new names and places, place[i] being -1 for the others, which `list` names
 * too. */
static void rename_classes(const event_rule *rule, bool all, congru_epochs *epochs, int32_t *place, char *list,
                           size_t size)
{
    size_t used = 0, classes = 0;
    for (size_t i = 0; i < epochs->classes; i++) {
        const congru_event_class *event = find_event(rule, epochs->class_name[i]);
        if (used < size)
            used +=
                (size_t)snprintf(list + used, size - used, "%s%s", i > 0 ? ", " : "", epochs->class_name[i]);
        place[i] = event != NULL || all ? (int32_t)classes++ : -1;
        if (event != NULL)
            snprintf(epochs->class_name[place[i]], CONGRU_LABEL_SIZE, "%s", event->class_name);
    }
    epochs->classes = classes;
}

/* Classes get the names that events give them; when the events are the command line's, the others go. */
static bool choose_classes(const import_settings *settings, import_file *file)
{
    congru_epochs *epochs = file->epochs;
    const event_rule *rule = import_settings_events(settings, file->run);
    if (rule == NULL)
        return true;
    int32_t *place = calloc(epochs->classes + 1, sizeof *place);
    if (place == NULL)
        return import_file_fail(file, "not enough memory for %zu classes", epochs->classes);
    char list[400] = "";
    size_t kept = 0;
    rename_classes(rule, !settings->events_chosen, epochs, place, list, sizeof list);
    for (size_t i = 0; i < epochs->count; i++) {
        int32_t label = place[epochs->label[i]];
        if (label < 0)
            continue;
        move_trial(epochs, i, kept);
        epochs->label[kept++] = label;
    }
    epochs->count = kept;
    free(place);
    if (kept == 0)
        return import_file_fail(file, "no trial is of a class in --events: it has %s", list);
    return true;
}

/* ---- Signals ------------------------------------------------------------------------------------------- */

static bool resample(congru_context *context, const import_settings *settings, import_file *file)
{
    congru_epochs *epochs = file->epochs;
    size_t up, down;
    if (!import_needs_rate(settings, epochs->rate))
        return true;
    if (!import_ratio(settings, file, epochs->rate, &up, &down))
        return false;
    congru_status status = congru_epochs_resample(context, epochs, up, down);
    if (status == CONGRU_OK)
        epochs->rate = settings->resample;
    return import_file_check(context, file, status);
}

static bool crop(congru_context *context, const import_settings *settings, import_file *file)
{
    congru_epochs *epochs = file->epochs;
    double first = settings->rest ? -settings->window[1] : settings->window[0];
    double last = settings->rest ? -settings->window[0] : settings->window[1];
    if (settings->window_all)
        return true;
    if (isnan(epochs->start))
        return import_file_fail(file,
                                "it does not say where the cue of its trials of %g s is (take them whole with "
                                "--window all)",
                                (double)epochs->samples / epochs->rate);
    congru_status status = congru_epochs_crop(context, epochs, first, last);
    if (status == CONGRU_ERROR_ARGUMENT)
        return import_file_fail(
            file,
            "the window %g:%g s leaves its trials, which last from %g to %g s after the cue "
            "(choose --window inside, or all)",
            first, last, epochs->start, epochs->start + (double)epochs->samples / epochs->rate);
    return import_file_check(context, file, status);
}

static void call_rest(congru_epochs *epochs)
{
    epochs->classes = 1;
    snprintf(epochs->class_name[0], CONGRU_LABEL_SIZE, "rest");
    memset(epochs->label, 0, epochs->count * sizeof *epochs->label);
}

/* Trials with missing samples go, as they do from recordings. */
static bool drop_missing(import_file *file)
{
    congru_epochs *epochs = file->epochs;
    size_t size = epochs->channels * epochs->samples, kept = 0;
    for (size_t i = 0; i < epochs->count; i++) {
        bool whole = true;
        for (size_t j = 0; whole && j < size; j++)
            whole = isfinite(epochs->data[i * size + j]);
        if (whole)
            move_trial(epochs, i, kept++);
        else if (file->report.named < CONGRU_DROPPED_NAMED)
            file->report.dropped[file->report.named++] =
                (congru_dropped){epochs->number[i], CONGRU_DROPPED_GAP};
    }
    file->report.kept = kept;
    file->report.gap = epochs->count - kept;
    epochs->count = kept;
    if (kept == 0)
        return import_file_fail(file, "nothing is left of %s: all hold missing samples",
                                congru_count(file->report.found, "trial").text);
    return true;
}

bool import_epochs_read(congru_context *context, const import_settings *settings, import_file *file)
{
    if (!import_file_check(context, file, congru_epochs_read(context, file->path, &file->epochs)))
        return false;
    congru_epochs *epochs = file->epochs;
    if (!(epochs->rate > 0))
        epochs->rate = settings->rate;
    if (!(epochs->rate > 0) &&
        (settings->band_given || settings->notch > 0 || settings->resample > 0 || !settings->window_all))
        return import_file_fail(file, "it does not say its rate (give --rate)");
    if (!choose_channels(settings, file) || !choose_classes(settings, file))
        return false;
    file->report = (congru_epochs_report){.found = epochs->count};
    if (!import_filter(context, settings, file, epochs->rate, epochs->count * epochs->channels,
                       epochs->channels, epochs->samples, epochs->data))
        return false;
    if (!resample(context, settings, file) || !crop(context, settings, file))
        return false;
    if (settings->rest)
        call_rest(epochs);
    return drop_missing(file);
}
