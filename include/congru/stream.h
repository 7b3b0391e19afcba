/* Live decoding: samples from a file, a pipe, TCP clients or LSL in, lines of JSON out. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_H
#define CONGRU_STREAM_H

#include <signal.h>

#include "congru/decoder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A program that has samples in memory pushes them to a decoder itself (congru/decoder.h). These two calls are for samples
 * that come from elsewhere: they read, keep the markers that wait, push, and write each decision as a line of JSON.
 *
 *     static bool print(void *user, const char *line, size_t size)
 *     {
 *         return fwrite(line, 1, size, stdout) == size && fflush(stdout) == 0;
 *     }
 *
 *     congru_stream_options options;
 *     congru_stream_options_init(&options);
 *     options.line = print;
 *     options.stop = &stopped;                               // volatile sig_atomic_t, set by a signal handler
 *     options.format = CONGRU_STREAM_RECORDING;
 *     congru_stream_run(context, model, "S001R04.edf", &options);
 *
 *     options.address = "127.0.0.1";
 *     options.port = 5000;
 *     options.format = CONGRU_STREAM_FLOAT32;
 *     congru_stream_serve(context, model, &options);         // until stopped
 *
 * docs/protocol.md describes the lines, the commands, and what a client sends. Both calls return when their input has
 * ended, when *stop is set, or with a failure, whose text is in the context. Nothing is printed, and no signal handler is
 * installed: a signal without SA_RESTART ends a wait, and *stop is looked at. Calls with different contexts may run in
 * different threads, with the same model. */

/* How samples come. Binary numbers are little-endian, and a frame is one number for each channel. */
typedef enum congru_stream_format {
    CONGRU_STREAM_FLOAT32,
    CONGRU_STREAM_FLOAT64,
    CONGRU_STREAM_CSV,       /* a frame to a line; commands in lines that begin with '!' */
    CONGRU_STREAM_PACKETS,   /* frames and commands, each packet with its kind and size */
    CONGRU_STREAM_RECORDING, /* a file of any format that congru_recording_read knows; not for clients */
    CONGRU_STREAM_LSL        /* a stream of the Lab Streaming Layer, by its name; not for clients */
} congru_stream_format;

typedef struct congru_stream_options {
    /* How often there are decisions, about how much, how the reference moves; the channels and the scale of what comes. A
     * recording, an LSL stream and a client name their rate, and their channels where these are NULL here. A model that
     * needs cues has the rate 0: it decides about markers alone. */
    congru_decoder_options decoder;
    congru_stream_format format; /* of the input, or of clients that name none; FLOAT32 */
    double
        marker_after; /* seconds from a cue to its decision; NaN, the default: to the end of the model's trials */

    /* Set to another value than 0 by a signal handler or within a function below, it ends the call, with CONGRU_OK. NULL: nothing
     * does. */
    const volatile sig_atomic_t *stop;

    /* Called from within the call, with `user`. */
    void *user;

    /* A line of `size` bytes with its newline, not ended by a zero: a decision, or what came of a command. False ends the
     * call with CONGRU_ERROR_CANCELLED. congru_stream_run needs it; clients are sent theirs instead. */
    bool (*line)(void *user, const char *line, size_t size);

    /* What is worth a warning and no failure: one line without a newline. May be NULL. */
    void (*warn)(void *user, const char *text);

    /* What is known of subjects. congru_stream_run: a file, from which the decoder has what it has learned of the subject
     * (congru_decoder_state_load) where it is there, and to which that is written at the end. congru_stream_serve: a folder
     * of such files, NAME.state for each name that clients give as session=NAME. NULL: nothing is kept. */
    const char *state;

    /* congru_stream_run. */
    const char
        *rest;     /* a recording of the subject at rest (congru_decoder_rest), before the input; NULL: none */
    bool realtime; /* frames of a file wait for their time; false */
    const char
        *events; /* of a recording that are cues, "CODE=NAME,..."; NULL: those that the model's trials came
                                from where the rate is 0, else none */
    const char *lsl_markers; /* name of an LSL stream of markers by the clock of the samples; NULL: none */
    const char *lsl_out;     /* offers the probabilities as an LSL stream of this name, too; NULL: does not */
    double lsl_wait;         /* seconds for LSL streams to appear, 30 */

    /* congru_stream_serve. */
    const char *address; /* IPv4 or IPv6, "127.0.0.1" or "::1": this machine alone */
    int port;            /* 0, the default: a free one */
    int clients;         /* at a time, 256; at most CONGRU_STREAM_CLIENTS_MAX. Each has a decoder of its own */
    double idle; /* a client that for so many seconds sends no whole frame or command and takes no whole line is
                            let go, 30 */
    double speed; /* how many times faster than its rate a client's samples are taken, 10 */

    /* A file to which connects, drops and refusals are added, a line of JSON each; NULL: none. Writing never waits: what a
     * pipe without a reader does not take is kept, up to 1 MB, for later. */
    const char *log;

    /* Called once, when clients can come, with the port that was bound. False ends the call with CONGRU_ERROR_CANCELLED.
     * May be NULL. */
    bool (*listening)(void *user, const char *address, int port);
} congru_stream_options;

enum { CONGRU_STREAM_CLIENTS_MAX = 1000, CONGRU_STREAM_CHANNELS_MAX = 1024, CONGRU_STREAM_MARKERS_MAX = 16 };

/* The defaults above; `line` is to be set. */
CONGRU_API void congru_stream_options_init(congru_stream_options *options);

/* Decodes one input to its end: a file, a pipe, or standard input, whose name is "-"; for CONGRU_STREAM_LSL the name of an
 * LSL stream. liblsl, 1.12 or later, is loaded when it is asked for, by the environment's CONGRU_LSL where it is set.
 * Markers that wait when the input ends are answered without a decision. CONGRU_ERROR_IO for what cannot be read,
 * CONGRU_ERROR_FORMAT for what is not of this format, CONGRU_ERROR_UNSUPPORTED without liblsl, and what
 * congru_decoder_create, congru_recording_read and congru_import_cues may fail with. */
CONGRU_API congru_status congru_stream_run(congru_context *context, const congru_model *model,
                                           const char *input, const congru_stream_options *options);

/* Serves TCP clients, each a subject of its own, in the calling thread until *stop is set. A client costs a fixed amount
 * of memory and its decoder; what one does holds up none of the others. CONGRU_ERROR_IO when the address cannot be had. */
CONGRU_API congru_status congru_stream_serve(congru_context *context, const congru_model *model,
                                             const congru_stream_options *options);

#ifdef __cplusplus
}
#endif
#endif
