/* The state of a normalisation, which its statistics read on the way back. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_NORMALISE_LAYER_H
#define CONGRU_NETWORK_NORMALISE_LAYER_H

#include "network/graph.h"

typedef struct congru_normalisation {
    double *mean, *variance;     /* (channels) */
    congru_real *scale, *shift;  /* (step): y = scale x + shift */
    congru_real *slope, *offset; /* (step): what x has to do with the derivative by mean and variance */
    double *d_gain, *d_bias;
} congru_normalisation;

#endif
