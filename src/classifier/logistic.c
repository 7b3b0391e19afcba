/* Logistic regression: many folds over one matrix of features, one fit, and the choice of C. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/logistic.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/linear.h"
#include "classifier/logistic_fold.h"

static const double default_tolerance = 1e-7;
enum { PRODUCTS_DEFAULT = 1000 };

/* Folds that are multiplied together: enough for a product to be bound by arithmetic, and few enough to be kept. */
enum { BATCH = 24 };
static const double batch_bytes = 64e6;

/* Of C; ascending, so that of equals the smaller is found first. */
static const double grid[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0};
enum { GRID = sizeof grid / sizeof grid[0] };

/* A C is chosen by the labels of trials left out, which this close to the minimum are those of the minimum. */
static const double choice_tolerance = 1e-3;

/* One matrix of features, to be fitted any number of times. */
typedef struct regression {
    congru_context *context;
    const congru_logistic_set *set;
    size_t batch, stride;
    double *label;          /* (stride) */
    double *score;          /* (batch * classes, stride) */
    double *own, *residual; /* (batch * classes, op.length) */
    congru_logistic_operator op;
    congru_logistic_fold fold[BATCH];
    congru_arena arena;            /* of all of these */
    size_t active[BATCH], actives; /* which folds of the batch still iterate; their rows are in this order */
    double tolerance;
    int products_max;
    bool tells; /* progress, and stops when asked to */
} regression;

/* What is wanted of folds that are fitted with one C; each may be NULL. */
typedef struct wanted {
    double *weights, *intercept; /* (folds, classes, features) and (folds, classes) */
    double *log_probability;     /* fold by fold (left, classes) */
    int *products;               /* (folds) */
} wanted;

/* ---- One matrix ---------------------------------------------------------------------------------------- */

static void lay_out(regression *p)
{
    const size_t rows = p->batch * p->set->classes;
    p->label = congru_arena_take(&p->arena, p->stride, sizeof(double));
    p->score = congru_arena_take(&p->arena, rows * p->stride, sizeof(double));
    p->own = congru_arena_take(&p->arena, rows * p->op.length, sizeof(double));
    p->residual = congru_arena_take(&p->arena, rows * p->op.length, sizeof(double));
    for (size_t f = 0; f < p->batch; f++) {
        p->fold[f] = (congru_logistic_fold){.op = &p->op, .classes = p->set->classes};
        congru_logistic_fold_layout(&p->arena, &p->fold[f]);
    }
}

static congru_status open_regression(congru_context *context, const congru_logistic_set *set, size_t folds,
                                     bool several, regression **opened)
{
    regression *p = *opened = congru_memory_take(sizeof *p);
    if (p == NULL)
        return congru_fail_memory(context, "logistic regression");
    memset(p, 0, sizeof *p);
    p->context = context;
    p->set = set;
    p->stride = congru_panels_padded(set->n);
    congru_logistic_operator_shape(set->n, set->features, &p->op); /* for the layout of folds */
    const double bytes =
        4.0 * (double)set->classes * ((double)p->stride + (double)p->op.length) * sizeof(double);
    const size_t fitting = bytes * BATCH > batch_bytes ? (size_t)(batch_bytes / bytes) : BATCH;
    p->batch = folds < fitting ? folds : fitting > 0 ? fitting : 1;
    lay_out(p);
    if (congru_arena_reserve(&p->arena, p->arena.used) != CONGRU_OK)
        return congru_fail_memory(context, "logistic regression of %zu trials with %zu features", set->n,
                                  set->features);
    lay_out(p);
    CONGRU_TRY(congru_workspace_check(context, &p->arena));
    for (size_t i = 0; i < p->stride; i++)
        p->label[i] = i < set->n ? (double)set->label[i] : 0.0;
    return congru_logistic_operator_make(context, set->n, set->features, set->x, several,
                                         p->batch * set->classes, &p->op);
}

static void close_regression(regression *p)
{
    if (p == NULL)
        return;
    congru_logistic_operator_free(&p->op);
    congru_arena_free(&p->arena);
    congru_memory_give(p);
}

/* ---- Folds ---------------------------------------------------------------------------------------------- */

static void gather(void *user, size_t slot, int worker)
{
    (void)worker;
    const regression *p = user;
    const congru_logistic_fold *fold = &p->fold[p->active[slot]];
    memcpy(p->score + slot * fold->size, fold->slope, fold->size * sizeof(double));
    memcpy(p->own + slot * fold->length, fold->own, fold->length * sizeof(double));
}

