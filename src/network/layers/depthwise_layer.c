/* A filter in time for each channel, zeros beyond the ends: y[t][c] = sum_k x[t + k - left][c] w[k][c]. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* Weights (taps, channels); of the taps - 1 zeros (taps - 1) / 2 are on the left. */
typedef struct depthwise {
    size_t taps;
    congru_real *weight, *flipped; /* (taps, step), in order and in reverse */
} depthwise;

static void plan(congru_graph *graph, congru_node *node)
{
    const size_t step = congru_extent_step(&node->in[0]);
    depthwise *d = node->state;
    d->taps = graph->parameters->segment[node->weight[0]].rows;
    node->sum_size[0] = d->taps * node->in[0].cols;
    node->need.plain[0] = (node->in[0].rows + d->taps - 1) * step;
    node->need.plain[1] = d->taps * step;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    depthwise *d = node->state;
    const size_t size = d->taps * congru_extent_step(&node->in[0]);
    d->weight = congru_arena_take(arena, size, sizeof(congru_real));
    d->flipped = congru_arena_take(arena, size, sizeof(congru_real));
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    const depthwise *d = node->state;
    const size_t step = congru_extent_step(&node->in[0]), cols = node->in[0].cols;
    const double *w = congru_graph_value(graph, node, 0);
    memset(d->weight, 0, d->taps * step * sizeof(congru_real));
    memset(d->flipped, 0, d->taps * step * sizeof(congru_real));
    for (size_t k = 0; k < d->taps; k++) {
        for (size_t c = 0; c < cols; c++)
            d->weight[k * step + c] = d->flipped[(d->taps - 1 - k) * step + c] = (congru_real)w[k * cols + c];
    }
    return CONGRU_OK;
}

/* x with zeros before it and behind it. */
static const congru_real *pad(const congru_call *call, size_t left, const congru_real *x)
{
    const depthwise *d = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(in), size = in->rows * step;
    congru_real *padded = call->work.plain[0];
    memset(padded, 0, left * step * sizeof(congru_real));
    memcpy(padded + left * step, x, size * sizeof(congru_real));
    memset(padded + left * step + size, 0, (d->taps - 1 - left) * step * sizeof(congru_real));
    return padded;
}

static void forward(const congru_call *call)
{
    const depthwise *d = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(in);
    for (size_t m = 0; m < call->count; m++)
        call->kernel->real->by_channel(
            in->rows, step, d->taps,
            (congru_window){pad(call, (d->taps - 1) / 2, congru_trial_reals(call->x[0], in, m)), step, 0, step},
            (congru_window){d->weight, 0, 0, step}, congru_trial_reals(call->y, in, m), step);
}

/* dw[k] = sum_t x[t + k - left] dy[t], dx[s] = sum_k dy[s - k + left] w[k]. */
static void backward(const congru_call *call)
{
    const depthwise *d = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(in), left = (d->taps - 1) / 2;
    congru_real *own = call->work.plain[1];
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *d_y = congru_trial_reals(call->d_y, in, m);
        call->kernel->real->by_channel(
            d->taps, step, in->rows,
            (congru_window){pad(call, left, congru_trial_reals(call->x[0], in, m)), step, 0, step},
            (congru_window){d_y, 0, 0, step}, own, step);
        for (size_t k = 0; k < d->taps; k++) {
            for (size_t c = 0; c < in->cols; c++)
                call->sum[0][k * in->cols + c] += (double)own[k * step + c];
        }
        if (call->d_x[0] != NULL)
            call->kernel->real->by_channel(
                in->rows, step, d->taps, (congru_window){pad(call, d->taps - 1 - left, d_y), step, 0, step},
                (congru_window){d->flipped, 0, 0, step}, congru_trial_reals(call->d_x[0], in, m), step);
    }
}

const congru_layer congru_layer_depthwise = {
    .name = "depthwise convolution",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(depthwise), layout, prepare},
    .trials = {forward, backward},
    .finish = congru_graph_sum_gradients,
};
