/* The registry of networks, and what is done with one as a whole: fitted, applied, asked. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_NETWORK_H
#define CONGRU_NETWORK_NETWORK_H

#include "model/tensors.h"
#include "model/trials.h"
#include "network/record.h"

/* The registry: ROW(id, name, what it reads, what it gives, summary) for each network, in the order of help. How it is built
 * and trained is congru_model_ID in models/ID_network.c, which meson.build reads here. Those that give MATRICES are for an
 * aligner, or end to end with a head behind them; those that give CLASSES have a head of their own. */
#define CONGRU_NETWORKS(ROW) \
    ROW(dct, "dct", COVARIANCES, MATRICES, "one rotation and dispersion") \
    ROW(dldct, "dldct", COVARIANCES, MATRICES, "a stack of congruence layers") \
    ROW(ddct_unet, "ddct-unet", COVARIANCES, MATRICES, \
        "congruence layers down and up again with log-Euclidean merges") \
    ROW(spd_cnn, "spd-cnn", COVARIANCES, CLASSES, "3x3 convolutions on the covariance as an image") \
    ROW(ts_spd_cnn, "ts-spd-cnn", COVARIANCES, CLASSES, "3x3 convolutions on its logarithm as an image") \
    ROW(spdnet, "spdnet", COVARIANCES, CLASSES, \
        "SPDNet: two bilinear maps with rectified eigenvalues, then dense") \
    ROW(tsmnet, "tsmnet", SIGNALS, CLASSES, \
        "TSMNet on signals: covariance of filtered signals, normalised for each subject") \
    ROW(shallow, "shallow", SIGNALS, CLASSES, \
        "ShallowConvNet on signals: filters in time and space, then log-variance") \
    ROW(deep, "deep", SIGNALS, CLASSES, "DeepConvNet on signals: four convolutions with max pooling") \
    ROW(eegnet, "eegnet", SIGNALS, CLASSES, \
        "EEGNet on signals: filters in time, in space for each, then separable ones") \
    ROW(conformer, "conformer", SIGNALS, CLASSES, \
        "EEG Conformer on signals: patches of filtered signals, six transformer blocks") \
    ROW(inception, "inception", SIGNALS, CLASSES, \
        "EEG-Inception on signals: filters of three lengths, in time and space, twice") \
    ROW(conv_dldct, "conv-dldct", SIGNALS, CLASSES, \
        "dldct with its own head on the covariance of signals filtered in time and space") \
    ROW(conv_ddct_unet, "conv-ddct-unet", SIGNALS, CLASSES, "ddct-unet likewise")

/* A row. */
typedef struct congru_network {
    const char *name;
    const char *summary; /* one line, for help */
    congru_needs needs;
    const struct congru_network_model *model; /* models/model.h */
} congru_network;

#define CONGRU_DECLARE_NETWORK(id, ...) extern const congru_network congru_network_##id;
CONGRU_NETWORKS(CONGRU_DECLARE_NETWORK)

/* NULL when there is none of the name; in the order of the registry until NULL. */
const congru_network *congru_network_find(const char *name);
const congru_network *congru_network_at(size_t index);

/* The options with what this network's authors have for those that are CONGRU_OWN. */
congru_network_options congru_network_settle(const congru_network *network,
                                             const congru_network_options *options);

/* How many steps it is trained for. */
int congru_network_steps(const congru_network *network, const congru_network_options *options);

/* Whether a network on signals can be trained with these options on such a shape of them; the others are for any. */
congru_status congru_network_suits(congru_context *context, const congru_network *network,
                                   const congru_network_options *options, const congru_signals *shape);

/* Trains on recentred trials and adds the tensors under `prefix` ("dldct" gives "dldct.w1", ...). End to end, the
 * softmax head is trained with the network. */
congru_status congru_network_fit(congru_context *context, const congru_network *network, bool end_to_end,
                                 const char *prefix, const congru_trials *trials,
                                 const congru_method_options *options, congru_tensors *model,
                                 congru_record *record);

/* The network's output for source trials and for a target subject, of an ensemble the first one's: out (count, d, d). */
congru_status congru_network_map_sources(congru_context *context, const congru_network *network,
                                         const char *prefix, const congru_tensors *model,
                                         const congru_trials *trials, double *out);
congru_status congru_network_map_target(congru_context *context, const congru_network *network,
                                        const char *prefix, const congru_tensors *model,
                                        const congru_target_trials *target, double *out);

/* Class probabilities (count, classes) of an end-to-end network. */
congru_status congru_network_predict(congru_context *context, const congru_network *network, const char *prefix,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability);

/* How many classes a network with a head tells apart, each of an ensemble alike; an error when it lacks a tensor. */
congru_status congru_network_classes(congru_context *context, const congru_network *network, const char *prefix,
                                     const congru_tensors *model, size_t *classes);

#endif
