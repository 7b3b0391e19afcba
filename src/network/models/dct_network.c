/* DCT: log-covariances scaled and turned, exp(gamma R^T L R), R one rotation or a product of several. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/layers.h"
#include "network/models/model.h"

static void build(congru_graph *graph, const congru_design *design)
{
    const size_t rows = design->trained ? design->d : design->rotations * design->d;
    const int a = congru_graph_weights(graph, design->trained ? "rotation" : "a", rows, design->d, false);
    const int x = congru_graph_input(graph, design->d);
    const int logarithm = congru_graph_logarithm(graph, x, 0.0, design->floor);
    const int scaled = congru_graph_dispersion(graph, logarithm, design->learns_gamma && !design->trained);
    const int turned = congru_graph_rotation(graph, scaled);
    graph->node[turned].weight[0] = design->trained ? -1 : a; /* the rotation itself is given to the layer */
    graph->output[CONGRU_OUTPUT_LOGARITHM] = turned;
    graph->output[CONGRU_OUTPUT_MATRIX] = congru_graph_exponential(graph, turned);
}

static void objective(congru_graph *graph, int rows)
{
    const int logarithm = graph->output[CONGRU_OUTPUT_LOGARITHM];
    const int axes = graph->options->fisher == CONGRU_FISHER_AXIS
                         ? congru_graph_add(graph, &congru_layer_diagonal, logarithm, -1,
                                            congru_vector(graph->node[logarithm].out.rows), 0.0, 0.0)
                         : -1;
    congru_design_loss(graph, &congru_loss_fisher_ratio, rows, axes);
}

const congru_network_model congru_model_dct = {
    .own = {CONGRU_OWN_CONGRUENCES}, .rotates = true, .objective = objective, .build = build};
