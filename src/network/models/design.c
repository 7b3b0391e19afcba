/* Designs of options; graphs of designs, with head and losses. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "network/layers/layers.h"
#include "network/models/model.h"
#include "network/models/parts.h"

#define ROW(id, title, reads, words) \
    const congru_network congru_network_##id = { \
        .name = title, .summary = words, .needs = CONGRU_NEEDS_##reads, .model = &congru_model_##id};
CONGRU_ALIGNING_NETWORKS(ROW)
CONGRU_DECIDING_NETWORKS(ROW)

#define POINTER(id, ...) &congru_network_##id,
const congru_network *congru_network_at(size_t index)
{
    static const congru_network *const networks[] = {CONGRU_ALIGNING_NETWORKS(POINTER)
                                                         CONGRU_DECIDING_NETWORKS(POINTER)};
    return index < CONGRU_NETWORKS ? networks[index] : NULL;
}

const congru_network *congru_network_find(const char *name)
{
    for (size_t i = 0; congru_network_at(i) != NULL; i++)
        if (strcmp(congru_network_at(i)->name, name) == 0)
            return congru_network_at(i);
    return NULL;
}

bool congru_network_decides(const congru_network *network)
{
    return network->model->objective == NULL;
}

static congru_status check_widths(congru_context *context, const congru_design *design, bool end_to_end)
{
    const size_t last = design->width[design->layers];
    if (design->width[0] != design->d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the first width is %zu, and the trials have %zu channels", design->width[0],
                           design->d);
    for (size_t l = 0; l <= design->layers; l++) {
        const size_t width = design->width[l], mirror = design->width[design->layers - l];
        if (width < 1 || width > CONGRU_DIMENSION_MAX)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a width of %zu: widths are 1 to %d", width,
                               CONGRU_DIMENSION_MAX);
        if (design->merges != CONGRU_MERGES_NONE && width != mirror)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "widths of merged layers must mirror each other, and width %zu is %zu where its "
                               "mirror is %zu",
                               l, width, mirror);
    }
    if (!end_to_end && last != design->d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the last width is %zu: an aligner gives back the %zu channels it was given", last,
                           design->d);
    return CONGRU_OK;
}

/* Widths of d alone say how many rotations there are; those that are not are another network's of the run. */
static size_t count_rotations(const congru_network_options *o, size_t d)
{
    for (size_t l = 0; l < o->width_count; l++)
        if (o->widths[l] != d)
            return 1;
    return o->width_count > 2 ? o->width_count - 1 : 1;
}

congru_status congru_design_make(congru_context *context, const congru_network *network, bool end_to_end,
                                 const congru_trials *trials, const congru_network_options *o,
                                 congru_design *design)
{
    const congru_network_model *model = network->model;
    *design = (congru_design){.d = trials->d,
                              .layers = 1,
                              .width = {trials->d, trials->d},
                              .rotations = model->rotates ? count_rotations(o, trials->d) : 1,
                              .merges = model->merges ? o->merges : CONGRU_MERGES_NONE,
                              .merge_mean = o->merge_mean,
                              .learns_gamma = o->dispersion == CONGRU_DISPERSION_SUBJECT_GLOBAL ||
                                              o->dispersion == CONGRU_DISPERSION_GLOBAL,
                              .layer_jitter = o->layer_jitter,
                              .head_jitter = o->head_jitter,
                              .floor = o->floor,
                              .at_identity = o->head_reference == CONGRU_HEAD_IDENTITY,
                              .classes = trials->classes,
                              .pool_mean = o->pool == CONGRU_POOL_MEAN,
                              .crops = 1,
                              .dropout = o->dropout};
    if (network->needs == CONGRU_NEEDS_SIGNALS) {
        design->crops = o->crops > 0.0 ? (size_t)o->crop_count : 1;
        design->zscore = o->zscore;
        return congru_design_signals(context, network, trials->signals, o->crops, design);
    }
    if (model->widths == NULL)
        return CONGRU_OK;
    const size_t least = design->merges != CONGRU_MERGES_NONE ? model->least_widths : 2;
    if (o->width_count > 0 && (o->width_count < least || o->width_count > CONGRU_LAYERS_MAX))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%zu widths were given: %zu to %d make a network",
                           o->width_count, least, CONGRU_LAYERS_MAX);
    if (o->width_count > 0) {
        design->layers = o->width_count - 1;
        memcpy(design->width, o->widths, o->width_count * sizeof(size_t));
    } else {
        design->layers = model->widths(design->d, o->square_bottleneck, design->width) - 1;
    }
    return check_widths(context, design, end_to_end);
}

void congru_design_build(const congru_network_model *model, const congru_design *design, congru_graph *graph)
{
    graph->rotation = graph->dispersion = -1;
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        graph->output[k] = -1;
    model->build(graph, design);
    if (model->least_samples != NULL)
        congru_signal_input_crop(&graph->node[0], design->whole, design->crops, design->seed);
}

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
    const int triangle =
        congru_graph_add(graph, &congru_layer_triangle, logarithm, -1, congru_vector(features), 0.0, 0.0);
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

void congru_design_objective(const congru_network_model *model, const congru_design *design,
                             congru_graph *graph, bool end_to_end)
{
    int scores = graph->output[CONGRU_OUTPUT_PROBABILITY];
    if (model->objective != NULL) {
        const int out = graph->output[CONGRU_OUTPUT_MATRIX];
        const int rows = congru_part_triangle(graph, graph->output[CONGRU_OUTPUT_LOGARITHM]);
        model->objective(graph, rows);
        scores = end_to_end ? congru_design_head(design, graph, out, rows) : -1;
    }
    if (scores >= 0)
        congru_design_loss(graph, &congru_loss_cross_entropy, scores, -1);
}
