/* What is behind a rotation of constant logarithms, without turning a trial. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/constants.h"
#include "network/layers/dense_layer.h"
#include "network/layers/recentre_layer.h"
#include "network/layers/rotation_layer.h"

/* ---- The diagonal of R^T L' R ------------------------------------------------------------------------ */

static void diagonal_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t d = node->in[0].rows;
    node->out = congru_vector(d);
    node->saved_size[0] = node->sum_size[0] = node->need.chains[0] = d * d;
    node->need.lanes[0] = d;
}

/* Saves P = L' R. */
static void diagonal_forward(const congru_call *call)
{
    const congru_node *node = call->node;
    const double *r = *(const double *const *)call->node->state;
    const size_t d = node->in[0].rows, width = call->kernel->width, size = node->out.size;
    double *z = call->work.lanes[0];
    call->kernel->product(call->vectors, d, d, d, congru_per_lane(call->x[0], d), congru_shared(r, d),
                          CONGRU_PRODUCT_SET, call->saved[0]);
    call->kernel->column_dots(call->vectors, d, d, r, call->saved[0], z);
    memset(call->y, 0, congru_call_doubles(call, size) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        double square = 0.0;
        for (size_t i = 0; i < d; i++) {
            const double x = z[(m / width * d + i) * width + m % width];
            call->y[(m / width * size + i) * width + m % width] = x;
            square += x * x;
        }
        if (node->rows != NULL)
            node->rows->norm[call->first + m] = square;
    }
}

/* dR = 2 sum P diag(dz). */
static void diagonal_backward(const congru_call *call)
{
    const size_t d = call->node->in[0].rows, width = call->kernel->width;
    for (size_t v = 0; v < call->vectors; v++)
        memcpy(call->work.lanes[0] + v * d * width, call->d_y + v * call->node->out.size * width,
               d * width * sizeof(double));
    memset(call->work.chains[0], 0, CONGRU_GROUP * d * d * sizeof(double));
    call->kernel->add_columns(call->vectors, d, d, call->saved[0], call->work.lanes[0], call->work.chains[0]);
    congru_call_fold(call, 0);
}

static congru_status diagonal_prepare(congru_graph *graph, congru_node *node)
{
    *(const double **)node->state = congru_rotation_of(graph)->r;
    return CONGRU_OK;
}

const congru_layer congru_layer_turned_diagonal = {
    .name = "diagonal of a rotation",
    .plan = diagonal_plan,
    .state = {.bytes = sizeof(const double *), .prepare = diagonal_prepare},
    .trials = {diagonal_forward, diagonal_backward},
    .finish = congru_rotation_add_sums,
};

/* ---- Recentring, in the basis of the inputs ---------------------------------------------------------- */

/* Every step of the head commutes with a rotation of all its inputs: log(P exp(gamma R^T L R) P) is R^T Z R, with Z
 * what it would be without R. The rotation is therefore applied to the softmax weights instead, once per batch:
 * <W, R^T Z R> = <R W R^T, Z>. What is left to differentiate by trial is gamma. */
typedef struct turned_recentre {
    congru_reference reference;
    const congru_constants *constants;
    double gamma;
} turned_recentre;

static void recentre_plan(congru_graph *graph, congru_node *node)
{
    turned_recentre *t = node->state;
    const size_t d = node->out.rows;
    t->constants = graph->constants;
    node->depth = 2;
    node->saved_size[0] = d * d;
    node->saved_size[1] = d;
    node->need.lanes[0] = node->need.lanes[1] = node->need.lanes[2] = d * d;
    node->need.lanes[3] = d;
    node->has_scalar = true;
}

static void recentre_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    turned_recentre *t = node->state;
    congru_reference_layout(arena, graph->context->kernel, node->out.rows, &t->reference);
}

/* The reference exp(-gamma/2 mean L'). */
static congru_status recentre_meet(congru_graph *graph, congru_node *node)
{
    turned_recentre *t = node->state;
    t->gamma = congru_scaling_of(graph)->gamma;
    congru_reference_forward(graph->context->kernel, node->out.rows,
                             congru_graph_source(graph, node, 0)->rows->mean, -0.5 * t->gamma, &t->reference);
    return CONGRU_OK;
}

/* Y = N N^T with N = P V e^(gamma w / 2); saves N and w. */
static void recentre_forward(const congru_call *call)
{
    const turned_recentre *t = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t d = call->node->out.rows, vectors = call->vectors;
    const size_t *index = call->batch->index + call->first;
    double *v = call->work.lanes[0], *n = call->saved[0], *values = call->saved[1], *root = call->work.lanes[3];
    kernel->gather(vectors, d * d, t->constants->vectors, index, v);
    kernel->gather(vectors, d, t->constants->values, index, values);
    kernel->map((congru_function){CONGRU_FUNCTION_EXP, 0.5 * t->gamma, 0.0}, congru_call_doubles(call, d),
                values, root);
    kernel->product(vectors, d, d, d, congru_shared(t->reference.reference, d), congru_per_lane(v, d),
                    CONGRU_PRODUCT_SET, call->work.lanes[1]);
    kernel->scale_columns(vectors, d, call->work.lanes[1], root, n);
    kernel->product(vectors, d, d, d, congru_per_lane(n, d), congru_per_lane_transposed(n, d),
                    CONGRU_PRODUCT_SYMMETRIC, call->y);
}

/* dY/dgamma = N diag(w) N^T - (M Y + Y M) / 2, M the mean logarithm, so that <dY, dY/dgamma> =
 * <dY N, N diag(w) - M N>. */
