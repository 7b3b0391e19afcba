/* The mean, or the largest, of windows of a signal. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* number[0] samples a window, number[1] from one to the next; what is left at the end is not read. */
static void sizes(const congru_node *node, size_t *window, size_t *stride)
{
    *window = (size_t)node->number[0];
    *stride = (size_t)node->number[1];
}

/* ---- Mean -------------------------------------------------------------------------------------------- */

/* Windows and the way between them are whole numbers of blocks of so many samples: sums of blocks are shared by windows. */
static size_t block_size(const congru_node *node)
{
    size_t a, b;
    sizes(node, &a, &b);
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void mean_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.plain[0] = node->in[0].rows / block_size(node) * congru_extent_step(&node->in[0]);
}

static void mean_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), block = block_size(call->node);
    const congru_real_kernel *real = call->kernel->real;
    congru_real *sum = call->work.plain[0];
    size_t window, stride;
    sizes(call->node, &window, &stride);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        memset(y, 0, out->size * sizeof(double));
        real->pool(in->rows / block, step, block, block, 1, congru_trial_reals(call->x[0], in, m), sum);
        real->pool(out->rows, step, window / block, stride / block, (congru_real)(1.0 / (double)window), sum,
                   y);
    }
}

/* All samples of a block are given the same: the sum of d_y over the windows that it is in. */
static void mean_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), block = block_size(call->node),
                 line = step * sizeof(congru_real);
    size_t window, stride;
    sizes(call->node, &window, &stride);
    const size_t blocks = in->rows / block, wide = window / block, apart = stride / block;
    for (size_t m = 0; m < call->count && call->d_x[0] != NULL; m++) {
        const congru_real *d_y = congru_trial_reals(call->d_y, out, m);
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t b = 0; b < blocks; b++, d_x += block * step) {
            const size_t first = b < wide ? 0 : (b - wide) / apart + 1,
                         end = b / apart + 1 < out->rows ? b / apart + 1 : out->rows;
            if (first >= end)
                continue;
            call->kernel->real->pool(1, step, end - first, 1, (congru_real)(1.0 / (double)window),
                                     d_y + first * step, d_x);
            for (size_t i = 1; i < block; i++)
                memcpy(d_x + i * step, d_x, line);
        }
    }
}

const congru_layer congru_layer_mean_pool = {
    .name = "mean pool",
    .plan = mean_plan,
    .trials = {mean_forward, mean_backward},
};

/* ---- Largest ----------------------------------------------------------------------------------------- */

static void max_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    size_t window, stride;
    sizes(call->node, &window, &stride);
    for (size_t m = 0; m < call->count; m++)
        call->kernel->real->largest(out->rows, congru_extent_step(in), window, stride,
                                    congru_trial_reals(call->x[0], in, m), congru_trial_reals(call->y, out, m));
}

/* To the first that is the largest. */
static void max_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    size_t window, stride;
    sizes(call->node, &window, &stride);
    for (size_t m = 0; m < call->count && call->d_x[0] != NULL; m++) {
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        memset(d_x, 0, in->size * sizeof(double));
        call->kernel->real->give_largest(
            out->rows, congru_extent_step(in), window, stride, congru_trial_reals(call->x[0], in, m),
            congru_trial_reals(call->y, out, m), congru_trial_reals(call->d_y, out, m), d_x);
    }
}

const congru_layer congru_layer_max_pool = {
    .name = "max pool",
    .traits = CONGRU_TRAIT_READS_X | CONGRU_TRAIT_READS_Y,
    .trials = {max_forward, max_backward},
};
