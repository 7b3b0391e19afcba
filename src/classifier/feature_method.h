/* Logistic regression of features that a trial has by itself: fitting and predicting are the same for all. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_FEATURE_METHOD_H
#define CONGRU_CLASSIFIER_FEATURE_METHOD_H

#include "classifier/classifier.h"

/* Functions of a classifier's table, for tensors called NAME.weights, NAME.intercept and NAME.c. `fit` with options->c 0
 * chooses C by leaving out one subject at a time. */
congru_status congru_feature_fit(const congru_classifier *self, congru_context *context,
                                 const congru_trials *trials, const congru_method_options *options,
                                 congru_tensors *model, congru_record *record);
congru_status congru_feature_folds(const congru_classifier *self, congru_context *context,
                                   const congru_trials *trials, size_t count, const double *c, size_t folds,
                                   const bool *used, double *log_probability, congru_tensors *model);
congru_status congru_feature_predict(const congru_classifier *self, congru_context *context,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability);

#endif
