/* The paper's networks as a whole: fitted, applied, asked. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_NETWORK_H
#define CONGRU_NETWORK_NETWORK_H

#include "model/tensors.h"
#include "model/trials.h"
#include "network/record.h"

typedef enum congru_backbone {
    CONGRU_BACKBONE_DCT,
    CONGRU_BACKBONE_DLDCT,
    CONGRU_BACKBONE_UNET,
    CONGRU_BACKBONE_COUNT,
    /* Networks that decide by themselves: classes come out of them, no matrices. */
    CONGRU_NETWORK_SPD_CNN = CONGRU_BACKBONE_COUNT,
    CONGRU_NETWORK_TS_SPD_CNN,
    CONGRU_NETWORK_SPDNET,
    CONGRU_NETWORK_SHALLOW,
    CONGRU_NETWORK_DEEP,
    CONGRU_NETWORK_EEGNET,
    CONGRU_NETWORK_CONFORMER,
    CONGRU_NETWORK_INCEPTION,
    CONGRU_NETWORK_TSMNET,
    CONGRU_NETWORK_CONV_DLDCT,
    CONGRU_NETWORK_CONV_DDCT_UNET,
    CONGRU_NETWORK_COUNT
} congru_backbone;

/* The options with what this network's authors have for those that are CONGRU_OWN. */
congru_network_options congru_network_settle(congru_backbone backbone, const congru_network_options *options);

/* The same by the name of a model, "dct" or another; and how many steps it is trained for. */
congru_network_options congru_network_settle_named(const char *model, const congru_network_options *options);
int congru_network_steps(const char *model, const congru_network_options *options);

/* Whether a network on signals can be trained with these options on such a shape of them; the others are for any. */
congru_status congru_network_suits(congru_context *context, congru_backbone backbone,
                                   const congru_network_options *options, const congru_signals *shape);

/* Trains on recentred trials and adds the tensors under `prefix` ("dldct" gives "dldct.w1", ...). End to end, the
 * softmax head is trained with the backbone. */
congru_status congru_network_fit(congru_context *context, congru_backbone backbone, bool end_to_end,
                                 const char *prefix, const congru_trials *trials,
                                 const congru_method_options *options, congru_tensors *model,
                                 congru_record *record);

/* The backbone's output for source trials and for a target subject: out (count, d, d). */
congru_status congru_network_map_sources(congru_context *context, congru_backbone backbone, const char *prefix,
                                         const congru_tensors *model, const congru_trials *trials, double *out);
congru_status congru_network_map_target(congru_context *context, congru_backbone backbone, const char *prefix,
                                        const congru_tensors *model, const congru_target_trials *target,
                                        double *out);

/* Class probabilities (count, classes) of an end-to-end network. */
congru_status congru_network_predict(congru_context *context, congru_backbone backbone, const char *prefix,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability);

/* How many classes a network that decides by itself tells apart, each of an ensemble alike; an error when it
 * lacks a tensor. */
congru_status congru_network_classes(congru_context *context, congru_backbone backbone, const char *prefix,
                                     const congru_tensors *model, size_t *classes);

#endif
