/* Made-up trials for tests of classifiers. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_CLASSIFIER_SAMPLES_H
#define CONGRU_TESTS_CLASSIFIER_SAMPLES_H

#include "classifier/classifier.h"

/* Trials with room for their arrays, owned. */
typedef struct trial_set {
    congru_trials trials;
    double *covariance;
    int32_t *label, *subject;
} trial_set;

/* As in tests/oracle/oracle_classifiers.py: `n` trials, the state going on from one call to the next. Release with
 * trial_set_free. */
trial_set trial_set_make(uint64_t *state, size_t classes, size_t d, size_t subjects, size_t n, size_t samples);
void trial_set_free(trial_set *set);

/* G C G^T of every trial. */
void trial_set_transform(trial_set *set, const double *g);

/* Each subject's trials whitened by their affine-invariant mean. */
void trial_set_recentre(congru_context *context, trial_set *set);

/* Fits the named classifier on one set and predicts the other, from a copy of the tensors: probability
 * (test, classes), zeroed before. */
congru_status fit_and_predict(congru_context *context, const char *name, const congru_method_options *options,
                              const trial_set *set, const trial_set *test, double *probability);

#endif
