/* XDF files: chunks of streams, with the clocks that they were recorded by. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_XDF_H
#define CONGRU_RECORDING_XDF_H

#include "recording/reader.h"

typedef enum congru_xdf_format {
    CONGRU_XDF_UNKNOWN,
    CONGRU_XDF_TEXT,
    CONGRU_XDF_INT8,
    CONGRU_XDF_INT16,
    CONGRU_XDF_INT32,
    CONGRU_XDF_INT64,
    CONGRU_XDF_FLOAT32,
    CONGRU_XDF_FLOAT64
} congru_xdf_format;

/* Where the samples of one chunk are: its content behind the number of the stream. */
typedef struct congru_xdf_chunk {
    uint64_t at;
    size_t size;
} congru_xdf_chunk;

typedef struct congru_xdf_stream {
    uint32_t id;
    char name[CONGRU_LABEL_SIZE], type[CONGRU_LABEL_SIZE];
    congru_xdf_format format;
    size_t channels;           /* values in a sample */
    double rate;               /* nominal; 0: samples come when they come */
    congru_channel *described; /* (described_count): as the header has them, maybe none */
    size_t described_count, described_room;
    congru_xdf_chunk *chunk; /* (chunks) of samples, in the order of the file */
    size_t chunks, chunk_room;
    double *offset; /* (offsets, 2): when a clock offset was measured, and it */
    size_t offsets, offset_room;
} congru_xdf_stream;

typedef struct congru_xdf {
    congru_context *context;
    const congru_source *source;
    congru_xdf_stream *stream;
    size_t streams;
} congru_xdf;

/* By the first bytes. */
bool congru_xdf_recognises(const unsigned char *bytes, size_t size);

/* ---- xdf_chunks.c -------------------------------------------------------------------------------- */

/* Goes through all chunks. After a failure too the caller clears it. */
congru_status congru_xdf_index(congru_context *context, const congru_source *source, congru_xdf *xdf);
void congru_xdf_clear(congru_xdf *xdf);

size_t congru_xdf_width(congru_xdf_format format); /* bytes of a number; 0 for texts */
double congru_xdf_number(congru_xdf_format format, const unsigned char *bytes);

/* A sample that is handed out: its time, or NaN where it has none of its own, and its bytes. */
typedef congru_status (*congru_xdf_sample)(void *user, double time, const unsigned char *bytes, size_t size);

/* All samples of a stream, in order. */
congru_status congru_xdf_samples(const congru_xdf *xdf, const congru_xdf_stream *stream, congru_xdf_sample take,
                                 void *user);

/* The text at the beginning of `bytes`: its length, and in *skip the bytes before it. False where it does not fit. */
bool congru_xdf_text(const unsigned char *bytes, size_t size, size_t *skip, size_t *length);

/* ---- xdf_header.c: the XML of a stream's header ---------------------------------------------------- */

/* Fills name, type, format, channels, rate and what is described of the channels. */
congru_status congru_xdf_header_parse(congru_context *context, const char *file, const char *text, size_t size,
                                      congru_xdf_stream *stream);

/* ---- xdf_clock.c: times ---------------------------------------------------------------------------- */

/* Moves times of a stream's own clock to the recorder's, by a robust line through the clock offsets, one for each
 * part between resets of the clock. CONGRU_ERROR_MEMORY. */
congru_status congru_xdf_synchronise(congru_context *context, const congru_xdf_stream *stream, double *time,
                                     size_t count);

/* Samples at even intervals: from sample `first` on, whose time is `start`, `step` seconds apart. */
typedef struct congru_xdf_segment {
    size_t first, count;
    double start, step;
} congru_xdf_segment;

/* Divides times where they jump, on or back, and puts a line through each part: see the limits in xdf_clock.c.
 * *segment is the caller's to free. */
congru_status congru_xdf_dejitter(congru_context *context, const double *time, size_t count, double rate,
                                  congru_xdf_segment **segment, size_t *segments);

#endif
