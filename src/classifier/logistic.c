/* The objective of logistic regression, and what makes it round. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/logistic.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mapped_memory.h"
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
    const size_t stride = stride_of(p), workers = (size_t)congru_thread_pool_threads(context->pool);
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
    p->scaled = congru_arena_take(arena, features * SIDE, sizeof(double));
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

/* p->factor becomes the factor of itself + I, the intercept apart. */
static void add_ridge_and_factor(congru_context *context, congru_logistic *p)
{
    const size_t stride = stride_of(p);
    for (size_t i = 0; i + 1 < p->features; i++)
        p->factor[i * (stride + 1)] += 1.0;
    /* The intercept's own curvature vanishes where every trial is decided. */
    p->factor[p->features * (stride + 1) - stride - 1] += 1e-6;
    congru_dense_factor(context->kernel, p->features, p->factor, p->scratch);
}

void congru_logistic_precondition(congru_context *context, double c, congru_logistic *p)
{
    const double h = p->reference ? 0.25 : 1.0 / (double)p->rows;
    const size_t count = p->features * stride_of(p);
    for (size_t i = 0; i < count; i++)
        p->factor[i] = h * c * p->gram[i];
    add_ridge_and_factor(context, p);
}

static congru_logistic_block block_of(const congru_logistic *p, size_t block)
{
    return (congru_logistic_block){.features = p->features,
                                   .rows = p->rows,
                                   .reference = p->reference,
                                   .x = p->x + block * p->features * SIDE,
                                   .label = p->label + block * SIDE,
                                   .weight = p->weight + block * SIDE};
}

/* The mean of the eigenvalues of diag(q) - q q^T that are not 0, from residuals weight * (q - whether of the class). */
static double curvature(const congru_logistic *p, const double *residual, double label, double weight)
{
    double squares = 0.0, one = 0.0;
    for (size_t r = 0; r < p->rows; r++) {
        one = residual[r * SIDE] / weight + (label == (double)r ? 1.0 : 0.0);
        squares += one * one;
    }
    return fmax(p->reference ? one - squares : (1.0 - squares) / (double)(p->rows - 1), 0.0);
}

void congru_logistic_precondition_at(congru_context *context, congru_logistic *p, const double *w)
{
    const size_t stride = stride_of(p), features = p->features;
    for (size_t r = 0; r < p->rows; r++)
        memcpy(p->plain + r * features, w + r * stride, features * sizeof(double));
    memset(p->factor, 0, features * stride * sizeof(double));
    for (size_t b = 0; b < p->blocks; b++) {
        const congru_logistic_block block = block_of(p, b);
        double root[SIDE];
        context->kernel->logistic(&block, p->plain, p->scratch, p->part);
        for (size_t t = 0; t < SIDE; t++)
            root[t] =
                block.weight[t] > 0.0
                    ? sqrt(block.weight[t] * curvature(p, p->scratch + t, block.label[t], block.weight[t]))
                    : 0.0;
        for (size_t j = 0; j < features; j++)
            for (size_t t = 0; t < SIDE; t++)
                p->scaled[j * SIDE + t] = root[t] * block.x[j * SIDE + t];
        congru_feature_blocks_gram(context->kernel, 1, features, p->scaled, 1.0, p->scratch, p->factor);
    }
    add_ridge_and_factor(context, p);
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
    const congru_logistic_block job = block_of(p, block);
    memset(p->part + block * size, 0, size * sizeof(double));
    congru_mapped_pass(p->features * SIDE * sizeof(double));
    p->loss[block] = e->context->kernel->logistic(&job, p->plain, p->scratch + (size_t)worker * p->rows * SIDE,
                                                  p->part + block * size);
}

double congru_logistic_evaluate(congru_context *context, congru_logistic *p, const double *w)
{
    const size_t stride = stride_of(p), features = p->features;
    evaluation e = {context, p};
    for (size_t r = 0; r < p->rows; r++)
        memcpy(p->plain + r * features, w + r * stride, features * sizeof(double));
    congru_thread_pool_run(context->pool, p->blocks, evaluate_block, &e);
    double value = 0.0, ridge = 0.0;
    memset(p->gradient, 0, p->rows * stride * sizeof(double));
    for (size_t block = 0; block < p->blocks; block++) {
        value += p->loss[block];
        congru_mapped_pass(p->rows * features * sizeof(double));
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
