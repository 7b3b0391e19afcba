/* Training from the first step to the last. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_TRAINING_LOOP_H
#define CONGRU_LAYER_TRAINING_LOOP_H

#include "layer/training.h"

/* All steps; the parameters of the least loss at the end. `record` may be NULL. */
congru_status congru_training_loop(congru_training *training, congru_record *record);

#endif
