/* Runs jobs on contexts of one thread each. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

double congru_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void congru_training_follow(size_t now, size_t next, size_t done, size_t total, size_t *training, size_t *step)
{
    const bool is_this = total == now && done >= *step, is_next = total == next;
    if (total == 0 || (!is_this && !is_next))
        return;
    *training += !is_this;
    *step = done;
}

/* The progress of contexts while workers are there: so often, and at the end of each training. */
static bool goes_on(void *user, size_t done, size_t total)
{
    static const double seconds = 0.1;
    congru_stop *stop = user;
    const bool ended = total > 0 && done == total;
    if (stop->progress != NULL && pthread_equal(pthread_self(), stop->thread) && !atomic_load(&stop->stopped) &&
        (ended || congru_seconds() >= stop->next)) {
        stop->next = congru_seconds() + seconds;
        if (stop->watch != NULL)
            stop->watch(stop->watch_user, stop);
        if (!stop->progress(stop->progress_user, 0, stop->folds))
            atomic_store(&stop->stopped, true);
    }
    return !atomic_load(&stop->stopped);
}

static void listen(congru_context *context, congru_stop *stop)
{
    context->progress = goes_on;
    context->progress_user = stop;
}

congru_status congru_workers_start(congru_context *caller, size_t jobs, congru_workers *workers)
{
    size_t threads = (size_t)congru_context_threads(caller);
    *workers = (congru_workers){.caller = caller, .count = threads > 1 && jobs >= threads ? threads : 1};
    workers->progress = caller->progress;
    workers->progress_user = caller->progress_user;
    workers->context = calloc(workers->count, sizeof *workers->context);
    workers->stop = calloc(1, sizeof *workers->stop);
    congru_status status = workers->context != NULL && workers->stop != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
    congru_context_options options = {.threads = workers->count > 1 ? 1 : (int)threads,
                                      .cpu = congru_context_cpu(caller)};
    if (status == CONGRU_OK) {
        *workers->stop = (congru_stop){.progress = workers->progress,
                                       .progress_user = workers->progress_user,
                                       .thread = pthread_self(),
                                       .folds = jobs};
        listen(caller, workers->stop);
    }
    for (size_t i = 0; status == CONGRU_OK && i < workers->count; i++) {
        status = congru_context_create(&workers->context[i], &options);
        if (status == CONGRU_OK)
            listen(workers->context[i], workers->stop);
    }
    if (status != CONGRU_OK) {
        congru_workers_end(workers);
        return congru_fail(caller, status, "not enough memory for %zu threads", threads);
    }
    return CONGRU_OK;
}

void congru_workers_end(congru_workers *workers)
{
    for (size_t i = 0; workers->context != NULL && i < workers->count; i++) {
        for (size_t n = 0; congru_context_note(workers->context[i], n) != NULL; n++)
            congru_note(workers->caller, "%s", congru_context_note(workers->context[i], n));
        congru_context_destroy(&workers->context[i]);
    }
    workers->caller->progress = workers->progress;
    workers->caller->progress_user = workers->progress_user;
    free(workers->context);
    free(workers->stop);
    *workers = (congru_workers){0};
}

typedef struct job_run {
    const congru_workers *workers;
    congru_job job;
    void *user;
    congru_memory_cache
        *cache; /* (workers) memory that a job gives back is there for the next: pages are not cleared again */
    pthread_mutex_t mutex; /* over what follows */
    size_t failed;         /* the lowest index that failed */
    congru_status status;
    char error[CONGRU_ERROR_TEXT_SIZE];
} job_run;

static void run_job(void *user, size_t block, int worker)
{
    job_run *run = user;
    congru_context *context = run->workers->context[worker];
    pthread_mutex_lock(&run->mutex);
    bool failed = run->status != CONGRU_OK;
    pthread_mutex_unlock(&run->mutex);
    congru_memory_cache *before = congru_memory_cache_lend(&run->cache[worker]);
    congru_status status = CONGRU_OK;
    if (!failed && !goes_on(run->workers->stop, 0, 0))
        status = congru_fail(context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    else if (!failed)
        status = run->job(run->user, block, context);
    congru_memory_cache_lend(before);
    if (status == CONGRU_OK)
        return;
    pthread_mutex_lock(&run->mutex);
    if (block <= run->failed) {
        run->failed = block;
        run->status = status;
        strcpy(run->error, congru_context_error(context));
    }
    pthread_mutex_unlock(&run->mutex);
}

congru_status congru_workers_run(const congru_workers *workers, size_t jobs, congru_job job, void *user)
{
    job_run run = {.workers = workers, .job = job, .user = user, .failed = jobs};
    run.cache = calloc(workers->count, sizeof *run.cache);
    if (run.cache == NULL || pthread_mutex_init(&run.mutex, NULL) != 0) {
        free(run.cache);
        return congru_fail_memory(workers->caller, "a lock");
    }
    if (workers->count > 1)
        congru_thread_pool_run(workers->caller->pool, jobs, run_job, &run);
    for (size_t i = 0; workers->count == 1 && i < jobs; i++)
        run_job(&run, i, 0);
    pthread_mutex_destroy(&run.mutex);
    for (size_t i = 0; i < workers->count; i++)
        congru_memory_cache_clear(&run.cache[i]);
    free(run.cache);
    if (run.status != CONGRU_OK)
        return congru_fail(workers->caller, run.status, "%s", run.error);
    return CONGRU_OK;
}
