/* Y = W^T X W + eps I. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/congruence_layer.h"

void congru_congruence_forward(const congru_kernel *kernel, size_t vectors, size_t in, size_t out,
                               const double *x, const double *w, double *n, double *y)
{
    kernel->product(vectors, in, out, in, congru_per_lane(x, in), congru_shared(w, out), CONGRU_PRODUCT_SET, n);
    kernel->product(vectors, out, out, in, congru_shared_transposed(w, out), congru_per_lane(n, out),
                    CONGRU_PRODUCT_SYMMETRIC, y);
}

void congru_congruence_backward(const congru_kernel *kernel, size_t vectors, size_t in, size_t out,
                                const double *w, const double *d_y, double *d_x, double *scratch)
{
    kernel->product(vectors, in, out, out, congru_shared(w, out), congru_per_lane(d_y, out), CONGRU_PRODUCT_SET,
                    scratch);
    kernel->product(vectors, in, in, out, congru_per_lane(scratch, out), congru_shared_transposed(w, out),
                    CONGRU_PRODUCT_SYMMETRIC, d_x);
}

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->saved_size[0] = node->sum_size[0] = node->need.lanes[0] = node->need.chains[0] =
        node->in[0].rows * node->out.rows;
}

/* Saves N = X W. */
static void forward(const congru_call *call)
{
    const size_t in = call->node->in[0].rows, out = call->node->out.rows;
    congru_congruence_forward(call->kernel, call->vectors, in, out, call->x[0], call->weight[0], call->saved[0],
                              call->y);
    call->kernel->add_diagonal(call->vectors, out, call->node->number[0], call->y);
}

/* dW = 2 N dY, dX = W dY W^T. */
static void backward(const congru_call *call)
{
    const size_t in = call->node->in[0].rows, out = call->node->out.rows;
    memset(call->work.chains[0], 0, CONGRU_GROUP * in * out * sizeof(double));
    call->kernel->add_product(call->vectors, in, out, out, congru_per_lane(call->saved[0], out),
                              congru_per_lane(call->d_y, out), call->work.chains[0]);
    congru_call_fold(call, 0);
    if (call->d_x[0] != NULL)
        congru_congruence_backward(call->kernel, call->vectors, in, out, call->weight[0], call->d_y,
                                   call->d_x[0], call->work.lanes[0]);
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    double *d_w = congru_graph_gradient(graph, node, 0);
    congru_graph_add_sums(graph, node->sum_size[0], node->sum[0], d_w);
    for (size_t e = 0; e < node->sum_size[0]; e++)
        d_w[e] *= 2.0;
    return CONGRU_OK;
}

const congru_layer congru_layer_congruence = {
    .name = "congruence",
    .plan = plan,
    .trials = {forward, backward},
    .finish = finish,
};
