/* EEGNet-8,2, Lawhern et al. 2018: filters in time, in space for each of them, a separable convolution. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

enum { FILTERS = 8, DEPTH = 2, CHANNELS = FILTERS * DEPTH, SEPARABLE = 16, FIRST_POOL = 4, SECOND_POOL = 8 };
static const double epsilon = 1e-3, share = 0.01,
                    largest = 0.25; /* of normalisation; norm of the dense layer */

/* Half a second. */
static size_t taps(const congru_design *design)
{
    return (size_t)design->rate / 2;
}

static size_t least_samples(const congru_design *design)
{
    const size_t pools = FIRST_POOL * SECOND_POOL;
    return taps(design) > pools ? taps(design) : pools;
}

static void build(congru_graph *graph, const congru_design *design)
{
    int x = congru_part_signal(graph, design->samples, design->d, 0);
    x = congru_part_filter_bank(graph, x, FILTERS, DEPTH, taps(design), epsilon, share);
    x = congru_part_elu(graph, congru_part_normalise(graph, x, epsilon, share));
    x = congru_part_mean_pool(graph, x, FIRST_POOL, FIRST_POOL);
    x = congru_part_dropout(graph, x, design->dropout, design->seed);
    x = congru_part_depthwise(graph, x, SEPARABLE);
    x = congru_part_convolution(graph, x, CHANNELS, 1);
    x = congru_part_elu(graph, congru_part_normalise(graph, x, epsilon, share));
    x = congru_part_mean_pool(graph, x, SECOND_POOL, SECOND_POOL);
    x = congru_part_dropout(graph, x, design->dropout, design->seed);
    const int scores = congru_part_scores(graph, x, design->classes);
    congru_segment *head = &graph->parameters->segment[graph->node[scores].weight[0]];
    head->constraint = CONGRU_ROW_NORM;
    head->limit = largest;
}

const congru_network_model congru_model_eegnet = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .dropout = 0.25},
    .least_samples = least_samples,
    .taps = taps,
    .build = build};