static void make_step(void *user, size_t slot, int worker)
{
    (void)worker;
    regression *p = user;
    congru_logistic_fold *fold = &p->fold[p->active[slot]];
    const size_t own = slot * fold->length;
    congru_logistic_fold_step(fold, p->label, p->residual + own, p->own + own, p->score + slot * fold->size,
                              p->tolerance / sqrt(fmax(fold->c, 1.0)));
}

/* Until all have converged. */
static congru_status iterate(regression *p, size_t folds)
{
    p->actives = folds;
    for (size_t f = 0; f < folds; f++)
        p->active[f] = f;
    for (int i = 0; p->actives > 0; i++) {
        if (i == p->products_max)
            return congru_fail(p->context, CONGRU_ERROR_NOT_CONVERGED,
                               "logistic regression stopped at a step of %.3g, short of %.3g",
                               p->fold[p->active[0]].moved, p->tolerance);
        const size_t rows = p->actives * p->set->classes;
        congru_thread_pool_run(p->context->pool, p->actives, gather, p);
        congru_logistic_operator_descend(&p->op, rows, p->score, p->own, p->residual);
        congru_logistic_operator_solve(&p->op, rows, p->residual, p->own, p->score);
        congru_logistic_operator_scores(&p->op, rows, p->own, p->score);
        congru_thread_pool_run(p->context->pool, p->actives, make_step, p);
        size_t kept = 0;
        for (size_t slot = 0; slot < p->actives; slot++) {
            const congru_logistic_fold *fold = &p->fold[p->active[slot]];
            if (fold->failed)
                return congru_fail(
                    p->context, CONGRU_ERROR_NOT_FINITE,
                    "the features are too large for logistic regression (scale them, or lower C)");
            if (!fold->converged)
                p->active[kept++] = p->active[slot];
        }
        p->actives = kept;
        if (p->tells && p->context->progress != NULL &&
            !p->context->progress(p->context->progress_user, folds - kept, folds))
            return congru_fail(p->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    }
    return CONGRU_OK;
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

/* Weights, and the intercepts of features that are not centred: those that are add up to 0, and scores to n times theirs. */
static void write_weights(regression *p, size_t folds, double *weights, double *intercept)
{
    const size_t classes = p->set->classes, features = p->set->features,
                 step = p->op.dual ? p->op.inner : p->op.length;
    for (size_t f = 0; f < folds; f++)
        p->active[f] = f;
    congru_thread_pool_run(p->context->pool, folds, gather, p);
    if (p->op.dual)
        congru_logistic_operator_gather(&p->op, folds * classes, p->own, p->op.middle);
    const double *w = p->op.dual ? p->op.middle : p->own;
    for (size_t row = 0; row < folds * classes; row++, w += step) {
        const double *score = p->fold[row / classes].score + row % classes * p->stride;
        double sum = 0.0, shift = 0.0;
        for (size_t i = 0; i < p->set->n; i++)
            sum += score[i];
        for (size_t j = 0; j < features; j++)
            shift += w[j] * p->op.mean[j];
        if (weights != NULL)
            memcpy(weights + row * features, w, features * sizeof(double));
        if (intercept != NULL)
            intercept[row] = score[0] <= 0.5 * CONGRU_LOGISTIC_ABSENT ? CONGRU_ABSENT_INTERCEPT
                                                                      : sum / (double)p->set->n - shift;
    }
}

/* The norm of the derivative by weights and intercepts, of the only fold. */
static double find_norm(regression *p)
{
    const size_t classes = p->set->classes, step = p->op.dual ? p->op.inner : p->op.length;
    double squares = 0.0;
    gather(p, 0, 0);
    congru_logistic_operator_descend(&p->op, classes, p->score, p->own, p->residual);
    const double *row = p->residual;
    for (size_t k = 0; k < classes && p->op.dual; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < p->set->n; i++)
            sum += p->residual[k * p->stride + i];
        squares += sum * sum;
    }
    if (p->op.dual) {
        congru_logistic_operator_gather(&p->op, classes, p->residual, p->op.middle);
        row = p->op.middle;
    }
    for (size_t k = 0; k < classes; k++, row += step)
        for (size_t j = 0; j < p->set->features + !p->op.dual; j++)
            squares += row[j] * row[j];
    return sqrt(squares);
}

/* The folds from `first` on that go together. used (folds, n), NULL: one fold of all trials. */
static congru_status fit_batch(regression *p, double c, size_t first, size_t folds, const bool *used,
                               const wanted *out)
{
    const size_t classes = p->set->classes, n = p->set->n;
    for (size_t f = 0; f < folds; f++) {
        for (size_t i = 0; i < p->stride; i++)
            p->fold[f].weight[i] = i < n && (used == NULL || used[(first + f) * n + i]) ? c : 0.0;
        /* From zero: labels of trials that are not used are in no bit of the result. */
        congru_logistic_fold_begin(&p->fold[f], c, p->label);
    }
    CONGRU_TRY(iterate(p, folds));
    if (out->weights != NULL || out->intercept != NULL)
        write_weights(p, folds, out->weights != NULL ? out->weights + first * classes * p->set->features : NULL,
                      out->intercept != NULL ? out->intercept + first * classes : NULL);
    for (size_t f = 0; f < folds && out->products != NULL; f++)
        out->products[first + f] = p->fold[f].products;
    return CONGRU_OK;
}

/* The c of P that comes nearest to second derivatives on the way: C / classes where classes are equally likely, and less where
 * features are so many, or so large, that trials are told apart by sure margins. */
static double curvature(const regression *p, double c)
{
    const double most = c / (double)p->set->classes, share = (double)p->set->features / (double)p->set->n;
    return most / (1.0 + 0.25 * most * p->op.square * fmin(share, 1.0));
}

static congru_status fit_folds(regression *p, double c, size_t folds, const bool *used, const wanted *out)
{
    const size_t classes = p->set->classes;
    double *left = out->log_probability;
    CONGRU_TRY(congru_logistic_operator_set(&p->op, curvature(p, c)));
    for (size_t first = 0; first < folds; first += p->batch) {
        const size_t count = folds - first < p->batch ? folds - first : p->batch;
        CONGRU_TRY(fit_batch(p, c, first, count, used, out));
        for (size_t f = 0; f < count && left != NULL; f++)
            for (size_t i = 0; i < p->set->n; i++)
                if (p->fold[f].weight[i] == 0.0) {
                    write_logarithms(classes, p->fold[f].score + i, p->stride, left);
                    left += classes;
                }
    }
    return CONGRU_OK;
}

static congru_status check_set(congru_context *context, const congru_logistic_set *set,
                               congru_class_table *table)
{
    CONGRU_TRY(congru_check_features(context, set->n, set->features, set->x));
    return congru_class_table_make(context, set->n, set->label, set->classes, table);
}

static congru_status check_options(congru_context *context, const congru_logistic_folds_options *options)
{
    bool fine = options->folds > 0 && options->used != NULL && options->count > 0 && options->c != NULL &&
                options->tolerance >= 0 && options->iterations_max >= 0;
    for (size_t i = 0; fine && i < options->count; i++)
        fine = options->c[i] > 0 && isfinite(options->c[i]);
    return congru_check_argument(
        context, fine,
        "logistic regression needs folds and positive C, and no negative tolerance or iterations");
}

/* Every fold uses two classes or more. */
static congru_status check_folds(congru_context *context, const congru_logistic_set *set, size_t folds,
                                 const bool *used)
{
    for (size_t f = 0; f < folds; f++, used += set->n) {
        size_t present = 0;
        for (size_t k = 0; k < set->classes; k++) {
            bool any = false;
            for (size_t i = 0; i < set->n && !any; i++)
                any = used[i] && (size_t)set->label[i] == k;
            present += any;
        }
        if (present < 2)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "fold %zu of %zu uses trials of %s: a classifier needs two or more", f + 1,
                               folds, congru_count(present, "class").text);
    }
    return CONGRU_OK;
}

