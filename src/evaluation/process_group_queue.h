/* One queue of jobs for the threads of one process or many. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PROCESS_GROUP_QUEUE_H
#define CONGRU_EVALUATION_PROCESS_GROUP_QUEUE_H

#include "base/process_group.h"
#include "evaluation/workers.h"

/* Jobs have the same numbers in every process; those of a lower number begin first. */
typedef struct congru_queue_work {
    size_t jobs;
    void *user;

    /* Runs a job in a thread of any process and keeps what came of it, on rank 0 for good. */
    congru_status (*run)(void *user, size_t job, congru_context *context);

    /* On other ranks: moves what came of a job into a message. On rank 0: takes it from there and keeps it. Both from the
     * calling thread. */
    void (*pack)(void *user, size_t job, congru_bytes *bytes);
    congru_status (*take)(void *user, size_t job, congru_parcel *parcel, congru_context *context);

    /* What a job is expected to cost, in any unit; and, before progress is called on rank 0, how much of the whole is
     * done, 0 to 1, and the running job that is furthest (or `jobs`), at a step of one of its trainings. `watch` may be NULL. */
    double (*cost)(void *user, size_t job);
    void (*watch)(void *user, double part, size_t job, size_t training, size_t step);
    /* The steps of each of a job's trainings, one after the other: 0, 1, ...; 0 after the last. Progress of another total is
     * of something smaller. NULL: there are none. */
    size_t (*steps)(void *user, size_t job, size_t training);
} congru_queue_work;

/* Runs all jobs on the workers' contexts, and on those of the other processes of the process group, which may be NULL; all
 * processes call this. `ready` is how preparing went here: with a failure no job begins. The calling thread hands out jobs
 * and calls progress. On rank 0 the status and the error are those of the lowest job that failed. After a failure no further
 * job begins; when the progress callback of any process says stop, running jobs are let go as well. A job of a process
 * that is no more is run by another. On other ranks the answer is CONGRU_OK unless rank 0 is no more. */
congru_status congru_queue_run(const congru_workers *workers, congru_process_group *processes,
                               congru_status ready, const congru_queue_work *work);

#endif
