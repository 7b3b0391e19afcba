/* Tensors of a trained network written and found again, and its graph run forward. SPDX-License-Identifier: Apache-2.0 */
#include "network/trained.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "network/layers/layers.h"
#include "spd/trace.h"

/* ---- Graphs without a batch -------------------------------------------------------------------------- */

congru_status congru_application_begin(congru_context *context, congru_application **application)
{
    congru_application *a = *application = congru_memory_take(sizeof *a);
    if (a == NULL)
        return congru_fail_memory(context, "the graph of a network");
    memset(&a->graph, 0, offsetof(congru_graph, node));
    a->parameters = (congru_parameters){.segments = 0};
    a->arena = (congru_arena){.base = NULL};
    a->graph.context = context;
    a->graph.parameters = &a->parameters;
    return CONGRU_OK;
}

void congru_application_end(congru_application *a)
{
    if (a == NULL)
        return;
    congru_graph_clear(&a->graph);
    congru_arena_free(&a->arena);
    congru_memory_give(a);
}

congru_status congru_application_lay_out(congru_application *a)
{
    congru_graph *graph = &a->graph;
    congru_arena measure = {0};
    CONGRU_TRY(congru_graph_rewrite(graph, CONGRU_REWRITE_LOG_OF_EXP));
    CONGRU_TRY(congru_graph_plan(graph));
    congru_graph_layout(&measure, graph);
    if (congru_arena_reserve(&a->arena, measure.used) != CONGRU_OK)
        return congru_fail_memory(graph->context, "the graph of a network: %zu bytes", measure.used);
    congru_graph_layout(&a->arena, graph);
    return congru_workspace_check(graph->context, &a->arena);
}

/* The node of a layer; -1: none. */
static int find_node(const congru_graph *graph, const congru_layer *layer)
{
    for (size_t n = 0; n < graph->count; n++)
        if (graph->node[n].layer == layer)
            return (int)n;
    return -1;
}

/* ---- Saved ------------------------------------------------------------------------------------------- */

/* DCT is kept as the rotation and gamma that its parameters stand for. */
static congru_status save_rotated(const congru_training *t, const char *prefix, congru_tensors *model)
{
    const size_t d = t->design.d, shape[] = {d, d};
    const double *value = t->parameters.value,
                 gamma = t->design.learns_gamma ? congru_scalar_exp(*t->parameters.segment[1].value) : 1.0;
    double mean = 0.0, *rotation, *work;
    for (size_t s = 0; s < t->trials->subjects && t->constants.by_subject; s++)
        mean += t->constants.dispersion[s] / (double)t->trials->subjects;
    CONGRU_TRY(
        congru_tensors_add(t->context, model, congru_name_in(prefix, "rotation").text, 2, shape, &rotation));
    CONGRU_TRY(congru_tensors_add_number(t->context, model, congru_name_in(prefix, "dispersion").text, mean));
    CONGRU_TRY(congru_tensors_add_number(t->context, model, congru_name_in(prefix, "gamma").text, gamma));
    CONGRU_TRY(congru_allocate(t->context, &work, congru_rotations_work(t->design.rotations, d), sizeof *work,
                               "a rotation"));
    const congru_status status =
        congru_rotations_forward(t->context, t->design.rotations, d, value, work, rotation);
    free(work);
    return status;
}

congru_status congru_trained_save(const congru_training *t, const char *prefix, congru_tensors *model)
{
    CONGRU_TRY(congru_design_save(t->context, t->network, &t->design, prefix, model));
    if (t->network->model->rotates)
        CONGRU_TRY(save_rotated(t, prefix, model));
    for (size_t s = 0; s < t->parameters.segments; s++) {
        const congru_segment *segment = &t->parameters.segment[s];
        const size_t shape[] = {segment->rows, segment->cols};
        if (segment->head || !t->network->model->rotates)
            CONGRU_TRY(congru_tensors_add_copy(t->context, model, congru_name_in(prefix, segment->name).text, 2,
                                               shape, segment->value));
    }
    return t->design.classes > 0
               ? congru_tensors_add_copy(t->context, model, congru_name_in(prefix, "present").text, 1,
                                         &t->design.classes, t->constants.present)
               : CONGRU_OK;
}

/* ---- Found again ------------------------------------------------------------------------------------- */

static congru_status build(congru_trained *n)
{
    CONGRU_TRY(congru_application_begin(n->context, &n->built));
    congru_network_build(n->network, &n->design, &n->built->graph);
    return CONGRU_OK;
}

