/* A convolution in time, the same for every channel, and one in space over all its filters and channels. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/layers/convolution.h"

/* Nothing stands between the two, so they are one convolution over time and channels with the weights
 * W[k][c][o] = sum_f time[k][f] space[f][c][o]. Weights: time (taps, filters) and space (filters channels, out). */
typedef struct time_space {
    congru_convolution joined;
    double *weight; /* (taps, channels, out), and then the derivative by them */
} time_space;

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
    time_space *t = node->state;
    congru_convolution_layout(arena, node, &t->joined);
    t->weight = congru_arena_take(arena, t->joined.taps * node->in[0].cols * node->out.cols, sizeof(double));
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    time_space *t = node->state;
    const size_t size = node->in[0].cols * node->out.cols;
    const size_t filters = graph->parameters->segment[node->weight[0]].cols;
    graph->context->kernel->dense(t->joined.taps, size, filters,
                                  congru_shared(congru_graph_value(graph, node, 0), filters),
                                  congru_graph_value(graph, node, 1), false, t->weight);
    congru_convolution_set(node, t->weight, &t->joined);
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    const time_space *t = call->node->state;
    congru_convolution_forward(call, &t->joined);
}

static void backward(const congru_call *call)
{
    const time_space *t = call->node->state;
    congru_convolution_backward(call, &t->joined, call->sum[0]);
}

/* d_time = dW space^T, d_space = time^T dW. */
static congru_status finish(congru_graph *graph, congru_node *node)
{
    const time_space *t = node->state;
    const size_t size = node->in[0].cols * node->out.cols, taps = t->joined.taps;
    const size_t filters = graph->parameters->segment[node->weight[0]].cols;
    const double *time = congru_graph_value(graph, node, 0), *space = congru_graph_value(graph, node, 1);
    double *d_time = congru_graph_gradient(graph, node, 0);
    memset(t->weight, 0, taps * size * sizeof(double));
    congru_graph_add_sums(graph, taps * size, node->sum[0], t->weight);
    for (size_t k = 0; k < taps; k++) {
        for (size_t f = 0; f < filters; f++) {
            double sum = 0.0;
            for (size_t e = 0; e < size; e++)
                sum += t->weight[k * size + e] * space[f * size + e];
            d_time[k * filters + f] = sum;
        }
    }
    graph->context->kernel->dense(filters, size, taps, congru_shared_transposed(time, filters), t->weight,
                                  false, congru_graph_gradient(graph, node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_time_space = {
    .name = "time and space",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .layout = layout,
    .prepare = prepare,
    .forward = forward,
    .backward = backward,
    .finish = finish,
    .state = sizeof(time_space),
};
