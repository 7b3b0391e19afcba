/* Processes that share the work of one run. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PROCESS_GROUP_H
#define CONGRU_PROCESS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What processes that share a run count together: jobs that were taken, jobs that are done, and how much of the work that is. */
enum { CONGRU_COUNTERS = 3 };

/* A process group is `size` processes, on one machine or many, that make the same calls of the library in the same order and
 * see the same files. The jobs of a call have numbers, of which each process takes the next for each of its threads; what is
 * done is in the results folder, and all get the same result. The library knows of the others only what these functions tell
 * it: the command has them from MPI. */
typedef struct congru_transport {
    void *user;
    int rank, size;

    /* Adds to a counter, 0 to CONGRU_COUNTERS - 1, all of which are 0 at first, and answers what it was before; UINT64_MAX when
     * the counters are no more, with rank 0. From any thread, but no two calls of the group at a time. */
    uint64_t (*count)(void *user, int counter, uint64_t add);

    /* Every process gives `size` bytes and gets what all give: sizes[r] bytes of rank r at data[r], good until it gives the
     * next; NULL of a process that is no more. All call it equally often. It does not wait: false when others have still to
     * come, and it is to be called again with the same bytes. From the thread that calls the library. */
    bool (*gather)(void *user, const void *own, size_t size, const void **data, size_t *sizes);
} congru_transport;

typedef struct congru_process_group congru_process_group;

/* CONGRU_ERROR_ARGUMENT for a rank out of range or a missing function, CONGRU_ERROR_MEMORY; *processes is then NULL. */
CONGRU_API congru_status congru_process_group_create(congru_process_group **processes,
                                                     const congru_transport *transport);

/* Frees the process group and sets *processes to NULL; NULL is allowed. */
CONGRU_API void congru_process_group_destroy(congru_process_group **processes);

/* Each process calls this last, with what it failed of or NULL, and it returns when all have, or are no more. A process
 * that waits for the others in another call is told that this one has failed, so that none waits for ever. Answers, on rank 0,
 * what the first other process that failed by itself said ("process 2 of 4: ..."), or NULL; valid as long as the process group. */
CONGRU_API const char *congru_process_group_leave(congru_process_group *processes, const char *error);

#ifdef __cplusplus
}
#endif
#endif
