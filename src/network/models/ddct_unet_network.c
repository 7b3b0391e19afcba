/* DDCT-UNet: congruences down and up again, with log-Euclidean merges on the way up. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/models/model.h"

static size_t part(size_t d, size_t of)
{
    const size_t width = (d + of - 1) / of;
    return width > 2 ? width : 2;
}

static size_t widths(size_t d, bool square, size_t *width)
{
    const size_t half = d == 22 ? 16 : part(d, 2), quarter = d == 22 ? 12 : part(d, 4);
    const size_t printed[] = {d, half, quarter, half, d}, longer[] = {d, half, quarter, quarter, half, d};
    memcpy(width, square ? longer : printed, square ? sizeof longer : sizeof printed);
    return square ? 6 : 5;
}

static int merge(congru_graph *graph, const congru_design *design, int a, int b)
{
    return design->merge_mean == CONGRU_MERGE_EUCLID ? congru_graph_euclidean_merge(graph, a, b)
                                                     : congru_graph_merge(graph, a, b, design->floor);
}

/* Layers of the second half are merged with the input of their mirror, the last with the network's input; a layer in the
 * middle of an odd number of them is not. Without merges the network is a plain stack. */
void congru_ddct_unet_on(congru_graph *graph, const congru_design *design, int input)
{
    const size_t layers = design->layers, merges = design->merges != CONGRU_MERGES_NONE ? layers / 2 : 0;
    int x[CONGRU_LAYERS_MAX];
    x[0] = input;
    for (size_t l = 0; l < layers; l++) {
        const size_t width = design->width[l + 1];
        x[l + 1] = congru_graph_congruence(graph, x[l], width, design->layer_jitter);
        if (l + merges >= layers)
            x[l + 1] = merge(graph, design, x[l + 1], x[layers - 1 - l]);
        else if (design->merges == CONGRU_MERGES_EVERY && width <= design->width[l])
            x[l + 1] = merge(graph, design, x[l + 1], congru_graph_block(graph, x[l], width));
    }
    graph->output[CONGRU_OUTPUT_MATRIX] = x[layers];
    graph->output[CONGRU_OUTPUT_LOGARITHM] = congru_graph_logarithm(graph, x[layers], 0.0, design->floor);
}

static void build(congru_graph *graph, const congru_design *design)
{
    congru_ddct_unet_on(graph, design, congru_graph_input(graph, design->d));
}

const congru_network_model congru_model_ddct_unet = {
    .own = {CONGRU_OWN_CONGRUENCES, .initial = CONGRU_INITIAL_RANDOM},
    .objective = congru_stack_objective,
    .widths = widths,
    .least_widths = 3,
    .merges = true,
    .build = build};
