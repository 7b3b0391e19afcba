/* Linear discriminant analysis, with the covariance shrunk after Ledoit and Wolf. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/lda.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "classifier/dense_factor.h"
#include "classifier/feature_blocks.h"
#include "classifier/linear.h"
#include "spd/batch.h"

static const double pivot_least = 1e-12; /* of a diagonal entry: below, its row is a combination of others */

static void lda_layout(congru_lda *lda, size_t largest)
{
    congru_arena *arena = &lda->arena;
    const size_t p = lda->features, stride = congru_dense_stride(p);
    const size_t solving = (p + CONGRU_GROUP) * CONGRU_GROUP, products = p * p;
    lda->mean = congru_arena_take(arena, lda->table.classes * p, sizeof(double));
    lda->within = congru_arena_take(arena, p * stride, sizeof(double));
    lda->blocks = congru_arena_take(arena, congru_feature_block_count(largest) * p * CONGRU_FEATURE_BLOCK,
                                    sizeof(double));
    lda->deviation = congru_arena_take(arena, p, sizeof(double));
    lda->part = congru_arena_take(arena, products > solving ? products : solving, sizeof(double));
    lda->class_products = congru_arena_take(arena, p * stride, sizeof(double));
}

static void find_means(congru_lda *lda)
{
    const size_t p = lda->features;
    memset(lda->mean, 0, lda->table.classes * p * sizeof(double));
    for (size_t k = 0; k < lda->table.classes; k++) {
        double *mean = lda->mean + k * p;
        const size_t *order = lda->table.order + lda->table.first[k];
        for (size_t t = 0; t < lda->table.count[k]; t++) {
            for (size_t j = 0; j < p; j++)
                mean[j] += lda->x[order[t] * p + j];
            congru_mapped_pass(p * sizeof(double));
        }
        for (size_t j = 0; j < p && lda->table.count[k] > 0; j++)
            mean[j] /= (double)lda->table.count[k];
    }
}

