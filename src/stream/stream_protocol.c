/* Reads what a client sends. SPDX-License-Identifier: Apache-2.0 */
#include "stream/stream_protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "congru/text.h"
#include "recording/sample_text.h"

enum { PACKET_HEAD = 8 };

static void fail(congru_stream_protocol *p, const char *why)
{
    p->state = CONGRU_PROTOCOL_FAILED;
    snprintf(p->error, sizeof p->error, "%s", why);
}

const char *congru_protocol_format_name(congru_stream_format format)
{
    static const char *const names[CONGRU_PROTOCOL_FORMATS] = {"float32", "float64", "csv", "packets"};
    return (size_t)format < CONGRU_PROTOCOL_FORMATS ? names[format] : NULL;
}

/* ---- Words --------------------------------------------------------------------------------------------------- */

/* The next word, its end cut off, and *text behind it; NULL after the last. Several blanks are as one. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " ");
    if (*word == '\0')
        return NULL;
    *text = word + strcspn(word, " ");
    if (**text != '\0')
        *(*text)++ = '\0';
    return word;
}

/* What follows "key=" in a word; NULL for another word. */
static char *value_of(char *word, const char *key)
{
    size_t size = strlen(key);
    return strncmp(word, key, size) == 0 && word[size] == '=' ? word + size + 1 : NULL;
}

static bool read_number(const char *text, const char *characters, double *number)
{
    char *end;
    *number = congru_number_read(text, &end);
    return strspn(text, characters) == strlen(text) && end != text && *end == '\0' && isfinite(*number);
}

/* The size of the character at `text`, no control character; 0 for anything else, and for what is not UTF-8. */
static size_t character_size(const char *text)
{
    uint32_t status;
    size_t size = congru_utf8_decode(text, 4, &status); /* the ending zero stops it too */
    return size > 0 && status >= ' ' && !(status >= 0x7f && status < 0xa0) ? size : 0;
}

static bool is_clean(const char *text)
{
    for (size_t size; *text != '\0'; text += size)
        if ((size = character_size(text)) == 0)
            return false;
    return true;
}

void congru_protocol_clean_name(const char *text, char name[CONGRU_PROTOCOL_NAME_SIZE])
{
    size_t used = 0;
    for (size_t size; *text != '\0'; text += size > 0 ? size : 1) {
        size = character_size(text);
        if (used + (size > 0 ? size : 1) >= CONGRU_PROTOCOL_NAME_SIZE)
            break;
        if (size == 0)
            name[used++] = '?';
        memcpy(name + used, text, size);
        used += size;
    }
    name[used] = '\0';
}

/* ---- The first line -------------------------------------------------------------------------------------------- */

/* "A,B,C": cut in place. */
static void read_channels(congru_stream_protocol *p, char *text)
{
    if (p->channels > 0) {
        fail(p, "channels are given twice");
        return;
    }
    for (char *name = text; name != NULL;) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (*name == '\0' || p->channels == CONGRU_STREAM_CHANNELS_MAX) {
            fail(p, *name == '\0' ? "a channel has no name" : "too many channels");
            return;
        }
        p->channel[p->channels++] = name;
        name = comma;
    }
}

static void read_rate(congru_stream_protocol *p, const char *text)
{
    if (!read_number(text, "0123456789.", &p->rate) || !(p->rate > 0) || p->rate > 1e7)
        fail(p, "the rate is not a number of samples per second");
}

static void read_format(congru_stream_protocol *p, const char *text)
{
    for (int i = 0; i < CONGRU_PROTOCOL_FORMATS; i++)
        if (strcmp(text, congru_protocol_format_name((congru_stream_format)i)) == 0) {
            p->format = (congru_stream_format)i;
            return;
        }
    fail(p, "the format is float32, float64, csv or packets");
}

