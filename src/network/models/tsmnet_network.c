/* TSMNet, Kobler et al. 2022: filters in time and space, their covariance, normalised for each subject. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

enum { FILTERS = 4, TAPS = 25, CHANNELS = 40, WIDTH = 20, SUBJECTS = 4 };
static const double least = 1e-4; /* eigenvalue that rectification leaves */

/* What is left of a mirrored edge. */
static size_t least_samples(const congru_design *design)
{
    (void)design;
    return TAPS;
}

/* The normalised matrices come out of the batch normalisation as an exponential; their logarithm undoes it (rewrite.c). */
static void build(congru_graph *graph, const congru_design *design)
{
    int x = congru_part_signal(graph, design->samples, design->d, TAPS / 2);
    x = congru_part_time_space(graph, x, FILTERS, CHANNELS, TAPS);
    x = congru_part_covariance(graph, x, 0.0, 0.0);
    x = congru_part_rectify(graph, congru_part_bimap(graph, x, WIDTH), least);
    graph->output[CONGRU_OUTPUT_MATRIX] = x;
    x = congru_part_domain_normalise(graph, x, design->trained, 1.0 / SUBJECTS);
    x = congru_graph_logarithm(graph, x, 0.0, 0.0);
    congru_part_scores(graph, congru_part_triangle(graph, x), design->classes);
}

const congru_network_model congru_model_tsmnet = {
    .own = {.steps = 660, .batch = 64, .batch_subjects = SUBJECTS, .rate = 1e-3},
    .least_samples = least_samples,
    .build = build,
};
