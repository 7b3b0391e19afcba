/* Recentred trials of several subjects and classes, for tests of networks. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_NETWORK_SAMPLES_H
#define CONGRU_TESTS_NETWORK_SAMPLES_H

#include "network/network.h"

/* How many networks there are, and how many of them give matrices: these are the first. */
#define SAMPLE_ONE(...) +1
#define SAMPLE_MATRICES +1
#define SAMPLE_CLASSES
#define SAMPLE_ALIGNING(id, title, reads, gives, words) SAMPLE_##gives
enum { ALL_NETWORKS = 0 CONGRU_NETWORKS(SAMPLE_ONE), ALIGNING_NETWORKS = 0 CONGRU_NETWORKS(SAMPLE_ALIGNING) };

/* Trials about the identity: exp of a class's pattern, bent for each subject, and noise. Freed by sample_free.
 * */
congru_trials sample_trials(congru_context *context, size_t count, size_t d, size_t classes, size_t subjects,
                            uint64_t seed);
/* The form of DCT that a rotation changes and that divides by each subject's dispersion, and lifted first weights: as
 * many of the networks' parts as one training can have. */
congru_method_options sample_axis_options(void);

void sample_free(congru_trials *trials);

#endif
