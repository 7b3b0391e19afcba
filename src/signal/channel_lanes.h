/* Channels shared out to threads in sets that fill a vector's lanes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SIGNAL_CHANNEL_LANES_H
#define CONGRU_SIGNAL_CHANNEL_LANES_H

#include "base/error.h"
#include "congru/signal.h"
#include "kernel/kernel.h"
#include "signal/stretches.h"

/* Clears the error text and checks the shape of a signal: CONGRU_ERROR_ARGUMENT with a text where it is NULL,
 * empty or larger than memory. */
congru_status congru_signal_check(congru_context *context, size_t channels, size_t samples,
                                  const double *signal);

/* Works on part `part` of the whole; `arena` is empty and holds the scratch memory asked for. */
typedef void (*congru_part_task)(void *user, size_t part, congru_arena *arena);

/* Calls the task for each of the parts, which threads share, with `scratch` bytes for each thread. Fails with
 * CONGRU_ERROR_MEMORY before the first call, or CONGRU_ERROR_CANCELLED with some of the parts done. */
congru_status congru_parts_run(congru_context *context, size_t parts, size_t scratch, congru_part_task task,
                               void *user);

/* The channels that are one part: as many as the kernel has lanes, or what is left of them. */
typedef struct congru_channel_set {
    size_t first, count;
    double *row[CONGRU_GROUP]; /* each at its first sample */
} congru_channel_set;

size_t congru_channel_sets(const congru_context *context, size_t channels);
congru_channel_set congru_channel_set_at(const congru_context *context, size_t part, size_t channels,
                                         size_t samples, double *signal);

/* Filters every stretch of every channel of the set by the task (congru_stretches_visit), and leaves NaN where samples were
 * missing. */
void congru_channel_set_filter(const congru_channel_set *set, size_t samples, congru_stretch_task task,
                               void *user);

#endif
