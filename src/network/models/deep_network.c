/* DeepConvNet, Schirrmeister et al. 2017: filters in time and space, then three convolutions, each with the largest of three. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

enum { TAPS = 10, POOL = 3, BLOCKS = 4 };
static const size_t channels[BLOCKS] = {25, 50, 100, 200};

/* What leaves one number behind the last of the blocks. */
static size_t least_samples(const congru_design *design)
{
    (void)design;
    size_t samples = 1;
    for (int block = 0; block < BLOCKS; block++)
        samples = POOL * samples + TAPS - 1;
    return samples;
}

static void build(congru_graph *graph, const congru_design *design)
{
    int x = congru_part_signal(graph, design->samples, design->d, 0);
    for (int block = 0; block < BLOCKS; block++) {
        if (block == 0) {
            x = congru_part_time_space(graph, x, channels[0], channels[0], TAPS);
        } else {
            x = congru_part_dropout(graph, x, design->dropout, design->seed);
            x = congru_part_convolution(graph, x, channels[block], TAPS);
        }
        x = congru_part_normalise(graph, x, 1e-5, 0.1);
        x = congru_part_elu(graph, x);
        x = congru_part_max_pool(graph, x, POOL, POOL);
    }
    congru_part_scores(graph, x, design->classes);
}

const congru_network_model congru_model_deep = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .dropout = 0.5},
    .least_samples = least_samples,
    .build = build};
