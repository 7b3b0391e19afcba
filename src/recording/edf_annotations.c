/* The annotations of EDF+ and BDF+: timed texts, times of records. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/edf.h"
#include "recording/header_text.h"

/* A time-stamped annotation list is: onset [DURATION_MARK duration] TEXT_MARK (text TEXT_MARK)... NUL. The
 * first one of a record, in the first signal of this kind, tells the time of the record: its first text is
 * empty. */
enum { DURATION_MARK = 0x15, TEXT_MARK = 0x14 };

/* One list, its texts still with their marks. */
typedef struct time_stamped {
    double onset, duration;
    const unsigned char *texts, *end;
} time_stamped;

/* Where the parser is in the bytes that one signal has in one record. */
typedef struct cursor {
    congru_context *context;
    const char *file;
    uint64_t offset; /* in the file, of `bytes` */
    const unsigned char *bytes, *next, *end;
} cursor;

static congru_status fail_here(const cursor *at, const unsigned char *where, const char *expected)
{
    char quote[CONGRU_HEADER_QUOTE + 1];
    return congru_fail(
        at->context, CONGRU_ERROR_FORMAT,
        "%s: broken annotation: expected %s at byte %llu, found '%s' (copy the file again, or export it "
        "as plain EDF)",
        at->file, expected, (unsigned long long)at->offset + (size_t)(where - at->bytes),
        congru_header_quote(quote, where, (size_t)(at->end - where)));
}

static const unsigned char *find_mark(const unsigned char *from, const unsigned char *end)
{
    while (from < end && *from != DURATION_MARK && *from != TEXT_MARK && *from != '\0')
        from++;
    return from;
}

/* *found is false at the end of the bytes. */
static congru_status next_list(cursor *at, time_stamped *list, bool *found)
{
    while (at->next < at->end && (*at->next == '\0' || *at->next == ' '))
        at->next++;
    *found = at->next < at->end;
    if (!*found)
        return CONGRU_OK;
    const unsigned char *mark = find_mark(at->next, at->end);
    if (mark == at->end || *mark == '\0' ||
        !congru_header_number(at->next, (size_t)(mark - at->next), &list->onset))
        return fail_here(at, at->next, "an onset in seconds");
    list->duration = 0;
    if (*mark == DURATION_MARK) {
        const unsigned char *start = mark + 1;
        mark = find_mark(start, at->end);
        if (mark == at->end || *mark != TEXT_MARK ||
            (mark > start && !congru_header_number(start, (size_t)(mark - start), &list->duration)))
            return fail_here(at, start, "a duration in seconds");
    }
    list->texts = mark + 1;
    list->end = memchr(list->texts, '\0', (size_t)(at->end - list->texts));
    if (list->end == NULL)
        list->end = at->end;
    if (list->end[-1] != TEXT_MARK)
        return fail_here(at, list->texts, "a text with its end");
    at->next = list->end;
    return CONGRU_OK;
}

static bool tells_record_time(const time_stamped *list)
{
    return list->texts == list->end || *list->texts == TEXT_MARK;
}

static cursor start_at(congru_context *context, const congru_source *source, const congru_edf_header *header,
                       size_t signal, uint64_t record, const unsigned char *bytes)
{
    const congru_edf_signal *of = &header->signal[signal];
    return (cursor){.context = context,
                    .file = source->name,
                    .offset = header->data_offset + record * header->record_bytes + of->offset,
                    .bytes = bytes,
                    .next = bytes,
                    .end = bytes + of->samples * header->sample_bytes};
}

/* ---- Times of records ----------------------------------------------------------------------------- */

typedef struct placing {
    congru_context *context;
    const congru_source *source;
    const congru_edf_header *header;
    size_t signal;
    double rate, first;
    size_t samples_per_record;
    size_t *position;
    size_t samples; /* up to the end of the record before */
} placing;

/* Times are printed with a few digits, so that a record may seem to begin a sample before or after the end of
 * the last: that is no gap. */
static congru_status place_at(placing *state, uint64_t record, double time)
{
    double expected = (double)state->samples, place = (time - state->first) * state->rate;
    double longest =
        (double)state->header->records * (double)state->samples_per_record * CONGRU_READER_STRETCH_MAX;
    if (fabs(place - expected) <= 1)
        place = expected;
    if (place < expected)
        return congru_fail(
            state->context, CONGRU_ERROR_FORMAT,
            "%s: records overlap: expected record %llu at %.9g s or later, found %.9g s (export it "
            "again in order)",
            state->source->name, (unsigned long long)record, state->first + expected / state->rate, time);
    if (!(place + (double)state->samples_per_record <= longest))
        return congru_fail(
            state->context, CONGRU_ERROR_UNSUPPORTED,
            "%s: gaps are too long: expected at most %d times what was recorded, found record %llu at "
            "%.9g s (split the file)",
            state->source->name, (int)CONGRU_READER_STRETCH_MAX, (unsigned long long)record, time);
    state->position[record] = (size_t)floor(place + 0.5);
    state->samples = state->position[record] + state->samples_per_record;
    return CONGRU_OK;
}

