/* The header of EDF and BDF files, in the shapes that real files have. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/edf.h"
#include "recording/header_text.h"

enum {
    BLOCK = 256, /* the fixed part of the header, and what each signal adds to it */
    SIGNALS_MAX = 9999,
    SAMPLES_MAX = 99999999, /* what the field holds in plain digits */
    /* Of the fixed part. */
    AT_HEADER_BYTES = 184,
    AT_RESERVED = 192,
    AT_RECORDS = 236,
    AT_DURATION = 244,
    AT_SIGNALS = 252,
    SIGNALS_SIZE = 4,
    /* Of what a signal adds: columns, each a field for every signal in turn. */
    COLUMN_LABEL = 0,
    LABEL_SIZE = 16,
    COLUMN_UNIT = 96,
    COLUMN_RANGE = 104,
    COLUMN_SAMPLES = 216
};

/* What the functions below read from. */
typedef struct header_bytes {
    congru_context *context;
    const char *file;
    uint64_t file_size;
    const unsigned char *bytes; /* (1 + signals) * BLOCK */
    size_t signals;
} header_bytes;

static const unsigned char *column_field(const header_bytes *from, size_t column, size_t width, size_t signal)
{
    return from->bytes + BLOCK + column * from->signals + width * signal;
}

static congru_status fail_field(const header_bytes *from, const char *expected, const unsigned char *field,
                                size_t width)
{
    char quote[CONGRU_HEADER_QUOTE + 1];
    return congru_fail(
        from->context, CONGRU_ERROR_FORMAT,
        "%s: broken EDF header: expected %s at byte %zu, found '%s' (copy the file again, or correct "
        "the field)",
        from->file, expected, (size_t)(field - from->bytes), congru_header_quote(quote, field, width));
}

static bool is_blank(const unsigned char *field, size_t width)
{
    for (size_t i = 0; i < width && field[i] != '\0'; i++)
        if (field[i] != ' ')
            return false;
    return true;
}

/* "EDF+C", "EDF+D" and their like are at the start of a field that plain files use for anything. */
static void find_format(const unsigned char *bytes, congru_edf_header *header)
{
    bool bdf = bytes[0] == 0xff;
    const unsigned char *reserved = bytes + AT_RESERVED;
    bool plus = memcmp(reserved, "EDF+", 4) == 0 || memcmp(reserved, "BDF+", 4) == 0;
    header->sample_bytes = bdf ? 3 : 2;
    header->discontinuous = plus && reserved[4] == 'D';
    snprintf(header->format, sizeof header->format, "%s%s", bdf ? "BDF" : "EDF",
             !plus                   ? ""
             : header->discontinuous ? "+D"
                                     : "+C");
}

static bool holds_annotations(const char *label)
{
    return strcmp(label, "EDF Annotations") == 0 || strcmp(label, "BDF Annotations") == 0;
}

static congru_status read_signal(const header_bytes *from, congru_edf_header *header, size_t index)
{
    congru_edf_signal *signal = &header->signal[index];
    congru_channel *channel = &signal->channel;
    congru_reader_copy_label(channel->name, sizeof channel->name,
                             column_field(from, COLUMN_LABEL, LABEL_SIZE, index), LABEL_SIZE);
    congru_reader_copy_label(channel->unit, sizeof channel->unit,
                             column_field(from, COLUMN_UNIT, CONGRU_EDF_NUMBER, index), CONGRU_EDF_NUMBER);
    signal->annotations = holds_annotations(channel->name);
    channel->type = congru_reader_guess_type(channel->name);
    for (size_t i = 0; i < 4; i++)
        memcpy(signal->range[i],
               column_field(from, COLUMN_RANGE + CONGRU_EDF_NUMBER * i, CONGRU_EDF_NUMBER, index),
               CONGRU_EDF_NUMBER);
    const unsigned char *field = column_field(from, COLUMN_SAMPLES, CONGRU_EDF_NUMBER, index);
    long long samples;
    if (!congru_header_integer(field, CONGRU_EDF_NUMBER, &samples) || samples < 1 || samples > SAMPLES_MAX)
        return fail_field(from, "the number of samples in a record, 1 or more,", field, CONGRU_EDF_NUMBER);
    signal->samples = (uint64_t)samples;
    signal->offset = header->record_bytes;
    header->record_bytes += signal->samples * header->sample_bytes; /* cannot overflow */
    return CONGRU_OK;
}

