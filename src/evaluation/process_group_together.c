/* Runs each job in all processes at once. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/process_group_together.h"

#include <string.h>

static const double progress_seconds = 0.1;

typedef struct together {
    const congru_workers *workers;
    congru_process_group *processes;
    size_t done, jobs;
    bool stops;
    double next_progress;
} together;

/* Asked before each step of training. What it answers is heard by all in that step. */
static bool goes_on(void *user, size_t step, size_t steps)
{
    together *t = user;
    const congru_workers *workers = t->workers;
    double now = congru_seconds();
    (void)step, (void)steps;
    if (workers->progress == NULL || t->stops || now < t->next_progress)
        return !t->stops;
    t->next_progress = now + progress_seconds;
    t->stops = !workers->progress(workers->progress_user, t->done, t->jobs);
    return !t->stops;
}

/* A process that left a step because of another knows less of the cause than that other. */
static bool is_cause(congru_status known, congru_status heard)
{
    return heard != CONGRU_OK && (known == CONGRU_OK || known == CONGRU_ERROR_CANCELLED);
}

/* On rank 0: how the job went in all processes, which they are then told. */
static congru_status judge(together *t, congru_status own)
{
    congru_context *caller = t->workers->caller;
    congru_status status = own;
    char error[CONGRU_ERROR_TEXT_SIZE];
    strcpy(error, congru_context_error(caller));
    for (int rank = 1; rank < congru_process_group_size(t->processes); rank++) {
        congru_message message = CONGRU_MESSAGE_SHARE;
        congru_parcel parcel;
        congru_status heard = CONGRU_OK;
        bool present = true;
        while (present && message != CONGRU_MESSAGE_DONE)
            present = congru_process_group_take(t->processes, rank, &message, &parcel);
        heard = present ? congru_parcel_status(&parcel, caller)
                        : congru_fail(caller, CONGRU_ERROR_IO, "process %d of %d is gone", rank + 1,
                                      congru_process_group_size(t->processes));
        if (is_cause(status, heard)) {
            status = heard;
            strcpy(error, congru_context_error(caller));
        }
    }
    if (status != CONGRU_OK)
        congru_fail(caller, status, "%s", error);
    else if (!goes_on(t, 0, 0))
        status = congru_fail(caller, CONGRU_ERROR_CANCELLED, "stopped on request");
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_JOB);
    congru_bytes_add_status(&bytes, status, caller);
    congru_process_group_send_all(t->processes, &bytes);
    return status;
}

/* On other ranks: tells how the job went here and hears how it went. */
static congru_status submit(together *t, congru_status own)
{
    congru_context *caller = t->workers->caller;
    congru_message message = CONGRU_MESSAGE_SHARE;
    congru_parcel parcel;
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_DONE);
    congru_bytes_add_status(&bytes, own, caller);
    if (own == CONGRU_OK)
        congru_process_group_send(t->processes, 0, &bytes);
    else
        congru_process_group_send_all(t->processes, &bytes); /* they may wait for its part of a step */
    while (message != CONGRU_MESSAGE_JOB)
        if (!congru_process_group_take(t->processes, 0, &message, &parcel))
            return congru_fail(caller, CONGRU_ERROR_IO, "the first process is gone");
    return congru_parcel_status(&parcel, caller);
}

static congru_status agree(together *t, congru_status own)
{
    if (congru_process_group_rank(t->processes) > 0)
        return submit(t, own);
    if (own != CONGRU_OK) {
        congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_DONE);
        congru_process_group_send_all(t->processes, &bytes);
    }
    return judge(t, own);
}

congru_status congru_together_run(const congru_workers *workers, congru_process_group *processes,
                                  congru_status ready, const congru_queue_work *work)
{
    together t = {.workers = workers, .processes = processes, .jobs = work->jobs};
    congru_context *context = ready == CONGRU_OK ? workers->context[0] : NULL;
    congru_status status = agree(&t, ready);
    if (context != NULL) {
        context->processes = processes;
        context->progress = goes_on;
        context->progress_user = &t;
    }
    for (; status == CONGRU_OK && t.done < work->jobs; t.done++) {
        congru_status own = work->run(work->user, t.done, context);
        if (own != CONGRU_OK)
            congru_fail(workers->caller, own, "%s", congru_context_error(context));
        status = agree(&t, own);
    }
    congru_process_group_forget(processes);
    if (context != NULL) {
        context->processes = NULL;
        context->progress = NULL;
    }
    return status;
}
