/* One stream of samples: its decoder, the markers that wait, and where its lines go. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_STREAM_SINK_H
#define CONGRU_STREAM_STREAM_SINK_H

#include "congru/stream.h"
#include "stream/stream_markers.h"

/* What all streams of one call share. */
typedef struct congru_stream_settings {
    congru_context *context;
    const congru_model *model;
    congru_stream_options options; /* the rate is 0 for a model that needs cues */
    size_t line_most;              /* the longest line of a decision */
} congru_stream_settings;

enum { CONGRU_STREAM_LINE_SIZE = 16384 };

/* Copies and checks what both calls need. */
congru_status congru_stream_settle(congru_context *context, const congru_model *model,
                                   const congru_stream_options *options, congru_stream_settings *settings);

/* Whether the caller wants an end; every loop asks. */
bool congru_stream_stopped(const congru_stream_settings *settings);

/* Tells the caller, in one line of at most 1024 bytes. */
void congru_stream_warn(const congru_stream_settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The caller sets `settings`, `write` and `user`; the decoder is made when channels and rate are known, by
 * congru_stream_start, and destroyed by the caller. */
struct congru_lsl_outlet;
typedef struct congru_stream_sink {
    const congru_stream_settings *settings;
    congru_decoder *decoder;
    bool begun; /* the decoder has what was known of the subject: it may be kept */
    congru_stream_markers markers;
    struct congru_lsl_outlet *outlet; /* NULL: none */
    double stamp;                     /* of the last frame by the clock of its source */
    bool stamped;                     /* `stamp` is set, and markers go by that clock */
    double start;                     /* options.realtime: when the first frame came, */
    uint64_t played;                  /* and how many since */

    /* Takes one line with its newline; false: it cannot, and the stream ends. */
    bool (*write)(void *user, const char *line, size_t size);
    void *user;
} congru_stream_sink;

/* Makes the decoder, with what options.state and options.rest tell of the subject; failures and notes begin with `name`, the
 * input's. */
congru_status congru_stream_start(congru_stream_sink *sink, const congru_decoder_options *options,
                                  const char *name);

/* Pushes frames of the decoder's channels, and tells every decision, those that markers ask for among them. stamp (frames)
 * may be NULL. */
congru_status congru_stream_push(congru_stream_sink *sink, size_t frames, const double *data,
                                 const double *stamp);

/* Does what a command says, and tells what came of it. */
congru_status congru_stream_obey(congru_stream_sink *sink, const congru_protocol_command *command);

/* Adds a marker, or tells that there are too many. `after` seconds, NaN: as long as options say. */
congru_status congru_stream_mark(congru_stream_sink *sink, const char *name, double cue, double after);

/* Tells of all markers that wait that there is no prediction, and why. */
congru_status congru_stream_drop_markers(congru_stream_sink *sink, const char *reason);

/* Seconds after a cue at which its decision is due: options.marker_after, or where the model's trials end. */
double congru_stream_marker_after(const congru_stream_settings *settings, const congru_decoder *decoder);

/* The inputs of congru_stream_run. "-" is standard input. */
bool congru_stream_is_standard(const char *path);

/* A file to read, or a pipe once somebody writes to it or the stream is stopped; -1 with errno set. */
int congru_stream_open(const congru_stream_settings *settings, const char *path);
const char *congru_stream_input_name(const char *path);
congru_status congru_stream_read_frames(congru_stream_sink *sink, const char *path);
congru_status congru_stream_read_csv(congru_stream_sink *sink, const char *path);
congru_status congru_stream_read_recording(congru_stream_sink *sink, const char *path);
congru_status congru_stream_read_lsl(congru_stream_sink *sink, const char *name);

/* Opens the outlet of options.lsl_out. */
congru_status congru_stream_outlet_open(const congru_stream_settings *settings,
                                        struct congru_lsl_outlet **outlet);
void congru_stream_outlet_push(struct congru_lsl_outlet *outlet, const congru_decision *decision, double stamp);
void congru_stream_outlet_close(struct congru_lsl_outlet **outlet);

/* Seconds of the monotonic clock. */
double congru_stream_clock(void);

#endif
