/* The minimum of logistic regression, by L-BFGS. SPDX-License-Identifier: Apache-2.0 */
#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "classifier/dense_factor.h"
#include "classifier/logistic.h"

/* Iterations after which the variables are made anew, for where the iteration has come to. With C up to 100 and trials
 * that no plane separates, it has ended before. */
enum { ROUND = 40 };

static size_t stride_of(const congru_logistic *p)
{
    return congru_dense_stride(p->features);
}

/* What the functions that liblbfgs calls see. Its variables are V over `scale`. */
typedef struct descent {
    congru_context *context;
    congru_logistic *problem;
    congru_logistic_stop stop;
    double scale; /* the norm of the derivative by V where this round began */
    double first; /* where the first did */
    bool begun;
    int evaluations;
    double trial_norm, trial_share; /* of the derivative at the last trial: by W, and by V over `first` */
    double norm, share;             /* the same at the last point accepted */
    double value;                   /* there */
    double *place, *slope;          /* (rows, stride), that point and the derivative there, in its variables */
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
    d->trial_norm = norm_of(size, p->gradient);
    congru_dense_solve_transposed(d->context->kernel, p->features, p->factor, p->rows, p->gradient, p->scratch);
    d->evaluations++;
    return value;
}

static void from_variables(const descent *d, const double *v, double *w)
{
    const congru_logistic *p = d->problem;
    for (size_t i = 0; i < p->rows * stride_of(p); i++)
        w[i] = d->scale * v[i];
    congru_dense_solve(d->context->kernel, p->features, p->factor, p->rows, w, p->scratch);
}

static lbfgsfloatval_t at_trial(void *user, const lbfgsfloatval_t *v, lbfgsfloatval_t *g, const int n,
                                const lbfgsfloatval_t step)
{
    descent *d = user;
    congru_logistic *p = d->problem;
    const size_t size = (size_t)n;
    (void)step;
    if (!d->begun) { /* where it begins has been evaluated */
        d->begun = true;
        memcpy(g, d->slope, size * sizeof(double));
        return d->value;
    }
    from_variables(d, v, p->w);
    double value = evaluate_here(d, p->w), change = 0.0;
    d->trial_share = norm_of(size, p->gradient) / d->first;
    for (size_t i = 0; i < size; i++) {
        g[i] = d->scale * p->gradient[i];
        change += 0.5 * (g[i] + d->slope[i]) * (v[i] - d->place[i]);
    }
    /* Near the minimum the value changes by less than its rounding, while the derivatives at both ends still tell by
     * how much. */
    return fabs(change) < 1e-9 * fabs(value) ? d->value + change : value;
}

static bool done(const descent *d)
{
    return d->norm <= d->stop.gradient || d->share <= d->stop.share;
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
    d->norm = d->trial_norm;
    d->share = d->trial_share;
    return done(d);
}

/* v = W U^T / scale. */
static void to_variables(const descent *d, const double *w, double *v)
{
    const congru_logistic *p = d->problem;
    const size_t stride = stride_of(p);
    memset(v, 0, p->rows * stride * sizeof(double));
    for (size_t r = 0; r < p->rows; r++) {
        for (size_t i = 0; i < p->features; i++) {
            double sum = 0.0;
            for (size_t j = i; j < p->features; j++)
                sum += p->factor[i * stride + j] * w[r * stride + j];
            v[r * stride + i] = sum / d->scale;
        }
    }
}

/* From w on until done, or for so many iterations; value and p->gradient are those of w. Where liblbfgs gives up, for
 * instance because a step is below rounding, the next round goes on. */
static congru_status run_round(descent *d, int iterations, double *w, double *v)
{
    congru_logistic *p = d->problem;
    const size_t size = p->rows * stride_of(p);
    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    parameters.m = 8;
    parameters.epsilon = 0.0;
    parameters.max_iterations = iterations;
    /* Its first step has length 1: in units of the gradient, that is the step U was made for. */
    d->scale = norm_of(size, p->gradient);
    d->begun = false;
    if (!(d->scale > 0.0))
        return CONGRU_OK;
    to_variables(d, w, v);
    memcpy(d->place, v, size * sizeof(double));
    for (size_t i = 0; i < size; i++)
        d->slope[i] = d->scale * p->gradient[i];
    int code = lbfgs((int)size, v, NULL, at_trial, at_accepted, d, &parameters);
    if (code == LBFGSERR_OUTOFMEMORY)
        return congru_fail(d->context, CONGRU_ERROR_MEMORY, "no memory for logistic regression of %zu weights",
                           size);
    from_variables(d, v, w);
    return CONGRU_OK;
}

static congru_status descend(descent *d, double *w, double *v)
{
    int left = d->stop.iterations_max;
    congru_status status = CONGRU_OK;
    d->value = evaluate_here(d, w);
    d->norm = d->trial_norm;
    d->first = norm_of(d->problem->rows * stride_of(d->problem), d->problem->gradient);
    while (status == CONGRU_OK && !done(d) && left > 0) {
        if (left < d->stop.iterations_max) {
            congru_logistic_precondition_at(d->context, d->problem, w);
            d->value = evaluate_here(d, w);
        }
        status = run_round(d, left < ROUND ? left : ROUND, w, v);
        left -= ROUND;
    }
    if (status != CONGRU_OK || done(d))
        return status;
    return congru_fail(d->context, CONGRU_ERROR_NOT_CONVERGED,
                       "logistic regression stopped at a gradient of norm %.3g, short of %.3g", d->norm,
                       d->stop.gradient);
}

congru_status congru_logistic_minimise(congru_context *context, congru_logistic *p, congru_logistic_stop stop,
                                       double *w, congru_logistic_info *info)
{
    const size_t size = p->rows * stride_of(p);
    descent d = {.context = context, .problem = p, .stop = stop, .share = 1.0};
    congru_arena arena = {0};
    double *v = NULL;
    for (int pass = 0; pass < 2; pass++) {
        v = congru_arena_take(&arena, size, sizeof(double));
        d.place = congru_arena_take(&arena, size, sizeof(double));
        d.slope = congru_arena_take(&arena, size, sizeof(double));
        if (pass == 0 && congru_arena_reserve(&arena, arena.used) != CONGRU_OK)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for logistic regression of %zu weights",
                               size);
    }
    congru_status status = descend(&d, w, v);
    if (info != NULL)
        *info = (congru_logistic_info){d.evaluations, d.norm, status == CONGRU_OK, 0.0};
    return congru_workspace_free(context, &arena, status);
}
