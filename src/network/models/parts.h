/* Layers with their weights, as networks that decide by themselves are put together of. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_PARTS_H
#define CONGRU_NETWORK_PARTS_H

#include "network/graph.h"

/* Each returns the node; names of weights are numbered in the order they are added ("w1", "b1", ...). First values are those
 * of PyTorch: uniform within 1 / sqrt(numbers that go into one). */

/* A 3x3 convolution to so many channels, and ReLU. */
int congru_part_image_convolution(congru_graph *graph, int x, size_t channels);

/* X -> W^T X W with W on the Stiefel manifold; then eigenvalues below `floor` become it. */
int congru_part_bimap(congru_graph *graph, int x, size_t width);
int congru_part_rectify(congru_graph *graph, int x, double floor);

/* Scores: of a vector, or of all of an image or a signal. They are what the graph gives. */
int congru_part_scores(congru_graph *graph, int x, size_t classes);

/* Draws the first values of all weights. */
void congru_parts_first(uint64_t seed, congru_parameters *parameters);

#endif
