/* One fold of a ridge: where its iteration is, and its steps. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/ridge_fold.h"

#include <math.h>
#include <string.h>

enum { MEMORY = CONGRU_RIDGE_MEMORY };

/* Of the objective, by which rounding may raise it. */
static const double rounding = 1e-12;

/* Added to the diagonal of the mixing's normal equations, of its trace. */
static const double mixing_ridge = 1e-12;

static size_t padded_classes(const congru_ridge_fold *fold)
{
    return (fold->classes + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
}

static size_t size_of(const congru_ridge_fold *fold)
{
    return fold->classes * fold->op->stride;
}

static double *intercepts(const congru_ridge_fold *fold, const congru_ridge_point *point)
{
    return point->score + size_of(fold);
}

static congru_ridge_point take_point(congru_arena *arena, const congru_ridge_fold *fold)
{
    congru_ridge_point point;
    point.dual = congru_arena_take(arena, fold->length, sizeof(double));
    point.score = congru_arena_take(arena, fold->length, sizeof(double));
    return point;
}

void congru_ridge_fold_layout(congru_arena *arena, congru_ridge_fold *fold)
{
    const size_t left = fold->left.count, stride = fold->op->stride;
    fold->length = size_of(fold) + padded_classes(fold);
    fold->left.inverse = congru_arena_take(arena, left * left, sizeof(double));
    fold->weight = congru_arena_take(arena, stride, sizeof(double));
    fold->ones = congru_arena_take(arena, stride, sizeof(double));
    fold->tail = congru_arena_take(arena, stride, sizeof(double));
    fold->u = congru_arena_take(arena, fold->classes * left, sizeof(double));
    fold->v = congru_arena_take(arena, fold->classes * left, sizeof(double));
    fold->tile = congru_arena_take(arena, fold->classes * CONGRU_PANEL, sizeof(double));
    fold->at = take_point(arena, fold);
    fold->step = take_point(arena, fold);
    fold->ahead = take_point(arena, fold);
    fold->last_ahead = take_point(arena, fold);
    fold->last_step = take_point(arena, fold);
    fold->mixed = congru_arena_take(arena, fold->length, sizeof(double));
    fold->last_mixed = congru_arena_take(arena, fold->length, sizeof(double));
    for (size_t m = 0; m < MEMORY; m++) {
        fold->change[m] = take_point(arena, fold);
        fold->turn[m] = congru_arena_take(arena, fold->length, sizeof(double));
        fold->turn_mixed[m] = congru_arena_take(arena, fold->length, sizeof(double));
    }
}

void congru_ridge_fold_begin(congru_ridge_fold *fold, double c)
{
    memset(fold->at.dual, 0, fold->length * sizeof(double));
    memset(fold->at.score, 0, fold->length * sizeof(double));
    fold->c_total = c;
    fold->held = 0;
    fold->evaluations = 0;
    fold->converged = false;
    fold->value = INFINITY;
}

/* ---- The residual ------------------------------------------------------------------------------------------ */

/* The objective; |W|^2 is the sum of A (F - b). */
static double evaluate(const congru_ridge_fold *fold, const double *label, double *r)
{
    const congru_kernel *kernel = fold->op->context->kernel;
    const size_t stride = fold->op->stride;
    double ridge = kernel->inner(size_of(fold), fold->at.dual, fold->at.score);
    for (size_t k = 0; k < fold->classes; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < fold->op->n; i++)
            sum += fold->at.dual[k * stride + i];
        ridge -= sum * intercepts(fold, &fold->at)[k];
    }
    return 0.5 * ridge + kernel->ridge_residual(fold->classes, stride, fold->at.score, fold->at.dual, label,
                                                fold->weight, fold->c_total, r);
}

/* Back to the point before, and the part of its step with which the objective cannot rise. */
static void shorten(congru_ridge_fold *fold)
{
    const double back = 1.0 - fmin(1.0, 2.0 / (double)fold->classes);
    for (size_t i = 0; i < fold->length; i++) {
        fold->at.dual[i] = fold->last_ahead.dual[i] - back * fold->last_step.dual[i];
        fold->at.score[i] = fold->last_ahead.score[i] - back * fold->last_step.score[i];
    }
    fold->held = 0;
}

