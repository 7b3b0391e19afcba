/* Multinomial logistic regression with a ridge, by L-BFGS. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/logistic.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "classifier/dense_factor.h"
#include "classifier/feature_blocks.h"
#include "spd/batch.h"

enum { SIDE = CONGRU_LOGISTIC_BLOCK };

static size_t stride_of(const congru_logistic *p)
{
    return congru_dense_stride(p->features);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void congru_logistic_layout(congru_arena *arena, const congru_context *context, size_t n, size_t features,
                            size_t present, congru_logistic *p)
{
    p->n = n;
    p->features = features;
    p->reference = present == 2;
    p->rows = p->reference ? 1 : present;
    p->blocks = congru_feature_block_count(n);
    const size_t stride = stride_of(p), workers = (size_t)congru_team_threads(context->team);
    p->x = congru_arena_take(arena, p->blocks * features * SIDE, sizeof(double));
    p->label = congru_arena_take(arena, p->blocks * SIDE, sizeof(double));
    p->weight = congru_arena_take(arena, p->blocks * SIDE, sizeof(double));
    p->gram = congru_arena_take(arena, features * stride, sizeof(double));
    p->factor = congru_arena_take(arena, features * stride, sizeof(double));
    p->w = congru_arena_take(arena, p->rows * stride, sizeof(double));
    p->plain = congru_arena_take(arena, p->rows * features, sizeof(double));
    p->gradient = congru_arena_take(arena, p->rows * stride, sizeof(double));
    p->part = congru_arena_take(arena, p->blocks * p->rows * features, sizeof(double));
    p->loss = congru_arena_take(arena, p->blocks, sizeof(double));
    p->scratch = congru_arena_take(
        arena,
        larger(larger((features + CONGRU_GROUP) * CONGRU_GROUP, features * features), workers * p->rows * SIDE),
        sizeof(double));
}

void congru_logistic_load(congru_context *context, const double *x, const int32_t *label,
                          const congru_class_table *table, congru_logistic *p)
{
    const size_t stride = stride_of(p);
    congru_feature_blocks_fill(p->n, p->features - 1, x, &(congru_feature_change){.ones = 1}, p->x);
    memset(p->label, 0, p->blocks * SIDE * sizeof(double));
    memset(p->weight, 0, p->blocks * SIDE * sizeof(double));
    for (size_t k = 0, row = 0; k < table->classes; k++) {
        for (size_t i = 0; i < p->n; i++)
            if ((size_t)label[i] == k)
                p->label[i] = (double)row - (p->reference ? 1.0 : 0.0);
        row += table->count[k] > 0;
    }
    memset(p->gram, 0, p->features * stride * sizeof(double));
    congru_feature_blocks_gram(context->kernel, p->blocks, p->features, p->x, 1.0, p->scratch, p->gram);
}

void congru_logistic_weigh(double c, const int32_t *subject, int32_t without, congru_logistic *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->weight[i] = without >= 0 && subject[i] == without ? 0.0 : c;
}

void congru_logistic_precondition(congru_context *context, double c, congru_logistic *p)
{
    /* The largest eigenvalue of diag(q) - q q^T is 1/2; of q (1 - q) the largest value is 1/4. Near the middle of what
     * the iteration meets is better than the bound itself. */
    const double h = p->reference ? 0.25 : 1.0 / (double)p->rows;
    const size_t stride = stride_of(p), count = p->features * stride;
    for (size_t i = 0; i < count; i++)
        p->factor[i] = h * c * p->gram[i];
    for (size_t i = 0; i + 1 < p->features; i++)
        p->factor[i * (stride + 1)] += 1.0;
    congru_dense_factor(context->kernel, p->features, p->factor, p->scratch);
}

typedef struct evaluation {
    congru_context *context;
    congru_logistic *problem;
} evaluation;

static void evaluate_block(void *user, size_t block, int worker)
{
    const evaluation *e = user;
    congru_logistic *p = e->problem;
    const size_t size = p->rows * p->features;
    const congru_logistic_block job = {p->features,
                                       p->rows,
                                       p->reference,
                                       p->x + block * p->features * SIDE,
                                       p->label + block * SIDE,
                                       p->weight + block * SIDE};
    memset(p->part + block * size, 0, size * sizeof(double));
    p->loss[block] = e->context->kernel->logistic(&job, p->plain, p->scratch + (size_t)worker * p->rows * SIDE,
                                                  p->part + block * size);
}

double congru_logistic_evaluate(congru_context *context, congru_logistic *p, const double *w)
{
    const size_t stride = stride_of(p), features = p->features;
    evaluation e = {context, p};
    for (size_t r = 0; r < p->rows; r++)
        memcpy(p->plain + r * features, w + r * stride, features * sizeof(double));
    congru_team_run(context->team, p->blocks, evaluate_block, &e);
    double value = 0.0, ridge = 0.0;
    memset(p->gradient, 0, p->rows * stride * sizeof(double));
    for (size_t block = 0; block < p->blocks; block++) {
        value += p->loss[block];
        for (size_t r = 0; r < p->rows; r++)
            for (size_t j = 0; j < features; j++)
                p->gradient[r * stride + j] += p->part[(block * p->rows + r) * features + j];
    }
    for (size_t r = 0; r < p->rows; r++) {
        for (size_t j = 0; j + 1 < features; j++) {
            p->gradient[r * stride + j] += w[r * stride + j];
            ridge += w[r * stride + j] * w[r * stride + j];
        }
    }
    return value + 0.5 * ridge;
}

/* ---- The iteration ----------------------------------------------------------------------------- */

