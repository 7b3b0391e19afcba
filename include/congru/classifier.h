/* What classifiers are made of: discriminant analysis, logistic regression, spatial filters. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PUBLIC_CLASSIFIER_H
#define CONGRU_PUBLIC_CLASSIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "congru/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Those that pipelines are made of, "mdm", "tslr", ..., in the order help lists them, and the end-to-end models "dct-e2e", ...;
 * NULL after the last. */
CONGRU_API const char *congru_classifier_name(size_t index);
CONGRU_API const char *congru_classifier_summary(size_t index);

/* Conventions
 *
 * Features are x (n, features), one row for each trial; labels 0 to classes - 1. A linear classifier is weights
 * (classes, features) and intercept (classes). A class without a trial gets probability 0;
 * a label that is no class, and fewer than two classes with trials, are CONGRU_ERROR_ARGUMENT, NaN or infinity is
 * CONGRU_ERROR_NOT_FINITE. */

/* probability (n, classes) = softmax(intercept + weights x). */
CONGRU_API congru_status congru_linear_probability(congru_context *context, size_t n, size_t features,
                                                   const double *x, size_t classes, const double *weights,
                                                   const double *intercept, double *probability);

/* ---- Logistic regression ----------------------------------------------------------------------- */

typedef struct congru_logistic_options {
    double c;               /* 0: chosen by leaving out one subject at a time, from 1e-4 to 10 */
    const int32_t *subject; /* (n), 0 to subjects - 1; needed when c is 0 */
    size_t subjects;
    double tolerance;   /* 0: 1e-7, see below */
    int iterations_max; /* products with the features, there and back; 0: 1000 */
} congru_logistic_options;

typedef struct congru_logistic_info {
    int evaluations;      /* products with the features */
    double gradient_norm; /* where it stopped */
    bool converged;
    double c; /* given or chosen */
} congru_logistic_info;

/* Minimises c times the sum of the cross-entropies + 1/2 |weights|^2, intercepts not penalised: scikit-learn's
 * LogisticRegression(C=c). As there, two classes have one vector of weights (row 1; row 0 is zero), more have one
 * each. `options` NULL: c = 1; `info` may be NULL. It ends behind two steps that are no longer than the tolerance in the metric of
 * the second derivative, over the root of c where that is more than 1. */
CONGRU_API congru_status congru_logistic_fit(congru_context *context, size_t n, size_t features,
                                             const double *x, const int32_t *label, size_t classes,
                                             const congru_logistic_options *options, double *weights,
                                             double *intercept, congru_logistic_info *info);

/* ---- Logistic regression of many folds --------------------------------------------------------- */

/* Which trials each fold is fitted on, and each C they are all fitted with. */
typedef struct congru_logistic_folds_options {
    size_t folds;
    const bool *used; /* (folds, n) */
    size_t count;     /* of C */
    const double *c;  /* (count), positive */
    double tolerance; /* these two as in congru_logistic_options */
    int iterations_max;
} congru_logistic_folds_options;

/* What is wanted of them; each may be NULL. `left` counts the trials that a fold does not use. */
typedef struct congru_logistic_folds_results {
    double *weights;   /* (count, folds, classes, features) */
    double *intercept; /* (count, folds, classes) */
    double *
        log_probability; /* (count) times, fold by fold, (left, classes): of the trials left out, in their order */
    int *iterations;     /* (count, folds) */
} congru_logistic_folds_results;

/* Minimises what congru_logistic_fit does, for many folds over one matrix of features at once: every class has a vector of
 * weights, two classes too, for which it is congru_logistic_fit with twice the C. The numbers of a fold do not depend on
 * the others, and a feature may have any mean. A fold that uses trials of fewer than two classes is
 * CONGRU_ERROR_ARGUMENT. A matrix of (n, n) is kept, or of (features, features) where that is less, two for several C. */
CONGRU_API congru_status congru_logistic_folds(congru_context *context, size_t n, size_t features,
                                               const double *x, const int32_t *label, size_t classes,
                                               const congru_logistic_folds_options *options,
                                               const congru_logistic_folds_results *results);

/* Makes all classes equally frequent over the n trials of one subject: log_probability (n, classes), in place, doubled and
 * then normalised by class and by trial in turn, so that each trial's exponentials add up to 1. It looks at all trials at
 * once (transductive) and assumes balanced classes. After 50 rounds very sure trials may still outweigh an equal share. A class whose log-probabilities are all -1e29 or less stays out. */
CONGRU_API congru_status congru_balance_classes(congru_context *context, size_t n, size_t classes,
                                                double *log_probability);

/* ---- Linear discriminant analysis -------------------------------------------------------------- */

/* Gaussian classes with one covariance, which is shrunk after Ledoit and Wolf: scikit-learn's
 * LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto'). Where even that is singular (each class has one trial,
 * say), it is regularised further, with a note. */
CONGRU_API congru_status congru_lda_fit(congru_context *context, size_t n, size_t features, const double *x,
                                        const int32_t *label, size_t classes, double *weights,
                                        double *intercept);

/* Fisher's discriminant directions v (classes - 1, features): those with the largest ratio of the scatter between
 * classes to that within, v^T S_B v / v^T S_W v, in descending order; ratio (classes - 1) may be NULL. v^T S_W v = 1
 * and the largest component is positive. Directions past the rank of S_B are zero, their ratio too. Where S_W is
 * singular, as it is when features outnumber trials, the shrunk covariance of congru_lda_fit takes its place, with a
 * note. */
CONGRU_API congru_status congru_lda_directions(congru_context *context, size_t n, size_t features,
                                               const double *x, const int32_t *label, size_t classes,
                                               double *directions, double *ratio);

/* ---- Common spatial patterns ------------------------------------------------------------------- */

/* Spatial filters of each class against the rest: the ends of the spectrum of the mean covariance of the class
 * relative to that of all other trials, each trial's covariance divided by its trace. Filters come in blocks, one for
 * each class that has a trial, in the order of the classes; for two such classes there is one block, since that of the
 * other class would be the same filters backwards. A block is the `per_end` filters with the largest ratio of
 * variances, in descending order, and the `per_end` with the smallest; all d when 2 per_end is more.
 *
 * How many blocks there are for `classes` classes with trials, and how many filters each has. */
CONGRU_API size_t congru_csp_blocks(size_t classes);
CONGRU_API size_t congru_csp_block_size(size_t d, size_t per_end);

/* filters (congru_csp_blocks(classes), congru_csp_block_size(d, per_end), d), w^T B w = 1 with B that of the rest and
 * the largest component positive. *blocks is how many were made: fewer when classes have no trial. */
CONGRU_API congru_status congru_csp_filters(congru_context *context, size_t n, size_t d, const double *c,
                                            const int32_t *label, size_t classes, size_t per_end,
                                            double *filters, size_t *blocks);

/* Features of trials by their covariances, out (n, blocks, size): the logarithm of each filter's variance over the sum
 * of those of its block. */
CONGRU_API congru_status congru_csp_features(congru_context *context, size_t n, size_t d, const double *c,
                                             size_t blocks, size_t size, const double *filters, double *out);

#ifdef __cplusplus
}
#endif
#endif
