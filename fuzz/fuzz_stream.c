/* What a client of the stream server may send, in pieces of any size: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream/stream_protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { ROOM = 4 };

/* The first byte says how large the pieces are. What comes of the bytes must not depend on it. */
static uint64_t read_all(const uint8_t *bytes, size_t size, size_t piece, size_t *frames_read)
{
    static double frames[ROOM * CONGRU_STREAM_CHANNELS_MAX];
    congru_stream_protocol *p = calloc(1, sizeof *p);
    uint64_t digest = 0;
    size_t at = 0;
    if (p == NULL)
        abort();
    *frames_read = 0;
    while (at < size && p->state != CONGRU_PROTOCOL_FAILED) {
        size_t left = size - at < piece ? size - at : piece, taken, count = 0;
        if (p->state == CONGRU_PROTOCOL_LINE) {
            taken = congru_protocol_read_line(p, bytes + at, left);
        } else {
            size_t channels = p->channels > 0 ? p->channels : 3;
            congru_protocol_command command;
            taken = congru_protocol_read(p, channels, bytes + at, left, frames, ROOM, &count, &command);
            for (size_t i = 0; i < count * channels; i++) {
                uint64_t bits;
                memcpy(&bits, &frames[i], sizeof bits);
                digest = digest * 31 + bits;
            }
            if (command.kind != CONGRU_PROTOCOL_NONE)
                digest = digest * 31 + (uint64_t)command.kind + strlen(command.name) + command.sample;
        }
        if (taken == 0 || taken > left || count > ROOM)
            abort();
        *frames_read += count;
        at += taken;
    }
    digest = digest * 31 + p->channels + (uint64_t)p->format;
    digest += (uint64_t)p->state;
    free(p);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t once, pieces;
    if (size < 2)
        return 0;
    uint64_t whole = read_all(bytes + 1, size - 1, size, &once);
    uint64_t parts = read_all(bytes + 1, size - 1, (size_t)bytes[0] + 1, &pieces);
    if (whole != parts || once != pieces)
        abort();
    return 0;
}
