/* Logistic regression of many folds over one matrix of features: the function a caller sees. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/linear.h"
#include "classifier/ridge_fold.h"

static const double default_tolerance = 1e-6;
enum { ITERATIONS_DEFAULT = 60 };

/* Folds that are multiplied together: enough for a product to be bound by arithmetic, and few enough to be kept. */
enum { BATCH = 24 };

/* The score of a class without a trial; its probability is 0. */
static const double absent_score = -1e30;

typedef struct ridge {
    congru_context *context;
    size_t n, features, classes, stride;
    const congru_ridge_options *options;
    const congru_ridge_results *results;
    const int32_t *label;
    double tolerance;
    int iterations_max;

    double *x, *mean;    /* (n, features) less its mean (features) */
    double *label_row;   /* (stride) */
    double *r, *product; /* (BATCH * classes, stride) */
    double *out;         /* (BATCH * classes, features padded to panels) */
    congru_ridge_operator op;

    congru_ridge_fold fold[BATCH];
    congru_arena arena[BATCH];
    size_t active[BATCH], actives; /* which folds of the batch still iterate; their rows are in this order */
    atomic_bool failed;
} ridge;

/* ---- Input --------------------------------------------------------------------------------------------- */

static congru_status check_options(congru_context *context, const congru_ridge_options *options)
{
    bool fine = options->folds > 0 && options->used != NULL && options->count > 0 && options->c != NULL &&
                options->tolerance >= 0 && options->iterations_max >= 0;
    for (size_t i = 0; fine && i < options->count; i++)
        fine = options->c[i] > 0 && isfinite(options->c[i]);
    return fine ? CONGRU_OK
                : congru_fail(context, CONGRU_ERROR_ARGUMENT,
                              "a ridge needs folds and positive C, and no negative tolerance or iterations");
}

/* Every fold uses two classes or more. */
static congru_status check_folds(const ridge *p)
{
    for (size_t f = 0; f < p->options->folds; f++) {
        const bool *used = p->options->used + f * p->n;
        size_t present = 0;
        for (size_t k = 0; k < p->classes; k++) {
            bool any = false;
            for (size_t i = 0; i < p->n && !any; i++)
                any = used[i] && (size_t)p->label[i] == k;
            present += any;
        }
        if (present < 2)
            return congru_fail(p->context, CONGRU_ERROR_ARGUMENT,
                               "fold %zu of %zu uses trials of %s: a classifier needs two or more", f + 1,
                               p->options->folds, congru_count(present, "class").text);
    }
    return CONGRU_OK;
}

static void centre(ridge *p, const double *x)
{
    memset(p->mean, 0, p->features * sizeof(double));
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->features; j++)
            p->mean[j] += x[i * p->features + j];
    for (size_t j = 0; j < p->features; j++)
        p->mean[j] /= (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->features; j++)
            p->x[i * p->features + j] = x[i * p->features + j] - p->mean[j];
}

static void lay_out(congru_arena *arena, ridge *p)
{
    const size_t rows = BATCH * p->classes, inner = congru_panels_count(p->features) * CONGRU_PANEL;
    p->mean = congru_arena_take(arena, p->features, sizeof(double));
    p->label_row = congru_arena_take(arena, p->stride, sizeof(double));
    p->r = congru_arena_take(arena, rows * p->stride, sizeof(double));
    p->product = congru_arena_take(arena, rows * p->stride, sizeof(double));
    p->out = congru_arena_take(
        arena, p->results->weights != NULL || p->results->intercept != NULL ? rows * inner : 0, sizeof(double));
}

/* ---- Iterating ----------------------------------------------------------------------------------------- */

static void find_residual(void *user, size_t slot, int worker)
{
    (void)worker;
    ridge *p = user;
    congru_ridge_fold_residual(&p->fold[p->active[slot]], p->label_row, p->r + slot * p->classes * p->stride);
}

static void leave_out(void *user, size_t slot, int worker)
{
    (void)worker;
    ridge *p = user;
    congru_ridge_fold *fold = &p->fold[p->active[slot]];
    congru_ridge_fold_take(fold, p->r, slot * p->classes, false);
    congru_ridge_put(&p->op, &fold->left, fold->u, slot * p->classes, p->classes, p->r);
}

