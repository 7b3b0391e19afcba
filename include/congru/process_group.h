/* Processes that share the work of one run. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PROCESS_GROUP_H
#define CONGRU_PROCESS_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A process group is `size` processes, on one machine or many, that make the same calls of the library in the same order. What
 * work a call has is handed out by rank 0, which works too and alone writes files; all get the same result. The library
 * knows of the others only what these functions tell it: the command has them from MPI. They are called from the thread
 * that calls the library, one at a time. */
typedef struct congru_transport {
    void *user;
    int rank, size;

    /* Sends a copy of the bytes; does not wait until they are received. Messages from one process to another arrive
     * whole and in order. What is sent to a process that is no more is lost, and no failure. */
    void (*send)(void *user, int to, const void *data, size_t size);

    /* The next message from anyone, without waiting: false when there is none. *data is good until the next call. */
    bool (*receive)(void *user, int *from, const void **data, size_t *size);

    /* Whether a process is still there, as far as is known; once false, always false. NULL: they all are. */
    bool (*alive)(void *user, int rank);
} congru_transport;

typedef struct congru_process_group congru_process_group;

/* CONGRU_ERROR_ARGUMENT for a rank out of range or a missing function, CONGRU_ERROR_MEMORY; *processes is then NULL. */
CONGRU_API congru_status congru_process_group_create(congru_process_group **processes,
                                                     const congru_transport *transport);

/* Frees the process group and sets *processes to NULL; NULL is allowed. */
CONGRU_API void congru_process_group_destroy(congru_process_group **processes);

/* Each process calls this last, with what it failed of or NULL, and it returns when all have, or are no more. A process
 * that waits for rank 0 in another call is told that rank 0 has failed, so that none waits for ever. Answers, on rank 0,
 * what the first other process that failed by itself said ("process 2 of 4: ..."), or NULL; valid as long as the process group. */
CONGRU_API const char *congru_process_group_leave(congru_process_group *processes, const char *error);

/* How many of the processes are no more. */
CONGRU_API int congru_process_group_lost(const congru_process_group *processes);

#ifdef __cplusplus
}
#endif
#endif
