/* Encoder and decoder of congruence layers with log-Euclidean merges. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_UNET_H
#define CONGRU_LAYER_UNET_H

#include "congru/method.h"

/* Layer l maps X (in) to Y = W^T X W + eps I (out). It is `merged` when X of the next layer is not Y but
 * exp(M), M = (log Y + log of layer `skip`'s input) / 2. */
typedef struct congru_unet_layer {
    size_t in, out;
    bool merged, last;
    size_t skip;
    bool logged; /* log Y is needed */
    bool wide;   /* it is merged and widens: log Y comes of a decomposition of size `in` */
    size_t core; /* dimension of what is decomposed for log Y */

    double *q, *r;  /* wide: W^T = Q R, (out, in) and (in, in) */
    double *n;      /* lanes: X W (in, out); wide: X R^T (in, in) */
    double *values; /* lanes (core), and z (core, core) */
    double *z;
    double *next;     /* lanes (out, out): X of the next layer */
    double *m_values; /* lanes (out), of M, and m_z (out, out), where its exponential is taken */
    double *m_z;
    double *part;      /* partials (in, out) */
    double *part_core; /* wide: partials (in, in) of N dB */
} congru_unet_layer;

typedef struct congru_unet {
    congru_unet_layer layer[CONGRU_LAYERS_MAX];
    double *scratch; /* (largest, largest) */
} congru_unet;

#endif
