/* Fisher's discriminant directions. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "classifier/dense_factor.h"
#include "classifier/lda.h"
#include "congru/spd.h"
#include "spd/batch.h"

/* S_B = M M^T with a column of M for each class, so of S_W^-1 S_B no more need be decomposed than the products of
 * U^-T M, as many as there are classes. */
typedef struct directions_work {
    congru_arena arena;
    double *between;          /* (classes, stride): M^T, then the same times U^-1 */
    double *product, *vector; /* (classes, classes) */
    double *value;            /* (classes) */
    double *direction;        /* (stride) */
} directions_work;

static void work_layout(directions_work *w, size_t classes, size_t stride)
{
    w->between = congru_arena_take(&w->arena, classes * stride, sizeof(double));
    w->product = congru_arena_take(&w->arena, classes * classes, sizeof(double));
    w->vector = congru_arena_take(&w->arena, classes * classes, sizeof(double));
    w->value = congru_arena_take(&w->arena, classes, sizeof(double));
    w->direction = congru_arena_take(&w->arena, stride, sizeof(double));
}

static void find_between(const congru_lda *lda, const directions_work *w)
{
    const size_t p = lda->features, stride = congru_dense_stride(p), classes = lda->table.classes;
    double *mean = w->direction;
    memset(mean, 0, stride * sizeof(double));
    memset(w->between, 0, classes * stride * sizeof(double));
    for (size_t k = 0; k < classes; k++)
        for (size_t j = 0; j < p; j++)
            mean[j] += (double)lda->table.count[k] / (double)lda->n * lda->mean[k * p + j];
    for (size_t k = 0; k < classes; k++)
        for (size_t j = 0; j < p; j++)
            w->between[k * stride + j] = sqrt((double)lda->table.count[k]) * (lda->mean[k * p + j] - mean[j]);
}

/* Direction `index` from eigenvector `k` of the products. */
static void write_direction(congru_context *context, congru_lda *lda, const directions_work *w, size_t k,
                            double *direction)
{
    const size_t p = lda->features, stride = congru_dense_stride(p), classes = lda->table.classes;
    memset(w->direction, 0, stride * sizeof(double));
    for (size_t c = 0; c < classes; c++)
        for (size_t j = 0; j < p; j++)
            w->direction[j] += w->vector[c * classes + k] * w->between[c * stride + j];
    congru_dense_solve(context->kernel, p, lda->within, 1, w->direction, lda->part);
    /* `within` is over n: v^T S_W v = 1 asks for another sqrt(n). */
    double largest = 0.0, scale = 1.0 / sqrt(w->value[k] * (double)lda->n);
    for (size_t j = 0; j < p; j++)
        largest = fabs(w->direction[j]) > fabs(largest) ? w->direction[j] : largest;
    for (size_t j = 0; j < p; j++)
        direction[j] = w->direction[j] * (largest < 0.0 ? -scale : scale);
}

static congru_status find_directions(congru_context *context, congru_lda *lda, double *directions,
                                     double *ratio)
{
    const size_t p = lda->features, stride = congru_dense_stride(p), classes = lda->table.classes;
    directions_work w = {0};
    work_layout(&w, classes, stride);
    if (congru_arena_reserve(&w.arena, w.arena.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the directions of %zu classes",
                           classes);
    work_layout(&w, classes, stride);
    find_between(lda, &w);
    congru_dense_solve_transposed(context->kernel, p, lda->within, classes, w.between, lda->part);
    for (size_t a = 0; a < classes; a++) {
        for (size_t b = 0; b < classes; b++) {
            double sum = 0.0;
            for (size_t j = 0; j < p; j++)
                sum += w.between[a * stride + j] * w.between[b * stride + j];
            w.product[a * classes + b] = sum;
        }
    }
    congru_status status = congru_spd_eigen(context, 1, classes, w.product, w.value, w.vector);
    for (size_t k = 0; k + 1 < classes && status == CONGRU_OK; k++) {
        const size_t from = classes - 1 - k; /* eigenvalues ascend */
        const bool any = k < p && w.value[from] > 1e-12 * w.value[classes - 1];
        if (any)
            write_direction(context, lda, &w, from, directions + k * p);
        else
            memset(directions + k * p, 0, p * sizeof(double));
        if (ratio != NULL)
            ratio[k] = any ? w.value[from] / (double)lda->n : 0.0;
    }
    return congru_workspace_free(context, &w.arena, status);
}

congru_status congru_lda_directions(congru_context *context, size_t n, size_t features, const double *x,
                                    const int32_t *label, size_t classes, double *directions, double *ratio)
{
    congru_lda lda;
    CONGRU_TRY(congru_check_argument(context, directions != NULL, "no output was given"));
    congru_status status = congru_lda_make(context, n, features, x, label, classes, &lda);
    if (status == CONGRU_OK) {
        congru_lda_scatter(context, &lda, false);
        if (n - lda.table.present < features || !congru_lda_factor(context, &lda)) {
            congru_note(context, "the scatter of %s within %s is singular in %s: it was shrunk",
                        congru_count(n, "trial").text, congru_count(lda.table.present, "class").text,
                        congru_count(features, "feature").text);
            congru_lda_scatter(context, &lda, true);
            if (!congru_lda_factor(context, &lda))
                congru_lda_factor_regularised(context, &lda);
        }
        status = find_directions(context, &lda, directions, ratio);
    }
    congru_lda_free(&lda);
    return status;
}
