/* Rank of what tells classes apart, eigenvalues, gradients. SPDX-License-Identifier: Apache-2.0 */
#include "network/trained.h"

#include <math.h>
#include <string.h>

#include "base/mapped_memory.h"

static const double rank_least = 1e-3; /* of the largest singular value of the weights */
static const double jitter_most =
    2.0; /* times the jitter of all layers: an eigenvalue that is no more than it */
static const double condition_most = 1e8;   /* of a layer's outputs */
static const double gradient_most = 1000.0; /* times the clip */

/* How many layers are judged: down to the narrowest where merges bring back what it loses, else all. */
static size_t judged(const congru_design *design)
{
    size_t layer = 0;
    if (design->merges == CONGRU_MERGES_NONE)
        return design->layers;
    for (size_t l = 1; l <= design->layers; l++)
        layer = design->width[l] < design->width[layer] ? l : layer;
    return layer;
}

void congru_watch_layout(congru_arena *arena, congru_watch *w)
{
    size_t largest = 0;
    for (size_t l = 0; l <= w->design->layers; l++)
        largest = w->design->width[l] > largest ? w->design->width[l] : largest;
    w->directions = congru_arena_take(arena, w->design->d * w->design->d, sizeof(double));
    w->mean = congru_arena_take(arena, w->design->d * w->design->d, sizeof(double));
    for (int k = 0; k < 4; k++)
        w->scratch[k] = congru_arena_take(arena, largest * largest + largest, sizeof(double));
}

/* The sum over classes of n_k (mean of class k - mean)^2 in `sum`. */
static void between_classes(const congru_trials *trials, double *mean, double *own, double *sum)
{
    const size_t d = trials->d, size = d * d;
    memset(mean, 0, size * sizeof(double));
    memset(sum, 0, size * sizeof(double));
    for (size_t i = 0; i < trials->count; i++) {
        congru_mapped_pass(size * sizeof(double));
        for (size_t e = 0; e < size; e++)
            mean[e] += trials->covariance[i * size + e] / (double)trials->count;
    }
    for (size_t k = 0; k < trials->classes; k++) {
        double count = 0.0;
        memset(own, 0, size * sizeof(double));
        for (size_t i = 0; i < trials->count; i++) {
            if (trials->label[i] != (int32_t)k)
                continue;
            count += 1.0;
            congru_mapped_pass(size * sizeof(double));
            for (size_t e = 0; e < size; e++)
                own[e] += trials->covariance[i * size + e];
        }
        for (size_t e = 0; e < size; e++)
            own[e] = count > 0.0 ? own[e] / count - mean[e] : 0.0;
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++) {
                for (size_t m = 0; m < d; m++)
                    sum[i * d + j] += count * own[i * d + m] * own[j * d + m];
            }
        }
    }
}

/* The network by itself, with the weights of `parameters`, which are those of the model before any others. */
static congru_status apply_network(congru_context *context, const congru_network *network,
                                   const congru_parameters *parameters, congru_watch *w)
{
    congru_design alone = *w->design;
    alone.trained = true;
    alone.classes = 0;
    CONGRU_TRY(congru_application_begin(context, &w->applied));
    congru_network_build(network, &alone, &w->applied->graph);
    for (size_t s = 0; s < w->applied->parameters.segments; s++)
        w->applied->parameters.segment[s].value = parameters->segment[s].value;
    w->applied->graph.output[CONGRU_OUTPUT_LOGARITHM] = -1;
    return congru_application_lay_out(w->applied);
}

congru_status congru_watch_start(congru_context *context, const congru_trials *trials, size_t present,
                                 const congru_network *network, const congru_parameters *parameters,
                                 congru_watch *w)
{
    const size_t d = trials->d;
    w->rank = present - 1 < d ? present - 1 : d;
    between_classes(trials, w->mean, w->scratch[1], w->scratch[2]);
    CONGRU_TRY(congru_spd_eigen(context, 1, d, w->scratch[2], w->scratch[0], w->scratch[1]));
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < w->rank; k++)
            w->directions[i * w->rank + k] = w->scratch[1][i * d + d - 1 - k];
    }
    return network->model->widths != NULL ? apply_network(context, network, parameters, w) : CONGRU_OK;
}

void congru_watch_end(congru_watch *w)
{
    congru_application_end(w->applied);
    w->applied = NULL;
}

/* The eigenvalues of m m^T, m being (rows, cols): (rows), rising. */
static congru_status squares(const congru_graph *graph, size_t rows, size_t cols, const double *m,
                             double *product, double *values)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < rows; j++) {
            product[i * rows + j] = 0.0;
            for (size_t k = 0; k < cols; k++)
                product[i * rows + j] += m[i * cols + k] * m[j * cols + k];
        }
    }
    return congru_spd_eigen(graph->context, 1, rows, product, values, NULL);
}

