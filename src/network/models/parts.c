/* Layers with their weights, and the graph of a design with head and losses. SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "network/layers/layers.h"
#include "network/models/model.h"

/* A segment "w3" whose first values are uniform within 1 / sqrt(inputs). */
static int weights(congru_graph *graph, char kind, size_t rows, size_t cols, size_t inputs)
{
    char name[16];
    snprintf(name, sizeof name, "%c%zu", kind, graph->parameters->segments + 1);
    const int segment = congru_graph_weights(graph, name, rows, cols, false);
    graph->parameters->segment[segment].spread = 1.0 / sqrt((double)inputs);
    return segment;
}

int congru_part_image_convolution(congru_graph *graph, int x, size_t channels)
{
    const congru_extent in = graph->node[x].out;
    const size_t inputs = 9 * in.cols;
    const int w = weights(graph, 'w', inputs, channels, inputs), b = weights(graph, 'b', 1, channels, inputs);
    return congru_graph_layer(graph, &congru_layer_image_convolution, x, congru_image(in.rows, channels), w, b);
}

int congru_part_bimap(congru_graph *graph, int x, size_t width)
{
    const int y = congru_graph_congruence(graph, x, width, 0.0);
    congru_segment *w = &graph->parameters->segment[graph->node[y].weight[0]];
    w->constraint = CONGRU_STIEFEL;
    w->spread = 1.0;
    return y;
}

int congru_part_rectify(congru_graph *graph, int x, double floor)
{
    return congru_graph_add(graph, &congru_layer_rectify, x, -1, graph->node[x].out, 0.0, floor);
}

int congru_part_triangle(congru_graph *graph, int x)
{
    return congru_graph_layer(graph, &congru_layer_triangle, x,
                              congru_vector(congru_spd_tangent_size(graph->node[x].out.rows)), -1, -1);
}

int congru_part_covariance(congru_graph *graph, int x, double shrinkage, double jitter)
{
    return congru_graph_add(graph, &congru_layer_covariance, x, -1, congru_matrix(graph->node[x].out.cols),
                            shrinkage, jitter);
}

/* ---- Signals ----------------------------------------------------------------------------------------- */

int congru_part_signal(congru_graph *graph, size_t samples, size_t channels, size_t edge)
{
    return congru_graph_add(graph, &congru_layer_signal, -1, -1, congru_signal(samples + 2 * edge, channels),
                            (double)edge, (double)samples);
}

/* Glorot and Bengio's bound, of weights between so many numbers. */
static int glorot(congru_graph *graph, size_t rows, size_t cols, size_t in, size_t out)
{
    const int segment = weights(graph, 'w', rows, cols, 1);
    graph->parameters->segment[segment].spread = sqrt(6.0 / (double)(in + out));
    return segment;
}

/* Numbers that are not drawn: 0, or 1 in the rows given. */
static int constants(congru_graph *graph, char kind, size_t rows, size_t cols, unsigned ones)
{
    const int segment = weights(graph, kind, rows, cols, 1);
    graph->parameters->segment[segment].spread = 0.0;
    graph->parameters->segment[segment].ones = ones;
    return segment;
}

int congru_part_time_space(congru_graph *graph, int x, size_t filters, size_t channels, size_t taps)
{
    const congru_extent in = graph->node[x].out;
    const int time = glorot(graph, taps, filters, taps, filters * taps),
              space = glorot(graph, filters * in.cols, channels, filters * in.cols, channels * in.cols);
    return congru_graph_layer(graph, &congru_layer_time_space, x, congru_signal(in.rows - taps + 1, channels),
                              time, space);
}

int congru_part_convolution(congru_graph *graph, int x, size_t channels, size_t taps)
{
    const congru_extent in = graph->node[x].out;
    const int w = glorot(graph, taps * in.cols, channels, taps * in.cols, taps * channels);
    return congru_graph_layer(graph, &congru_layer_convolution, x, congru_signal(in.rows - taps + 1, channels),
                              w, -1);
}

