/* What a client of a stream's server sends: one line, then samples and commands. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_STREAM_PROTOCOL_H
#define CONGRU_STREAM_STREAM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "congru/stream.h"

/* docs/protocol.md is the description for authors of clients. Nothing here allocates, blocks or trusts a size. */
enum {
    CONGRU_PROTOCOL_VERSION = 1,
    CONGRU_PROTOCOL_INTRODUCTION_MAX = 8192,
    CONGRU_PROTOCOL_LINE_MAX = 32768, /* of CSV */
    CONGRU_PROTOCOL_COMMAND_MAX = 1024,
    CONGRU_PROTOCOL_PACKET_MAX = 1 << 20,
    CONGRU_PROTOCOL_NAME_SIZE = 64,
    CONGRU_PROTOCOL_ERROR_SIZE = 128
};

typedef enum congru_protocol_state {
    CONGRU_PROTOCOL_LINE,
    CONGRU_PROTOCOL_READY,
    CONGRU_PROTOCOL_FAILED
} congru_protocol_state;

/* Those that clients may send. Commands come in lines of CSV that begin with '!', and in packets of their own. */
enum { CONGRU_PROTOCOL_FORMATS = CONGRU_STREAM_PACKETS + 1 };
const char *congru_protocol_format_name(congru_stream_format format);

typedef enum congru_protocol_command_kind {
    CONGRU_PROTOCOL_NONE,
    CONGRU_PROTOCOL_DECIDE,
    CONGRU_PROTOCOL_MARKER,
    CONGRU_PROTOCOL_RESET,
    CONGRU_PROTOCOL_SCALE
} congru_protocol_command_kind;

typedef struct congru_protocol_command {
    congru_protocol_command_kind kind;
    char name[CONGRU_PROTOCOL_NAME_SIZE]; /* valid UTF-8 without control characters; "": none */
    bool placed;                          /* `sample` was given */
    uint64_t sample;
    double after; /* seconds; NaN: not given */
    double factor;
} congru_protocol_command;

/* {.format = ...} is a client that has said nothing yet; with .state = CONGRU_PROTOCOL_READY, a file, which says no first line. */
typedef struct congru_stream_protocol {
    congru_protocol_state state;
    congru_stream_format format;
    char error[CONGRU_PROTOCOL_ERROR_SIZE]; /* why it failed */
    char line[CONGRU_PROTOCOL_LINE_MAX];
    size_t line_size;
    const char *channel[CONGRU_STREAM_CHANNELS_MAX]; /* into the line, until the next is read */
    size_t channels;                                 /* 0: the model's, in its order */
    double rate;                                     /* 0: not said */
    char session[CONGRU_PROTOCOL_NAME_SIZE];         /* a file's name too; "": none */
    unsigned char
        part[8 * CONGRU_STREAM_CHANNELS_MAX]; /* of a frame, or of a packet's head, that has not come whole */
    size_t part_size;
    size_t packet_left;  /* bytes of the packet that are to come; */
    size_t packet_width; /* of a sample in it; 0: it is a command */
} congru_stream_protocol;

/* Takes bytes up to the end of the first line; how many. The state tells what came of it. */
size_t congru_protocol_read_line(congru_stream_protocol *protocol, const unsigned char *bytes, size_t size);

/* Takes bytes into whole frames of `channels` numbers, at most `room` of them: how many bytes; *count frames. It stops
 * behind a command, which comes after these frames: command->kind is CONGRU_PROTOCOL_NONE when there is none. What comes of the
 * bytes does not depend on how they are cut into calls. */
size_t congru_protocol_read(congru_stream_protocol *protocol, size_t channels, const unsigned char *bytes,
                            size_t size, double *frames, size_t room, size_t *count,
                            congru_protocol_command *command);

/* Whether the bytes so far end where a frame, a line or a packet does. */
bool congru_protocol_is_whole(const congru_stream_protocol *protocol);

/* A command's words, cut in place. NULL, or what is wrong with it. */
const char *congru_protocol_read_command(char *text, congru_protocol_command *command);

/* A name for a marker from text of any origin: what is not UTF-8, or is a control character, becomes '?'. */
void congru_protocol_clean_name(const char *text, char name[CONGRU_PROTOCOL_NAME_SIZE]);

#endif
