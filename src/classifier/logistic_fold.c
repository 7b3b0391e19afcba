/* One fold of logistic regression: where its iteration is, and its steps. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/logistic_fold.h"

#include <math.h>
#include <string.h>

/* A direction is followed to where the objective falls, or rises, by no more than this share of how it fell at first. */
static const double flat = 0.1;

enum { TRIES = 40 };

void congru_logistic_fold_layout(congru_arena *arena, congru_logistic_fold *fold)
{
    double **const scores[] = {&fold->score, &fold->along, &fold->slope},
                   **const own[] = {&fold->own, &fold->own_along, &fold->residual};
    fold->size = fold->classes * fold->op->stride;
    fold->length = fold->classes * fold->op->length;
    fold->weight = congru_arena_take(arena, fold->op->stride, sizeof(double));
    for (size_t a = 0; a < sizeof scores / sizeof scores[0]; a++)
        *scores[a] = congru_arena_take(arena, fold->size, sizeof(double));
    for (size_t a = 0; a < sizeof own / sizeof own[0]; a++)
        *own[a] = congru_arena_take(arena, fold->length, sizeof(double));
}

/* The product of a derivative, by own numbers, and a direction. */
static double together(const congru_logistic_fold *fold, const double *derivative, const double *own,
                       const double *score)
{
    return fold->op->context->kernel->inner(fold->length, derivative, fold->op->dual ? score : own);
}

/* How fast the cross-entropies rise along the direction where the fold is, and how fast that changes; slope. */
static double look(congru_logistic_fold *fold, const double *label, double *bends)
{
    return fold->op->context->kernel->class_line(fold->classes, fold->op->stride, fold->score, fold->along,
                                                 label, fold->weight, fold->slope, bends);
}

void congru_logistic_fold_begin(congru_logistic_fold *fold, double c, const double *label)
{
    const size_t stride = fold->op->stride;
    double bends;
    fold->c = c;
    fold->products = 0;
    fold->converged = fold->failed = false;
    fold->moved = INFINITY;
    memset(fold->own, 0, fold->length * sizeof(double));
    memset(fold->own_along, 0, fold->length * sizeof(double));
    memset(fold->along, 0, fold->size * sizeof(double));
    for (size_t k = 0; k < fold->classes; k++) {
        bool any = false;
        for (size_t i = 0; i < stride && !any; i++)
            any = fold->weight[i] > 0.0 && label[i] == (double)k;
        for (size_t i = 0; i < stride; i++)
            fold->score[k * stride + i] = any ? 0.0 : CONGRU_LOGISTIC_ABSENT;
    }
    look(fold, label, &bends);
}

/* The square of the direction's weights: intercepts, behind those that are not dual, do not count. */
static double square(const congru_logistic_fold *fold)
{
    double sum = together(fold, fold->own_along, fold->own_along, fold->along);
    for (size_t k = 0; k < fold->classes && !fold->op->dual; k++) {
        const double intercept = fold->own_along[k * fold->op->length + fold->op->features];
        sum -= intercept * intercept;
    }
    return sum;
}

/* Moves along the direction, down which the objective falls as `first` says, to where it nearly no longer does: by Newton's
 * method between where it is known to fall and to rise, for it is convex. */
static void move(congru_logistic_fold *fold, const double *label, double first, bool whole)
{
    const double squares = square(fold);
    double bends, at = 0.0, falls = first, low = 0.0, high = INFINITY;
    const double begun = look(fold, label, &bends);
    for (int i = 0; i < TRIES && fabs(falls) > flat * first; i++) {
        double to = whole ? 1.0 : at + falls / (squares + fmax(bends, 0.0));
        if (!whole && !(to > low && to < high))
            to = isfinite(high) ? 0.5 * (low + high) : 4.0 * low;
        for (size_t j = 0; j < fold->size; j++)
            fold->score[j] += (to - at) * fold->along[j];
        at = to;
        falls = first - at * squares - (look(fold, label, &bends) - begun);
        *(falls > 0.0 ? &low : &high) = at;
        if (whole)
            break;
    }
    for (size_t j = 0; j < fold->length; j++)
        fold->own[j] += at * fold->own_along[j];
    fold->moved = sqrt(at * first);
}

void congru_logistic_fold_step(congru_logistic_fold *fold, const double *label, const double *residual,
                               const double *own, const double *score, double tolerance)
{
    const double squares = together(fold, residual, own, score), before = fold->moved;
    fold->failed = !(squares < INFINITY);
    fold->converged = squares <= 0.0; /* the derivative is 0, to rounding */
    if (fold->failed || fold->converged)
        return;
    /* Dual numbers of trials that depend on each other are open but for their sum, and grow by the part of a step that is beyond
     * 1, until a direction drowns in rounding; a whole step takes them back. */
    const bool stuck = before <= 0.0;
    double turn = 0.0;
    if (fold->products++ > 0) {
        turn = fmax((squares - together(fold, fold->residual, own, score)) / fold->squares, 0.0);
        if (stuck || squares + turn * together(fold, residual, fold->own_along, fold->along) < flat * squares)
            turn = 0.0;
    }
    fold->squares = squares;
    memcpy(fold->residual, residual, fold->length * sizeof(double));
    for (size_t j = 0; j < fold->length; j++)
        fold->own_along[j] = own[j] + turn * fold->own_along[j];
    for (size_t j = 0; j < fold->size; j++)
        fold->along[j] = score[j] + turn * fold->along[j];
    move(fold, label, together(fold, residual, fold->own_along, fold->along), stuck);
    fold->failed = !isfinite(fold->moved);
    /* A whole step is as long as the derivative in the metric of P; one along a direction that drowned says nothing. */
    fold->converged = fold->moved <= tolerance && (stuck || (before <= tolerance && fold->moved > 0.0));
}
