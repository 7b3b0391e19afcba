/* The text files of BrainVision: the header and the markers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "recording/brainvision.h"
#include "recording/header_text.h"

/* Both files are lines "key=value" under lines "[Section]", with comments after ';'. The text is ANSI or UTF-8
 * as "Codepage" says, or says wrongly, or does not say: names are taken as UTF-8 where they are, else as
 * Latin-1. */

enum {
    CHANNEL_FIELDS = 4,
    MARKER_FIELDS = 4,
    CHANNELS_MAX = 99999,
    LINE_MIN = 5 /* "Ch1=A" */
};

typedef struct piece {
    const char *text;
    size_t size;
} piece;

typedef struct line_reader {
    congru_context *context;
    const char *file;
    const char *next, *end;
    size_t line; /* number of the current one, from 1 */
    piece section, key, value;
} line_reader;

static piece trim(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t' || *text == '\r'))
        text++;
    while (text < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return (piece){text, (size_t)(end - text)};
}

static bool equals(piece text, const char *wanted)
{
    return text.size == strlen(wanted) && congru_same_letters(text.text, wanted, text.size);
}

/* Steps to the next "key=value"; false at the end, which is where the free text of a comment begins. */
static bool next_entry(line_reader *from)
{
    while (from->next < from->end) {
        const char *end = memchr(from->next, '\n', (size_t)(from->end - from->next));
        if (end == NULL)
            end = from->end;
        piece line = trim(from->next, end);
        from->next = end < from->end ? end + 1 : end;
        from->line++;
        if (line.size == 0 || line.text[0] == ';')
            continue;
        if (line.text[0] == '[' && line.text[line.size - 1] == ']') {
            from->section = trim(line.text + 1, line.text + line.size - 1);
            if (equals(from->section, "Comment"))
                return false;
            continue;
        }
        const char *sign = memchr(line.text, '=', line.size);
        if (sign == NULL)
            continue;
        from->key = trim(line.text, sign);
        from->value = trim(sign + 1, line.text + line.size);
        return true;
    }
    return false;
}

/* The number of a key such as "Ch12"; false for other keys. */
static bool numbered_key(piece key, const char *prefix, size_t *number)
{
    size_t length = strlen(prefix);
    long long value;
    if (key.size <= length || !congru_same_letters(key.text, prefix, length) ||
        !congru_header_integer(key.text + length, key.size - length, &value) || value < 1)
        return false;
    *number = (size_t)value;
    return true;
}

/* Splits at commas (those inside a text are written "\1"); how many fields there were, at most `most`. */
static size_t split_fields(piece value, piece *field, size_t most)
{
    const char *next = value.text, *end = value.text + value.size;
    size_t count = 0;
    while (count < most) {
        const char *comma = memchr(next, ',', (size_t)(end - next));
        field[count++] = trim(next, comma != NULL ? comma : end);
        if (comma == NULL)
            break;
        next = comma + 1;
    }
    return count;
}

/* Puts the commas back, in place of what fits. */
static size_t unescape(piece text, char *copy, size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size && size < room; i++) {
        bool comma = text.text[i] == '\\' && i + 1 < text.size && text.text[i + 1] == '1';
        copy[size++] = comma ? ',' : text.text[i];
        i += comma ? 1 : 0;
    }
    return size;
}

static congru_status fail_entry(const line_reader *at, congru_status status, const char *expected)
{
    char key[CONGRU_HEADER_QUOTE + 1], value[CONGRU_HEADER_QUOTE + 1];
    return congru_fail(at->context, status, "%s: line %zu: expected %s, found '%s=%s' (%s)", at->file, at->line,
                       expected, congru_header_quote(key, at->key.text, at->key.size),
                       congru_header_quote(value, at->value.text, at->value.size),
                       status == CONGRU_ERROR_UNSUPPORTED ? "export it again so" : "correct the line");
}

/* ---- The header ----------------------------------------------------------------------------------- */

/* Programs differ in what they write around it: "Brain Vision Data Exchange Header File Version 1.0",
 * "BrainVision V-Amp Data Header File Version 2.0". */
