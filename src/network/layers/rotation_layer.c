/* Y = R^T X R with R = exp(A - A^T), or a product of several; and Y = gamma X / dispersion with gamma = exp(g). SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/rotation_layer.h"

#include <string.h>

#include "base/scalar_math.h"
#include "network/constants.h"
#include "network/layers/congruence_layer.h"

/* ---- Rotation ---------------------------------------------------------------------------------------- */

int congru_graph_rotation(congru_graph *graph, int x)
{
    graph->rotation = congru_graph_add(graph, &congru_layer_rotation, x, -1, graph->node[x].out, 0.0, 0.0);
    graph->node[graph->rotation].depth = 1;
    return graph->rotation;
}

/* c = a b, where `transposed` has a bit for each that is transposed: 1 for a, 2 for b. */
static void multiply(size_t d, const double *a, const double *b, unsigned transposed, double *c)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            c[i * d + j] = 0.0;
            for (size_t k = 0; k < d; k++)
                c[i * d + j] += a[(transposed & 1) != 0 ? k * d + i : i * d + k] *
                                b[(transposed & 2) != 0 ? j * d + k : k * d + j];
        }
}

/* The factors, and three matrices more. */
size_t congru_rotations_work(size_t count, size_t d)
{
    return count > 1 ? (count + 3) * d * d : 0;
}

congru_status congru_rotations_forward(congru_context *context, size_t count, size_t d, const double *a,
                                       double *work, double *r)
{
    const size_t size = d * d;
    double *before = work + count * size;
    if (count == 1)
        return congru_rotation_forward(context, d, a, r);
    congru_status status = CONGRU_OK;
    for (size_t k = 0; status == CONGRU_OK && k < count; k++) {
        status = congru_rotation_forward(context, d, a + k * size, work + k * size);
        memcpy(before, k > 0 ? r : work, size * sizeof(double));
        if (k == 0)
            memcpy(r, work, size * sizeof(double));
        else
            multiply(d, before, work + k * size, 0, r);
    }
    return status;
}

/* Of R = R_1 ... R_n, dR_k = (R_1 ... R_(k-1))^T dR (R_(k+1) ... R_n)^T. */
static congru_status rotations_backward(congru_context *context, size_t count, size_t d, const double *a,
                                        double *work, const double *d_r, double *d_a)
{
    const size_t size = d * d;
    double *left = work + count * size, *both = left + size, *next = both + size;
    if (count == 1)
        return congru_rotation_backward(context, d, a, d_r, d_a);
    congru_status status = CONGRU_OK;
    memcpy(left, d_r, size * sizeof(double));
    for (size_t k = 0; status == CONGRU_OK && k < count; k++) {
        memcpy(both, left, size * sizeof(double));
        for (size_t j = count - 1; j > k; j--) {
            multiply(d, both, work + j * size, 2, next);
            memcpy(both, next, size * sizeof(double));
        }
        status = congru_rotation_backward(context, d, a + k * size, both, d_a + k * size);
        multiply(d, work + k * size, left, 1, next);
        memcpy(left, next, size * sizeof(double));
    }
    return status;
}

/* How many there are: their weights stand one below the other. */
static size_t rotations_of(const congru_graph *graph, const congru_node *node)
{
    return graph->parameters->segment[node->weight[0]].rows / node->out.rows;
}

static void rotation_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t size = node->out.size;
    if (node->inputs == 0)
        return; /* other nodes do its work */
    node->saved_size[0] = node->need.lanes[0] = size;
    node->sum_size[0] = node->need.chains[0] = node->weight[0] >= 0 ? size : 0;
}

static void rotation_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    congru_rotation *rotation = node->state;
    if (node->weight[0] < 0)
        return;
    rotation->r = congru_arena_take(arena, node->out.size, sizeof(double));
    rotation->d_r = congru_arena_take(arena, node->out.size, sizeof(double));
    rotation->factor = congru_arena_take(
        arena, congru_rotations_work(rotations_of(graph, node), node->out.rows), sizeof(double));
}

static congru_status rotation_prepare(congru_graph *graph, congru_node *node)
{
    congru_rotation *rotation = node->state;
    if (node->weight[0] < 0)
        return CONGRU_OK;
    memset(rotation->d_r, 0, node->out.size * sizeof(double));
    return congru_rotations_forward(graph->context, rotations_of(graph, node), node->out.rows,
                                    congru_graph_value(graph, node, 0), rotation->factor, rotation->r);
}

/* Saves N = X R. */
static void rotation_forward(const congru_call *call)
{
    const congru_rotation *rotation = call->node->state;
    const size_t d = call->node->out.rows;
    congru_congruence_forward(call->kernel, call->vectors, d, d, call->x[0], rotation->r, call->saved[0],
                              call->y);
}

/* dR = 2 N dY, dX = R dY R^T. */
static void rotation_backward(const congru_call *call)
{
    const congru_rotation *rotation = call->node->state;
    const size_t d = call->node->out.rows;
    memset(call->work.chains[0], 0, CONGRU_GROUP * d * d * sizeof(double));
    call->kernel->add_product(call->vectors, d, d, d, congru_per_lane(call->saved[0], d),
                              congru_per_lane(call->d_y, d), call->work.chains[0]);
    congru_call_fold(call, 0);
    if (call->d_x[0] != NULL)
        congru_congruence_backward(call->kernel, call->vectors, d, d, rotation->r, call->d_y, call->d_x[0],
                                   call->work.lanes[0]);
}

