/* A convolution in time, the same for every channel, and one in space over all its filters and channels. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/layers/convolution.h"

/* Nothing stands between the two, so they are one convolution over time and channels with the weights
 * W[k][c][o] = sum_f time[k][f] space[f][c][o]. Weights: time (taps, filters), space (filters channels, between), and
 * where a linear map of its outputs follows (rewrite.c) that too: (between, out), which becomes part of space. */
typedef struct time_space {
    congru_convolution joined;
    size_t filters, between;
    double *space;   /* (filters channels, out) */
    double *d_space; /* likewise: the derivative, where there is a map */
    double *weight;  /* (taps, channels, out), and then the derivative by them */
} time_space;

static void plan(congru_graph *graph, congru_node *node)
{
    time_space *t = node->state;
    const size_t taps = node->in[0].rows - node->out.rows + 1;
    t->filters = graph->parameters->segment[node->weight[0]].cols;
    t->between = graph->parameters->segment[node->weight[1]].cols;
    node->sum_size[0] = taps * node->in[0].cols * node->out.cols;
    node->need.plain[0] = congru_convolution_own(node, taps);
    node->need.plain[1] = congru_convolution_padded(node, taps);
}

static bool maps(const congru_node *node)
{
    return node->weight[2] >= 0;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    time_space *t = node->state;
    const size_t size = node->in[0].cols * node->out.cols;
    congru_convolution_layout(arena, node, &t->joined);
    t->weight = congru_arena_take(arena, t->joined.taps * size, sizeof(double));
    for (int k = 0; k < 2 && maps(node); k++)
        *(k == 0 ? &t->space : &t->d_space) = congru_arena_take(arena, t->filters * size, sizeof(double));
}

static const double *space_of(const congru_graph *graph, const congru_node *node)
{
    return maps(node) ? ((const time_space *)node->state)->space : congru_graph_value(graph, node, 1);
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    time_space *t = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t channels = node->in[0].cols, out = node->out.cols;
    if (maps(node))
        kernel->dense(t->filters * channels, out, t->between,
                      congru_shared(congru_graph_value(graph, node, 1), t->between),
                      congru_graph_value(graph, node, 2), false, t->space);
    kernel->dense(t->joined.taps, channels * out, t->filters,
                  congru_shared(congru_graph_value(graph, node, 0), t->filters), space_of(graph, node), false,
                  t->weight);
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

/* With S = space B: d_space = dS B^T, dB = space^T dS. */
static void part_map(const congru_graph *graph, const congru_node *node)
{
    const time_space *t = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t rows = t->filters * node->in[0].cols, out = node->out.cols;
    const double *map = congru_graph_value(graph, node, 2);
    double *d_space = congru_graph_gradient(graph, node, 1);
    for (size_t r = 0; r < rows; r++) {
        for (size_t b = 0; b < t->between; b++) {
            double sum = 0.0;
            for (size_t o = 0; o < out; o++)
                sum += t->d_space[r * out + o] * map[b * out + o];
            d_space[r * t->between + b] = sum;
        }
    }
    kernel->dense(t->between, out, rows,
                  congru_shared_transposed(congru_graph_value(graph, node, 1), t->between), t->d_space, false,
                  congru_graph_gradient(graph, node, 2));
}

/* d_time = dW space^T, d_space = time^T dW. */
static congru_status finish(congru_graph *graph, congru_node *node)
{
    const time_space *t = node->state;
    const size_t size = node->in[0].cols * node->out.cols, taps = t->joined.taps, filters = t->filters;
    const double *time = congru_graph_value(graph, node, 0), *space = space_of(graph, node);
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
                                  false, maps(node) ? t->d_space : congru_graph_gradient(graph, node, 1));
    if (maps(node))
        part_map(graph, node);
    return CONGRU_OK;
}

const congru_layer congru_layer_time_space = {
    .name = "time and space",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(time_space), layout, prepare},
    .trials = {forward, backward},
    .finish = finish,
};
