/* Labelled windows of a signal around events. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EPOCHS_H
#define CONGRU_EPOCHS_H

#include "congru/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Trials of equal length. Owned arrays; free with congru_epochs_destroy. `data` may be a temporary file: it may be written
 * to, but not freed, grown or exchanged by the caller. */
typedef struct congru_epochs {
    size_t count, channels, samples;
    double rate;      /* samples per second; NaN when a .mat does not say */
    double start;     /* seconds of the first sample relative to the cue; NaN when unknown */
    double *data;     /* (count, channels, samples), microvolts */
    int32_t *label;   /* (count): index into class_name, from 0 */
    int32_t *run;     /* (count): number of the run within its file or set, 0 when there is one */
    int32_t *session; /* (count): number of the session, 0 when there is one */
    size_t
        *number; /* (count): number among the trials of the file, dropped ones too, from 1; or NULL: in order */
    char (*channel_name)[CONGRU_LABEL_SIZE]; /* (channels) */
    size_t classes;
    char (*class_name)[CONGRU_LABEL_SIZE]; /* (classes) */
    bool covariances; /* data are covariance matrices, samples being channels: for congru_set_append alone */
    int32_t *subject; /* (count): index into subject_name; NULL where the file does not tell subjects apart */
    size_t subjects;
    char (*subject_name)[CONGRU_LABEL_SIZE]; /* (subjects) */
} congru_epochs;

/* Which events are trials, and of which class: by code (text NULL) or by annotation text. Several may name the
 * same class. In a text * stands for anything, and \* \, \= \\ for the letter; "left" takes "left/trial1" too, whose tags
 * MNE divides by slashes. An event is of the entry that is its text in full, else of the first that fits. */
typedef struct congru_event_class {
    int32_t code;
    const char *text;
    const char *class_name;
} congru_event_class;

typedef struct congru_epochs_options {
    const congru_event_class *events;
    size_t event_count;
    double window[2];      /* seconds after the cue: [first, last) */
    double rest_window[2]; /* likewise, of the rest before; a trial is dropped when it leaves the recording */
    bool check_rest;       /* whether the rest window must lie inside too (the paper's rule) */
    bool as_rest;          /* extract the rest window instead, all of class "rest" */
    bool drop_rejected; /* leave out trials marked by a code-1023 event between the trial's start and its end */
} congru_epochs_options;

/* Why a trial is not among the epochs. */
typedef enum congru_dropped_reason {
    CONGRU_DROPPED_OUTSIDE,
    CONGRU_DROPPED_GAP,
    CONGRU_DROPPED_REJECTED,
    CONGRU_DROPPED_AMPLITUDE
} congru_dropped_reason;

enum { CONGRU_DROPPED_NAMED = 32 };

typedef struct congru_dropped {
    size_t trial; /* its number among the trials found, from 1 */
    congru_dropped_reason reason;
} congru_dropped;

/* What became of the events that named a class. Rejected trials are counted whether or not they are dropped. */
typedef struct congru_epochs_report {
    size_t found, kept, outside, gap, rejected; /* outside the recording; holding NaN; marked rejected */
    size_t amplitude;                           /* beyond congru_preprocessing.reject */
    size_t named;                               /* the first CONGRU_DROPPED_NAMED of those dropped, by name */
    congru_dropped dropped[CONGRU_DROPPED_NAMED];
} congru_epochs_report;

/* Cuts windows out of a recording: samples onset + floor(t_min rate) to onset + floor(t_max rate) - 1, where
 * (with samples counted from 1) onset + floor(t_rest rate) >= 1 and the last index is at most the number of
 * samples. The same cue twice is one trial. A 1023 mark belongs to the trial with the last start event (768)
 * before it, or, without start events, to the next cue within 3 s, or else to the last cue before it.
 * CONGRU_ERROR_FORMAT when no event matches, naming the codes and texts there are, or two classes at once. */
CONGRU_API congru_status congru_epochs_cut(congru_context *context, const congru_recording *recording,
                                           const congru_epochs_options *options, congru_epochs **epochs,
                                           congru_epochs_report *report);

/* Reads trials that were cut already: an .npz with X or signals (count, channels, samples) of int16 (times
 * `scale`), float32 or float64, and y (and where present fs, tmin, ch_names or channels, classes, run,
 * session); or a .mat with a numeric 3-dimensional array of (samples, channels, trials) and a label vector, as
 * variables or as fields of one struct; or an EEGLAB .set of epochs, each of the class of the event at its time 0,
 * with the .fdt beside it; or epochs in a FIF file, of the classes of its event_id. Of the last two only EEG channels
 * are read, where there are any. CONGRU_ERROR_KIND for a file that holds a recording or covariances instead. */
CONGRU_API congru_status congru_epochs_read(congru_context *context, const char *path, congru_epochs **epochs);

/* Whether the first bytes of the file are those of a format that congru_epochs_read knows, which may nevertheless hold
 * a recording; false with errno set when it cannot be read, with errno 0 when it is something else. */
CONGRU_API bool congru_epochs_recognises(const char *path);

/* Keeps only the samples in [first, last) seconds after the cue. CONGRU_ERROR_ARGUMENT when the window is not
 * inside the epochs, or their start is unknown and the window is not all of them. */
CONGRU_API congru_status congru_epochs_crop(congru_context *context, congru_epochs *epochs, double first,
                                            double last);

/* Resamples every trial by up / down (congru_signal_resample), and sets samples and rate. On failure the epochs are as
 * they were. */
CONGRU_API congru_status congru_epochs_resample(congru_context *context, congru_epochs *epochs, size_t up,
                                                size_t down);

CONGRU_API void congru_epochs_destroy(congru_epochs **epochs);

#ifdef __cplusplus
}
#endif
#endif
