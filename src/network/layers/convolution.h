/* Convolutions of signals in time, over all channels, without padding. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_CONVOLUTION_H
#define CONGRU_NETWORK_CONVOLUTION_H

#include "network/graph.h"

/* y[t][o] = the sum over k and c of x[t + k][c] w[k][c][o]. Channels come last, so the windows are rows of a matrix that
 * overlap, and each of the three is one product, or one for each tap. */
typedef struct congru_convolution {
    size_t taps;
    congru_real *weight;  /* (taps, in, step of the output) */
    congru_real *flipped; /* (taps, out, step of the input): taps in reverse, channels transposed */
} congru_convolution;

void congru_convolution_layout(congru_arena *arena, const congru_node *node, congru_convolution *c);

/* From w (taps, in, out). */
void congru_convolution_set(const congru_node *node, const double *w, congru_convolution *c);

/* Reals of scratch: of the sums over one trial, and of a padded derivative. */
size_t congru_convolution_own(const congru_node *node, size_t taps);
size_t congru_convolution_padded(const congru_node *node, size_t taps);

/* All trials of the call: y; sums over trials of derivatives by the weights (taps, in, out), and d_x where it is wanted. The
 * scratch is work.plain[0] and [1]. */
void congru_convolution_forward(const congru_call *call, const congru_convolution *c);
void congru_convolution_backward(const congru_call *call, const congru_convolution *c, double *sum);

#endif
