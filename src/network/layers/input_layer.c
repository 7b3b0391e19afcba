/* Where trials come in: as they are, or their logarithms, which are had once before training. SPDX-License-Identifier: Apache-2.0 */
#include "network/constants.h"
#include "network/graph.h"

/* y = the trials of the batch. In a graph without a batch they are there already. */
static void input_forward(const congru_call *call)
{
    const congru_input *in = call->node->state;
    if (in->table != NULL)
        call->kernel->gather(call->vectors, call->node->out.size, in->table, call->batch->index + call->first,
                             call->y);
}

static void input_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)arena;
    congru_input *in = node->state;
    if (graph->constants != NULL)
        in->table = graph->constants->covariance != NULL ? graph->constants->covariance
                                                         : graph->constants->trials->covariance;
}

const congru_layer congru_layer_input = {
    .name = "input",
    .state = {.bytes = sizeof(congru_input), .layout = input_layout},
    .trials = {.forward = input_forward},
};

/* y = the logarithms L' of the batch, from their rows where nothing reads the matrices themselves. */
static void constant_forward(const congru_call *call)
{
    const congru_input *in = call->node->state;
    const congru_extent out = call->node->out;
    if (in->row == NULL) {
        call->kernel->gather(call->vectors, out.size, in->table, call->batch->index + call->first, call->y);
        return;
    }
    const size_t stride = congru_vector(congru_spd_tangent_size(out.rows)).size;
    call->kernel->gather(call->vectors, stride, in->row, call->batch->index + call->first, call->work.lanes[0]);
    call->kernel->untriangle(call->vectors, out.rows, stride, call->work.lanes[0], call->y);
}

static void constant_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.lanes[0] = congru_vector(congru_spd_tangent_size(node->out.rows)).size;
}

static void constant_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)arena;
    congru_input *in = node->state;
    in->table = graph->constants->logarithm;
    in->row = graph->constants->by_log ? NULL : graph->constants->row;
}

const congru_layer congru_layer_constant = {
    .name = "constant logarithm",
    .plan = constant_plan,
    .state = {.bytes = sizeof(congru_input), .layout = constant_layout},
    .trials = {.forward = constant_forward},
};

/* Its rows, which losses look at: nothing to do for a trial. */
static void rows_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)arena;
    if (node->rows == NULL)
        return;
    node->rows->constant = true;
    node->rows->data = graph->constants->row;
    node->rows->norm = graph->constants->norm;
}

static void rows_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->out = congru_vector(node->out.rows);
}

const congru_layer congru_layer_constant_rows = {
    .name = "constant rows",
    .plan = rows_plan,
    .state = {.layout = rows_layout},
};
