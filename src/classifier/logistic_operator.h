/* What the folds of logistic regression share: their features, and the inverse that makes their problems nearly round. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_LOGISTIC_OPERATOR_H
#define CONGRU_CLASSIFIER_LOGISTIC_OPERATOR_H

#include "classifier/panels.h"

/* For features X (n, features) less their means, weights W (rows, features) and scores F = W X^T + b: P, the second derivative of
 * 1/2 |W|^2 + 1/2 c |F|^2 by W and b, and its inverse. Where features outnumber half the trials W is A X, with dual numbers A
 * (rows, n) that add up to 0, and (I + c X X^T)^-1 is kept; otherwise W itself and (I + c X^T X)^-1, which is less. `own` below
 * is A, or W and then b: rows of `length`, zeros behind; rows over trials have `stride`, likewise. The product of a derivative by
 * the own numbers with a direction's is that with its scores where they are dual. */
typedef struct congru_logistic_operator {
    congru_context *context;
    size_t n, features, stride, inner, length; /* stride and inner: trials and features padded to panels */
    bool dual;
    double c;
    double square;         /* of a trial, in the mean */
    double *mean;          /* (features) */
    congru_panels x;       /* (features, n), X^T */
    congru_panels gram;    /* (n, n) X X^T, or (features, features) X^T X */
    congru_panels inverse; /* gram itself where there is one c */
    double *middle;        /* (rows_max, the longer of inner and length) */
    double *work;
    congru_arena arena;
} congru_logistic_operator;

/* The shape of `own`, known before the operator is made. */
void congru_logistic_operator_shape(size_t n, size_t features, congru_logistic_operator *op);

/* Takes memory and makes the Gram matrix; `several`: more than one c is set. Freed by congru_logistic_operator_free, also after
 * a failure. */
congru_status congru_logistic_operator_make(congru_context *context, size_t n, size_t features, const double *x,
                                            bool several, size_t rows_max, congru_logistic_operator *op);
void congru_logistic_operator_free(congru_logistic_operator *op);

/* Makes the inverse for a c. CONGRU_ERROR_NOT_FINITE where there is none in double precision. */
congru_status congru_logistic_operator_set(congru_logistic_operator *op, double c);

/* r (rows, length) = less the derivative of 1/2 |W|^2 and of a function whose derivative by the scores is slope (rows, stride). */
void congru_logistic_operator_descend(congru_logistic_operator *op, size_t rows, const double *slope,
                                      const double *own, double *r);

/* own (rows, length) = P^-1 r; score (rows, stride) as well where own is dual. */
void congru_logistic_operator_solve(congru_logistic_operator *op, size_t rows, const double *r, double *own,
                                    double *score);

/* The scores of own, where it is not dual. */
void congru_logistic_operator_scores(congru_logistic_operator *op, size_t rows, const double *own,
                                     double *score);

/* out (rows, inner) = r X of rows over trials. */
void congru_logistic_operator_gather(congru_logistic_operator *op, size_t rows, const double *r, double *out);

#endif
