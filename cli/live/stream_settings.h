/* What all ways of 'congru stream' share: the model, the decoder's options, lines of decisions. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STREAM_SETTINGS_H
#define CONGRU_CLI_STREAM_SETTINGS_H

#include <signal.h>

#include "congru/congru.h"
#include "stream_markers.h"
#include "text_list.h"

typedef struct stream_settings {
    congru_context *context;
    congru_model *model;
    congru_decoder_options decoder;
    text_list channels; /* --channels: names of the samples that come */
    bool realtime;
    const char *lsl_out;     /* name of the outlet, or NULL */
    const char *lsl_markers; /* name of the stream of markers, or NULL */
    double lsl_wait;         /* seconds for a stream to appear */
    double marker_after;     /* seconds from a cue to its decision; NaN: the end of the model's trials */
    const char *events;      /* of a recording that are cues; NULL: those that the model's trials came from */
    size_t line_most;        /* the longest line of a decision */

    /* --listen */
    const char *address;
    int port;
    int clients;            /* at most */
    double idle;            /* seconds without a whole frame, command or line */
    protocol_format format; /* of clients that name none */
    double speed;           /* how much faster than the model's rate a client may send */
} stream_settings;

enum { STREAM_LINE_SIZE = 16384 };

/* Set by an interrupt; every loop looks at it. */
extern volatile sig_atomic_t stream_stopped;

/* One stream of samples: its decoder, the markers that wait, and where its lines go. The beginning of every way below
 * sets `settings`, `write` and `user`; the way itself makes the decoder and destroys it. */
struct lsl_outlet;
typedef struct stream_sink {
    const stream_settings *settings;
    congru_decoder *decoder;
    stream_markers markers;
    struct lsl_outlet *outlet; /* NULL: none */
    double stamp;              /* of the last frame by the clock of its source */
    bool stamped;              /* `stamp` is set, and markers go by that clock */
    double start;              /* --realtime: when the first frame came, */
    uint64_t played;           /* and how many since */

    /* Takes one line with its newline. Returns EXIT_DONE, or prints one line. */
    int (*write)(void *user, const char *line, size_t size);
    void *user;
} stream_sink;

/* To standard output. */
int stream_print(void *user, const char *line, size_t size);

/* Pushes frames of the decoder's channels, and tells every decision, those that markers ask for among them. stamp (frames)
 * may be NULL. */
int stream_push(stream_sink *sink, size_t frames, const double *data, const double *stamp);

/* Does what a command says, and tells what came of it. */
int stream_obey(stream_sink *sink, const protocol_command *command);

/* Adds a marker, or tells that there are too many. `after` seconds, NaN: as long as settings say. */
int stream_mark(stream_sink *sink, const char *name, double cue, double after);

/* Tells of all markers that wait that there is no answer, and why. */
int stream_drop_markers(stream_sink *sink, const char *reason);

/* Seconds after a cue at which its decision is due: --marker-after, or where the model's trials end. */
double stream_marker_after(const stream_settings *settings, const congru_decoder *decoder);

/* The ways, each a file of its own. All return an exit code. */
int stream_frames(stream_sink *sink, const char *path, protocol_format format);
int stream_csv(stream_sink *sink, const char *path);
int stream_recording(stream_sink *sink, const char *path);
int stream_serve(const stream_settings *settings);
int stream_lsl(stream_sink *sink, const char *name);

/* Opens the outlet of settings->lsl_out. */
int stream_outlet_open(const stream_settings *settings, struct lsl_outlet **outlet);
void stream_outlet_push(struct lsl_outlet *outlet, const congru_decision *decision, double stamp);
void stream_outlet_close(struct lsl_outlet **outlet);

/* Sleeps until `seconds` after `start` of the monotonic clock, or until stopped. */
double stream_clock(void);
void stream_wait_until(double time);

#endif