/* Without signals that have a rate, the duration may be 0. */
static congru_status read_duration(const header_bytes *from, congru_edf_header *header)
{
    const unsigned char *field = from->bytes + AT_DURATION;
    bool number = congru_header_number(field, CONGRU_EDF_NUMBER, &header->duration);
    for (size_t i = 0; i < header->signals; i++) {
        congru_edf_signal *signal = &header->signal[i];
        if (signal->annotations)
            continue;
        if (!number || !(header->duration > 0))
            return fail_field(from, "the duration of a record in seconds, above 0,", field, CONGRU_EDF_NUMBER);
        signal->channel.rate = (double)signal->samples / header->duration;
    }
    return CONGRU_OK;
}

/* Where the records begin follows from the number of signals. A header that states another size for itself is
 * believed, or forgiven, only where the size of the file then comes out exactly. */
static congru_status find_data_offset(const header_bytes *from, congru_edf_header *header, long long records)
{
    const unsigned char *field = from->bytes + AT_HEADER_BYTES;
    uint64_t needed = (uint64_t)(header->signals + 1) * BLOCK, data;
    long long stated;
    header->data_offset = needed;
    if (is_blank(field, CONGRU_EDF_NUMBER))
        return CONGRU_OK;
    bool number = congru_header_integer(field, CONGRU_EDF_NUMBER, &stated);
    if (number && stated == (long long)needed)
        return CONGRU_OK;
    if (records > 0 && !__builtin_mul_overflow((uint64_t)records, header->record_bytes, &data)) {
        if (data == from->file_size - needed)
            return CONGRU_OK;
        if (number && stated > (long long)needed && (uint64_t)stated <= from->file_size &&
            data == from->file_size - (uint64_t)stated) {
            header->data_offset = (uint64_t)stated;
            return CONGRU_OK;
        }
    }
    char expected[80];
    snprintf(expected, sizeof expected, "the size of the header, %llu for %zu signals,",
             (unsigned long long)needed, header->signals);
    return fail_field(from, expected, field, CONGRU_EDF_NUMBER);
}

/* Recorders that were stopped without warning leave a count of -1, 0 or nothing, or one that is behind: what is
 * in the file then counts, less a last record that is not whole. A file that is shorter than it says has lost
 * something, and nobody would notice if it were read. */
static congru_status count_records(const header_bytes *from, congru_edf_header *header)
{
    const unsigned char *field = from->bytes + AT_RECORDS;
    long long stated = -1;
    if (!is_blank(field, CONGRU_EDF_NUMBER) && !congru_header_integer(field, CONGRU_EDF_NUMBER, &stated))
        return fail_field(from, "the number of records", field, CONGRU_EDF_NUMBER);
    CONGRU_TRY(find_data_offset(from, header, stated));
    header->records = (from->file_size - header->data_offset) / header->record_bytes;
    if (stated > 0 && (uint64_t)stated > header->records)
        return congru_fail(
            from->context, CONGRU_ERROR_FORMAT,
            "%s: truncated: expected %lld records of %llu bytes from byte %llu, found %llu (copy the "
            "file again; or write -1 at byte %d, as the number of records, to read those)",
            from->file, stated, (unsigned long long)header->record_bytes,
            (unsigned long long)header->data_offset, (unsigned long long)header->records, (int)AT_RECORDS);
    if (header->records == 0)
        return congru_fail(
            from->context, CONGRU_ERROR_FORMAT,
            "%s: no data: expected records of %llu bytes from byte %llu, found %llu bytes in all "
            "(record or copy it again)",
            from->file, (unsigned long long)header->record_bytes, (unsigned long long)header->data_offset,
            (unsigned long long)from->file_size);
    return CONGRU_OK;
}