/* Where a head recentres matrices, and by what. */
static void find_middle(const congru_graph *graph, congru_trained *n)
{
    const int recentre = find_node(graph, &congru_layer_recentre);
    n->middle = recentre >= 0 ? graph->node[recentre].out.rows : 0;
    n->centre = find_node(graph, &congru_layer_domain_scale) >= 0 ? CONGRU_MEAN_FRECHET
                : n->network->model->objective != NULL            ? CONGRU_MEAN_LOGARITHM
                                                                  : CONGRU_MEAN_LOGEUCLID;
}

static congru_status find_weights(congru_trained *n, const congru_graph *graph)
{
    for (size_t s = 0; s < graph->parameters->segments; s++) {
        const congru_segment *segment = &graph->parameters->segment[s];
        const congru_tensor_name name = congru_name_in(n->prefix, segment->name);
        const congru_tensor *one = segment->rows == 1 ? congru_tensors_find(n->model, name.text) : NULL;
        const size_t row = one != NULL && one->dims == 1; /* a bias in models of 0.2 */
        size_t shape[] = {segment->rows, segment->cols};
        CONGRU_TRY(congru_tensors_expect(n->context, n->model, name.text, 2 - row, shape + row, &n->weight[s]));
    }
    return CONGRU_OK;
}

congru_status congru_trained_load(congru_context *context, const congru_network *network, const char *prefix,
                                  const congru_tensors *model, congru_trained *n)
{
    *n = (congru_trained){.context = context, .network = network, .prefix = prefix, .model = model};
    CONGRU_TRY(congru_design_find(context, network, model, prefix, &n->design));
    if (n->design.classes > 0)
        CONGRU_TRY(congru_tensors_expect(context, model, congru_name_in(prefix, "present").text, 1,
                                         &n->design.classes, &n->present));
    if (network->model->rotates) {
        CONGRU_TRY(congru_tensors_expect_number(context, model, congru_name_in(prefix, "gamma").text, 0.0,
                                                1e300, &n->gamma));
        CONGRU_TRY(congru_tensors_expect_number(context, model, congru_name_in(prefix, "dispersion").text, 0.0,
                                                1e300, &n->dispersion));
    }
    if (network->needs == CONGRU_NEEDS_SIGNALS) { /* its layers take as many samples as there are */
        const congru_signals shape = {
            .channels = n->design.d, .samples = n->design.samples, .rate = n->design.rate};
        congru_design alone = n->design;
        CONGRU_TRY(congru_design_signals(context, network, &shape, 0.0, &alone));
    }
    CONGRU_TRY(build(n));
    find_middle(&n->built->graph, n);
    return find_weights(n, &n->built->graph);
}

void congru_trained_end(congru_trained *n)
{
    congru_application_end(n->built);
    n->built = NULL;
}

congru_status congru_trained_reference(const congru_trained *n, const double **kept)
{
    size_t shape[] = {congru_statistic_rows(n->centre, n->middle), n->middle};
    return congru_tensors_expect(n->context, n->model, congru_name_in(n->prefix, "reference").text, 2, shape,
                                 kept);
}

/* ---- Trials ------------------------------------------------------------------------------------------ */

/* Signals as reals, of a shape that the network was trained on. */
static congru_status take_signals(const congru_trained *n, const congru_signals *signals, congru_given *given)
{
    const congru_design *design = &n->design;
    congru_design other = *design;
    CONGRU_TRY(congru_design_signals(n->context, n->network, signals, 0.0, &other));
    if (other.whole != design->whole || other.rate != design->rate)
        return congru_fail(
            n->context, CONGRU_ERROR_ARGUMENT,
            "the network was trained on %zu samples at %g Hz, and these trials have %zu at %g Hz",
            design->whole, design->rate, other.whole, other.rate);
    const size_t size = design->whole * design->d, all = congru_real_step(given->count * size);
    congru_real *reals = given->own = congru_memory_take(all * sizeof *reals + size * sizeof(double));
    if (reals == NULL)
        return congru_fail_memory(n->context, "signals");
    /* cppcheck-suppress invalidPointerCast ; room for doubles behind the signals, aligned by congru_real_step */
    double *scratch = (double *)(reals + all);
    for (size_t i = 0; i < given->count; i++) {
        if (!congru_signal_reals(signals, i, design->zscore, scratch, reals + i * size))
            return congru_fail(n->context, CONGRU_ERROR_NOT_FINITE, "trial %zu has a sample that is not finite",
                               i + 1);
    }
    given->signal = reals;
    return CONGRU_OK;
}

