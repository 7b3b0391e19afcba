/* Rank of what tells classes apart, eigenvalues, gradients. SPDX-License-Identifier: Apache-2.0 */
#include "network/watch.h"

#include <math.h>
#include <string.h>

#include "base/mapped_memory.h"

static const double rank_least = 1e-3;      /* of the largest singular value */
static const double condition_most = 1e8;   /* of a layer's outputs */
static const double gradient_most = 1000.0; /* times the clip */

static size_t narrowest(const congru_design *design)
{
    size_t layer = 0;
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
    for (int k = 0; k < 3; k++)
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

congru_status congru_watch_start(congru_context *context, const congru_trials *trials, size_t present,
                                 congru_watch *w)
{
    const size_t d = trials->d, least = w->design->width[narrowest(w->design)];
    w->rank = present - 1 < least ? present - 1 : least;
    between_classes(trials, w->scratch[0], w->scratch[1], w->scratch[2]);
    congru_status status = congru_spd_eigen(context, 1, d, w->scratch[2], w->scratch[0], w->scratch[1]);
    for (size_t i = 0; status == CONGRU_OK && i < d; i++) {
        for (size_t k = 0; k < w->rank; k++)
            w->directions[i * w->rank + k] = w->scratch[1][i * d + d - 1 - k];
    }
    return status;
}

/* M = W^T V, by layers; the rank by the eigenvalues of M^T M. A rotation keeps it. */
static congru_status rank_of(const congru_watch *w, const congru_graph *graph, size_t *rank)
{
    const congru_kernel *kernel = graph->context->kernel;
    const size_t r = w->rank, depth = narrowest(w->design);
    double *m = w->scratch[0], *next = w->scratch[1], *values = w->scratch[2];
    *rank = r;
    if (graph->rotation >= 0)
        return CONGRU_OK;
    memcpy(m, w->directions, w->design->d * r * sizeof(double));
    for (size_t l = 0; l < depth; l++) {
        const size_t in = w->design->width[l], out = w->design->width[l + 1];
        kernel->dense(out, r, in, congru_shared_transposed(graph->parameters->segment[l].value, out), m, false,
                      next);
        double *swap = m;
        m = next;
        next = swap;
    }
    kernel->dense(r, r, w->design->width[depth], congru_shared_transposed(m, r), m, false, next);
    congru_status status = congru_spd_eigen(graph->context, 1, r, next, values, NULL);
    *rank = 0;
    for (size_t k = 0; status == CONGRU_OK && k < r; k++)
        *rank += values[k] > rank_least * rank_least * values[r - 1];
    return status;
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
    congru_status status = rank_of(w, graph, &rank);
    if (status != CONGRU_OK)
        return status;
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