static bool first_line_has(const char *line, size_t size, const char *wanted)
{
    static const char *const beginnings[] = {"Brain Vision ", "BrainVision "};
    size_t wanted_size = strlen(wanted);
    const char *end = line + size;
    if (size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3;
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    if (newline != NULL)
        end = newline;
    bool begins = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        size_t length = strlen(beginnings[i]);
        begins |= (size_t)(end - line) >= length && memcmp(line, beginnings[i], length) == 0;
    }
    for (; begins && (size_t)(end - line) >= wanted_size; line++)
        if (congru_same_letters(line, wanted, wanted_size))
            return true;
    return false;
}

bool congru_brainvision_is_header(const void *text, size_t size)
{
    return first_line_has(text, size, "Header File");
}

/* Only a plain name of a file beside the header: what a header says must not reach into other folders. "$b"
 * stands for the header's own name without its ending. */
static congru_status read_file_name(const line_reader *at, char name[CONGRU_BRAINVISION_NAME])
{
    const char *base = strrchr(at->file, '/');
    base = base != NULL ? base + 1 : at->file;
    const char *ending = strrchr(base, '.');
    size_t length = 0, base_size = ending != NULL ? (size_t)(ending - base) : strlen(base);
    for (size_t i = 0; i < at->value.size; i++) {
        const char *from = at->value.text + i;
        size_t size = 1;
        if (*from == '/' || *from == '\\' || *from == '\0')
            return fail_entry(at, CONGRU_ERROR_FORMAT,
                              "the name of a file beside the header, without a folder");
        if (at->value.size - i >= 2 && memcmp(from, "$b", 2) == 0) {
            from = base;
            size = base_size;
            i++;
        }
        if (size >= CONGRU_BRAINVISION_NAME - length)
            return fail_entry(at, CONGRU_ERROR_FORMAT, "the name of a file, of at most 255 bytes");
        memcpy(name + length, from, size);
        length += size;
    }
    name[length] = '\0';
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return fail_entry(at, CONGRU_ERROR_FORMAT, "the name of a file beside the header");
    return CONGRU_OK;
}

static congru_status read_common(const line_reader *at, congru_brainvision_header *header)
{
    long long whole;
    if (equals(at->key, "DataFile"))
        return read_file_name(at, header->data_file);
    if (equals(at->key, "MarkerFile"))
        return read_file_name(at, header->marker_file);
    if (equals(at->key, "DataFormat") && !equals(at->value, "BINARY"))
        return fail_entry(at, CONGRU_ERROR_UNSUPPORTED, "DataFormat=BINARY");
    if (equals(at->key, "DataType") && !equals(at->value, "TIMEDOMAIN"))
        return fail_entry(at, CONGRU_ERROR_UNSUPPORTED, "DataType=TIMEDOMAIN");
    if (equals(at->key, "DataOrientation")) {
        header->vectorized = equals(at->value, "VECTORIZED");
        if (!header->vectorized && !equals(at->value, "MULTIPLEXED"))
            return fail_entry(at, CONGRU_ERROR_UNSUPPORTED, "MULTIPLEXED or VECTORIZED");
    } else if (equals(at->key, "NumberOfChannels")) {
        if (!congru_header_integer(at->value.text, at->value.size, &whole) || whole < 1)
            return fail_entry(at, CONGRU_ERROR_FORMAT, "a number of channels, 1 or more");
        /* Each has a line of its own in this very text. */
        if (whole > CHANNELS_MAX || (size_t)whole > (size_t)(at->end - at->next) / LINE_MIN + 1)
            return fail_entry(at, CONGRU_ERROR_FORMAT, "no more channels than the header has room to name");
        header->channels = (size_t)whole;
    } else if (equals(at->key, "DataPoints")) {
        if (!congru_header_integer(at->value.text, at->value.size, &whole) || whole < 0)
            return fail_entry(at, CONGRU_ERROR_FORMAT, "a number of data points");
        header->data_points = (uint64_t)whole;
    } else if (equals(at->key, "SamplingInterval")) {
        double interval;
        if (!congru_header_number(at->value.text, at->value.size, &interval) ||
            !(interval > 1e-6 && interval < 1e12))
            return fail_entry(at, CONGRU_ERROR_FORMAT, "an interval between samples in microseconds");
        header->rate = 1e6 / interval;
    }
    return CONGRU_OK;
}

