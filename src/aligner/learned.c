/* Aligners that train a network: each that gives matrices. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/aligner.h"

static congru_status fit(const congru_aligner *self, congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    return congru_network_fit(context, self->network, false, self->name, trials, options, model, record);
}

static congru_status map_sources(const congru_aligner *self, congru_context *context,
                                 const congru_tensors *model, const congru_trials *trials, double *out)
{
    return congru_network_map_sources(context, self->network, self->name, model, trials, out);
}

static congru_status map_target(const congru_aligner *self, congru_context *context,
                                const congru_tensors *model, const congru_target_trials *target, double *out)
{
    return congru_network_map_target(context, self->network, self->name, model, target, out);
}

#define MATRICES(id, title, reads, words) \
    const congru_aligner congru_aligner_##id = {.name = title, \
                                                .summary = words ", learned after ra", \
                                                .needs = CONGRU_NEEDS_##reads, \
                                                .network = &congru_network_##id, \
                                                .recentring = &congru_recentring_ra, \
                                                .fit = fit, \
                                                .map_sources = map_sources, \
                                                .map_target = map_target};
#define CLASSES(...)
#define ROW(id, title, reads, gives, words) gives(id, title, reads, words)
CONGRU_NETWORKS(ROW)
