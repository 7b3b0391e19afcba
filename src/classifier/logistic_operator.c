/* What the folds of logistic regression share: their features, and the inverse that makes their problems nearly round. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/logistic_operator.h"

#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/workspace.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void congru_logistic_operator_shape(size_t n, size_t features, congru_logistic_operator *op)
{
    op->n = n;
    op->features = features;
    op->stride = congru_panels_padded(n);
    op->inner = congru_panels_padded(features);
    op->dual = features >= n;
    op->length = op->dual ? op->stride : congru_panels_padded(features + 1);
}

static size_t side_of(const congru_logistic_operator *op)
{
    return op->dual ? op->n : op->features;
}

static void take_panels(congru_logistic_operator *op, size_t side, congru_panels *m)
{
    *m = (congru_panels){side, side,
                         congru_arena_take(&op->arena, congru_panels_size(side, side), sizeof(double))};
}

static void lay_out(congru_logistic_operator *op, bool several, size_t rows_max)
{
    const size_t side = side_of(op),
                 packs = (size_t)congru_thread_pool_threads(op->context->pool) * CONGRU_PANELS_WORK;
    op->mean = congru_arena_take(&op->arena, op->features, sizeof(double));
    op->middle = congru_arena_take(&op->arena, rows_max * larger(op->inner, op->length), sizeof(double));
    op->work = congru_arena_take(&op->arena, larger(congru_panels_inverse_work(side), packs), sizeof(double));
    take_panels(op, side, &op->gram);
    op->inverse = op->gram;
    if (several)
        take_panels(op, side, &op->inverse);
}

/* The features may have any mean: what is common to all trials is the intercept's. */
static void find_mean(congru_logistic_operator *op, const double *x)
{
    memset(op->mean, 0, op->features * sizeof(double));
    for (size_t i = 0; i < op->n; i++) {
        for (size_t j = 0; j < op->features; j++)
            op->mean[j] += x[i * op->features + j];
        congru_mapped_pass(op->features * sizeof(double));
    }
    for (size_t j = 0; j < op->features; j++)
        op->mean[j] /= (double)op->n;
}

congru_status congru_logistic_operator_make(congru_context *context, size_t n, size_t features, const double *x,
                                            bool several, size_t rows_max, congru_logistic_operator *op)
{
    size_t bytes;
    *op = (congru_logistic_operator){.context = context};
    congru_logistic_operator_shape(n, features, op);
    lay_out(op, several, rows_max);
    const size_t needed = op->arena.used;
    op->x = (congru_panels){features, n, NULL};
    if (__builtin_mul_overflow(congru_panels_size(features, n), sizeof(double), &bytes) ||
        congru_arena_reserve(&op->arena, needed) != CONGRU_OK ||
        (op->x.data = congru_memory_take(bytes)) == NULL)
        return congru_fail_memory(context, "logistic regression of %zu trials with %zu features", n, features);
    lay_out(op, several, rows_max);
    CONGRU_TRY(congru_workspace_check(context, &op->arena));
    find_mean(op, x);
    congru_panels_fill(context, x, op->mean, &op->x);
    congru_panels_gram(context, &op->x, !op->dual, op->work, &op->gram);
    for (size_t i = 0; i < side_of(op); i++)
        op->square += *congru_panels_entry(&op->gram, i, i) / (double)n;
    return CONGRU_OK;
}

void congru_logistic_operator_free(congru_logistic_operator *op)
{
    congru_memory_give(op->x.data);
    congru_arena_free(&op->arena);
}

typedef struct scale_job {
    const congru_panels *from, *to;
    double c;
} scale_job;

/* to = I + c from, a panel of it. */
static void scale_panel(void *user, size_t panel, int worker)
{
    (void)worker;
    const scale_job *job = user;
    const size_t first = panel * CONGRU_PANEL, rows = job->from->rows;
    const double *from = congru_panels_at(job->from, panel);
    double *to = congru_panels_at(job->to, panel);
    for (size_t i = 0; i < rows * CONGRU_PANEL; i++)
        to[i] = job->c * from[i];
    for (size_t j = first; j < first + CONGRU_PANEL && j < rows; j++)
        to[j * CONGRU_PANEL + j - first] += 1.0;
}

congru_status congru_logistic_operator_set(congru_logistic_operator *op, double c)
{
    op->c = c;
    congru_thread_pool_run(op->context->pool, congru_panels_count(side_of(op)), scale_panel,
                           &(scale_job){&op->gram, &op->inverse, c});
    return congru_panels_invert(op->context, &op->inverse, op->work)
               ? CONGRU_OK
               : congru_fail(op->context, CONGRU_ERROR_NOT_FINITE,
                             "the features are too large for logistic regression (scale them, or lower C)");
}

void congru_logistic_operator_descend(congru_logistic_operator *op, size_t rows, const double *slope,
                                      const double *own, double *r)
{
    if (op->dual) {
        for (size_t i = 0; i < rows * op->length; i++)
            r[i] = -(own[i] + slope[i]);
        return;
    }
    congru_panels_product_transposed(op->context, rows, slope, op->stride, &op->x, r, op->length);
    for (size_t k = 0; k < rows; k++, r += op->length, own += op->length, slope += op->stride) {
        double sum = 0.0;
        for (size_t i = 0; i < op->n; i++)
            sum += slope[i];
        for (size_t j = 0; j < op->features; j++)
            r[j] = -(own[j] + r[j]);
        memset(r + op->features, 0, (op->length - op->features) * sizeof *r);
        r[op->features] = -sum;
    }
}

void congru_logistic_operator_solve(congru_logistic_operator *op, size_t rows, const double *r, double *own,
                                    double *score)
{
    congru_context *context = op->context;
    double *level = op->middle;
    for (size_t k = 0; k < rows && op->dual; k++, level += op->length) {
        double sum = 0.0;
        memset(level, 0, op->length * sizeof *level);
        for (size_t i = 0; i < op->n; i++)
            sum += r[k * op->length + i];
        for (size_t i = 0; i < op->n; i++)
            level[i] = r[k * op->length + i] - sum / (double)op->n;
    }
    congru_panels_product(context, rows, op->dual ? op->middle : r, op->length, &op->inverse, own, op->length);
    for (size_t i = 0; i < rows * op->length && op->dual; i++)
        score[i] = (r[i] - own[i]) / op->c;
    for (size_t k = 0; k < rows && !op->dual; k++) {
        double *tail = own + k * op->length + op->features;
        memset(tail, 0, (op->length - op->features) * sizeof *tail);
        *tail = r[k * op->length + op->features] / (op->c * (double)op->n);
    }
}

void congru_logistic_operator_scores(congru_logistic_operator *op, size_t rows, const double *own,
                                     double *score)
{
    if (op->dual)
        return;
    congru_panels_product(op->context, rows, own, op->length, &op->x, score, op->stride);
    for (size_t k = 0; k < rows; k++)
        for (size_t i = 0; i < op->n; i++)
            score[k * op->stride + i] += own[k * op->length + op->features];
}

void congru_logistic_operator_gather(congru_logistic_operator *op, size_t rows, const double *r, double *out)
{
    congru_panels_product_transposed(op->context, rows, r, op->stride, &op->x, out, op->inner);
}
