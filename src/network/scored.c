/* Networks that decide by themselves: their tensors, written and found again, and their graph run forward. SPDX-License-Identifier: Apache-2.0 */
#include "network/scored.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "network/application.h"
#include "network/kept.h"
#include "network/layers/domain_layer.h"
#include "network/layers/recentre_layer.h"
#include "network/layers/signal_input_layer.h"
#include "network/layers/softmax_layer.h"
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

/* The weights of a graph, where the model has them. */
static congru_status load_weights(congru_context *context, const char *prefix, const congru_tensors *model,
                                  congru_parameters *p)
{
    congru_status status = CONGRU_OK;
    for (size_t s = 0; status == CONGRU_OK && s < p->segments; s++) {
        size_t shape[] = {p->segment[s].rows, p->segment[s].cols};
        status = congru_kept_find(context, model, prefix, p->segment[s].name, 2, shape, &p->segment[s].value);
    }
    return status;
}

/* The node of a layer; -1: none. */
static int find(const congru_graph *graph, const congru_layer *layer)
{
    for (size_t n = 0; n < graph->count; n++)
        if (graph->node[n].layer == layer)
            return (int)n;
    return -1;
}

/* A graph of the design with the model's weights; NULL after a failure. */
static congru_application *build(congru_context *context, const congru_network *network, const char *prefix,
                                 const congru_tensors *model, const congru_design *design)
{
    congru_application *a = congru_application_begin(context);
    if (a == NULL)
        return NULL;
    congru_design_build(network->model, design, &a->graph);
    if (load_weights(context, prefix, model, &a->parameters) == CONGRU_OK)
        return a;
    congru_application_end(a);
    return NULL;
}

/* Trials as the graph reads them: signals, of which a crop (congru_signal_input), or covariances. */
typedef struct seen {
    const congru_target_trials *target;
    congru_real *signals;
    size_t crop;
} seen;

/* Runs it for the outputs that are not NULL. */
static congru_status run(congru_application *a, const seen *trials, double *const out[CONGRU_OUTPUT_COUNT])
{
    const size_t count = trials->target->count;
    if (a->graph.node[0].out.kind != CONGRU_SIGNAL)
        return congru_graph_apply(&a->graph, count, trials->target->covariance, out);
    congru_signal_input *input = a->graph.node[0].state;
    input->table = trials->signals;
    input->crop = trials->crop;
    return congru_graph_apply(&a->graph, count, NULL, out);
}

/* ---- Networks that recentre their matrices ------------------------------------------------------- */

/* The matrices that it recentres, of all trials. */
static congru_status middle_of(congru_context *context, const congru_network *network, const char *prefix,
                               const congru_tensors *model, const congru_design *design, const seen *trials,
                               congru_middle *middle)
{
    congru_application *a = build(context, network, prefix, model, design);
    if (a == NULL)
        return CONGRU_ERROR_FORMAT;
    const int matrix = a->graph.output[CONGRU_OUTPUT_MATRIX];
    congru_status status =
        congru_middle_begin(context, trials->target->count, a->graph.node[matrix].out.rows, middle);
    middle->exact = find(&a->graph, &congru_layer_domain_scale) >= 0;
    double *const out[CONGRU_OUTPUT_COUNT] = {[CONGRU_OUTPUT_MATRIX] = middle->matrix};
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        a->graph.output[k] = k == CONGRU_OUTPUT_MATRIX ? matrix : -1;
    if (status == CONGRU_OK)
        status = congru_application_lay_out(a);
    if (status == CONGRU_OK)
        status = run(a, trials, out);
    congru_application_end(a);
    return status;
}

