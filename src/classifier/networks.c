/* Networks that decide: those that end in a head of their own, and those that give matrices with a head trained behind them. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/classifier.h"

static congru_status suits(const congru_classifier *self, congru_context *context,
                           const congru_method_options *options, const congru_signals *shape)
{
    return congru_network_suits(context, self->network, &options->network, shape);
}

static congru_status fit(const congru_classifier *self, congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    return congru_network_fit(context, self->network, true, self->name, trials, options, model, record);
}

static congru_status predict(const congru_classifier *self, congru_context *context,
                             const congru_tensors *model, const congru_target_trials *target,
                             double *probability)
{
    return congru_network_predict(context, self->network, self->name, model, target, probability);
}

static congru_status count_classes(const congru_classifier *self, congru_context *context,
                                   const congru_tensors *model, size_t *classes)
{
    return congru_network_classes(context, self->network, self->name, model, classes);
}

static congru_status embed_sources(const congru_classifier *self, congru_context *context,
                                   const congru_tensors *model, const congru_trials *trials, double *out)
{
    return congru_network_map_sources(context, self->network, self->name, model, trials, out);
}

static congru_status embed_target(const congru_classifier *self, congru_context *context,
                                  const congru_tensors *model, const congru_target_trials *target, double *out)
{
    return congru_network_map_target(context, self->network, self->name, model, target, out);
}

#define BEHIND_COVARIANCES "ra"
#define BEHIND_SIGNALS "ea"

#define DECIDING(id, title, reads, words) \
    const congru_classifier congru_classifier_##id = {.name = title, \
                                                      .summary = words, \
                                                      .needs = CONGRU_NEEDS_##reads, \
                                                      .network = &congru_network_##id, \
                                                      .end_to_end = true, \
                                                      .aligner = BEHIND_##reads, \
                                                      .suits = suits, \
                                                      .fit = fit, \
                                                      .predict = predict, \
                                                      .count_classes = count_classes};
CONGRU_DECIDING_NETWORKS(DECIDING)

#define END_TO_END(id, title, reads, words) \
    const congru_classifier congru_classifier_##id##_e2e = { \
        .name = title "-e2e", \
        .summary = title " with its own tangent-space softmax, trained together", \
        .needs = CONGRU_NEEDS_##reads, \
        .network = &congru_network_##id, \
        .end_to_end = true, \
        .aligner = BEHIND_##reads, \
        .fit = fit, \
        .predict = predict, \
        .embed_sources = embed_sources, \
        .embed_target = embed_target};
CONGRU_ALIGNING_NETWORKS(END_TO_END)
