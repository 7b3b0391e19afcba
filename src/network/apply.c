/* What a trained network makes of trials: its graph, run forward. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "base/scalar_math.h"
#include "network/application.h"
#include "network/layers/layers.h"
#include "network/trained.h"
#include "spd/trace.h"

enum { BLOCK = 256 }; /* trials at a time: bounds the memory */

congru_status congru_trained_trials(congru_context *context, bool trace, size_t count, size_t d,
                                    const double *covariance, double **own, const double **seen)
{
    *own = trace ? congru_memory_take(count * d * d * sizeof(double)) : NULL;
    *seen = trace ? *own : covariance;
    if (trace && *own == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", count);
    if (trace)
        congru_trace_divide(count, d, covariance, *own);
    return CONGRU_OK;
}

congru_status congru_trained_norms(congru_context *context, const congru_trained *n, size_t count,
                                   const double *covariance, double *norm)
{
    const size_t d = n->design.d;
    double *own, *values = congru_memory_take(BLOCK * d * sizeof(double));
    if (values == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for eigenvalues");
    congru_status status = congru_trained_trials(context, n->trace, count, d, covariance, &own, &covariance);
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t block = count - first < BLOCK ? count - first : BLOCK;
        status = congru_spd_eigen(context, block, d, covariance + first * d * d, values, NULL);
        for (size_t i = 0; status == CONGRU_OK && i < block; i++) {
            norm[first + i] = 0.0;
            for (size_t k = 0; k < d; k++) {
                double x = values[i * d + k], floor = n->design.floor,
                       y = congru_scalar_log(x > floor ? x : floor);
                norm[first + i] += y * y;
            }
        }
    }
    congru_memory_give(values);
    congru_memory_give(own);
    return status;
}

congru_status congru_trained_outputs(congru_context *context, const congru_trained *n, size_t count,
                                     const double *covariance, const double *dispersion, double *c_out,
                                     double *log_out)
{
    double *own, *const out[CONGRU_OUTPUT_COUNT] = {c_out, log_out, NULL};
    congru_status status =
        congru_trained_trials(context, n->trace, count, n->design.d, covariance, &own, &covariance);
    congru_application *a = status == CONGRU_OK ? congru_application_begin(context) : NULL;
    if (a == NULL) {
        congru_memory_give(own);
        return CONGRU_ERROR_MEMORY;
    }
    congru_graph *graph = &a->graph;
    congru_design_build(n->network->model, &n->design, graph);
    for (size_t s = 0; s < a->parameters.segments; s++)
        a->parameters.segment[s].value = n->w[s];
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        graph->output[k] = out[k] != NULL ? graph->output[k] : -1;
    status = congru_application_lay_out(a);
    if (status == CONGRU_OK && graph->rotation >= 0) {
        congru_rotation_of(graph)->r = (double *)n->rotation;
        congru_scaling_of(graph)->gamma = n->gamma;
        congru_scaling_of(graph)->divisor = dispersion;
    }
    if (status == CONGRU_OK)
        status = congru_graph_apply(graph, count, covariance, out);
    congru_application_end(a);
    congru_memory_give(own);
    return status;
}

/* exp(-reference / 2) of each. */
static congru_status roots(congru_context *context, size_t d, size_t references, const double *reference,
                           double *p)
{
    for (size_t e = 0; e < references * d * d; e++)
        p[e] = -0.5 * reference[e];
    return congru_spd_exp(context, references, d, p, p);
}

congru_status congru_trained_probabilities(congru_context *context, const congru_trained *n, size_t count,
                                           const double *c_out, size_t references, const double *reference,
                                           double *probability)
{
    const size_t d = n->out;
    double *const out[CONGRU_OUTPUT_COUNT] = {NULL, NULL, probability};
    double *p = congru_memory_take(references * d * d * sizeof(double));
    congru_application *a = p != NULL ? congru_application_begin(context) : NULL;
    if (a == NULL) {
        congru_memory_give(p);
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu references", references);
    }
    congru_graph *graph = &a->graph;
    const int x = congru_graph_input(graph, d), scores = congru_design_head(&n->design, graph, x, -1);
    const int softmax =
        congru_graph_add(graph, &congru_layer_softmax, scores, -1, graph->node[scores].out, 0.0, 0.0);
    graph->output[CONGRU_OUTPUT_PROBABILITY] = softmax;
    a->parameters.segment[0].value = n->weights;
    a->parameters.segment[1].value = n->bias;
    congru_status status = congru_application_lay_out(a);
    if (status == CONGRU_OK)
        status = roots(context, d, references, reference, p);
    if (status == CONGRU_OK) {
        *(congru_given *)graph->node[x + 1].state = (congru_given){p, references};
        ((congru_softmax *)graph->node[softmax].state)->present = n->present;
        status = congru_graph_apply(graph, count, c_out, out);
    }
    congru_application_end(a);
    congru_memory_give(p);
    return status;
}