static void recentre_backward(const congru_call *call)
{
    const turned_recentre *t = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t d = call->node->out.rows, vectors = call->vectors;
    const double *n = call->saved[0];
    double *first = call->work.lanes[0], *second = call->work.lanes[1], *scaled = call->work.lanes[2];
    kernel->product(vectors, d, d, d, congru_per_lane(call->d_y, d), congru_per_lane(n, d), CONGRU_PRODUCT_SET,
                    first);
    kernel->product(vectors, d, d, d, congru_shared(t->reference.mean, d), congru_per_lane(n, d),
                    CONGRU_PRODUCT_SET, second);
    kernel->scale_columns(vectors, d, n, call->saved[1], scaled);
    kernel->combine(congru_call_doubles(call, d * d), -1.0, second, 1.0, scaled);
    kernel->dots(vectors, d * d, first, scaled, call->scalar);
}

static congru_status recentre_finish(congru_graph *graph, congru_node *node)
{
    for (size_t i = 0; i < graph->batch->count && node->learns; i++)
        congru_scaling_of(graph)->d_gamma += node->scalar[i];
    return CONGRU_OK;
}

const congru_layer congru_layer_turned_recentre = {
    .name = "recentre a rotation",
    .traits = CONGRU_TRAIT_LATE,
    .plan = recentre_plan,
    .state = {.bytes = sizeof(turned_recentre), .layout = recentre_layout},
    .trials = {recentre_forward, recentre_backward},
    .batch = {.meet = recentre_meet},
    .finish = recentre_finish,
};

/* ---- Dense, with weights in that basis --------------------------------------------------------------- */

static size_t dimension(const congru_graph *graph)
{
    return graph->node[graph->rotation].out.rows;
}

static void dense_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    congru_dense *dense = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t d = dimension(graph), vectors = congru_kernel_vectors(kernel, node->out.rows);
    congru_dense_layout(arena, graph, node);
    for (int k = 0; k < 4; k++)
        dense->matrices[k] = congru_take_lanes(arena, kernel, vectors, d * d);
    dense->rows = congru_take_lanes(arena, kernel, vectors, node->in[0].size);
    dense->chains = congru_arena_take(arena, (CONGRU_GROUP + 1) * d * d, sizeof(double));
}

/* Matrices of the padded rows, in lanes, those beyond the classes zero; and rows of matrices. */
static void to_matrices(const congru_graph *graph, const congru_node *node, double *matrices)
{
    const congru_dense *dense = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t classes = node->out.rows, vectors = congru_kernel_vectors(kernel, classes);
    kernel->pack(vectors, classes, node->in[0].size, 1, dense->weight, dense->rows);
    kernel->untriangle(vectors, dimension(graph), node->in[0].size, dense->rows, matrices);
}

static void to_rows(const congru_graph *graph, const congru_node *node, const double *matrices)
{
    const congru_dense *dense = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t classes = node->out.rows, vectors = congru_kernel_vectors(kernel, classes);
    kernel->triangle(vectors, dimension(graph), node->in[0].size, matrices, dense->rows);
    kernel->unpack(vectors, classes, node->in[0].size, 1, dense->rows, dense->weight);
}

/* R W R^T */
static congru_status dense_prepare(congru_graph *graph, congru_node *node)
{
    congru_dense *dense = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t d = dimension(graph), vectors = congru_kernel_vectors(kernel, node->out.rows);
    congru_status status = congru_dense_prepare(graph, node);
    to_matrices(graph, node, dense->matrices[0]);
    congru_spectral_congruence(kernel, vectors, d, d, dense->matrices[0],
                               congru_shared_transposed(congru_rotation_of(graph)->r, d), dense->matrices[1],
                               dense->matrices[2]);
    to_rows(graph, node, dense->matrices[1]);
    return status;
}

/* The gradient of the sums is by R W R^T. */
static congru_status dense_finish(congru_graph *graph, congru_node *node)
{
    congru_dense *dense = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const congru_rotation *rotation = congru_rotation_of(graph);
    const size_t d = dimension(graph), classes = node->out.rows, features = node->in[0].rows;
    const size_t stride = node->in[0].size, vectors = congru_kernel_vectors(kernel, classes);
    double *gradient = congru_graph_gradient(graph, node, 0), *plain = dense->chains + CONGRU_GROUP * d * d;
    double *w = dense->matrices[0], *d_turned = dense->matrices[1], *d_w = dense->matrices[2];
    congru_status status = congru_dense_finish(graph, node);
    for (size_t k = 0; k < classes; k++)
        memcpy(dense->weight + k * stride, gradient + k * features, features * sizeof(double));
    to_matrices(graph, node, d_turned);
    congru_spectral_congruence(kernel, vectors, d, d, d_turned, congru_shared(rotation->r, d), d_w,
                               dense->matrices[3]);
    /* dR = 2 sum (dW' R) W, the first factor being what the congruence left behind */
    memset(dense->chains, 0, CONGRU_GROUP * d * d * sizeof(double));
    kernel->add_product(vectors, d, d, d, congru_per_lane(dense->matrices[3], d), congru_per_lane(w, d),
                        dense->chains);
    kernel->fold(d * d, dense->chains, plain);
    for (size_t e = 0; e < d * d; e++)
        rotation->d_r[e] += 2.0 * plain[e];
    to_rows(graph, node, d_w);
    for (size_t k = 0; k < classes; k++)
        memcpy(gradient + k * features, dense->weight + k * stride, features * sizeof(double));
    return status;
}

const congru_layer congru_layer_turned_dense = {
    .name = "dense behind a rotation",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = congru_dense_plan,
    .state = {sizeof(congru_dense), dense_layout, dense_prepare},
    .trials = {congru_dense_forward, congru_dense_backward},
    .finish = dense_finish,
};
