/* Descriptions of preprocessing inside the library: meta data and channels. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PREPROCESS_PREPROCESSING_H
#define CONGRU_PREPROCESS_PREPROCESSING_H

#include "base/text.h"
#include "congru/preprocess.h"

/* Reads the keys that import writes into meta data; others are passed over. `text` may be NULL: nothing known.
 * CONGRU_ERROR_FORMAT when a key has a value that cannot be. Channels, rate and samples are left alone. */
congru_status congru_preprocessing_parse(congru_context *context, const char *text, congru_preprocessing *p);

/* Adds `, "band": [8, 35], ...`: members of a JSON object behind its first. */
void congru_preprocessing_write(const congru_preprocessing *p, congru_text *text);

/* Replaces the channels by a copy of these names. */
congru_status congru_preprocessing_name_channels(congru_context *context, congru_preprocessing *p, size_t count,
                                                 const char (*name)[CONGRU_LABEL_SIZE]);

/* congru_preprocess_epochs without dropping trials: channels, samples, rate and window. */
congru_status congru_preprocess_trials(congru_context *context, const congru_preprocessing *p,
                                       const size_t *position, congru_epochs *epochs);

/* Takes p->regress out of the trials, without their labels: least squares over all samples of a subject. */
congru_status congru_preprocess_regress(congru_context *context, const congru_preprocessing *p,
                                        congru_epochs *epochs);

/* How far a channel swings: its largest sample less its least. Missing samples do not count. */
double congru_preprocess_swing(const double *x, size_t samples);

/* Drops the trials beyond p->reject and counts them. CONGRU_ERROR_FORMAT where none is left. */
congru_status congru_preprocess_reject(congru_context *context, const congru_preprocessing *p,
                                       congru_epochs *epochs, congru_epochs_report *report);

/* Whether both do the same to samples, number by number; what the trials are in the end (rate, samples) is not looked at. */
bool congru_preprocessing_same(const congru_preprocessing *a, const congru_preprocessing *b);

/* A band-pass that was done elsewhere becomes one to do, for data that did not go through it. */
void congru_preprocessing_own_filters(congru_preprocessing *p);

/* CONGRU_ERROR_ARGUMENT for data of which this differs from what `who` wants. */
congru_status congru_preprocessing_refuse(congru_context *context, const char *who, const char *differences);

/* What is left to do to data that went through `have` so that they have gone through `wanted`, without channels in
 * *left. CONGRU_ERROR_ARGUMENT, with what differs, where that is not possible: `who` is what `wanted` belongs to. */
congru_status congru_preprocessing_left(congru_context *context, const congru_preprocessing *wanted,
                                        const char *who, const congru_preprocessing *have,
                                        congru_preprocessing *left);

/* What data have gone through that went through `have` and then through `then`: `have` becomes it; channels, rate and
 * samples are the caller's to set. */
void congru_preprocessing_follow(congru_preprocessing *have, const congru_preprocessing *then);

#endif
