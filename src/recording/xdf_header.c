/* The header of an XDF stream: a few elements of its XML. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "recording/header_text.h"
#include "recording/xdf.h"

enum { DEPTH_MAX = 8, CHANNELS_MAX = 1 << 16, TEXT_SIZE = 4 * CONGRU_LABEL_SIZE };

typedef struct piece {
    const char *text;
    size_t size;
} piece;

typedef struct xml_walk {
    congru_context *context;
    const char *file;
    congru_xdf_stream *stream;
    piece element[DEPTH_MAX]; /* those that are open; deeper ones are counted */
    size_t depth;
} xml_walk;

static bool is(piece text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.text, word, text.size) == 0;
}

/* Whether what is open is info, desc, channels and a channel. */
static bool in_channel(const xml_walk *on)
{
    return on->depth >= 4 && is(on->element[0], "info") && is(on->element[1], "desc") &&
           is(on->element[2], "channels") && is(on->element[3], "channel");
}

/* The text of a leaf, the five entities of XML replaced. */
static void copy_text(char *label, size_t label_size, piece content)
{
    static const struct {
        const char *entity;
        char character;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char text[TEXT_SIZE];
    size_t used = 0;
    for (size_t i = 0; i < content.size && used < sizeof text;) {
        size_t length = 1;
        text[used] = content.text[i] == '\n' || content.text[i] == '\r' ? ' ' : content.text[i];
        for (size_t k = 0; k < sizeof entities / sizeof entities[0]; k++) {
            size_t size = strlen(entities[k].entity);
            if (content.size - i >= size && memcmp(content.text + i, entities[k].entity, size) == 0) {
                text[used] = entities[k].character;
                length = size;
            }
        }
        used++;
        i += length;
    }
    congru_reader_copy_label(label, label_size, text, used);
}

static congru_xdf_format format_of(piece content)
{
    static const struct {
        const char *word;
        congru_xdf_format format;
    } formats[] = {{"string", CONGRU_XDF_TEXT},      {"int8", CONGRU_XDF_INT8},
                   {"int16", CONGRU_XDF_INT16},      {"int32", CONGRU_XDF_INT32},
                   {"int64", CONGRU_XDF_INT64},      {"float32", CONGRU_XDF_FLOAT32},
                   {"double64", CONGRU_XDF_FLOAT64}, {"float64", CONGRU_XDF_FLOAT64}};
    char word[16];
    copy_text(word, sizeof word, content);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(word, formats[i].word) == 0)
            return formats[i].format;
    return CONGRU_XDF_UNKNOWN;
}

static congru_status fail(const xml_walk *on, const char *what, piece found)
{
    char quote[CONGRU_HEADER_QUOTE + 1];
    return congru_fail(on->context, CONGRU_ERROR_FORMAT, "%s: header of stream %u: expected %s, found '%s'",
                       on->file, (unsigned)on->stream->id, what,
                       congru_header_quote(quote, found.text, found.size));
}

static congru_status take_info(xml_walk *on, piece name, piece content)
{
    congru_xdf_stream *stream = on->stream;
    long long count;
    if (is(name, "name"))
        copy_text(stream->name, sizeof stream->name, content);
    else if (is(name, "type"))
        copy_text(stream->type, sizeof stream->type, content);
    else if (is(name, "channel_format"))
        stream->format = format_of(content);
    else if (is(name, "nominal_srate")) {
        if (!congru_header_number(content.text, content.size, &stream->rate) || !(stream->rate >= 0) ||
            !(stream->rate < 1e9))
            return fail(on, "a nominal_srate from 0", content);
    } else if (is(name, "channel_count")) {
        if (!congru_header_integer(content.text, content.size, &count) || count < 1 || count > CHANNELS_MAX)
            return fail(on, "a channel_count from 1 to 65536", content);
        stream->channels = (size_t)count;
    }
    return CONGRU_OK;
}