/* What liblbfgs' calls back see. Its variables are V over `scale`. */
typedef struct descent {
    congru_context *context;
    congru_logistic *problem;
    congru_logistic_stop stop;
    double scale;
    double norm, share; /* of the gradient where it last was evaluated: by W, and by V over the first */
    int evaluations;
    double value;          /* at the last point accepted */
    double *place, *slope; /* (rows, stride), that point and the derivative there */
    double *start;         /* (rows, stride), the derivative by V where it began */
    double start_value;
} descent;

static double norm_of(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* The value at W, with p->gradient turned to the derivative by V. */
static double evaluate_here(descent *d, const double *w)
{
    congru_logistic *p = d->problem;
    const size_t size = p->rows * stride_of(p);
    double value = congru_logistic_evaluate(d->context, p, w);
    d->norm = norm_of(size, p->gradient);
    congru_dense_solve_transposed(d->context->kernel, p->features, p->factor, p->rows, p->gradient, p->scratch);
    d->evaluations++;
    return value;
}

static lbfgsfloatval_t at_trial(void *user, const lbfgsfloatval_t *v, lbfgsfloatval_t *g, const int n,
                                const lbfgsfloatval_t step)
{
    descent *d = user;
    congru_logistic *p = d->problem;
    const size_t size = (size_t)n;
    (void)step;
    if (d->evaluations == 1) { /* the place it begins, which has been evaluated */
        memcpy(g, d->start, size * sizeof(double));
        d->evaluations++;
        return d->start_value;
    }
    for (size_t i = 0; i < size; i++)
        p->w[i] = d->scale * v[i];
    congru_dense_solve(d->context->kernel, p->features, p->factor, p->rows, p->w, p->scratch);
    double value = evaluate_here(d, p->w), change = 0.0;
    d->share = norm_of(size, p->gradient) / d->scale;
    for (size_t i = 0; i < size; i++) {
        g[i] = d->scale * p->gradient[i];
        change += 0.5 * (g[i] + d->slope[i]) * (v[i] - d->place[i]);
    }
    /* Near the minimum the value changes by less than its rounding, while the derivatives at both ends still tell by
     * how much. */
    return fabs(change) < 1e-9 * fabs(value) ? d->value + change : value;
}

static int at_accepted(void *user, const lbfgsfloatval_t *v, const lbfgsfloatval_t *g,
                       const lbfgsfloatval_t value, const lbfgsfloatval_t v_norm, const lbfgsfloatval_t g_norm,
                       const lbfgsfloatval_t step, int n, int iteration, int trials)
{
    descent *d = user;
    (void)v_norm, (void)g_norm, (void)step, (void)iteration, (void)trials;
    memcpy(d->place, v, (size_t)n * sizeof(double));
    memcpy(d->slope, g, (size_t)n * sizeof(double));
    d->value = value;
    return d->norm <= d->stop.gradient || d->share <= d->stop.share;
}

static congru_status run(congru_context *context, descent *d, double *v)
{
    congru_logistic *p = d->problem;
    const size_t size = p->rows * stride_of(p);
    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    parameters.m = 8;
    parameters.epsilon = 0.0;
    parameters.max_iterations = d->stop.iterations_max;
    parameters.gtol = 0.9;
    parameters.xtol = 1e-16;
    int code = lbfgs((int)size, v, NULL, at_trial, at_accepted, d, &parameters);
    if (code == LBFGSERR_OUTOFMEMORY)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for logistic regression of %zu weights",
                           size);
    if (d->norm <= d->stop.gradient || d->share <= d->stop.share)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_NOT_CONVERGED,
        "logistic regression stopped at a gradient of norm %.3g, short of %.3g (liblbfgs says %d)", d->norm,
        d->stop.gradient, code);
}

congru_status congru_logistic_minimise(congru_context *context, congru_logistic *p, congru_logistic_stop stop,
                                       double *w, congru_logistic_info *info)
{
    const size_t stride = stride_of(p), size = p->rows * stride;
    descent d = {.context = context, .problem = p, .stop = stop};
    congru_arena arena = {0};
    double *v = NULL;
    for (int pass = 0; pass < 2; pass++) {
        v = congru_arena_take(&arena, size, sizeof(double));
        d.place = congru_arena_take(&arena, size, sizeof(double));
        d.slope = congru_arena_take(&arena, size, sizeof(double));
        d.start = congru_arena_take(&arena, size, sizeof(double));
        if (pass == 0 && congru_arena_reserve(&arena, arena.used) != CONGRU_OK)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for logistic regression of %zu weights",
                               size);
    }
    congru_status status = CONGRU_OK;
    d.start_value = d.value = evaluate_here(&d, w);
    d.scale = norm_of(size, p->gradient);
    d.share = 1.0;
    if (d.norm > stop.gradient && d.scale > 0.0) {
        /* liblbfgs' first step has length 1: in units of the first gradient, that is the step U was made for. */
        memset(v, 0, size * sizeof(double));
        for (size_t r = 0; r < p->rows; r++)
            for (size_t i = 0; i < p->features; i++) {
                double sum = 0.0;
                for (size_t j = i; j < p->features; j++)
                    sum += p->factor[i * stride + j] * w[r * stride + j];
                v[r * stride + i] = sum / d.scale;
            }
        for (size_t i = 0; i < size; i++)
            d.start[i] = d.scale * p->gradient[i];
        memcpy(d.place, v, size * sizeof(double));
        memcpy(d.slope, d.start, size * sizeof(double));
        status = run(context, &d, v);
        for (size_t i = 0; i < size; i++)
            w[i] = d.scale * v[i];
        congru_dense_solve(context->kernel, p->features, p->factor, p->rows, w, p->scratch);
    }
    if (info != NULL)
        *info = (congru_logistic_info){d.evaluations, d.norm, status == CONGRU_OK, 0.0};
    congru_arena_free(&arena);
    return status;
}
