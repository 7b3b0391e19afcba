/* Tangent vectors at a common reference: what the linear classifiers are fitted on. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_TANGENT_FEATURES_H
#define CONGRU_CLASSIFIER_TANGENT_FEATURES_H

#include "base/arena.h"
#include "base/view.h"
#include "classifier/classifier.h"
#include "congru/spd.h"

/* The mean of n matrices by the metric, reference (d, d), and their tangent vectors there (n, d (d + 1) / 2). Means of
 * recentred trials are the identity, and found to be so in the pass that makes the vectors. */
congru_status congru_tangent_features(congru_context *context, congru_metric metric, size_t n, size_t d,
                                      const congru_view *view, double *reference, double *vectors);

/* The same of trials, vectors in an arena that the caller frees, and the reference as the tensor PREFIX.reference. */
congru_status congru_tangent_sources(congru_context *context, const congru_trials *trials, congru_metric metric,
                                     congru_tensors *model, const char *prefix, congru_arena *arena,
                                     double **vectors);

/* `predict` of a classifier's table: by the linear classifier NAME (classifier/linear.h) of tangent vectors at NAME.reference. */
congru_status congru_tangent_predict(const congru_classifier *self, congru_context *context,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability);

#endif
