/* Reads the table of events of a GDF file. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "recording/gdf_header.h"

/* The number of events and the rate of their positions changed places. */
enum { VERSION_RATE_LAST = 194 };

enum {
    TABLE_HEADER = 8,
    BLOCK_EVENTS = 1024,
    TYPE_END = 0x8000,    /* this bit marks the end of an event of the type in the others */
    TYPE_SAMPLE = 0x7fff, /* not an event: a value of a channel that is not evenly sampled */
    TYPES = 0x8000
};

/* All positions come first, then all types, then from mode 3 on all channels and durations; mode 7 adds the
 * time of day of each event, which says nothing that its position does not. */
typedef struct table {
    uint64_t offset; /* of the first position */
    uint64_t count;
    unsigned mode;
    double scale; /* samples of the recording for one of the table's */
} table;

static congru_status read_table_header(congru_context *context, const congru_source *source,
                                       const congru_gdf_header *header, double rate, table *events)
{
    unsigned char bytes[TABLE_HEADER];
    uint64_t offset = header->header_bytes + header->records * header->record_bytes;
    CONGRU_TRY(congru_source_read(context, source, offset, sizeof bytes, bytes));
    bool rate_last = header->version >= VERSION_RATE_LAST;
    double table_rate = rate_last ? (double)congru_gdf_f32(bytes + 4) : (double)congru_gdf_u24(bytes + 1);
    *events = (table){.offset = offset + TABLE_HEADER, .mode = bytes[0]};
    events->count = rate_last ? congru_gdf_u24(bytes + 1) : congru_gdf_u32(bytes + 4);
    if (events->mode != 1 && events->mode != 3 && events->mode != 7)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: broken event table: expected mode 1, 3 or 7 at offset %llu, found %u",
                           source->name, (unsigned long long)offset, events->mode);
    uint64_t event_bytes = events->mode == 1 ? 6 : events->mode == 3 ? 12 : 20;
    if (events->count > (source->size - events->offset) / event_bytes)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: truncated event table: expected %llu events of %llu bytes from offset %llu on, found "
            "room for %llu (copy the file again)",
            source->name, (unsigned long long)events->count, (unsigned long long)event_bytes,
            (unsigned long long)events->offset,
            (unsigned long long)((source->size - events->offset) / event_bytes));
    /* Files without a rate here mean the recording's; a float holds few rates exactly. */
    bool same = !(table_rate > 0) || !isfinite(table_rate) || fabs(table_rate - rate) <= 1e-6 * rate;
    events->scale = same ? 1 : rate / table_rate;
    return CONGRU_OK;
}

/* Rounds to the nearest sample; more than `limit` is `limit`. */
static size_t to_samples(double value, size_t limit)
{
    double rounded = floor(value + 0.5);
    return rounded < (double)limit ? (size_t)rounded : limit;
}

static congru_status add_event(congru_context *context, const congru_gdf_header *header, const table *events,
                               uint32_t position, uint32_t type, uint32_t duration, congru_recording *recording)
{
    if (type == TYPE_SAMPLE)
        return CONGRU_OK;
    const char *name = type < CONGRU_GDF_NAMES ? header->names.name[type] : NULL;
    size_t length = name != NULL ? header->names.length[type] : 0;
    double first = position > 0 ? (double)position - 1 : 0; /* counted from 1; 0 is from writers that forgot */
    return congru_recording_add_event(context, recording, to_samples(first * events->scale, recording->samples),
                                      to_samples(duration * events->scale, recording->samples), (int32_t)type,
                                      name, length);
}

static congru_status read_block(congru_context *context, const congru_source *source,
                                const congru_gdf_header *header, const table *events, uint64_t first,
                                size_t count, congru_recording *recording)
{
    unsigned char positions[BLOCK_EVENTS * 4], types[BLOCK_EVENTS * 2], durations[BLOCK_EVENTS * 4];
    uint64_t all = events->count;
    bool lasting = events->mode > 1;
    CONGRU_TRY(congru_source_read(context, source, events->offset + first * 4, count * 4, positions));
    CONGRU_TRY(congru_source_read(context, source, events->offset + all * 4 + first * 2, count * 2, types));
    if (lasting)
        CONGRU_TRY(
            congru_source_read(context, source, events->offset + all * 8 + first * 4, count * 4, durations));
    for (size_t i = 0; i < count; i++)
        CONGRU_TRY(add_event(context, header, events, congru_gdf_u32(positions + i * 4),
                             congru_gdf_u16(types + i * 2), lasting ? congru_gdf_u32(durations + i * 4) : 0,
                             recording));
    return CONGRU_OK;
}

/* Where an end has its beginning, it becomes the duration of that; the others stay what they are. */
static congru_status join_ends(congru_context *context, const congru_source *source,
                               congru_recording *recording)
{
    bool any = false;
    for (size_t i = 0; i < recording->events && !any; i++)
        any = (recording->event[i].code & TYPE_END) != 0;
    if (!any)
        return CONGRU_OK;
    size_t *open = calloc(TYPES, sizeof *open); /* one more than the index of the event that is open, by type */
    if (open == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for its events", source->name);
    size_t kept = 0;
    for (size_t i = 0; i < recording->events; i++) {
        congru_event event = recording->event[i];
        size_t type = (size_t)event.code & (TYPES - 1);
        bool end = (event.code & TYPE_END) != 0;
        if (end && open[type] != 0) {
            congru_event *begun = &recording->event[open[type] - 1];
            begun->duration = event.onset - begun->onset;
            open[type] = 0;
            continue;
        }
        if (!end && event.duration == 0)
            open[type] = kept + 1;
        recording->event[kept++] = event;
    }
    recording->events = kept;
    free(open);
    return CONGRU_OK;
}

congru_status congru_gdf_events_read(congru_context *context, const congru_source *source,
                                     const congru_gdf_header *header, congru_recording *recording)
{
    uint64_t end = header->header_bytes + header->records * header->record_bytes;
    if (header->records_unknown || end == source->size)
        return CONGRU_OK;
    table events;
    CONGRU_TRY(read_table_header(context, source, header, recording->rate, &events));
    for (uint64_t first = 0; first < events.count; first += BLOCK_EVENTS) {
        uint64_t left = events.count - first;
        CONGRU_TRY(read_block(context, source, header, &events, first,
                              left < BLOCK_EVENTS ? (size_t)left : (size_t)BLOCK_EVENTS, recording));
    }
    congru_recording_sort_events(recording);
    return join_ends(context, source, recording);
}
