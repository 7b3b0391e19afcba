/* Convolutions of signals in time: over all channels, as a product of time and space, and by channel. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/layers.h"

/* ---- Over all channels, without padding: y[t] = sum_k x[t + k] W_k ----------------------------------- */

/* y[t][o] = the sum over k and c of x[t + k][c] w[k][c][o]. Channels come last, so the windows are rows of a matrix that
 * overlap, and each of the three is one product, or one for each tap. Weights (taps in, out). */
typedef struct convolution {
    size_t taps;
    congru_real *weight;  /* (taps, in, step of the output) */
    congru_real *flipped; /* (taps, out, step of the input): taps in reverse, channels transposed */
    /* Of time and space (below): */
    size_t filters, between;
    double *space, *d_space; /* (filters channels, out), where there is a map, and the derivative */
    double *joined;          /* (taps, channels, out), and then the derivative by them */
} convolution;

static void plan(congru_node *node)
{
    convolution *c = node->state;
    const size_t in = node->in[0].cols, out = node->out.cols;
    c->taps = node->in[0].rows - node->out.rows + 1;
    c->weight = congru_take_reals(node, c->taps * in * node->out.step);
    c->flipped = congru_take_reals(node, c->taps * out * node->in[0].step);
    node->sum_size[0] = c->taps * in * out;
    node->need.plain[0] = c->taps * in * node->out.step; /* the sums over one trial */
    node->need.plain[1] =
        (node->out.rows + 2 * (c->taps - 1)) * node->out.step; /* a derivative between zeros */
}

static void set_weights(const congru_node *node, const double *w)
{
    const convolution *c = node->state;
    const size_t in = node->in[0].cols, out = node->out.cols;
    congru_reals_set(c->taps * in, out, node->out.step, w, c->weight);
    congru_reals_flip(c->taps, in, out, w, out, node->in[0].step, c->flipped);
}

static congru_status prepare(congru_node *node)
{
    set_weights(node, congru_node_value(node, 0));
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    const convolution *c = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    for (size_t m = 0; m < call->count; m++)
        call->kernel->real->product(out->rows, out->cols, c->taps, in->cols,
                                    (congru_window){congru_call_x(call, m), in->step, in->step, 1},
                                    (congru_window){c->weight, 0, in->cols * out->step, out->step}, false,
                                    congru_call_y(call, m), out->step);
}

/* So many rows of x and d_y stay in the nearest cache while all taps read them. */
enum { NEAR_ROWS = 96 };

/* d_w[k] = sum_t x[t + k]^T d_y[t] of one trial, added to the sums. */
static void add_weights(const congru_call *call, size_t m)
{
    const convolution *c = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const congru_real *x = congru_call_x(call, m), *d_y = congru_call_d_y(call, m);
    congru_real *own = call->work.plain[0];
    for (size_t t = 0, rows; t < out->rows; t += rows) {
        rows = out->rows - t < NEAR_ROWS ? out->rows - t : NEAR_ROWS;
        for (size_t k = 0; k < c->taps; k++)
            call->kernel->real->product(in->cols, out->cols, 1, rows,
                                        (congru_window){x + (t + k) * in->step, 1, 0, in->step},
                                        (congru_window){d_y + t * out->step, 0, 0, out->step}, t > 0,
                                        own + k * in->cols * out->step, out->step);
    }
    call->kernel->real->collect(c->taps * in->cols, out->cols, own, out->step, call->sum[0]);
}

/* d_x[s] = sum_k d_y[s - k] W_k^T: a convolution of d_y between zeros. */
static void backward(const congru_call *call)
{
    const convolution *c = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t edge = (c->taps - 1) * out->step;
    congru_real *padded = call->work.plain[1];
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++) {
        add_weights(call, m);
        if (call->d_x[0] == NULL)
            continue;
        congru_reals_pad(congru_call_d_y(call, m), edge, out->rows * out->step, edge, padded);
        call->kernel->real->product(in->rows, in->cols, c->taps, out->cols,
                                    (congru_window){padded, out->step, out->step, 1},
                                    (congru_window){c->flipped, 0, out->cols * in->step, in->step}, false,
                                    congru_call_d_x(call, m), in->step);
    }
}

const congru_layer congru_layer_convolution = {
    .name = "convolution",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(convolution),
    .plan = plan,
    .prepare = prepare,
    .trials = {forward, backward},
    .finish = congru_node_sum_gradients,
};

/* ---- In time, the same for every channel, and in space over all its filters and channels ------------- */

/* Nothing stands between the two, so they are one convolution over time and channels with the weights
 * W[k][c][o] = sum_f time[k][f] space[f][c][o]. Weights: time (taps, filters), space (filters channels, between), and
 * where a linear map of its outputs follows (rewrite.c) that too: (between, out), which becomes part of space. */
static bool maps(const congru_node *node)
{
    return node->weight[2] >= 0;
}

static void time_plan(congru_node *node)
{
    convolution *c = node->state;
    plan(node);
    c->filters = congru_node_segment(node, 0)->cols;
    c->between = congru_node_segment(node, 1)->cols;
    c->joined = congru_take_doubles(node, node->sum_size[0]);
    if (!maps(node))
        return;
    c->space = congru_take_doubles(node, c->filters * node->in[0].cols * node->out.cols);
    c->d_space = congru_take_doubles(node, c->filters * node->in[0].cols * node->out.cols);
}

static const double *space_of(const congru_node *node)
{
    return maps(node) ? ((const convolution *)node->state)->space : congru_node_value(node, 1);
}

