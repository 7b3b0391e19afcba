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

static congru_status embed_sources(congru_context *context, const congru_network *network, const char *name,
                                   const congru_tensors *model, const congru_trials *trials, double *out)
{
    char prefix[CONGRU_TENSOR_NAME_SIZE];
    first_network(model, name, prefix);
    return congru_network_map_sources(context, network, prefix, model, trials, out);
}

static congru_status embed_target(congru_context *context, const congru_network *network, const char *name,
                                  const congru_tensors *model, const congru_target_trials *target, double *out)
{
    char prefix[CONGRU_TENSOR_NAME_SIZE];
    first_network(model, name, prefix);
    return congru_network_map_target(context, network, prefix, model, target, out);
}

/* A table and its functions: `id` in C names, `title` on the command line. */
#define END_TO_END(id, trains, title) \
    static congru_status fit_##id(congru_context *context, const congru_trials *trials, \
                                  const congru_method_options *options, congru_tensors *model, \
                                  congru_record *record) \
    { \
        return congru_network_fit(context, trains, true, title "-e2e", trials, options, model, record); \
    } \
    static congru_status predict_##id(congru_context *context, const congru_tensors *model, \
                                      const congru_target_trials *target, double *probability) \
    { \
        return congru_network_predict(context, trains, title "-e2e", model, target, probability); \
    } \
    static congru_status embed_sources_##id(congru_context *context, const congru_tensors *model, \
                                            const congru_trials *trials, double *out) \
    { \
        return embed_sources(context, trains, title "-e2e", model, trials, out); \
    } \
    static congru_status embed_target_##id(congru_context *context, const congru_tensors *model, \
                                           const congru_target_trials *target, double *out) \
    { \
        return embed_target(context, trains, title "-e2e", model, target, out); \
    } \
    const congru_classifier congru_classifier_##id##_e2e = { \
        .name = title "-e2e", \
        .summary = title " with its own tangent-space softmax, trained together", \
        .network = trains, \
        .end_to_end = true, \
        .fit = fit_##id, \
        .predict = predict_##id, \
        .embed_sources = embed_sources_##id, \
        .embed_target = embed_target_##id, \
    };

END_TO_END(dct, &congru_network_dct, "dct")
END_TO_END(dldct, &congru_network_dldct, "dldct")
END_TO_END(ddct_unet, &congru_network_ddct_unet, "ddct-unet")
