/* A dense layer on the samples of a signal, each by itself or several joined: y = x W + b. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* Weights (joined channels, out) and (1, out): in.rows / out.rows samples are joined into one. Rows of all trials of a chunk
 * follow each other without a gap, so that each of the three products is one for the whole chunk. */
typedef struct linear {
    size_t joined;
    congru_real *weight; /* (joined, channels, step of the output) */
    congru_real *turned; /* (out, joined, step of the input) */
    congru_real *bias;   /* (step of the output) */
} linear;

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    linear *l = node->state;
    l->joined = node->in[0].rows / node->out.rows;
    node->sum_size[0] = l->joined * node->in[0].cols * node->out.cols;
    node->sum_size[1] = node->out.cols;
    node->need.plain[0] = node->in[0].cols * congru_extent_step(&node->out);
    node->need.plain[1] = l->joined > 1 ? node->out.cols * sizeof(double) / sizeof(congru_real) : 0;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    linear *l = node->state;
    const congru_extent *in = &node->in[0], *out = &node->out;
    l->weight = congru_arena_take(arena, l->joined * in->cols * congru_extent_step(out), sizeof(congru_real));
    l->turned = congru_arena_take(arena, l->joined * out->cols * congru_extent_step(in), sizeof(congru_real));
    l->bias = congru_arena_take(arena, congru_extent_step(out), sizeof(congru_real));
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    const linear *l = node->state;
    const size_t in = node->in[0].cols, out = node->out.cols;
    const size_t in_step = congru_extent_step(&node->in[0]), out_step = congru_extent_step(&node->out);
    const double *w = congru_graph_value(graph, node, 0), *b = congru_graph_value(graph, node, 1);
    memset(l->weight, 0, l->joined * in * out_step * sizeof(congru_real));
    memset(l->turned, 0, l->joined * out * in_step * sizeof(congru_real));
    memset(l->bias, 0, out_step * sizeof(congru_real));
    for (size_t k = 0; k < l->joined; k++) {
        for (size_t i = 0; i < in; i++) {
            for (size_t o = 0; o < out; o++)
                l->weight[(k * in + i) * out_step + o] = l->turned[(o * l->joined + k) * in_step + i] =
                    (congru_real)*w++;
        }
    }
    for (size_t o = 0; o < out; o++)
        l->bias[o] = (congru_real)b[o];
    return CONGRU_OK;
}

/* Sums over many samples, in the chains of `dots`: one chain would lose a digit. */
static void forward_joined(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t size = l->joined * congru_extent_step(in), cols = congru_extent_step(out);
    /* cppcheck-suppress invalidPointerCast ; a workspace is storage, which holds either */
    double *sum = (double *)call->work.plain[1];
    congru_real *y = congru_trial_reals(call->y, out, 0);
    for (size_t r = 0; r < call->count * out->rows; r++, y += cols) {
        call->kernel->real->dots(1, out->cols, size, congru_trial_reals(call->x[0], in, 0) + r * size, size,
                                 l->turned, sum);
        memset(y, 0, cols * sizeof(congru_real));
        for (size_t o = 0; o < out->cols; o++)
            y[o] = (congru_real)(sum[o] + (double)l->bias[o]);
    }
}

static void forward(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t cols = congru_extent_step(out), rows = call->count * out->rows;
    congru_real *y = congru_trial_reals(call->y, out, 0);
    if (l->joined > 1) {
        forward_joined(call);
        return;
    }
    call->kernel->real->product(
        rows, out->cols, 1, in->cols,
        (congru_window){congru_trial_reals(call->x[0], in, 0), congru_extent_step(in), 0, 1},
        (congru_window){l->weight, 0, 0, cols}, false, y, cols);
    call->kernel->real->shift(rows, cols, l->bias, y);
}

/* The sums of some rows in single precision, added to those of the chunk. */
static void add_weights(const congru_call *call, const congru_real *x, const congru_real *d_y, size_t rows)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_extent_step(out);
    congru_real *own = call->work.plain[0];
    for (size_t k = 0; k < l->joined; k++) {
        double *sum = call->sum[0] + k * in->cols * out->cols;
        call->kernel->real->product(in->cols, out->cols, 1, rows,
                                    (congru_window){x + k * step, 1, 0, l->joined * step},
                                    (congru_window){d_y, 0, 0, cols}, false, own, cols);
        call->kernel->real->collect(in->cols, out->cols, own, cols, sum);
    }
    for (size_t r = 0; r < rows; r++)
        call->kernel->real->collect(1, out->cols, d_y + r * cols, cols, call->sum[1]);
}

static void backward(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_extent_step(out);
    const congru_real *d_y = congru_trial_reals(call->d_y, out, 0);
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    memset(call->sum[1], 0, call->node->sum_size[1] * sizeof(double));
    for (size_t m = 0; m < call->count; m += CONGRU_GROUP) {
        const size_t trials = call->count - m < CONGRU_GROUP ? call->count - m : CONGRU_GROUP;
        add_weights(call, congru_trial_reals(call->x[0], in, m), congru_trial_reals(call->d_y, out, m),
                    trials * out->rows);
    }
    for (size_t k = 0; k < l->joined && call->d_x[0] != NULL; k++)
        call->kernel->real->product(call->count * out->rows, in->cols, 1, out->cols,
                                    (congru_window){d_y, cols, 0, 1},
                                    (congru_window){l->turned + k * step, 0, 0, l->joined * step}, false,
                                    congru_trial_reals(call->d_x[0], in, 0) + k * step, l->joined * step);
}

const congru_layer congru_layer_linear = {
    .name = "linear",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(linear), layout, prepare},
    .trials = {forward, backward},
    .finish = congru_graph_sum_gradients,
};