static void make_step(void *user, size_t slot, int worker)
{
    (void)worker;
    ridge *p = user;
    const size_t first = slot * p->classes * p->stride;
    congru_ridge_fold_step(&p->fold[p->active[slot]], p->r + first, p->product + first, p->tolerance);
}

static void leave_out_ones(void *user, size_t slot, int worker)
{
    (void)worker;
    ridge *p = user;
    congru_ridge_fold *fold = &p->fold[slot];
    congru_ridge_fold_take(fold, p->r, slot, true);
    congru_ridge_put(&p->op, &fold->left, fold->u, slot, 1, p->r);
}

/* M_TT^-1 of a fold, in the memory of its steps, which are not made yet. */
static void prepare_fold(void *user, size_t slot, int worker)
{
    ridge *p = user;
    congru_arena *arena = &p->context->scratch[worker];
    congru_arena_reset(arena);
    double *work =
        congru_arena_take(arena, congru_ridge_left_work(&p->op, p->fold[slot].left.count), sizeof(double));
    if (!congru_ridge_operator_leave(&p->op, &p->fold[slot].left, work))
        atomic_store(&p->failed, true);
}

static congru_status prepare_folds(ridge *p, size_t folds)
{
    size_t most = 0;
    for (size_t f = 0; f < folds; f++)
        most = p->fold[f].left.count > most ? p->fold[f].left.count : most;
    congru_status status =
        congru_scratch_reserve(p->context, congru_ridge_left_work(&p->op, most) * sizeof(double) + 64);
    if (status != CONGRU_OK)
        return status;
    atomic_store(&p->failed, false);
    congru_thread_pool_run(p->context->pool, folds, prepare_fold, p);
    if (atomic_load(&p->failed))
        return congru_fail(p->context, CONGRU_ERROR_NOT_FINITE,
                           "the features are too large for a ridge (scale them, or lower C)");
    for (size_t f = 0; f < folds; f++)
        memcpy(p->r + f * p->stride, p->fold[f].weight, p->stride * sizeof(double));
    congru_ridge_begin(&p->op, folds, p->r);
    congru_thread_pool_run(p->context->pool, folds, leave_out_ones, p);
    congru_ridge_end(&p->op, folds, p->r, p->product);
    for (size_t f = 0; f < folds; f++)
        congru_ridge_fold_ones(&p->fold[f], p->r + f * p->stride, p->product + f * p->stride);
    return congru_scratch_check(p->context);
}