int congru_part_depthwise(congru_graph *graph, int x, size_t taps)
{
    const congru_extent in = graph->node[x].out;
    const int w = glorot(graph, taps, in.cols, taps, taps * in.cols);
    return congru_graph_layer(graph, &congru_layer_depthwise, x, in, w, -1);
}

int congru_part_window_statistics(congru_graph *graph, int x, size_t taps)
{
    return congru_graph_add(graph, &congru_layer_window_statistics, x, -1, congru_nothing(), (double)taps, 0.0);
}

static int window_filters(congru_graph *graph, const congru_layer *layer, int x, int windows, size_t filters,
                          size_t depth, size_t taps, double epsilon, double share)
{
    const congru_extent in = graph->node[x].out;
    const int y =
        congru_graph_add(graph, layer, x, windows, congru_signal(in.rows, filters * depth), epsilon, share);
    graph->node[y].weight[0] = glorot(graph, taps, filters, taps, taps * filters);
    graph->node[y].weight[1] = constants(graph, 'n', 4, filters, 1 | 8); /* gain and variance */
    graph->node[y].weight[2] = glorot(graph, filters * depth, in.cols, depth * in.cols, filters * in.cols);
    congru_segment *space = &graph->parameters->segment[graph->node[y].weight[2]];
    space->constraint = CONGRU_ROW_NORM;
    space->limit = 1.0;
    return y;
}

int congru_part_filter_bank(congru_graph *graph, int x, size_t filters, size_t depth, size_t taps,
                            double epsilon, double share)
{
    return window_filters(graph, &congru_layer_filter_bank, x, congru_part_window_statistics(graph, x, taps),
                          filters, depth, taps, epsilon, share);
}

int congru_part_filter_unit(congru_graph *graph, int x, int windows, size_t filters, size_t depth, size_t taps,
                            double epsilon, double share, double dropout, uint64_t seed)
{
    const double name = congru_dropout_name(graph, seed);
    const int y =
        window_filters(graph, &congru_layer_filter_unit, x, windows, filters, depth, taps, epsilon, share);
    graph->node[y].number[2] = dropout;
    graph->node[y].number[3] = name;
    return y;
}

int congru_part_normalise(congru_graph *graph, int x, double epsilon, double share)
{
    const congru_extent in = graph->node[x].out;
    const int statistics = congru_graph_add(graph, &congru_layer_statistics, x, -1, congru_nothing(), 0.0, 0.0);
    const int y = congru_graph_add(graph, &congru_layer_normalise, x, statistics, in, epsilon, share);
    graph->node[y].weight[0] = constants(graph, 'g', 1, in.cols, 1);
    graph->node[y].weight[1] = constants(graph, 'c', 1, in.cols, 0);
    graph->node[y].weight[2] = constants(graph, 's', 2, in.cols, 2);
    graph->parameters->segment[graph->node[y].weight[2]].constraint = CONGRU_STATISTIC;
    return y;
}

int congru_part_domain_normalise(congru_graph *graph, int x, bool trained, double least)
{
    static const double epsilon = 1e-5;
    const congru_extent matrix = graph->node[x].out;
    int rows = -1, y;
    if (trained) {
        y = congru_graph_add(graph, &congru_layer_recentre, x, -1, matrix, 0.0, 0.0);
    } else {
        rows = congru_part_triangle(graph, x);
        y = congru_graph_add(graph, &congru_layer_domain_centre, x, rows, matrix, 0.0, 0.0);
        rows = congru_part_triangle(graph, congru_graph_logarithm(graph, y, 0.0, 0.0));
        y = congru_graph_add(graph, &congru_layer_domain_mean, x, rows, matrix, least, 0.0);
    }
    y = congru_graph_logarithm(graph, y, 0.0, 0.0);
    rows = trained ? -1 : congru_part_triangle(graph, y);
    y = congru_graph_add(graph, &congru_layer_domain_scale, y, rows, matrix, epsilon, 0.0);
    graph->node[y].weight[0] = constants(graph, 'd', 1, 1, 1);
    return congru_graph_exponential(graph, y);
}

