/* Made-up covariance sets of several subjects, for tests of whole pipelines. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_SET_SAMPLES_H
#define CONGRU_TESTS_SET_SAMPLES_H

#include "congru/congru.h"

typedef struct set_recipe {
    size_t subjects, classes, per_class; /* trials per class of each subject */
    size_t d;
    size_t sessions; /* of each subject, trials dealt out in blocks; 0 counts as 1 */
    double effect;   /* how far apart the classes are; 0: not at all */
    uint64_t seed;
} set_recipe;

/* C = A_s exp(effect * P_k + noise) A_s^T with a mixing A_s of the subject's own and a pattern P_k of the class; classes
 * in turn. Never NULL: a test without memory ends. Freed by congru_set_destroy. */
congru_set *sample_set(congru_context *context, const set_recipe *recipe);

typedef struct signals_recipe {
    size_t trials, channels, samples, classes, subjects;
    double rate, start; /* seconds of the first sample from the cue */
} signals_recipe;

/* A set of its own copies of these signals (trials, channels, samples); classes a, b, ..., subjects s0, s1, ... Never NULL. */
congru_set *signals_set(congru_context *context, const signals_recipe *recipe, double *signals, int32_t *label,
                        int32_t *subject);

/* congru_evaluate, which is to succeed. */
congru_results *evaluate_in(congru_context *in, const congru_set *set,
                            const congru_evaluation_options *options);

#endif
