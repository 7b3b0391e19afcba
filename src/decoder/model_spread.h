/* How far the sources' trials lie from references, by which artefacts are known. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_MODEL_SPREAD_H
#define CONGRU_DECODER_MODEL_SPREAD_H

#include "evaluation/fit.h"

/* A tensor (1 or 2, 2) beside each prior, "spread.0", ...: the median and the median absolute deviation of
 * the logarithms of affine-invariant distances. The first row is of the trials from the reference of their own subject or
 * session, the second from that of the other subjects, which is what a new subject's trials are measured by at first. It is
 * missing where the subjects are too few to say how far a new one may be, and all of it where there are few trials, or none
 * that have a distance. */
enum {
    CONGRU_SPREAD_ROWS = 2,
    CONGRU_SPREAD_COLUMNS = 2,
    CONGRU_SPREAD_TRIALS_MIN = 8,
    CONGRU_SPREAD_SUBJECTS_MIN = 5,
    CONGRU_SPREAD_GROUPS_MAX = 128 /* in which the subjects are left out, where they are more */
};

/* Measures trials that a branch is fitted on, of one block: *rows of spread (2, 2), 0 where nothing can be said. */
congru_status congru_spread_measure(congru_context *context, const congru_prepared *prepared,
                                    congru_trial_list train,
                                    double spread[CONGRU_SPREAD_ROWS * CONGRU_SPREAD_COLUMNS], size_t *rows);

/* The distance beyond which a trial is an artefact, by a row: five standard deviations of the logarithm above its median.
 * The deviation is 1.4826 times that of the median, and at least 0.1: distances are known no better. */
double congru_spread_bound(const double row[CONGRU_SPREAD_COLUMNS]);

/* The spread of a model's tensors under this name: NULL where it has none. CONGRU_ERROR_FORMAT where it cannot be one. */
congru_status congru_spread_find(congru_context *context, const congru_tensors *tensors, const char *name,
                                 const double **spread, size_t *rows);

#endif
