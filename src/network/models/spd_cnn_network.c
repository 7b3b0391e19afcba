/* SPD-CNN and TS-SPD-CNN: a small convolutional network on the covariance, or on its logarithm, as an image. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

/* Two 3x3 convolutions with ReLU, to 32 and 64 channels; then all pixels, or their mean, are read by a dense layer. */
static void build_on(congru_graph *graph, const congru_design *design, int matrix)
{
    int x = congru_graph_layer(graph, &congru_layer_image, matrix, congru_image(design->d, 1), -1, -1);
    x = congru_part_image_convolution(graph, x, 32);
    x = congru_part_image_convolution(graph, x, 64);
    if (design->pool_mean)
        x = congru_graph_layer(graph, &congru_layer_image_mean, x, congru_vector(64), -1, -1);
    congru_part_scores(graph, x, design->classes);
}

static void build(congru_graph *graph, const congru_design *design)
{
    build_on(graph, design, congru_graph_input(graph, design->d));
}

static void build_tangent(congru_graph *graph, const congru_design *design)
{
    const int x = congru_graph_input(graph, design->d);
    build_on(graph, design, congru_graph_logarithm(graph, x, 0.0, design->floor));
}

const congru_network_model congru_model_spd_cnn = {.own = {.steps = 150, .batch = 64, .rate = 1e-3},
                                                   .build = build};
const congru_network_model congru_model_ts_spd_cnn = {.own = {.steps = 150, .batch = 64, .rate = 1e-3},
                                                      .build = build_tangent};