static void take_channel(xml_walk *on, piece name, piece content)
{
    congru_channel *channel = &on->stream->described[on->stream->described_count - 1];
    char kind[CONGRU_LABEL_SIZE];
    if (is(name, "label")) {
        copy_text(channel->name, sizeof channel->name, content);
    } else if (is(name, "unit")) {
        copy_text(channel->unit, sizeof channel->unit, content);
    } else if (is(name, "type")) {
        copy_text(kind, sizeof kind, content);
        /* Without a type it is guessed from the name, once that is known. */
        channel->type = congru_reader_type(kind, "EEG");
        channel->rate = kind[0] != '\0';
    }
}

static congru_status add_channel(xml_walk *on)
{
    congru_xdf_stream *stream = on->stream;
    if (stream->described_count == CHANNELS_MAX)
        return fail(on, "at most 65536 channels", (piece){"more", 4});
    if (stream->described_count == stream->described_room) {
        size_t room = stream->described_room > 0 ? 2 * stream->described_room : 16;
        congru_channel *grown = realloc(stream->described, room * sizeof *grown);
        if (grown == NULL)
            return congru_fail(on->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                               on->file, room);
        stream->described = grown;
        stream->described_room = room;
    }
    stream->described[stream->described_count++] = (congru_channel){0};
    return CONGRU_OK;
}

/* An element begins; one that ends at once holds nothing. */
static congru_status open_element(xml_walk *on, piece tag)
{
    bool empty = tag.size > 0 && tag.text[tag.size - 1] == '/';
    piece name = {tag.text, 0};
    while (name.size < tag.size && strchr(" \t\r\n/", tag.text[name.size]) == NULL)
        name.size++;
    if (on->depth < DEPTH_MAX)
        on->element[on->depth] = name;
    on->depth++;
    congru_status status = on->depth == 4 && in_channel(on) ? add_channel(on) : CONGRU_OK;
    if (empty)
        on->depth--;
    return status;
}

/* An element ends; `content` is what is in it where it holds no other. */
static congru_status close_element(xml_walk *on, piece content, bool leaf)
{
    congru_status status = CONGRU_OK;
    if (on->depth == 0)
        return fail(on, "an element before its end", content);
    if (leaf && on->depth == 2 && is(on->element[0], "info"))
        status = take_info(on, on->element[1], content);
    else if (leaf && on->depth == 5 && in_channel(on))
        take_channel(on, on->element[4], content);
    on->depth--;
    return status;
}

static congru_status walk_elements(xml_walk *on, const char *text, size_t size)
{
    congru_status status = CONGRU_OK;
    const char *end = text + size, *content = text;
    bool leaf = false;
    for (const char *at = text; at < end && status == CONGRU_OK;) {
        const char *open = memchr(at, '<', (size_t)(end - at));
        if (open == NULL)
            break;
        const char *close = memchr(open, '>', (size_t)(end - open));
        if (close == NULL)
            return fail(on, "the end of an element", (piece){open, (size_t)(end - open)});
        piece tag = {open + 1, (size_t)(close - open - 1)};
        if (tag.size > 0 && tag.text[0] == '/') {
            status = close_element(on, (piece){content, (size_t)(open - content)}, leaf);
            leaf = false;
        } else if (tag.size > 0 && tag.text[0] != '?' && tag.text[0] != '!') {
            status = open_element(on, tag);
            leaf = tag.text[tag.size - 1] != '/';
            content = close + 1;
        }
        at = close + 1;
    }
    return status;
}

congru_status congru_xdf_header_parse(congru_context *context, const char *file, const char *text, size_t size,
                                      congru_xdf_stream *stream)
{
    xml_walk on = {.context = context, .file = file, .stream = stream};
    congru_status status = walk_elements(&on, text, size);
    if (status == CONGRU_OK && stream->channels == 0)
        status = fail(&on, "a channel_count", (piece){"none", 4});
    for (size_t i = 0; i < stream->described_count; i++) {
        congru_channel *channel = &stream->described[i];
        if (channel->rate == 0)
            channel->type = congru_reader_guess_type(channel->name);
        channel->rate = stream->rate;
    }
    return status;
}
