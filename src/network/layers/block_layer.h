/* Leading principal blocks, taken and given back. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_BLOCK_LAYER_H
#define CONGRU_NETWORK_BLOCK_LAYER_H

#include "network/graph.h"

/* block (m, m) of a (d, d), and back into zeros, in lanes. */
void congru_block_take(const congru_call *call, size_t d, size_t m, const double *a, double *block);
void congru_block_give(const congru_call *call, size_t d, size_t m, const double *block, double *a);

#endif