/* Letters, digits, - _ and points that it does not begin with: a file's name on any system, and in no other folder. */
static void read_session(congru_stream_protocol *p, const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const size_t size = strlen(text);
    if (size == 0 || size >= sizeof p->session || text[0] == '.' || strspn(text, allowed) != size)
        fail(p, "a session's name has 1 to 63 letters, digits, - _ and points, no point at its beginning");
    else
        memcpy(p->session, text, size + 1);
}

/* The whole line is there, its end cut off. */
static void read_introduction(congru_stream_protocol *p)
{
    char *rest = p->line, *word, *value;
    if (!is_clean(p->line) || strlen(p->line) != p->line_size) {
        fail(p, "the line holds control characters, or is not UTF-8");
        return;
    }
    word = next_word(&rest);
    if (word == NULL || strcmp(word, "congru/1") != 0)
        fail(p, "expected a line that begins with congru/1");
    while (p->state == CONGRU_PROTOCOL_LINE && (word = next_word(&rest)) != NULL) {
        if ((value = value_of(word, "channels")) != NULL)
            read_channels(p, value);
        else if ((value = value_of(word, "rate")) != NULL)
            read_rate(p, value);
        else if ((value = value_of(word, "format")) != NULL)
            read_format(p, value);
        else if ((value = value_of(word, "session")) != NULL)
            read_session(p, value);
        else
            fail(p, "expected channels=A,B,..., rate=HZ, format=KIND or session=NAME");
    }
    p->line_size = 0;
    if (p->state == CONGRU_PROTOCOL_LINE)
        p->state = CONGRU_PROTOCOL_READY;
}

size_t congru_protocol_read_line(congru_stream_protocol *p, const unsigned char *bytes, size_t size)
{
    static const char beginning[] = "congru/1";
    size_t taken = 0;
    while (taken < size && p->state == CONGRU_PROTOCOL_LINE) {
        char c = (char)bytes[taken++];
        if (c == '\n') {
            p->line_size -= p->line_size > 0 && p->line[p->line_size - 1] == '\r';
            p->line[p->line_size] = '\0';
            read_introduction(p);
        } else if (p->line_size < strlen(beginning) && c != beginning[p->line_size]) {
            fail(p, "expected a line that begins with congru/1"); /* no need to wait for its end */
        } else if (p->line_size == CONGRU_PROTOCOL_INTRODUCTION_MAX - 1) {
            fail(p, "the line is too long");
        } else {
            p->line[p->line_size++] = c;
        }
    }
    return taken;
}

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

static const char *read_name(const char *text, congru_protocol_command *command)
{
    if (strlen(text) >= CONGRU_PROTOCOL_NAME_SIZE)
        return "a marker's name is longer than 63 bytes";
    strcpy(command->name, text);
    return NULL;
}

static const char *read_argument(char *word, congru_protocol_command *command)
{
    const bool marker = command->kind == CONGRU_PROTOCOL_MARKER;
    const char *value;
    if ((value = value_of(word, "name")) != NULL && (marker || command->kind == CONGRU_PROTOCOL_DECIDE))
        return read_name(value, command);
    if ((value = value_of(word, "sample")) != NULL && marker) {
        command->placed = true;
        command->sample = strtoull(value, NULL, 10);
        return strlen(value) > 0 && strlen(value) <= 15 && strspn(value, "0123456789") == strlen(value)
                   ? NULL
                   : "sample= is not a whole number of at most 15 digits";
    }
    if ((value = value_of(word, "after")) != NULL && marker)
        return read_number(value, "0123456789.eE+-", &command->after) && fabs(command->after) <= 3600
                   ? NULL
                   : "after= is not a number of seconds, 3600 at most";
    if ((value = value_of(word, "factor")) != NULL && command->kind == CONGRU_PROTOCOL_SCALE)
        return read_number(value, "0123456789.eE+-", &command->factor) && command->factor >= 1e-12 &&
                       command->factor <= 1e12
                   ? NULL
                   : "factor= is not a number between 1e-12 and 1e12";
    return "a command has a word that it does not know";
}

