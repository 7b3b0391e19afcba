/* One fold of a ridge: where its iteration is, and its steps. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_RIDGE_FOLD_H
#define CONGRU_CLASSIFIER_RIDGE_FOLD_H

#include <stdint.h>

#include "classifier/ridge_operator.h"

/* Minimises C times the sum of cross-entropies + 1/2 |W|^2 over the trials S that the fold uses. At the minimum W = A X with
 * dual numbers A (classes, trials) = -C (probability - whether of the class), 0 at the trials left out; scores are
 * F = A X X^T + b. Newton's step with the second derivative c = C / classes for every trial, which is that where all
 * classes are equally likely, is one product with M of congru_ridge_operator:
 *
 *     dA = -M_S R - c db (M_S 1), dF = -(R + dA) / c on S, R = A + C (probability - whether of the class),
 *
 * with the db that makes the sum of A zero. Trials left out get their scores in passing. Steps are combined with those
 * before (Anderson mixing, in the metric of M^-1); where the objective rises the step before is shortened by Boehning's
 * bound on the second derivative, 1/2, with which it cannot rise. */
enum { CONGRU_RIDGE_MEMORY = 4 };

/* A point: the dual numbers (classes, stride), and the scores followed by the intercepts. */
typedef struct congru_ridge_point {
    double *dual, *score; /* (length) each, aligned */
} congru_ridge_point;

typedef struct congru_ridge_fold {
    const congru_ridge_operator *op;
    size_t classes;
    size_t length;  /* of dual and score: classes * stride and room for the intercepts */
    double c_total; /* C */
    congru_ridge_left left;
    double *weight; /* (stride), 1 for the trials that are used */
    double *ones;   /* (stride), M_S 1 */
    double *tail;   /* (stride), what db adds to the scores: 0 on S */
    double ones_sum;
    double *u, *v; /* (classes, left.count) */
    double *tile;  /* (classes, CONGRU_PANEL) */
    congru_ridge_point at, step, ahead, last_ahead, last_step;
    double *last_mixed, *mixed;                     /* (length): step.dual + c step.score */
    congru_ridge_point change[CONGRU_RIDGE_MEMORY]; /* of `ahead` = at + step, from one iteration to the next */
    double *turn[CONGRU_RIDGE_MEMORY], *turn_mixed[CONGRU_RIDGE_MEMORY]; /* of step.dual and `mixed` */
    double gram[CONGRU_RIDGE_MEMORY][CONGRU_RIDGE_MEMORY];               /* of the turns */
    size_t held;                                                         /* changes kept */
    double value, norm;
    int evaluations;
    bool converged;
} congru_ridge_fold;

/* Places all arrays of the fold in an arena: run twice, to measure and to place. left.count is set before. */
void congru_ridge_fold_layout(congru_arena *arena, congru_ridge_fold *fold);

/* Begins at zero, for this C. */
void congru_ridge_fold_begin(congru_ridge_fold *fold, double c);

/* M_S 1 from its product: r (stride) the ones less what `put` took, product (stride) = r M. */
void congru_ridge_fold_ones(congru_ridge_fold *fold, const double *r, const double *product);

/* An iteration: r (classes, stride) = the residuals where the fold is; u, to be put, so that A + dA is 0 at trials left out
 * (in `take`); and the step itself from r, as put left it, and product = r M. Ends with `converged` at the norm `tolerance`
 * of the derivative in the variables of congru_logistic. label (stride). */
void congru_ridge_fold_residual(congru_ridge_fold *fold, const double *label, double *r);
void congru_ridge_fold_take(congru_ridge_fold *fold, const double *r, size_t row, bool ones);
void congru_ridge_fold_step(congru_ridge_fold *fold, const double *r, const double *product, double tolerance);

#endif
