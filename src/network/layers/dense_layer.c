/* One number for each class: y = W x + b. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/dense_layer.h"

#include <string.h>

void congru_dense_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t classes = node->out.rows, stride = node->in[0].size;
    node->sum_size[0] = node->need.chains[0] = classes * stride;
    node->sum_size[1] = node->need.chains[1] = classes;
}

void congru_dense_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    congru_dense *dense = node->state;
    dense->weight = congru_arena_take(arena, node->out.rows * node->in[0].size, sizeof(double));
}

congru_status congru_dense_prepare(congru_graph *graph, congru_node *node)
{
    const congru_dense *dense = node->state;
    const size_t classes = node->out.rows, features = node->in[0].rows, stride = node->in[0].size;
    const double *weights = congru_graph_value(graph, node, 0);
    memset(dense->weight, 0, classes * stride * sizeof(double));
    for (size_t k = 0; k < classes; k++)
        memcpy(dense->weight + k * stride, weights + k * features, features * sizeof(double));
    return CONGRU_OK;
}

void congru_dense_forward(const congru_call *call)
{
    const congru_dense *dense = call->node->state;
    const size_t classes = call->node->out.rows, stride = call->node->in[0].size;
    call->kernel->spread(call->vectors, classes, call->weight[1], call->y);
    call->kernel->product(call->vectors, classes, 1, stride, congru_shared(dense->weight, stride),
                          congru_per_lane(call->x[0], 1), CONGRU_PRODUCT_ADD, call->y);
}

/* dW = sum dy x^T, db = sum dy, dx = W^T dy. */
void congru_dense_backward(const congru_call *call)
{
    const congru_dense *dense = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t classes = call->node->out.rows, stride = call->node->in[0].size;
    memset(call->work.chains[0], 0, CONGRU_GROUP * classes * stride * sizeof(double));
    memset(call->work.chains[1], 0, CONGRU_GROUP * classes * sizeof(double));
    kernel->add_product(call->vectors, classes, stride, 1, congru_per_lane(call->d_y, 1),
                        congru_per_lane(call->x[0], stride), call->work.chains[0]);
    kernel->add_lanes(call->vectors, classes, call->d_y, call->work.chains[1]);
    congru_call_fold(call, 0);
    congru_call_fold(call, 1);
    if (call->d_x[0] != NULL)
        kernel->product(call->vectors, stride, 1, classes, congru_shared_transposed(dense->weight, stride),
                        congru_per_lane(call->d_y, 1), CONGRU_PRODUCT_SET, call->d_x[0]);
}

congru_status congru_dense_finish(congru_graph *graph, congru_node *node)
{
    const size_t classes = node->out.rows, features = node->in[0].rows, stride = node->in[0].size;
    double *d_weights = congru_graph_gradient(graph, node, 0);
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t k = 0; k < classes; k++) {
            for (size_t e = 0; e < features; e++)
                d_weights[k * features + e] += node->sum[0][(chunk * classes + k) * stride + e];
        }
    }
    congru_graph_add_sums(graph, classes, node->sum[1], congru_graph_gradient(graph, node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_dense = {
    .name = "dense",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = congru_dense_plan,
    .state = {sizeof(congru_dense), congru_dense_layout, congru_dense_prepare},
    .trials = {congru_dense_forward, congru_dense_backward},
    .finish = congru_dense_finish,
};