const char *congru_protocol_read_command(char *text, congru_protocol_command *command)
{
    static const struct {
        const char *name;
        congru_protocol_command_kind kind;
    } kinds[] = {{"decide", CONGRU_PROTOCOL_DECIDE},
                 {"marker", CONGRU_PROTOCOL_MARKER},
                 {"reset", CONGRU_PROTOCOL_RESET},
                 {"scale", CONGRU_PROTOCOL_SCALE}};
    char *word;
    const char *wrong = NULL;
    *command = (congru_protocol_command){.kind = CONGRU_PROTOCOL_NONE, .after = (double)NAN};
    if (!is_clean(text))
        return "a command holds control characters, or is not UTF-8";
    word = next_word(&text);
    for (size_t i = 0; word != NULL && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(word, kinds[i].name) == 0)
            command->kind = kinds[i].kind;
    if (command->kind == CONGRU_PROTOCOL_NONE)
        return "a command is decide, marker, reset or scale";
    while (wrong == NULL && (word = next_word(&text)) != NULL)
        wrong = read_argument(word, command);
    if (wrong == NULL && command->kind == CONGRU_PROTOCOL_SCALE && command->factor == 0)
        wrong = "scale needs factor=NUMBER";
    return wrong;
}

/* ---- Samples -------------------------------------------------------------------------------------------------------- */

static double little_endian(const unsigned char *bytes, size_t width)
{
    uint64_t bits = 0;
    for (size_t i = width; i-- > 0;)
        bits = bits << 8 | bytes[i];
    uint32_t half = (uint32_t)bits;
    float number;
    double wide;
    memcpy(&number, &half, sizeof number);
    memcpy(&wide, &bits, sizeof wide);
    return width == 4 ? (double)number : wide;
}

/* Gathers `wanted` bytes in `part`; whether all are there. */
static bool gather(congru_stream_protocol *p, size_t wanted, const unsigned char *bytes, size_t size,
                   size_t *taken)
{
    size_t missing = wanted - p->part_size, left = size - *taken, piece = left < missing ? left : missing;
    memcpy(p->part + p->part_size, bytes + *taken, piece);
    p->part_size += piece;
    *taken += piece;
    if (p->part_size < wanted)
        return false;
    p->part_size = 0;
    return true;
}

/* Frames of binary numbers, one behind the other, of at most `size` bytes. */
static size_t read_numbers(congru_stream_protocol *p, size_t width, size_t channels, const unsigned char *bytes,
                           size_t size, double *frames, size_t room, size_t *count)
{
    size_t taken = 0;
    while (taken < size && *count < room && gather(p, width * channels, bytes, size, &taken)) {
        for (size_t i = 0; i < channels; i++)
            frames[*count * channels + i] = little_endian(p->part + width * i, width);
        ++*count;
    }
    return taken;
}

/* A line of CSV is whole: a frame, a command, or nothing. */
static void take_line(congru_stream_protocol *p, size_t channels, double *frames, size_t *count,
                      congru_protocol_command *command)
{
    p->line_size -= p->line_size > 0 && p->line[p->line_size - 1] == '\r';
    p->line[p->line_size] = '\0';
    const char *wrong = NULL;
    if (strlen(p->line) != p->line_size)
        wrong = "holds what is not a number";
    else if (p->line[0] == '!')
        wrong = congru_protocol_read_command(p->line + 1, command);
    else if (p->line_size > 0 &&
             (wrong = congru_sample_frame(p->line, ',', channels, frames + *count * channels)) == NULL)
        ++*count;
    if (wrong != NULL) {
        fail(p, "");
        snprintf(p->error, sizeof p->error, "%s%s", p->line[0] == '!' ? "" : "a line ", wrong);
    }
    p->line_size = 0;
}

static size_t read_lines(congru_stream_protocol *p, size_t channels, const unsigned char *bytes, size_t size,
                         double *frames, size_t room, size_t *count, congru_protocol_command *command)
{
    size_t taken = 0;
    while (taken < size && *count < room && p->state == CONGRU_PROTOCOL_READY &&
           command->kind == CONGRU_PROTOCOL_NONE) {
        char c = (char)bytes[taken++];
        if (c == '\n')
            take_line(p, channels, frames, count, command);
        else if (p->line_size == CONGRU_PROTOCOL_LINE_MAX - 1)
            fail(p, "a line is too long");
        else
            p->line[p->line_size++] = c;
    }
    return taken;
}

