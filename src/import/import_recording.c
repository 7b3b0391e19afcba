/* Trials of a recording: its channels chosen, its events found. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"
#include "import/import_internal.h"

/* What reading one recording carries along. */
typedef struct recording_job {
    congru_context *context;
    const congru_import *import;
    import_file *file;
    congru_recording *recording;
} recording_job;

/* ---- Channels ------------------------------------------------------------------------------------------ */

static bool has_channel(const congru_recording *header, const char *wanted)
{
    for (size_t i = 0; i < header->channels; i++)
        if (congru_channel_matches(header->channel[i].name, wanted))
            return true;
    return false;
}

/* Whether the file does not name the channels but has them all, by position. */
static bool is_by_position(const congru_import *import, const congru_recording *header)
{
    bool named = true, placed = true;
    for (size_t i = 0; i < import->preprocessing.channels; i++) {
        named = named && has_channel(header, import->preprocessing.channel_name[i]);
        placed = placed && import->position[i] <= header->channels;
    }
    return !named && placed;
}

/* Reads the wanted channels; by the names that the file has in their places where `header` is given. */
static congru_status read_channels(recording_job *job, const congru_recording *header)
{
    const congru_preprocessing *p = &job->import->preprocessing;
    const char **names = calloc(p->channels + 1, sizeof *names);
    if (names == NULL)
        return congru_fail_memory(job->context, "%zu channels", p->channels);
    for (size_t i = 0; i < p->channels; i++)
        names[i] = header != NULL ? header->channel[job->import->position[i] - 1].name : p->channel_name[i];
    congru_recording_options options = {.channels = p->channels > 0 ? names : NULL,
                                        .channel_count = p->channels,
                                        .eeg_only = p->channels == 0,
                                        .stream = job->import->stream,
                                        .rate = job->import->rate};
    if (job->import->bad != NULL) {
        options.leave_out = (const char *const *)job->import->bad->text;
        options.leave_out_count = job->import->bad->count;
    }
    congru_status status = congru_recording_read(job->context, job->file->path, &options, &job->recording);
    free(names);
    return status;
}

static congru_status read_recording(recording_job *job)
{
    const congru_preprocessing *p = &job->import->preprocessing;
    congru_recording *header = NULL;
    congru_recording_options options = {
        .header_only = true, .stream = job->import->stream, .rate = job->import->rate};
    congru_status status = CONGRU_OK;
    if (job->import->position != NULL) {
        status = congru_recording_read(job->context, job->file->path, &options, &header);
        if (status != CONGRU_OK)
            return status;
    }
    status = read_channels(job, header != NULL && is_by_position(job->import, header) ? header : NULL);
    congru_recording_destroy(&header);
    /* Known by the names that were asked for, so that files that write them otherwise go together. */
    for (size_t i = 0; status == CONGRU_OK && i < p->channels; i++)
        memcpy(job->recording->channel[i].name, p->channel_name[i], CONGRU_LABEL_SIZE);
    return status;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

/* "T0 (15), T1 (8)" */
static void list_events(const congru_recording *recording, char *list, size_t size)
{
    congru_event_kind *kinds;
    size_t count, used = 0;
    char code[16];
    snprintf(list, size, "no events");
    if (congru_event_kinds(recording, &kinds, &count))
        for (size_t i = 0; i < count && used < size; i++)
            used += (size_t)snprintf(list + used, size - used, "%s%s (%zu)", i > 0 ? ", " : "",
                                     congru_event_kind_name(&kinds[i], code), kinds[i].count);
    free(kinds);
}

static congru_status fail_no_events(const recording_job *job)
{
    char list[400];
    const import_owner owner = congru_import_owner(job->import);
    if (job->import->rule_count > 0 && job->file->run >= 0)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s has no task in run %d (give --events to say which events are trials)",
                           owner.text, (int)job->file->run);
    if (job->import->rule_count > 0)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s needs the number of the run in the file's name (give --events)", owner.text);
    list_events(job->recording, list, sizeof list);
    return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                       "which events are trials? It has %s (give --events CODE=NAME,... or --preset)", list);
}

congru_status congru_import_fail_no_task(congru_context *context, const congru_import *import,
                                         import_file *file)
{
    const recording_job job = {.context = context, .import = import, .file = file};
    return congru_import_name_file(context, file->path, fail_no_events(&job));
}

/* Files converted from others may have the codes as texts. */
static bool has_codes(const congru_recording *recording)
{
    for (size_t i = 0; i < recording->events; i++)
        if (recording->event[i].code >= 0)
            return true;
    return false;
}

