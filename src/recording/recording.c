/* Recordings: the registry of formats, and the memory of one recording. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_set.h"
#include "recording/reader.h"

enum { FIRST_BYTES = 256, ALIGNMENT = 64, EVENTS_START = 64 };

/* A format more is one line more. */
static const congru_recording_reader *const readers[] = {
    &congru_reader_gdf, &congru_reader_edf, &congru_reader_brainvision, &congru_reader_mat,
    &congru_reader_fif, &congru_reader_xdf, &congru_reader_text,
};

/* What congru_recording_create really makes. Recordings repeat a few texts many times ("T0", "T1"), so a text is kept
 * once: a file cannot make the recording grow past its own distinct texts. */
typedef struct recording_store {
    congru_recording recording; /* first: the two addresses are one */
    size_t
        event_room; /* `event` has twice this: sorting merges through the second half, so that it cannot fail */
    congru_text_set texts;
} recording_store;

static congru_status read_first_bytes(congru_context *context, const congru_source *source,
                                      unsigned char bytes[FIRST_BYTES], size_t *size)
{
    *size = source->size < FIRST_BYTES ? (size_t)source->size : FIRST_BYTES;
    return congru_source_read(context, source, 0, *size, bytes);
}

static const congru_recording_reader *find_reader(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i]->recognises(bytes, size))
            return readers[i];
    return NULL;
}

static congru_status fail_unknown(congru_context *context, const char *path, const unsigned char *bytes,
                                  size_t size)
{
    if (size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0) /* .fif.gz, .xdfz */
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED, "%s: packed with gzip (unpack it with gunzip)",
                           path);
    return congru_fail(
        context, CONGRU_ERROR_UNSUPPORTED,
        "%s: not a recording of a known format: expected GDF, EDF, BDF, a BrainVision .vhdr, a "
        "MATLAB 5 .mat, an EEGLAB .set, XDF, FIF, or CSV, TSV or OpenBCI text (convert it to one of these)",
        path);
}

congru_status congru_recording_read(congru_context *context, const char *path,
                                    const congru_recording_options *options, congru_recording **recording)
{
    static const congru_recording_options defaults = {0};
    if (recording == NULL || path == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a path and a place for the recording are needed");
    *recording = NULL;
    if (options == NULL)
        options = &defaults;
    if (options->channels != NULL && options->channel_count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: an empty list of channels was asked for", path);
    congru_source source;
    CONGRU_TRY(congru_source_open(context, path, &source));
    unsigned char bytes[FIRST_BYTES];
    size_t size;
    congru_status status = read_first_bytes(context, &source, bytes, &size);
    const congru_recording_reader *reader = status == CONGRU_OK ? find_reader(bytes, size) : NULL;
    if (status == CONGRU_OK && size == 0)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: empty file (expected a recording)", path);
    else if (status == CONGRU_OK && reader == NULL)
        status = fail_unknown(context, path, bytes, size);
    if (status == CONGRU_OK)
        status = reader->read(context, path, &source, options, recording);
    if (status == CONGRU_OK)
        status = congru_source_check(context, &source);
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    congru_source_close(&source);
    return status;
}

bool congru_recording_recognises(const char *path)
{
    congru_source source;
    errno = 0;
    if (path == NULL || congru_source_open(NULL, path, &source) != CONGRU_OK)
        return false;
    unsigned char bytes[FIRST_BYTES];
    size_t size;
    bool known = read_first_bytes(NULL, &source, bytes, &size) == CONGRU_OK && find_reader(bytes, size) != NULL;
    congru_source_close(&source);
    return known;
}

static congru_status fail_memory(congru_context *context, const char *file, size_t channels, size_t samples)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY,
                       "%s: not enough memory for %zu channels of %zu samples (choose fewer channels)", file,
                       channels, samples);
}

