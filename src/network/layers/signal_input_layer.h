/* Which signals a network is given. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_SIGNAL_INPUT_LAYER_H
#define CONGRU_NETWORK_SIGNAL_INPUT_LAYER_H

#include "network/graph.h"

/* A trial may have more samples than the node gives on: a crop of it is read. Training draws where it begins, by seed, step
 * and trial and nothing else. At rest it is one of those that a prediction is averaged over, evenly spaced from the first
 * samples to the last. */
typedef struct congru_signal_input {
    const congru_real *table; /* (trials, samples of a trial, channels); the caller's where there is no batch */
    size_t crop;              /* at rest, which crop of every trial, from 1; 0: each trial takes the next one */
} congru_signal_input;

/* Of a node that has been added: samples of a trial, crops of a prediction, and the seed. */
void congru_signal_input_crop(congru_node *node, size_t whole, size_t crops, uint64_t seed);

#endif
