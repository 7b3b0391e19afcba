/* A loss out of the tree: the mean over trials of ||X||^2 / 2. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/layers.h"
#include "toys.h"

static void plan(congru_node *node)
{
    node->has_scalar = true;
}

static void forward(const congru_call *call)
{
    call->kernel->sum_squares(call->vectors, call->node->in[0].size, call->x[0], call->scalar);
}

/* dX = X / N, and nothing where there is no trial. */
static void backward(const congru_call *call)
{
    const size_t size = call->node->in[0].size, width = call->kernel->width;
    for (size_t m = 0; m < call->vectors * width; m++) {
        const size_t first = congru_call_lane(call, size, m);
        for (size_t e = 0; e < size; e++)
            call->d_x[0][first + e * width] =
                m < call->count ? call->x[0][first + e * width] / (double)call->batch->count : 0.0;
    }
}

static congru_status finish(congru_node *node)
{
    const congru_graph *graph = node->graph;
    for (size_t i = 0; i < graph->batch->count; i++)
        graph->series[CONGRU_SERIES_LOSS] += 0.5 * node->scalar[i] / (double)graph->batch->count;
    return CONGRU_OK;
}

const congru_layer toy_loss = {
    .name = "half the squared norm",
    .traits = CONGRU_TRAIT_LOSS | CONGRU_TRAIT_READS_X,
    .plan = plan,
    .trials = {forward, backward},
    .finish = finish,
};
