/* The aligner ddct-unet: congruence layers down and up again with log-Euclidean merges. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/aligner.h"
#include "network/network.h"

static congru_status fit(congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    return congru_network_fit(context, &congru_network_ddct_unet, false, "ddct-unet", trials, options, model,
                              record);
}

static congru_status map_sources(congru_context *context, const congru_tensors *model,
                                 const congru_trials *trials, double *out)
{
    return congru_network_map_sources(context, &congru_network_ddct_unet, "ddct-unet", model, trials, out);
}

static congru_status map_target(congru_context *context, const congru_tensors *model,
                                const congru_target_trials *target, double *out)
{
    return congru_network_map_target(context, &congru_network_ddct_unet, "ddct-unet", model, target, out);
}

const congru_aligner congru_aligner_ddct_unet = {
    .name = "ddct-unet",
    .summary = "congruence layers down and up again with log-Euclidean merges, learned after ra",
    .network = &congru_network_ddct_unet,
    .recentring = &congru_recentring_ra,
    .fit = fit,
    .map_sources = map_sources,
    .map_target = map_target,
};
