/* Hands out jobs to threads and processes. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/job_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Between looks at signals and progress. Where the network itself cannot reach the counters of rank 0, rank 0 looks after them
 * as often as it looks at anything. */
enum { LOOK_NANOSECONDS = 50000000, SERVE_NANOSECONDS = 1000000 };

static const double progress_seconds = 0.1;

/* Added to the number of the next job: there is none any more, and running ones are let go as well. No sum of the first, of
 * as many threads as there may be, is the second. */
static const uint64_t no_more = UINT64_C(1) << 32, let_go = UINT64_C(1) << 48;

static const double whole_part = (double)(UINT64_C(1) << 40); /* of CONGRU_COUNTER_PART */

typedef struct queue queue;

typedef struct queue_thread {
    queue *queue;
    congru_context *context;
    atomic_size_t job;            /* what runs, or `jobs` */
    atomic_size_t training, step; /* which of its trainings, and how far that is */
} queue_thread;

/* What the watcher is told: how much of all is done, and a job at a step of one of its trainings. */
typedef struct queue_news {
    double part;
    size_t job, training, step;
} queue_news;

struct queue {
    const congru_workers *workers;
    const congru_queue_work *work;
    congru_process_group *processes;
    int rank;
    atomic_uint_fast64_t counter[CONGRU_COUNTERS]; /* of a process that is alone */
    atomic_bool halted;                            /* running jobs are let go */
    double cost;                                   /* of all jobs */

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t running;    /* threads that still take jobs */
    queue_news *ended; /* (ended_count) trainings at their last step, which are told whatever the clock says */
    size_t ended_count, ended_room;
    uint64_t failed; /* the lowest job that failed */
    congru_status status;
    char error[CONGRU_ERROR_TEXT_SIZE];

    /* The calling thread's alone. */
    const queue_thread *threads; /* (started) */
    size_t started;
    uint64_t done; /* of all processes, when it was looked at last */
    double next_progress;
};

static uint64_t count(queue *q, congru_counter counter, uint64_t add)
{
    return congru_process_group_shares(q->processes) ? congru_process_group_count(q->processes, counter, add)
                                                     : atomic_fetch_add(&q->counter[counter], add);
}

/* ---- Threads ------------------------------------------------------------------------------------- */

/* 0 where the job has no such training. */
static size_t steps_of(const congru_queue_work *work, size_t job, size_t training)
{
    return work->steps != NULL && job < work->jobs ? work->steps(work->user, job, training) : 0;
}

/* How much of a job's trainings is done. */
static double part_of(const congru_queue_work *work, size_t job, size_t training, size_t step)
{
    double all = 0, before = 0;
    for (size_t k = 0, steps; (steps = steps_of(work, job, k)) > 0; k++) {
        before += k < training ? (double)steps : k == training ? (double)step : 0;
        all += (double)steps;
    }
    return all > 0 ? before / all : 0;
}

/* How much of all is done, with what threads of this process have done of their jobs, and the job that is furthest; the mutex
 * is held. */
static queue_news look_at_threads(queue *q)
{
    const congru_queue_work *work = q->work;
    queue_news found = {.job = work->jobs};
    double done = (double)count(q, CONGRU_COUNTER_PART, 0) / whole_part, most = -1;
    for (size_t i = 0; i < q->started; i++) {
        const queue_thread *own = &q->threads[i];
        const queue_news now = {.job = atomic_load(&own->job),
                                .training = atomic_load(&own->training),
                                .step = atomic_load(&own->step)};
        if (now.job >= work->jobs)
            continue;
        const double part = part_of(work, now.job, now.training, now.step);
        done += q->cost > 0 ? work->cost(work->user, now.job) / q->cost * part : 0;
        if (part > most) {
            most = part;
            found = now;
        }
    }
    found.part = done < 1 ? done : 1;
    return found;
}

