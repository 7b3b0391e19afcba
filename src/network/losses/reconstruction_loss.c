/* How far outputs are from what went in: log-Euclidean, and affine-invariant. SPDX-License-Identifier: Apache-2.0 */
#include "network/constants.h"
#include "network/layers/block_layer.h"

typedef struct reconstruction {
    const congru_constants *constants;
    double weight;
} reconstruction;

static void plan(congru_graph *graph, congru_node *node)
{
    reconstruction *r = node->state;
    r->constants = graph->constants;
    r->weight = graph->options->reconstruction;
    node->has_scalar = true;
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const reconstruction *r = node->state;
    double sum = 0.0;
    for (size_t i = 0; i < graph->batch->count; i++)
        sum += node->scalar[i];
    graph->series[CONGRU_SERIES_RECONSTRUCTION] = sum / (double)graph->batch->count;
    graph->series[CONGRU_SERIES_LOSS] += r->weight * graph->series[CONGRU_SERIES_RECONSTRUCTION];
    return CONGRU_OK;
}

/* ---- Log-Euclidean ----------------------------------------------------------------------------------- */

static void log_plan(congru_graph *graph, congru_node *node)
{
    plan(graph, node);
    node->need.lanes[0] = node->need.lanes[1] = node->in[0].size;
}

/* ||L_out - L'||^2 of each trial, on the leading block that both have. */
static void log_forward(const congru_call *call)
{
    const reconstruction *r = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t stride = call->node->in[0].size, count = congru_call_doubles(call, stride);
    double *gap = call->work.lanes[0];
    kernel->gather(call->vectors, stride, r->constants->row, call->batch->index + call->first, gap);
    kernel->combine(count, -1.0, call->x[0], 1.0, gap);
    if (r->constants->mask != NULL) {
        kernel->spread(call->vectors, stride, r->constants->mask, call->work.lanes[1]);
        kernel->multiply(count, call->work.lanes[1], gap);
    }
    kernel->sum_squares(call->vectors, stride, gap, call->scalar);
}

static void log_part(congru_graph *graph, congru_node *node)
{
    const reconstruction *r = node->state;
    congru_rows *rows = congru_graph_source(graph, node, 0)->rows;
    const double weight = 2.0 * r->weight / (double)graph->batch->count;
    if (r->constants->mask != NULL) {
        congru_rows_add_term(rows,
                             (congru_term){CONGRU_TERM_TRIAL, weight, r->constants->row, r->constants->mask});
        return;
    }
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SELF, weight, NULL, NULL});
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_TRIAL, -weight, r->constants->row, NULL});
}

const congru_layer congru_loss_reconstruction = {
    .name = "reconstruction",
    .traits = CONGRU_TRAIT_LOSS,
    .plan = log_plan,
    .state = {.bytes = sizeof(reconstruction)},
    .trials = {.forward = log_forward},
    .batch = {.part = log_part},
    .finish = finish,
};

/* ---- Affine-invariant -------------------------------------------------------------------------------- */

static size_t block_of(const reconstruction *r)
{
    return r->constants->out < r->constants->trials->d ? r->constants->out : r->constants->trials->d;
}

static void affine_plan(congru_graph *graph, congru_node *node)
{
    plan(graph, node);
    const reconstruction *r = node->state;
    const size_t m = block_of(r);
    node->depth = graph->node[node->input[0]].depth + 1;
    node->need.spectral = m;
    for (int k = 0; k < 4; k++)
        node->need.lanes[k] = m * m;
    node->need.lanes[4] = m;
}

/* ||log(A C A)||^2 with A the inverse root of the trial: Y = A C A has eigenvalues y, the distance is the sum of log^2 y,
 * its derivative by Y is V (2 log y / y) V^T. Both come of one decomposition, on the way back. */
static void affine_backward(const congru_call *call)
{
    const reconstruction *r = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t vectors = call->vectors, d = call->node->in[0].rows, m = block_of(r);
    const size_t count = vectors * kernel->width;
    const double weight = 2.0 * r->weight / (double)call->batch->count;
    double *const *w = call->work.lanes, *root = w[0], *y = w[1], *z = w[2], *scaled = w[3], *values = w[4];
    double *logs = call->work.spectral.row;
    kernel->gather(vectors, m * m, r->constants->root, call->batch->index + call->first, root);
    congru_block_take(call, d, m, call->x[0], z);
    congru_spectral_congruence(kernel, vectors, m, m, z, congru_per_lane(root, m), y, scaled);
    congru_call_eigen(call, m, y, values, z);
    kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, 0.0}, count * m, values, logs);
    kernel->sum_squares(vectors, m, logs, call->scalar);
    for (size_t i = 0; i < count * m; i++)
        logs[i] = i / (m * kernel->width) * kernel->width + i % kernel->width < call->count
                      ? weight * logs[i] / values[i]
                      : 0.0;
    kernel->scale_columns(vectors, m, z, logs, scaled);
    kernel->product(vectors, m, m, m, congru_per_lane(scaled, m), congru_per_lane_transposed(z, m),
                    CONGRU_PRODUCT_SYMMETRIC, y);
    congru_spectral_congruence(kernel, vectors, m, m, y, congru_per_lane(root, m), z, scaled);
    if (call->d_x[0] != NULL)
        congru_block_give(call, d, m, z, call->d_x[0]);
}

const congru_layer congru_loss_affine_reconstruction = {
    .name = "affine-invariant reconstruction",
    .traits = CONGRU_TRAIT_LOSS | CONGRU_TRAIT_READS_X,
    .plan = affine_plan,
    .state = {.bytes = sizeof(reconstruction)},
    .trials = {.backward = affine_backward},
    .finish = finish,
};
