/* Reads matrices where they are, whitened on the way where that is wanted. SPDX-License-Identifier: Apache-2.0 */
#include "spd/view_load.h"

#include <string.h>

#include "base/mapped_memory.h"

static size_t place_of(const congru_view *view, size_t m)
{
    return view->place != NULL ? view->place[m] : m;
}

static bool one_owner(const congru_chunk *chunk, const congru_view *view)
{
    const int32_t owner = view->owner[place_of(view, chunk->first)];
    for (size_t m = 1; m < chunk->count; m++)
        if (view->owner[place_of(view, chunk->first + m)] != owner)
            return false;
    return true;
}

/* work->made = W C W, by one W where all are of one owner. A product is the same bits either way. */
static congru_failure whiten(const congru_chunk *chunk, size_t d, const congru_view *view, const double *lanes,
                             const congru_view_work *work)
{
    const congru_kernel *kernel = chunk->kernel;
    const size_t size = d * d;
    congru_operand root =
        congru_shared(view->root + (size_t)view->owner[place_of(view, chunk->first)] * size, d);
    if (!one_owner(chunk, view)) {
        for (size_t m = 0; m < chunk->count; m++)
            memcpy(work->plain + m * size,
                   view->root + (size_t)view->owner[place_of(view, chunk->first + m)] * size,
                   size * sizeof(double));
        kernel->pack(chunk->vectors, chunk->count, d, d, work->plain, work->root);
        root = congru_per_lane(work->root, d);
    }
    congru_spectral_congruence(kernel, chunk->vectors, d, d, lanes, root, work->made, work->first);
    return congru_check_finite(chunk, size, work->made);
}

congru_failure congru_view_load(const congru_chunk *chunk, size_t d, const congru_view *view, double *lanes,
                                const congru_view_work *work)
{
    const size_t size = d * d;
    congru_chunk local = *chunk;
    const double *from = view->plain;
    if (view->place != NULL) {
        for (size_t m = 0; m < chunk->count; m++)
            memcpy(work->plain + m * size, view->plain + view->place[chunk->first + m] * size,
                   size * sizeof(double));
        local.first = 0;
        from = work->plain;
    }
    congru_failure failure = congru_load_symmetric(&local, d, from, false, lanes, work->check);
    failure.index += chunk->first - local.first;
    if (failure.status != CONGRU_OK || view->root == NULL)
        return failure;
    failure = whiten(chunk, d, view, lanes, work);
    memcpy(lanes, work->made, congru_lane_doubles(chunk->kernel, chunk->vectors, size) * sizeof(double));
    return failure;
}

/* ---- Copies ---------------------------------------------------------------------------------------- */

typedef struct copy_job {
    size_t d;
    const congru_view *view;
    double *out;
} copy_job;

static double *copy_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                           congru_view_work *work)
{
    work->plain = congru_take_lanes(arena, kernel, vectors, d * d);
    work->root = congru_take_lanes(arena, kernel, vectors, d * d);
    work->made = congru_take_lanes(arena, kernel, vectors, d * d);
    work->first = congru_take_lanes(arena, kernel, vectors, d * d);
    work->check = congru_take_lanes(arena, kernel, vectors, 2);
    return congru_take_lanes(arena, kernel, vectors, d * d);
}

static congru_failure copy_task(void *user, const congru_chunk *chunk)
{
    const copy_job *job = user;
    const size_t d = job->d;
    congru_view_work work;
    double *lanes = copy_layout(chunk->arena, chunk->kernel, chunk->vectors, d, &work);
    congru_failure failure = congru_view_load(chunk, d, job->view, lanes, &work);
    if (failure.status == CONGRU_OK)
        chunk->kernel->unpack(chunk->vectors, chunk->count, d, d, lanes, job->out + chunk->first * d * d);
    return failure;
}

congru_status congru_view_copy(congru_context *context, size_t n, size_t d, const congru_view *view,
                               double *out)
{
    const size_t size = d * d;
    CONGRU_TRY(congru_check_shape(context, n, d));
    if (view->root == NULL) {
        for (size_t m = 0; m < n; m++) {
            memcpy(out + m * size, view->plain + place_of(view, m) * size, size * sizeof(double));
            congru_mapped_pass(2 * size * sizeof(double));
        }
        return CONGRU_OK;
    }
    copy_job job = {d, view, out};
    congru_arena measure = {0};
    copy_layout(&measure, context->kernel, congru_chunk_vectors(context, d), d, &(congru_view_work){0});
    return congru_batch_run(context, n, d, measure.used, copy_task, &job);
}

congru_status congru_view_block(congru_context *context, size_t first, size_t count, size_t d,
                                const congru_view *view, double *room, const double **block)
{
    *block = view->plain + first * d * d;
    if (view->place == NULL && view->root == NULL) {
        congru_mapped_pass(count * d * d * sizeof(double));
        return CONGRU_OK;
    }
    congru_view part = *view;
    if (view->place != NULL) {
        part.place += first;
    } else {
        part.plain += first * d * d;
        part.owner += first;
    }
    *block = room;
    return congru_view_copy(context, count, d, &part, room);
}
