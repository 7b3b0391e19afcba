/* Convolution in time over all channels: y[t] = sum_k x[t + k] W_k. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/convolution.h"

#include <string.h>

/* ---- What several layers are made of ----------------------------------------------------------------- */

void congru_convolution_layout(congru_arena *arena, const congru_node *node, congru_convolution *c)
{
    const congru_extent *in = &node->in[0], *out = &node->out;
    c->taps = in->rows - out->rows + 1;
    c->weight = congru_arena_take(arena, c->taps * in->cols * congru_extent_step(out), sizeof(congru_real));
    c->flipped = congru_arena_take(arena, c->taps * out->cols * congru_extent_step(in), sizeof(congru_real));
}

void congru_convolution_set(const congru_node *node, const double *w, congru_convolution *c)
{
    const size_t in = node->in[0].cols, out = node->out.cols, taps = c->taps;
    const size_t in_step = congru_extent_step(&node->in[0]), out_step = congru_extent_step(&node->out);
    memset(c->weight, 0, taps * in * out_step * sizeof(congru_real));
    memset(c->flipped, 0, taps * out * in_step * sizeof(congru_real));
    for (size_t k = 0; k < taps; k++) {
        for (size_t i = 0; i < in; i++) {
            for (size_t o = 0; o < out; o++) {
                const congru_real x = (congru_real)w[(k * in + i) * out + o];
                c->weight[(k * in + i) * out_step + o] = x;
                c->flipped[((taps - 1 - k) * out + o) * in_step + i] = x;
            }
        }
    }
}

size_t congru_convolution_own(const congru_node *node, size_t taps)
{
    return taps * node->in[0].cols * congru_extent_step(&node->out);
}

size_t congru_convolution_padded(const congru_node *node, size_t taps)
{
    return (node->out.rows + 2 * (taps - 1)) * congru_extent_step(&node->out);
}

void congru_convolution_forward(const congru_call *call, const congru_convolution *c)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_extent_step(out);
    for (size_t m = 0; m < call->count; m++)
        call->kernel->real->product(out->rows, out->cols, c->taps, in->cols,
                                    (congru_window){congru_trial_reals(call->x[0], in, m), step, step, 1},
                                    (congru_window){c->weight, 0, in->cols * cols, cols}, false,
                                    congru_trial_reals(call->y, out, m), cols);
}

/* So many rows of x and d_y stay in the nearest cache while all taps read them. */
enum { NEAR_ROWS = 96 };

/* d_w[k] = sum_t x[t + k]^T d_y[t] of one trial, added to the sums. */
static void add_weights(const congru_call *call, const congru_convolution *c, const congru_real *x,
                        const congru_real *d_y, double *sum)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_extent_step(out);
    congru_real *own = call->work.plain[0];
    for (size_t t = 0, rows; t < out->rows; t += rows) {
        rows = out->rows - t < NEAR_ROWS ? out->rows - t : NEAR_ROWS;
        for (size_t k = 0; k < c->taps; k++)
            call->kernel->real->product(
                in->cols, out->cols, 1, rows, (congru_window){x + (t + k) * step, 1, 0, step},
                (congru_window){d_y + t * cols, 0, 0, cols}, t > 0, own + k * in->cols * cols, cols);
    }
    call->kernel->real->collect(c->taps * in->cols, out->cols, own, cols, sum);
}

/* d_x[s] = sum_k d_y[s - k] W_k^T: a convolution of d_y between zeros. */
static void give_back(const congru_call *call, const congru_convolution *c, const congru_real *d_y,
                      congru_real *d_x)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_extent_step(out), edge = (c->taps - 1) * cols;
    congru_real *padded = call->work.plain[1];
    memset(padded, 0, edge * sizeof(congru_real));
    memcpy(padded + edge, d_y, out->rows * cols * sizeof(congru_real));
    memset(padded + edge + out->rows * cols, 0, edge * sizeof(congru_real));
    call->kernel->real->product(in->rows, in->cols, c->taps, out->cols, (congru_window){padded, cols, cols, 1},
                                (congru_window){c->flipped, 0, out->cols * step, step}, false, d_x, step);
}

void congru_convolution_backward(const congru_call *call, const congru_convolution *c, double *sum)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    memset(sum, 0, c->taps * in->cols * out->cols * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *d_y = congru_trial_reals(call->d_y, out, m);
        add_weights(call, c, congru_trial_reals(call->x[0], in, m), d_y, sum);
        if (call->d_x[0] != NULL)
            give_back(call, c, d_y, congru_trial_reals(call->d_x[0], in, m));
    }
}

/* ---- Layer ------------------------------------------------------------------------------------------- */

/* Weights (taps in, out). */
static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t taps = node->in[0].rows - node->out.rows + 1;
    node->sum_size[0] = taps * node->in[0].cols * node->out.cols;
    node->need.plain[0] = congru_convolution_own(node, taps);
    node->need.plain[1] = congru_convolution_padded(node, taps);
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    congru_convolution_layout(arena, node, node->state);
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    congru_convolution_set(node, congru_graph_value(graph, node, 0), node->state);
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    congru_convolution_forward(call, call->node->state);
}

static void backward(const congru_call *call)
{
    congru_convolution_backward(call, call->node->state, call->sum[0]);
}

const congru_layer congru_layer_convolution = {
    .name = "convolution",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(congru_convolution), layout, prepare},
    .trials = {forward, backward},
    .finish = congru_graph_sum_gradients,
};
