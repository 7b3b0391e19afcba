/* Rank of what tells classes apart, eigenvalues, gradients. SPDX-License-Identifier: Apache-2.0 */
#include "layer/watch.h"

#include <math.h>
#include <string.h>

#include "base/store.h"

static const double rank_least = 1e-3;      /* of the largest singular value */
static const double condition_most = 1e8;   /* of a layer's outputs */
static const double gradient_most = 1000.0; /* times the clip */

static size_t narrowest(const congru_training *t)
{
    size_t layer = 0;
    for (size_t l = 1; l <= t->layers; l++)
        layer = t->width[l] < t->width[layer] ? l : layer;
    return layer;
}

void congru_watch_layout(congru_arena *arena, congru_training *t)
{
    const size_t square = t->largest * t->largest;
    t->watch.directions = congru_arena_take(arena, t->d * t->d, sizeof(double));
    for (int k = 0; k < 3; k++)
        t->watch.scratch[k] = congru_arena_take(arena, square + t->largest, sizeof(double));
}

/* The sum over classes of n_k (mean of class k - mean)^2 in `sum`. */
static void between_classes(const congru_training *t, double *mean, double *own, double *sum)
{
    const size_t d = t->d, size = d * d;
    const congru_trials *trials = t->trials;
    memset(mean, 0, size * sizeof(double));
    memset(sum, 0, size * sizeof(double));
    for (size_t i = 0; i < trials->count; i++) {
        congru_store_pass(size * sizeof(double));
        for (size_t e = 0; e < size; e++)
            mean[e] += trials->covariance[i * size + e] / (double)trials->count;
    }
    for (size_t k = 0; k < t->classes; k++) {
        double count = 0.0;
        memset(own, 0, size * sizeof(double));
        for (size_t i = 0; i < trials->count; i++) {
            if (trials->label[i] != (int32_t)k)
                continue;
            count += 1.0;
            congru_store_pass(size * sizeof(double));
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

congru_status congru_watch_start(congru_training *t)
{
    const size_t d = t->d, least = t->width[narrowest(t)];
    congru_watch *w = &t->watch;
    w->rank = t->present_count - 1 < least ? t->present_count - 1 : least;
    between_classes(t, w->scratch[0], w->scratch[1], w->scratch[2]);
    congru_status status = congru_spd_eigen(t->context, 1, d, w->scratch[2], w->scratch[0], w->scratch[1]);
    for (size_t i = 0; status == CONGRU_OK && i < d; i++) {
        for (size_t k = 0; k < w->rank; k++)
            w->directions[i * w->rank + k] = w->scratch[1][i * d + d - 1 - k];
    }
    return status;
}

/* M = W^T V, by layers; the rank by the eigenvalues of M^T M. */
static congru_status rank_of(congru_training *t, size_t *rank)
{
    congru_watch *w = &t->watch;
    const size_t r = w->rank, depth = narrowest(t);
    double *m = w->scratch[0], *next = w->scratch[1], *values = w->scratch[2];
    *rank = r;
    if (t->backbone == CONGRU_BACKBONE_DCT)
        return CONGRU_OK; /* of a rotation */
    memcpy(m, w->directions, t->d * r * sizeof(double));
    for (size_t l = 0; l < depth; l++) {
        const size_t in = t->width[l], out = t->width[l + 1];
        t->kernel->dense(out, r, in, congru_shared_transposed(congru_training_parameter(t, l), out), m, false,
                         next);
        double *swap = m;
        m = next;
        next = swap;
    }
    t->kernel->dense(r, r, t->width[depth], congru_shared_transposed(m, r), m, false, next);
    congru_status status = congru_spd_eigen(t->context, 1, r, next, values, NULL);
    *rank = 0;
    for (size_t k = 0; status == CONGRU_OK && k < r; k++)
        *rank += values[k] > rank_least * rank_least * values[r - 1];
    return status;
}

static void look_at_eigenvalues(congru_training *t)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t chunk = 0; chunk < t->chunks; chunk++) {
        low = t->low[chunk] < low ? t->low[chunk] : low;
        high = t->high[chunk] > high ? t->high[chunk] : high;
    }
    t->series[CONGRU_SERIES_EIGEN_LEAST] = low;
    t->series[CONGRU_SERIES_EIGEN_LARGEST] = high;
    if (t->watch.told_eigenvalues || (low > t->options.floor && high < condition_most * low))
        return;
    t->watch.told_eigenvalues = true;
    congru_note(
        t->context,
        "step %zu: eigenvalues of the layers' outputs have come to span %.3g to %.3g (fewer or wider layers, "
        "or more weight on reconstruction, hold them together)",
        t->step, low, high);
}

congru_status congru_watch_step(congru_training *t)
{
    congru_watch *w = &t->watch;
    const double norm = t->series[CONGRU_SERIES_GRADIENT_NORM];
    if (t->watched)
        look_at_eigenvalues(t);
    if (!w->told_gradient && t->options.clip > 0.0 && norm > gradient_most * t->options.clip) {
        w->told_gradient = true;
        congru_note(
            t->context,
            "step %zu: the gradient's norm is %.3g, far beyond the clip of %g (a smaller rate or fewer layers "
            "keep it in range)",
            t->step, norm, t->options.clip);
    }
    if (t->step % CONGRU_WATCH_EVERY != 0)
        return CONGRU_OK;
    size_t rank;
    congru_status status = rank_of(t, &rank);
    if (status != CONGRU_OK)
        return status;
    t->series[CONGRU_SERIES_RANK] = (double)rank;
    if (rank < w->rank && !w->told_rank) {
        w->told_rank = true;
        congru_note(t->context,
                    "step %zu: the layers keep %zu of the %zu directions that tell the classes apart (a wider "
                    "bottleneck, or more weight on reconstruction, keeps them)",
                    t->step, rank, w->rank);
    }
    return CONGRU_OK;
}