void congru_ridge_fold_residual(congru_ridge_fold *fold, const double *label, double *r)
{
    double value = evaluate(fold, label, r);
    if (fold->evaluations > 0 && !(value <= fold->value + rounding * fabs(fold->value))) {
        shorten(fold);
        value = evaluate(fold, label, r);
    }
    fold->value = value;
    fold->evaluations++;
}

void congru_ridge_fold_take(congru_ridge_fold *fold, const double *r, size_t row, bool ones)
{
    const size_t left = fold->left.count, count = ones ? 1 : fold->classes, stride = fold->op->stride;
    if (left == 0)
        return;
    congru_ridge_take(fold->op, &fold->left, r, row, count, fold->tile, fold->v);
    for (size_t k = 0; k < count && !ones; k++)
        for (size_t s = 0; s < left; s++)
            fold->v[k * left + s] -= fold->at.dual[k * stride + fold->left.trial[s]];
    fold->op->context->kernel->dense(count, left, left, (congru_operand){fold->v, left, 1, true},
                                     fold->left.inverse, false, fold->u);
}

void congru_ridge_fold_ones(congru_ridge_fold *fold, const double *r, const double *product)
{
    const size_t stride = fold->op->stride;
    memcpy(fold->ones, product, stride * sizeof(double));
    memset(fold->tail, 0, stride * sizeof(double));
    for (size_t s = 0; s < fold->left.count; s++) {
        const size_t trial = fold->left.trial[s];
        fold->ones[trial] = 0.0;
        fold->tail[trial] = 1.0 - r[trial];
    }
    fold->ones_sum = 0.0;
    for (size_t i = 0; i < fold->op->n; i++)
        fold->ones_sum += fold->ones[i];
}

/* ---- The step ---------------------------------------------------------------------------------------------- */

/* The step of one class; returns the db. */
static double step_class(congru_ridge_fold *fold, const double *r, const double *product, size_t k)
{
    const size_t stride = fold->op->stride, first = k * stride;
    const double c = fold->op->c;
    double sum = 0.0;
    for (size_t i = 0; i < fold->op->n; i++)
        sum += fold->at.dual[first + i] - product[first + i];
    const double shift = sum / (c * fold->ones_sum);
    for (size_t i = 0; i < stride; i++) {
        const double dual = -product[first + i] - c * shift * fold->ones[i];
        fold->step.dual[first + i] = dual;
        fold->step.score[first + i] = -(r[first + i] + dual) / c + shift * fold->tail[i];
    }
    return shift;
}

static double squared_norm(const congru_ridge_fold *fold, const double *r)
{
    const size_t stride = fold->op->stride;
    double sum = fold->op->context->kernel->inner(size_of(fold), r, fold->step.score);
    for (size_t k = 0; k < fold->classes; k++)
        for (size_t s = 0; s < fold->left.count; s++) {
            const size_t at = k * stride + fold->left.trial[s];
            sum -= r[at] * fold->step.score[at];
        }
    return -sum;
}

/* Keeps the change from the last iteration to this, in place of the oldest. */
static void remember(congru_ridge_fold *fold)
{
    const congru_kernel *kernel = fold->op->context->kernel;
    const size_t size = size_of(fold), slot = fold->held < MEMORY ? fold->held : MEMORY - 1;
    if (fold->held == MEMORY) {
        const congru_ridge_point oldest = fold->change[0];
        double *turn = fold->turn[0], *turn_mixed = fold->turn_mixed[0];
        for (size_t m = 0; m + 1 < MEMORY; m++) {
            fold->change[m] = fold->change[m + 1];
            fold->turn[m] = fold->turn[m + 1];
            fold->turn_mixed[m] = fold->turn_mixed[m + 1];
            memmove(fold->gram[m], fold->gram[m + 1] + 1, (MEMORY - 1) * sizeof(double));
        }
        fold->change[slot] = oldest;
        fold->turn[slot] = turn;
        fold->turn_mixed[slot] = turn_mixed;
    } else {
        fold->held++;
    }
    for (size_t i = 0; i < fold->length; i++) {
        fold->change[slot].dual[i] = fold->ahead.dual[i] - fold->last_ahead.dual[i];
        fold->change[slot].score[i] = fold->ahead.score[i] - fold->last_ahead.score[i];
        fold->turn[slot][i] = fold->step.dual[i] - fold->last_step.dual[i];
        fold->turn_mixed[slot][i] = fold->mixed[i] - fold->last_mixed[i];
    }
    for (size_t m = 0; m < fold->held; m++)
        fold->gram[slot][m] = fold->gram[m][slot] = kernel->inner(size, fold->turn[slot], fold->turn_mixed[m]);
}