congru_status congru_lda_make(congru_context *context, size_t n, size_t features, const double *x,
                              const int32_t *label, size_t classes, congru_lda *lda)
{
    *lda = (congru_lda){.n = n, .features = features, .x = x};
    CONGRU_TRY(congru_check_argument(context, label != NULL, "no labels were given"));
    CONGRU_TRY(congru_check_features(context, n, features, x));
    CONGRU_TRY(congru_class_table_make(context, n, label, classes, &lda->table));
    size_t largest = 0;
    for (size_t k = 0; k < classes; k++)
        largest = lda->table.count[k] > largest ? lda->table.count[k] : largest;
    lda_layout(lda, largest);
    if (congru_arena_reserve(&lda->arena, lda->arena.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY,
                           "no memory for discriminant analysis of %zu trials with %zu features", n, features);
    lda_layout(lda, largest);
    find_means(lda);
    return congru_workspace_check(context, &lda->arena);
}

void congru_lda_free(congru_lda *lda)
{
    congru_arena_free(&lda->arena);
    congru_class_table_free(&lda->table);
}

/* Standard deviations of a class; 1 for a feature that is constant up to rounding, as scikit-learn's StandardScaler. */
static void find_deviations(congru_lda *lda, size_t k)
{
    const size_t p = lda->features, count = lda->table.count[k];
    const size_t *order = lda->table.order + lda->table.first[k];
    const double *mean = lda->mean + k * p;
    memset(lda->deviation, 0, p * sizeof(double));
    for (size_t t = 0; t < count; t++) {
        for (size_t j = 0; j < p; j++) {
            double gap = lda->x[order[t] * p + j] - mean[j];
            lda->deviation[j] += gap * gap;
        }
        congru_mapped_pass(p * sizeof(double));
    }
    for (size_t j = 0; j < p; j++) {
        double variance = lda->deviation[j] / (double)count, rounding = (double)count * mean[j] * DBL_EPSILON;
        bool constant = variance <= (double)count * DBL_EPSILON * variance + rounding * rounding;
        lda->deviation[j] = constant ? 1.0 : sqrt(variance);
    }
}

/* How much the correlations (their products in class_products, over count) are to be shrunk, and towards which multiple
 * of the identity. */
static double shrinkage_of(congru_context *context, const congru_lda *lda, size_t count, double *target)
{
    const size_t p = lda->features, stride = congru_dense_stride(p), blocks = congru_feature_block_count(count);
    double trace = 0.0, squares = 0.0, fourth = 0.0;
    for (size_t i = 0; i < p; i++) {
        trace += lda->class_products[i * (stride + 1)];
        for (size_t j = 0; j < p; j++)
            squares += lda->class_products[i * stride + j] * lda->class_products[i * stride + j];
    }
    for (size_t b = 0; b < blocks; b++) {
        fourth +=
            context->kernel->power_squares(p, CONGRU_FEATURE_BLOCK, lda->blocks + b * p * CONGRU_FEATURE_BLOCK);
        congru_mapped_pass(p * CONGRU_FEATURE_BLOCK * sizeof(double));
    }
    const double mu = trace / (double)p;
    double beta = (fourth / (double)count - squares) / ((double)p * (double)count);
    const double delta = (squares - 2.0 * mu * trace + (double)p * mu * mu) / (double)p;
    beta = beta < delta ? beta : delta;
    *target = mu;
    return beta > 0.0 ? beta / delta : 0.0;
}

/* Adds share times the covariance of a class, shrunk among its correlations or plain. */
static void add_class(congru_context *context, congru_lda *lda, size_t k, bool shrunk)
{
    const size_t p = lda->features, stride = congru_dense_stride(p), count = lda->table.count[k];
    const double share = (double)count / (double)lda->n;
    double shrinkage = 0.0, target = 0.0;
    congru_feature_change change = {.order = lda->table.order + lda->table.first[k],
                                    .shift = lda->mean + k * p};
    if (shrunk) {
        find_deviations(lda, k);
        change.divide = lda->deviation;
    }
    congru_feature_blocks_fill(count, p, lda->x, &change, lda->blocks);
    memset(lda->class_products, 0, p * stride * sizeof(double));
    congru_feature_blocks_gram(context->kernel, congru_feature_block_count(count), p, lda->blocks,
                               1.0 / (double)count, lda->part, lda->class_products);
    if (shrunk)
        shrinkage = shrinkage_of(context, lda, count, &target);
    for (size_t i = 0; i < p; i++) {
        const double *from = lda->class_products + i * stride;
        double *to = lda->within + i * stride;
        const double row = share * (shrunk ? lda->deviation[i] : 1.0);
        for (size_t j = 0; j < p; j++)
            to[j] += row * (shrunk ? lda->deviation[j] : 1.0) *
                     ((1.0 - shrinkage) * from[j] + (i == j ? shrinkage * target : 0.0));
    }
}

void congru_lda_scatter(congru_context *context, congru_lda *lda, bool shrunk)
{
    memset(lda->within, 0, lda->features * congru_dense_stride(lda->features) * sizeof(double));
    for (size_t k = 0; k < lda->table.classes; k++)
        if (lda->table.count[k] > 0)
            add_class(context, lda, k, shrunk);
}

bool congru_lda_factor(congru_context *context, congru_lda *lda)
{
    const size_t p = lda->features, stride = congru_dense_stride(p);
    memcpy(lda->class_products, lda->within, p * stride * sizeof(double)); /* for another try */
    return congru_dense_factor(context->kernel, p, lda->within, lda->part) > pivot_least;
}

void congru_lda_factor_regularised(congru_context *context, congru_lda *lda)
{
    const size_t p = lda->features, stride = congru_dense_stride(p);
    double trace = 0.0;
    for (size_t i = 0; i < p; i++)
        trace += lda->class_products[i * (stride + 1)];
    const double ridge = trace > 0.0 ? 1e-6 * trace / (double)p : 1.0;
    memcpy(lda->within, lda->class_products, p * stride * sizeof(double));
    for (size_t i = 0; i < p; i++)
        lda->within[i * (stride + 1)] += ridge;
    congru_dense_factor(context->kernel, p, lda->within, lda->part);
    congru_note(context,
                "the covariance within classes is singular even when shrunk: %g was added to its diagonal",
                ridge);
}

congru_status congru_lda_fit(congru_context *context, size_t n, size_t features, const double *x,
                             const int32_t *label, size_t classes, double *weights, double *intercept)
{
    congru_lda lda;
    const size_t stride = congru_dense_stride(features);
    CONGRU_TRY(congru_check_argument(context, weights != NULL && intercept != NULL, "no output was given"));
    congru_status status = congru_lda_make(context, n, features, x, label, classes, &lda);
    if (status == CONGRU_OK) {
        congru_lda_scatter(context, &lda, true);
        if (!congru_lda_factor(context, &lda))
            congru_lda_factor_regularised(context, &lda);
    }
    for (size_t k = 0; k < classes && status == CONGRU_OK; k++) {
        const double *mean = lda.mean + k * features;
        double *solved = lda.class_products, product = 0.0;
        memset(solved, 0, stride * sizeof(double));
        memcpy(solved, mean, features * sizeof(double));
        congru_dense_solve_transposed(context->kernel, features, lda.within, 1, solved, lda.part);
        congru_dense_solve(context->kernel, features, lda.within, 1, solved, lda.part);
        for (size_t j = 0; j < features; j++)
            product += mean[j] * solved[j];
        memcpy(weights + k * features, solved, features * sizeof(double));
        intercept[k] = lda.table.count[k] == 0
                           ? CONGRU_ABSENT_INTERCEPT
                           : congru_scalar_log((double)lda.table.count[k] / (double)n) - 0.5 * product;
    }
    congru_lda_free(&lda);
    return status;
}
