/* The inverse that all folds of a ridge share, and what leaving trials out makes of it. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/ridge_operator.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

static size_t padded(size_t count)
{
    return congru_panels_count(count) * CONGRU_PANEL;
}

static size_t side_of(const congru_ridge_operator *op)
{
    return op->whole ? op->n : op->features;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static double *take_doubles(congru_ridge_operator *op, size_t count)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, sizeof(double), &bytes))
        return NULL;
    double *memory = congru_memory_take(bytes);
    op->memory[op->pieces] = memory;
    op->pieces += memory != NULL;
    return memory;
}

static bool take_panels(congru_ridge_operator *op, size_t rows, size_t cols, congru_panels *m)
{
    *m = (congru_panels){rows, cols, take_doubles(op, congru_panels_size(rows, cols))};
    return m->data != NULL;
}

static bool take_memory(congru_ridge_operator *op, const congru_ridge_plan *plan)
{
    const size_t side = side_of(op);
    size_t work = congru_panels_inverse_work(side);
    const size_t packs = (size_t)congru_thread_pool_threads(op->context->pool) * CONGRU_PANELS_WORK;
    work = work > packs ? work : packs;
    /* The features times a (features, features) matrix, before they are put into panels. */
    if (!op->whole && work < op->n * op->inner)
        work = op->n * op->inner;
    bool taken = take_panels(op, side, side, &op->gram) && (op->work = take_doubles(op, work)) != NULL;
    op->inverse = op->gram;
    if (taken && (plan->weights || !op->whole))
        taken = take_panels(op, op->n, op->features, &op->left);
    if (taken && plan->several)
        taken = take_panels(op, side, side, &op->inverse);
    if (taken && !op->whole)
        taken = take_panels(op, op->features, op->n, &op->right) &&
                (op->middle = take_doubles(op, plan->rows_max * op->inner)) != NULL;
    return taken;
}

static congru_operand plain(const congru_ridge_operator *op)
{
    return (congru_operand){op->x, op->features, 1, true};
}

static congru_operand transposed(const congru_ridge_operator *op)
{
    return (congru_operand){op->x, 1, op->features, true};
}

congru_status congru_ridge_operator_make(congru_context *context, size_t n, size_t features, const double *x,
                                         const congru_ridge_plan *plan, congru_ridge_operator *op)
{
    *op = (congru_ridge_operator){.context = context,
                                  .n = n,
                                  .features = features,
                                  .stride = padded(n),
                                  .inner = padded(features),
                                  .whole = features > n / 2,
                                  .x = x};
    if (!take_memory(op, plan))
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a ridge of %zu trials and %zu features",
                           n, features);
    if (op->left.data != NULL)
        congru_panels_fill(context, plain(op), &op->left);
    if (op->whole) {
        congru_panels_gram(context, features, x, features, op->work, &op->gram);
        return CONGRU_OK;
    }
    congru_panels_product(context, false, features, transposed(op), &op->left, CONGRU_PANEL_SET, op->work,
                          op->inner);
    congru_panels_fill(context, (congru_operand){op->work, op->inner, 1, true}, &op->gram);
    return CONGRU_OK;
}

void congru_ridge_operator_free(congru_ridge_operator *op)
{
    while (op->pieces > 0)
        congru_memory_give(op->memory[--op->pieces]);
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

congru_status congru_ridge_operator_set(congru_ridge_operator *op, double c)
{
    congru_context *context = op->context;
    scale_job job = {&op->gram, &op->inverse, c};
    op->c = c;
    congru_thread_pool_run(context->pool, congru_panels_count(side_of(op)), scale_panel, &job);
    if (!congru_panels_invert(context, false, &op->inverse, op->work))
        return congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                           "the features are too large for a ridge with C %g (scale them, or lower C)", c);
    if (op->whole)
        return CONGRU_OK;
    congru_panels_product(context, false, op->n, plain(op), &op->inverse, CONGRU_PANEL_SET, op->work,
                          op->inner);
    congru_panels_fill(context, (congru_operand){op->work, 1, op->inner, true}, &op->right);
    return CONGRU_OK;
}

/* ---- Leaving out --------------------------------------------------------------------------------------- */

/* The panel that holds trial i of the left out, and how many of them it holds. */
static size_t run_in_panel(const congru_ridge_left *left, size_t i)
{
    const size_t panel = left->trial[i] / CONGRU_PANEL;
    size_t count = 1;
    while (i + count < left->count && left->trial[i + count] / CONGRU_PANEL == panel)
        count++;
    return count;
}

/* How many of the left out, from the i-th on, follow each other. */
static size_t run_of_trials(const congru_ridge_left *left, size_t i)
{
    size_t count = 1;
    while (i + count < left->count && left->trial[i + count] == left->trial[i] + count)
        count++;
    return count;
}

/* What the rows over trials, or over features, are multiplied by to be those of M or of Q^T. */
static const congru_panels *outer_panels(const congru_ridge_operator *op)
{
    return op->whole ? &op->inverse : &op->right;
}

