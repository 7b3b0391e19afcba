/* Which signals a network is given. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_SIGNAL_INPUT_LAYER_H
#define CONGRU_NETWORK_SIGNAL_INPUT_LAYER_H

#include "network/graph.h"

typedef struct congru_signal_input {
    const congru_real *table; /* (trials, samples, channels); the caller's where there is no batch */
} congru_signal_input;

#endif