/* gamma = (gram + ridge)^-1 right by elimination; false where a pivot is not positive. */
static bool solve_mixing(const congru_ridge_fold *fold, double gamma[MEMORY])
{
    double a[MEMORY][MEMORY], trace = 0.0;
    const size_t held = fold->held;
    for (size_t i = 0; i < held; i++)
        trace += fold->gram[i][i];
    for (size_t i = 0; i < held; i++)
        for (size_t j = 0; j < held; j++)
            a[i][j] = fold->gram[i][j] + (i == j ? mixing_ridge * trace : 0.0);
    for (size_t k = 0; k < held; k++) {
        if (!(a[k][k] > 0.0))
            return false;
        for (size_t i = k + 1; i < held; i++) {
            const double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < held; j++)
                a[i][j] -= factor * a[k][j];
            gamma[i] -= factor * gamma[k];
        }
    }
    for (size_t k = held; k-- > 0;) {
        for (size_t j = k + 1; j < held; j++)
            gamma[k] -= a[k][j] * gamma[j];
        gamma[k] /= a[k][k];
    }
    return true;
}

/* at = ahead, less what the changes kept say the step will be short or long by. */
static void mix(congru_ridge_fold *fold)
{
    const congru_kernel *kernel = fold->op->context->kernel;
    double gamma[MEMORY] = {0};
    for (size_t m = 0; m < fold->held; m++)
        gamma[m] = kernel->inner(size_of(fold), fold->turn[m], fold->mixed);
    if (!solve_mixing(fold, gamma))
        fold->held = 0;
    memcpy(fold->at.dual, fold->ahead.dual, fold->length * sizeof(double));
    memcpy(fold->at.score, fold->ahead.score, fold->length * sizeof(double));
    for (size_t m = 0; m < fold->held; m++)
        for (size_t i = 0; i < fold->length; i++) {
            fold->at.dual[i] -= gamma[m] * fold->change[m].dual[i];
            fold->at.score[i] -= gamma[m] * fold->change[m].score[i];
        }
}

static void swap_points(congru_ridge_point *a, congru_ridge_point *b)
{
    const congru_ridge_point kept = *a;
    *a = *b;
    *b = kept;
}

void congru_ridge_fold_step(congru_ridge_fold *fold, const double *r, const double *product, double tolerance)
{
    const size_t size = size_of(fold);
    memset(fold->step.dual + size, 0, (fold->length - size) * sizeof(double));
    memset(fold->step.score + size, 0, (fold->length - size) * sizeof(double));
    for (size_t k = 0; k < fold->classes; k++)
        intercepts(fold, &fold->step)[k] = step_class(fold, r, product, k);
    const double squares = squared_norm(fold, r);
    fold->norm = squares > 0.0 ? sqrt(squares) : 0.0;
    for (size_t i = 0; i < fold->length; i++) {
        fold->ahead.dual[i] = fold->at.dual[i] + fold->step.dual[i];
        fold->ahead.score[i] = fold->at.score[i] + fold->step.score[i];
        fold->mixed[i] = fold->step.dual[i] + fold->op->c * fold->step.score[i];
    }
    if (fold->evaluations > 1)
        remember(fold);
    fold->converged = fold->norm <= tolerance;
    if (fold->converged)
        fold->held = 0;
    mix(fold);
    swap_points(&fold->ahead, &fold->last_ahead);
    swap_points(&fold->step, &fold->last_step);
    double *kept = fold->mixed;
    fold->mixed = fold->last_mixed;
    fold->last_mixed = kept;
}
