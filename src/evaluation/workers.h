/* Contexts of one thread each, for jobs that run side by side. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_WORKERS_H
#define CONGRU_EVALUATION_WORKERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "congru/evaluation.h"

/* Whether the caller's progress has said stop. While workers are there it is asked in the caller's thread alone, from within
 * whatever that thread runs and as if no fold were done; other threads hear of it here. */
typedef struct congru_stop {
    congru_progress progress; /* the caller's, which may be NULL */
    void *progress_user;
    pthread_t thread; /* the caller's */
    size_t folds;     /* of which none is done while this is asked */
    double next;
    atomic_bool stopped;

    /* Networks that are trained before the folds: steps of all of them, and those taken; the material whose they are. `watch`,
     * which may be NULL, is called before progress. */
    size_t steps;
    atomic_size_t taken;
    size_t material;
    void (*watch)(void *user, const struct congru_stop *stop);
    void *watch_user;
} congru_stop;

/* One context per thread of `caller`, so that jobs do not nest thread pools; or one alone, with as many threads as `caller` has,
 * when there are fewer jobs than threads. */
typedef struct congru_workers {
    congru_context *caller;
    size_t count;
    congru_context **context; /* (count) */
    congru_stop *stop;        /* asked by the progress of the caller's context and of these */
    congru_progress
        progress; /* the caller's, kept here meanwhile: jobs are what is counted, not what they call */
    void *progress_user;
} congru_workers;

congru_status congru_workers_start(congru_context *caller, size_t jobs, congru_workers *workers);

/* Passes the workers' notes on to the caller. */
void congru_workers_end(congru_workers *workers);

/* Calls job(user, index, context) for all jobs; the failure of the lowest index is the caller's. After a failure, or
 * when progress says stop, no further job begins. */
typedef congru_status (*congru_job)(void *user, size_t index, congru_context *context);
congru_status congru_workers_run(const congru_workers *workers, size_t jobs, congru_job job, void *user);

/* Follows networks that are trained one after the other by what progress tells of them. `now` and `next` are the steps of the
 * one that goes on and of that after it, 0 where there is none; a training is over when the next has begun. Progress of
 * another total is of something smaller. */
void congru_training_follow(size_t now, size_t next, size_t done, size_t total, size_t *training, size_t *step);

/* Seconds from some point in the past, of a clock that does not jump. */
double congru_seconds(void);

#endif
