/* The inverse that all folds of a ridge share, and what leaving trials out makes of it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_RIDGE_OPERATOR_H
#define CONGRU_CLASSIFIER_RIDGE_OPERATOR_H

#include "classifier/panels.h"

/* M = (I + c X X^T)^-1 for features X (n, features), symmetric. Rows over trials, (n) padded with zeros to `stride`, are
 * multiplied by it. Where features outnumber half the trials M itself is kept (n, n); otherwise M = I - c X Q^T with
 * Q = X (I + c X^T X)^-1, which is less.
 *
 * Without the trials T of a fold, (I + c X_S X_S^T)^-1 r is M (r - E_T u) with the u that makes it 0 at T:
 * M_TT u = (M r)_T. So a fold costs a small matrix of its own, M_TT^-1. */
typedef struct congru_ridge_operator {
    congru_context *context;
    size_t n, features, stride, inner; /* inner: features padded to panels */
    bool whole;                        /* M itself is kept */
    double c;
    const double *x;       /* (n, features), the caller's */
    congru_panels gram;    /* (n, n) X X^T, or (features, features) X^T X */
    congru_panels inverse; /* M, or (I + c X^T X)^-1; gram itself where there is one c */
    congru_panels left;    /* X (n, features); not where M is kept and no weights are wanted */
    congru_panels right;   /* not whole: Q^T (features, n) */
    double *middle;        /* not whole: (rows_max, inner) */
    double *work;
    void *memory[8]; /* what congru_ridge_operator_free gives back */
    size_t pieces;
} congru_ridge_operator;

/* The trials that a fold leaves out, ascending. */
typedef struct congru_ridge_left {
    size_t count;
    const size_t *trial;
    double *inverse; /* (count, count), M_TT^-1 */
} congru_ridge_left;

/* What will be asked of it. */
typedef struct congru_ridge_plan {
    bool several;    /* more than one c is set */
    bool weights;    /* congru_ridge_weights is called */
    size_t rows_max; /* multiplied together */
} congru_ridge_plan;

/* Takes memory and makes the Gram matrix. Freed by congru_ridge_operator_free, also after a failure. */
congru_status congru_ridge_operator_make(congru_context *context, size_t n, size_t features, const double *x,
                                         const congru_ridge_plan *plan, congru_ridge_operator *op);
void congru_ridge_operator_free(congru_ridge_operator *op);

/* Makes M for a c. CONGRU_ERROR_NOT_FINITE where it cannot be inverted in double precision. */
congru_status congru_ridge_operator_set(congru_ridge_operator *op, double c);

/* left->inverse, from M; called from tasks too. False as above. work: congru_ridge_left_work(op, count) doubles, aligned. */
size_t congru_ridge_left_work(const congru_ridge_operator *op, size_t count);
bool congru_ridge_operator_leave(const congru_ridge_operator *op, const congru_ridge_left *left, double *work);

/* out = r M for rows (rows, stride), in steps, so that folds come between: `begin`; then, for each fold, from tasks,
 * `take` gives v (count, left->count) = (r M)_T of its `count` rows from `row` on, and `put` subtracts u there; `end`.
 * work: (count, CONGRU_PANEL). */
void congru_ridge_begin(congru_ridge_operator *op, size_t rows, const double *r);
void congru_ridge_take(const congru_ridge_operator *op, const congru_ridge_left *left, const double *r,
                       size_t row, size_t count, double *work, double *v);
void congru_ridge_put(congru_ridge_operator *op, const congru_ridge_left *left, const double *u, size_t row,
                      size_t count, double *r);
void congru_ridge_end(congru_ridge_operator *op, size_t rows, const double *r, double *out);

/* out (rows, inner) = r X. */
void congru_ridge_weights(congru_ridge_operator *op, size_t rows, const double *r, double *out);

#endif
