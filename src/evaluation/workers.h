/* Contexts of one thread each, for jobs that run side by side. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_WORKERS_H
#define CONGRU_EVALUATION_WORKERS_H

#include "base/error.h"
#include "congru/evaluation.h"

/* One context per thread of `caller`, so that jobs do not nest thread pools; or one alone, with as many threads as `caller` has,
 * when there are fewer jobs than threads. */
typedef struct congru_workers {
    congru_context *caller;
    size_t count;
    congru_context **context; /* (count) */
    congru_progress
        progress; /* the caller's, kept here meanwhile: jobs are what is counted, not what they call */
} congru_workers;

congru_status congru_workers_start(congru_context *caller, size_t jobs, congru_workers *workers);

/* Passes the workers' notes on to the caller. */
void congru_workers_end(congru_workers *workers);

/* Calls job(user, index, context) for all jobs; the failure of the lowest index is the caller's. After a failure no
 * further job begins. */
typedef congru_status (*congru_job)(void *user, size_t index, congru_context *context);
congru_status congru_workers_run(const congru_workers *workers, size_t jobs, congru_job job, void *user);

/* Seconds from some point in the past, of a clock that does not jump. */
double congru_seconds(void);

#endif