int congru_part_elu(congru_graph *graph, int x)
{
    return congru_graph_layer(graph, &congru_layer_elu, x, graph->node[x].out, -1, -1);
}

int congru_part_gelu(congru_graph *graph, int x)
{
    return congru_graph_layer(graph, &congru_layer_gelu, x, graph->node[x].out, -1, -1);
}

int congru_part_square(congru_graph *graph, int x)
{
    return congru_graph_layer(graph, &congru_layer_square, x, graph->node[x].out, -1, -1);
}

int congru_part_logarithm(congru_graph *graph, int x)
{
    return congru_graph_add(graph, &congru_layer_safe_logarithm, x, -1, graph->node[x].out, 0.0, 1e-6);
}

static int pool(congru_graph *graph, const congru_layer *layer, int x, size_t window, size_t stride)
{
    const congru_extent in = graph->node[x].out;
    return congru_graph_add(graph, layer, x, -1, congru_signal((in.rows - window) / stride + 1, in.cols),
                            (double)window, (double)stride);
}

int congru_part_mean_pool(congru_graph *graph, int x, size_t window, size_t stride)
{
    return pool(graph, &congru_layer_mean_pool, x, window, stride);
}

int congru_part_max_pool(congru_graph *graph, int x, size_t window, size_t stride)
{
    return pool(graph, &congru_layer_max_pool, x, window, stride);
}

int congru_part_dropout(congru_graph *graph, int x, double share, uint64_t seed)
{
    return congru_graph_add(graph, &congru_layer_dropout, x, -1, graph->node[x].out, share,
                            congru_dropout_name(graph, seed));
}

/* ---- Tokens ------------------------------------------------------------------------------------------ */

void congru_part_spread(congru_graph *graph, int node, int weight, size_t inputs)
{
    graph->parameters->segment[graph->node[node].weight[weight]].spread = 1.0 / sqrt((double)inputs);
}

int congru_part_linear(congru_graph *graph, int x, size_t joined, size_t channels)
{
    const congru_extent in = graph->node[x].out;
    const size_t inputs = joined * in.cols;
    const int w = weights(graph, 'w', inputs, channels, inputs), b = weights(graph, 'b', 1, channels, inputs);
    return congru_graph_layer(graph, &congru_layer_linear, x, congru_signal(in.rows / joined, channels), w, b);
}

int congru_part_layer_normalise(congru_graph *graph, int x, double epsilon)
{
    const congru_extent in = graph->node[x].out;
    const int gain = constants(graph, 'g', 1, in.cols, 1), bias = constants(graph, 'c', 1, in.cols, 0);
    const int y = congru_graph_layer(graph, &congru_layer_layer_normalise, x, in, gain, bias);
    graph->node[y].number[0] = epsilon;
    return y;
}

int congru_part_attention(congru_graph *graph, int x, size_t heads, double dropout, uint64_t seed)
{
    const congru_extent in = graph->node[x].out;
    const int y = congru_graph_add(graph, &congru_layer_attention, x, -1, congru_signal(in.rows, in.cols / 3),
                                   dropout, congru_dropout_name(graph, seed));
    graph->node[y].number[2] = (double)heads;
    return y;
}

int congru_part_add(congru_graph *graph, int a, int b)
{
    return congru_graph_add(graph, &congru_layer_addition, a, b, graph->node[a].out, 0.0, 0.0);
}

int congru_part_beside(congru_graph *graph, int a, int b)
{
    const congru_extent left = graph->node[a].out, right = graph->node[b].out;
    return congru_graph_add(graph, &congru_layer_beside, a, b, congru_signal(left.rows, left.cols + right.cols),
                            0.0, 0.0);
}

int congru_part_pad(congru_graph *graph, int x, size_t before, size_t behind)
{
    const congru_extent in = graph->node[x].out;
    return congru_graph_add(graph, &congru_layer_pad, x, -1, congru_signal(in.rows + before + behind, in.cols),
                            (double)before, 0.0);
}

/* ---- Scores ------------------------------------------------------------------------------------------ */