/* References of the target, where the network has a use for them. */
static congru_status refer(congru_context *context, const congru_network *network, const char *prefix,
                           const congru_tensors *model, const congru_design *design, const seen *trials,
                           congru_middle *middle)
{
    const double *kept = NULL;
    congru_status status = middle_of(context, network, prefix, model, design, trials, middle);
    size_t shape[] = {middle->d + 1, middle->d};
    if (status == CONGRU_OK && !design->at_identity)
        status = congru_kept_find(context, model, prefix, "reference", 2, shape, &kept);
    return status == CONGRU_OK ? congru_middle_refer(context, trials->target, kept, middle) : status;
}

static void give(const congru_graph *graph, const congru_middle *middle)
{
    const int recentre = find(graph, &congru_layer_recentre), scale = find(graph, &congru_layer_domain_scale);
    if (recentre < 0 || graph->node[recentre].state == NULL)
        return;
    congru_reference *reference = graph->node[recentre].state;
    reference->given = middle->inverse;
    reference->references = middle->references;
    if (scale < 0)
        return;
    congru_domain_scale *factors = graph->node[scale].state;
    factors->given = middle->factor;
    factors->factors = middle->references;
}

static congru_status apply(congru_application *a, const double *present, const seen *trials,
                           const congru_middle *middle, double *probability)
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
    ((congru_softmax *)graph->node[softmax].state)->present = present;
    give(graph, middle);
    return run(a, trials, out);
}

/* The target's signals as reals, for networks on signals that were trained on such ones; *signals is NULL for others. */
static congru_status take_signals(congru_context *context, const congru_design *design,
                                  const congru_network *network, const congru_target_trials *target,
                                  congru_real **signals)
{
    *signals = NULL;
    if (network->needs != CONGRU_NEEDS_SIGNALS)
        return CONGRU_OK;
    congru_design own = *design;
    congru_status status = congru_design_signals(context, network, target->signals, 0.0, &own);
    if (status != CONGRU_OK)
        return status;
    if (own.whole != design->whole || own.rate != design->rate)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "the network was trained on %zu samples at %g Hz, and these trials have %zu at %g Hz",
            design->whole, design->rate, own.whole, own.rate);
    const size_t size = design->whole * design->d, all = congru_real_step(target->count * size);
    *signals = congru_memory_take(all * sizeof(congru_real) + size * sizeof(double));
    if (*signals == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for signals");
    /* cppcheck-suppress invalidPointerCast ; room for doubles behind the signals, aligned by congru_real_step */
    double *scratch = (double *)(*signals + all);
    for (size_t i = 0; i < target->count; i++) {
        if (!congru_signal_reals(target->signals, i, design->zscore, scratch, *signals + i * size))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE, "trial %zu has a sample that is not finite",
                               i + 1);
    }
    return CONGRU_OK;
}

/* Class probabilities of one crop of every trial. */
static congru_status predict_crop(congru_context *context, const congru_network *network, const char *prefix,
                                  const congru_tensors *model, const congru_design *design, const seen *trials,
                                  const double *present, double *probability)
{
    congru_middle middle = {0};
    congru_application *a = build(context, network, prefix, model, design);
    if (a == NULL)
        return CONGRU_ERROR_FORMAT;
    congru_status status = CONGRU_OK;
    if (find(&a->graph, &congru_layer_recentre) >= 0)
        status = refer(context, network, prefix, model, design, trials, &middle);
    if (status == CONGRU_OK)
        status = apply(a, present, trials, &middle, probability);
    congru_application_end(a);
    congru_middle_end(&middle);
    return status;
}

