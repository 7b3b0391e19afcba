/* Reads GDF files, versions 1.x and 2.x. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/gdf_header.h"

enum { BUFFER_BYTES = 1 << 18 };

/* More microvolts than any measurement: infinities, and what would become one, are missing samples. */
#define LARGEST 1e300

/* From a number of the file to microvolts: value * scale + offset, NaN where it is not between the limits. */
typedef struct scaling {
    double scale;
    double offset;
    double lowest;  /* included */
    double highest; /* included */
} scaling;

/* Some samples of one signal in the buffer. */
typedef struct run {
    const unsigned char *bytes;
    size_t records;
    size_t stride; /* bytes from one record to the next */
    size_t count;  /* samples in each record */
} run;

static bool recognises(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "GDF ", 4) == 0;
}

static inline double load_int8(const unsigned char *at)
{
    return (int8_t)at[0];
}

static inline double load_uint8(const unsigned char *at)
{
    return at[0];
}

static inline double load_int16(const unsigned char *at)
{
    return (int16_t)congru_gdf_u16(at);
}

static inline double load_uint16(const unsigned char *at)
{
    return congru_gdf_u16(at);
}

static inline double load_int24(const unsigned char *at)
{
    return (double)((int32_t)(congru_gdf_u24(at) ^ 0x800000U) - 0x800000);
}

static inline double load_uint24(const unsigned char *at)
{
    return congru_gdf_u24(at);
}

static inline double load_int32(const unsigned char *at)
{
    return (int32_t)congru_gdf_u32(at);
}

static inline double load_uint32(const unsigned char *at)
{
    return congru_gdf_u32(at);
}

static inline double load_int64(const unsigned char *at)
{
    return (double)(int64_t)congru_gdf_u64(at);
}

static inline double load_uint64(const unsigned char *at)
{
    return (double)congru_gdf_u64(at);
}

static inline double load_float32(const unsigned char *at)
{
    return (double)congru_gdf_f32(at);
}

static inline double load_float64(const unsigned char *at)
{
    return congru_gdf_f64(at);
}

/* One loop for each type, so that the type is looked at once for a run and not for a sample. */
#define DEFINE_DECODE(type, size) \
    static void decode_##type(const run *from, const scaling *by, double *data) \
    { \
        for (size_t record = 0; record < from->records; record++) \
            for (size_t i = 0; i < from->count; i++) { \
                double value = load_##type(from->bytes + record * from->stride + i * (size)); \
                bool inside = value >= by->lowest && value <= by->highest; \
                *data++ = inside ? value * by->scale + by->offset : NAN; \
            } \
    }

DEFINE_DECODE(int8, 1)
DEFINE_DECODE(uint8, 1)
DEFINE_DECODE(int16, 2)
DEFINE_DECODE(uint16, 2)
DEFINE_DECODE(int24, 3)
DEFINE_DECODE(uint24, 3)
DEFINE_DECODE(int32, 4)
DEFINE_DECODE(uint32, 4)
DEFINE_DECODE(int64, 8)
DEFINE_DECODE(uint64, 8)
DEFINE_DECODE(float32, 4)
DEFINE_DECODE(float64, 8)

static void (*const decoders[])(const run *from, const scaling *by, double *data) = {
    [CONGRU_GDF_INT8] = decode_int8,       [CONGRU_GDF_UINT8] = decode_uint8,
    [CONGRU_GDF_INT16] = decode_int16,     [CONGRU_GDF_UINT16] = decode_uint16,
    [CONGRU_GDF_INT24] = decode_int24,     [CONGRU_GDF_UINT24] = decode_uint24,
    [CONGRU_GDF_INT32] = decode_int32,     [CONGRU_GDF_UINT32] = decode_uint32,
    [CONGRU_GDF_INT64] = decode_int64,     [CONGRU_GDF_UINT64] = decode_uint64,
    [CONGRU_GDF_FLOAT32] = decode_float32, [CONGRU_GDF_FLOAT64] = decode_float64,
};

