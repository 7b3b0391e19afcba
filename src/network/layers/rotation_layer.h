/* The states of a rotation and a dispersion, which DCT's other nodes read and add to. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_ROTATION_LAYER_H
#define CONGRU_NETWORK_ROTATION_LAYER_H

#include "network/graph.h"

/* R, the product of exp(A - A^T) for each A of the weights. Without weights, r is the caller's. */
typedef struct congru_rotation {
    double *r, *d_r; /* (d, d) */
    double *factor;  /* of more than one: congru_rotations_work numbers */
} congru_rotation;

/* gamma = exp(g), or 1 where it is not learned; divisor: of each trial, or NULL. */
typedef struct congru_scaling {
    double gamma, d_gamma;
    const double *divisor;    /* (count), by place */
    const double *dispersion; /* (subjects), in training */
} congru_scaling;

int congru_graph_dispersion(congru_graph *graph, int x, bool learns);
int congru_graph_rotation(congru_graph *graph, int x);

/* The numbers of workspace that products of `count` rotations take, 0 for one; and the product for a (count, d, d). */
size_t congru_rotations_work(size_t count, size_t d);
congru_status congru_rotations_forward(congru_context *context, size_t count, size_t d, const double *a,
                                       double *work, double *r);

/* Adds twice a node's sums over trials to the derivative by R. */
congru_status congru_rotation_add_sums(congru_graph *graph, congru_node *node);

/* Its own state; the states are there once the graph has been planned. */
static inline congru_rotation *congru_rotation_of(const congru_graph *graph)
{
    return graph->node[graph->rotation].state;
}
static inline congru_scaling *congru_scaling_of(const congru_graph *graph)
{
    return graph->node[graph->dispersion].state;
}

#endif