/* Until all have converged, or for iterations_max. */
static congru_status iterate(ridge *p, size_t folds)
{
    p->actives = folds;
    for (size_t f = 0; f < folds; f++)
        p->active[f] = f;
    for (int i = 0; p->actives > 0 && i < p->iterations_max; i++) {
        congru_thread_pool_run(p->context->pool, p->actives, find_residual, p);
        congru_ridge_begin(&p->op, p->actives * p->classes, p->r);
        congru_thread_pool_run(p->context->pool, p->actives, leave_out, p);
        congru_ridge_end(&p->op, p->actives * p->classes, p->r, p->product);
        congru_thread_pool_run(p->context->pool, p->actives, make_step, p);
        size_t kept = 0;
        for (size_t slot = 0; slot < p->actives; slot++)
            if (!p->fold[p->active[slot]].converged)
                p->active[kept++] = p->active[slot];
        p->actives = kept;
        if (p->context->progress != NULL &&
            !p->context->progress(p->context->progress_user, folds - kept, folds))
            return congru_fail(p->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    }
    return CONGRU_OK;
}

/* ---- Folds --------------------------------------------------------------------------------------------- */

/* A fold that uses these trials. */
static congru_status start_fold(ridge *p, size_t slot, const bool *used)
{
    congru_ridge_fold *fold = &p->fold[slot];
    *fold = (congru_ridge_fold){.op = &p->op, .classes = p->classes};
    for (size_t i = 0; i < p->n; i++)
        fold->left.count += !used[i];
    congru_arena measure = {0};
    congru_ridge_fold_layout(&measure, fold);
    congru_arena_take(&measure, fold->left.count, sizeof(size_t));
    if (congru_arena_reserve(&p->arena[slot], measure.used) != CONGRU_OK)
        return congru_fail(p->context, CONGRU_ERROR_MEMORY, "no memory for a fold of %zu trials", p->n);
    congru_ridge_fold_layout(&p->arena[slot], fold);
    size_t *trial = congru_arena_take(&p->arena[slot], fold->left.count, sizeof(size_t));
    fold->left.trial = trial;
    memset(fold->weight, 0, p->stride * sizeof(double));
    for (size_t i = 0; i < p->n; i++) {
        fold->weight[i] = used[i] ? 1.0 : 0.0;
        if (fold->weight[i] == 0.0)
            *trial++ = i;
    }
    return congru_workspace_check(p->context, &p->arena[slot]);
}

/* From zero: labels of trials left out are in no bit of the result. A class the fold has no trial of is out of it. */
static void begin_fold(ridge *p, size_t slot, double c)
{
    congru_ridge_fold *fold = &p->fold[slot];
    congru_ridge_fold_begin(fold, c);
    for (size_t k = 0; k < p->classes; k++) {
        bool any = false;
        for (size_t i = 0; i < p->n && !any; i++)
            any = fold->weight[i] > 0.0 && (size_t)p->label[i] == k;
        for (size_t i = 0; i < p->stride && !any; i++)
            fold->at.score[k * p->stride + i] = absent_score;
    }
}

/* out (classes) = the scores, `stride` apart, less the logarithm of the sum of their exponentials. */
static void write_logarithms(size_t classes, const double *score, size_t stride, double *out)
{
    double largest = score[0], sum = 0.0;
    for (size_t k = 1; k < classes; k++)
        largest = fmax(largest, score[k * stride]);
    for (size_t k = 0; k < classes; k++)
        sum += congru_scalar_exp(score[k * stride] - largest);
    const double shift = largest + congru_scalar_log(sum);
    for (size_t k = 0; k < classes; k++)
        out[k] = score[k * stride] - shift;
}

static void write_left(const ridge *p, const congru_ridge_fold *fold, double *out)
{
    for (size_t s = 0; s < fold->left.count; s++)
        write_logarithms(p->classes, fold->at.score + fold->left.trial[s], p->stride, out + s * p->classes);
}

/* weights = A X, and the intercept of features that are not centred. */
static void write_weights(ridge *p, size_t folds, size_t first)
{
    const size_t inner = congru_panels_count(p->features) * CONGRU_PANEL;
    for (size_t f = 0; f < folds; f++)
        memcpy(p->r + f * p->classes * p->stride, p->fold[f].at.dual, p->classes * p->stride * sizeof(double));
    congru_ridge_weights(&p->op, folds * p->classes, p->r, p->out);
    for (size_t f = 0; f < folds; f++) {
        for (size_t k = 0; k < p->classes; k++) {
            const size_t row = (first + f) * p->classes + k;
            const double *w = p->out + (f * p->classes + k) * inner, *score = p->fold[f].at.score;
            double shift = 0.0;
            for (size_t j = 0; j < p->features; j++)
                shift += w[j] * p->mean[j];
            if (p->results->weights != NULL)
                memcpy(p->results->weights + row * p->features, w, p->features * sizeof(double));
            if (p->results->intercept != NULL)
                p->results->intercept[row] = score[k * p->stride] <= 0.5 * absent_score
                                                 ? CONGRU_ABSENT_INTERCEPT
                                                 : score[p->classes * p->stride + k] - shift;
        }
    }
}

/* ---- Folds that the shared step is too short for --------------------------------------------------------- */

typedef struct lone_fold {
    double *x, *weights, *intercept, *score; /* (n, features), (classes, features), (classes), (classes) */
    int32_t *label;
} lone_fold;

static void lay_out_lone(congru_arena *arena, const ridge *p, lone_fold *lone)
{
    lone->x = congru_arena_take(arena, p->n * p->features, sizeof(double));
    lone->weights = congru_arena_take(arena, p->classes * p->features, sizeof(double));
    lone->intercept = congru_arena_take(arena, p->classes, sizeof(double));
    lone->score = congru_arena_take(arena, p->classes, sizeof(double));
    lone->label = congru_arena_take(arena, p->n, sizeof(int32_t));
}

/* Fits the trials of the fold with congru_logistic_fit: weights of all classes, whose sum is zero. */
static congru_status fit_lone(const ridge *p, const congru_ridge_fold *fold, lone_fold *lone)
{
    size_t n = 0, present = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (fold->weight[i] == 0.0)
            continue;
        memcpy(lone->x + n * p->features, p->x + i * p->features, p->features * sizeof(double));
        lone->label[n++] = p->label[i];
    }
    for (size_t k = 0; k < p->classes; k++)
        present += fold->at.score[k * p->stride] > 0.5 * absent_score;
    const congru_logistic_options options = {.c = present == 2 ? 2.0 * fold->c_total : fold->c_total,
                                             .tolerance = p->tolerance};
    congru_status status = congru_logistic_fit(p->context, n, p->features, lone->x, lone->label, p->classes,
                                               &options, lone->weights, lone->intercept, NULL);
    if (status != CONGRU_OK || present != 2)
        return status;
    for (size_t j = 0; j < p->features; j++) {
        double sum = 0.0;
        for (size_t k = 0; k < p->classes; k++)
            sum += lone->weights[k * p->features + j];
        for (size_t k = 0; k < p->classes; k++)
            if (lone->intercept[k] != CONGRU_ABSENT_INTERCEPT)
                lone->weights[k * p->features + j] -= 0.5 * sum;
    }
    return CONGRU_OK;
}

