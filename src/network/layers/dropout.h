/* What dropout leaves out. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_DROPOUT_H
#define CONGRU_NETWORK_DROPOUT_H

#include "congru/random.h"
#include "network/graph.h"

/* A share of the numbers is left out, the others are scaled up by `kept`. What is left out depends on the share, the name of
 * the layer, which has the seed in it, the step and the trial, and on nothing else. */
typedef struct congru_dropout {
    const congru_kernel *kernel;
    congru_random random;
    uint64_t least;
    congru_real kept;
} congru_dropout;

static inline bool congru_dropout_rests(const congru_call *call, double share)
{
    return call->resting || share <= 0.0;
}

/* Draws for the trial at place m of the call, and the next `count` numbers of it, a multiple of CONGRU_REAL_STEP: 0 or `kept`. */
congru_dropout congru_dropout_start(const congru_call *call, double share, double name, size_t m);
void congru_dropout_draw(congru_dropout *dropout, size_t count, congru_real *mask);

/* The name of the layer that is added next. */
double congru_dropout_name(const congru_graph *graph, uint64_t seed);

#endif
