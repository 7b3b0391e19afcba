/* Chunks over the thread pool, checks of matrices, and their error texts. SPDX-License-Identifier: Apache-2.0 */
#include "spd/batch.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/mapped_memory.h"
#include "base/workspace.h"

static const double asymmetry_allowed = 1e-6;

size_t congru_chunk_size(size_t d)
{
    return d <= 32 ? 32 : d <= 64 ? 16 : 8;
}

size_t congru_chunk_count(size_t n, size_t d)
{
    return (n + congru_chunk_size(d) - 1) / congru_chunk_size(d);
}

size_t congru_chunk_vectors(const congru_context *context, size_t d)
{
    return congru_kernel_vectors(context->kernel, congru_chunk_size(d));
}

typedef struct batch {
    congru_context *context;
    size_t n, chunk, blocks;
    size_t start; /* of the window at hand, in chunks */
    size_t bytes; /* what a chunk may read and write */
    congru_chunk_task task;
    void *user;
    congru_failure failure[CONGRU_THREADS_MAX]; /* the first by index that each worker met */
    atomic_size_t done;
    atomic_bool cancelled;
} batch;

static void run_block(void *user, size_t block, int worker)
{
    batch *b = user;
    if (atomic_load_explicit(&b->cancelled, memory_order_relaxed))
        return;
    block += b->start;
    size_t first = block * b->chunk, left = b->n - first;
    congru_chunk chunk = {.kernel = b->context->kernel, .block = block, .first = first};
    chunk.count = left < b->chunk ? left : b->chunk;
    chunk.vectors = congru_kernel_vectors(chunk.kernel, chunk.count);
    chunk.arena = &b->context->scratch[worker];
    congru_arena_reset(chunk.arena);
    congru_failure failure = b->task(b->user, &chunk);
    congru_failure *mine = &b->failure[worker];
    if (failure.status != CONGRU_OK && (mine->status == CONGRU_OK || failure.index < mine->index))
        *mine = failure;
    congru_mapped_pass(b->bytes);
    size_t done = atomic_fetch_add(&b->done, 1) + 1;
    if (worker == 0 && b->context->progress != NULL &&
        !b->context->progress(b->context->progress_user, done, b->blocks))
        atomic_store(&b->cancelled, true);
}

static congru_status report(congru_context *context, size_t n, const congru_failure *f)
{
    switch (f->status) {
    case CONGRU_ERROR_NOT_FINITE:
        return congru_fail(context, f->status, "matrix %zu of %zu holds or gives a number that is not finite",
                           f->index + 1, n);
    case CONGRU_ERROR_NOT_SYMMETRIC:
        return congru_fail(
            context, f->status,
            "matrix %zu of %zu is not symmetric: it differs from its transpose by %.3g where its "
            "largest entry is %.3g",
            f->index + 1, n, f->low, f->high);
    case CONGRU_ERROR_NOT_POSITIVE:
        return congru_fail(context, f->status,
                           "matrix %zu of %zu is not positive definite: its eigenvalues go from %.3g to %.3g",
                           f->index + 1, n, f->low, f->high);
    case CONGRU_ERROR_NOT_CONVERGED:
        return congru_fail(context, f->status, "matrix %zu of %zu: the eigenvalue iteration did not converge",
                           f->index + 1, n);
    default:
        return congru_fail(context, f->status, "matrix %zu of %zu: %s", f->index + 1, n,
                           congru_status_text(f->status));
    }
}

/* Of the failures that workers met, the first by index. */
static const congru_failure *find_worst(const batch *b)
{
    const congru_failure *worst = NULL;
    for (int worker = 0; worker < congru_thread_pool_threads(b->context->pool); worker++) {
        const congru_failure *f = &b->failure[worker];
        if (f->status != CONGRU_OK && (worst == NULL || f->index < worst->index))
            worst = f;
    }
    return worst;
}