congru_status congru_logistic_folds(congru_context *context, size_t n, size_t features, const double *x,
                                    const int32_t *label, size_t classes,
                                    const congru_logistic_folds_options *options,
                                    const congru_logistic_folds_results *results)
{
    if (context == NULL || x == NULL || label == NULL || options == NULL || results == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_logistic_folds: only its results may be NULL");
    const congru_logistic_set set = {n, features, classes, x, label, NULL, 0};
    const size_t folds = options->folds;
    regression *p = NULL;
    congru_class_table table = {0};
    size_t left = 0;
    congru_status status;
    CONGRU_TRY(check_options(context, options));
    CONGRU_TRY(congru_check_count(context, folds, n));
    CONGRU_TRY(congru_check_count(context, classes, features));
    CONGRU_TRY_TO(done, check_set(context, &set, &table));
    CONGRU_TRY_TO(done, check_folds(context, &set, folds, options->used));
    for (size_t i = 0; i < folds * n; i++)
        left += !options->used[i];
    CONGRU_TRY_TO(done, open_regression(context, &set, folds, options->count > 1, &p));
    p->tolerance = options->tolerance > 0 ? options->tolerance : default_tolerance;
    p->products_max = options->iterations_max > 0 ? options->iterations_max : PRODUCTS_DEFAULT;
    p->tells = true;
    for (size_t i = 0; i < options->count; i++) {
        const wanted out = {
            .weights = results->weights != NULL ? results->weights + i * folds * classes * features : NULL,
            .intercept = results->intercept != NULL ? results->intercept + i * folds * classes : NULL,
            .log_probability =
                results->log_probability != NULL ? results->log_probability + i * left * classes : NULL,
            .products = results->iterations != NULL ? results->iterations + i * folds : NULL};
        CONGRU_TRY_TO(done, fit_folds(p, options->c[i], folds, options->used, &out));
    }
done:
    close_regression(p);
    congru_class_table_free(&table);
    return status;
}

/* ---- The choice of C ------------------------------------------------------------------------------------ */

typedef struct choice {
    bool *used;        /* (subjects, n), one fold for each subject that can be left out */
    double *logarithm; /* (n, classes) */
    size_t folds;
} choice;

/* Subjects with trials, without whom every class has some. */
static void mask_subjects(const congru_logistic_set *set, choice *chosen)
{
    for (size_t s = 0; s < set->subjects; s++) {
        bool *own = chosen->used + chosen->folds * set->n, any = false, fine = true;
        for (size_t i = 0; i < set->n; i++) {
            own[i] = (size_t)set->subject[i] != s;
            any = any || !own[i];
        }
        for (size_t k = 0; k < set->classes && fine; k++) {
            bool all = false, kept = false;
            for (size_t i = 0; i < set->n; i++)
                if ((size_t)set->label[i] == k) {
                    all = true;
                    kept = kept || own[i];
                }
            fine = !all || kept;
        }
        chosen->folds += any && fine;
    }
}

/* The mean over folds of the share of trials left out that are right; `loss`, the mean of their cross-entropies. */
static double judge(const congru_logistic_set *set, const choice *chosen, double *loss)
{
    const double *own = chosen->logarithm;
    double accuracy = 0.0;
    *loss = 0.0;
    for (size_t f = 0; f < chosen->folds; f++) {
        size_t right = 0, count = 0;
        double sum = 0.0;
        for (size_t i = 0; i < set->n; i++) {
            size_t best = 0;
            if (chosen->used[f * set->n + i])
                continue;
            for (size_t k = 1; k < set->classes; k++)
                best = own[k] > own[best] ? k : best;
            right += best == (size_t)set->label[i];
            sum -= own[set->label[i]];
            own += set->classes;
            count++;
        }
        accuracy += (double)right / (double)count;
        *loss += sum / (double)count;
    }
    return accuracy;
}

static void choice_layout(congru_arena *arena, const congru_logistic_set *set, choice *chosen)
{
    chosen->used = congru_arena_take(arena, set->subjects * set->n, sizeof(bool));
    chosen->logarithm = congru_arena_take(arena, set->n * set->classes, sizeof(double));
}

static congru_status choose(regression *p, double unit, const choice *chosen, double *c)
{
    double best = -1.0, best_loss = 0.0;
    p->tolerance = choice_tolerance;
    for (size_t g = 0; g < GRID; g++) {
        const wanted out = {.log_probability = chosen->logarithm};
        CONGRU_TRY(fit_folds(p, grid[g] / unit, chosen->folds, chosen->used, &out));
        double loss;
        const double accuracy = judge(p->set, chosen, &loss);
        if (accuracy > best || (accuracy == best && loss < best_loss)) {
            best = accuracy;
            best_loss = loss;
            *c = grid[g];
        }
    }
    return CONGRU_OK;
}

static congru_status check_training(congru_context *context, const congru_logistic_set *set,
                                    const congru_logistic_options *options)
{
    CONGRU_TRY(congru_check_argument(context,
                                     options->c >= 0 && isfinite(options->c) && options->tolerance >= 0 &&
                                         options->iterations_max >= 0,
                                     "C, the tolerance or the number of iterations is negative or not finite"));
    if (options->c > 0)
        return CONGRU_OK;
    CONGRU_TRY(congru_check_argument(context, set->subject != NULL && set->subjects > 0,
                                     "C is to be chosen by leaving out subjects, and no subjects were given"));
    for (size_t i = 0; i < set->n; i++)
        if (set->subject[i] < 0 || (size_t)set->subject[i] >= set->subjects)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "trial %zu of %zu is of subject %d: with %zu subjects, they are 0 to %zu", i + 1,
                               set->n, (int)set->subject[i], set->subjects, set->subjects - 1);
    return CONGRU_OK;
}

