/* Reads and checks the header of a GDF file. SPDX-License-Identifier: Apache-2.0 */
#include "recording/gdf_header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Versions at which the layout changed. */
enum {
    VERSION_BINARY = 190,   /* header length in blocks, digital limits as doubles, codes for units */
    VERSION_FIELDS = 210,   /* fields with a tag after the signals */
    VERSION_DURATION = 221, /* the duration of a record as a double; a fraction of two integers before */
    VERSION_END = 300
};

/* Offsets in the fixed header. */
enum {
    AT_VERSION = 4,
    AT_HEADER_LENGTH = 184,
    AT_RECORDS = 236,
    AT_DURATION = 244,
    AT_SIGNALS = 252,
    BLOCK = 256
};

/* In the signals' headers all labels come first, then all transducers ...: times the number of signals. */
enum {
    AT_LABEL = 0,
    AT_UNIT = 96,
    AT_UNIT_CODE = 102,
    AT_PHYSICAL_MINIMUM = 104,
    AT_PHYSICAL_MAXIMUM = 112,
    AT_DIGITAL_MINIMUM = 120,
    AT_DIGITAL_MAXIMUM = 128,
    AT_PER_RECORD = 216,
    AT_TYPE = 220
};

enum { LABEL_BYTES = 16, UNIT_BYTES_1 = 8, UNIT_BYTES_2 = 6, TAG_EVENT_NAMES = 1 };

enum { UNIT_DIMENSIONLESS = 512, UNIT_VOLT = 4256 };

/* Codes of types of samples. */
static const struct {
    uint32_t code;
    congru_gdf_kind kind;
} sample_types[] = {
    {1, CONGRU_GDF_INT8},     {2, CONGRU_GDF_UINT8},        {3, CONGRU_GDF_INT16},
    {4, CONGRU_GDF_UINT16},   {5, CONGRU_GDF_INT32},        {6, CONGRU_GDF_UINT32},
    {7, CONGRU_GDF_INT64},    {8, CONGRU_GDF_UINT64},       {16, CONGRU_GDF_FLOAT32},
    {17, CONGRU_GDF_FLOAT64}, {255 + 24, CONGRU_GDF_INT24}, {511 + 24, CONGRU_GDF_UINT24},
};

float congru_gdf_f32(const unsigned char *at)
{
    uint32_t bits = congru_gdf_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double congru_gdf_f64(const unsigned char *at)
{
    uint64_t bits = congru_gdf_u64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double int64_value(const unsigned char *at)
{
    return (double)(int64_t)congru_gdf_u64(at);
}

size_t congru_gdf_sample_bytes(congru_gdf_kind kind)
{
    static const size_t bytes[] = {
        [CONGRU_GDF_INT8] = 1,  [CONGRU_GDF_UINT8] = 1,  [CONGRU_GDF_INT16] = 2,   [CONGRU_GDF_UINT16] = 2,
        [CONGRU_GDF_INT24] = 3, [CONGRU_GDF_UINT24] = 3, [CONGRU_GDF_INT32] = 4,   [CONGRU_GDF_UINT32] = 4,
        [CONGRU_GDF_INT64] = 8, [CONGRU_GDF_UINT64] = 8, [CONGRU_GDF_FLOAT32] = 4, [CONGRU_GDF_FLOAT64] = 8,
    };
    return bytes[kind];
}

/* "GDF 2.51" */
static congru_status read_version(congru_context *context, const congru_source *source,
                                  const unsigned char *bytes, congru_gdf_header *header)
{
    const unsigned char *at = bytes + AT_VERSION;
    bool digits = at[0] >= '0' && at[0] <= '9' && at[1] == '.' && at[2] >= '0' && at[2] <= '9' &&
                  at[3] >= '0' && at[3] <= '9';
    if (memcmp(bytes, "GDF ", 4) != 0 || !digits)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: not a GDF file: expected \"GDF \" and a version such as 2.51 at byte 0",
                           source->name);
    header->version = (unsigned)((at[0] - '0') * 100 + (at[2] - '0') * 10 + (at[3] - '0'));
    if (header->version < 100 || header->version >= VERSION_END)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: GDF version %.4s; 1.x and 2.x are read (convert it with BioSig's save2gdf)",
                           source->name, (const char *)at);
    return CONGRU_OK;
}

static congru_status read_duration(congru_context *context, const congru_source *source,
                                   const unsigned char *bytes, congru_gdf_header *header)
{
    const unsigned char *at = bytes + AT_DURATION;
    if (header->version >= VERSION_DURATION)
        header->duration = congru_gdf_f64(at);
    else
        header->duration = (double)congru_gdf_u32(at) / (double)congru_gdf_u32(at + 4);
    if (!(header->duration > 0) || !isfinite(header->duration) || !isfinite(1 / header->duration))
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: broken GDF header: expected the seconds of a record at offset %d, found %g",
                           source->name, (int)AT_DURATION, header->duration);
    return CONGRU_OK;
}

