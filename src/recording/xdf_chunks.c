/* Goes through the chunks of an XDF file and the samples in them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/xdf.h"

enum { TAG_STREAM_HEADER = 2, TAG_SAMPLES = 3, TAG_CLOCK_OFFSET = 4, STREAMS_MAX = 256, MAGIC_SIZE = 4 };

/* No clock counts as many seconds; beyond them sums of times mean nothing. */
static const double time_max = 1e12;

bool congru_xdf_recognises(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, "XDF:", MAGIC_SIZE) == 0;
}

/* ---- Numbers ------------------------------------------------------------------------------------- */

static uint64_t word(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

size_t congru_xdf_width(congru_xdf_format format)
{
    static const size_t width[] = {[CONGRU_XDF_INT8] = 1,  [CONGRU_XDF_INT16] = 2,   [CONGRU_XDF_INT32] = 4,
                                   [CONGRU_XDF_INT64] = 8, [CONGRU_XDF_FLOAT32] = 4, [CONGRU_XDF_FLOAT64] = 8};
    return width[format];
}

static double real_64(const unsigned char *bytes)
{
    uint64_t bits = word(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double congru_xdf_number(congru_xdf_format format, const unsigned char *bytes)
{
    uint32_t bits;
    float value;
    switch (format) {
    case CONGRU_XDF_INT8:
        return (int8_t)bytes[0];
    case CONGRU_XDF_INT16:
        return (int16_t)word(bytes, 2);
    case CONGRU_XDF_INT32:
        return (int32_t)word(bytes, 4);
    case CONGRU_XDF_INT64:
        return (double)(int64_t)word(bytes, 8);
    case CONGRU_XDF_FLOAT32:
        bits = (uint32_t)word(bytes, 4);
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    case CONGRU_XDF_FLOAT64:
        return real_64(bytes);
    default:
        return (double)NAN;
    }
}

/* A length: how many bytes it has (1, 4 or 8), and these. *skip is all of them. */
static bool take_length(const unsigned char *bytes, size_t size, size_t *skip, uint64_t *length)
{
    size_t width = size > 0 ? bytes[0] : 0;
    if ((width != 1 && width != 4 && width != 8) || size < 1 + width)
        return false;
    *skip = 1 + width;
    *length = word(bytes + 1, width);
    return true;
}

bool congru_xdf_text(const unsigned char *bytes, size_t size, size_t *skip, size_t *length)
{
    uint64_t found;
    if (!take_length(bytes, size, skip, &found) || found > size - *skip)
        return false;
    *length = (size_t)found;
    return true;
}

/* ---- Chunks -------------------------------------------------------------------------------------- */

typedef struct chunk_head {
    unsigned tag;
    uint64_t at, size; /* of the content behind the tag; at + size is within the file */
} chunk_head;

static congru_status fail_memory(const congru_xdf *xdf, size_t count)
{
    return congru_fail(xdf->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu chunks",
                       xdf->source->name, count);
}

/* The chunk at *position, which moves behind it. */
static congru_status next_chunk(const congru_xdf *xdf, uint64_t *position, chunk_head *head)
{
    unsigned char bytes[16] = {0};
    uint64_t left = xdf->source->size - *position, length = 0;
    size_t taken = left < sizeof bytes ? (size_t)left : sizeof bytes, skip = 0;
    CONGRU_TRY(congru_source_read(xdf->context, xdf->source, *position, taken, bytes));
    if (!take_length(bytes, taken, &skip, &length) || length < 2 || length > left - skip)
        return congru_fail(
            xdf->context, CONGRU_ERROR_FORMAT,
            "%s: truncated or damaged: expected a chunk at byte %llu, found %llu bytes for one of "
            "%llu (copy the file again)",
            xdf->source->name, (unsigned long long)*position, (unsigned long long)left,
            (unsigned long long)length);
    head->tag = (unsigned)word(bytes + skip, 2);
    head->at = *position + skip + 2;
    head->size = length - 2;
    *position += skip + length;
    return CONGRU_OK;
}

static congru_xdf_stream *find_stream(const congru_xdf *xdf, uint32_t id)
{
    for (size_t i = 0; i < xdf->streams; i++)
        if (xdf->stream[i].id == id)
            return &xdf->stream[i];
    return NULL;
}

static congru_status add_stream(congru_xdf *xdf, uint32_t id, const chunk_head *head)
{
    if (xdf->streams == STREAMS_MAX || find_stream(xdf, id) != NULL)
        return congru_fail(xdf->context, CONGRU_ERROR_FORMAT,
                           "%s: expected at most %d streams, each with one header, found another of stream %u",
                           xdf->source->name, (int)STREAMS_MAX, (unsigned)id);
    congru_xdf_stream *grown = realloc(xdf->stream, (xdf->streams + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(xdf, xdf->streams);
    xdf->stream = grown;
    congru_xdf_stream *stream = &grown[xdf->streams++];
    *stream = (congru_xdf_stream){.id = id};
    size_t size = (size_t)head->size - 4;
    char *text = malloc(size + 1);
    congru_status status = text != NULL
                               ? congru_source_read(xdf->context, xdf->source, head->at + 4, size, text)
                               : fail_memory(xdf, size);
    if (status == CONGRU_OK)
        status = congru_xdf_header_parse(xdf->context, xdf->source->name, text, size, stream);
    free(text);
    return status;
}

static congru_status add_chunk(const congru_xdf *xdf, congru_xdf_stream *stream, const chunk_head *head)
{
    if (stream->chunks == stream->chunk_room) {
        size_t room = stream->chunk_room > 0 ? 2 * stream->chunk_room : 16;
        congru_xdf_chunk *grown = realloc(stream->chunk, room * sizeof *grown);
        if (grown == NULL)
            return fail_memory(xdf, room);
        stream->chunk = grown;
        stream->chunk_room = room;
    }
    stream->chunk[stream->chunks++] = (congru_xdf_chunk){head->at + 4, (size_t)head->size - 4};
    return CONGRU_OK;
}

/* When it was measured, by the stream's clock, and what is to be added to that. */
static congru_status add_offset(const congru_xdf *xdf, congru_xdf_stream *stream, const chunk_head *head)
{
    unsigned char bytes[16];
    if (head->size != 4 + sizeof bytes)
        return congru_fail(xdf->context, CONGRU_ERROR_FORMAT,
                           "%s: expected a clock offset of 20 bytes at byte %llu, found %llu",
                           xdf->source->name, (unsigned long long)head->at, (unsigned long long)head->size);
    if (stream->offsets == stream->offset_room) {
        size_t room = stream->offset_room > 0 ? 2 * stream->offset_room : 16;
        double *grown = realloc(stream->offset, 2 * room * sizeof *grown);
        if (grown == NULL)
            return fail_memory(xdf, room);
        stream->offset = grown;
        stream->offset_room = room;
    }
    congru_status status = congru_source_read(xdf->context, xdf->source, head->at + 4, sizeof bytes, bytes);
    double time = real_64(bytes), value = real_64(bytes + 8);
    if (status != CONGRU_OK || !(fabs(time) < time_max) || !(fabs(value) < time_max))
        return status;
    stream->offset[2 * stream->offsets] = time;
    stream->offset[2 * stream->offsets++ + 1] = value;
    return CONGRU_OK;
}

static congru_status take_chunk(congru_xdf *xdf, const chunk_head *head)
{
    unsigned char bytes[4];
    if (head->tag != TAG_STREAM_HEADER && head->tag != TAG_SAMPLES && head->tag != TAG_CLOCK_OFFSET)
        return CONGRU_OK;
    if (head->size < sizeof bytes)
        return congru_fail(xdf->context, CONGRU_ERROR_FORMAT,
                           "%s: expected the number of a stream at byte %llu, found a chunk of %llu bytes",
                           xdf->source->name, (unsigned long long)head->at, (unsigned long long)head->size);
    CONGRU_TRY(congru_source_read(xdf->context, xdf->source, head->at, sizeof bytes, bytes));
    uint32_t id = (uint32_t)word(bytes, 4);
    if (head->tag == TAG_STREAM_HEADER)
        return add_stream(xdf, id, head);
    congru_xdf_stream *stream = find_stream(xdf, id);
    if (stream == NULL)
        return congru_fail(xdf->context, CONGRU_ERROR_FORMAT,
                           "%s: expected the header of stream %u before byte %llu, found none",
                           xdf->source->name, (unsigned)id, (unsigned long long)head->at);
    return head->tag == TAG_SAMPLES ? add_chunk(xdf, stream, head) : add_offset(xdf, stream, head);
}

congru_status congru_xdf_index(congru_context *context, const congru_source *source, congru_xdf *xdf)
{
    *xdf = (congru_xdf){.context = context, .source = source};
    congru_status status = CONGRU_OK;
    for (uint64_t position = MAGIC_SIZE; position < source->size && status == CONGRU_OK;) {
        chunk_head head = {0};
        status = next_chunk(xdf, &position, &head);
        if (status == CONGRU_OK)
            status = take_chunk(xdf, &head);
    }
    return status;
}

void congru_xdf_clear(congru_xdf *xdf)
{
    for (size_t i = 0; i < xdf->streams; i++) {
        free(xdf->stream[i].described);
        free(xdf->stream[i].chunk);
        free(xdf->stream[i].offset);
    }
    free(xdf->stream);
    *xdf = (congru_xdf){0};
}

/* ---- Samples ------------------------------------------------------------------------------------- */

/* The bytes of the values of one sample; 0 where they do not fit. */
static size_t sample_size(const congru_xdf_stream *stream, const unsigned char *bytes, size_t size)
{
    size_t used = 0, skip, length;
    if (stream->format != CONGRU_XDF_TEXT) {
        used = stream->channels * congru_xdf_width(stream->format);
        return used <= size ? used : 0;
    }
    for (size_t k = 0; k < stream->channels; k++) {
        if (!congru_xdf_text(bytes + used, size - used, &skip, &length))
            return 0;
        used += skip + length;
    }
    return used;
}

static congru_status fail_samples(const congru_xdf *xdf, const congru_xdf_chunk *chunk)
{
    return congru_fail(xdf->context, CONGRU_ERROR_FORMAT,
                       "%s: damaged: the samples of the chunk at byte %llu do not fill its %zu bytes (copy the "
                       "file again)",
                       xdf->source->name, (unsigned long long)chunk->at, chunk->size);
}

static congru_status walk_samples(const congru_xdf *xdf, const congru_xdf_stream *stream,
                                  const congru_xdf_chunk *chunk, const unsigned char *bytes,
                                  congru_xdf_sample take, void *user)
{
    size_t at, size = chunk->size;
    uint64_t count;
    if (!take_length(bytes, size, &at, &count))
        return fail_samples(xdf, chunk);
    congru_status status = CONGRU_OK;
    for (uint64_t i = 0; i < count && status == CONGRU_OK; i++) {
        double time = (double)NAN;
        bool timed = at < size && bytes[at] == 8;
        if (at >= size || (bytes[at] != 0 && !timed) || (timed && size - at < 9))
            return fail_samples(xdf, chunk);
        if (timed)
            time = real_64(bytes + at + 1);
        at += timed ? 9 : 1;
        size_t used = sample_size(stream, bytes + at, size - at);
        if (used == 0)
            return fail_samples(xdf, chunk);
        status = take(user, fabs(time) < time_max ? time : (double)NAN, bytes + at, used);
        at += used;
    }
    return status == CONGRU_OK && at != size ? fail_samples(xdf, chunk) : status;
}

congru_status congru_xdf_samples(const congru_xdf *xdf, const congru_xdf_stream *stream, congru_xdf_sample take,
                                 void *user)
{
    size_t largest = 1;
    for (size_t i = 0; i < stream->chunks; i++)
        largest = stream->chunk[i].size > largest ? stream->chunk[i].size : largest;
    unsigned char *bytes = malloc(largest);
    if (bytes == NULL)
        return fail_memory(xdf, largest);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < stream->chunks && status == CONGRU_OK; i++) {
        const congru_xdf_chunk *chunk = &stream->chunk[i];
        status = congru_source_read(xdf->context, xdf->source, chunk->at, chunk->size, bytes);
        if (status == CONGRU_OK)
            status = walk_samples(xdf, stream, chunk, bytes, take, user);
    }
    free(bytes);
    return status;
}
