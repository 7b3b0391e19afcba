/* What is made of the products of signals, however they were summed. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_COVARIANCE_H
#define CONGRU_DATASET_COVARIANCE_H

#include "congru/dataset.h"

/* c (d, d) is X X^T of `samples` samples, de-meaned except for CONGRU_ESTIMATOR_CSP, and becomes the covariance.
 * power_squares is for CONGRU_ESTIMATOR_LWF: the sum over time of the squared power (the sum over channels of x^2). */
void congru_covariance_finish(congru_estimator estimator, bool trace_normalise, size_t d, size_t samples,
                              double power_squares, double *c);

/* Each of `count` covariances (d, d) becomes (1 - shrinkage) C + shrinkage trace(C)/d I, which has the same trace. */
void congru_covariance_shrink(double shrinkage, size_t count, size_t d, double *c);

/* congru_covariance, whose error names a trial by its number[i], or i + 1 where `number` is NULL. */
congru_status congru_covariance_numbered(congru_context *context, congru_estimator estimator,
                                         bool trace_normalise, size_t count, size_t d, size_t samples,
                                         const double *signals, const size_t *number, double *out);

#endif
