/* What is done to samples before they are decoded: described once, executed in one way. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PREPROCESS_H
#define CONGRU_PREPROCESS_H

#include "congru/epochs.h"
#include "congru/option.h"
#include "congru/signal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum congru_estimator {
    CONGRU_ESTIMATOR_SCM, /* X X^T / (T - 1), de-meaned */
    CONGRU_ESTIMATOR_OAS, /* oracle approximating shrinkage, as scikit-learn's OAS */
    CONGRU_ESTIMATOR_LWF, /* Ledoit and Wolf's, as scikit-learn's LedoitWolf */
    CONGRU_ESTIMATOR_CSP  /* X X^T / trace(X X^T) */
} congru_estimator;

/* "scm", "oas", "lwf", "csp"; "unknown" beyond. */
CONGRU_API const char *congru_estimator_name(congru_estimator estimator);

enum { CONGRU_REGRESS_SIZE = 128 };

/* Everything that is done to samples between a recording and a covariance, in this order: scale to microvolts, regress
 * channels of the eyes out, choose channels, take the baseline off, average reference, band-pass, notch, resample, cut
 * the window, drop trials of too large amplitude, estimate the covariance, shrink it. A set and a model carry the description of their data, so that other
 * data can be treated alike.
 *
 * Made by congru_preprocessing_init, freed by congru_preprocessing_clear; the channels' names are owned. */
typedef struct congru_preprocessing {
    size_t channels;                         /* chosen, in order; 0: all EEG channels */
    char (*channel_name)[CONGRU_LABEL_SIZE]; /* (channels); "" where a set does not name them */
    double scale;                            /* makes microvolts of the samples: 1, 1e3 for mV, 1e6 for V */
    double baseline[2];  /* seconds from the cue whose mean is taken off each channel of a trial; 0 0: none */
    bool baseline_whole; /* the mean of the whole trial instead */
    bool average_reference;
    double band[2];     /* Hz, of the band-pass; low 0 is a low-pass; 0 0: none */
    int order;          /* of the Butterworth band-pass */
    bool fir;           /* a linear-phase band-pass instead */
    bool causal;        /* filters run forward only, as in a stream; otherwise with zero phase */
    double notch;       /* Hz, of the mains; 0: none */
    bool harmonics;     /* of the notch, too */
    double filtered[2]; /* Hz: band-passed elsewhere before; 0 0: not, as far as is known */
    double resample;    /* Hz, after the filters; 0: not */
    double window[2];   /* seconds after the cue, the last excluded; 0 0 when unknown */
    bool whole;         /* the trials of a file of trials as long as they are */
    bool rest;          /* the window before the cue instead, -window[1] to -window[0] */
    bool rest_inside;   /* a trial whose rest window leaves the recording is dropped: the paper's rule */
    bool drop_rejected; /* trials that a code-1023 event marks are dropped */
    double reject; /* microvolts: trials where a channel, prepared so far, swings farther from its least to its
                           largest sample are dropped; 0: none */
    char regress
        [CONGRU_REGRESS_SIZE]; /* channels, with commas between, that are regressed out of the others of each
                                          subject before channels are chosen, and left out; "": none */
    congru_estimator estimator;
    bool trace_normalise; /* each covariance is divided by its trace */
    double shrinkage;     /* 0 to 1: its share of the multiple of the identity that has its trace */

    /* What the trials are in the end, as far as is known. */
    double rate;    /* samples per second; 0 when unknown */
    size_t samples; /* of a trial; 0 when unknown */
    bool known;     /* whether the set said how its covariances were made, as congru_import makes it say */
} congru_preprocessing;

/* The default of congru import: all EEG channels, 8 to 35 Hz, order 4, zero phase, notch at 50 Hz, 0.5 to 3.5 s, scm. */
CONGRU_API void congru_preprocessing_init(congru_preprocessing *p);

/* Samples as they are: no filter, no window, microvolts, scm. */
CONGRU_API void congru_preprocessing_init_raw(congru_preprocessing *p);

/* `to` is overwritten without being cleared; CONGRU_ERROR_MEMORY leaves it without channels. */
CONGRU_API congru_status congru_preprocessing_copy(congru_context *context, const congru_preprocessing *from,
                                                   congru_preprocessing *to);
