/* Reads raw data from FIF files, as MNE writes them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "recording/fif.h"

/* ---- Samples ------------------------------------------------------------------------------------- */

/* One buffer, from sample `first` on: the numbers of all channels at one time are together. */
static congru_status read_buffer(congru_context *context, const congru_source *source, const congru_fif *fif,
                                 const congru_fif_buffer *buffer, const size_t *chosen, size_t first,
                                 unsigned char *bytes, congru_recording *recording)
{
    size_t width = congru_fif_width(buffer->tag.type), frame = width * fif->channels;
    congru_status status = congru_source_read(context, source, buffer->tag.at, buffer->samples * frame, bytes);
    for (size_t k = 0; k < recording->channels && status == CONGRU_OK; k++) {
        size_t i = chosen[k];
        congru_fif_decode(buffer->tag.type, bytes + i * width, frame, buffer->samples,
                          fif->cal[i] * fif->range[i] * congru_fif_unit(&fif->channel[i]),
                          recording->data + k * recording->samples + first);
    }
    return status;
}

static void fill_gap(congru_recording *recording, size_t first, size_t samples)
{
    for (size_t k = 0; k < recording->channels; k++)
        for (size_t i = first; i < first + samples; i++)
            recording->data[k * recording->samples + i] = (double)NAN;
}

static congru_status read_data(congru_context *context, const congru_source *source, const congru_fif *fif,
                               const size_t *chosen, congru_recording *recording)
{
    size_t largest = 1, first = 0;
    for (size_t i = 0; i < fif->buffers; i++)
        largest = fif->buffer[i].tag.size > largest ? fif->buffer[i].tag.size : largest;
    unsigned char *bytes = malloc(largest);
    if (bytes == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for a buffer of %zu bytes",
                           fif->file, largest);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < fif->buffers && status == CONGRU_OK; i++) {
        if (fif->buffer[i].tag.at == 0)
            fill_gap(recording, first, fif->buffer[i].samples);
        else
            status = read_buffer(context, source, fif, &fif->buffer[i], chosen, first, bytes, recording);
        first += fif->buffer[i].samples;
    }
    free(bytes);
    return status;
}

/* ---- Annotations --------------------------------------------------------------------------------- */

/* One annotation from `onset` to `end` seconds; one that is bad may begin before the recording. */
static congru_status add_annotation(congru_context *context, const congru_fif *fif, double onset, double end,
                                    char *text, size_t length, congru_recording *recording)
{
    double first = floor(onset * fif->rate + 0.5) - (double)fif->first_sample;
    double last = floor(end * fif->rate + 0.5) - (double)fif->first_sample;
    double samples = (double)recording->samples;
    length = congru_fif_restore_colons(text, length);
    bool bad = length >= 3 && congru_same_letters(text, "bad", 3);
    if (!(last >= first) || !(first < samples) || (first < 0 && !(bad && last > 0)))
        return CONGRU_OK; /* no time, or one that is not in the recording */
    size_t from = first > 0 ? (size_t)first : 0, to = last < samples ? (size_t)last : recording->samples;
    return congru_reader_add_text(context, recording, from, to - from, text, length);
}

/* What is bad, and the edge between two recordings that were joined, is missing; an edge has no length, and takes the
 * sample behind it. Events are in order, so that no sample is filled twice however many of them overlap. */
static void leave_out_bad(congru_recording *recording)
{
    size_t filled = 0;
    for (size_t i = 0; i < recording->events && recording->data != NULL; i++) {
        const congru_event *event = &recording->event[i];
        size_t end = event->onset + (event->duration > 0 ? event->duration : 1);
        if (!congru_same_letters(event->text, "bad", 3) && !congru_same_letters(event->text, "edge", 4))
            continue;
        size_t from = event->onset > filled ? event->onset : filled;
        if (end > from) {
            fill_gap(recording, from, end - from);
            filled = end;
        }
    }
}