/* The mean over all crops. A network that recentres matrices does so for each place of a crop by itself. */
static congru_status predict_crops(congru_context *context, const congru_network *network, const char *prefix,
                                   const congru_tensors *model, const congru_design *design, seen *trials,
                                   const double *present, double *probability)
{
    const size_t size = trials->target->count * design->classes;
    double *sum = congru_memory_take(size * sizeof(double));
    if (sum == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for probabilities");
    memset(sum, 0, size * sizeof(double));
    congru_status status = CONGRU_OK;
    for (trials->crop = 1; status == CONGRU_OK && trials->crop <= design->crops; trials->crop++) {
        status = predict_crop(context, network, prefix, model, design, trials, present, probability);
        for (size_t i = 0; status == CONGRU_OK && i < size; i++)
            sum[i] += probability[i];
    }
    for (size_t i = 0; i < size; i++)
        probability[i] = sum[i] / (double)design->crops;
    congru_memory_give(sum);
    return status;
}

congru_status congru_scored_predict(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_tensors *model, const congru_target_trials *target,
                                    size_t *classes, double *probability)
{
    congru_design design;
    const double *present = NULL;
    seen trials = {.target = target};
    congru_status status = congru_design_find(context, model, prefix, &design);
    if (status != CONGRU_OK)
        return status;
    if (design.d != target->d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the network was trained on %s, and there are %zu",
                           congru_count(design.d, "channel").text, target->d);
    *classes = design.classes;
    status = congru_kept_find(context, model, prefix, "present", 1, &design.classes, &present);
    if (status == CONGRU_OK)
        status = take_signals(context, &design, network, target, &trials.signals);
    if (status == CONGRU_OK)
        status = predict_crops(context, network, prefix, model, &design, &trials, present, probability);
    congru_memory_give(trials.signals);
    return status;
}

congru_status congru_scored_keep(congru_context *context, const congru_network *network, const char *prefix,
                                 const congru_trials *trials, congru_tensors *model)
{
    congru_design design;
    congru_middle middle = {0};
    double *kept = NULL;
    const congru_target_trials all = {
        .count = trials->count, .d = trials->d, .covariance = trials->covariance, .signals = trials->signals};
    seen shown = {.target = &all};
    congru_status status = congru_design_find(context, model, prefix, &design);
    congru_application *a = status == CONGRU_OK ? build(context, network, prefix, model, &design) : NULL;
    const bool recentres = a != NULL && find(&a->graph, &congru_layer_recentre) >= 0;
    if (a != NULL)
        congru_application_end(a);
    if (!recentres)
        return status == CONGRU_OK && a == NULL ? CONGRU_ERROR_FORMAT : status;
    status = take_signals(context, &design, network, &all, &shown.signals);
    if (status == CONGRU_OK)
        status = middle_of(context, network, prefix, model, &design, &shown, &middle);
    const size_t shape[] = {middle.d + 1, middle.d};
    if (status == CONGRU_OK)
        status = congru_kept_make(context, model, prefix, "reference", 2, shape, &kept);
    if (status == CONGRU_OK)
        status = congru_middle_keep(context, trials, &middle, kept);
    congru_middle_end(&middle);
    congru_memory_give(shown.signals);
    return status;
}

congru_status congru_scored_classes(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_tensors *model, size_t *classes)
{
    congru_design design;
    const double *present = NULL;
    congru_status status = congru_design_find(context, model, prefix, &design);
    *classes = status == CONGRU_OK ? design.classes : 0;
    if (status == CONGRU_OK && network->needs == CONGRU_NEEDS_SIGNALS) {
        const congru_signals shape = {.channels = design.d, .samples = design.samples, .rate = design.rate};
        congru_design alone = design;
        status = congru_design_signals(context, network, &shape, 0.0, &alone);
    }
    if (status == CONGRU_OK)
        status = congru_kept_find(context, model, prefix, "present", 1, &design.classes, &present);
    if (status != CONGRU_OK)
        return status;
    congru_application *a = build(context, network, prefix, model, &design);
    if (a == NULL)
        return CONGRU_ERROR_FORMAT;
    const int matrix = a->graph.output[CONGRU_OUTPUT_MATRIX];
    if (find(&a->graph, &congru_layer_recentre) >= 0) {
        size_t shape[] = {a->graph.node[matrix].out.rows + 1, a->graph.node[matrix].out.rows};
        const double *kept = NULL;
        status = congru_kept_find(context, model, prefix, "reference", 2, shape, &kept);
    }
    congru_application_end(a);
    return status;
}
