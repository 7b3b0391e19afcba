/* Common spatial patterns of covariances, each class against the rest. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/csp_view.h"

size_t congru_csp_blocks(size_t classes)
{
    return classes == 2 ? 1 : classes;
}

size_t congru_csp_block_size(size_t d, size_t per_end)
{
    return per_end > d / 2 ? d : 2 * per_end;
}

typedef struct csp_work {
    congru_arena arena;
    double *sum;         /* (classes, d, d), of the covariances over their traces */
    double *mean, *rest; /* (d, d): of the class, and of the others */
    double *white;       /* (d, d): rest^-1/2 */
    double *value;       /* (d) */
    double *some;        /* (SOME, d, d), trials of a view */
} csp_work;

enum { SOME = 256 }; /* trials taken at a time */

static bool is_scattered(const congru_view *view)
{
    return view->place != NULL || view->root != NULL;
}

static void work_layout(csp_work *w, size_t classes, size_t d, bool scattered)
{
    w->sum = congru_arena_take(&w->arena, classes * d * d, sizeof(double));
    w->mean = congru_arena_take(&w->arena, d * d, sizeof(double));
    w->rest = congru_arena_take(&w->arena, d * d, sizeof(double));
    w->white = congru_arena_take(&w->arena, d * d, sizeof(double));
    w->value = congru_arena_take(&w->arena, d, sizeof(double));
    w->some = congru_arena_take(&w->arena, scattered ? SOME * d * d : 0, sizeof(double));
}

static congru_status sum_classes(congru_context *context, const congru_class_table *table, size_t d,
                                 const congru_view *view, const int32_t *label, const csp_work *w)
{
    const double *c = NULL;
    double *sum = w->sum;
    memset(sum, 0, table->classes * d * d * sizeof(double));
    for (size_t i = 0; i < table->n; i++, c += d * d) {
        if (i % SOME == 0) {
            const size_t count = table->n - i < SOME ? table->n - i : SOME;
            congru_status status = congru_view_block(context, i, count, d, view, w->some, &c);
            if (status != CONGRU_OK)
                return status;
        }
        double trace = 0.0;
        for (size_t j = 0; j < d; j++)
            trace += c[j * (d + 1)];
        if (!(trace > 0.0) || !isfinite(trace))
            return congru_fail(context, isfinite(trace) ? CONGRU_ERROR_NOT_POSITIVE : CONGRU_ERROR_NOT_FINITE,
                               "the covariance of trial %zu of %zu has trace %g", i + 1, table->n, trace);
        for (size_t j = 0; j < d * d; j++)
            sum[(size_t)label[i] * d * d + j] += c[j] / trace;
    }
    return CONGRU_OK;
}

/* Filters of class k: eigenvectors of rest^-1/2 mean rest^-1/2 at both ends, times rest^-1/2. */
static congru_status find_block(congru_context *context, const congru_class_table *table,
                                const congru_trials *trials, size_t k, size_t size, const csp_work *w,
                                double *filters)
{
    const size_t d = trials->d, square = d * d;
    memset(w->rest, 0, square * sizeof(double));
    for (size_t other = 0; other < table->classes; other++)
        for (size_t j = 0; j < square && other != k; j++)
            w->rest[j] += w->sum[other * square + j] / (double)(table->n - table->count[k]);
    for (size_t j = 0; j < square; j++)
        w->mean[j] = w->sum[k * square + j] / (double)table->count[k];
    congru_status status = congru_spd_invsqrt(context, 1, d, w->rest, w->white);
    if (status == CONGRU_OK)
        status = congru_spd_congruence(context, 1, d, d, w->mean, w->white, w->mean);
    if (status == CONGRU_OK)
        status = congru_spd_eigen(context, 1, d, w->mean, w->value, w->rest);
    if (status != CONGRU_OK) {
        char reason[sizeof context->error];
        memcpy(reason, context->error, sizeof reason);
        return congru_fail(context, status, "the mean covariance of the trials not of %s: %.900s",
                           congru_class_named(trials->class_name, k).text, reason);
    }
    for (size_t f = 0; f < size; f++, filters += d) {
        /* Eigenvalues ascend: the largest half first, then on to the least. */
        const size_t from = f < (size + 1) / 2 ? d - 1 - f : size - 1 - f;
        double largest = 0.0;
        for (size_t i = 0; i < d; i++) {
            filters[i] = 0.0;
            for (size_t j = 0; j < d; j++)
                filters[i] += w->white[i * d + j] * w->rest[j * d + from];
            largest = fabs(filters[i]) > fabs(largest) ? filters[i] : largest;
        }
        for (size_t i = 0; i < d && largest < 0.0; i++)
            filters[i] = -filters[i];
    }
    return CONGRU_OK;
}

