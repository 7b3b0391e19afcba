/* Tangent vectors at a common reference: what the linear classifiers are fitted on. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_TANGENT_FEATURES_H
#define CONGRU_CLASSIFIER_TANGENT_FEATURES_H

#include "base/view.h"
#include "congru/spd.h"

/* The mean of n matrices by the metric, reference (d, d), and their tangent vectors there (n, d (d + 1) / 2). Means of
 * recentred trials are the identity, and found to be so in the pass that makes the vectors. */
congru_status congru_tangent_features(congru_context *context, congru_metric metric, size_t n, size_t d,
                                      const congru_view *view, double *reference, double *vectors);

#endif
