/* The bytes of one variable of a MATLAB file, inflated where they are compressed. SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "array/mat_internal.h"

#include "base/number_text.h"

/* Values are converted while they are inflated, so that a compressed recording is never in memory both as bytes
 * and as numbers. */
struct congru_mat_stream {
    congru_context *context;
    const congru_source *source;
    bool swap, passes;
    bool inflates;
    bool inflater_ready;  /* inflateInit has been called */
    bool ended;           /* the inflater has seen the end and the checksum */
    uint64_t start;       /* of the bytes begun with, in the file */
    uint64_t offset, end; /* in the file: what the buffer has not been filled with */
    uint64_t position;    /* bytes taken */
    char variable[CONGRU_MAT_NAME_SIZE];
    z_stream inflater;
    size_t filled, used;
    unsigned char buffer[1 << 16];
};

congru_status congru_mat_stream_create(congru_context *context, const congru_source *source, bool swap,
                                       bool passes, congru_mat_stream **stream)
{
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for a buffer", source->name);
    (*stream)->context = context;
    (*stream)->source = source;
    (*stream)->swap = swap;
    (*stream)->passes = passes;
    return CONGRU_OK;
}

void congru_mat_stream_destroy(congru_mat_stream **stream)
{
    if (*stream == NULL)
        return;
    if ((*stream)->inflater_ready)
        inflateEnd(&(*stream)->inflater);
    free(*stream);
    *stream = NULL;
}

congru_status congru_mat_stream_begin(congru_mat_stream *stream, uint64_t offset, uint64_t size, bool inflates)
{
    stream->start = stream->offset = offset;
    stream->end = offset + size;
    stream->position = 0;
    stream->filled = stream->used = 0;
    stream->variable[0] = '\0';
    stream->inflates = inflates;
    stream->ended = false;
    if (!inflates)
        return CONGRU_OK;
    int result = stream->inflater_ready ? inflateReset(&stream->inflater) : inflateInit(&stream->inflater);
    if (result != Z_OK)
        return congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory to inflate");
    stream->inflater_ready = true;
    stream->inflater.avail_in = 0;
    return CONGRU_OK;
}

void congru_mat_stream_name(congru_mat_stream *stream, const char *variable)
{
    snprintf(stream->variable, sizeof stream->variable, "%s", variable);
}

uint64_t congru_mat_position(const congru_mat_stream *stream)
{
    return stream->position;
}

bool congru_mat_passes(const congru_mat_stream *stream)
{
    return stream->passes;
}

bool congru_mat_swaps(const congru_mat_stream *stream)
{
    return stream->swap;
}

congru_status congru_mat_fail(const congru_mat_stream *stream, congru_status status, const char *format, ...)
{
    char words[512], variable[CONGRU_MAT_NAME_SIZE + 16] = "";
    va_list arguments;
    va_start(arguments, format);
    congru_format_list(words, sizeof words, format, arguments);
    va_end(arguments);
    if (stream->variable[0] != '\0')
        snprintf(variable, sizeof variable, "variable '%s': ", stream->variable);
    if (stream->inflates)
        return congru_fail(stream->context, status, "%s: %s%s, at byte %llu of what is compressed at byte %llu",
                           stream->source->name, variable, words, (unsigned long long)stream->position,
                           (unsigned long long)stream->start);
    return congru_fail(stream->context, status, "%s: %s%s, at byte %llu", stream->source->name, variable, words,
                       (unsigned long long)stream->start + stream->position);
}

/* More bytes of the file into the empty buffer. */
static congru_status fill(congru_mat_stream *stream)
{
    uint64_t left = stream->end - stream->offset;
    size_t size = left < sizeof stream->buffer ? (size_t)left : sizeof stream->buffer;
    stream->used = 0;
    stream->filled = 0;
    CONGRU_TRY(congru_source_read(stream->context, stream->source, stream->offset, size, stream->buffer));
    stream->filled = size;
    stream->offset += size;
    return CONGRU_OK;
}

static congru_status take_plain(congru_mat_stream *stream, unsigned char *into, size_t size)
{
    if (size > stream->filled - stream->used + (stream->end - stream->offset))
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "ends %zu bytes into an element (truncated?)",
                               size);
    while (size > 0) {
        if (stream->used == stream->filled) {
            congru_status status = fill(stream);
            if (status != CONGRU_OK)
                return status;
        }
        size_t piece = stream->filled - stream->used < size ? stream->filled - stream->used : size;
        memcpy(into, stream->buffer + stream->used, piece);
        stream->used += piece;
        stream->position += piece;
        into += piece;
        size -= piece;
    }
    return CONGRU_OK;
}

/* Inflates until the output is full or the compressed data end; *made is how much came out. */
static congru_status inflate_some(congru_mat_stream *stream, unsigned char *into, size_t size, size_t *made)
{
    z_stream *inflater = &stream->inflater;
    inflater->next_out = into;
    inflater->avail_out = (uInt)size;
    while (inflater->avail_out > 0 && !stream->ended) {
        if (inflater->avail_in == 0) {
            if (stream->offset == stream->end)
                return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                                       "the compressed data end too early (damaged? save the file again)");
            congru_status status = fill(stream);
            if (status != CONGRU_OK)
                return status;
            inflater->next_in = stream->buffer;
            inflater->avail_in = (uInt)stream->filled;
        }
        int result = inflate(inflater, Z_NO_FLUSH);
        stream->ended = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory to inflate");
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                                   "the compressed data are damaged: %s (save again)",
                                   inflater->msg != NULL ? inflater->msg : "zlib gives no reason");
    }
    *made = size - inflater->avail_out;
    stream->position += *made;
    return CONGRU_OK;
}

congru_status congru_mat_take(congru_mat_stream *stream, void *into, size_t size)
{
    if (!stream->inflates)
        return take_plain(stream, into, size);
    unsigned char *place = into;
    while (size > 0) {
        const size_t at_once = 1 << 30; /* zlib counts in an unsigned int */
        size_t made = 0;
        congru_status status = inflate_some(stream, place, size < at_once ? size : at_once, &made);
        if (status != CONGRU_OK)
            return status;
        place += made;
        size -= made;
        if (stream->ended && size > 0)
            return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "the compressed data end %zu bytes too early",
                                   size);
    }
    return CONGRU_OK;
}

congru_status congru_mat_pass(congru_mat_stream *stream, uint64_t size)
{
    unsigned char bytes[1 << 15];
    congru_status status = CONGRU_OK;
    while (size > 0 && status == CONGRU_OK) {
        size_t piece = size < sizeof bytes ? (size_t)size : sizeof bytes;
        status = congru_mat_take(stream, bytes, piece);
        size -= piece;
    }
    return status;
}

congru_status congru_mat_stream_end(congru_mat_stream *stream)
{
    uint64_t left = stream->end - stream->offset;
    if (!stream->inflates) {
        left += stream->filled - stream->used;
    } else {
        unsigned char extra;
        size_t made = 0;
        congru_status status = inflate_some(stream, &extra, 1, &made);
        if (status != CONGRU_OK)
            return status;
        if (made > 0)
            return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "more is compressed than its size says");
        left = stream->end - stream->offset + stream->inflater.avail_in;
    }
    if (left > 0)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "%llu bytes are left over",
                               (unsigned long long)left);
    return CONGRU_OK;
}
