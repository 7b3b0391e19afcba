/* The end-to-end models: a network that decides by itself, behind recentring. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/classifier.h"
#include "network/network.h"

static congru_status fit_dct(congru_context *context, const congru_trials *trials,
                             const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    return congru_network_fit(context, CONGRU_BACKBONE_DCT, true, "dct-e2e", trials, options, model, record);
}

static congru_status predict_dct(congru_context *context, const congru_tensors *model,
                                 const congru_newcomer *newcomer, double *probability)
{
    return congru_network_predict(context, CONGRU_BACKBONE_DCT, "dct-e2e", model, newcomer, probability);
}

const congru_classifier congru_classifier_dct_e2e = {
    .name = "dct-e2e",
    .summary = "dct with its own tangent-space softmax, trained together",
    .end_to_end = true,
    .backbone = CONGRU_BACKBONE_DCT,
    .fit = fit_dct,
    .predict = predict_dct,
};

static congru_status fit_dldct(congru_context *context, const congru_trials *trials,
                               const congru_method_options *options, congru_tensors *model,
                               congru_record *record)
{
    return congru_network_fit(context, CONGRU_BACKBONE_DLDCT, true, "dldct-e2e", trials, options, model,
                              record);
}

static congru_status predict_dldct(congru_context *context, const congru_tensors *model,
                                   const congru_newcomer *newcomer, double *probability)
{
    return congru_network_predict(context, CONGRU_BACKBONE_DLDCT, "dldct-e2e", model, newcomer, probability);
}

const congru_classifier congru_classifier_dldct_e2e = {
    .name = "dldct-e2e",
    .summary = "dldct with its own tangent-space softmax, trained together",
    .end_to_end = true,
    .backbone = CONGRU_BACKBONE_DLDCT,
    .fit = fit_dldct,
    .predict = predict_dldct,
};

static congru_status fit_ddct_unet(congru_context *context, const congru_trials *trials,
                                   const congru_method_options *options, congru_tensors *model,
                                   congru_record *record)
{
    return congru_network_fit(context, CONGRU_BACKBONE_UNET, true, "ddct-unet-e2e", trials, options, model,
                              record);
}

static congru_status predict_ddct_unet(congru_context *context, const congru_tensors *model,
                                       const congru_newcomer *newcomer, double *probability)
{
    return congru_network_predict(context, CONGRU_BACKBONE_UNET, "ddct-unet-e2e", model, newcomer, probability);
}

const congru_classifier congru_classifier_ddct_unet_e2e = {
    .name = "ddct-unet-e2e",
    .summary = "ddct-unet with its own tangent-space softmax, trained together",
    .end_to_end = true,
    .backbone = CONGRU_BACKBONE_UNET,
    .fit = fit_ddct_unet,
    .predict = predict_ddct_unet,
};
