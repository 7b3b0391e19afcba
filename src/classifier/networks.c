/* The networks of other authors, which decide by themselves. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/classifier.h"
#include "network/network.h"

/* A table and its functions: `id` in C names, `number` in network/network.h, `title` on the command line. */
#define NETWORK(id, number, title, words) \
    static congru_status fit_##id(congru_context *context, const congru_trials *trials, \
                                  const congru_method_options *options, congru_tensors *model, \
                                  congru_record *record) \
    { \
        return congru_network_fit(context, number, true, title, trials, options, model, record); \
    } \
    static congru_status predict_##id(congru_context *context, const congru_tensors *model, \
                                      const congru_newcomer *newcomer, double *probability) \
    { \
        return congru_network_predict(context, number, title, model, newcomer, probability); \
    } \
    const congru_classifier congru_classifier_##id = { \
        .name = title, \
        .summary = words, \
        .network = title, \
        .end_to_end = true, \
        .cost = congru_network_cost, \
        .fit = fit_##id, \
        .predict = predict_##id, \
    };

NETWORK(spd_cnn, CONGRU_NETWORK_SPD_CNN, "spd-cnn", "3x3 convolutions on the covariance as an image")
NETWORK(ts_spd_cnn, CONGRU_NETWORK_TS_SPD_CNN, "ts-spd-cnn", "3x3 convolutions on its logarithm as an image")
NETWORK(spdnet, CONGRU_NETWORK_SPDNET, "spdnet",
        "SPDNet: two bilinear maps with rectified eigenvalues, then dense")