static congru_status parse(const header_bytes *from, congru_edf_header *header)
{
    header->signals = from->signals;
    header->signal = calloc(from->signals, sizeof *header->signal);
    if (header->signal == NULL)
        return congru_fail(from->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu signals",
                           from->file, from->signals);
    find_format(from->bytes, header);
    for (size_t i = 0; i < header->signals; i++)
        CONGRU_TRY(read_signal(from, header, i));
    CONGRU_TRY(read_duration(from, header));
    return count_records(from, header);
}

congru_status congru_edf_header_read(congru_context *context, const congru_source *source,
                                     congru_edf_header *header)
{
    unsigned char fixed[BLOCK];
    header_bytes from = {
        .context = context, .file = source->name, .file_size = source->size, .bytes = fixed, .signals = 0};
    *header = (congru_edf_header){0};
    CONGRU_TRY(congru_source_read(context, source, 0, sizeof fixed, fixed));
    long long signals;
    if (!congru_header_integer(fixed + AT_SIGNALS, SIGNALS_SIZE, &signals) || signals < 1 ||
        signals > SIGNALS_MAX)
        return fail_field(&from, "the number of signals, 1 or more,", fixed + AT_SIGNALS, SIGNALS_SIZE);
    from.signals = (size_t)signals;
    size_t size = (from.signals + 1) * BLOCK;
    if (source->size < size)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: truncated in the header: expected %zu bytes for %zu signals, found %llu (copy the "
            "file again)",
            source->name, size, from.signals, (unsigned long long)source->size);
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu bytes", source->name,
                           size);
    from.bytes = bytes;
    congru_status status = congru_source_read(context, source, 0, size, bytes);
    if (status == CONGRU_OK)
        status = parse(&from, header);
    free(bytes);
    return status;
}

void congru_edf_header_clear(congru_edf_header *header)
{
    free(header->signal);
    *header = (congru_edf_header){0};
}

/* Maxima below minima turn a signal over, as the formula says; digital ones that are equal divide by 0. */
congru_status congru_edf_scale_find(congru_context *context, const char *file, const congru_edf_header *header,
                                    size_t signal, congru_edf_scale *scale)
{
    static const char *const names[4] = {"physical minimum", "physical maximum", "digital minimum",
                                         "digital maximum"};
    const congru_edf_signal *of = &header->signal[signal];
    char quote[CONGRU_HEADER_QUOTE + 1];
    double value[4];
    for (size_t i = 0; i < 4; i++)
        if (!congru_header_number(of->range[i], CONGRU_EDF_NUMBER, &value[i]))
            return congru_fail(
                context, CONGRU_ERROR_FORMAT,
                "%s: broken EDF header: expected the %s of channel %s at byte %zu, found '%s' (leave "
                "the channel out, or correct the field)",
                file, names[i], of->channel.name,
                BLOCK + (COLUMN_RANGE + CONGRU_EDF_NUMBER * i) * header->signals + CONGRU_EDF_NUMBER * signal,
                congru_header_quote(quote, of->range[i], CONGRU_EDF_NUMBER));
    if (value[2] == value[3])
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: channel %s has no scale: expected a digital minimum and maximum that differ, found "
            "%g twice (leave the channel out, or correct the header)",
            file, of->channel.name, value[2]);
    double microvolts = congru_reader_microvolts(of->channel.unit);
    *scale = (congru_edf_scale){.digital_min = value[2],
                                .gain = (value[1] - value[0]) * microvolts / (value[3] - value[2]),
                                .physical_min = value[0] * microvolts};
    return CONGRU_OK;
}
