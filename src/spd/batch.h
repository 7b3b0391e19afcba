/* A batch of matrices, taken in chunks by the thread pool of a context. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SPD_BATCH_H
#define CONGRU_SPD_BATCH_H

#include "base/error.h"
#include "congru/spd.h"
#include "kernel/kernel.h"

/* What went wrong with which matrix; status CONGRU_OK when nothing did. */
typedef struct congru_failure {
    congru_status status;
    size_t index;     /* within the batch */
    double low, high; /* what the message shows: eigenvalues, or sizes */
} congru_failure;

/* Some consecutive matrices of the batch. */
typedef struct congru_chunk {
    const congru_kernel *kernel;
    size_t block;        /* number of the chunk */
    size_t first, count; /* its matrices; first is a multiple of CONGRU_GROUP */
    size_t vectors;      /* how many vectors hold them */
    congru_arena *arena; /* scratch, at least what was asked for */
} congru_chunk;

typedef congru_failure (*congru_chunk_task)(void *user, const congru_chunk *chunk);

/* How many matrices of dimension d a chunk holds: few enough to stay in the cache, enough for the kernels to
 * hide their latencies; a function of d alone, so that sums by chunk are the same everywhere. */
size_t congru_chunk_size(size_t d);
size_t congru_chunk_count(size_t n, size_t d);

/* Vectors of a full chunk: what scratch is measured with. */
size_t congru_chunk_vectors(const congru_context *context, size_t d);

/* Runs the task over all chunks with `scratch` bytes each. Of several failures the one with the lowest index is
 * reported, with its error text. */
congru_status congru_batch_run(congru_context *context, size_t n, size_t d, size_t scratch,
                               congru_chunk_task task, void *user);

/* The same in windows of `window` chunks, one after the other: after each, `after` is called with its first chunk and how
 * many it had. For tasks that leave something behind for every chunk. */
typedef void (*congru_window_end)(void *user, size_t first, size_t chunks);
congru_status congru_batch_run_windows(congru_context *context, size_t n, size_t d, size_t scratch,
                                       congru_chunk_task task, size_t window, congru_window_end after,
                                       void *user);

/* CONGRU_ERROR_ARGUMENT unless n and d are in range. */
congru_status congru_check_shape(congru_context *context, size_t n, size_t d);

/* Packs `count` plain symmetric matrices of the chunk, or one for all when `one`, and symmetrises them. `check`
 * (2 * vectors * width doubles) is scratch. Not finite or not symmetric: a failure. */
congru_failure congru_load_symmetric(const congru_chunk *chunk, size_t d, const double *plain, bool one,
                                     double *lanes, double *check);

/* The eigenvalues of matrices given by the caller: positive beyond the rounding of the largest. */
congru_failure congru_check_positive(const congru_chunk *chunk, size_t d, const double *values);

/* The eigenvalues of one matrix relative to another, each positive by itself: positive. Their ratio may go up to
 * the product of two condition numbers, so rounding of the largest is not held against the smallest. */
congru_failure congru_check_relative(const congru_chunk *chunk, size_t d, const double *values);

/* Every one of `size` numbers per matrix finite. */
congru_failure congru_check_finite(const congru_chunk *chunk, size_t size, const double *lanes);

/* Doubles in `vectors` vectors of `size` elements. */
static inline size_t congru_lane_doubles(const congru_kernel *kernel, size_t vectors, size_t size)
{
    return vectors * size * kernel->width;
}

/* Where the matrix `first` of a lane array begins, `size` elements each. */
static inline size_t congru_lane_offset(const congru_chunk *chunk, size_t size)
{
    return chunk->first * size;
}

static const congru_failure congru_no_failure = {CONGRU_OK, 0, 0.0, 0.0};

#endif
