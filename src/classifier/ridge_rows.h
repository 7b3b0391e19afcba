/* Multinomial ridge regression of features that all folds share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_RIDGE_ROWS_H
#define CONGRU_CLASSIFIER_RIDGE_ROWS_H

#include "classifier/classifier.h"

/* The fit_folds, fit and predict of a classifier of features (classifier/classifier.h), with the tensors PREFIX.weights and
 * PREFIX.intercept. With C auto, one fit alone takes 0.01: it is the run that chooses. */
congru_status congru_ridge_rows_folds(congru_context *context, const char *prefix, const congru_trials *trials,
                                      size_t count, const double *c, size_t folds, const bool *used,
                                      double *log_probability, congru_tensors *model);
congru_status congru_ridge_rows_fit(congru_context *context, const char *prefix, const congru_trials *trials,
                                    const congru_method_options *options, congru_tensors *model);
congru_status congru_ridge_rows_predict(congru_context *context, const char *prefix,
                                        const congru_tensors *model, const congru_newcomer *newcomer,
                                        double *probability);

#endif
