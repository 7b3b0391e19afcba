/* What flows through a network: a batch of trials in lanes, each with the same shape. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_ACTIVATION_H
#define CONGRU_NETWORK_ACTIVATION_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/kernel.h"

typedef enum congru_extent_kind {
    CONGRU_NOTHING, /* a loss gives nothing on */
    CONGRU_MATRIX,  /* symmetric (rows, rows) */
    CONGRU_VECTOR,  /* (rows), and zeros up to a multiple of CONGRU_GROUP */
    CONGRU_SIGNAL,  /* `rows` samples of `cols` channels */
    CONGRU_IMAGE    /* (rows, rows) pixels of `cols` channels, with a border of zeros, one pixel wide */
} congru_extent_kind;

/* The shape of one trial. Matrices and vectors are in lanes, in double precision. Signals and images are plain, trial by
 * trial, of congru_real: channels last, padded with zeros to `step`. */
typedef struct congru_extent {
    congru_extent_kind kind;
    size_t rows, cols;
    size_t size; /* doubles that a trial takes */
    size_t step; /* of plain ones: reals from one sample or pixel to the next */
} congru_extent;

static inline congru_extent congru_nothing(void)
{
    return (congru_extent){CONGRU_NOTHING, 0, 0, 0, 0};
}

static inline congru_extent congru_matrix(size_t d)
{
    return (congru_extent){CONGRU_MATRIX, d, d, d * d, 0};
}

/* Whether it is plain, of reals. */
static inline bool congru_extent_plain(const congru_extent *e)
{
    return e->kind == CONGRU_SIGNAL || e->kind == CONGRU_IMAGE;
}

/* Reals from one row of an image to the next, border included. */
static inline size_t congru_image_line(const congru_extent *e)
{
    return (e->rows + 2) * e->step;
}

/* How many samples or pixels there are, and where each begins. */
static inline size_t congru_extent_places(const congru_extent *e)
{
    return e->kind == CONGRU_IMAGE ? e->rows * e->rows : e->rows;
}
static inline size_t congru_extent_place(const congru_extent *e, size_t place)
{
    const size_t step = e->step;
    if (e->kind == CONGRU_SIGNAL)
        return place * step;
    return (place / e->rows + 1) * congru_image_line(e) + (place % e->rows + 1) * step;
}

/* Reals that a trial takes, a multiple of CONGRU_REAL_STEP; the trial `m` of an array. */
static inline size_t congru_extent_reals(const congru_extent *e)
{
    return e->size * sizeof(double) / sizeof(congru_real);
}
static inline congru_real *congru_trial_reals(const double *array, const congru_extent *e, size_t m)
{
    /* cppcheck-suppress invalidPointerCast ; the array is storage, which holds either */
    return (congru_real *)(array + m * e->size);
}

/* Doubles that hold so many reals, whole steps of them. */
static inline size_t congru_real_doubles(size_t reals)
{
    return congru_real_step(reals) * sizeof(congru_real) / sizeof(double);
}

static inline congru_extent congru_signal(size_t samples, size_t channels)
{
    congru_extent e = {CONGRU_SIGNAL, samples, channels, 0, congru_real_step(channels)};
    e.size = congru_real_doubles(samples * e.step);
    return e;
}

/* An image of one channel is not padded. */
static inline congru_extent congru_image(size_t d, size_t channels)
{
    congru_extent e = {CONGRU_IMAGE, d, channels, 0, channels == 1 ? 1 : congru_real_step(channels)};
    e.size = congru_real_doubles((d + 2) * congru_image_line(&e));
    return e;
}

/* Zeros around an image. */
static inline void congru_image_frame(const congru_extent *e, congru_real *image)
{
    const size_t step = e->step, line = congru_image_line(e);
    memset(image, 0, line * sizeof(congru_real));
    for (size_t i = 1; i <= e->rows; i++) {
        memset(image + i * line, 0, step * sizeof(congru_real));
        memset(image + (i + 1) * line - step, 0, step * sizeof(congru_real));
    }
    memset(image + (e->rows + 1) * line, 0,
           (congru_extent_reals(e) - (e->rows + 1) * line) * sizeof(congru_real));
}

static inline congru_extent congru_vector(size_t n)
{
    return (congru_extent){CONGRU_VECTOR, n, 1, (n + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP, 0};
}

/* One number for each class; no zeros behind them. */
static inline congru_extent congru_class_extent(size_t classes)
{
    return (congru_extent){CONGRU_VECTOR, classes, 1, classes, 0};
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
