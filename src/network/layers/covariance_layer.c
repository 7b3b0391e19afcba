/* The covariance of a signal: C = X^T X / (T - 1) of its channels about their means, shrunk, plus a jitter. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* number[0] is the shrinkage a, number[1] the jitter: Y = (1 - a) C + (a tr C / d + jitter) I. The signal is of reals; its
 * products are summed in double precision, one sum in ascending order of time for each entry. Rows of doubles are padded
 * with zeros to whole vectors. */
static size_t padded(size_t d)
{
    return (d + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
}

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const congru_extent *in = &node->in[0];
    /* cppcheck-suppress duplicateExpression ; reals may be doubles */
    const size_t room = padded(in->cols) * (sizeof(double) / sizeof(congru_real));
    node->out = congru_matrix(in->cols);
    node->need.lanes[0] = in->cols * in->cols;
    node->need.plain[0] = node->need.plain[1] = in->rows * room;
    node->need.plain[2] = in->cols * room;
}

/* Room for doubles in the scratch for reals. */
static double *doubles(const congru_call *call, size_t k)
{
    /* cppcheck-suppress invalidPointerCast ; the arena aligns it for either */
    return (double *)call->work.plain[k];
}

/* x (samples, padded channels) of one trial about its means. */
static void centre(const congru_extent *in, const congru_real *signal, double *x)
{
    const size_t d = in->cols, step = congru_extent_step(in), wide = padded(d);
    memset(x, 0, in->rows * wide * sizeof(double));
    for (size_t c = 0; c < d; c++) {
        double mean = 0.0;
        for (size_t t = 0; t < in->rows; t++)
            mean += (double)signal[t * step + c];
        mean /= (double)in->rows;
        for (size_t t = 0; t < in->rows; t++)
            x[t * wide + c] = (double)signal[t * step + c] - mean;
    }
}

/* c (d, d) = (scale (1 - a)) c + (a scale tr c / d) I: shrinkage, which is its own adjoint. */
static void shrink(size_t d, double scale, double a, double *c)
{
    double trace = 0.0;
    for (size_t i = 0; i < d; i++)
        trace += c[i * (d + 1)];
    for (size_t e = 0; e < d * d; e++)
        c[e] *= scale * (1.0 - a);
    for (size_t i = 0; i < d; i++)
        c[i * (d + 1)] += scale * a * trace / (double)d;
}

static double scale_of(const congru_extent *in)
{
    return 1.0 / (double)(in->rows > 1 ? in->rows - 1 : 1);
}

static void forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t d = in->cols, wide = padded(d);
    double *x = doubles(call, 0), *product = doubles(call, 2), *c = call->work.lanes[0];
    for (size_t m = 0; m < call->count; m++, c += d * d) {
        centre(in, congru_trial_reals(call->x[0], in, m), x);
        call->kernel->dense(d, wide, in->rows, congru_shared_transposed(x, wide), x, false, product);
        for (size_t i = 0; i < d; i++)
            memcpy(c + i * d, product + i * wide, d * sizeof(double));
        shrink(d, scale_of(in), call->node->number[0], c);
    }
    call->kernel->pack(call->vectors, call->count, d, d, call->work.lanes[0], call->y);
    call->kernel->add_diagonal(call->vectors, d, call->node->number[1], call->y);
}

/* dX = 2 (X - mean) dC; its mean over time is zero, as the means of X ask for. */
static void backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t d = in->cols, step = congru_extent_step(in), wide = padded(d);
    double *x = doubles(call, 0), *g = doubles(call, 1), *slope = doubles(call, 2), *c = call->work.lanes[0];
    if (call->d_x[0] == NULL)
        return;
    call->kernel->unpack(call->vectors, call->count, d, d, call->d_y, c);
    for (size_t m = 0; m < call->count; m++, c += d * d) {
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        shrink(d, 2.0 * scale_of(in), call->node->number[0], c);
        memset(slope, 0, d * wide * sizeof(double));
        for (size_t i = 0; i < d; i++)
            memcpy(slope + i * wide, c + i * d, d * sizeof(double));
        centre(in, congru_trial_reals(call->x[0], in, m), x);
        call->kernel->dense(in->rows, wide, d, congru_shared(x, wide), slope, false, g);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t t = 0; t < in->rows; t++) {
            for (size_t k = 0; k < d; k++)
                d_x[t * step + k] = (congru_real)g[t * wide + k];
        }
    }
}

const congru_layer congru_layer_covariance = {
    .name = "covariance",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .trials = {forward, backward},
};
