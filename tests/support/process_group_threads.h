/* A process group whose processes are threads of one program. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_PROCESS_GROUP_THREADS_H
#define CONGRU_TESTS_PROCESS_GROUP_THREADS_H

#include "congru/congru.h"

enum { PROCESS_GROUP_THREADS_MAX = 8 };

/* How ranks are lost: rank `lost` is no more once it has taken so many numbers or begun so many rounds, and what it counted or
 * gave last is counted, but not known to it, and not given; 0: none is. */
typedef struct process_group_plan {
    int size, lost, numbers, rounds;
    void *user;
    bool was_lost; /* when all have returned */
} process_group_plan;

/* Calls body(user, rank, process group) in a thread for each rank, rank 0 in that of the caller, and returns when all have
 * returned. Each has a context of its own to make. */
void process_group_threads_run(process_group_plan *plan,
                               void (*body)(void *user, int rank, congru_process_group *processes));

#endif