congru_status congru_rotation_add_sums(congru_graph *graph, congru_node *node)
{
    double *d_r = congru_rotation_of(graph)->d_r;
    for (size_t e = 0; e < node->sum_size[0]; e++)
        d_r[e] *= 0.5; /* doubled below, as the sums must be */
    congru_graph_add_sums(graph, node->sum_size[0], node->sum[0], d_r);
    for (size_t e = 0; e < node->sum_size[0]; e++)
        d_r[e] *= 2.0;
    return CONGRU_OK;
}

static congru_status rotation_finish(congru_graph *graph, congru_node *node)
{
    const congru_rotation *rotation = node->state;
    congru_rotation_add_sums(graph, node);
    return rotations_backward(graph->context, rotations_of(graph, node), node->out.rows,
                              congru_graph_value(graph, node, 0), rotation->factor, rotation->d_r,
                              congru_graph_gradient(graph, node, 0));
}

const congru_layer congru_layer_rotation = {
    .name = "rotation",
    .traits = CONGRU_TRAIT_WEIGHTS,
    .plan = rotation_plan,
    .state = {sizeof(congru_rotation), rotation_layout, rotation_prepare},
    .trials = {rotation_forward, rotation_backward},
    .finish = rotation_finish,
};

/* ---- Dispersion -------------------------------------------------------------------------------------- */

int congru_graph_dispersion(congru_graph *graph, int x, bool learns)
{
    graph->dispersion = congru_graph_add(graph, &congru_layer_dispersion, x, -1, graph->node[x].out, 0.0, 0.0);
    if (learns)
        graph->node[graph->dispersion].weight[0] = congru_graph_weights(graph, "g", 1, 1, false);
    return graph->dispersion;
}

static void dispersion_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->has_scalar = node->inputs > 0;
    node->need.lanes[0] = node->inputs > 0 ? node->out.size : 0;
}

static congru_status dispersion_prepare(congru_graph *graph, congru_node *node)
{
    congru_scaling *scaling = node->state;
    scaling->d_gamma = 0.0;
    /* Constant logarithms are divided already. */
    if (graph->constants != NULL && node->inputs > 0 &&
        congru_graph_source(graph, node, 0)->layer != &congru_layer_constant)
        scaling->dispersion = graph->constants->dispersion;
    if (graph->parameters->gradient != NULL)
        scaling->gamma = node->weight[0] >= 0 ? congru_scalar_exp(*congru_graph_value(graph, node, 0)) : 1.0;
    return CONGRU_OK;
}

/* What the trial at a lane is divided by. */
static double divisor_of(const congru_call *call, size_t lane)
{
    const congru_scaling *scaling = call->node->state;
    const size_t place = call->first + (lane < call->count ? lane : 0);
    if (scaling->dispersion != NULL && call->batch != NULL)
        return scaling->dispersion[call->batch->subject[place]];
    return scaling->divisor != NULL ? scaling->divisor[place] : 1.0;
}

/* y = gamma / dispersion * x, lane by lane. */
static void scale_lanes(const congru_call *call, const double *x, double *y)
{
    const congru_scaling *scaling = call->node->state;
    const size_t width = call->kernel->width, size = call->node->out.size;
    for (size_t v = 0; v < call->vectors; v++) {
        double factor[CONGRU_GROUP] = {0.0};
        for (size_t lane = 0; lane < width; lane++)
            factor[lane] = scaling->gamma / divisor_of(call, v * width + lane);
        for (size_t e = v * size * width; e < (v + 1) * size * width; e++)
            y[e] = x[e] * factor[e % width];
    }
}

static void dispersion_forward(const congru_call *call)
{
    scale_lanes(call, call->x[0], call->y);
}

/* dX = gamma / dispersion dY, and the part of the derivative by gamma of each trial. */
static void dispersion_backward(const congru_call *call)
{
    const size_t width = call->kernel->width;
    call->kernel->dots(call->vectors, call->node->out.size, call->x[0], call->d_y, call->work.lanes[0]);
    for (size_t m = 0; m < call->vectors * width; m++)
        call->scalar[m] = call->work.lanes[0][m] / divisor_of(call, m);
    if (call->d_x[0] != NULL)
        scale_lanes(call, call->d_y, call->d_x[0]);
}

static congru_status dispersion_finish(congru_graph *graph, congru_node *node)
{
    congru_scaling *scaling = node->state;
    if (node->weight[0] < 0)
        return CONGRU_OK;
    for (size_t i = 0; i < graph->batch->count && node->has_scalar; i++)
        scaling->d_gamma += node->scalar[i];
    *congru_graph_gradient(graph, node, 0) = scaling->gamma * scaling->d_gamma;
    return CONGRU_OK;
}

const congru_layer congru_layer_dispersion = {
    .name = "dispersion",
    .traits = CONGRU_TRAIT_WEIGHTS | CONGRU_TRAIT_READS_X,
    .plan = dispersion_plan,
    .state = {.bytes = sizeof(congru_scaling), .prepare = dispersion_prepare},
    .trials = {dispersion_forward, dispersion_backward},
    .finish = dispersion_finish,
};