static congru_status read_binary(const line_reader *at, congru_brainvision_header *header)
{
    static const struct {
        const char *name;
        congru_brainvision_type type;
    } types[] = {{"INT_16", CONGRU_BRAINVISION_INT_16},
                 {"INT_32", CONGRU_BRAINVISION_INT_32},
                 {"IEEE_FLOAT_32", CONGRU_BRAINVISION_FLOAT_32}};
    if (equals(at->key, "BinaryFormat")) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            if (equals(at->value, types[i].name)) {
                header->type = types[i].type;
                return CONGRU_OK;
            }
        return fail_entry(at, CONGRU_ERROR_UNSUPPORTED, "INT_16, INT_32 or IEEE_FLOAT_32");
    }
    if (equals(at->key, "UseBigEndianOrder") && !equals(at->value, "NO"))
        return fail_entry(at, CONGRU_ERROR_UNSUPPORTED, "UseBigEndianOrder=NO");
    if ((equals(at->key, "DataOffset") || equals(at->key, "ChannelOffset") ||
         equals(at->key, "SegmentHeaderSize") || equals(at->key, "TrailerSize")) &&
        !equals(at->value, "0"))
        return fail_entry(at, CONGRU_ERROR_UNSUPPORTED, "samples and nothing else in the data file");
    return CONGRU_OK;
}

/* Ch<number>=<name>,<reference>,<resolution>,<unit>: one microvolt is what is not stated. */
static congru_status read_channel(const line_reader *at, congru_brainvision_header *header)
{
    size_t number;
    if (!numbered_key(at->key, "Ch", &number))
        return CONGRU_OK;
    if (number > header->channels)
        return fail_entry(at, CONGRU_ERROR_FORMAT, "as many channels as NumberOfChannels says");
    if (header->channel == NULL) {
        header->channel = calloc(header->channels, sizeof *header->channel);
        header->scale = calloc(header->channels, sizeof *header->scale);
        if (header->channel == NULL || header->scale == NULL)
            return congru_fail(at->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                               at->file, header->channels);
    }
    congru_channel *channel = &header->channel[number - 1];
    if (channel->rate > 0)
        return fail_entry(at, CONGRU_ERROR_FORMAT, "each channel once");
    piece field[CHANNEL_FIELDS] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}};
    split_fields(at->value, field, CHANNEL_FIELDS);
    char name[CONGRU_LABEL_SIZE];
    congru_reader_copy_label(channel->name, sizeof channel->name, name, unescape(field[0], name, sizeof name));
    if (field[3].size == 0)
        field[3] = (piece){"\xc2\xb5V", 3};
    congru_reader_copy_label(channel->unit, sizeof channel->unit, field[3].text, field[3].size);
    channel->type = congru_reader_guess_type(channel->name);
    channel->rate = header->rate;
    double resolution = 1;
    if (field[2].size > 0 &&
        (!congru_header_number(field[2].text, field[2].size, &resolution) || resolution == 0))
        return fail_entry(at, CONGRU_ERROR_FORMAT, "a resolution that is a number, not 0");
    header->scale[number - 1] = resolution * congru_reader_microvolts(channel->unit);
    return CONGRU_OK;
}

/* The Channel Infos come after the Common Infos: what they rest on must have been said by then. */
static congru_status check_common(const line_reader *at, const congru_brainvision_header *header)
{
    const char *missing = header->data_file[0] == '\0' ? "DataFile"
                          : header->channels == 0      ? "NumberOfChannels"
                          : header->rate == 0          ? "SamplingInterval"
                                                       : NULL;
    if (missing == NULL)
        return CONGRU_OK;
    return congru_fail(at->context, CONGRU_ERROR_FORMAT,
                       "%s: expected %s under [Common Infos], found none before line %zu (add the line)",
                       at->file, missing, at->line);
}

