/* ShallowConvNet, Schirrmeister et al. 2017: filters in time and space, their power over windows, its logarithm. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

enum { FILTERS = 40, TAPS = 25, WINDOW = 75, STRIDE = 15 };

static size_t least_samples(const congru_design *design)
{
    (void)design;
    return TAPS - 1 + WINDOW;
}

static void build(congru_graph *graph, const congru_design *design)
{
    int x = congru_part_signal(graph, design->samples, design->d, 0);
    x = congru_part_time_space(graph, x, FILTERS, FILTERS, TAPS);
    x = congru_part_normalise(graph, x, 1e-5, 0.1);
    x = congru_part_square(graph, x);
    x = congru_part_mean_pool(graph, x, WINDOW, STRIDE);
    x = congru_part_logarithm(graph, x);
    x = congru_part_dropout(graph, x, design->dropout, design->seed);
    congru_part_scores(graph, x, design->classes);
}

const congru_network_model congru_model_shallow = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .dropout = 0.5},
    .least_samples = least_samples,
    .build = build};