static congru_status find_filters(congru_context *context, const congru_class_table *table,
                                  const congru_trials *trials, size_t size, double *filters, size_t *blocks)
{
    const size_t d = trials->d;
    const congru_view view = congru_trials_view(trials);
    csp_work w = {0};
    work_layout(&w, table->classes, d, is_scattered(&view));
    if (congru_arena_reserve(&w.arena, w.arena.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the spatial filters of %zu channels",
                           d);
    work_layout(&w, table->classes, d, is_scattered(&view));
    congru_status status = sum_classes(context, table, d, &view, trials->label, &w);
    const size_t wanted = congru_csp_blocks(table->present);
    *blocks = 0;
    for (size_t k = 0; k < table->classes && *blocks < wanted && status == CONGRU_OK; k++)
        if (table->count[k] > 0)
            status = find_block(context, table, trials, k, size, &w, filters + (*blocks)++ * size * d);
    return congru_workspace_free(context, &w.arena, status);
}

congru_status congru_csp_view_filters(congru_context *context, const congru_trials *trials, size_t per_end,
                                      double *filters, size_t *blocks)
{
    congru_class_table table = {0};
    CONGRU_TRY(congru_check_shape(context, trials->count, trials->d));
    CONGRU_TRY(congru_check_argument(context,
                                     congru_trials_view(trials).plain != NULL && trials->label != NULL &&
                                         filters != NULL && blocks != NULL && per_end > 0,
                                     "no input, no output or no filter was asked for"));
    congru_status status =
        congru_class_table_make(context, trials->count, trials->label, trials->classes, &table);
    if (status == CONGRU_OK)
        status =
            find_filters(context, &table, trials, congru_csp_block_size(trials->d, per_end), filters, blocks);
    congru_class_table_free(&table);
    return status;
}

congru_status congru_csp_filters(congru_context *context, size_t n, size_t d, const double *c,
                                 const int32_t *label, size_t classes, size_t per_end, double *filters,
                                 size_t *blocks)
{
    const congru_trials trials = {.count = n, .d = d, .covariance = c, .label = label, .classes = classes};
    return congru_csp_view_filters(context, &trials, per_end, filters, blocks);
}

/* ---- Features ---------------------------------------------------------------------------------- */

/* Variances (size, size) of filtered trials become features, in the block's place of out. */
static congru_status write_features(congru_context *context, size_t first, size_t count, size_t size,
                                    const double *filtered, size_t out_stride, double *out)
{
    for (size_t i = 0; i < count; i++, filtered += size * size, out += out_stride) {
        double sum = 0.0;
        for (size_t f = 0; f < size; f++)
            sum += filtered[f * (size + 1)];
        for (size_t f = 0; f < size; f++) {
            if (!(filtered[f * (size + 1)] > 0.0))
                return congru_fail(context, CONGRU_ERROR_NOT_POSITIVE,
                                   "trial %zu has a variance of %g behind spatial filter %zu", first + i + 1,
                                   filtered[f * (size + 1)], f + 1);
            out[f] = congru_scalar_log(filtered[f * (size + 1)] / sum);
        }
    }
    return CONGRU_OK;
}

congru_status congru_csp_view_features(congru_context *context, size_t n, size_t d, const congru_view *view,
                                       size_t blocks, size_t size, const double *filters, double *out)
{
    congru_arena arena = {0};
    double *filtered = NULL, *turned = NULL, *some = NULL;
    const double *c;
    congru_status status = congru_check_shape(context, n, d);
    if (status == CONGRU_OK)
        status = congru_check_argument(context,
                                       view->plain != NULL && filters != NULL && out != NULL && blocks > 0 &&
                                           size > 0 && size <= d,
                                       "no input, no output or no filters were given");
    if (status == CONGRU_OK)
        status = congru_check_count(context, blocks, size * d);
    if (status == CONGRU_OK)
        status = congru_check_count(context, n, blocks * size);
    if (status != CONGRU_OK)
        return status;
    for (int pass = 0; pass < 2; pass++) {
        filtered = congru_arena_take(&arena, SOME * size * size, sizeof(double));
        turned = congru_arena_take(&arena, d * size, sizeof(double));
        some = congru_arena_take(&arena, is_scattered(view) ? SOME * d * d : 0, sizeof(double));
        if (pass == 0 && congru_arena_reserve(&arena, arena.used) != CONGRU_OK)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu filters of %zu channels", size,
                               d);
    }
    for (size_t b = 0; b < blocks && status == CONGRU_OK; b++) {
        for (size_t f = 0; f < size; f++)
            for (size_t i = 0; i < d; i++)
                turned[i * size + f] = filters[(b * size + f) * d + i];
        for (size_t first = 0; first < n && status == CONGRU_OK; first += SOME) {
            const size_t count = n - first < SOME ? n - first : SOME;
            status = congru_view_block(context, first, count, d, view, some, &c);
            if (status == CONGRU_OK)
                status = congru_spd_congruence(context, count, d, size, c, turned, filtered);
            if (status == CONGRU_OK)
                status = write_features(context, first, count, size, filtered, blocks * size,
                                        out + (first * blocks + b) * size);
        }
    }
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_csp_features(congru_context *context, size_t n, size_t d, const double *c, size_t blocks,
                                  size_t size, const double *filters, double *out)
{
    return congru_csp_view_features(context, n, d, &(congru_view){.plain = c}, blocks, size, filters, out);
}
