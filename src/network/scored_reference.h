/* Where the target subject's matrices are, for networks that normalise them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_SCORED_REFERENCE_H
#define CONGRU_NETWORK_SCORED_REFERENCE_H

#include "model/trials.h"
#include "network/application.h"

/* So many trials of a target make a reference alone; of fewer it has this share, and that of training the rest. */
enum { CONGRU_TRIALS_FOR_A_REFERENCE = 16 };
static inline double congru_reference_share(size_t seen)
{
    return seen < CONGRU_TRIALS_FOR_A_REFERENCE ? (double)seen / CONGRU_TRIALS_FOR_A_REFERENCE : 1.0;
}

/* The matrices (count, d, d) in the middle of a network, and what they are recentred by: `exact` is the Frechet mean, and
 * their dispersion about it is divided by as well (SPD batch normalisation); otherwise the mean of their logarithms. */
typedef struct congru_middle {
    size_t count, d;
    bool exact;
    double *matrix;
    size_t references;
    double *inverse; /* (references, d, d): inverse roots, one for all trials or one for each */
    double *factor;  /* (references): 1 / sqrt(dispersion) */
} congru_middle;

/* Room for `count` matrices and as many references; congru_middle_end frees it. */
congru_status congru_middle_begin(congru_context *context, size_t count, size_t d, congru_middle *middle);
void congru_middle_end(congru_middle *middle);

/* References of the target's trials, as far as they may be seen; drawn to those of training, `kept` (d + 1, d), when they
 * are few: the logarithm of the reference, and the dispersion in the first place of the last row. NULL: the identity is
 * the reference, whatever the trials are. */
congru_status congru_middle_refer(congru_context *context, const congru_target_trials *target,
                                  const double *kept, congru_middle *middle);

/* kept (d + 1, d): the mean over the source subjects of theirs. */
congru_status congru_middle_keep(congru_context *context, const congru_trials *trials,
                                 const congru_middle *middle, double *kept);

#endif