size_t congru_ridge_left_work(const congru_ridge_operator *op, size_t count)
{
    (void)op;
    const size_t tile = (count + CONGRU_GROUP) * CONGRU_PANEL;
    return congru_panels_size(count, count) + tile + congru_panels_inverse_work(count);
}

/* m = M_TT. tile: (count, CONGRU_PANEL). */
static void gather_left(const congru_ridge_operator *op, const congru_ridge_left *left, double *tile,
                        congru_panels *m)
{
    const congru_panels *outer = outer_panels(op);
    for (size_t j = 0, some; j < left->count; j += some) {
        some = run_in_panel(left, j);
        const double *panel = congru_panels_at(outer, left->trial[j] / CONGRU_PANEL);
        for (size_t i = 0, run; !op->whole && i < left->count; i += run) {
            run = run_of_trials(left, i);
            const congru_operand a = {op->x + left->trial[i] * op->features, op->features, 1, true};
            op->context->kernel->panel(run, op->features, a, panel, CONGRU_PANEL_SET, tile + i * CONGRU_PANEL,
                                       CONGRU_PANEL);
        }
        for (size_t i = 0; i < left->count; i++)
            for (size_t s = j; s < j + some; s++) {
                const size_t column = left->trial[s] % CONGRU_PANEL;
                *congru_panels_entry(m, i, s) =
                    op->whole ? panel[left->trial[i] * CONGRU_PANEL + column]
                              : (i == s ? 1.0 : 0.0) - op->c * tile[i * CONGRU_PANEL + column];
            }
    }
}

bool congru_ridge_operator_leave(const congru_ridge_operator *op, const congru_ridge_left *left, double *work)
{
    const size_t count = left->count, size = congru_panels_size(count, count);
    congru_panels m = {count, count, work};
    double *tile = work + size;
    if (count == 0)
        return true;
    memset(work, 0, size * sizeof *work);
    gather_left(op, left, tile, &m);
    if (!congru_panels_invert(op->context, true, &m, tile + (count + CONGRU_GROUP) * CONGRU_PANEL))
        return false;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            left->inverse[i * count + j] = *congru_panels_entry(&m, i, j);
    return true;
}

/* ---- Multiplying --------------------------------------------------------------------------------------- */

static congru_operand rows_of(const double *r, size_t stride)
{
    return (congru_operand){r, stride, 1, true};
}

void congru_ridge_weights(congru_ridge_operator *op, size_t rows, const double *r, double *out)
{
    congru_panels_product(op->context, false, rows, rows_of(r, op->stride), &op->left, CONGRU_PANEL_SET, out,
                          op->inner);
}

void congru_ridge_begin(congru_ridge_operator *op, size_t rows, const double *r)
{
    if (!op->whole)
        congru_ridge_weights(op, rows, r, op->middle);
}

void congru_ridge_take(const congru_ridge_operator *op, const congru_ridge_left *left, const double *r,
                       size_t row, size_t count, double *work, double *v)
{
    const congru_panels *outer = outer_panels(op);
    const congru_operand a = op->whole ? rows_of(r + row * op->stride, op->stride)
                                       : rows_of(op->middle + row * op->inner, op->inner);
    for (size_t j = 0, some; j < left->count; j += some) {
        some = run_in_panel(left, j);
        op->context->kernel->panel(count, outer->rows, a,
                                   congru_panels_at(outer, left->trial[j] / CONGRU_PANEL), CONGRU_PANEL_SET,
                                   work, CONGRU_PANEL);
        for (size_t k = 0; k < count; k++)
            for (size_t s = j; s < j + some; s++) {
                const double product = work[k * CONGRU_PANEL + left->trial[s] % CONGRU_PANEL];
                v[k * left->count + s] =
                    op->whole ? product : r[(row + k) * op->stride + left->trial[s]] - op->c * product;
            }
    }
}

void congru_ridge_put(congru_ridge_operator *op, const congru_ridge_left *left, const double *u, size_t row,
                      size_t count, double *r)
{
    for (size_t i = 0, run; i < left->count; i += run) {
        run = run_of_trials(left, i);
        for (size_t k = 0; k < count; k++)
            for (size_t s = i; s < i + run; s++)
                r[(row + k) * op->stride + left->trial[s]] -= u[k * left->count + s];
        const congru_operand a = {u + i, left->count, 1, true};
        for (size_t p = 0; !op->whole && p < congru_panels_count(op->features); p++)
            op->context->kernel->panel(
                count, run, a, congru_panels_at(&op->left, p) + left->trial[i] * CONGRU_PANEL,
                CONGRU_PANEL_SUBTRACT, op->middle + row * op->inner + p * CONGRU_PANEL, op->inner);
    }
}

void congru_ridge_end(congru_ridge_operator *op, size_t rows, const double *r, double *out)
{
    if (op->whole) {
        congru_panels_product(op->context, false, rows, rows_of(r, op->stride), &op->inverse, CONGRU_PANEL_SET,
                              out, op->stride);
        return;
    }
    congru_panels_product(op->context, false, rows, rows_of(op->middle, op->inner), &op->right,
                          CONGRU_PANEL_SET, out, op->stride);
    for (size_t i = 0; i < rows * op->stride; i++)
        out[i] = r[i] - op->c * out[i];
}
