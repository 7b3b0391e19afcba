/* Signs of a network that degenerates. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_WATCH_H
#define CONGRU_NETWORK_WATCH_H

#include "network/application.h"
#include "network/models/model.h"

enum { CONGRU_WATCH_EVERY = 100 }; /* steps between two looks at the rank */

typedef struct congru_watch {
    const congru_design *design;
    congru_application *applied; /* the network, to be put to the mean of the trials; NULL for DCT */
    size_t rank;                 /* r: one less than the classes there are */
    double
        *directions; /* (d, r): the leading eigenvectors of the sum over classes of (mean of class - mean)^2 */
    double *mean;    /* (d, d) of the trials that the network sees */
    double *scratch[4];
    bool told_rank, told_eigenvalues, told_jitter, told_gradient;
} congru_watch;

void congru_watch_layout(congru_arena *arena, congru_watch *watch);
/* The trials that the network sees, of which `present` classes have some; weights are those of `parameters`. */
congru_status congru_watch_start(congru_context *context, const congru_trials *trials, size_t present,
                                 const congru_network_model *model, const congru_parameters *parameters,
                                 congru_watch *watch);
void congru_watch_end(congru_watch *watch);

/* After an evaluation of the graph: extremes of eigenvalues and, now and then, the rank of W^T V, W being the product of
 * the weights down to the narrowest layer (of a plain stack: of all), into the series; a note on the first sign of trouble
 * of each kind. */
congru_status congru_watch_step(congru_watch *watch, congru_graph *graph);

#endif
