/* One fold of logistic regression: where its iteration is, and its steps. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_LOGISTIC_FOLD_H
#define CONGRU_CLASSIFIER_LOGISTIC_FOLD_H

#include <stdint.h>

#include "classifier/logistic_operator.h"

/* Minimises C times the sum of cross-entropies + 1/2 |W|^2 over the trials that the fold uses, by conjugate gradients after Polak
 * and Ribiere (1969) in the variables that P of congru_logistic_operator makes round. A point and a direction are pairs of own
 * numbers and scores, so that the search along a direction needs no product with the features: what a direction needs is one,
 * there and back. */
typedef struct congru_logistic_fold {
    const congru_logistic_operator *op;
    size_t classes, size, length; /* of scores, classes * stride; of own, classes * op->length */
    double c;                     /* C */
    double *weight;               /* (stride), C for the trials that are used, else 0 */
    double *own, *score;          /* the point */
    double *own_along, *along;    /* the last direction */
    double *residual;             /* less the derivative by own numbers where that began */
    double *slope;                /* (classes, stride), the derivative by scores */
    double squares;               /* of the last residual, by P^-1 */
    double moved;                 /* the length of the last step, by the second derivative */
    int products;
    bool converged, failed;
} congru_logistic_fold;

/* Places all arrays of the fold in an arena: run twice, to measure and to place. */
void congru_logistic_fold_layout(congru_arena *arena, congru_logistic_fold *fold);

/* Begins at zero, for this C and the trials with a weight, which is C. label (stride). A class the fold has no trial of is out of it: its
 * scores are CONGRU_LOGISTIC_ABSENT. */
#define CONGRU_LOGISTIC_ABSENT (-1e30)
void congru_logistic_fold_begin(congru_logistic_fold *fold, double c, const double *label);

/* Goes on from the residual that congru_logistic_operator_descend makes of the fold's slope and own numbers, and the direction
 * that congru_logistic_operator_solve makes of that. Ends with `converged` behind two steps no longer than `tolerance`. */
void congru_logistic_fold_step(congru_logistic_fold *fold, const double *label, const double *residual,
                               const double *own, const double *score, double tolerance);

#endif
