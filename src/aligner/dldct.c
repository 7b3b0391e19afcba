/* The aligner dldct: a stack of congruence layers. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/aligner.h"
#include "network/network.h"

static congru_status fit(congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    return congru_network_fit(context, &congru_network_dldct, false, "dldct", trials, options, model, record);
}

static congru_status map_sources(congru_context *context, const congru_tensors *model,
                                 const congru_trials *trials, double *out)
{
    return congru_network_map_sources(context, &congru_network_dldct, "dldct", model, trials, out);
}

static congru_status map_target(congru_context *context, const congru_tensors *model,
                                const congru_target_trials *target, double *out)
{
    return congru_network_map_target(context, &congru_network_dldct, "dldct", model, target, out);
}

const congru_aligner congru_aligner_dldct = {
    .name = "dldct",
    .summary = "a stack of congruence layers, learned after ra",
    .network = &congru_network_dldct,
    .recentring = &congru_recentring_ra,
    .fit = fit,
    .map_sources = map_sources,
    .map_target = map_target,
};
