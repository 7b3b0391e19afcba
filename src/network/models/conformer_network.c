/* EEG Conformer, Song et al. 2023: patches of filtered signals, then transformer blocks over them. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

enum {
    FILTERS = 40,
    TAPS = 25,
    WINDOW = 75,
    STRIDE = 15,
    BLOCKS = 6,
    HEADS = 10,
    WIDER = 4,
    WIDE = 256,
    NARROW = 32
};
static const double epsilon = 1e-5;

static size_t least_samples(const congru_design *design)
{
    (void)design;
    return TAPS - 1 + WINDOW;
}

static int patches(congru_graph *graph, const congru_design *design)
{
    int x =
        congru_graph_layer(graph, &congru_layer_signal, -1, congru_signal(design->samples, design->d), -1, -1);
    x = congru_part_time_space(graph, x, FILTERS, FILTERS, TAPS);
    congru_part_spread(graph, x, 0, TAPS);
    congru_part_spread(graph, x, 1, FILTERS * design->d);
    x = congru_part_elu(graph, congru_part_normalise(graph, x, epsilon, 0.1));
    x = congru_part_mean_pool(graph, x, WINDOW, STRIDE);
    x = congru_part_dropout(graph, x, design->dropout, design->seed);
    return congru_part_linear(graph, x, 1, FILTERS);
}

static int block(congru_graph *graph, const congru_design *design, int x)
{
    const double share = design->dropout;
    int y = congru_part_linear(graph, congru_part_layer_normalise(graph, x, epsilon), 1, 3 * FILTERS);
    y = congru_part_linear(graph, congru_part_attention(graph, y, HEADS, share, design->seed), 1, FILTERS);
    x = congru_part_add(graph, x, congru_part_dropout(graph, y, share, design->seed));
    y = congru_part_linear(graph, congru_part_layer_normalise(graph, x, epsilon), 1, WIDER * FILTERS);
    y = congru_part_dropout(graph, congru_part_gelu(graph, y), share, design->seed);
    y = congru_part_dropout(graph, congru_part_linear(graph, y, 1, FILTERS), share, design->seed);
    return congru_part_add(graph, x, y);
}

static void build(congru_graph *graph, const congru_design *design)
{
    int x = patches(graph, design);
    for (int k = 0; k < BLOCKS; k++)
        x = block(graph, design, x);
    x = congru_part_elu(graph, congru_part_linear(graph, x, graph->node[x].out.rows, WIDE));
    x = congru_part_dropout(graph, x, design->dropout, design->seed);
    x = congru_part_elu(graph, congru_part_linear(graph, x, 1, NARROW));
    x = congru_part_dropout(graph, x, 0.6 * design->dropout, design->seed);
    const int scores = congru_part_scores(graph, x, design->classes);
    congru_part_spread(graph, scores, 0, NARROW);
    congru_part_spread(graph, scores, 1, NARROW);
}

const congru_network_model congru_model_conformer = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .dropout = 0.5},
    .least_samples = least_samples,
    .build = build};