congru_status congru_brainvision_header_parse(congru_context *context, const char *name, const char *text,
                                              size_t size, congru_brainvision_header *header)
{
    line_reader at = {.context = context, .file = name, .next = text, .end = text + size};
    congru_status status = CONGRU_OK;
    *header = (congru_brainvision_header){0};
    if (!congru_brainvision_is_header(text, size))
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: expected 'Brain Vision Data Exchange Header File' in the first line (give the .vhdr "
            "file)",
            name);
    while (status == CONGRU_OK && next_entry(&at)) {
        if (equals(at.section, "Common Infos"))
            status = header->channel == NULL
                         ? read_common(&at, header)
                         : fail_entry(&at, CONGRU_ERROR_FORMAT, "[Common Infos] before the channels");
        else if (equals(at.section, "Binary Infos"))
            status = read_binary(&at, header);
        else if (equals(at.section, "Channel Infos")) {
            status = check_common(&at, header);
            status = status == CONGRU_OK ? read_channel(&at, header) : status;
        }
    }
    if (status == CONGRU_OK)
        status = check_common(&at, header);
    for (size_t i = 0; i < header->channels && status == CONGRU_OK; i++)
        if (header->channel == NULL || !(header->channel[i].rate > 0))
            status =
                congru_fail(context, CONGRU_ERROR_FORMAT,
                            "%s: expected %zu channels under [Channel Infos], found no Ch%zu (add its line, or "
                            "correct NumberOfChannels)",
                            name, header->channels, i + 1);
    return status != CONGRU_OK ? status
                               : congru_reader_distinguish(context, name, header->channel, header->channels);
}

void congru_brainvision_header_clear(congru_brainvision_header *header)
{
    free(header->channel);
    free(header->scale);
    *header = (congru_brainvision_header){0};
}

/* ---- The markers ---------------------------------------------------------------------------------- */

/* "S  1" to 1, "S255" to 255. */
static int32_t stimulus_code(piece type, piece description)
{
    long long code;
    if (!equals(type, "Stimulus") || description.size < 2 || description.text[0] != 'S' ||
        !congru_header_integer(description.text + 1, description.size - 1, &code) || code < 0 ||
        code > INT32_MAX)
        return -1;
    return (int32_t)code;
}

/* Mk<number>=<type>,<description>,<position from 1>,<size>,<channel>,<date>. */
static congru_status add_marker(const line_reader *at, congru_recording *recording)
{
    piece field[MARKER_FIELDS] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}};
    long long position, size = 0;
    size_t count = split_fields(at->value, field, MARKER_FIELDS);
    if (count < 3 || !congru_header_integer(field[2].text, field[2].size, &position) || position < 0)
        return fail_entry(at, CONGRU_ERROR_FORMAT, "a type, a description and a position in data points");
    if (field[3].size > 0 && (!congru_header_integer(field[3].text, field[3].size, &size) || size < 0))
        return fail_entry(at, CONGRU_ERROR_FORMAT, "a size in data points");
    if (position == 0) /* before the first sample */
        return CONGRU_OK;
    piece text = field[1].size > 0 ? field[1] : field[0];
    char *copy = malloc(text.size + 1);
    if (copy == NULL)
        return congru_fail(at->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for a marker", at->file);
    size_t length = unescape(text, copy, text.size);
    congru_status status =
        congru_recording_add_event(at->context, recording, (size_t)position - 1, (size_t)size,
                                   stimulus_code(field[0], field[1]), copy, length);
    free(copy);
    return status;
}

congru_status congru_brainvision_add_markers(congru_context *context, const char *name, const char *text,
                                             size_t size, congru_recording *recording)
{
    line_reader at = {.context = context, .file = name, .next = text, .end = text + size};
    congru_status status = CONGRU_OK;
    size_t number;
    if (!first_line_has(text, size, "Marker File"))
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: expected 'Brain Vision Data Exchange Marker File' in the first line (correct MarkerFile "
            "in the header)",
            name);
    while (status == CONGRU_OK && next_entry(&at))
        if (equals(at.section, "Marker Infos") && numbered_key(at.key, "Mk", &number))
            status = add_marker(&at, recording);
    return status;
}