/* The lengths of the header, which both versions write in ways of their own. */
static congru_status read_lengths(congru_context *context, const congru_source *source,
                                  const unsigned char *bytes, congru_gdf_header *header)
{
    const unsigned char *at = bytes + AT_HEADER_LENGTH;
    bool binary = header->version >= VERSION_BINARY;
    uint64_t signals = binary ? congru_gdf_u16(bytes + AT_SIGNALS) : congru_gdf_u32(bytes + AT_SIGNALS);
    header->header_bytes = binary ? (uint64_t)congru_gdf_u16(at) * BLOCK : congru_gdf_u64(at);
    if (signals == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no channels in it (is it the right file?)",
                           source->name);
    if (header->header_bytes > source->size)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: ends inside its header: expected %llu bytes of it, found %llu (copy the file again)",
            source->name, (unsigned long long)header->header_bytes, (unsigned long long)source->size);
    if (header->header_bytes / BLOCK < signals + 1)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: broken GDF header: expected at least %llu bytes for %llu channels, found %llu at "
            "offset %d",
            source->name, (unsigned long long)(signals + 1) * BLOCK, (unsigned long long)signals,
            (unsigned long long)header->header_bytes, (int)AT_HEADER_LENGTH);
    header->signals = (size_t)signals;
    return CONGRU_OK;
}

/* A unit's code is that of the unit without its prefix, and the prefix in the lowest five bits. */
static bool read_unit_code(uint32_t code, char *unit, size_t size)
{
    static const struct {
        uint32_t code;
        const char *symbol;
    } units[] = {
        {UNIT_DIMENSIONLESS, "-"},
        {544, "%"},
        {736, "degree"},
        {768, "rad"},
        {1280, "m"},
        {1728, "g"},
        {2176, "s"},
        {2496, "Hz"},
        {3840, "Pa"},
        {3872, "mmHg"},
        {4160, "A"},
        {UNIT_VOLT, "V"},
        {4288, "Ohm"},
        {4384, "K"},
        {6048, "degC"},
    };
    static const char *const prefixes[32] = {"",  "da", "h",  "k",  "M",  "G",  "T",  "P", "E",
                                             "Z", "Y",  NULL, NULL, NULL, NULL, NULL, "d", "c",
                                             "m", "u",  "n",  "p",  "f",  "a",  "z",  "y"};
    const char *prefix = prefixes[code & 31];
    for (size_t i = 0; prefix != NULL && i < sizeof units / sizeof units[0]; i++)
        if (units[i].code == (code & ~31U)) {
            snprintf(unit, size, "%s%s", prefix, units[i].symbol);
            return true;
        }
    return false;
}

static void read_unit(const congru_gdf_header *header, const unsigned char *bytes, size_t index,
                      congru_channel *channel)
{
    size_t n = header->signals;
    if (header->version < VERSION_BINARY) {
        congru_reader_copy_label(channel->unit, sizeof channel->unit,
                                 bytes + AT_UNIT * n + index * UNIT_BYTES_1, UNIT_BYTES_1);
        return;
    }
    uint32_t code = congru_gdf_u16(bytes + AT_UNIT_CODE * n + index * 2);
    if (!read_unit_code(code, channel->unit, sizeof channel->unit))
        congru_reader_copy_label(channel->unit, sizeof channel->unit,
                                 bytes + AT_UNIT * n + index * UNIT_BYTES_2, UNIT_BYTES_2);
    else if (channel->type == CONGRU_CHANNEL_EEG && code >= UNIT_DIMENSIONLESS + 32 &&
             (code & ~31U) != UNIT_VOLT)
        channel->type = CONGRU_CHANNEL_OTHER; /* an electrode gives voltages, not degrees */
}