/* Two vectors of weights that add up to 0 become none for the first class and their difference for the second. */
static void join_pair(const congru_class_table *table, size_t features, double *weights, double *intercept)
{
    size_t first = 0, second;
    while (table->count[first] == 0)
        first++;
    for (second = first + 1; table->count[second] == 0;)
        second++;
    double *from = weights + first * features, *to = weights + second * features;
    for (size_t j = 0; j < features; j++) {
        to[j] -= from[j];
        from[j] = 0.0;
    }
    intercept[second] -= intercept[first];
    intercept[first] = 0.0;
}

congru_status congru_logistic_train(congru_context *context, const congru_logistic_set *set,
                                    const congru_logistic_options *options, bool pairs, double *weights,
                                    double *intercept, congru_logistic_info *info)
{
    regression *p = NULL;
    congru_arena arena = {0};
    congru_class_table table = {0};
    choice chosen = {0};
    double c = options->c > 0 ? options->c : 1.0;
    congru_status status;
    CONGRU_TRY_TO(done, check_set(context, set, &table));
    CONGRU_TRY_TO(done, check_training(context, set, options));
    /* The squares of both are half of those of their difference: so C is half as well. */
    const bool pair = pairs && table.present == 2;
    const double unit = pair ? 2.0 : 1.0;
    if (options->c == 0) {
        choice_layout(&arena, set, &chosen);
        CONGRU_TRY_TO(done, congru_arena_reserve(&arena, arena.used) == CONGRU_OK
                                ? CONGRU_OK
                                : congru_fail_memory(context, "the choice of C for %zu trials", set->n));
        choice_layout(&arena, set, &chosen);
        mask_subjects(set, &chosen);
        if (chosen.folds == 0)
            congru_note(context,
                        "C cannot be chosen by leaving out subjects, for a class would have no trial: it is %g",
                        c);
    }
    CONGRU_TRY_TO(done,
                  open_regression(context, set, chosen.folds > 0 ? chosen.folds : 1, chosen.folds > 0, &p));
    p->products_max = options->iterations_max > 0 ? options->iterations_max : PRODUCTS_DEFAULT;
    if (chosen.folds > 0)
        CONGRU_TRY_TO(done, choose(p, unit, &chosen, &c));
    p->tolerance = options->tolerance > 0 ? options->tolerance : default_tolerance;
    const wanted out = {weights, intercept, NULL, &info->evaluations};
    CONGRU_TRY_TO(done, fit_folds(p, c / unit, 1, NULL, &out));
    p->active[0] = 0;
    info->gradient_norm = find_norm(p);
    if (pair) {
        join_pair(&table, set->features, weights, intercept);
        info->gradient_norm *= sqrt(2.0);
    }
    info->converged = true;
    info->c = c;
done:
    close_regression(p);
    congru_class_table_free(&table);
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_logistic_fit(congru_context *context, size_t n, size_t features, const double *x,
                                  const int32_t *label, size_t classes, const congru_logistic_options *options,
                                  double *weights, double *intercept, congru_logistic_info *info)
{
    const congru_logistic_options defaults = {.c = 1.0};
    congru_logistic_info own = {0};
    options = options != NULL ? options : &defaults;
    const congru_logistic_set set = {n, features, classes, x, label, options->subject, options->subjects};
    CONGRU_TRY(congru_check_argument(context, label != NULL && weights != NULL && intercept != NULL,
                                     "no labels or no output was given"));
    const congru_status status = congru_logistic_train(context, &set, options, true, weights, intercept, &own);
    if (info != NULL)
        *info = own;
    return status;
}
