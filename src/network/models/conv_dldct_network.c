/* Congruence networks trained from the signal: filters in time and space, their covariance, then DLDCT or DDCT-UNet with its head. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "network/models/model.h"

enum { FILTERS = 4, TAPS = 25 };

static size_t least_samples(const congru_design *design)
{
    (void)design;
    return TAPS;
}

/* As many filtered signals as channels; the stack has the model's own widths for them. The head's weights begin at zero,
 * those of congruences at random, of variance 1 / d_in. */
static void build_on(congru_graph *graph, const congru_design *design, const congru_network_model *model,
                     void (*stack)(congru_graph *graph, const congru_design *design, int x))
{
    congru_design own = *design;
    own.layers = model->widths(design->d, false, own.width) - 1;
    int x = congru_part_signal(graph, design->samples, design->d, TAPS / 2);
    x = congru_part_covariance(graph, congru_part_time_space(graph, x, FILTERS, design->d, TAPS), 0.0, 0.0);
    const size_t first = graph->parameters->segments;
    stack(graph, &own, x);
    for (size_t s = first; s < graph->parameters->segments; s++)
        graph->parameters->segment[s].spread = sqrt(3.0 / (double)graph->parameters->segment[s].rows);
    const int rows = design->trained ? -1 : congru_part_triangle(graph, graph->output[CONGRU_OUTPUT_LOGARITHM]);
    graph->output[CONGRU_OUTPUT_PROBABILITY] =
        congru_design_head(design, graph, graph->output[CONGRU_OUTPUT_MATRIX], rows);
}

static void build_dldct(congru_graph *graph, const congru_design *design)
{
    build_on(graph, design, &congru_model_dldct, congru_dldct_on);
}

static void build_ddct_unet(congru_graph *graph, const congru_design *design)
{
    build_on(graph, design, &congru_model_ddct_unet, congru_ddct_unet_on);
}

const congru_network_model congru_model_conv_dldct = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .decay = 1e-5, .clip = 5.0},
    .least_samples = least_samples,
    .build = build_dldct,
};

const congru_network_model congru_model_conv_ddct_unet = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .decay = 1e-5, .clip = 5.0},
    .merges = true,
    .least_samples = least_samples,
    .build = build_ddct_unet,
};
