/* The end-to-end models: a network that decides by itself, behind recentring. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "classifier/classifier.h"
#include "network/network.h"

/* The prefix of the tensors of the first network, where several were trained. */
static void first_network(const congru_tensors *model, const char *name, char prefix[CONGRU_TENSOR_NAME_SIZE])
{
    char head[CONGRU_TENSOR_NAME_SIZE + 8];
    snprintf(prefix, CONGRU_TENSOR_NAME_SIZE, "%s.1", name);
    snprintf(head, sizeof head, "%s.head", prefix);
    if (congru_tensors_find(model, head) == NULL)
        snprintf(prefix, CONGRU_TENSOR_NAME_SIZE, "%s", name);
}

static congru_status embed_sources(congru_context *context, congru_backbone backbone, const char *name,
                                   const congru_tensors *model, const congru_trials *trials, double *out)
{
    char prefix[CONGRU_TENSOR_NAME_SIZE];
    first_network(model, name, prefix);
    return congru_network_map_sources(context, backbone, prefix, model, trials, out);
}

static congru_status embed_target(congru_context *context, congru_backbone backbone, const char *name,
                                  const congru_tensors *model, const congru_target_trials *target, double *out)
{
    char prefix[CONGRU_TENSOR_NAME_SIZE];
    first_network(model, name, prefix);
    return congru_network_map_target(context, backbone, prefix, model, target, out);
}

/* A table and its functions: `id` in C names, `title` on the command line. */
#define END_TO_END(id, backbone, title) \
    static congru_status fit_##id(congru_context *context, const congru_trials *trials, \
                                  const congru_method_options *options, congru_tensors *model, \
                                  congru_record *record) \
    { \
        return congru_network_fit(context, backbone, true, title "-e2e", trials, options, model, record); \
    } \
    static congru_status predict_##id(congru_context *context, const congru_tensors *model, \
                                      const congru_target_trials *target, double *probability) \
    { \
        return congru_network_predict(context, backbone, title "-e2e", model, target, probability); \
    } \
    static congru_status embed_sources_##id(congru_context *context, const congru_tensors *model, \
                                            const congru_trials *trials, double *out) \
    { \
        return embed_sources(context, backbone, title "-e2e", model, trials, out); \
    } \
    static congru_status embed_target_##id(congru_context *context, const congru_tensors *model, \
                                           const congru_target_trials *target, double *out) \
    { \
        return embed_target(context, backbone, title "-e2e", model, target, out); \
    } \
    const congru_classifier congru_classifier_##id##_e2e = { \
        .name = title "-e2e", \
        .summary = title " with its own tangent-space softmax, trained together", \
        .network = title, \
        .end_to_end = true, \
        .fit = fit_##id, \
        .predict = predict_##id, \
        .embed_sources = embed_sources_##id, \
        .embed_target = embed_target_##id, \
    };

END_TO_END(dct, CONGRU_BACKBONE_DCT, "dct")
END_TO_END(dldct, CONGRU_BACKBONE_DLDCT, "dldct")
END_TO_END(ddct_unet, CONGRU_BACKBONE_UNET, "ddct-unet")