static congru_status add_list(congru_context *context, const congru_fif *fif, const double *onset,
                              const double *end, size_t count, char *text, congru_recording *recording)
{
    double shift = fif->annotated_from - fif->measured;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < count && status == CONGRU_OK; i++) {
        size_t length = strcspn(text, ":");
        bool last = text[length] == '\0';
        if (last != (i + 1 == count))
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "%s: expected as many texts as annotations, which are %zu", fif->file, count);
        double from = isfinite(shift) ? onset[i] + shift : onset[i];
        status = add_annotation(context, fif, from, from + (end[i] - onset[i]), text, length, recording);
        text += length + !last;
    }
    return status;
}

static congru_status add_annotations(congru_context *context, const congru_source *source,
                                     const congru_fif *fif, congru_recording *recording)
{
    double *onset = NULL, *end = NULL;
    char *text = NULL;
    size_t onsets = 0, ends = 0;
    if (fif->onset.at == 0 || fif->end.at == 0 || fif->description.at == 0)
        return CONGRU_OK;
    congru_status status = congru_fif_numbers(context, source, &fif->onset, &onset, &onsets);
    if (status == CONGRU_OK)
        status = congru_fif_numbers(context, source, &fif->end, &end, &ends);
    if (status == CONGRU_OK && onsets != ends)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: %zu annotations begin and %zu end", fif->file,
                             onsets, ends);
    if (status == CONGRU_OK)
        status = congru_fif_text(context, source, &fif->description, &text);
    if (status == CONGRU_OK)
        status = add_list(context, fif, onset, end, onsets, text, recording);
    congru_recording_sort_events(recording);
    leave_out_bad(recording);
    free(onset);
    free(end);
    free(text);
    return status;
}

/* ---- The file ------------------------------------------------------------------------------------ */

static congru_status check_kind(congru_context *context, const congru_fif *fif)
{
    if (fif->is_split)
        return congru_fif_fail_split(context, fif);
    if (!fif->is_raw && fif->is_epochs)
        return congru_fail(context, CONGRU_ERROR_KIND, "%s: holds trials, not a recording (read it as epochs)",
                           fif->file);
    if (!fif->is_raw || fif->buffers == 0)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: holds no raw data (in MNE save raw data or epochs)", fif->file);
    return CONGRU_OK;
}

static congru_status read_chosen(congru_context *context, const congru_source *source, const congru_fif *fif,
                                 const congru_recording_options *options, size_t *chosen,
                                 congru_recording **recording)
{
    size_t count = 0, samples = 0;
    double rate = 0;
    for (size_t i = 0; i < fif->buffers; i++)
        samples += fif->buffer[i].samples;
    congru_status status =
        congru_reader_choose(context, fif->file, fif->channel, fif->channels, options, chosen, &count, &rate);
    if (status == CONGRU_OK)
        status = congru_recording_create(context, fif->file, count, samples, options->header_only, recording);
    if (status != CONGRU_OK)
        return status;
    strcpy((*recording)->format, "FIF");
    (*recording)->rate = rate;
    for (size_t k = 0; k < count; k++)
        (*recording)->channel[k] = fif->channel[chosen[k]];
    if (!options->header_only)
        status = read_data(context, source, fif, chosen, *recording);
    return status == CONGRU_OK ? add_annotations(context, source, fif, *recording) : status;
}

static congru_status read_fif(congru_context *context, const char *path, const congru_source *source,
                              const congru_recording_options *options, congru_recording **recording)
{
    (void)path; /* nothing lies beside a file that is whole */
    congru_fif fif;
    *recording = NULL;
    congru_status status = congru_fif_parse(context, source, &fif);
    if (status == CONGRU_OK)
        status = check_kind(context, &fif);
    if (status == CONGRU_OK) {
        size_t room = fif.channels > options->channel_count ? fif.channels : options->channel_count;
        size_t *chosen = calloc(room, sizeof *chosen);
        status = chosen != NULL ? read_chosen(context, source, &fif, options, chosen, recording)
                                : congru_fail(context, CONGRU_ERROR_MEMORY,
                                              "%s: not enough memory for %zu channels", fif.file, room);
        free(chosen);
    }
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    congru_fif_clear(&fif);
    return status;
}

const congru_recording_reader congru_reader_fif = {"FIF", congru_fif_recognises, read_fif};
