/* Layers with their weights, as networks that decide by themselves are put together of. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_PARTS_H
#define CONGRU_NETWORK_PARTS_H

#include "network/graph.h"

/* Each returns the node; names of weights are numbered in the order they are added ("w1", "b2", ...). First values are
 * uniform: within 1 / sqrt(numbers that go into one) for images, as PyTorch has it, and Glorot's for signals. */

/* A 3x3 convolution to so many channels, and ReLU. */
int congru_part_image_convolution(congru_graph *graph, int x, size_t channels);

/* X -> W^T X W with W on the Stiefel manifold; then eigenvalues below `floor` become it. */
int congru_part_bimap(congru_graph *graph, int x, size_t width);
int congru_part_rectify(congru_graph *graph, int x, double floor);

/* The covariance of a signal's channels, shrunk by a share, plus a jitter. */
int congru_part_covariance(congru_graph *graph, int x, double shrinkage, double jitter);

/* SPD batch normalisation by subject: in training by the batch's means and dispersions and those of earlier steps, of which
 * `least` is renewed at the end; in prediction by what the layers are given (scored_reference.h). */
int congru_part_domain_normalise(congru_graph *graph, int x, bool trained, double least);

/* The upper triangle of a symmetric matrix as a vector. */
int congru_part_triangle(congru_graph *graph, int x);

/* Signals as they come in, with `edge` samples reflected at either end. */
int congru_part_signal(congru_graph *graph, size_t samples, size_t channels, size_t edge);

/* A temporal convolution of `filters` and a spatial one to `channels`, nothing between them; a convolution in time over
 * all channels; one for each channel, whose output is as long as its input. Without biases: normalisation follows. */
int congru_part_time_space(congru_graph *graph, int x, size_t filters, size_t channels, size_t taps);
int congru_part_convolution(congru_graph *graph, int x, size_t channels, size_t taps);
int congru_part_depthwise(congru_graph *graph, int x, size_t taps);

/* `filters` in time, batch normalisation of each, and `depth` filters in space for each of them, of a norm of 1 at most. */
int congru_part_filter_bank(congru_graph *graph, int x, size_t filters, size_t depth, size_t taps,
                            double epsilon, double share);

/* The same with ELU and dropout before the filters in space; `windows`: the statistics of windows of as many taps or more. */
int congru_part_window_statistics(congru_graph *graph, int x, size_t taps);
int congru_part_filter_unit(congru_graph *graph, int x, int windows, size_t filters, size_t depth, size_t taps,
                            double epsilon, double share, double dropout, uint64_t seed);

/* Batch normalisation; of what prediction uses a share is renewed in each step. */
int congru_part_normalise(congru_graph *graph, int x, double epsilon, double share);

/* Dense with a bias on each sample, or on `joined` samples at a time; first values as for images. Normalisation of each
 * sample over its channels. Attention of the samples to each other, with a share of its weights left out, of queries, keys and
 * values beside each other in x. */
int congru_part_linear(congru_graph *graph, int x, size_t joined, size_t channels);
int congru_part_layer_normalise(congru_graph *graph, int x, double epsilon);
int congru_part_attention(congru_graph *graph, int x, size_t heads, double dropout, uint64_t seed);

/* Of two signals the sum, or the channels beside each other; zeros before and behind a signal. */
int congru_part_add(congru_graph *graph, int a, int b);
int congru_part_beside(congru_graph *graph, int a, int b);
int congru_part_pad(congru_graph *graph, int x, size_t before, size_t behind);

/* The first values of a node's weights become those for images: within 1 / sqrt(numbers that go into one). */
void congru_part_spread(congru_graph *graph, int node, int weight, size_t inputs);

/* ELU, GELU, the square, the logarithm of what is at least 1e-6. */
int congru_part_elu(congru_graph *graph, int x);
int congru_part_gelu(congru_graph *graph, int x);
int congru_part_square(congru_graph *graph, int x);
int congru_part_logarithm(congru_graph *graph, int x);

/* The mean or the largest of windows. */
int congru_part_mean_pool(congru_graph *graph, int x, size_t window, size_t stride);
int congru_part_max_pool(congru_graph *graph, int x, size_t window, size_t stride);

/* Leaves out a share of the numbers in training; the seed and the place in the graph name what is drawn. */
int congru_part_dropout(congru_graph *graph, int x, double share, uint64_t seed);

/* Scores: of a vector, or of all of an image or a signal. They are what the graph gives. */
int congru_part_scores(congru_graph *graph, int x, size_t classes);

/* Draws the first values of all weights. */
void congru_parts_first(uint64_t seed, congru_parameters *parameters);

#endif
