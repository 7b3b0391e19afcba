/* A layer and a loss that the library does not have: each is a file and a row here. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_TOYS_H
#define CONGRU_TESTS_TOYS_H

#include "network/layer.h"

extern const congru_layer toy_layer; /* matrices over their trace, times a gain (1, 1) */
extern const congru_layer toy_loss;  /* the mean of half their squared norms */

#endif