static congru_status time_prepare(congru_node *node)
{
    const convolution *c = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const size_t channels = node->in[0].cols, out = node->out.cols;
    if (maps(node))
        kernel->dense(c->filters * channels, out, c->between,
                      congru_shared(congru_node_value(node, 1), c->between), congru_node_value(node, 2), false,
                      c->space);
    kernel->dense(c->taps, channels * out, c->filters, congru_shared(congru_node_value(node, 0), c->filters),
                  space_of(node), false, c->joined);
    set_weights(node, c->joined);
    return CONGRU_OK;
}

/* out (rows, others) = a (rows, cols) times the transpose of b (others, cols). */
static void multiply_transposed(size_t rows, size_t others, size_t cols, const double *a, const double *b,
                                double *out)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t o = 0; o < others; o++) {
            double sum = 0.0;
            for (size_t c = 0; c < cols; c++)
                sum += a[r * cols + c] * b[o * cols + c];
            out[r * others + o] = sum;
        }
    }
}

/* d_time = dW space^T, d_space = time^T dW; and with S = space B: d_space = dS B^T, dB = space^T dS. */
static congru_status time_finish(congru_node *node)
{
    const convolution *c = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const size_t out = node->out.cols, size = node->in[0].cols * out, rows = c->filters * node->in[0].cols;
    double *d_space = congru_node_gradient(node, 1), *d_joined = maps(node) ? c->d_space : d_space;
    memset(c->joined, 0, c->taps * size * sizeof(double));
    congru_node_add_sums(node, 0, 1.0, c->joined);
    multiply_transposed(c->taps, c->filters, size, c->joined, space_of(node), congru_node_gradient(node, 0));
    kernel->dense(c->filters, size, c->taps, congru_shared_transposed(congru_node_value(node, 0), c->filters),
                  c->joined, false, d_joined);
    if (!maps(node))
        return CONGRU_OK;
    multiply_transposed(rows, c->between, out, d_joined, congru_node_value(node, 2), d_space);
    kernel->dense(c->between, out, rows, congru_shared_transposed(congru_node_value(node, 1), c->between),
                  d_joined, false, congru_node_gradient(node, 2));
    return CONGRU_OK;
}

const congru_layer congru_layer_time_space = {
    .name = "time and space",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(convolution),
    .plan = time_plan,
    .prepare = time_prepare,
    .trials = {forward, backward},
    .finish = time_finish,
};

/* ---- By channel, zeros beyond the ends: y[t][c] = sum_k x[t + k - left][c] w[k][c] ------------------- */

/* Weights (taps, channels); of the taps - 1 zeros (taps - 1) / 2 are on the left. */
typedef struct depthwise {
    size_t taps, step;
    congru_real *weight, *flipped; /* (taps, step), in order and in reverse */
} depthwise;

static void depthwise_plan(congru_node *node)
{
    depthwise *d = node->state;
    d->taps = congru_node_segment(node, 0)->rows;
    d->step = node->in[0].step;
    d->weight = congru_take_reals(node, d->taps * d->step);
    d->flipped = congru_take_reals(node, d->taps * d->step);
    node->sum_size[0] = d->taps * node->in[0].cols;
    node->need.plain[0] = (node->in[0].rows + d->taps - 1) * d->step;
    node->need.plain[1] = d->taps * d->step;
}

static congru_status depthwise_prepare(congru_node *node)
{
    const depthwise *d = node->state;
    congru_reals_set(d->taps, node->in[0].cols, d->step, congru_node_value(node, 0), d->weight);
    congru_reals_reverse(d->taps, d->step, d->weight, d->flipped);
    return CONGRU_OK;
}

/* out (rows, step) = sum_k x[row + k - left] w[k] for w (inner, step). */
static void by_channel(const congru_call *call, const congru_real *x, size_t left, size_t rows, size_t inner,
                       const congru_real *w, congru_real *out)
{
    const depthwise *d = call->node->state;
    congru_real *padded = call->work.plain[0];
    congru_reals_pad(x, left * d->step, call->node->in[0].rows * d->step, (d->taps - 1 - left) * d->step,
                     padded);
    congru_call_filter(call, rows, inner, padded, w, d->step, out);
}

static void depthwise_forward(const congru_call *call)
{
    const depthwise *d = call->node->state;
    for (size_t m = 0; m < call->count; m++)
        by_channel(call, congru_call_x(call, m), (d->taps - 1) / 2, call->node->in[0].rows, d->taps, d->weight,
                   congru_call_y(call, m));
}

/* dw[k] = sum_t x[t + k - left] dy[t], dx[s] = sum_k dy[s - k + left] w[k]. */
static void depthwise_backward(const congru_call *call)
{
    const depthwise *d = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t left = (d->taps - 1) / 2;
    congru_real *own = call->work.plain[1];
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *d_y = congru_call_d_y(call, m);
        by_channel(call, congru_call_x(call, m), left, d->taps, in->rows, d_y, own);
        call->kernel->real->collect(d->taps, in->cols, own, d->step, call->sum[0]);
        if (call->d_x[0] != NULL)
            by_channel(call, d_y, d->taps - 1 - left, in->rows, d->taps, d->flipped, congru_call_d_x(call, m));
    }
}

const congru_layer congru_layer_depthwise = {
    .name = "depthwise convolution",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(depthwise),
    .plan = depthwise_plan,
    .prepare = depthwise_prepare,
    .trials = {depthwise_forward, depthwise_backward},
    .finish = congru_node_sum_gradients,
};
