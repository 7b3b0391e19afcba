/* A dense layer on the samples of a signal, each by itself or several joined: y = x W + b. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* Weights (joined channels, out) and (1, out): in.rows / out.rows samples are joined into one. Rows of all trials of a chunk
 * follow each other without a gap, so that each of the three products is one for the whole chunk. */
typedef struct linear {
    size_t joined;
    congru_real *weight; /* (joined, channels, step of the output) */
    congru_real *turned; /* (joined, out, step of the input) */
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
                l->weight[(k * in + i) * out_step + o] = l->turned[(k * out + o) * in_step + i] =
                    (congru_real)*w++;
        }
    }
    for (size_t o = 0; o < out; o++)
        l->bias[o] = (congru_real)b[o];
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_extent_step(out), rows = call->count * out->rows;
    congru_real *y = congru_trial_reals(call->y, out, 0);
    call->kernel->real->product(
        rows, cols, l->joined, in->cols,
        (congru_window){congru_trial_reals(call->x[0], in, 0), l->joined * step, step, 1},
        (congru_window){l->weight, 0, in->cols * cols, cols}, false, y, cols);
    for (size_t r = 0; r < rows; r++) {
        for (size_t o = 0; o < cols; o++)
            y[r * cols + o] += l->bias[o];
    }
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
        call->kernel->real->product(in->cols, cols, 1, rows,
                                    (congru_window){x + k * step, 1, 0, l->joined * step},
                                    (congru_window){d_y, 0, 0, cols}, false, own, cols);
        for (size_t c = 0; c < in->cols; c++) {
            for (size_t o = 0; o < out->cols; o++)
                sum[c * out->cols + o] += (double)own[c * cols + o];
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t o = 0; o < out->cols; o++)
            call->sum[1][o] += (double)d_y[r * cols + o];
    }
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
        call->kernel->real->product(call->count * out->rows, step, 1, out->cols,
                                    (congru_window){d_y, cols, 0, 1},
                                    (congru_window){l->turned + k * out->cols * step, 0, 0, step}, false,
                                    congru_trial_reals(call->d_x[0], in, 0) + k * step, l->joined * step);
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    for (int k = 0; k < 2; k++)
        congru_graph_add_sums(graph, node->sum_size[k], node->sum[k], congru_graph_gradient(graph, node, k));
    return CONGRU_OK;
}

const congru_layer congru_layer_linear = {
    .name = "linear",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .layout = layout,
    .prepare = prepare,
    .forward = forward,
    .backward = backward,
    .finish = finish,
    .state = sizeof(linear),
};
