/* A continuous recording, from a file of any supported format. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_H
#define CONGRU_RECORDING_H

#include <stdint.h>

#include "congru/status.h"
#include "congru/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum congru_channel_type {
    CONGRU_CHANNEL_EEG,
    CONGRU_CHANNEL_EOG,
    CONGRU_CHANNEL_EMG,
    CONGRU_CHANNEL_ECG,
    CONGRU_CHANNEL_STIMULUS, /* trigger or status lines */
    CONGRU_CHANNEL_OTHER
} congru_channel_type;

enum { CONGRU_UNIT_SIZE = 24 };

typedef struct congru_channel {
    char name[CONGRU_LABEL_SIZE]; /* as in the file, surrounding blanks removed; valid UTF-8 */
    char unit[CONGRU_UNIT_SIZE];  /* as in the file; voltages are nevertheless given in microvolts */
    congru_channel_type type;
    double rate; /* the channel's own in the file */
} congru_channel;

typedef struct congru_event {
    size_t onset;     /* sample, from 0; always < samples */
    size_t duration;  /* samples; 0 when the file gives none */
    int32_t code;     /* GDF type, trigger value, or class number; -1 where the file has only a text */
    const char *text; /* annotation, or NULL; owned by the recording */
} congru_event;

/* The whole of a recording in memory. Missing samples (gaps of a discontinuous file, over-range values, the
 * boundary between runs that one file holds) are NaN, and nothing later filters across a NaN. */
typedef struct congru_recording {
    char format[16]; /* "GDF 2.51", "EDF+C", "BDF", "BrainVision", "MAT", "EEGLAB", "FIF", "XDF", "CSV", ... */
    double rate; /* samples per second of every channel in `data`; 0: unknown, of the header of text alone */
    size_t samples;
    size_t channels;
    congru_channel *channel; /* (channels) */
    double *data;            /* (channels, samples), microvolts; NULL when only the header was read */
    size_t events;
    congru_event *event; /* (events), by onset */
} congru_recording;

typedef struct congru_recording_options {
    /* Names of the channels wanted, in the order wanted, compared without case, without blanks and trailing dots;
     * a name that is not there is an error that lists those that are. NULL: every channel at the highest rate
     * (a file whose channels differ in rate is then an error naming them). */
    const char *const *channels;
    size_t channel_count;
    bool eeg_only;                /* with channels NULL: leave out those known to be something else */
    const char *const *leave_out; /* (leave_out_count) with channels NULL: names of those that are not wanted */
    size_t leave_out_count;
    bool header_only; /* everything but `data` */
    /* Of a file of several streams (XDF): the name of the one wanted. NULL: the stream of type EEG or else the only
     * one of signals; where there are more, the one that has the channels wanted; an error names them otherwise. */
    const char *stream;
    double rate; /* Hz, of text that does not say its own; 0: unknown, an error but for the header */
} congru_recording_options;

/* Reads a file, its format told from its first bytes (BrainVision: the .vhdr; .mat: a BNCI cell of runs, which are
 * joined with a NaN between, or a continuous EEGLAB .set with its .fdt beside it; raw data in FIF; XDF, its streams
 * brought to one clock, and gaps between what was recorded NaN; text of a line for each sample, with columns of channels,
 * time and events: congru help import). The sample behind an EEGLAB boundary, and what FIF
 * annotations call BAD or EDGE, is NaN too. Fails with CONGRU_ERROR_IO, _FORMAT, _UNSUPPORTED, _KIND (it holds trials) or _MEMORY and an error text
 * "FILE: what was expected, what was found (what to do)"; a file is never trusted about its own size. Memory:
 * the selected channels as doubles and a small buffer. Free with congru_recording_destroy. */
CONGRU_API congru_status congru_recording_read(congru_context *context, const char *path,
                                               const congru_recording_options *options,
                                               congru_recording **recording);

/* Whether the first bytes of the file are those of a continuous recording that congru_recording_read knows; false
 * with errno set when it cannot be read, with errno 0 when it is something else. */
CONGRU_API bool congru_recording_recognises(const char *path);

/* Frees everything and sets *recording to NULL; NULL is allowed. */
CONGRU_API void congru_recording_destroy(congru_recording **recording);

/* A kind of event in a recording. */
typedef struct congru_event_kind {
    int32_t code;     /* -1 where there is only a text */
    const char *text; /* or NULL; the recording's */
    size_t count;
    double seconds; /* mean duration; NaN where the recording's rate is unknown */
} congru_event_kind;

/* The kinds by code, then by text: *kinds is allocated, for the caller to free. Returns false without memory. */
CONGRU_API bool congru_event_kinds(const congru_recording *recording, congru_event_kind **kinds, size_t *count);

/* How an event is called on the command line: its text, or its code, which `buffer` then holds. */
CONGRU_API const char *congru_event_kind_name(const congru_event_kind *kind, char buffer[16]);

/* Whether two channel names mean the same electrode: "Fc5." and "FC5", "EEG:C3" or "EEG-C3" and "C3". */
CONGRU_API bool congru_channel_matches(const char *name, const char *wanted);

#ifdef __cplusplus
}
#endif
#endif
