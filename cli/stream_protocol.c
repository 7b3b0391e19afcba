/* Reads what a client sends. SPDX-License-Identifier: Apache-2.0 */
#include "stream_protocol.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(stream_protocol *p, const char *why)
{
    p->state = PROTOCOL_FAILED;
    snprintf(p->error, sizeof p->error, "%s", why);
}

/* "A,B,C": cut in place. */
static void read_channels(stream_protocol *p, char *text)
{
    if (p->channels > 0) {
        fail(p, "channels are given twice");
        return;
    }
    for (char *name = text; name != NULL;) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (*name == '\0' || p->channels == PROTOCOL_CHANNELS_MAX) {
            fail(p, *name == '\0' ? "a channel has no name" : "too many channels");
            return;
        }
        p->channel[p->channels++] = name;
        name = comma;
    }
}

static void read_rate(stream_protocol *p, const char *text)
{
    char *end;
    double rate = strtod(text, &end);
    if (strspn(text, "0123456789.") != strlen(text) || end == text || *end != '\0' || !(rate > 0) || rate > 1e7)
        fail(p, "the rate is not a number of samples per second");
    else
        p->rate = rate;
}

static void read_word(stream_protocol *p, char *word, bool first)
{
    if (first) {
        if (strcmp(word, "congru/1") != 0)
            fail(p, "expected a line that begins with congru/1");
    } else if (strncmp(word, "channels=", 9) == 0) {
        read_channels(p, word + 9);
    } else if (strncmp(word, "rate=", 5) == 0) {
        read_rate(p, word + 5);
    } else {
        fail(p, "expected channels=A,B,... or rate=HZ");
    }
}

/* The whole line is there, its end cut off. */
static void read_words(stream_protocol *p)
{
    bool first = true;
    for (size_t i = 0; i < p->line_size; i++)
        if ((unsigned char)p->line[i] < ' ') {
            fail(p, "the line holds control characters");
            return;
        }
    for (char *word = p->line; word != NULL && p->state == PROTOCOL_LINE; first = false) {
        char *blank = strchr(word, ' ');
        if (blank != NULL)
            *blank++ = '\0';
        read_word(p, word, first);
        word = blank;
    }
    if (p->state == PROTOCOL_LINE)
        p->state = PROTOCOL_READY;
}

size_t protocol_read_line(stream_protocol *p, const unsigned char *bytes, size_t size)
{
    static const char beginning[] = "congru/1";
    size_t taken = 0;
    while (taken < size && p->state == PROTOCOL_LINE) {
        char c = (char)bytes[taken++];
        if (c == '\n') {
            p->line_size -= p->line_size > 0 && p->line[p->line_size - 1] == '\r';
            p->line[p->line_size] = '\0';
            read_words(p);
        } else if (p->line_size < strlen(beginning) && c != beginning[p->line_size]) {
            fail(p, "expected a line that begins with congru/1"); /* no need to wait for its end */
        } else if (p->line_size == PROTOCOL_LINE_MAX - 1) {
            fail(p, "the line is too long");
        } else {
            p->line[p->line_size++] = c;
        }
    }
    return taken;
}

static float little_endian(const unsigned char bytes[4])
{
    uint32_t bits =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

size_t protocol_read_frames(stream_protocol *p, size_t channels, const unsigned char *bytes, size_t size,
                            float *frames, size_t room, size_t *count)
{
    const size_t frame = 4 * channels;
    size_t taken = 0;
    *count = 0;
    while (taken < size && *count < room) {
        size_t wanted = frame - p->part_size, left = size - taken;
        size_t piece = left < wanted ? left : wanted;
        memcpy(p->part + p->part_size, bytes + taken, piece);
        p->part_size += piece;
        taken += piece;
        if (p->part_size < frame)
            break;
        for (size_t i = 0; i < channels; i++)
            frames[*count * channels + i] = little_endian(p->part + 4 * i);
        ++*count;
        p->part_size = 0;
    }
    return taken;
}
