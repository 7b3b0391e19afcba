/* The networks of other authors, which decide by themselves. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/classifier.h"
#include "network/network.h"

/* A table and its functions: `id` in C names, `number` in network/network.h, `title` on the command line; then what else
 * the table has. */
#define NETWORK(id, number, title, words, ...) \
    static congru_status fit_##id(congru_context *context, const congru_trials *trials, \
                                  const congru_method_options *options, congru_tensors *model, \
                                  congru_record *record) \
    { \
        return congru_network_fit(context, number, true, title, trials, options, model, record); \
    } \
    static congru_status predict_##id(congru_context *context, const congru_tensors *model, \
                                      const congru_target_trials *target, double *probability) \
    { \
        return congru_network_predict(context, number, title, model, target, probability); \
    } \
    static congru_status count_##id(congru_context *context, const congru_tensors *model, size_t *classes) \
    { \
        return congru_network_classes(context, number, title, model, classes); \
    } \
    static congru_status suits_##id(congru_context *context, const congru_method_options *options, \
                                    const congru_signals *shape) \
    { \
        return congru_network_suits(context, number, &options->network, shape); \
    } \
    const congru_classifier congru_classifier_##id = { \
        .name = title, \
        .summary = words, \
        .network = number, \
        .end_to_end = true, \
        .suits = suits_##id, \
        .fit = fit_##id, \
        .predict = predict_##id, \
        .count_classes = count_##id, \
        __VA_ARGS__, \
    };

#define ON_COVARIANCES .needs = CONGRU_NEEDS_COVARIANCES, .aligner = "ra"
#define ON_SIGNALS .needs = CONGRU_NEEDS_SIGNALS, .aligner = "ea"

NETWORK(spd_cnn, &congru_network_spd_cnn, "spd-cnn", "3x3 convolutions on the covariance as an image",
        ON_COVARIANCES)
NETWORK(ts_spd_cnn, &congru_network_ts_spd_cnn, "ts-spd-cnn", "3x3 convolutions on its logarithm as an image",
        ON_COVARIANCES)
NETWORK(spdnet, &congru_network_spdnet, "spdnet",
        "SPDNet: two bilinear maps with rectified eigenvalues, then dense", ON_COVARIANCES)
NETWORK(shallow, &congru_network_shallow, "shallow",
        "ShallowConvNet on signals: filters in time and space, then log-variance", ON_SIGNALS)
NETWORK(deep, &congru_network_deep, "deep", "DeepConvNet on signals: four convolutions with max pooling",
        ON_SIGNALS)
NETWORK(eegnet, &congru_network_eegnet, "eegnet",
        "EEGNet on signals: filters in time, in space for each, then separable ones", ON_SIGNALS)
NETWORK(conformer, &congru_network_conformer, "conformer",
        "EEG Conformer on signals: patches of filtered signals, six transformer blocks", ON_SIGNALS)
NETWORK(inception, &congru_network_inception, "inception",
        "EEG-Inception on signals: filters of three lengths, in time and space, twice", ON_SIGNALS)
NETWORK(tsmnet, &congru_network_tsmnet, "tsmnet",
        "TSMNet on signals: covariance of filtered signals, normalised for each subject", ON_SIGNALS)
NETWORK(conv_dldct, &congru_network_conv_dldct, "conv-dldct",
        "dldct with its own head on the covariance of signals filtered in time and space", ON_SIGNALS)
NETWORK(conv_ddct_unet, &congru_network_conv_ddct_unet, "conv-ddct-unet", "ddct-unet likewise", ON_SIGNALS)