static congru_status read_type(congru_context *context, const congru_source *source, uint32_t code,
                               const congru_channel *channel, congru_gdf_signal *signal)
{
    for (size_t i = 0; i < sizeof sample_types / sizeof sample_types[0]; i++)
        if (sample_types[i].code == code) {
            signal->kind = sample_types[i].kind;
            return CONGRU_OK;
        }
    return congru_fail(
        context, CONGRU_ERROR_UNSUPPORTED,
        "%s: samples of channel '%s' are of type %lu; integers of 8 to 64 bits and floats of 32 and 64 "
        "are read (convert it with BioSig's save2gdf)",
        source->name, channel->name, (unsigned long)code);
}

/* A rate whose inverse was written down comes back whole. */
static double rate_of(uint32_t per_record, double duration)
{
    double rate = per_record / duration, whole = floor(rate + 0.5);
    return fabs(rate - whole) <= 1e-12 * rate ? whole : rate;
}

/* One signal from the block of all signals' headers. */
static congru_status read_signal(congru_context *context, const congru_source *source,
                                 const unsigned char *bytes, size_t index, congru_gdf_header *header)
{
    size_t n = header->signals;
    congru_gdf_signal *signal = &header->signal[index];
    congru_channel *channel = &header->channel[index];
    double (*digital)(const unsigned char *) = header->version < VERSION_BINARY ? int64_value : congru_gdf_f64;
    congru_reader_copy_label(channel->name, sizeof channel->name, bytes + AT_LABEL * n + index * LABEL_BYTES,
                             LABEL_BYTES);
    channel->type = congru_reader_guess_type(channel->name);
    read_unit(header, bytes, index, channel);
    signal->microvolts = congru_reader_microvolts(channel->unit);
    signal->physical_minimum = congru_gdf_f64(bytes + AT_PHYSICAL_MINIMUM * n + index * 8);
    signal->physical_maximum = congru_gdf_f64(bytes + AT_PHYSICAL_MAXIMUM * n + index * 8);
    signal->digital_minimum = digital(bytes + AT_DIGITAL_MINIMUM * n + index * 8);
    signal->digital_maximum = digital(bytes + AT_DIGITAL_MAXIMUM * n + index * 8);
    signal->per_record = congru_gdf_u32(bytes + AT_PER_RECORD * n + index * 4);
    signal->position = header->record_bytes;
    channel->rate = rate_of(signal->per_record, header->duration);
    CONGRU_TRY(read_type(context, source, congru_gdf_u32(bytes + AT_TYPE * n + index * 4), channel, signal));
    header->record_bytes += (uint64_t)signal->per_record * congru_gdf_sample_bytes(signal->kind);
    if (header->record_bytes > source->size) /* checked at each signal, so that the sum cannot overflow */
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: ends inside its first record: channel '%s' alone has %lu samples in each, in a file of "
            "%llu bytes (copy the file again)",
            source->name, channel->name, (unsigned long)signal->per_record, (unsigned long long)source->size);
    return CONGRU_OK;
}

static congru_status read_signals(congru_context *context, const congru_source *source,
                                  congru_gdf_header *header)
{
    size_t size = header->signals * BLOCK;
    unsigned char *bytes = malloc(size);
    header->signal = calloc(header->signals, sizeof *header->signal);
    header->channel = calloc(header->signals, sizeof *header->channel);
    congru_status status = CONGRU_OK;
    if (bytes == NULL || header->signal == NULL || header->channel == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                             source->name, header->signals);
    else
        status = congru_source_read(context, source, BLOCK, size, bytes);
    for (size_t i = 0; i < header->signals && status == CONGRU_OK; i++)
        status = read_signal(context, source, bytes, i, header);
    free(bytes);
    return status != CONGRU_OK
               ? status
               : congru_reader_distinguish(context, source->name, header->channel, header->signals);
}

