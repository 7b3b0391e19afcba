/* Algebra on graphs that keeps the value and saves work. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_REWRITE_H
#define CONGRU_NETWORK_REWRITE_H

#include "network/graph.h"

/* Each keeps what the network gives, up to rounding. */
typedef enum congru_rewriting {
    CONGRU_REWRITE_LOG_OF_EXP = 1, /* log(exp(L)) is L */
    CONGRU_REWRITE_CHAIN = 2,      /* congruences all the way from input to output are one affine congruence */
    CONGRU_REWRITE_WIDE = 4,       /* the logarithm of a congruence that widens, by QR of its weights */
    CONGRU_REWRITE_CONSTANT = 8,   /* logarithms of the trials are had once */
    CONGRU_REWRITE_ROTATION = 16,  /* behind a rotation of constants nothing is turned but weights and axes */
    CONGRU_REWRITE_SPACE = 32, /* a congruence of the covariance of filtered signals is one of their filters */
    CONGRU_REWRITE_ALL = 63
} congru_rewriting;

/* Before planning. Those for constants need graph->constants. */
congru_status congru_graph_rewrite(congru_graph *graph, unsigned rewritings);

#endif
