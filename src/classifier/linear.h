/* Linear classifiers: scores, and probabilities by softmax. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_LINEAR_H
#define CONGRU_CLASSIFIER_LINEAR_H

#include "congru/classifier.h"
#include "model/tensors.h"

/* The intercept of a class that had no trial: finite, so that models can be saved, and its probability is 0. */
#define CONGRU_ABSENT_INTERCEPT (-1e300)

/* Scores (classes) become probabilities. */
void congru_softmax(size_t classes, double *score);

/* score (classes) of one trial: intercept + weights x. */
void congru_linear_score(size_t features, const double *x, size_t classes, const double *weights,
                         const double *intercept, double *score);

/* CONGRU_ERROR_ARGUMENT unless there are trials, features and classes; CONGRU_ERROR_NOT_FINITE for NaN or infinity. */
congru_status congru_check_features(congru_context *context, size_t n, size_t features, const double *x);

/* A linear model as the tensors PREFIX.weights (classes, features) and PREFIX.intercept (classes). */
congru_status congru_linear_add(congru_context *context, congru_tensors *model, const char *prefix,
                                size_t classes, size_t features, double **weights, double **intercept);

/* Finds them, and gives probabilities of `n` trials. */
congru_status congru_linear_predict(congru_context *context, const congru_tensors *model, const char *prefix,
                                    size_t n, size_t features, const double *x, double *probability);

#endif
