/* Layers with their weights, and first values of these. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/parts.h"

#include <math.h>
#include <stdio.h>

#include "congru/random.h"
#include "network/constraint.h"

enum { STREAM_FIRST = 0x6205 };

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

int congru_part_scores(congru_graph *graph, int x, size_t classes)
{
    const congru_extent in = graph->node[x].out;
    const bool plain = congru_extent_plain(&in);
    const size_t inputs = plain ? congru_extent_places(&in) * in.cols : in.rows;
    const int head = congru_graph_weights(graph, "head", classes, inputs, true),
              bias = congru_graph_weights(graph, "bias", 1, classes, true);
    graph->parameters->segment[head].spread = graph->parameters->segment[bias].spread =
        1.0 / sqrt((double)inputs);
    graph->output[CONGRU_OUTPUT_PROBABILITY] = congru_graph_layer(
        graph, plain ? &congru_layer_readout : &congru_layer_dense, x, congru_scores(classes), head, bias);
    return graph->output[CONGRU_OUTPUT_PROBABILITY];
}

void congru_parts_first(uint64_t seed, congru_parameters *p)
{
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        congru_random random = congru_random_stream(seed, STREAM_FIRST, (uint32_t)s, 0);
        for (size_t e = 0; e < segment->rows * segment->cols; e++)
            p->value[segment->offset + e] =
                segment->centre + segment->spread * (2.0 * congru_random_uniform(&random) - 1.0);
    }
    congru_constraints_retract(p);
}
