/* What descriptions of preprocessing make of the signals of a set, which stays as it is. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_SET_PRODUCTS_H
#define CONGRU_DATASET_SET_PRODUCTS_H

#include "congru/dataset.h"

/* Trials of a set after one description. The arrays are the caller's, of all trials of the set; NULL where not wanted. */
typedef struct congru_product {
    congru_preprocessing description;
    size_t channels, samples; /* of a trial, as congru_product_measure finds them */
    double rate, start;
    double onset;       /* samples from the cue to its first; NaN when unknown, like `start` */
    double *covariance; /* (count, channels, channels) */
    double *signals;    /* (count, channels, samples) */
} congru_product;

/* Fills in the shape. CONGRU_ERROR_ARGUMENT as congru_set_preprocess, and for a band that the set's own filters have left
 * less than half of; a band of which they have taken a part is a note. */
congru_status congru_product_measure(congru_context *context, const congru_set *set, congru_product *product);

/* Moves the window inside what the trials hold, for descriptions that are meant for any set: false when less than half of
 * it is left. The cue's place and the rate must be known, else it stays. */
bool congru_product_clip(const congru_set *set, congru_preprocessing *description);

/* Whether both go through the same up to the window, so that one filtering serves both. */
bool congru_product_shares(const congru_preprocessing *a, const congru_preprocessing *b);

/* Makes the trials `first` to first + count - 1 of measured products that share their filters. Trials do not feel each
 * other: the numbers are the same however the set is divided. */
congru_status congru_product_make(congru_context *context, const congru_set *set, size_t first, size_t count,
                                  size_t products, congru_product *const *product);

/* Samples from the cue to the first of a trial; NaN when unknown. */
double congru_set_onset(const congru_set *set);

/* Seconds of a trial: of its signals, or of the window that its covariance was made of; 0 when unknown. */
double congru_set_trial_seconds(const congru_set *set);

/* What the signals went through: congru_set_preprocessing where the covariances are made of them as they are. */
congru_status congru_set_signals_preprocessing(congru_context *context, const congru_set *set,
                                               congru_preprocessing *p);

#endif
