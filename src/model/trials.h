/* What a method is fitted on and applied to. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_TRIALS_H
#define CONGRU_MODEL_TRIALS_H

#include <stdint.h>

#include "base/view.h"
#include "congru/method.h"

/* Labelled trials of the source subjects. The arrays are the caller's. */
typedef struct congru_trials {
    size_t count;
    size_t d;
    const double *covariance; /* (count, d, d); NULL where there is a view */
    const int32_t *label;     /* (count), 0 to classes - 1; a class may have no trial */
    const int32_t *subject;   /* (count), 0 to subjects - 1 */
    size_t classes;
    size_t subjects;
    const congru_view *view; /* the trials where they are, for methods that take them so; NULL: in covariance */
} congru_trials;

/* The trials for those who take either. */
static inline congru_view congru_trials_view(const congru_trials *trials)
{
    return trials->view != NULL ? *trials->view : (congru_view){.plain = trials->covariance};
}

/* Trials of one person that is new to the model, in the order they were recorded. */
typedef struct congru_newcomer {
    size_t count;
    size_t d;
    const double *covariance; /* (count, d, d) */

    /* Which trials statistics of the person may be made of, for the decision about trial i: the first `visible`
     * ones; trials 0 to i when `online`; none but the source subjects' own statistics when visible is 0. */
    size_t visible;
    bool online;

    /* Labelled trials of the person, for the methods that need them (rpa): (calibration) indices and their labels;
     * 0 for all others. */
    size_t calibration;
    const size_t *calibration_trial;
    const int32_t *calibration_label;
} congru_newcomer;

/* The newcomer's `visible` and `online` for a mode: the first ceil(count / 2), ceil(count / 5), ... */
void congru_newcomer_see(congru_newcomer *newcomer, congru_target target);

#endif