static bool is_float(congru_gdf_kind kind)
{
    return kind == CONGRU_GDF_FLOAT32 || kind == CONGRU_GDF_FLOAT64;
}

/* Of the unit, for one in the file. */
static double slope(const congru_gdf_signal *signal)
{
    return (signal->physical_maximum - signal->physical_minimum) /
           (signal->digital_maximum - signal->digital_minimum);
}

static bool is_usable(const congru_gdf_signal *signal)
{
    double offset = signal->physical_minimum - signal->digital_minimum * slope(signal);
    return isnormal(slope(signal)) && fabs(offset) < LARGEST;
}

/* The format's convention: the digital limits are those of the amplifier, and an integer at one of them was cut
 * off there or, as between the runs of BCI Competition IV, stands for a missing one. Floats are not cut off,
 * and a trigger line at its lowest value is at rest, so there the limits themselves are good values. */
static congru_status make_scaling(congru_context *context, const congru_source *source,
                                  const congru_gdf_signal *signal, const congru_channel *channel, scaling *by)
{
    double low = signal->digital_minimum, high = signal->digital_maximum;
    bool same = low == signal->physical_minimum && high == signal->physical_maximum;
    if (!(high > low) || (!same && !is_usable(signal)))
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: broken GDF header: channel '%s' goes from %g..%g in the file to %g..%g %s: expected "
            "a lower and a higher limit (leave the channel out)",
            source->name, channel->name, low, high, signal->physical_minimum, signal->physical_maximum,
            channel->unit);
    double scale = same ? 1 : slope(signal);
    by->scale = scale * signal->microvolts;
    by->offset = same ? 0 : (signal->physical_minimum - low * scale) * signal->microvolts;
    bool limits_are_good = is_float(signal->kind) || channel->type == CONGRU_CHANNEL_STIMULUS;
    by->lowest = limits_are_good ? low : nextafter(low, INFINITY);
    by->highest = limits_are_good ? high : nextafter(high, -INFINITY);
    by->lowest = fmax(by->lowest, -LARGEST / fabs(by->scale));
    by->highest = fmin(by->highest, LARGEST / fabs(by->scale));
    return CONGRU_OK;
}

/* What the functions below work on. */
typedef struct job {
    congru_context *context;
    const congru_source *source;
    const congru_gdf_header *header;
    const size_t *chosen;
    const scaling *by; /* (channels of the recording) */
    congru_recording *recording;
    unsigned char *buffer; /* BUFFER_BYTES */
} job;

/* Records that fit the buffer: as many of them at a time as do. */
static congru_status decode_small_records(const job *work)
{
    const congru_gdf_header *header = work->header;
    size_t record_bytes = (size_t)header->record_bytes, most = BUFFER_BYTES / record_bytes;
    for (uint64_t first = 0; first < header->records; first += most) {
        size_t records = header->records - first < most ? (size_t)(header->records - first) : most;
        congru_status status =
            congru_source_read(work->context, work->source, header->header_bytes + first * header->record_bytes,
                               records * record_bytes, work->buffer);
        if (status != CONGRU_OK)
            return status;
        for (size_t i = 0; i < work->recording->channels; i++) {
            const congru_gdf_signal *signal = &header->signal[work->chosen[i]];
            run from = {work->buffer + signal->position, records, record_bytes, signal->per_record};
            double *data =
                work->recording->data + i * work->recording->samples + (size_t)first * signal->per_record;
            decoders[signal->kind](&from, &work->by[i], data);
        }
    }
    return CONGRU_OK;
}

