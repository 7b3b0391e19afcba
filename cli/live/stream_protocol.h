/* What a client of 'congru stream' sends: one line, then samples and commands. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STREAM_PROTOCOL_H
#define CONGRU_CLI_STREAM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* docs/protocol.md is the description for people who write clients. Nothing here allocates, blocks or trusts a size. */
enum {
    PROTOCOL_VERSION = 1,
    PROTOCOL_INTRODUCTION_MAX = 8192,
    PROTOCOL_LINE_MAX = 32768, /* of CSV */
    PROTOCOL_COMMAND_MAX = 1024,
    PROTOCOL_PACKET_MAX = 1 << 20,
    PROTOCOL_CHANNELS_MAX = 1024,
    PROTOCOL_NAME_SIZE = 64,
    PROTOCOL_ERROR_SIZE = 128
};

typedef enum protocol_state { PROTOCOL_LINE, PROTOCOL_READY, PROTOCOL_FAILED } protocol_state;

/* How samples come. Commands come in lines of CSV that begin with '!', and in packets of their own. */
typedef enum protocol_format {
    PROTOCOL_FLOAT32,
    PROTOCOL_FLOAT64,
    PROTOCOL_CSV,
    PROTOCOL_PACKETS,
    PROTOCOL_FORMATS
} protocol_format;
const char *protocol_format_name(protocol_format format);

typedef enum protocol_command_kind {
    PROTOCOL_NONE,
    PROTOCOL_DECIDE,
    PROTOCOL_MARKER,
    PROTOCOL_RESET,
    PROTOCOL_SCALE
} protocol_command_kind;

typedef struct protocol_command {
    protocol_command_kind kind;
    char name[PROTOCOL_NAME_SIZE]; /* valid UTF-8 without control characters; "": none */
    bool placed;                   /* `sample` was given */
    uint64_t sample;
    double after; /* seconds; NaN: not given */
    double factor;
} protocol_command;

/* {.format = ...} is a client that has said nothing yet; with .state = PROTOCOL_READY, a file, which says no first line. */
typedef struct stream_protocol {
    protocol_state state;
    protocol_format format;
    char error[PROTOCOL_ERROR_SIZE]; /* why it failed */
    char line[PROTOCOL_LINE_MAX];
    size_t line_size;
    const char *channel[PROTOCOL_CHANNELS_MAX]; /* into the line, until the next is read */
    size_t channels;                            /* 0: the model's, in its order */
    double rate;                                /* 0: not said */
    unsigned char
        part[8 * PROTOCOL_CHANNELS_MAX]; /* of a frame, or of a packet's head, that has not come whole */
    size_t part_size;
    size_t packet_left;  /* bytes of the packet that are to come; */
    size_t packet_width; /* of a sample in it; 0: it is a command */
} stream_protocol;

/* Takes bytes up to the end of the first line; how many. The state tells what came of it. */
size_t protocol_read_line(stream_protocol *protocol, const unsigned char *bytes, size_t size);

/* Takes bytes into whole frames of `channels` numbers, at most `room` of them: how many bytes; *count frames. It stops
 * behind a command, which comes after these frames: command->kind is PROTOCOL_NONE when there is none. What comes of the
 * bytes does not depend on how they are cut into calls. */
size_t protocol_read(stream_protocol *protocol, size_t channels, const unsigned char *bytes, size_t size,
                     double *frames, size_t room, size_t *count, protocol_command *command);

/* Whether the bytes so far end where a frame, a line or a packet does. */
bool protocol_is_whole(const stream_protocol *protocol);

/* One line of CSV into a frame, cut in place; a number left out is NaN. NULL, or what is wrong with it. */
const char *protocol_read_csv(char *line, size_t channels, double *frame);

/* A command's words, cut in place. NULL, or what is wrong with it. */
const char *protocol_read_command(char *text, protocol_command *command);

/* A name for a marker from text of any origin: what is not UTF-8, or is a control character, becomes '?'. */
void protocol_clean_name(const char *text, char name[PROTOCOL_NAME_SIZE]);

#endif
