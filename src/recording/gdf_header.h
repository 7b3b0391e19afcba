/* The inside of the GDF reader: what a header says. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_GDF_HEADER_H
#define CONGRU_RECORDING_GDF_HEADER_H

#include "recording/reader.h"

/* GDF, "A general data format for biosignals" (Schloegl, arXiv cs/0608052): a fixed header of 256 bytes, 256
 * bytes for each signal, from version 2.10 on an optional block of fields with a tag and a length; then
 * records, each with some samples of each signal in turn; then a table of events. All is little-endian. */

typedef enum congru_gdf_kind {
    CONGRU_GDF_INT8,
    CONGRU_GDF_UINT8,
    CONGRU_GDF_INT16,
    CONGRU_GDF_UINT16,
    CONGRU_GDF_INT24,
    CONGRU_GDF_UINT24,
    CONGRU_GDF_INT32,
    CONGRU_GDF_UINT32,
    CONGRU_GDF_INT64,
    CONGRU_GDF_UINT64,
    CONGRU_GDF_FLOAT32,
    CONGRU_GDF_FLOAT64
} congru_gdf_kind;

typedef struct congru_gdf_signal {
    congru_gdf_kind kind;
    uint32_t per_record;     /* samples; 0 for values that are in the event table only */
    uint64_t position;       /* of its samples in a record, bytes */
    double physical_minimum; /* what the digital minimum stands for, in the signal's unit */
    double physical_maximum;
    double digital_minimum;
    double digital_maximum;
    double microvolts; /* one of its unit; 1 when that is not a voltage */
} congru_gdf_signal;

/* The names of user-defined event types, 1 to 255, from the field with tag 1. */
enum { CONGRU_GDF_NAMES = 256, CONGRU_GDF_NAME_MAX = 255 };

typedef struct congru_gdf_names {
    char *bytes;                        /* the field, or NULL; owned */
    const char *name[CONGRU_GDF_NAMES]; /* into it, NULL where there is none; not terminated */
    size_t length[CONGRU_GDF_NAMES];    /* at most CONGRU_GDF_NAME_MAX */
} congru_gdf_names;

typedef struct congru_gdf_header {
    unsigned version;      /* 125 for "GDF 1.25" */
    uint64_t header_bytes; /* where the records begin */
    uint64_t records;      /* all of them in the file */
    uint64_t record_bytes; /* never 0 */
    bool records_unknown;  /* the file says -1: it was not closed, and has no event table */
    double duration;       /* of a record, seconds */
    size_t signals;
    congru_gdf_signal *signal; /* (signals), owned */
    congru_channel *channel;   /* (signals), owned */
    congru_gdf_names names;
} congru_gdf_header;

/* The bytes of one sample. */
size_t congru_gdf_sample_bytes(congru_gdf_kind kind);

/* Reads and checks the header: every size it gives has bytes behind it in the file. Free what it holds with
 * congru_gdf_header_clear, after a failure too. */
congru_status congru_gdf_header_read(congru_context *context, const congru_source *source,
                                     congru_gdf_header *header);

void congru_gdf_header_clear(congru_gdf_header *header);

/* Adds the events of the table after the records to the recording, whose rate and samples are set, and orders
 * them. */
congru_status congru_gdf_events_read(congru_context *context, const congru_source *source,
                                     const congru_gdf_header *header, congru_recording *recording);

/* Little-endian numbers at any address. */
static inline uint32_t congru_gdf_u16(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t congru_gdf_u24(const unsigned char *at)
{
    return congru_gdf_u16(at) | (uint32_t)at[2] << 16;
}

static inline uint32_t congru_gdf_u32(const unsigned char *at)
{
    return congru_gdf_u24(at) | (uint32_t)at[3] << 24;
}

static inline uint64_t congru_gdf_u64(const unsigned char *at)
{
    return congru_gdf_u32(at) | (uint64_t)congru_gdf_u32(at + 4) << 32;
}

float congru_gdf_f32(const unsigned char *at);
double congru_gdf_f64(const unsigned char *at);

#endif
