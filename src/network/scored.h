/* Trained networks that decide by themselves: kept as tensors, and asked. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_SCORED_H
#define CONGRU_NETWORK_SCORED_H

#include "network/train.h"

/* Adds the design, the weights under their names, and which classes there are. */
congru_status congru_scored_save(const congru_training *training, const char *prefix, congru_tensors *model);

/* After saving: of a network that recentres matrices, where those of the source subjects are on the average. */
congru_status congru_scored_keep(congru_context *context, const congru_network *network, const char *prefix,
                                 const congru_trials *trials, congru_tensors *model);

/* Class probabilities (count, *classes) of trials. */
congru_status congru_scored_predict(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_tensors *model, const congru_target_trials *target,
                                    size_t *classes, double *probability);

/* How many classes that are, of a model that lacks none of the network's tensors. */
congru_status congru_scored_classes(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_tensors *model, size_t *classes);

#endif
