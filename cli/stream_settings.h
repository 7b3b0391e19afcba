/* What all ways of 'congru stream' share: the model, the decoder's options, lines of decisions. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STREAM_SETTINGS_H
#define CONGRU_CLI_STREAM_SETTINGS_H

#include <signal.h>

#include "congru/congru.h"
#include "text_list.h"

typedef struct stream_settings {
    congru_context *context;
    congru_model *model;
    congru_decoder_options decoder;
    text_list channels; /* --channels: names of the samples that come */
    bool realtime;
    const char *lsl_out; /* name of the outlet, or NULL */

    /* --listen */
    const char *address;
    int port;
    int clients;  /* at most */
    double idle;  /* seconds without a sign of life */
    double speed; /* how much faster than the model's rate a client may send */
} stream_settings;

enum { STREAM_LINE_SIZE = 16384 };

/* One decision as a line of JSON with its newline: its size, or 0 when it does not fit. `stamp` is the time stamp of the
 * last sample by the clock of its source; NaN when there is none. */
size_t stream_line(const congru_model *model, const congru_decision *decision, double stamp,
                   char line[STREAM_LINE_SIZE]);

/* Set by an interrupt; every loop looks at it. */
extern volatile sig_atomic_t stream_stopped;

/* A sink of decisions: standard output, and an LSL outlet where one was asked for. Returns EXIT_DONE, or prints one line. */
struct lsl_outlet;
typedef struct stream_sink {
    const stream_settings *settings;
    struct lsl_outlet *outlet; /* NULL: none */
    size_t decisions;
} stream_sink;
int stream_tell(stream_sink *sink, const congru_decision *decision, double stamp);

/* Pushes frames of the decoder's channels, and tells every decision. stamp (frames) may be NULL. */
int stream_push(stream_sink *sink, congru_decoder *decoder, size_t frames, const float *data,
                const double *stamp);
int stream_push_double(stream_sink *sink, congru_decoder *decoder, size_t frames, const double *data);

/* The ways, each a file of its own. All return an exit code. */
int stream_float32(stream_sink *sink, const char *path);
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
