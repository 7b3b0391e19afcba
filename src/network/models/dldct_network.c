/* DLDCT: a stack of congruences, twice as wide inside. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

static size_t widths(size_t d, bool square, size_t *width)
{
    (void)square;
    width[0] = width[3] = d;
    width[1] = width[2] = 2 * d;
    return 4;
}

void congru_dldct_on(congru_graph *graph, const congru_design *design, int x)
{
    for (size_t l = 0; l < design->layers; l++)
        x = congru_graph_congruence(graph, x, design->width[l + 1], design->layer_jitter);
    graph->output[CONGRU_OUTPUT_MATRIX] = x;
    graph->output[CONGRU_OUTPUT_LOGARITHM] = congru_graph_logarithm(graph, x, 0.0, design->floor);
}

static void build(congru_graph *graph, const congru_design *design)
{
    congru_dldct_on(graph, design, congru_graph_input(graph, design->d));
}

const congru_network_model congru_model_dldct = {
    .own = {CONGRU_OWN_CONGRUENCES, .head_reference = CONGRU_HEAD_IDENTITY},
    .objective = congru_stack_objective,
    .widths = widths,
    .least_widths = 2,
    .build = build};
