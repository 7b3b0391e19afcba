/* Layers of DCT: Y = R^T X R with R = exp(A - A^T) or a product of several, Y = gamma X / dispersion, and diagonals. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/scalar_math.h"
#include "network/constants.h"
#include "network/layers/layers.h"

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
    for (size_t k = 0; k < count; k++) {
        double *factor = work + k * size;
        CONGRU_TRY(congru_rotation_forward(context, d, a + k * size, factor));
        memcpy(before, k > 0 ? r : factor, size * sizeof(double));
        if (k == 0)
            memcpy(r, factor, size * sizeof(double));
        else
            multiply(d, before, factor, 0, r);
    }
    return CONGRU_OK;
}

/* Of R = R_1 ... R_n, dR_k = (R_1 ... R_(k-1))^T dR (R_(k+1) ... R_n)^T. */
static congru_status rotations_backward(congru_context *context, size_t count, size_t d, const double *a,
                                        double *work, const double *d_r, double *d_a)
{
    const size_t size = d * d;
    double *left = work + count * size, *both = left + size, *next = both + size;
    if (count == 1)
        return congru_rotation_backward(context, d, a, d_r, d_a);
    memcpy(left, d_r, size * sizeof(double));
    for (size_t k = 0; k < count; k++) {
        memcpy(both, left, size * sizeof(double));
        for (size_t j = count - 1; j > k; j--) {
            multiply(d, both, work + j * size, 2, next);
            memcpy(both, next, size * sizeof(double));
        }
        CONGRU_TRY(congru_rotation_backward(context, d, a + k * size, both, d_a + k * size));
        multiply(d, work + k * size, left, 1, next);
        memcpy(left, next, size * sizeof(double));
    }
    return CONGRU_OK;
}

/* How many there are: their weights stand one below the other. */
static size_t rotations_of(const congru_node *node)
{
    return congru_node_segment(node, 0)->rows / node->out.rows;
}

static void rotation_plan(congru_node *node)
{
    congru_rotation *rotation = node->state;
    const size_t size = node->out.size;
    const bool learns = node->weight[0] >= 0;
    if (learns) {
        rotation->r = congru_take_doubles(node, size);
        rotation->d_r = congru_take_doubles(node, size);
        rotation->factor = congru_take_doubles(node, congru_rotations_work(rotations_of(node), node->out.rows));
    }
    if (node->inputs == 0)
        return; /* other nodes do its work */
    node->saved_size[0] = node->need.lanes[0] = size;
    node->sum_size[0] = node->need.chains[0] = learns ? size : 0;
}

static congru_status rotation_prepare(congru_node *node)
{
    const congru_rotation *rotation = node->state;
    if (node->weight[0] < 0)
        return CONGRU_OK;
    memset(rotation->d_r, 0, node->out.size * sizeof(double));
    return congru_rotations_forward(node->graph->context, rotations_of(node), node->out.rows,
                                    congru_node_value(node, 0), rotation->factor, rotation->r);
}

static void rotation_forward(const congru_call *call)
{
    congru_congruence_forward(call, ((const congru_rotation *)call->node->state)->r);
}

static void rotation_backward(const congru_call *call)
{
    congru_congruence_backward(call, ((const congru_rotation *)call->node->state)->r);
}

/* Twice a node's sums over trials are a part of the derivative by R. */
static congru_status rotation_add_sums(congru_node *node)
{
    congru_node_add_sums(node, 0, 2.0, congru_rotation_of(node->graph)->d_r);
    return CONGRU_OK;
}

static congru_status rotation_finish(congru_node *node)
{
    const congru_rotation *rotation = node->state;
    rotation_add_sums(node);
    return rotations_backward(node->graph->context, rotations_of(node), node->out.rows,
                              congru_node_value(node, 0), rotation->factor, rotation->d_r,
                              congru_node_gradient(node, 0));
}

