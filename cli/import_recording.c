/* Trials of a recording: choose channels, filter, resample, cut. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/signal.h"
#include "event_count.h"
#include "import_file.h"

/* What reading one recording carries along. */
typedef struct recording_job {
    congru_context *context;
    const import_settings *settings;
    import_file *file;
    congru_recording *recording; /* as it was read; owns its texts */
    congru_recording signal;     /* what is cut: the recording, or its resampled data and events */
    double *resampled;
    congru_event *moved;
} recording_job;

/* ---- Reading ------------------------------------------------------------------------------------------- */

static bool has_channel(const congru_recording *header, const char *wanted)
{
    for (size_t i = 0; i < header->channels; i++)
        if (congru_channel_matches(header->channel[i].name, wanted))
            return true;
    return false;
}

/* Whether the file does not name the channels but has them all, by position. */
static bool is_by_position(const import_settings *settings, const congru_recording *header)
{
    bool named = true, placed = true;
    for (size_t i = 0; i < settings->channels.count; i++) {
        named = named && has_channel(header, settings->channels.item[i]);
        placed = placed && settings->position[i] <= header->channels;
    }
    return !named && placed;
}

static congru_status read_by_name(recording_job *job, const char *const *names, size_t count)
{
    congru_recording_options options = {.channels = names, .channel_count = count, .eeg_only = count == 0};
    if (count == 0)
        options.channels = NULL;
    return congru_recording_read(job->context, job->file->path, &options, &job->recording);
}

/* Asks for the channels by the names the file has in their places. */
static congru_status read_by_position(recording_job *job, const congru_recording *header)
{
    const text_list *channels = &job->settings->channels;
    const char **names = calloc(channels->count, sizeof *names);
    if (names == NULL)
        return CONGRU_ERROR_MEMORY;
    for (size_t i = 0; i < channels->count; i++)
        names[i] = header->channel[job->settings->position[i] - 1].name;
    congru_status status = read_by_name(job, names, channels->count);
    free(names);
    return status;
}

static congru_status read_recording(recording_job *job)
{
    const import_settings *settings = job->settings;
    congru_recording *header = NULL;
    congru_status status = CONGRU_OK;
    if (settings->position != NULL) {
        status = congru_recording_read(job->context, job->file->path,
                                       &(congru_recording_options){.header_only = true}, &header);
        if (status != CONGRU_OK)
            return status;
    }
    if (header != NULL && is_by_position(settings, header))
        status = read_by_position(job, header);
    else
        status = read_by_name(job, (const char *const *)settings->channels.item, settings->channels.count);
    congru_recording_destroy(&header);
    /* Known by the names that were asked for, so that files that write them otherwise go together. */
    for (size_t i = 0; status == CONGRU_OK && i < settings->channels.count; i++)
        snprintf(job->recording->channel[i].name, CONGRU_LABEL_SIZE, "%s", settings->channels.item[i]);
    return status;
}

/* ---- Rate ---------------------------------------------------------------------------------------------- */

static bool resample(recording_job *job)
{
    congru_recording *signal = &job->signal;
    size_t up, down;
    if (!import_needs_rate(job->settings, signal->rate))
        return true;
    if (!import_ratio(job->settings, job->file, signal->rate, &up, &down))
        return false;
    size_t samples = congru_signal_resampled(signal->samples, up, down);
    job->resampled = calloc(samples > 0 ? samples : 1, signal->channels * sizeof(double));
    job->moved = calloc(signal->events + 1, sizeof *job->moved);
    if (job->resampled == NULL || job->moved == NULL)
        return import_file_fail(job->file, "not enough memory to resample %zu channels", signal->channels);
    if (!import_file_check(job->context, job->file,
                           congru_signal_resample(job->context, up, down, signal->channels, signal->samples,
                                                  signal->data, job->resampled)))
        return false;
    double ratio = (double)up / (double)down;
    for (size_t i = 0; i < signal->events; i++) {
        job->moved[i] = signal->event[i];
        size_t onset = (size_t)floor((double)signal->event[i].onset * ratio + 0.5);
        job->moved[i].onset = onset < samples ? onset : samples - 1;
        job->moved[i].duration = (size_t)floor((double)signal->event[i].duration * ratio + 0.5);
    }
    signal->data = job->resampled;
    signal->event = job->moved;
    signal->samples = samples;
    signal->rate = job->settings->resample;
    return true;
}

