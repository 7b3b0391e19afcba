/* The aligner dct: one rotation and dispersion. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/aligner.h"
#include "network/network.h"

static congru_status fit(congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    return congru_network_fit(context, &congru_network_dct, false, "dct", trials, options, model, record);
}

static congru_status map_sources(congru_context *context, const congru_tensors *model,
                                 const congru_trials *trials, double *out)
{
    return congru_network_map_sources(context, &congru_network_dct, "dct", model, trials, out);
}

static congru_status map_target(congru_context *context, const congru_tensors *model,
                                const congru_target_trials *target, double *out)
{
    return congru_network_map_target(context, &congru_network_dct, "dct", model, target, out);
}

const congru_aligner congru_aligner_dct = {
    .name = "dct",
    .summary = "one rotation and dispersion, learned after ra",
    .network = &congru_network_dct,
    .recentring = &congru_recentring_ra,
    .fit = fit,
    .map_sources = map_sources,
    .map_target = map_target,
};