/* Records larger than the buffer: one signal of one record at a time, in pieces. */
static congru_status decode_large_records(const job *work)
{
    const congru_gdf_header *header = work->header;
    for (uint64_t record = 0; record < header->records; record++)
        for (size_t i = 0; i < work->recording->channels; i++) {
            const congru_gdf_signal *signal = &header->signal[work->chosen[i]];
            size_t bytes = congru_gdf_sample_bytes(signal->kind), most = BUFFER_BYTES / bytes;
            uint64_t start = header->header_bytes + record * header->record_bytes + signal->position;
            double *data =
                work->recording->data + i * work->recording->samples + (size_t)record * signal->per_record;
            for (size_t first = 0; first < signal->per_record; first += most) {
                size_t count = signal->per_record - first < most ? signal->per_record - first : most;
                congru_status status = congru_source_read(work->context, work->source, start + first * bytes,
                                                          count * bytes, work->buffer);
                if (status != CONGRU_OK)
                    return status;
                run from = {work->buffer, 1, 0, count};
                decoders[signal->kind](&from, &work->by[i], data + first);
            }
        }
    return CONGRU_OK;
}

static congru_status read_data(congru_context *context, const congru_source *source,
                               const congru_gdf_header *header, const size_t *chosen,
                               congru_recording *recording)
{
    scaling *by = calloc(recording->channels, sizeof *by);
    unsigned char *buffer = malloc(BUFFER_BYTES);
    congru_status status = CONGRU_OK;
    if (by == NULL || buffer == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", source->name);
    for (size_t i = 0; i < recording->channels && status == CONGRU_OK; i++)
        status = make_scaling(context, source, &header->signal[chosen[i]], &header->channel[chosen[i]], &by[i]);
    if (status == CONGRU_OK) {
        job work = {context, source, header, chosen, by, recording, buffer};
        status =
            header->record_bytes <= BUFFER_BYTES ? decode_small_records(&work) : decode_large_records(&work);
    }
    free(by);
    free(buffer);
    return status;
}

/* The recording for the chosen channels, filled. */
static congru_status fill(congru_context *context, const congru_source *source, const congru_gdf_header *header,
                          const size_t *chosen, size_t count, double rate, bool header_only,
                          congru_recording **recording)
{
    uint32_t per_record = 0; /* that of the highest rate, where a header alone may have several */
    for (size_t i = 0; i < count; i++)
        if (header->signal[chosen[i]].per_record > per_record)
            per_record = header->signal[chosen[i]].per_record;
    uint64_t samples = header->records * per_record;
    if (samples > SIZE_MAX)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: too long for this machine", source->name);
    CONGRU_TRY(congru_recording_create(context, source->name, count, (size_t)samples, header_only, recording));
    congru_recording *made = *recording;
    snprintf(made->format, sizeof made->format, "GDF %u.%02u", header->version / 100 % 10,
             header->version % 100);
    made->rate = rate;
    for (size_t i = 0; i < count; i++)
        made->channel[i] = header->channel[chosen[i]];
    congru_status status = congru_gdf_events_read(context, source, header, made);
    if (status == CONGRU_OK && !header_only)
        status = read_data(context, source, header, chosen, made);
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    return status;
}

static congru_status read_gdf(congru_context *context, const char *path, const congru_source *source,
                              const congru_recording_options *options, congru_recording **recording)
{
    (void)path; /* one file is all there is */
    *recording = NULL;
    congru_gdf_header header;
    congru_status status = congru_gdf_header_read(context, source, &header);
    size_t *chosen = NULL, count = 0;
    double rate = 0;
    if (status == CONGRU_OK) {
        size_t room = header.signals > options->channel_count ? header.signals : options->channel_count;
        chosen = calloc(room, sizeof *chosen);
        status = chosen == NULL ? congru_fail(context, CONGRU_ERROR_MEMORY,
                                              "%s: not enough memory for %zu channels", source->name, room)
                                : congru_reader_choose(context, source->name, header.channel, header.signals,
                                                       options, chosen, &count, &rate);
    }
    if (status == CONGRU_OK)
        status = fill(context, source, &header, chosen, count, rate, options->header_only, recording);
    free(chosen);
    congru_gdf_header_clear(&header);
    return status;
}

const congru_recording_reader congru_reader_gdf = {"GDF", recognises, read_gdf};