/* ---- Packets ------------------------------------------------------------------------------------------------------- */

/* Four letters and the number of bytes that follow, 32 bits, little-endian. */
static void begin_packet(congru_stream_protocol *p, size_t channels)
{
    size_t size =
        (size_t)p->part[4] | (size_t)p->part[5] << 8 | (size_t)p->part[6] << 16 | (size_t)p->part[7] << 24;
    bool text = memcmp(p->part, "TEXT", 4) == 0;
    p->packet_width = memcmp(p->part, "FL32", 4) == 0 ? 4 : memcmp(p->part, "FL64", 4) == 0 ? 8 : 0;
    p->packet_left = size;
    p->line_size = 0;
    if (!text && p->packet_width == 0)
        fail(p, "a packet begins with FL32, FL64 or TEXT");
    else if (size > (text ? CONGRU_PROTOCOL_COMMAND_MAX : CONGRU_PROTOCOL_PACKET_MAX))
        fail(p, "a packet is too long");
    else if (text ? size == 0 : size % (p->packet_width * channels) != 0)
        fail(p, text ? "a command is decide, marker, reset or scale" : "a packet does not hold whole frames");
}

static void end_text(congru_stream_protocol *p, congru_protocol_command *command)
{
    while (p->line_size > 0 && strchr("\r\n", p->line[p->line_size - 1]) != NULL)
        p->line_size--;
    p->line[p->line_size] = '\0';
    const char *wrong = strlen(p->line) == p->line_size ? congru_protocol_read_command(p->line, command)
                                                        : "a command holds control characters, or is not UTF-8";
    if (wrong != NULL)
        fail(p, wrong);
    p->line_size = 0;
}

static size_t read_packets(congru_stream_protocol *p, size_t channels, const unsigned char *bytes, size_t size,
                           double *frames, size_t room, size_t *count, congru_protocol_command *command)
{
    size_t taken = 0;
    while (taken < size && *count < room && p->state == CONGRU_PROTOCOL_READY &&
           command->kind == CONGRU_PROTOCOL_NONE) {
        if (p->packet_left == 0) {
            if (gather(p, PACKET_HEAD, bytes, size, &taken))
                begin_packet(p, channels);
            continue;
        }
        size_t piece = size - taken < p->packet_left ? size - taken : p->packet_left;
        if (p->packet_width > 0) {
            piece = read_numbers(p, p->packet_width, channels, bytes + taken, piece, frames, room, count);
        } else {
            memcpy(p->line + p->line_size, bytes + taken, piece);
            p->line_size += piece;
        }
        taken += piece;
        p->packet_left -= piece;
        if (p->packet_left == 0 && p->packet_width == 0)
            end_text(p, command);
    }
    return taken;
}

size_t congru_protocol_read(congru_stream_protocol *p, size_t channels, const unsigned char *bytes, size_t size,
                            double *frames, size_t room, size_t *count, congru_protocol_command *command)
{
    *count = 0;
    *command = (congru_protocol_command){.kind = CONGRU_PROTOCOL_NONE};
    if (p->state != CONGRU_PROTOCOL_READY)
        return 0;
    switch (p->format) {
    case CONGRU_STREAM_CSV:
        return read_lines(p, channels, bytes, size, frames, room, count, command);
    case CONGRU_STREAM_PACKETS:
        return read_packets(p, channels, bytes, size, frames, room, count, command);
    default:
        return read_numbers(p, p->format == CONGRU_STREAM_FLOAT64 ? 8 : 4, channels, bytes, size, frames, room,
                            count);
    }
}

bool congru_protocol_is_whole(const congru_stream_protocol *p)
{
    return p->part_size == 0 && p->line_size == 0 && p->packet_left == 0;
}