congru_status congru_given_begin(const congru_trained *n, size_t count, size_t d, const double *covariance,
                                 const congru_signals *signals, congru_given *given)
{
    *given = (congru_given){.count = count, .covariance = covariance};
    if (n->design.d != d)
        return congru_fail(n->context, CONGRU_ERROR_ARGUMENT,
                           "the network was trained on %s, and there are %zu",
                           congru_count(n->design.d, "channel").text, d);
    if (n->network->needs == CONGRU_NEEDS_SIGNALS)
        return take_signals(n, signals, given);
    return n->design.trace
               ? congru_network_divide(n->context, count, d, covariance, &given->own, &given->covariance)
               : CONGRU_OK;
}

void congru_given_end(congru_given *given)
{
    congru_memory_give(given->own);
    given->own = NULL;
}

congru_status congru_trained_norms(const congru_trained *n, const congru_given *given, double *norm)
{
    enum { BLOCK = 256 }; /* trials at a time: bounds the memory */
    const size_t d = n->design.d;
    double *values = congru_memory_take(BLOCK * d * sizeof *values);
    congru_status status = values != NULL ? CONGRU_OK : congru_fail_memory(n->context, "eigenvalues");
    for (size_t first = 0; status == CONGRU_OK && first < given->count; first += BLOCK) {
        const size_t block = given->count - first < BLOCK ? given->count - first : BLOCK;
        CONGRU_TRY_TO(done,
                      congru_spd_eigen(n->context, block, d, given->covariance + first * d * d, values, NULL));
        for (size_t i = 0; i < block; i++) {
            norm[first + i] = 0.0;
            for (size_t k = 0; k < d; k++) {
                const double x = values[i * d + k], floor = n->design.floor,
                             y = congru_scalar_log(x > floor ? x : floor);
                norm[first + i] += y * y;
            }
        }
    }
done:
    congru_memory_give(values);
    return status;
}

/* ---- Run --------------------------------------------------------------------------------------------- */

/* What layers hold that is not in the weights: states are there once the graph has been planned. */
static void give(const congru_trained *n, const congru_given *given, const congru_graph *graph)
{
    const int recentre = find_node(graph, &congru_layer_recentre),
              softmax = find_node(graph, &congru_layer_softmax),
              scale = find_node(graph, &congru_layer_domain_scale);
    if (graph->rotation >= 0 && congru_rotation_of(graph) != NULL) {
        congru_rotation_of(graph)->r = (double *)(uintptr_t)n->weight[0]; /* only read */
        congru_scaling_of(graph)->gamma = n->gamma;
        congru_scaling_of(graph)->divisor = given->dispersion;
    }
    if (recentre >= 0 && graph->node[recentre].state != NULL)
        *(congru_given_values *)graph->node[recentre].state =
            (congru_given_values){given->centre->inverse, given->centre->results};
    if (scale >= 0 && graph->node[scale].state != NULL)
        *(congru_given_values *)graph->node[scale].state =
            (congru_given_values){given->centre->factor, given->centre->results};
    if (softmax >= 0)
        ((congru_softmax *)graph->node[softmax].state)->present = n->present;
    if (graph->node[0].layer == &congru_layer_signal && graph->node[0].state != NULL) {
        congru_signal_input *input = graph->node[0].state;
        input->table = given->signal;
        input->crop = given->crop;
    }
}

congru_status congru_trained_run(congru_trained *n, const congru_given *given,
                                 double *const out[CONGRU_OUTPUT_COUNT])
{
    if (n->built == NULL)
        CONGRU_TRY(build(n));
    congru_application *a = n->built;
    congru_graph *graph = &a->graph;
    congru_status status = CONGRU_OK;
    n->built = NULL;
    for (size_t s = 0; s < a->parameters.segments; s++)
        a->parameters.segment[s].value = n->weight[s];
    const int scores = graph->output[CONGRU_OUTPUT_PROBABILITY];
    if (out[CONGRU_OUTPUT_PROBABILITY] != NULL)
        graph->output[CONGRU_OUTPUT_PROBABILITY] =
            congru_graph_add(graph, &congru_layer_softmax, scores, -1, graph->node[scores].out, 0.0, 0.0);
    if (given->matrix != NULL)
        congru_graph_begin_at(graph, graph->output[CONGRU_OUTPUT_MATRIX]);
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        graph->output[k] = out[k] != NULL ? graph->output[k] : -1;
    CONGRU_TRY_TO(done, congru_application_lay_out(a));
    give(n, given, graph);
    CONGRU_TRY_TO(done, congru_graph_apply(graph, given->count,
                                           given->matrix != NULL ? given->matrix : given->covariance, out));
done:
    congru_application_end(a);
    return status;
}
