/* A stack of congruence layers as the one affine congruence it is. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_AFFINE_H
#define CONGRU_LAYER_AFFINE_H

#include "congru/method.h"

/* T_l = W_1 ... W_l and K_l = W_l^T K_(l-1) W_l + eps I, so that layer l's output is T_l^T C T_l + K_l. */
typedef struct congru_affine {
    double *t[CONGRU_LAYERS_MAX]; /* [l] (d, width l), from l = 1 on */
    double *k[CONGRU_LAYERS_MAX]; /* [l] (width l, width l) */
    double *d_t, *d_k;            /* of the last, and of those before it in turn */
    double *next_d_t, *next_d_k;
    double *product;         /* scratch, (largest, largest) */
    double *transposed;      /* scratch, likewise */
    double *n;               /* lanes (d, out): C T */
    double *values, *z;      /* lanes, of the output */
    double *part_t, *part_k; /* partials */
} congru_affine;

#endif
