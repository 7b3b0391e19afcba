/* The reference of a batch: the exponential of its mean logarithm. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_RECENTRE_LAYER_H
#define CONGRU_NETWORK_RECENTRE_LAYER_H

#include "network/graph.h"

typedef struct congru_reference {
    bool at_identity;    /* the reference is the identity */
    double *reference;   /* (out, out): exp(-mean/2); or what is given: */
    const double *given; /* (references, out, out), one for all or one for each trial; NULL: the batch's own */
    size_t references;
    double *mean;             /* (out, out): mean logarithm */
    double *d_mean;           /* (stride): derivative by the mean logarithm, as a row */
    double *values, *vectors; /* of the mean, one vector in lanes */
    double *scratch[4];       /* (out, out), one vector in lanes */
    double *small;            /* 3 out, one vector in lanes */
    double *eigen;            /* scratch of the decomposition */
    double *plain;            /* (out, out) */
} congru_reference;

void congru_reference_layout(congru_arena *arena, const congru_kernel *kernel, size_t d, congru_reference *r);

/* The reference exp(scale * mean logarithm) from the mean row, scale being -1/2 times what multiplies the rows. */
void congru_reference_forward(const congru_kernel *kernel, size_t d, const double *mean_row, double scale,
                              congru_reference *r);

/* The derivative by the mean row, d_mean, from that by the reference, which `plain` holds half of: dP + dP^T. */
void congru_reference_backward(const congru_kernel *kernel, size_t d, double scale, congru_reference *r);

#endif