/* ---- Cutting ------------------------------------------------------------------------------------------- */

/* "T0 (15), T1 (8)" */
static void list_events(const congru_recording *recording, char *list, size_t size)
{
    event_kind *kinds;
    size_t count, used = 0;
    char code[16];
    snprintf(list, size, "no events");
    if (event_kinds_count(recording, &kinds, &count))
        for (size_t i = 0; i < count && used < size; i++)
            used += (size_t)snprintf(list + used, size - used, "%s%s (%zu)", i > 0 ? ", " : "",
                                     event_kind_name(&kinds[i], code), kinds[i].count);
    free(kinds);
}

static bool fail_no_events(recording_job *job)
{
    char list[400];
    if (job->settings->rule_count > 0 && job->file->run >= 0)
        return import_file_fail(job->file,
                                "the preset '%s' has no events for run %d (leave the file out, or give "
                                "--events)",
                                job->settings->preset, (int)job->file->run);
    if (job->settings->rule_count > 0)
        return import_file_fail(job->file,
                                "the preset '%s' needs the number of the run in the file's name (give "
                                "--events)",
                                job->settings->preset);
    list_events(job->recording, list, sizeof list);
    return import_file_fail(
        job->file, "which events are trials? It has %s (give --events CODE=NAME,... or --preset)", list);
}

static bool fail_none_left(recording_job *job)
{
    const congru_epochs_report *report = &job->file->report;
    const double *window = job->settings->window;
    return import_file_fail(
        job->file,
        "nothing is left of %s: %zu outside the recording of %g s, %zu with missing samples, "
        "%zu rejected (try a window shorter than %g:%g s)",
        congru_count(report->found, "trial").text, report->outside,
        (double)job->signal.samples / job->signal.rate, report->gap, report->rejected, window[0], window[1]);
}

/* Files converted from others may have the codes as texts. */
static bool has_codes(const congru_recording *recording)
{
    for (size_t i = 0; i < recording->events; i++)
        if (recording->event[i].code >= 0)
            return true;
    return false;
}

static bool cut(recording_job *job)
{
    const import_settings *settings = job->settings;
    const event_rule *rule = import_settings_events(settings, job->file->run);
    if (rule == NULL)
        return fail_no_events(job);
    if (settings->window_all)
        return import_file_fail(job->file,
                                "--window all is for files of trials, this is a recording (give A:B)");
    double cue = strcmp(job->signal.format, "MAT") == 0 ? settings->mat_cue : 0;
    congru_epochs_options options = {
        .events = has_codes(&job->signal) ? rule->event : rule->by_text,
        .event_count = rule->event_count,
        .window = {settings->window[0] + cue, settings->window[1] + cue},
        .rest_window = {cue - settings->window[1], cue - settings->window[0]},
        .check_rest = true,
        .as_rest = settings->rest,
        .drop_rejected = settings->drop_rejected,
    };
    congru_status status =
        congru_epochs_cut(job->context, &job->signal, &options, &job->file->epochs, &job->file->report);
    if (status == CONGRU_ERROR_FORMAT)
        return import_file_fail(job->file, "%s (say which are trials with --events)",
                                congru_context_error(job->context));
    if (status == CONGRU_OK && job->file->epochs->count == 0)
        return fail_none_left(job);
    if (status == CONGRU_OK)
        job->file->epochs->start -= cue;
    return import_file_check(job->context, job->file, status);
}

bool import_recording_read(congru_context *context, const import_settings *settings, import_file *file)
{
    recording_job job = {.context = context, .settings = settings, .file = file};
    congru_status status = read_recording(&job);
    if (status == CONGRU_ERROR_UNSUPPORTED && import_holds_trials(file->path))
        return import_epochs_read(context, settings, file);
    bool done = import_file_check(context, file, status);
    if (status == CONGRU_OK) {
        job.signal = *job.recording;
        done = import_filter(context, settings, file, job.signal.rate, job.signal.channels, job.signal.channels,
                             job.signal.samples, job.signal.data) &&
               resample(&job) && cut(&job);
    }
    congru_recording_destroy(&job.recording);
    free(job.resampled);
    free(job.moved);
    return done;
}
