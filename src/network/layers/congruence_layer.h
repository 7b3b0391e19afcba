/* Products that several layers are made of. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_CONGRUENCE_LAYER_H
#define CONGRU_NETWORK_CONGRUENCE_LAYER_H

#include <string.h>

#include "network/graph.h"

/* n (in, out) = X W and y (out, out) = W^T n for symmetric x (in, in), in lanes, and a plain W (in, out). */
void congru_congruence_forward(const congru_kernel *kernel, size_t vectors, size_t in, size_t out,
                               const double *x, const double *w, double *n, double *y);

/* d_x = W d_y W^T, with scratch (in, out) in lanes. */
void congru_congruence_backward(const congru_kernel *kernel, size_t vectors, size_t in, size_t out,
                                const double *w, const double *d_y, double *d_x, double *scratch);

#endif