static congru_status finish_lone(ridge *p, const congru_ridge_fold *fold, size_t row, double *left)
{
    congru_arena arena = {0};
    lone_fold lone;
    lay_out_lone(&arena, p, &lone);
    if (congru_arena_reserve(&arena, arena.used) != CONGRU_OK)
        return congru_fail(p->context, CONGRU_ERROR_MEMORY, "no memory for a fold of %zu trials", p->n);
    lay_out_lone(&arena, p, &lone);
    congru_status status = fit_lone(p, fold, &lone);
    for (size_t s = 0; s < fold->left.count && left != NULL && status == CONGRU_OK; s++) {
        congru_linear_score(p->features, p->x + fold->left.trial[s] * p->features, p->classes, lone.weights,
                            lone.intercept, lone.score);
        write_logarithms(p->classes, lone.score, 1, left + s * p->classes);
    }
    for (size_t k = 0; k < p->classes && status == CONGRU_OK; k++) {
        double shift = 0.0;
        for (size_t j = 0; j < p->features; j++)
            shift += lone.weights[k * p->features + j] * p->mean[j];
        if (p->results->weights != NULL)
            memcpy(p->results->weights + (row * p->classes + k) * p->features, lone.weights + k * p->features,
                   p->features * sizeof(double));
        if (p->results->intercept != NULL)
            p->results->intercept[row * p->classes + k] =
                lone.intercept[k] == CONGRU_ABSENT_INTERCEPT ? lone.intercept[k] : lone.intercept[k] - shift;
    }
    return congru_workspace_free(p->context, &arena, status);
}

/* ---- All folds ------------------------------------------------------------------------------------------- */

/* The folds `first` on of this C; their log-probabilities go to *out, which moves on. */
static congru_status fit_batch(ridge *p, size_t grid, size_t first, size_t folds, double **out)
{
    const size_t row = grid * p->options->folds + first;
    congru_status status = CONGRU_OK;
    for (size_t f = 0; f < folds && status == CONGRU_OK; f++) {
        status = start_fold(p, f, p->options->used + (first + f) * p->n);
        if (status == CONGRU_OK)
            begin_fold(p, f, p->options->c[grid]);
    }
    if (status == CONGRU_OK)
        status = prepare_folds(p, folds);
    if (status == CONGRU_OK)
        status = iterate(p, folds);
    if (status == CONGRU_OK && (p->results->weights != NULL || p->results->intercept != NULL))
        write_weights(p, folds, row);
    for (size_t f = 0; f < folds && status == CONGRU_OK; f++) {
        const congru_ridge_fold *fold = &p->fold[f];
        if (p->results->iterations != NULL)
            p->results->iterations[row + f] = fold->evaluations;
        if (!fold->converged)
            status = finish_lone(p, fold, row + f, *out);
        else if (*out != NULL)
            write_left(p, fold, *out);
        if (*out != NULL)
            *out += fold->left.count * p->classes;
    }
    return status;
}

