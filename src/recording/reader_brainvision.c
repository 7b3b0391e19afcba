/* Reads BrainVision recordings: a header, its data and its markers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "recording/brainvision.h"

enum {
    BUFFER_SIZE = 1 << 20,
    TEXT_MAX = 1 << 28 /* no header or list of markers is as long: another kind of file under its name */
};

/* The whole of a text file. */
static congru_status read_text(congru_context *context, const congru_source *source, char **text)
{
    if (source->size > TEXT_MAX)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: expected a text of at most %d bytes, found %llu (is it the right file?)",
                           source->name, (int)TEXT_MAX, (unsigned long long)source->size);
    *text = malloc((size_t)source->size + 1);
    if (*text == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %llu bytes", source->name,
                           (unsigned long long)source->size);
    return congru_source_read(context, source, 0, (size_t)source->size, *text);
}

/* ---- Data ----------------------------------------------------------------------------------------- */

typedef struct decoding {
    congru_context *context;
    const congru_source *source;
    const congru_brainvision_header *header;
    const size_t *chosen;
    congru_recording *recording;
    size_t sample_bytes;
    unsigned char *buffer;
} decoding;

static size_t bytes_of(congru_brainvision_type type)
{
    return type == CONGRU_BRAINVISION_INT_16 ? 2 : 4;
}

static uint32_t word_32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* A sample that is infinite is as good as missing. */
static double real_32(const unsigned char *bytes)
{
    uint32_t word = word_32(bytes);
    float value;
    memcpy(&value, &word, sizeof value);
    return isfinite(value) ? (double)value : NAN;
}

/* `count` samples, `stride` bytes apart. */
static void decode(const decoding *on, const unsigned char *bytes, size_t stride, size_t count, double scale,
                   double *data)
{
    switch (on->header->type) {
    case CONGRU_BRAINVISION_INT_16:
        for (size_t i = 0; i < count; i++, bytes += stride)
            data[i] = (int16_t)(bytes[0] | bytes[1] << 8) * scale;
        break;
    case CONGRU_BRAINVISION_INT_32:
        for (size_t i = 0; i < count; i++, bytes += stride)
            data[i] = (int32_t)word_32(bytes) * scale;
        break;
    case CONGRU_BRAINVISION_FLOAT_32:
        for (size_t i = 0; i < count; i++, bytes += stride)
            data[i] = real_32(bytes) * scale;
        break;
    }
}

static congru_status read_multiplexed(const decoding *on)
{
    const congru_recording *recording = on->recording;
    size_t frame = on->header->channels * on->sample_bytes;
    size_t at_once = frame < BUFFER_SIZE ? BUFFER_SIZE / frame : 1;
    for (size_t first = 0; first < recording->samples; first += at_once) {
        size_t left = recording->samples - first, count = left < at_once ? left : at_once;
        congru_status status =
            congru_source_read(on->context, on->source, (uint64_t)first * frame, count * frame, on->buffer);
        if (status != CONGRU_OK)
            return status;
        for (size_t i = 0; i < recording->channels; i++)
            decode(on, on->buffer + on->chosen[i] * on->sample_bytes, frame, count,
                   on->header->scale[on->chosen[i]], recording->data + i * recording->samples + first);
    }
    return CONGRU_OK;
}

static congru_status read_vectorized(const decoding *on)
{
    const congru_recording *recording = on->recording;
    size_t at_once = BUFFER_SIZE / on->sample_bytes;
    for (size_t i = 0; i < recording->channels; i++)
        for (size_t first = 0; first < recording->samples; first += at_once) {
            size_t left = recording->samples - first, count = left < at_once ? left : at_once;
            uint64_t offset = ((uint64_t)on->chosen[i] * recording->samples + first) * on->sample_bytes;
            congru_status status =
                congru_source_read(on->context, on->source, offset, count * on->sample_bytes, on->buffer);
            if (status != CONGRU_OK)
                return status;
            decode(on, on->buffer, on->sample_bytes, count, on->header->scale[on->chosen[i]],
                   recording->data + i * recording->samples + first);
        }
    return CONGRU_OK;
}

static congru_status read_data(decoding *on)
{
    size_t frame = on->header->channels * on->sample_bytes, size = frame > BUFFER_SIZE ? frame : BUFFER_SIZE;
    on->buffer = malloc(size < on->source->size ? size : (size_t)on->source->size);
    if (on->buffer == NULL)
        return congru_fail(on->context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it",
                           on->source->name);
    congru_status status = on->header->vectorized ? read_vectorized(on) : read_multiplexed(on);
    free(on->buffer);
    return status;
}

/* What the file holds counts; a last frame that is not whole is left out. A stated length that the file does
 * not reach means that it was cut; in a vectorized file it tells where each channel begins. */
