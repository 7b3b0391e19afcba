/* SPDNet, Huang and Van Gool 2017: bilinear maps to half and a quarter of the channels, then the tangent space. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

static const double least = 1e-4; /* eigenvalue that rectification leaves */

/* The narrower width: part of d, but not less than 2. */
static size_t part_of(size_t d, size_t of)
{
    const size_t width = d / of > 2 ? d / of : 2;
    return width < d ? width : d;
}

static void build(congru_graph *graph, const congru_design *design)
{
    int x = congru_graph_input(graph, design->d);
    x = congru_part_rectify(graph, congru_part_bimap(graph, x, part_of(design->d, 2)), least);
    x = congru_part_rectify(graph, congru_part_bimap(graph, x, part_of(design->d, 4)), least);
    x = congru_graph_logarithm(graph, x, 0.0, 0.0);
    congru_part_scores(graph, congru_part_triangle(graph, x), design->classes);
}

const congru_network_model congru_model_spdnet = {.own = {.steps = 660, .batch = 64, .rate = 1e-3},
                                                  .build = build};