/* Which events of the rule the recording has. */
static void mark_seen(recording_job *job, const congru_event_class *events, size_t count)
{
    const congru_recording *r = job->recording;
    for (size_t k = 0; k < count && k < IMPORT_SEEN_MAX; k++)
        for (size_t i = 0; i < r->events && !(job->file->seen >> k & 1); i++)
            if (congru_event_matches(&events[k], r->event[i].code, r->event[i].text))
                job->file->seen |= (uint64_t)1 << k;
    list_events(r, job->file->events, sizeof job->file->events);
}

static congru_status cut(recording_job *job)
{
    const congru_import *import = job->import;
    congru_preprocessing p = congru_import_preparation(import);
    import_file *file = job->file;
    const event_rule *rule = congru_import_events(import, file->run);
    if (rule == NULL)
        return fail_no_events(job);
    const congru_event_class *events = has_codes(job->recording) ? rule->event : rule->by_text;
    double cue = strcmp(job->recording->format, "MAT") == 0 ? import->mat_cue : 0;
    mark_seen(job, events, rule->event_count);
    congru_status status = congru_preprocess_recording(
        job->context, &p, job->recording, events, rule->event_count, cue, &file->epochs,
        import->rest_class[0] != '\0' ? &file->rest : NULL, &file->report);
    if (status == CONGRU_OK && file->rest != NULL)
        memcpy(file->rest->class_name[0], import->rest_class, CONGRU_LABEL_SIZE);
    return status;
}

congru_status congru_import_recording_read(congru_context *context, const congru_import *import,
                                           import_file *file)
{
    recording_job job = {.context = context, .import = import, .file = file};
    /* Data sets come with runs of rest and of other tasks. */
    file->left_out =
        import->rule_count > 0 && file->run >= 0 && congru_import_events(import, file->run) == NULL;
    if (file->left_out)
        return CONGRU_OK;
    congru_status status = read_recording(&job);
    /* Some kinds of file hold either. */
    if (status == CONGRU_ERROR_KIND && congru_epochs_recognises(file->path))
        return congru_import_epochs_read(context, import, file);
    if (status == CONGRU_OK)
        status = congru_import_side_events(context, file->path, job.recording, &file->own_events);
    if (status == CONGRU_OK)
        status = cut(&job);
    congru_recording_destroy(&job.recording);
    return status;
}

/* ---- Cues ---------------------------------------------------------------------------------------------- */

/* The events that a rule names, in the order of the recording. */
static void list_cues(const recording_job *job, const event_rule *rule, congru_import_cue *cues, size_t *count)
{
    const congru_recording *r = job->recording;
    const congru_event_class *events = has_codes(r) ? rule->event : rule->by_text;
    const double seconds = strcmp(r->format, "MAT") == 0 ? job->import->mat_cue : 0;
    for (size_t i = 0; i < r->events; i++) {
        size_t k = congru_event_find(events, rule->event_count, r->event[i].code, r->event[i].text);
        if (k == rule->event_count)
            continue;
        congru_import_cue *cue = &cues[(*count)++];
        cue->sample = r->event[i].onset + (size_t)floor(seconds * r->rate + 0.5);
        snprintf(cue->name, sizeof cue->name, "%s", events[k].class_name);
    }
}

congru_status congru_import_cues(congru_context *context, const congru_import *import, const char *path,
                                 const congru_recording *recording, congru_import_cue **cues, size_t *count)
{
    char scheme[160];
    if (import == NULL || path == NULL || recording == NULL || cues == NULL || count == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no importer, recording or cues given");
    import_file file = {.path = path};
    recording_job job = {.context = context,
                         .import = import,
                         .file = &file,
                         .recording = (congru_recording *)(uintptr_t)recording}; /* only read */
    *cues = NULL;
    *count = 0;
    congru_status status = congru_import_files_identify(context, import, &file, 1, scheme, sizeof scheme);
    const event_rule *rule = status == CONGRU_OK ? congru_import_events(import, file.run) : NULL;
    if (status == CONGRU_OK && rule == NULL)
        status = congru_import_name_file(context, path, fail_no_events(&job));
    if (status != CONGRU_OK)
        return status;
    *cues = calloc(recording->events + 1, sizeof **cues);
    if (*cues == NULL)
        return congru_fail_memory(context, "%zu events", recording->events);
    list_cues(&job, rule, *cues, count);
    return CONGRU_OK;
}
