/* Logistic regression of many folds over one matrix of features. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_LOGISTIC_H
#define CONGRU_CLASSIFIER_LOGISTIC_H

#include "congru/classifier.h"

/* Labelled trials. */
typedef struct congru_logistic_set {
    size_t n, features, classes;
    const double *x;        /* (n, features) */
    const int32_t *label;   /* (n) */
    const int32_t *subject; /* (n); where C is chosen */
    size_t subjects;
} congru_logistic_set;

/* Fits all trials with C, or where it is 0 with the one of a grid that does best on subjects left out in turn: weights (classes,
 * features), intercept (classes), info. Every class has a vector of weights; with `pairs` two classes have one between them, as
 * in congru_logistic_fit. */
congru_status congru_logistic_train(congru_context *context, const congru_logistic_set *set,
                                    const congru_logistic_options *options, bool pairs, double *weights,
                                    double *intercept, congru_logistic_info *info);

#endif
