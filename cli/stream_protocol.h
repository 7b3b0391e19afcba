/* What a client of 'congru stream --listen' sends: one line, then frames. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STREAM_PROTOCOL_H
#define CONGRU_CLI_STREAM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

/* The line "congru/1 [channels=A,B,...] [rate=HZ]", blanks between, a newline at its end; then samples as 32-bit
 * little-endian floats, a frame of all channels at a time. Nothing here allocates, blocks or trusts a size. */
enum { PROTOCOL_LINE_MAX = 8192, PROTOCOL_CHANNELS_MAX = 1024, PROTOCOL_ERROR_SIZE = 128 };

typedef enum protocol_state { PROTOCOL_LINE, PROTOCOL_READY, PROTOCOL_FAILED } protocol_state;

/* {0} is a client that has said nothing yet. */
typedef struct stream_protocol {
    protocol_state state;
    char error[PROTOCOL_ERROR_SIZE]; /* why it failed */
    char line[PROTOCOL_LINE_MAX];
    size_t line_size;
    const char *channel[PROTOCOL_CHANNELS_MAX];    /* into the line */
    size_t channels;                               /* 0: the model's, in its order */
    double rate;                                   /* 0: not said */
    unsigned char part[4 * PROTOCOL_CHANNELS_MAX]; /* of a frame that has not come whole */
    size_t part_size;
} stream_protocol;

/* Takes bytes up to the end of the line; how many. The state tells what came of it. */
size_t protocol_read_line(stream_protocol *protocol, const unsigned char *bytes, size_t size);

/* Takes bytes into whole frames of `channels` floats, at most `room` of them: how many bytes; *count frames. */
size_t protocol_read_frames(stream_protocol *protocol, size_t channels, const unsigned char *bytes, size_t size,
                            float *frames, size_t room, size_t *count);

#endif