int congru_part_scores(congru_graph *graph, int x, size_t classes)
{
    const congru_extent in = graph->node[x].out;
    const bool plain = congru_extent_plain(&in);
    const size_t inputs = plain ? congru_extent_places(&in) * in.cols : in.rows;
    const int head = congru_graph_weights(graph, "head", classes, inputs, true),
              bias = congru_graph_weights(graph, "bias", 1, classes, true);
    if (in.kind == CONGRU_SIGNAL)
        graph->parameters->segment[head].spread = sqrt(6.0 / (double)(inputs + classes));
    else
        graph->parameters->segment[head].spread = graph->parameters->segment[bias].spread =
            1.0 / sqrt((double)inputs);
    graph->output[CONGRU_OUTPUT_PROBABILITY] =
        congru_graph_layer(graph, plain ? &congru_layer_readout : &congru_layer_dense, x,
                           congru_class_extent(classes), head, bias);
    return graph->output[CONGRU_OUTPUT_PROBABILITY];
}

/* ---- Head and losses --------------------------------------------------------------------------------- */

int congru_design_head(const congru_design *design, congru_graph *graph, int x, int rows)
{
    const congru_extent matrix = graph->node[x].out;
    const size_t features = congru_spd_tangent_size(matrix.rows);
    const int centred =
        congru_graph_add(graph, &congru_layer_recentre, x, rows, matrix, design->at_identity, 0.0);
    const int logarithm = congru_graph_logarithm(graph, centred, design->head_jitter, design->floor);
    graph->node[centred].depth++;
    graph->node[logarithm].depth = graph->node[centred].depth;
    graph->node[logarithm].watched = false;
    const int triangle = congru_part_triangle(graph, logarithm);
    const int scores = congru_graph_add(graph, &congru_layer_dense, triangle, -1,
                                        congru_class_extent(design->classes), 0.0, 0.0);
    graph->node[scores].weight[0] = congru_graph_weights(graph, "head", design->classes, features, true);
    graph->node[scores].weight[1] = congru_graph_weights(graph, "bias", 1, design->classes, true);
    return scores;
}

void congru_design_loss(congru_graph *graph, const congru_layer *loss, int first, int second)
{
    congru_graph_add(graph, loss, first, second, congru_nothing(), 0.0, 0.0);
}

void congru_stack_objective(congru_graph *graph, int rows)
{
    if (graph->options->affine_reconstruction)
        congru_design_loss(graph, &congru_loss_affine_reconstruction, graph->output[CONGRU_OUTPUT_MATRIX], -1);
    else
        congru_design_loss(graph, &congru_loss_reconstruction, rows, -1);
    congru_design_loss(graph, &congru_loss_scatters, rows, -1);
}

/* What trains a network that gives matrices, and scores, -1 without a head. */
static int objective(const congru_network_model *model, const congru_design *design, congru_graph *graph)
{
    const int out = graph->output[CONGRU_OUTPUT_MATRIX];
    int rows = -1;
    if (!design->trained) {
        rows = congru_part_triangle(graph, graph->output[CONGRU_OUTPUT_LOGARITHM]);
        model->objective(graph, rows);
    }
    return design->classes > 0 ? congru_design_head(design, graph, out, rows) : -1;
}

void congru_network_build(const congru_network *network, const congru_design *design, congru_graph *graph)
{
    const congru_network_model *model = network->model;
    graph->rotation = graph->dispersion = -1;
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        graph->output[k] = -1;
    model->build(graph, design);
    if (model->least_samples != NULL)
        congru_signal_input_crop(&graph->node[0], design->whole, design->crops, design->seed);
    if (model->objective != NULL)
        graph->output[CONGRU_OUTPUT_PROBABILITY] = objective(model, design, graph);
    if (graph->output[CONGRU_OUTPUT_PROBABILITY] >= 0 && !design->trained)
        congru_design_loss(graph, &congru_loss_cross_entropy, graph->output[CONGRU_OUTPUT_PROBABILITY], -1);
}