CONGRU_API void congru_preprocessing_clear(congru_preprocessing *p);

/* ---- Words: one table for the command line, presets and bindings -------------------------------------- */

/* The options that describe preprocessing. The first CONGRU_PREPROCESSING_TRIAL_OPTIONS of them apply to trials that were
 * cut already; the others are about cutting them. */
enum { CONGRU_PREPROCESSING_TRIAL_OPTIONS = 16, CONGRU_PREPROCESSING_OPTIONS = 20 };
CONGRU_API extern const congru_option congru_preprocessing_options[CONGRU_PREPROCESSING_OPTIONS];

/* Sets one of them: ("band", "8:35"), ("causal", ""). CONGRU_ERROR_ARGUMENT for an unknown name or a value that cannot
 * be, with a line that begins with `where`, or with "--NAME" where that is NULL. */
CONGRU_API congru_status congru_preprocessing_set(congru_context *context, congru_preprocessing *p,
                                                  const char *where, const char *name, const char *value);

/* CONGRU_ERROR_ARGUMENT for settings that do not go together. */
CONGRU_API congru_status congru_preprocessing_check(congru_context *context, const congru_preprocessing *p);

/* One line for readers, "8 to 35 Hz (Butterworth of order 4, zero phase), notch 50 Hz, 0.5 to 3.5 s after the
 * cue, scm"; cut to fit. */
enum { CONGRU_PREPROCESSING_LINE_SIZE = 400 };
CONGRU_API void congru_preprocessing_print(const congru_preprocessing *p,
                                           char line[CONGRU_PREPROCESSING_LINE_SIZE]);

/* Writes what differs between data and what is wanted, "band 8 to 30 Hz where the model has 8 to 35 Hz; ...", into
 * `text`, cut to fit, and returns whether anything does. `who` is what the wanted description belongs to, "the model".
 * Only what both know is compared. */
CONGRU_API bool congru_preprocessing_differs(const congru_preprocessing *wanted, const char *who,
                                             const congru_preprocessing *found, char *text, size_t size);

/* ---- Execution ------------------------------------------------------------------------------------------ */

/* The filters of the description at a rate, as second-order sections that run in one pass; none for FIR, and none for a
 * notch at or above half the rate, where nothing is left to remove (*notch_left_out, which may be NULL, then says so).
 * CONGRU_ERROR_ARGUMENT for a band that needs a higher rate. */
CONGRU_API congru_status congru_preprocess_design(congru_context *context, const congru_preprocessing *p,
                                                  double rate, congru_iir *filter, bool *notch_left_out);

/* Scale, reference and filters, in place, of `trials` signals (channels, samples) one after another. NaN and infinity
 * are missing samples. */
CONGRU_API congru_status congru_preprocess_samples(congru_context *context, const congru_preprocessing *p,
                                                   double rate, size_t trials, size_t channels, size_t samples,
                                                   double *signal);

/* up/down brings `rate` to p->resample, or both are 1. CONGRU_ERROR_ARGUMENT where no small ratio does. */
CONGRU_API congru_status congru_preprocess_ratio(congru_context *context, const congru_preprocessing *p,
                                                 double rate, size_t *up, size_t *down);

/* Trials of a recording, which is changed: its samples are filtered in place. Its channels are those wanted already
 * (congru_recording_options); `cue` seconds lie between an event and its cue. Where `rest` is not NULL the rest before
 * each cue is cut too, as trials of one class, "rest". */
CONGRU_API congru_status congru_preprocess_recording(congru_context *context, const congru_preprocessing *p,
                                                     congru_recording *recording,
                                                     const congru_event_class *events, size_t event_count,
                                                     double cue, congru_epochs **epochs, congru_epochs **rest,
                                                     congru_epochs_report *report);

/* Trials that were cut already, in place: channels chosen, filtered, resampled, cropped, those with missing samples
 * dropped. `epochs->rate` must be known where the description needs it. `position`, (channels) from 1 or NULL, is where
 * the channels are in files that do not name them. */
CONGRU_API congru_status congru_preprocess_epochs(congru_context *context, const congru_preprocessing *p,
                                                  const size_t *position, congru_epochs *epochs,
                                                  congru_epochs_report *report);

#ifdef __cplusplus
}
#endif
#endif
