/* Networks that decide by themselves: their tensors, written and found again, and their graph run forward. SPDX-License-Identifier: Apache-2.0 */
#include "network/scored.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "network/application.h"
#include "network/kept.h"
#include "network/layers/layers.h"
#include "network/scored_reference.h"

congru_status congru_scored_save(const congru_training *t, const char *prefix, congru_tensors *model)
{
    congru_status status = congru_design_add(t->context, model, prefix, &t->design);
    if (status == CONGRU_OK)
        status =
            congru_kept_add(t->context, model, prefix, "present", 1, &t->design.classes, t->constants.present);
    return status == CONGRU_OK
               ? congru_kept_add_weights(t->context, model, prefix, t->parameters.segments, &t->parameters)
               : status;
}

/* ---- Found again --------------------------------------------------------------------------------- */

/* A network that is asked: where it is kept, and trials as its graph reads them, signals of which a crop (congru_signal_input)
 * or covariances. */
typedef struct asked {
    congru_context *context;
    const congru_network *network;
    const char *prefix;
    const congru_tensors *model;
    congru_design design;
    const double *present;
    const congru_target_trials *target;
    congru_real *signals;
    size_t crop;
} asked;

/* Its design, and which classes there are. */
static congru_status find_network(asked *n)
{
    congru_status status = congru_design_find(n->context, n->model, n->prefix, &n->design);
    return status == CONGRU_OK ? congru_kept_find(n->context, n->model, n->prefix, "present", 1,
                                                  &n->design.classes, &n->present)
                               : status;
}

/* The node of a layer; -1: none. */
static int find(const congru_graph *graph, const congru_layer *layer)
{
    for (size_t n = 0; n < graph->count; n++)
        if (graph->node[n].layer == layer)
            return (int)n;
    return -1;
}

static bool recentres(const congru_application *a)
{
    return find(&a->graph, &congru_layer_recentre) >= 0;
}

/* A graph of the design with the model's weights; NULL after a failure. */
static congru_application *build(const asked *n)
{
    congru_application *a = congru_application_begin(n->context);
    if (a == NULL)
        return NULL;
    congru_design_build(n->network->model, &n->design, &a->graph);
    congru_status status = CONGRU_OK;
    for (size_t s = 0; status == CONGRU_OK && s < a->parameters.segments; s++) {
        congru_segment *segment = &a->parameters.segment[s];
        size_t shape[] = {segment->rows, segment->cols};
        status = congru_kept_find(n->context, n->model, n->prefix, segment->name, 2, shape, &segment->value);
    }
    if (status == CONGRU_OK)
        return a;
    congru_application_end(a);
    return NULL;
}

/* The target's signals as reals, for networks on signals that were trained on such ones; n->signals stays NULL for others,
 * and what was taken is kept. */
static congru_status take_signals(asked *n)
{
    const congru_design *design = &n->design;
    congru_design own = *design;
    if (n->network->needs != CONGRU_NEEDS_SIGNALS || n->signals != NULL)
        return CONGRU_OK;
    congru_status status = congru_design_signals(n->context, n->network, n->target->signals, 0.0, &own);
    if (status != CONGRU_OK)
        return status;
    if (own.whole != design->whole || own.rate != design->rate)
        return congru_fail(
            n->context, CONGRU_ERROR_ARGUMENT,
            "the network was trained on %zu samples at %g Hz, and these trials have %zu at %g Hz",
            design->whole, design->rate, own.whole, own.rate);
    const size_t size = design->whole * design->d, all = congru_real_step(n->target->count * size);
    n->signals = congru_memory_take(all * sizeof(congru_real) + size * sizeof(double));
    if (n->signals == NULL)
        return congru_fail(n->context, CONGRU_ERROR_MEMORY, "not enough memory for signals");
    /* cppcheck-suppress invalidPointerCast ; room for doubles behind the signals, aligned by congru_real_step */
    double *scratch = (double *)(n->signals + all);
    for (size_t i = 0; i < n->target->count; i++) {
        if (!congru_signal_reals(n->target->signals, i, design->zscore, scratch, n->signals + i * size))
            return congru_fail(n->context, CONGRU_ERROR_NOT_FINITE, "trial %zu has a sample that is not finite",
                               i + 1);
    }
    return CONGRU_OK;
}