static congru_status count_samples(congru_context *context, const congru_brainvision_header *header,
                                   const congru_source *data, size_t *samples)
{
    uint64_t frame = (uint64_t)header->channels * bytes_of(header->type), held = data->size / frame;
    if (held == 0 || header->data_points > held)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: truncated: expected %s of %s, found %llu bytes (copy the file "
            "again)",
            data->name, congru_count(header->data_points > 0 ? (size_t)header->data_points : 1, "sample").text,
            congru_count(header->channels, "channel").text, (unsigned long long)data->size);
    if (header->vectorized && header->data_points == 0 && data->size % frame != 0)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: truncated: expected a multiple of %llu bytes for %zu vectorized channels, found %llu "
            "(copy the file again)",
            data->name, (unsigned long long)frame, header->channels, (unsigned long long)data->size);
    *samples = (size_t)(header->vectorized && header->data_points > 0 ? header->data_points : held);
    return CONGRU_OK;
}

static congru_status add_markers(congru_context *context, const congru_source *markers,
                                 congru_recording *recording)
{
    char *text = NULL;
    congru_status status = read_text(context, markers, &text);
    if (status == CONGRU_OK)
        status = congru_brainvision_add_markers(context, markers->name, text, (size_t)markers->size, recording);
    free(text);
    congru_recording_sort_events(recording);
    return status;
}

static congru_status read_chosen(congru_context *context, const char *name,
                                 const congru_brainvision_header *header, const congru_source *data,
                                 const congru_recording_options *options, size_t *chosen,
                                 congru_recording **recording)
{
    size_t count, samples = 0;
    double rate;
    CONGRU_TRY(
        congru_reader_choose(context, name, header->channel, header->channels, options, chosen, &count, &rate));
    CONGRU_TRY(count_samples(context, header, data, &samples));
    CONGRU_TRY(congru_recording_create(context, name, count, samples, options->header_only, recording));
    strcpy((*recording)->format, "BrainVision");
    (*recording)->rate = rate;
    for (size_t i = 0; i < count; i++)
        (*recording)->channel[i] = header->channel[chosen[i]];
    decoding on = {context, data, header, chosen, *recording, bytes_of(header->type), NULL};
    return options->header_only ? CONGRU_OK : read_data(&on);
}

congru_status congru_brainvision_read(congru_context *context, const char *name,
                                      const congru_brainvision_header *header, const congru_source *data,
                                      const congru_source *markers, const congru_recording_options *options,
                                      congru_recording **recording)
{
    size_t room = options->channel_count > header->channels ? options->channel_count : header->channels;
    size_t *chosen = calloc(room, sizeof *chosen);
    *recording = NULL;
    if (chosen == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels", name, room);
    congru_status status = read_chosen(context, name, header, data, options, chosen, recording);
    if (status == CONGRU_OK && markers != NULL)
        status = add_markers(context, markers, *recording);
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    free(chosen);
    return status;
}

/* ---- Files ---------------------------------------------------------------------------------------- */

/* Opens a file that the header names; *path, which the source refers to, is the caller's to free. */
static congru_status open_beside(congru_context *context, const char *header, const char *key, const char *name,
                                 char **path, congru_source *source)
{
    const char *slash = strrchr(header, '/');
    size_t folder = slash != NULL ? (size_t)(slash - header) + 1 : 0, length = strlen(name);
    *path = malloc(folder + length + 1);
    if (*path == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for a path", header);
    memcpy(*path, header, folder);
    memcpy(*path + folder, name, length + 1);
    if (congru_source_open(NULL, *path, source) == CONGRU_OK)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_IO,
        "%s: expected its %s '%s' beside it, cannot open %s (was it renamed? correct %s in the header)", header,
        key, name, *path, key);
}

static congru_status read_with_files(congru_context *context, const char *path,
                                     const congru_brainvision_header *header,
                                     const congru_recording_options *options, congru_recording **recording)
{
    char *data_path = NULL, *marker_path = NULL;
    congru_source data, markers;
    congru_status status = open_beside(context, path, "DataFile", header->data_file, &data_path, &data);
    if (status == CONGRU_OK) {
        bool marked = header->marker_file[0] != '\0';
        if (marked)
            status = open_beside(context, path, "MarkerFile", header->marker_file, &marker_path, &markers);
        if (status == CONGRU_OK) {
            status = congru_brainvision_read(context, path, header, &data, marked ? &markers : NULL, options,
                                             recording);
            if (status == CONGRU_OK)
                status = congru_source_check(context, &data);
            if (status == CONGRU_OK && marked)
                status = congru_source_check(context, &markers);
            if (status != CONGRU_OK)
                congru_recording_destroy(recording);
            if (marked)
                congru_source_close(&markers);
        }
        congru_source_close(&data);
    }
    free(data_path);
    free(marker_path);
    return status;
}

static congru_status read_brainvision(congru_context *context, const char *path, const congru_source *source,
                                      const congru_recording_options *options, congru_recording **recording)
{
    static const congru_recording_options all = {0};
    congru_brainvision_header header = {0};
    char *text = NULL;
    *recording = NULL;
    congru_status status = read_text(context, source, &text);
    if (status == CONGRU_OK)
        status = congru_brainvision_header_parse(context, path, text, (size_t)source->size, &header);
    if (status == CONGRU_OK)
        status = read_with_files(context, path, &header, options != NULL ? options : &all, recording);
    congru_brainvision_header_clear(&header);
    free(text);
    return status;
}

static bool recognises(const unsigned char *bytes, size_t size)
{
    return congru_brainvision_is_header(bytes, size);
}

const congru_recording_reader congru_reader_brainvision = {"BrainVision", recognises, read_brainvision};