/* Without memory the watcher does not hear of it. */
static void keep_ended(queue *q, const queue_thread *own)
{
    pthread_mutex_lock(&q->mutex);
    queue_news news = look_at_threads(q);
    news.job = atomic_load(&own->job);
    news.training = atomic_load(&own->training);
    news.step = atomic_load(&own->step);
    if (congru_grow(NULL, &q->ended, &q->ended_room, q->ended_count + 1, sizeof *q->ended, "a list") ==
        CONGRU_OK)
        q->ended[q->ended_count++] = news;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

static bool goes_on(void *user, size_t done, size_t total)
{
    queue_thread *own = user;
    const congru_queue_work *work = own->queue->work;
    const size_t job = atomic_load(&own->job);
    const size_t before = atomic_load(&own->step);
    size_t training = atomic_load(&own->training), step = before;
    congru_training_follow(steps_of(work, job, training), steps_of(work, job, training + 1), done, total,
                           &training, &step);
    atomic_store(&own->training, training);
    atomic_store(&own->step, step);
    if (step != before && step == steps_of(work, job, training) && work->watch != NULL && own->queue->rank == 0)
        keep_ended(own->queue, own);
    return !atomic_load(&own->queue->halted);
}

/* The failure of the lowest job counts. No further one begins. */
static void fail_at(queue *q, uint64_t job, congru_status status, const char *error)
{
    count(q, CONGRU_COUNTER_JOBS, no_more);
    if (q->status != CONGRU_OK && job > q->failed)
        return;
    q->failed = job;
    q->status = status;
    snprintf(q->error, sizeof q->error, "%s", error);
}

/* Takes jobs until there are no more. */
static void work_in_thread(void *user, size_t index, int worker)
{
    queue_thread *own = (queue_thread *)user + index;
    (void)worker;
    queue *q = own->queue;
    const congru_queue_work *work = q->work;
    for (uint64_t job; (job = count(q, CONGRU_COUNTER_JOBS, 1)) < work->jobs;) {
        atomic_store(&own->training, 0);
        atomic_store(&own->step, 0);
        atomic_store(&own->job, (size_t)job);
        const congru_status status = work->run(work->user, (size_t)job, own->context);
        pthread_mutex_lock(&q->mutex);
        atomic_store(&own->job, work->jobs);
        if (status == CONGRU_OK) {
            if (q->cost > 0)
                count(q, CONGRU_COUNTER_PART,
                      (uint64_t)(work->cost(work->user, (size_t)job) / q->cost * whole_part));
            count(q, CONGRU_COUNTER_DONE, 1);
        } else if (!atomic_load(&q->halted)) {
            fail_at(q, job, status, congru_context_error(own->context));
        }
        pthread_cond_signal(&q->changed);
        pthread_mutex_unlock(&q->mutex);
    }
    pthread_mutex_lock(&q->mutex);
    q->running--;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

/* ---- The calling thread -------------------------------------------------------------------------- */

static void tell(queue *q, const queue_news *news)
{
    const congru_queue_work *work = q->work;
    if (q->rank == 0 && work->watch != NULL && q->cost > 0)
        work->watch(work->user, news->part, news->job, news->training, news->step);
    if (q->workers->progress(q->workers->progress_user, q->rank == 0 ? q->done : 0, work->jobs))
        return;
    atomic_store(&q->halted, true);
    count(q, CONGRU_COUNTER_JOBS, let_go);
}

/* Tells of trainings that have ended, and how far all is: when a job is done, or so often. Hears whether to stop. */
static void look(void *user)
{
    queue *q = user;
    const double now = congru_seconds();
    const uint64_t done = q->rank == 0 ? count(q, CONGRU_COUNTER_DONE, 0) : 0;
    const bool due = done != q->done || now >= q->next_progress;
    pthread_mutex_lock(&q->mutex);
    queue_news *ended = q->ended;
    const size_t ends = q->ended_count;
    const queue_news all = due && q->rank == 0 ? look_at_threads(q) : (queue_news){0};
    q->ended = NULL;
    q->ended_count = q->ended_room = 0;
    pthread_mutex_unlock(&q->mutex);
    q->done = done;
    for (size_t i = 0; i < ends && q->workers->progress != NULL && !atomic_load(&q->halted); i++)
        tell(q, &ended[i]);
    free(ended);
    if (!due)
        return;
    q->next_progress = now + progress_seconds;
    if (count(q, CONGRU_COUNTER_JOBS, 0) >= let_go)
        atomic_store(&q->halted, true);
    if (q->workers->progress != NULL && !atomic_load(&q->halted))
        tell(q, &all);
}

/* Waits a while for threads to change something; false when none takes jobs any more. */
static bool wait_shortly(queue *q)
{
    const bool serves = congru_process_group_shares(q->processes) && q->rank == 0;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += serves ? SERVE_NANOSECONDS : LOOK_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&q->mutex);
    if (q->running > 0 && q->ended_count == 0)
        pthread_cond_timedwait(&q->changed, &q->mutex, &until);
    const bool any = q->running > 0;
    pthread_mutex_unlock(&q->mutex);
    return any;
}

static void run_all(queue *q, queue_thread *threads, congru_status ready)
{
    const size_t wanted = ready == CONGRU_OK ? q->workers->count : 0;
    congru_thread_pool *pool = NULL; /* of one thread more: the caller's, which looks after them */
    for (size_t job = 0; job < q->work->jobs; job++)
        q->cost += q->work->cost(q->work->user, job);
    for (size_t i = 0; i < wanted; i++) {
        queue_thread *own = &threads[i];
        *own = (queue_thread){.queue = q, .context = q->workers->context[i], .job = q->work->jobs};
        own->context->progress = goes_on;
        own->context->progress_user = own;
    }
    if (wanted > 0 && congru_thread_pool_create(&pool, (int)wanted + 1) != CONGRU_OK)
        ready = congru_fail_memory(q->workers->caller, "%zu threads", wanted);
    q->threads = threads;
    q->started = q->running = pool != NULL ? wanted : 0;
    if (ready == CONGRU_ERROR_CANCELLED) { /* progress is not asked again */
        atomic_store(&q->halted, true);
        count(q, CONGRU_COUNTER_JOBS, let_go);
    } else if (ready != CONGRU_OK) {
        fail_at(q, q->work->jobs, ready, congru_context_error(q->workers->caller));
    }
    if (pool != NULL)
        congru_thread_pool_begin(pool, wanted, work_in_thread, threads);
    do
        look(q);
    while (wait_shortly(q));
    look(q);
    if (pool != NULL)
        congru_thread_pool_finish(pool);
    congru_thread_pool_destroy(&pool);
    for (size_t i = 0; i < wanted; i++)
        threads[i].context->progress = NULL;
}

/* Others may have more to do, of which rank 0 tells meanwhile, and any of them may be told to stop. */
static congru_status hear_others(queue *q)
{
    congru_context *caller = q->workers->caller;
    uint64_t place = q->failed;
    if (q->status == CONGRU_OK && atomic_load(&q->halted)) {
        q->status = CONGRU_ERROR_CANCELLED;
        snprintf(q->error, sizeof q->error, "stopped on request");
        place = UINT64_MAX;
    }
    if (q->status != CONGRU_OK)
        congru_fail(caller, q->status, "%s", q->error);
    if (!congru_process_group_shares(q->processes))
        return q->status;
    congru_process_group_meanwhile(q->processes, look, q);
    const congru_status status = congru_process_group_hear(q->processes, caller, q->status, place, NULL);
    congru_process_group_meanwhile(q->processes, NULL, NULL);
    if (status != CONGRU_OK || q->rank > 0)
        return status;
    look(q);
    return atomic_load(&q->halted) ? congru_fail(caller, CONGRU_ERROR_CANCELLED, "stopped on request") : status;
}

congru_status congru_queue_run(const congru_workers *workers, congru_process_group *processes,
                               congru_status ready, const congru_queue_work *work)
{
    queue q = {.workers = workers, .work = work, .processes = processes, .failed = work->jobs};
    q.rank = congru_process_group_rank(processes);
    queue_thread *threads = calloc(workers->count + 1, sizeof *threads);
    if (threads == NULL && ready == CONGRU_OK)
        ready = congru_fail_memory(workers->caller, "a queue");
    pthread_mutex_init(&q.mutex, NULL); /* with default attributes these two cannot fail on Linux */
    pthread_cond_init(&q.changed, NULL);
    run_all(&q, threads, ready);
    const congru_status status = hear_others(&q);
    pthread_cond_destroy(&q.changed);
    pthread_mutex_destroy(&q.mutex);
    free(q.ended);
    free(threads);
    return status;
}

/* ---- All processes in each job ------------------------------------------------------------------- */

typedef struct together {
    const congru_workers *workers;
    size_t done, jobs;
    bool stops;
    double next_progress;
} together;

/* Asked before each step of training. What it answers is heard by all in that step. */
static bool go_on_together(void *user, size_t step, size_t steps)
{
    together *t = user;
    const congru_workers *workers = t->workers;
    const double now = congru_seconds();
    (void)step, (void)steps;
    if (workers->progress == NULL || t->stops || now < t->next_progress)
        return !t->stops;
    t->next_progress = now + progress_seconds;
    t->stops = !workers->progress(workers->progress_user, t->done, t->jobs);
    return !t->stops;
}

congru_status congru_queue_run_together(const congru_workers *workers, congru_process_group *processes,
                                        congru_status ready, const congru_queue_work *work)
{
    together t = {.workers = workers, .jobs = work->jobs};
    congru_context *caller = workers->caller, *context = ready == CONGRU_OK ? workers->context[0] : NULL;
    congru_status status = CONGRU_OK;
    if (context != NULL) {
        context->progress = go_on_together;
        context->progress_user = &t;
    }
    while (status == CONGRU_OK && t.done < work->jobs) {
        congru_status own = ready;
        if (own == CONGRU_OK && (own = work->run(work->user, t.done, context)) != CONGRU_OK)
            congru_fail(caller, own, "%s", congru_context_error(context));
        if (own == CONGRU_OK && !go_on_together(&t, 0, 0))
            own = congru_fail(caller, CONGRU_ERROR_CANCELLED, "stopped on request");
        /* One that left a step because of another knows less of the cause than that other. */
        status = congru_process_group_hear(processes, caller, own, own == CONGRU_ERROR_CANCELLED, NULL);
        status = congru_process_group_tell(processes, caller, status, NULL);
        t.done += status == CONGRU_OK;
    }
    if (context != NULL)
        context->progress = NULL;
    return status;
}