/* Runs it for the outputs that are not NULL. */
static congru_status run(congru_application *a, const asked *n, double *const out[CONGRU_OUTPUT_COUNT])
{
    const size_t count = n->target->count;
    if (a->graph.node[0].out.kind != CONGRU_SIGNAL)
        return congru_graph_apply(&a->graph, count, n->target->covariance, out);
    congru_signal_input *input = a->graph.node[0].state;
    input->table = n->signals;
    input->crop = n->crop;
    return congru_graph_apply(&a->graph, count, NULL, out);
}

/* ---- Networks that recentre their matrices ------------------------------------------------------- */

/* The matrices that it recentres, of all trials; none where it recentres nothing. */
static congru_status middle_of(asked *n, congru_middle *middle)
{
    congru_application *a = build(n);
    if (a == NULL)
        return CONGRU_ERROR_FORMAT;
    if (!recentres(a)) {
        congru_application_end(a);
        return CONGRU_OK;
    }
    const int matrix = a->graph.output[CONGRU_OUTPUT_MATRIX];
    congru_status status = take_signals(n);
    if (status == CONGRU_OK)
        status = congru_middle_begin(n->context, n->target->count, a->graph.node[matrix].out.rows, middle);
    middle->exact = find(&a->graph, &congru_layer_domain_scale) >= 0;
    double *const out[CONGRU_OUTPUT_COUNT] = {[CONGRU_OUTPUT_MATRIX] = middle->matrix};
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        a->graph.output[k] = k == CONGRU_OUTPUT_MATRIX ? matrix : -1;
    if (status == CONGRU_OK)
        status = congru_application_lay_out(a);
    if (status == CONGRU_OK)
        status = run(a, n, out);
    congru_application_end(a);
    return status;
}

/* What it keeps of the source subjects' matrices, of `d` rows. */
static congru_status find_reference(const asked *n, size_t d, const double **kept)
{
    size_t shape[] = {d + 1, d};
    return congru_kept_find(n->context, n->model, n->prefix, "reference", 2, shape, kept);
}

/* References of the target. */
static congru_status refer(asked *n, congru_middle *middle)
{
    const double *kept = NULL;
    congru_status status = middle_of(n, middle);
    if (status == CONGRU_OK && !n->design.at_identity)
        status = find_reference(n, middle->d, &kept);
    return status == CONGRU_OK ? congru_middle_refer(n->context, n->target, kept, middle) : status;
}

static void give(const congru_graph *graph, const congru_middle *middle)
{
    const int recentre = find(graph, &congru_layer_recentre), scale = find(graph, &congru_layer_domain_scale);
    if (recentre < 0 || graph->node[recentre].state == NULL)
        return;
    *(congru_given *)graph->node[recentre].state = (congru_given){middle->inverse, middle->references};
    if (scale < 0)
        return;
    *(congru_given *)graph->node[scale].state = (congru_given){middle->factor, middle->references};
}

static congru_status apply(congru_application *a, const asked *n, const congru_middle *middle,
                           double *probability)
{
    congru_graph *graph = &a->graph;
    double *const out[CONGRU_OUTPUT_COUNT] = {[CONGRU_OUTPUT_PROBABILITY] = probability};
    const int scores = graph->output[CONGRU_OUTPUT_PROBABILITY];
    const int softmax =
        congru_graph_add(graph, &congru_layer_softmax, scores, -1, graph->node[scores].out, 0.0, 0.0);
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        graph->output[k] = k == CONGRU_OUTPUT_PROBABILITY ? softmax : -1;
    congru_status status = congru_application_lay_out(a);
    if (status != CONGRU_OK)
        return status;
    ((congru_softmax *)graph->node[softmax].state)->present = n->present;
    give(graph, middle);
    return run(a, n, out);
}

