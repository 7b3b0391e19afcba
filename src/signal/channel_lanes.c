/* Sets of channels over the thread pool of threads. SPDX-License-Identifier: Apache-2.0 */
#include "signal/channel_lanes.h"

#include "base/workspace.h"
#include <stdatomic.h>
#include <stdint.h>

congru_status congru_signal_check(congru_context *context, size_t channels, size_t samples,
                                  const double *signal)
{
    CONGRU_TRY(congru_check_argument(context, signal != NULL, "the signal is missing"));
    if (channels == 0 || samples == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a signal of %zu channels and %zu samples is empty",
                           channels, samples);
    return congru_check_count(context, channels, samples);
}

typedef struct part_run {
    congru_context *context;
    size_t parts;
    congru_part_task task;
    void *user;
    atomic_size_t done;
    atomic_bool cancelled;
} part_run;

static void run_part(void *user, size_t part, int worker)
{
    part_run *run = user;
    congru_context *context = run->context;
    if (atomic_load_explicit(&run->cancelled, memory_order_relaxed))
        return;
    congru_arena_reset(&context->scratch[worker]);
    run->task(run->user, part, &context->scratch[worker]);
    size_t done = atomic_fetch_add(&run->done, 1) + 1;
    if (worker == 0 && context->progress != NULL &&
        !context->progress(context->progress_user, done, run->parts))
        atomic_store(&run->cancelled, true);
}

congru_status congru_parts_run(congru_context *context, size_t parts, size_t scratch, congru_part_task task,
                               void *user)
{
    CONGRU_TRY(congru_scratch_reserve(context, scratch));
    part_run run = {.context = context, .parts = parts, .task = task, .user = user};
    congru_thread_pool_run(context->pool, parts, run_part, &run);
    if (atomic_load(&run.cancelled))
        return congru_fail(context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    return congru_scratch_check(context);
}

size_t congru_channel_sets(const congru_context *context, size_t channels)
{
    return congru_kernel_vectors(context->kernel, channels);
}

congru_channel_set congru_channel_set_at(const congru_context *context, size_t part, size_t channels,
                                         size_t samples, double *signal)
{
    const size_t width = context->kernel->width;
    congru_channel_set set = {.first = part * width};
    set.count = channels - set.first < width ? channels - set.first : width;
    for (size_t r = 0; r < set.count; r++)
        set.row[r] = signal + (set.first + r) * samples;
    return set;
}

void congru_channel_set_filter(const congru_channel_set *set, size_t samples, congru_stretch_task task,
                               void *user)
{
    if (!congru_stretches_visit(set->count, (const double *const *)set->row, samples, task, user))
        return;
    for (size_t r = 0; r < set->count; r++)
        congru_stretches_mark(set->row[r], samples);
}
