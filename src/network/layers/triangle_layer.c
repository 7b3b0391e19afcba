/* A symmetric matrix as a vector: its upper triangle, or its diagonal. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

static void triangle_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->out = congru_vector(congru_spd_tangent_size(node->in[0].rows));
}

/* Row by row, off-diagonals times sqrt 2: the Euclidean geometry of vectors is the Frobenius geometry of matrices. */
static void triangle_forward(const congru_call *call)
{
    const congru_node *node = call->node;
    if (node->rows != NULL)
        call->kernel->sum_squares(call->vectors, node->in[0].size, call->x[0], node->rows->norm + call->first);
    call->kernel->triangle(call->vectors, node->in[0].rows, node->out.size, call->x[0], call->y);
}

static void triangle_backward(const congru_call *call)
{
    if (call->d_x[0] != NULL)
        call->kernel->untriangle(call->vectors, call->node->in[0].rows, call->node->out.size, call->d_y,
                                 call->d_x[0]);
}

const congru_layer congru_layer_triangle = {
    .name = "triangle",
    .plan = triangle_plan,
    .trials = {triangle_forward, triangle_backward},
};

static void diagonal_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->out = congru_vector(node->in[0].rows);
}

/* y_i = x_ii */
static void diagonal_forward(const congru_call *call)
{
    const congru_node *node = call->node;
    const size_t d = node->in[0].rows, width = call->kernel->width;
    memset(call->y, 0, congru_call_doubles(call, node->out.size) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        const double *x = call->x[0] + m / width * d * d * width + m % width;
        double *y = call->y + m / width * node->out.size * width + m % width, square = 0.0;
        for (size_t i = 0; i < d; i++) {
            y[i * width] = x[i * (d + 1) * width];
            square += y[i * width] * y[i * width];
        }
        if (node->rows != NULL)
            node->rows->norm[call->first + m] = square;
    }
}

static void diagonal_backward(const congru_call *call)
{
    const congru_node *node = call->node;
    const size_t d = node->in[0].rows, width = call->kernel->width;
    if (call->d_x[0] == NULL)
        return;
    memset(call->d_x[0], 0, congru_call_doubles(call, d * d) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        for (size_t i = 0; i < d; i++)
            call->d_x[0][(m / width * d * d + i * (d + 1)) * width + m % width] =
                call->d_y[(m / width * node->out.size + i) * width + m % width];
    }
}

const congru_layer congru_layer_diagonal = {
    .name = "diagonal",
    .plan = diagonal_plan,
    .trials = {diagonal_forward, diagonal_backward},
};
