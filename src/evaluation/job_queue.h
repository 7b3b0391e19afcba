/* The jobs of a run, for the threads of one process or many. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_JOB_QUEUE_H
#define CONGRU_EVALUATION_JOB_QUEUE_H

#include "base/process_group.h"
#include "evaluation/workers.h"

/* Jobs have the same numbers in every process; those of a lower number begin first. */
typedef struct congru_queue_work {
    size_t jobs;
    void *user;

    /* Runs a job in a thread of any process and keeps what came of it: for good, where the others find it. */
    congru_status (*run)(void *user, size_t job, congru_context *context);

    /* What a job is expected to cost, in any unit; and, before progress is called on rank 0, how much of the whole is
     * done, 0 to 1, and the running job that is furthest (or `jobs`), at a step of one of its trainings. `watch` may be NULL. */
    double (*cost)(void *user, size_t job);
    void (*watch)(void *user, double part, size_t job, size_t training, size_t step);
    /* The steps of each of a job's trainings, one after the other: 0, 1, ...; 0 after the last. Progress of another total is
     * of something smaller. NULL: there are none. */
    size_t (*steps)(void *user, size_t job, size_t training);
} congru_queue_work;

/* Runs all jobs on the workers' contexts, and on those of the other processes of the process group, which may be NULL; all
 * processes call this, just after congru_process_group_tell. `ready` is how preparing went here: with a failure no further job
 * begins anywhere. The calling thread calls progress. On rank 0 the status and the error are those of the lowest job that
 * failed, on others CONGRU_OK (congru_process_group_hear). After a failure no further job begins; when the progress callback
 * of any process says stop, running jobs are let go as well. The jobs of a process that is no more are not done. */
congru_status congru_queue_run(const congru_workers *workers, congru_process_group *processes,
                               congru_status ready, const congru_queue_work *work);

/* The same, but every process runs every job, on the workers' first context, at the same time, its networks' steps being
 * shared; the answer is the same in all. A process that is lost ends the run. */
congru_status congru_queue_run_together(const congru_workers *workers, congru_process_group *processes,
                                        congru_status ready, const congru_queue_work *work);

#endif