static congru_status read_records(congru_context *context, const congru_source *source,
                                  const unsigned char *bytes, congru_gdf_header *header)
{
    int64_t records = (int64_t)congru_gdf_u64(bytes + AT_RECORDS);
    uint64_t room = source->size - header->header_bytes;
    if (header->record_bytes == 0)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: no channel is sampled at even intervals (resample it with BioSig)",
                           source->name);
    header->records_unknown = records == -1;
    if (records < -1)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: broken GDF header: expected the number of records at offset %d, found %lld",
                           source->name, (int)AT_RECORDS, (long long)records);
    header->records = records < 0 ? room / header->record_bytes : (uint64_t)records;
    if (header->records > room / header->record_bytes)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: truncated: expected %llu records of %llu bytes from offset %llu on, found room for %llu "
            "(copy the file again)",
            source->name, (unsigned long long)header->records, (unsigned long long)header->record_bytes,
            (unsigned long long)header->header_bytes, (unsigned long long)(room / header->record_bytes));
    if (header->records == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no samples in it (an interrupted recording?)",
                           source->name);
    return CONGRU_OK;
}

/* Terminated texts one after the other, the first for type 0, the last an empty one. */
static void split_names(congru_gdf_names *names, size_t size)
{
    size_t position = 0;
    for (size_t i = 0; i < CONGRU_GDF_NAMES && position < size; i++) {
        const char *name = names->bytes + position;
        const char *end = memchr(name, '\0', size - position);
        size_t length = end != NULL ? (size_t)(end - name) : size - position;
        if (i > 0 && length == 0)
            return;
        if (i > 0) {
            names->name[i] = name;
            names->length[i] = length < CONGRU_GDF_NAME_MAX ? length : CONGRU_GDF_NAME_MAX;
        }
        position += length + 1;
    }
}

/* Fields of one byte for the tag, three for the length, and the value, until a tag of 0 or the header's end. */
static congru_status read_fields(congru_context *context, const congru_source *source,
                                 congru_gdf_header *header)
{
    uint64_t position = (uint64_t)(header->signals + 1) * BLOCK;
    while (position + 4 <= header->header_bytes) {
        unsigned char bytes[4];
        congru_status status = congru_source_read(context, source, position, sizeof bytes, bytes);
        if (status != CONGRU_OK || bytes[0] == 0)
            return status;
        size_t length = congru_gdf_u24(bytes + 1);
        position += 4;
        if (length > header->header_bytes - position)
            return congru_fail(
                context, CONGRU_ERROR_FORMAT,
                "%s: broken GDF header: the field with tag %d at offset %llu has %zu bytes, the header "
                "ends after %llu",
                source->name, bytes[0], (unsigned long long)position - 4, length,
                (unsigned long long)(header->header_bytes - position));
        if (bytes[0] == TAG_EVENT_NAMES && header->names.bytes == NULL && length > 0) {
            header->names.bytes = malloc(length);
            if (header->names.bytes == NULL)
                return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu bytes",
                                   source->name, length);
            status = congru_source_read(context, source, position, length, header->names.bytes);
            if (status != CONGRU_OK)
                return status;
            split_names(&header->names, length);
        }
        position += length;
    }
    return CONGRU_OK;
}

congru_status congru_gdf_header_read(congru_context *context, const congru_source *source,
                                     congru_gdf_header *header)
{
    unsigned char bytes[BLOCK];
    *header = (congru_gdf_header){0};
    CONGRU_TRY(congru_source_read(context, source, 0, sizeof bytes, bytes));
    CONGRU_TRY(read_version(context, source, bytes, header));
    CONGRU_TRY(read_lengths(context, source, bytes, header));
    CONGRU_TRY(read_duration(context, source, bytes, header));
    CONGRU_TRY(read_signals(context, source, header));
    CONGRU_TRY(read_records(context, source, bytes, header));
    if (header->version >= VERSION_FIELDS)
        CONGRU_TRY(read_fields(context, source, header));
    return CONGRU_OK;
}

void congru_gdf_header_clear(congru_gdf_header *header)
{
    free(header->signal);
    free(header->channel);
    free(header->names.bytes);
    *header = (congru_gdf_header){0};
}
