/* The weights of a dense layer as padded rows, which the turned one changes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_DENSE_LAYER_H
#define CONGRU_NETWORK_DENSE_LAYER_H

#include "network/graph.h"

typedef struct congru_dense {
    double *weight;      /* (classes, stride) */
    double *rows;        /* turned: lanes of classes (stride) */
    double *matrices[4]; /* turned: lanes of classes (d, d) */
    double *chains;      /* turned: (CONGRU_GROUP, d, d), and behind it (d, d) */
} congru_dense;

/* The functions of a dense layer, with which the turned one begins or ends. */
void congru_dense_plan(congru_graph *graph, congru_node *node);
void congru_dense_layout(congru_arena *arena, congru_graph *graph, congru_node *node);
congru_status congru_dense_prepare(congru_graph *graph, congru_node *node);
void congru_dense_forward(const congru_call *call);
void congru_dense_backward(const congru_call *call);
congru_status congru_dense_finish(congru_graph *graph, congru_node *node);

#endif
