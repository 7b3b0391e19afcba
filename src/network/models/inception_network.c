/* EEG-Inception, Santamaria-Vazquez et al. 2020: filters of three lengths, in time and space, twice, then two convolutions. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

enum { SCALES = 3, FILTERS = 8, DEPTH = 2, FIRST_POOL = 4, POOL = 2, OUTPUTS = 2 };
static const size_t channels[OUTPUTS] = {12, 6}, output_taps[OUTPUTS] = {8, 4};
static const double epsilon = 1e-3, share = 0.01; /* of normalisation */

/* Half, a quarter and an eighth of a second. */
static size_t scale_taps(const congru_design *design, int scale)
{
    const size_t length = (size_t)design->rate >> (scale + 1);
    return length > 1 ? length : 1;
}

static size_t taps(const congru_design *design)
{
    return scale_taps(design, 0);
}

static size_t least_samples(const congru_design *design)
{
    const size_t pools = FIRST_POOL * POOL * POOL * POOL;
    return taps(design) > pools ? taps(design) : pools;
}

/* As long as its input. */
static int convolve(congru_graph *graph, int x, size_t wide, size_t filter)
{
    x = congru_part_convolution(graph, congru_part_pad(graph, x, (filter - 1) / 2, filter / 2), wide, filter);
    return congru_part_elu(graph, congru_part_normalise(graph, x, epsilon, share));
}

static void build(congru_graph *graph, const congru_design *design)
{
    const double dropout = design->dropout;
    const int signal =
        congru_graph_layer(graph, &congru_layer_signal, -1, congru_signal(design->samples, design->d), -1, -1);
    const int windows = congru_part_window_statistics(graph, signal, taps(design));
    int x = -1, before;
    for (int k = 0; k < SCALES; k++) {
        int y = congru_part_filter_unit(graph, signal, windows, FILTERS, DEPTH, scale_taps(design, k), epsilon,
                                        share, dropout, design->seed);
        y = congru_part_elu(graph, congru_part_normalise(graph, y, epsilon, share));
        y = congru_part_dropout(graph, y, dropout, design->seed);
        x = k == 0 ? y : congru_part_beside(graph, x, y);
    }
    before = congru_part_mean_pool(graph, x, FIRST_POOL, FIRST_POOL);
    for (int k = 0; k < SCALES; k++) {
        const size_t filter = scale_taps(design, k) / FIRST_POOL;
        const int y = convolve(graph, before, FILTERS, filter > 1 ? filter : 1),
                  kept = congru_part_dropout(graph, y, dropout, design->seed);
        x = k == 0 ? kept : congru_part_beside(graph, x, kept);
    }
    x = congru_part_mean_pool(graph, x, POOL, POOL);
    for (int k = 0; k < OUTPUTS; k++) {
        x = congru_part_mean_pool(graph, convolve(graph, x, channels[k], output_taps[k]), POOL, POOL);
        x = congru_part_dropout(graph, x, dropout, design->seed);
    }
    congru_part_scores(graph, x, design->classes);
}

const congru_network_model congru_model_inception = {
    .own = {.steps = 660, .batch = 64, .rate = 1e-3, .dropout = 0.25},
    .least_samples = least_samples,
    .taps = taps,
    .build = build};
