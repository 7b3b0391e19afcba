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

/* What they stand behind. */
#define BEHIND_COVARIANCES "ra"
#define BEHIND_SIGNALS "ea"

#define END_TO_END(id, title, reads, words, ...) \
    const congru_classifier congru_classifier_##id = {.name = title, \
                                                      .summary = words, \
                                                      .needs = CONGRU_NEEDS_##reads, \
                                                      .end_to_end = true, \
                                                      .aligner = BEHIND_##reads, \
                                                      .suits = suits, \
                                                      .fit = fit, \
                                                      .predict = predict, \
                                                      .count_classes = count_classes, \
                                                      __VA_ARGS__};
#define CLASSES(id, title, reads, words) END_TO_END(id, title, reads, words, .network = &congru_network_##id)
#define MATRICES(id, title, reads, words) \
    END_TO_END(id##_e2e, title "-e2e", reads, title " with its own tangent-space softmax, trained together", \
               .network = &congru_network_##id, .embed_sources = embed_sources, .embed_target = embed_target)
#define ROW(id, title, reads, gives, words) gives(id, title, reads, words)
CONGRU_NETWORKS(ROW)
