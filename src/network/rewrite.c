/* Patterns in a graph, replaced by what gives the same with less work. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "network/layers/layers.h"

static congru_node *source(congru_graph *graph, const congru_node *node)
{
    return node->inputs > 0 ? &graph->node[node->input[0]] : NULL;
}

static size_t count_readers(const congru_graph *graph, int n)
{
    size_t readers = 0;
    for (size_t m = 0; m < graph->count; m++)
        for (size_t k = 0; k < graph->node[m].inputs; k++)
            readers += graph->node[m].input[k] == n;
    return readers;
}

/* All that read one node read another instead. */
static void redirect(congru_graph *graph, int from, int to)
{
    for (size_t m = 0; m < graph->count; m++)
        for (size_t k = 0; k < graph->node[m].inputs; k++)
            if (graph->node[m].input[k] == from)
                graph->node[m].input[k] = to;
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        if (graph->output[k] == from)
            graph->output[k] = to;
}

/* log(exp(L)) is L. */
static void log_of_exp(congru_graph *graph)
{
    for (size_t n = 0; n < graph->count; n++) {
        const congru_node *node = &graph->node[n], *x = source(graph, node);
        if (node->layer == &congru_layer_logarithm && x->layer == &congru_layer_exponential &&
            node->number[0] == 0.0)
            redirect(graph, (int)n, x->input[0]);
    }
}

/* W_l^T (... W_1^T X W_1 + eps I ...) W_l + eps I = T^T X T + K. */
static congru_status chain(congru_graph *graph)
{
    if (graph->output[CONGRU_OUTPUT_MATRIX] < 0)
        return CONGRU_OK;
    congru_node *last = &graph->node[graph->output[CONGRU_OUTPUT_MATRIX]];
    const congru_node *node = last;
    congru_affine affine = {.layers = 0};
    int first = -1;
    for (; node->layer == &congru_layer_congruence; node = &graph->node[first]) {
        affine.weight[affine.layers++] = node->weight[0];
        first = node->input[0];
    }
    if (node->layer != &congru_layer_input || affine.layers == 0)
        return CONGRU_OK;
    for (size_t l = 0; l < affine.layers / 2; l++) {
        const int swap = affine.weight[l];
        affine.weight[l] = affine.weight[affine.layers - 1 - l];
        affine.weight[affine.layers - 1 - l] = swap;
    }
    last->state = congru_memory_take(sizeof affine);
    if (last->state == NULL)
        return congru_fail_memory(graph->context, "a network");
    memcpy(last->state, &affine, sizeof affine);
    last->layer = &congru_layer_affine;
    last->input[0] = first;
    return CONGRU_OK;
}

/* The logarithm of a congruence that widens, and that nothing else reads. */
static void wide(congru_graph *graph)
{
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n];
        const congru_node *x = source(graph, node);
        if (node->layer != &congru_layer_logarithm || x->layer != &congru_layer_congruence ||
            node->number[0] != 0.0 || x->out.rows <= x->in[0].rows ||
            count_readers(graph, node->input[0]) > 1 || graph->output[CONGRU_OUTPUT_MATRIX] == node->input[0])
            continue;
        node->layer = &congru_layer_wide_logarithm;
        node->weight[0] = x->weight[0];
        node->number[0] = x->number[0];
        node->input[0] = x->input[0];
    }
}

/* The logarithm of the input. */
static void constants(congru_graph *graph)
{
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n];
        if (node->layer == &congru_layer_logarithm && source(graph, node)->layer == &congru_layer_input &&
            node->number[0] == 0.0) {
            node->layer = &congru_layer_constant;
            node->inputs = 0;
        }
    }
}

/* Behind y = rotation(dispersion(constant)): rows of y are those of the constant, their scatters times gamma^2; the
 * diagonal is had of one product; the head works in the basis of the constant, with its weights turned. */
static void rotation(congru_graph *graph)
{
    congru_node *turned = &graph->node[graph->rotation], *scaled = &graph->node[graph->dispersion];
    const int constant = scaled->input[0];
    if (graph->node[constant].layer != &congru_layer_constant || turned->input[0] != graph->dispersion)
        return;
    int rows = -1;
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n];
        const bool reads = node->inputs > 0 && node->input[0] == graph->rotation;
        if (reads && node->layer == &congru_layer_triangle) {
            node->layer = &congru_layer_constant_rows;
            node->inputs = 0;
            rows = (int)n;
        } else if (reads && node->layer == &congru_layer_diagonal) {
            node->layer = &congru_layer_turned_diagonal;
            node->input[0] = constant;
            node->weight[0] = turned->weight[0];
        } else if (node->layer == &congru_layer_recentre) {
            node->layer = &congru_layer_turned_recentre;
            node->inputs = 1;
            node->input[0] = rows;
            node->weight[0] = scaled->weight[0];
        } else if (node->layer == &congru_layer_dense) {
            node->layer = &congru_layer_turned_dense;
        }
    }
    turned->inputs = scaled->inputs = 0;
}

/* W^T cov(x) W = cov(x W): spatial filters behind a temporal convolution take the weights of a congruence along. */
static void space(congru_graph *graph)
{
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n], *covariance = source(graph, node);
        congru_node *filters = covariance != NULL ? source(graph, covariance) : NULL;
        if (node->layer != &congru_layer_congruence || node->number[0] != 0.0 ||
            covariance->layer != &congru_layer_covariance || covariance->number[0] != 0.0 ||
            covariance->number[1] != 0.0 || filters->layer != &congru_layer_time_space ||
            filters->weight[2] >= 0 || count_readers(graph, node->input[0]) > 1 ||
            count_readers(graph, covariance->input[0]) > 1 ||
            graph->output[CONGRU_OUTPUT_MATRIX] == node->input[0])
            continue;
        filters->weight[2] = node->weight[0];
        filters->out = congru_signal(filters->out.rows, node->out.cols);
        covariance->out = node->out;
        redirect(graph, (int)n, node->input[0]);
    }
}

congru_status congru_graph_rewrite(congru_graph *graph, unsigned rewritings)
{
    if ((rewritings & CONGRU_REWRITE_LOG_OF_EXP) != 0)
        log_of_exp(graph);
    if ((rewritings & CONGRU_REWRITE_CHAIN) != 0)
        CONGRU_TRY(chain(graph));
    if ((rewritings & CONGRU_REWRITE_WIDE) != 0)
        wide(graph);
    if ((rewritings & CONGRU_REWRITE_CONSTANT) != 0)
        constants(graph);
    if ((rewritings & CONGRU_REWRITE_SPACE) != 0)
        space(graph);
    if ((rewritings & CONGRU_REWRITE_ROTATION) != 0 && graph->rotation >= 0)
        rotation(graph);
    return CONGRU_OK;
}
