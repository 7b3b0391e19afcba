/* The state of an affine congruence, which a rewriting fills in. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_AFFINE_LAYER_H
#define CONGRU_NETWORK_AFFINE_LAYER_H

#include "network/graph.h"

typedef struct congru_affine {
    size_t layers;
    int weight[CONGRU_LAYERS_MAX]; /* segments, from the input on */
    size_t largest;                /* width */
    double *t[CONGRU_LAYERS_MAX];  /* [l] (d, width l), from l = 1 on */
    double *k[CONGRU_LAYERS_MAX];  /* [l] (width l, width l) */
    double *d_t, *d_k;             /* of the last, and of those before it in turn */
    double *next_d_t, *next_d_k;
    double *product, *transposed; /* scratch, (largest, largest) */
} congru_affine;

#endif
