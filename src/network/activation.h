/* What flows through a network: a batch of trials in lanes, each with the same shape. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_ACTIVATION_H
#define CONGRU_NETWORK_ACTIVATION_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"

typedef enum congru_extent_kind {
    CONGRU_NOTHING, /* a loss gives nothing on */
    CONGRU_MATRIX,  /* symmetric (rows, rows) */
    CONGRU_SIGNAL,  /* (channels, samples) */
    CONGRU_VECTOR   /* (rows), and zeros up to a multiple of CONGRU_GROUP */
} congru_extent_kind;

/* The shape of one trial. */
typedef struct congru_extent {
    congru_extent_kind kind;
    size_t rows, cols;
    size_t size; /* doubles that a trial takes */
} congru_extent;

static inline congru_extent congru_matrix(size_t d)
{
    return (congru_extent){CONGRU_MATRIX, d, d, d * d};
}

static inline congru_extent congru_signal(size_t channels, size_t samples)
{
    return (congru_extent){CONGRU_SIGNAL, channels, samples, channels * samples};
}

static inline congru_extent congru_vector(size_t n)
{
    return (congru_extent){CONGRU_VECTOR, n, 1, (n + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP};
}

/* One number for each class; no zeros behind them. */
static inline congru_extent congru_scores(size_t classes)
{
    return (congru_extent){CONGRU_VECTOR, classes, 1, classes};
}

/* Which trials a batch holds. Beyond `count`, up to whole chunks, the arrays repeat the first trial. */
typedef struct congru_batch {
    size_t count;
    size_t *index; /* the trial at each place; NULL: place i holds trial i */
    int32_t *label, *subject;
} congru_batch;

static inline size_t congru_batch_trial(const congru_batch *batch, size_t place)
{
    return batch->index != NULL ? batch->index[place] : place;
}

#endif
