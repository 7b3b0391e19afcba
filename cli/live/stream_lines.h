/* Lines of JSON that 'congru stream' says. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STREAM_LINES_H
#define CONGRU_CLI_STREAM_LINES_H

#include "stream_settings.h"

/* What a line says of the marker that asked for the decision. */
typedef struct stream_asked {
    const stream_marker *marker;
    uint64_t late;      /* frames after its time; 0: in time */
    const char *reason; /* why there is no answer; NULL: the decision's own */
} stream_asked;

/* One decision as a line of JSON with its newline: its size, or 0 when it does not fit. `stamp` is the time stamp of the
 * last sample by the clock of its source; NaN when there is none. asked is NULL for a decision that was due of itself. */
size_t stream_line(const congru_model *model, const congru_decision *decision, double stamp,
                   const stream_asked *asked, char line[STREAM_LINE_SIZE]);

/* The longest line that a decision of the model can be. Returns EXIT_DONE, or prints one line when it does not fit. */
int stream_line_most(const congru_model *model, size_t *most);

/* What is said to a client first: its size with the newline, or 0 when it does not fit. channel (channels) are the names
 * of a frame's channels; NULL: the model's. */
size_t stream_greeting(const stream_settings *settings, const congru_decoder *decoder,
                       const char *const *channel, protocol_format format, char *line, size_t room);

#endif