congru_status congru_batch_run_windows(congru_context *context, size_t n, size_t d, size_t scratch,
                                       congru_chunk_task task, size_t window, congru_window_end after,
                                       void *user)
{
    congru_status status = congru_scratch_reserve(context, scratch);
    if (status != CONGRU_OK)
        return status;
    batch b = {.context = context, .n = n, .chunk = congru_chunk_size(d), .task = task, .user = user};
    b.blocks = congru_chunk_count(n, d);
    b.bytes = 2 * b.chunk * d * d * sizeof(double);
    for (; b.start < b.blocks; b.start += window) {
        size_t chunks = b.blocks - b.start < window ? b.blocks - b.start : window;
        congru_thread_pool_run(context->pool, chunks, run_block, &b);
        status = congru_scratch_check(context);
        if (status != CONGRU_OK)
            return status;
        const congru_failure *worst = find_worst(&b);
        if (worst != NULL)
            return report(context, n, worst);
        if (atomic_load(&b.cancelled))
            return congru_fail(context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
        if (after != NULL)
            after(user, b.start, chunks);
    }
    return CONGRU_OK;
}

congru_status congru_batch_run(congru_context *context, size_t n, size_t d, size_t scratch,
                               congru_chunk_task task, void *user)
{
    return congru_batch_run_windows(context, n, d, scratch, task, congru_chunk_count(n, d), NULL, user);
}

congru_status congru_check_shape(congru_context *context, size_t n, size_t d)
{
    CONGRU_TRY(congru_check_argument(context, n > 0, "the set has no matrices"));
    if (d == 0 || d > CONGRU_DIMENSION_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "matrices of %zu x %zu: the dimension must be 1 to %d", d, d, CONGRU_DIMENSION_MAX);
    return congru_check_count(context, n, d * d);
}

congru_failure congru_load_symmetric(const congru_chunk *chunk, size_t d, const double *plain, bool one,
                                     double *lanes, double *check)
{
    const congru_kernel *kernel = chunk->kernel;
    const size_t width = kernel->width, size = d * d;
    if (one) {
        for (size_t v = 0; v < chunk->vectors; v++) {
            for (size_t e = 0; e < size; e++) {
                for (size_t lane = 0; lane < width; lane++)
                    lanes[(v * size + e) * width + lane] = plain[e];
            }
        }
    } else {
        kernel->pack(chunk->vectors, chunk->count, d, d, plain + chunk->first * size, lanes);
    }
    double *largest = check, *asymmetry = check + chunk->vectors * width;
    kernel->symmetrise(chunk->vectors, d, lanes, largest, asymmetry);
    for (size_t m = 0; m < chunk->count; m++) {
        size_t index = one ? 0 : chunk->first + m;
        if (isnan(largest[m]))
            return (congru_failure){CONGRU_ERROR_NOT_FINITE, index, 0, 0};
        if (!(asymmetry[m] <= asymmetry_allowed * largest[m]))
            return (congru_failure){CONGRU_ERROR_NOT_SYMMETRIC, index, asymmetry[m], largest[m]};
    }
    return congru_no_failure;
}

static congru_failure check_above(const congru_chunk *chunk, size_t d, const double *values, double fraction)
{
    const size_t width = chunk->kernel->width;
    for (size_t m = 0; m < chunk->count; m++) {
        const double *own = values + (m / width) * d * width + m % width;
        double low = own[0], high = own[0];
        for (size_t i = 1; i < d; i++) {
            double x = own[i * width];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (!(low > 0.0 && low > fraction * high))
            return (congru_failure){CONGRU_ERROR_NOT_POSITIVE, chunk->first + m, low, high};
    }
    return congru_no_failure;
}

congru_failure congru_check_positive(const congru_chunk *chunk, size_t d, const double *values)
{
    return check_above(chunk, d, values, DBL_EPSILON);
}

congru_failure congru_check_relative(const congru_chunk *chunk, size_t d, const double *values)
{
    return check_above(chunk, d, values, 0.0);
}

congru_failure congru_check_finite(const congru_chunk *chunk, size_t size, const double *lanes)
{
    const size_t width = chunk->kernel->width;
    for (size_t m = 0; m < chunk->count; m++) {
        const double *own = lanes + (m / width) * size * width + m % width;
        for (size_t i = 0; i < size; i++) {
            if (!isfinite(own[i * width]))
                return (congru_failure){CONGRU_ERROR_NOT_FINITE, chunk->first + m, 0, 0};
        }
    }
    return congru_no_failure;
}
