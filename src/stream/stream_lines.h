/* Decisions and greetings as lines of JSON. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_STREAM_LINES_H
#define CONGRU_STREAM_STREAM_LINES_H

#include "stream/stream_sink.h"

/* What a line says of the marker that asked for the decision. */
typedef struct congru_stream_asked {
    const congru_stream_marker *marker;
    uint64_t late;      /* frames after its time; 0: in time */
    const char *reason; /* why there is no prediction; NULL: the decision's own */
} congru_stream_asked;

/* One decision as a line of JSON with its newline: its size, or 0 when it does not fit. `stamp` is the time stamp of the
 * last sample by the clock of its source; NaN when there is none. asked is NULL for a decision that was due of itself. */
size_t congru_stream_line(const congru_model *model, const congru_decision *decision, double stamp,
                          const congru_stream_asked *asked, char line[CONGRU_STREAM_LINE_SIZE]);

/* The longest line that a decision of the model can be. CONGRU_ERROR_UNSUPPORTED when it does not fit. */
congru_status congru_stream_line_most(congru_context *context, const congru_model *model, size_t *most);

/* What a server says of the session that a client names. */
typedef struct congru_stream_session {
    const char *name; /* "": none was named, and nothing is said */
    bool known;       /* its state was there */
} congru_stream_session;

/* What is said to a client first: its size with the newline, or 0 when it does not fit. channel (channels) are the names
 * of a frame's channels; NULL: the model's. */
size_t congru_stream_greeting(const congru_stream_settings *settings, const congru_decoder *decoder,
                              const char *const *channel, congru_stream_format format,
                              const congru_stream_session *session, char *line, size_t room);

#endif
