/* Made-up recordings of several subjects, and the sets that filters make of them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_STREAM_SAMPLES_H
#define CONGRU_TESTS_STREAM_SAMPLES_H

#include "congru/congru.h"

typedef struct stream_recipe {
    size_t subjects, trials, d; /* trials of each subject, two classes in turn */
    double rate;
    const char *estimator; /* "scm", "oas", "lwf" */
    bool average_reference;
    bool zero_phase; /* instead of causal filters */
    uint64_t seed;
} stream_recipe;

/* A recording of one subject: coloured noise through a mixing of its own, channel 0 or 1 stronger by class in the three
 * seconds from 0.5 s after each cue. (channels, samples), microvolts, with an offset. */
typedef struct stream_recording {
    size_t d, samples, trials;
    double rate;
    double *data;
    size_t *end; /* (trials) one past the last sample of the trial's window */
    int32_t *label;
} stream_recording;

void stream_record(const stream_recipe *recipe, size_t subject, stream_recording *recording);
void stream_recording_clear(stream_recording *recording);

/* Frames (samples, d) of a recording; freed by the caller. */
double *stream_frames(const stream_recording *recording);

/* The same trials as signals, as wide-band as they were recorded, from half a second before a cue to 4 s after it. Never
 * NULL. */
congru_set *stream_wide_set(congru_context *context, const stream_recipe *recipe);

/* The frame of the cue of trial k in it. */
size_t stream_cue(const stream_recipe *recipe, size_t k);

/* The set of all subjects: 8 to 30 Hz and a notch at 40 Hz; windows of 3 s; covariances by the estimator, over
 * their trace; channels C1, C2, ...; meta data as import writes them. Never NULL. */
congru_set *stream_set(congru_context *context, const stream_recipe *recipe);

/* A model of all subjects but the last, of which the streams are; networks learn for `steps`. NULL, and a failed check, where
 * it cannot be fitted. */
congru_model *stream_model(congru_context *context, const congru_set *set, const char *pipeline, bool causal,
                           int steps);

/* The defaults with this rate and adaptation; what is adapted to trials forgets the sources. */
congru_decoder_options stream_decoding(double rate, congru_adaptation adaptation);

/* NULL, and a failed check, where it cannot be made. */
congru_decoder *stream_decoder(congru_context *context, const congru_model *model,
                               const congru_decoder_options *options);

#endif