congru_status congru_recording_create(congru_context *context, const char *file, size_t channels,
                                      size_t samples, bool header_only, congru_recording **recording)
{
    *recording = NULL;
    size_t limit = (size_t)PTRDIFF_MAX - ALIGNMENT;
    if (channels == 0 || channels > limit / sizeof(congru_channel) ||
        samples > limit / sizeof(double) / channels)
        return fail_memory(context, file, channels, samples);
    recording_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return fail_memory(context, file, channels, samples);
    congru_recording *made = &store->recording;
    made->channels = channels;
    made->samples = samples;
    made->channel = calloc(channels, sizeof *made->channel);
    size_t bytes = channels * samples * sizeof(double);
    if (!header_only) /* a multiple of the alignment, as C11 asks, and never 0 */
        made->data = aligned_alloc(ALIGNMENT, bytes / ALIGNMENT * ALIGNMENT + ALIGNMENT);
    if (made->channel == NULL || (!header_only && made->data == NULL)) {
        congru_recording_destroy(&made);
        return fail_memory(context, file, channels, samples);
    }
    *recording = made;
    return CONGRU_OK;
}

void congru_recording_destroy(congru_recording **recording)
{
    if (recording == NULL || *recording == NULL)
        return;
    recording_store *store = (recording_store *)*recording;
    congru_text_set_clear(&store->texts);
    free(store->recording.event);
    free(store->recording.channel);
    free(store->recording.data);
    free(store);
    *recording = NULL;
}

/* The recording's own copy; NULL when memory ran out. */
static const char *keep_text(recording_store *store, const char *text, size_t length)
{
    size_t size = 2 * length + 1; /* a byte of Latin-1 is at most two of UTF-8 */
    char *copy = length < SIZE_MAX / 2 ? malloc(size) : NULL;
    if (copy == NULL)
        return NULL;
    congru_reader_copy_label(copy, size, text, length);
    const char *kept = congru_text_set_add(&store->texts, copy);
    free(copy);
    return kept;
}

congru_status congru_recording_add_event(congru_context *context, congru_recording *recording, size_t onset,
                                         size_t duration, int32_t code, const char *text, size_t length)
{
    recording_store *store = (recording_store *)recording;
    if (onset >= recording->samples)
        return CONGRU_OK;
    if (recording->events == store->event_room) {
        size_t room = store->event_room == 0 ? EVENTS_START : store->event_room * 2;
        congru_event *event =
            room > SIZE_MAX / 2 / sizeof *event ? NULL : realloc(recording->event, 2 * room * sizeof *event);
        if (event == NULL)
            return congru_fail_memory(context, "%zu events", room);
        recording->event = event;
        store->event_room = room;
    }
    const char *kept = NULL;
    if (text != NULL) {
        kept = keep_text(store, text, length);
        if (kept == NULL)
            return congru_fail_memory(context, "the text of an event");
    }
    recording->event[recording->events++] =
        (congru_event){.onset = onset, .duration = duration, .code = code, .text = kept};
    return CONGRU_OK;
}

congru_status congru_reader_add_text(congru_context *context, congru_recording *recording, size_t onset,
                                     size_t duration, const char *text, size_t length)
{
    int32_t code = 0;
    for (size_t i = 0; i < length && code >= 0; i++)
        code = text[i] >= '0' && text[i] <= '9' && code < INT32_MAX / 10 ? 10 * code + (text[i] - '0') : -1;
    return congru_recording_add_event(context, recording, onset, duration, length > 0 ? code : -1, text,
                                      length);
}

/* Merges the sorted halves [first, middle) and [middle, last) through `spare`. */
static void merge_events(congru_event *event, congru_event *spare, size_t first, size_t middle, size_t last)
{
    size_t left = first, right = middle;
    for (size_t i = first; i < last; i++) {
        bool take_left = right >= last || (left < middle && event[left].onset <= event[right].onset);
        spare[i] = event[take_left ? left++ : right++];
    }
    memcpy(event + first, spare + first, (last - first) * sizeof *event);
}

void congru_recording_sort_events(congru_recording *recording)
{
    size_t count = recording->events;
    congru_event *event = recording->event;
    size_t ordered = 1;
    while (ordered < count && event[ordered - 1].onset <= event[ordered].onset)
        ordered++;
    if (ordered >= count) /* as most files have them */
        return;
    congru_event *spare = event + ((recording_store *)recording)->event_room;
    for (size_t width = 1; width < count; width *= 2)
        for (size_t first = 0; first + width < count; first += 2 * width)
            merge_events(event, spare, first, first + width,
                         first + 2 * width < count ? first + 2 * width : count);
}
