/* Parameters moved along their gradient, and which of them are kept. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_ADAM_H
#define CONGRU_NETWORK_ADAM_H

#include "network/graph.h"

typedef struct congru_adam {
    double rate, clip, decay; /* decay of the softmax head's weights */
    double kept;              /* decay of the moving average; 0: none */
    double *first_moment, *second_moment;
    double *averaged; /* the moving average of the parameters, times what its weights add up to */
    double *best, *aside;
    double best_loss;
    size_t best_step, steps; /* steps made */
} congru_adam;

/* Run twice; all zero, and no best. */
void congru_adam_layout(congru_arena *arena, const congru_parameters *parameters, congru_adam *adam);
void congru_adam_start(const congru_parameters *parameters, congru_adam *adam);

/* Clips a gradient of this norm, decays, moves; the moving average follows. */
void congru_adam_update(congru_context *context, congru_adam *adam, congru_parameters *parameters, double norm);

/* Keeps a copy of the parameters of this loss, if it is the least so far; puts that copy back. */
void congru_adam_keep_best(congru_adam *adam, const congru_parameters *parameters, double loss, size_t step);
void congru_adam_restore_best(const congru_adam *adam, congru_parameters *parameters);

/* The moving average of this many steps becomes the parameters, which go aside. */
void congru_adam_use_average(congru_adam *adam, congru_parameters *parameters);

#endif
