/* A layer out of the tree: Y = g X / tr X with a learned gain g. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/layers.h"
#include "toys.h"

static void plan(congru_node *node)
{
    node->out = node->in[0];
    node->saved_size[0] = 1; /* tr X */
    node->sum_size[0] = 1;
    node->need.lanes[0] = 1;
}

static double factor_of(const congru_call *call, size_t m)
{
    return call->weight[0][0] / call->saved[0][m];
}

static void forward(const congru_call *call)
{
    const size_t d = call->node->out.rows, width = call->kernel->width;
    for (size_t m = 0; m < call->vectors * width; m++) {
        const double *x = call->x[0] + congru_call_lane(call, d * d, m);
        double trace = m < call->count ? 0.0 : 1.0; /* there is no trial in the last lanes */
        for (size_t i = 0; i < d && m < call->count; i++)
            trace += x[i * (d + 1) * width];
        call->saved[0][m] = trace;
    }
    congru_call_scale(call, factor_of, call->x[0], call->y);
}

/* dX = g (dY - <dY, X> / tr X I) / tr X, dg = <dY, X> / tr X. */
static void backward(const congru_call *call)
{
    const size_t d = call->node->out.rows, width = call->kernel->width;
    double *share = call->work.lanes[0];
    call->kernel->dots(call->vectors, d * d, call->d_y, call->x[0], share);
    if (call->d_x[0] != NULL)
        congru_call_scale(call, factor_of, call->d_y, call->d_x[0]);
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++) {
        share[m] /= call->saved[0][m];
        call->sum[0][0] += share[m];
        for (size_t i = 0; i < d && call->d_x[0] != NULL; i++)
            call->d_x[0][congru_call_lane(call, d * d, m) + i * (d + 1) * width] -=
                factor_of(call, m) * share[m];
    }
}

const congru_layer toy_layer = {
    .name = "over the trace",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .trials = {forward, backward},
    .finish = congru_node_sum_gradients,
};