/* Class probabilities of one crop of every trial. */
static congru_status predict_crop(asked *n, double *probability)
{
    congru_middle middle = {0};
    congru_application *a = build(n);
    if (a == NULL)
        return CONGRU_ERROR_FORMAT;
    congru_status status = recentres(a) ? refer(n, &middle) : CONGRU_OK;
    if (status == CONGRU_OK)
        status = apply(a, n, &middle, probability);
    congru_application_end(a);
    congru_middle_end(&middle);
    return status;
}

/* The mean over all crops. A network that recentres matrices does so for each place of a crop by itself. */
static congru_status predict_crops(asked *n, double *probability)
{
    const size_t size = n->target->count * n->design.classes;
    double *sum = congru_memory_take(size * sizeof(double));
    if (sum == NULL)
        return congru_fail(n->context, CONGRU_ERROR_MEMORY, "not enough memory for probabilities");
    memset(sum, 0, size * sizeof(double));
    congru_status status = CONGRU_OK;
    for (n->crop = 1; status == CONGRU_OK && n->crop <= n->design.crops; n->crop++) {
        status = predict_crop(n, probability);
        for (size_t i = 0; status == CONGRU_OK && i < size; i++)
            sum[i] += probability[i];
    }
    for (size_t i = 0; i < size; i++)
        probability[i] = sum[i] / (double)n->design.crops;
    congru_memory_give(sum);
    return status;
}

congru_status congru_scored_predict(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_tensors *model, const congru_target_trials *target,
                                    size_t *classes, double *probability)
{
    asked n = {.context = context, .network = network, .prefix = prefix, .model = model, .target = target};
    congru_status status = find_network(&n);
    if (status == CONGRU_OK)
        status = congru_design_check(context, &n.design, target->d);
    *classes = status == CONGRU_OK ? n.design.classes : 0;
    if (status == CONGRU_OK)
        status = take_signals(&n);
    if (status == CONGRU_OK)
        status = predict_crops(&n, probability);
    congru_memory_give(n.signals);
    return status;
}

congru_status congru_scored_keep(congru_context *context, const congru_network *network, const char *prefix,
                                 const congru_trials *trials, congru_tensors *model)
{
    congru_middle middle = {0};
    double *kept = NULL;
    const congru_target_trials all = {
        .count = trials->count, .d = trials->d, .covariance = trials->covariance, .signals = trials->signals};
    asked n = {.context = context, .network = network, .prefix = prefix, .model = model, .target = &all};
    congru_status status = find_network(&n);
    if (status == CONGRU_OK)
        status = middle_of(&n, &middle);
    if (status == CONGRU_OK && middle.matrix != NULL) {
        const size_t shape[] = {middle.d + 1, middle.d};
        status = congru_kept_make(context, model, prefix, "reference", 2, shape, &kept);
        if (status == CONGRU_OK)
            status = congru_middle_keep(context, trials, &middle, kept);
    }
    congru_middle_end(&middle);
    congru_memory_give(n.signals);
    return status;
}

congru_status congru_scored_classes(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_tensors *model, size_t *classes)
{
    asked n = {.context = context, .network = network, .prefix = prefix, .model = model};
    congru_status status = find_network(&n);
    *classes = status == CONGRU_OK ? n.design.classes : 0;
    if (status == CONGRU_OK && network->needs == CONGRU_NEEDS_SIGNALS) {
        const congru_signals shape = {
            .channels = n.design.d, .samples = n.design.samples, .rate = n.design.rate};
        congru_design alone = n.design;
        status = congru_design_signals(context, network, &shape, 0.0, &alone);
    }
    if (status != CONGRU_OK)
        return status;
    const double *kept = NULL;
    congru_application *a = build(&n);
    if (a == NULL)
        return CONGRU_ERROR_FORMAT;
    if (recentres(a))
        status = find_reference(&n, a->graph.node[a->graph.output[CONGRU_OUTPUT_MATRIX]].out.rows, &kept);
    congru_application_end(a);
    return status;
}