static congru_status fit_all(ridge *p)
{
    congru_status status = CONGRU_OK;
    double *out = p->results->log_probability;
    memset(p->label_row, 0, p->stride * sizeof(double));
    for (size_t i = 0; i < p->n; i++)
        p->label_row[i] = (double)p->label[i];
    for (size_t c = 0; c < p->options->count && status == CONGRU_OK; c++) {
        status = congru_ridge_operator_set(&p->op, p->options->c[c] / (double)p->classes);
        for (size_t f = 0; f < p->options->folds && status == CONGRU_OK; f += BATCH)
            status = fit_batch(p, c, f, p->options->folds - f < BATCH ? p->options->folds - f : BATCH, &out);
    }
    return status;
}

static congru_status run(ridge *p, const double *x)
{
    congru_arena arena = {0};
    lay_out(&arena, p);
    if (congru_arena_reserve(&arena, arena.used) != CONGRU_OK ||
        (p->x = congru_memory_take(p->n * p->features * sizeof(double))) == NULL) {
        congru_arena_free(&arena);
        return congru_fail(p->context, CONGRU_ERROR_MEMORY,
                           "no memory for a ridge of %zu trials and %zu features", p->n, p->features);
    }
    lay_out(&arena, p);
    centre(p, x);
    const congru_ridge_plan plan = {.several = p->options->count > 1,
                                    .weights = p->results->weights != NULL || p->results->intercept != NULL,
                                    .rows_max = BATCH * p->classes};
    congru_status status = congru_ridge_operator_make(p->context, p->n, p->features, p->x, &plan, &p->op);
    if (status == CONGRU_OK)
        status = fit_all(p);
    congru_ridge_operator_free(&p->op);
    for (size_t f = 0; f < BATCH; f++)
        congru_arena_free(&p->arena[f]);
    congru_memory_give(p->x);
    return congru_workspace_free(p->context, &arena, status);
}

congru_status congru_ridge_folds(congru_context *context, size_t n, size_t features, const double *x,
                                 const int32_t *label, size_t classes, const congru_ridge_options *options,
                                 const congru_ridge_results *results)
{
    if (context == NULL || x == NULL || label == NULL || options == NULL || results == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_ridge_folds: only its results may be NULL");
    congru_class_table table;
    congru_status status = congru_check_features(context, n, features, x);
    if (status == CONGRU_OK)
        status = check_options(context, options);
    if (status == CONGRU_OK)
        status = congru_check_count(context, options->folds, n);
    if (status == CONGRU_OK)
        status = congru_check_count(context, classes, features);
    if (status != CONGRU_OK)
        return status;
    status = congru_class_table_make(context, n, label, classes, &table);
    congru_class_table_free(&table);
    ridge *p = status == CONGRU_OK ? congru_memory_take(sizeof *p) : NULL;
    if (status != CONGRU_OK)
        return status;
    if (p == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a ridge");
    memset(p, 0, sizeof *p);
    p->context = context;
    p->n = n;
    p->features = features;
    p->classes = classes;
    p->stride = congru_panels_count(n) * CONGRU_PANEL;
    p->options = options;
    p->results = results;
    p->label = label;
    p->tolerance = options->tolerance > 0 ? options->tolerance : default_tolerance;
    p->iterations_max = options->iterations_max > 0 ? options->iterations_max : ITERATIONS_DEFAULT;
    status = check_folds(p);
    if (status == CONGRU_OK)
        status = run(p, x);
    congru_memory_give(p);
    return status;
}