const congru_layer congru_layer_rotation = {
    .name = "rotation",
    .traits = CONGRU_TRAIT_WEIGHTS,
    .state = sizeof(congru_rotation),
    .plan = rotation_plan,
    .prepare = rotation_prepare,
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

static void dispersion_plan(congru_node *node)
{
    node->has_scalar = node->inputs > 0;
    node->need.lanes[0] = node->inputs > 0 ? node->out.size : 0;
}

static congru_status dispersion_prepare(congru_node *node)
{
    congru_scaling *scaling = node->state;
    const congru_constants *constants = node->graph->constants;
    scaling->d_gamma = 0.0;
    /* Constant logarithms are divided already. */
    if (constants != NULL && node->inputs > 0 && congru_node_source(node, 0)->layer != &congru_layer_constant)
        scaling->dispersion = constants->dispersion;
    if (node->graph->parameters->gradient != NULL)
        scaling->gamma = node->weight[0] >= 0 ? congru_scalar_exp(*congru_node_value(node, 0)) : 1.0;
    return CONGRU_OK;
}

/* What the trial at a lane is divided by, and gamma over it. */
static double divisor_of(const congru_call *call, size_t lane)
{
    const congru_scaling *scaling = call->node->state;
    const size_t place = call->first + (lane < call->count ? lane : 0);
    if (scaling->dispersion != NULL && call->batch != NULL)
        return scaling->dispersion[call->batch->subject[place]];
    return scaling->divisor != NULL ? scaling->divisor[place] : 1.0;
}

static double scale_of(const congru_call *call, size_t lane)
{
    return ((const congru_scaling *)call->node->state)->gamma / divisor_of(call, lane);
}

void congru_call_scale(const congru_call *call, congru_lane_factor factor, const double *x, double *y)
{
    const size_t width = call->kernel->width, size = call->node->out.size * width;
    for (size_t v = 0; v < call->vectors; v++) {
        double own[CONGRU_GROUP] = {0.0};
        for (size_t lane = 0; lane < width; lane++)
            own[lane] = factor(call, v * width + lane);
        for (size_t e = v * size; e < (v + 1) * size; e++)
            y[e] = x[e] * own[e % width];
    }
}

static void dispersion_forward(const congru_call *call)
{
    congru_call_scale(call, scale_of, call->x[0], call->y);
}

/* dX = gamma / dispersion dY, and the part of the derivative by gamma of each trial. */
static void dispersion_backward(const congru_call *call)
{
    call->kernel->dots(call->vectors, call->node->out.size, call->x[0], call->d_y, call->work.lanes[0]);
    for (size_t m = 0; m < call->vectors * call->kernel->width; m++)
        call->scalar[m] = call->work.lanes[0][m] / divisor_of(call, m);
    if (call->d_x[0] != NULL)
        congru_call_scale(call, scale_of, call->d_y, call->d_x[0]);
}

static congru_status dispersion_finish(congru_node *node)
{
    congru_scaling *scaling = node->state;
    if (node->weight[0] < 0)
        return CONGRU_OK;
    for (size_t i = 0; i < node->graph->batch->count && node->has_scalar; i++)
        scaling->d_gamma += node->scalar[i];
    *congru_node_gradient(node, 0) = scaling->gamma * scaling->d_gamma;
    return CONGRU_OK;
}

const congru_layer congru_layer_dispersion = {
    .name = "dispersion",
    .traits = CONGRU_TRAIT_WEIGHTS | CONGRU_TRAIT_READS_X,
    .state = sizeof(congru_scaling),
    .plan = dispersion_plan,
    .prepare = dispersion_prepare,
    .trials = {dispersion_forward, dispersion_backward},
    .finish = dispersion_finish,
};

/* ---- Diagonals: y_i = X_ii --------------------------------------------------------------------------- */

static void diagonal_plan(congru_node *node)
{
    node->out = congru_vector(node->in[0].rows);
}

/* y_i = element i `apart` of x, `size` elements in lanes; and its squared norm, where its rows are looked at. */
static void set_diagonal(const congru_call *call, const double *x, size_t size, size_t apart)
{
    const congru_node *node = call->node;
    const size_t width = call->kernel->width;
    memset(call->y, 0, congru_call_doubles(call, node->out.size) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        const double *from = x + congru_call_lane(call, size, m);
        double *y = call->y + congru_call_lane(call, node->out.size, m), square = 0.0;
        for (size_t i = 0; i < node->in[0].rows; i++) {
            y[i * width] = from[i * apart * width];
            square += y[i * width] * y[i * width];
        }
        if (node->rows != NULL)
            node->rows->norm[call->first + m] = square;
    }
}

static void diagonal_forward(const congru_call *call)
{
    const size_t d = call->node->in[0].rows;
    set_diagonal(call, call->x[0], d * d, d + 1);
}

static void diagonal_backward(const congru_call *call)
{
    const size_t d = call->node->in[0].rows, width = call->kernel->width;
    memset(call->d_x[0], 0, congru_call_doubles(call, d * d) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        const double *d_y = call->d_y + congru_call_lane(call, call->node->out.size, m);
        double *d_x = call->d_x[0] + congru_call_lane(call, d * d, m);
        for (size_t i = 0; i < d; i++)
            d_x[i * (d + 1) * width] = d_y[i * width];
    }
}

const congru_layer congru_layer_diagonal = {
    .name = "diagonal",
    .plan = diagonal_plan,
    .trials = {diagonal_forward, diagonal_backward},
};

/* That of R^T L' R for constant logarithms L', without turning a trial. */
static void turned_plan(congru_node *node)
{
    const size_t d = node->in[0].rows;
    diagonal_plan(node);
    node->saved_size[0] = node->sum_size[0] = node->need.chains[0] = d * d;
    node->need.lanes[0] = d;
}

/* Saves P = L' R. */
static void turned_forward(const congru_call *call)
{
    const double *r = congru_rotation_of(call->node->graph)->r;
    const size_t d = call->node->in[0].rows;
    call->kernel->product(call->vectors, d, d, d, congru_per_lane(call->x[0], d), congru_shared(r, d),
                          CONGRU_PRODUCT_SET, call->saved[0]);
    call->kernel->column_dots(call->vectors, d, d, r, call->saved[0], call->work.lanes[0]);
    set_diagonal(call, call->work.lanes[0], d, 1);
}

/* dR = 2 sum P diag(dz). */
static void turned_backward(const congru_call *call)
{
    const size_t d = call->node->in[0].rows, row = d * call->kernel->width;
    for (size_t v = 0; v < call->vectors; v++)
        memcpy(call->work.lanes[0] + v * row, call->d_y + v * call->node->out.size * call->kernel->width,
               row * sizeof(double));
    call->kernel->add_columns(call->vectors, d, d, call->saved[0], call->work.lanes[0],
                              congru_call_chains(call, 0));
    congru_call_fold(call, 0);
}

const congru_layer congru_layer_turned_diagonal = {
    .name = "diagonal of a rotation",
    .plan = turned_plan,
    .trials = {turned_forward, turned_backward},
    .finish = rotation_add_sums,
};