static congru_status place_record(void *user, size_t listed, uint64_t record, uint64_t first,
                                  const unsigned char *bytes, size_t count)
{
    placing *state = user;
    cursor at = start_at(state->context, state->source, state->header, state->signal, record, bytes);
    time_stamped list;
    bool found;
    (void)listed, (void)first, (void)count;
    CONGRU_TRY(next_list(&at, &list, &found));
    if (!found || !tells_record_time(&list))
        return fail_here(&at, bytes, "the time of the record");
    if (record == 0)
        state->first = list.onset;
    return place_at(state, record, list.onset);
}

static size_t find_annotations(const congru_edf_header *header, size_t from)
{
    while (from < header->signals && !header->signal[from].annotations)
        from++;
    return from;
}

congru_status congru_edf_place_records(congru_context *context, const congru_source *source,
                                       const congru_edf_header *header, double rate,
                                       uint64_t samples_per_record, size_t *position, size_t *samples)
{
    placing state = {.context = context,
                     .source = source,
                     .header = header,
                     .signal = find_annotations(header, 0),
                     .rate = rate,
                     .samples_per_record = (size_t)samples_per_record,
                     .position = position};
    if (state.signal == header->signals)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: %s without the times of its records: expected a signal '%.3s Annotations', found none "
            "(export it again)",
            source->name, header->format, header->format);
    congru_status status = congru_edf_walk(context, source, header, &state.signal, 1, place_record, &state);
    *samples = state.samples;
    return status;
}

/* ---- Annotations as events ------------------------------------------------------------------------ */

typedef struct adding {
    congru_context *context;
    const congru_source *source;
    const congru_edf_header *header;
    const size_t *signal;
    congru_recording *recording;
    double first; /* time of the first record */
} adding;

static congru_status add_texts(const adding *state, const time_stamped *list)
{
    congru_recording *recording = state->recording;
    double onset = floor((list->onset - state->first) * recording->rate + 0.5);
    double duration = floor(list->duration * recording->rate + 0.5);
    if (!(onset >= 0 && onset < (double)recording->samples))
        return CONGRU_OK;
    if (!(duration >= 0))
        duration = 0;
    size_t length = duration < (double)PTRDIFF_MAX / 2 ? (size_t)duration : PTRDIFF_MAX / 2;
    congru_status status = CONGRU_OK;
    for (const unsigned char *text = list->texts; text < list->end && status == CONGRU_OK;) {
        const unsigned char *mark = memchr(text, TEXT_MARK, (size_t)(list->end - text));
        if (mark > text)
            status = congru_recording_add_event(state->context, recording, (size_t)onset, length, -1,
                                                (const char *)text, (size_t)(mark - text));
        text = mark + 1;
    }
    return status;
}

static congru_status add_annotations(void *user, size_t listed, uint64_t record, uint64_t first,
                                     const unsigned char *bytes, size_t count)
{
    adding *state = user;
    cursor at = start_at(state->context, state->source, state->header, state->signal[listed], record, bytes);
    (void)first, (void)count;
    for (;;) {
        time_stamped list;
        bool found;
        bool beginning = record == 0 && listed == 0 && at.next == bytes;
        congru_status status = next_list(&at, &list, &found);
        if (status != CONGRU_OK || !found)
            return status;
        if (beginning && tells_record_time(&list))
            state->first = list.onset;
        status = add_texts(state, &list);
        if (status != CONGRU_OK)
            return status;
    }
}

congru_status congru_edf_add_annotations(congru_context *context, const congru_source *source,
                                         const congru_edf_header *header, congru_recording *recording)
{
    size_t count = 0, *signal = malloc(header->signals * sizeof *signal);
    if (signal == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu signals", source->name,
                           header->signals);
    for (size_t i = find_annotations(header, 0); i < header->signals; i = find_annotations(header, i + 1))
        signal[count++] = i;
    adding state = {context, source, header, signal, recording, 0};
    congru_status status =
        count == 0 ? CONGRU_OK
                   : congru_edf_walk(context, source, header, signal, count, add_annotations, &state);
    free(signal);
    return status;
}