/* W^T by layers, then (W^T V)^T; a singular value counts where it is beside the largest of W. A rotation keeps all. */
static congru_status rank_of(const congru_watch *w, const congru_graph *graph, size_t *rank)
{
    const congru_kernel *kernel = graph->context->kernel;
    const size_t r = w->rank, d = w->design->d, depth = judged(w->design), out = w->design->width[depth];
    double *m = w->scratch[0], *next = w->scratch[1], *product = w->scratch[2], *values = w->scratch[3];
    *rank = r;
    if (graph->rotation >= 0)
        return CONGRU_OK;
    for (size_t i = 0; i < d * d; i++)
        m[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    for (size_t l = 0; l < depth; l++) {
        const size_t in = w->design->width[l], width = w->design->width[l + 1];
        kernel->dense(width, d, in, congru_shared_transposed(graph->parameters->segment[l].value, width), m,
                      false, next);
        double *swap = m;
        m = next;
        next = swap;
    }
    CONGRU_TRY(squares(graph, out, d, m, product, values));
    const double largest = values[out - 1];
    for (size_t k = 0; k < r; k++) {
        for (size_t i = 0; i < out; i++) {
            next[k * out + i] = 0.0;
            for (size_t j = 0; j < d; j++)
                next[k * out + i] += m[i * d + j] * w->directions[j * r + k];
        }
    }
    CONGRU_TRY(squares(graph, r, out, next, product, values));
    *rank = 0;
    for (size_t k = 0; k < r; k++)
        *rank += values[k] > rank_least * rank_least * largest;
    return CONGRU_OK;
}

/* Eigenvalues of what the network makes of the mean trial that are no more than the jitter of its layers. */
static congru_status look_at_jitter(congru_watch *w, congru_graph *graph)
{
    const size_t out = w->design->width[w->design->layers];
    const double jitter = w->design->layer_jitter * (double)w->design->layers;
    double *const output[CONGRU_OUTPUT_COUNT] = {w->scratch[0], NULL, NULL}, *values = w->scratch[1];
    size_t count = 0;
    if (w->applied == NULL || w->told_jitter)
        return CONGRU_OK;
    CONGRU_TRY(congru_graph_apply(&w->applied->graph, 1, w->mean, output));
    CONGRU_TRY(congru_spd_eigen(graph->context, 1, out, output[0], values, NULL));
    for (size_t i = 0; i < out; i++)
        count += values[i] <= jitter_most * jitter || values[i] <= values[out - 1] * 1e-12;
    if (count == 0)
        return CONGRU_OK;
    w->told_jitter = true;
    congru_note(graph->context,
                "step %zu: %zu of the %zu eigenvalues of the output are the layers' jitter of %g and nothing "
                "else (layers as wide as the output, or merges, keep them from it)",
                graph->step, count, out, w->design->layer_jitter);
    return CONGRU_OK;
}

static void look_at_eigenvalues(congru_watch *w, congru_graph *graph)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t chunk = 0; chunk < congru_graph_chunks(graph); chunk++) {
        low = graph->marks[chunk].low < low ? graph->marks[chunk].low : low;
        high = graph->marks[chunk].high > high ? graph->marks[chunk].high : high;
    }
    graph->series[CONGRU_SERIES_EIGEN_LEAST] = low;
    graph->series[CONGRU_SERIES_EIGEN_LARGEST] = high;
    if (w->told_eigenvalues || (low > graph->options->floor && high < condition_most * low))
        return;
    w->told_eigenvalues = true;
    congru_note(
        graph->context,
        "step %zu: eigenvalues of the layers' outputs have come to span %.3g to %.3g (fewer or wider layers, "
        "or more weight on reconstruction, hold them together)",
        graph->step, low, high);
}

congru_status congru_watch_step(congru_watch *w, congru_graph *graph)
{
    const double norm = graph->series[CONGRU_SERIES_GRADIENT_NORM], clip = graph->options->clip;
    if (graph->watched)
        look_at_eigenvalues(w, graph);
    if (!w->told_gradient && clip > 0.0 && norm > gradient_most * clip) {
        w->told_gradient = true;
        congru_note(
            graph->context,
            "step %zu: the gradient's norm is %.3g, far beyond the clip of %g (a smaller rate or fewer layers "
            "keep it in range)",
            graph->step, norm, clip);
    }
    if (graph->step % CONGRU_WATCH_EVERY != 0)
        return CONGRU_OK;
    size_t rank;
    CONGRU_TRY(rank_of(w, graph, &rank));
    CONGRU_TRY(look_at_jitter(w, graph));
    graph->series[CONGRU_SERIES_RANK] = (double)rank;
    if (rank < w->rank && !w->told_rank) {
        w->told_rank = true;
        congru_note(graph->context,
                    "step %zu: the layers keep %zu of the %zu directions that tell the classes apart (a wider "
                    "bottleneck, or more weight on reconstruction, keeps them)",
                    graph->step, rank, w->rank);
    }
    return CONGRU_OK;
}
