/* Hands out jobs to threads and processes. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/process_group_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Between looks at messages and signals: alone, with others, with a thread that waits for the next message. */
enum { ALONE_NANOSECONDS = 50000000, SHARING_NANOSECONDS = 1000000, IDLE_NANOSECONDS = 100000 };

static const double progress_seconds = 0.1;

typedef enum job_state { JOB_ELSEWHERE, JOB_WAITING, JOB_RUNNING, JOB_FINISHED, JOB_SETTLED } job_state;

typedef struct job_entry {
    job_state state;
    int rank; /* where it runs; rank 0 keeps account of all */
    congru_status status;
    char *error; /* of a failure in a thread; or NULL */
} job_entry;

typedef struct mate {
    bool ready; /* has said how many jobs it takes */
    size_t slots, busy;
} mate;

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
    int rank, size;
    atomic_bool halted; /* running jobs are let go */

    pthread_mutex_t mutex;
    pthread_cond_t offered, finished_one;
    job_entry *entry;       /* (jobs) */
    size_t first;           /* no job before it is waiting */
    size_t finished;        /* jobs in that state */
    size_t running;         /* in threads of this process */
    bool closed;            /* threads end */
    double cost, cost_done; /* of all jobs, and of those done */
    queue_news *ended; /* (ended_count) trainings at their last step, which are told whatever the clock says */
    size_t ended_count, ended_room;

    /* The calling thread's alone. */
    mate *mates; /* (size) on rank 0 */
    size_t done;
    const queue_thread *threads; /* (started) */
    size_t started;
    bool stopped; /* no further job begins */
    bool told;    /* progress has said stop */
    size_t failed;
    congru_status status;
    char error[CONGRU_ERROR_TEXT_SIZE];
    double next_progress;
};

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
static queue_news look_at_threads(const queue *q)
{
    const congru_queue_work *work = q->work;
    queue_news found = {.job = work->jobs};
    double done = q->cost_done, most = -1;
    for (size_t i = 0; i < q->started; i++) {
        const queue_thread *own = &q->threads[i];
        const queue_news now = {.job = atomic_load(&own->job),
                                .training = atomic_load(&own->training),
                                .step = atomic_load(&own->step)};
        if (now.job >= work->jobs)
            continue;
        const double part = part_of(work, now.job, now.training, now.step);
        done += work->cost(work->user, now.job) * part;
        if (part > most) {
            most = part;
            found = now;
        }
    }
    found.part = q->cost > 0 ? done / q->cost : 0;
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
    if (q->ended_count == q->ended_room) {
        const size_t room = 2 * q->ended_room + 16;
        queue_news *grown = realloc(q->ended, room * sizeof *grown);
        if (grown != NULL) {
            q->ended = grown;
            q->ended_room = room;
        }
    }
    if (q->ended_count < q->ended_room)
        q->ended[q->ended_count++] = news;
    pthread_cond_signal(&q->finished_one);
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

/* The waiting job of the lowest number; the mutex is held. */
static bool take_waiting(queue *q, int rank, size_t *job)
{
    while (q->first < q->work->jobs && q->entry[q->first].state != JOB_WAITING)
        q->first++;
    if (q->first == q->work->jobs)
        return false;
    *job = q->first;
    q->entry[*job].state = JOB_RUNNING;
    q->entry[*job].rank = rank;
    return true;
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : NULL;
}

/* The mutex is held. */
static void count_cost(queue *q, size_t job, congru_status status)
{
    if (status == CONGRU_OK && q->work->watch != NULL)
        q->cost_done += q->work->cost(q->work->user, job);
}

/* Takes jobs until the queue is closed. */
static void work_in_thread(void *user, size_t index, int worker)
{
    queue_thread *own = (queue_thread *)user + index;
    (void)worker;
    queue *q = own->queue;
    size_t job;
    pthread_mutex_lock(&q->mutex);
    for (;;) {
        while (!q->closed && !take_waiting(q, q->rank, &job))
            pthread_cond_wait(&q->offered, &q->mutex);
        if (q->closed)
            break;
        q->running++;
        pthread_mutex_unlock(&q->mutex);
        atomic_store(&own->training, 0);
        atomic_store(&own->step, 0);
        atomic_store(&own->job, job);
        congru_status status = q->work->run(q->work->user, job, own->context);
        pthread_mutex_lock(&q->mutex);
        atomic_store(&own->job, q->work->jobs);
        count_cost(q, job, status);
        q->running--;
        q->finished++;
        q->entry[job].state = JOB_FINISHED;
        q->entry[job].status = status;
        q->entry[job].error = status != CONGRU_OK ? copy_text(congru_context_error(own->context)) : NULL;
        pthread_cond_signal(&q->finished_one);
    }
    pthread_mutex_unlock(&q->mutex);
}

static void offer(queue *q, size_t job)
{
    pthread_mutex_lock(&q->mutex);
    q->entry[job].state = JOB_WAITING;
    q->first = job < q->first ? job : q->first;
    pthread_cond_signal(&q->offered);
    pthread_mutex_unlock(&q->mutex);
}

/* Takes back what no thread has begun. */
static void withdraw_all(queue *q)
{
    pthread_mutex_lock(&q->mutex);
    for (size_t job = 0; job < q->work->jobs; job++)
        if (q->entry[job].state == JOB_WAITING)
            q->entry[job].state = JOB_ELSEWHERE;
    pthread_mutex_unlock(&q->mutex);
}

/* Waits a while for a thread to finish a job. */
static void wait_shortly(queue *q)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&q->mutex);
    bool idle = q->rank > 0 && q->running < q->workers->count;
    until.tv_nsec += q->size == 1 ? ALONE_NANOSECONDS : idle ? IDLE_NANOSECONDS : SHARING_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (q->finished == 0 && q->ended_count == 0)
        pthread_cond_timedwait(&q->finished_one, &q->mutex, &until);
    pthread_mutex_unlock(&q->mutex);
}

/* One job that a thread has finished; the caller frees its error. */
static bool next_finished(queue *q, size_t *job, job_entry *found)
{
    bool any = false;
    pthread_mutex_lock(&q->mutex);
    for (size_t i = 0; q->finished > 0 && !any && i < q->work->jobs; i++)
        if (q->entry[i].state == JOB_FINISHED) {
            *job = i;
            *found = q->entry[i];
            q->entry[i].state = JOB_SETTLED;
            q->entry[i].error = NULL;
            any = true;
        }
    q->finished -= any;
    pthread_mutex_unlock(&q->mutex);
    return any;
}

/* ---- Rank 0 -------------------------------------------------------------------------------------- */

static void fail_at(queue *q, size_t job, congru_status status, const char *error)
{
    q->stopped = true;
    if (q->told || (q->status != CONGRU_OK && job > q->failed))
        return;
    q->failed = job;
    q->status = status;
    strncpy(q->error, error, sizeof q->error - 1);
}

static void halt(queue *q)
{
    q->stopped = true;
    q->told = true;
    atomic_store(&q->halted, true);
    if (q->status == CONGRU_OK) {
        q->status = CONGRU_ERROR_CANCELLED;
        strcpy(q->error, "stopped on request");
    }
    if (q->size > 1) {
        congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_HALT);
        congru_process_group_send_all(q->processes, &bytes);
    }
}

static void settle(queue *q, size_t job, congru_status status, const char *error)
{
    if (status == CONGRU_OK) {
        q->done++;
    } else if (status != CONGRU_ERROR_CANCELLED || !q->told)
        fail_at(q, job, status, error);
}

static void settle_own(queue *q)
{
    size_t job;
    job_entry found;
    while (next_finished(q, &job, &found)) {
        settle(q, job, found.status, found.error != NULL ? found.error : "not enough memory");
        free(found.error);
    }
}

/* An answer about a job that was given to another in the meantime is not needed. */
static void take_answer(queue *q, int from, congru_parcel *parcel)
{
    congru_context *context = q->workers->caller;
    size_t job = congru_parcel_count(parcel);
    bool expected = job < q->work->jobs;
    pthread_mutex_lock(&q->mutex);
    expected = expected && q->entry[job].state == JOB_RUNNING && q->entry[job].rank == from;
    if (expected)
        q->entry[job].state = JOB_SETTLED;
    pthread_mutex_unlock(&q->mutex);
    if (!expected)
        return;
    q->mates[from].busy--;
    congru_status status = congru_parcel_status(parcel, context);
    if (status == CONGRU_OK)
        status = q->work->take(q->work->user, job, parcel, context);
    pthread_mutex_lock(&q->mutex);
    count_cost(q, job, status);
    pthread_mutex_unlock(&q->mutex);
    settle(q, job, status, congru_context_error(context));
}

static void listen(queue *q)
{
    int from;
    congru_message message;
    congru_parcel parcel;
    while (q->size > 1 && congru_process_group_receive(q->processes, &from, &message, &parcel)) {
        mate *sender = &q->mates[from];
        if (message == CONGRU_MESSAGE_READY) {
            congru_status status = congru_parcel_status(&parcel, q->workers->caller);
            sender->ready = true;
            sender->slots = congru_parcel_count(&parcel);
            if (status != CONGRU_OK)
                fail_at(q, q->work->jobs, status, congru_context_error(q->workers->caller));
        } else if (message == CONGRU_MESSAGE_DONE) {
            take_answer(q, from, &parcel);
        } else if (message == CONGRU_MESSAGE_HALT && !q->told) {
            halt(q);
        }
    }
}

/* The jobs of those that are no more go back. */
static void count_mates(queue *q)
{
    for (int rank = 1; rank < q->size; rank++) {
        if (congru_process_group_present(q->processes, rank))
            continue;
        for (size_t job = 0; q->mates[rank].busy > 0 && job < q->work->jobs; job++) {
            pthread_mutex_lock(&q->mutex);
            bool lost = q->entry[job].state == JOB_RUNNING && q->entry[job].rank == rank;
            pthread_mutex_unlock(&q->mutex);
            if (!lost)
                continue;
            q->mates[rank].busy--;
            offer(q, job);
        }
        q->mates[rank].slots = 0;
        q->mates[rank].ready = true;
    }
}

static void hand_out(queue *q)
{
    bool any = true;
    for (int rank = 1; !q->stopped && any && rank < q->size; rank++)
        while (any && q->mates[rank].busy < q->mates[rank].slots) {
            size_t job;
            pthread_mutex_lock(&q->mutex);
            any = take_waiting(q, rank, &job);
            pthread_mutex_unlock(&q->mutex);
            if (!any)
                break;
            congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_JOB);
            congru_bytes_add_count(&bytes, job);
            congru_process_group_send(q->processes, rank, &bytes);
            q->mates[rank].busy++;
        }
}

static void tell(queue *q, const queue_news *news)
{
    const congru_queue_work *work = q->work;
    if (work->watch != NULL && q->cost > 0)
        work->watch(work->user, news->part, news->job, news->training, news->step);
    if (!q->workers->progress(q->workers->progress_user, q->done, work->jobs))
        halt(q);
}

/* Tells of trainings that have ended, and how far all is: when a job is done, or so often. */
static void report(queue *q, bool done)
{
    const double now = congru_seconds();
    const bool due = done || now >= q->next_progress;
    pthread_mutex_lock(&q->mutex);
    queue_news *ended = q->ended;
    const size_t count = q->ended_count;
    const queue_news all = look_at_threads(q);
    q->ended = NULL;
    q->ended_count = q->ended_room = 0;
    pthread_mutex_unlock(&q->mutex);
    for (size_t i = 0; i < count && q->workers->progress != NULL && !q->told; i++)
        tell(q, &ended[i]);
    free(ended);
    if (!due || q->workers->progress == NULL || q->told)
        return;
    q->next_progress = now + progress_seconds;
    tell(q, &all);
}

/* Nothing runs anywhere, and nothing will. */
static bool is_over(queue *q)
{
    bool over = q->stopped || q->done == q->work->jobs;
    for (int rank = 1; over && rank < q->size; rank++)
        over = q->mates[rank].ready && q->mates[rank].busy == 0;
    pthread_mutex_lock(&q->mutex);
    over = over && q->running == 0 && q->finished == 0 && q->ended_count == 0;
    pthread_mutex_unlock(&q->mutex);
    return over;
}

static void lead(queue *q)
{
    for (;;) {
        size_t before = q->done;
        listen(q);
        settle_own(q);
        if (q->size > 1)
            count_mates(q);
        report(q, q->done > before);
        if (q->stopped)
            withdraw_all(q);
        hand_out(q);
        if (is_over(q))
            break;
        if (q->done == before)
            wait_shortly(q);
    }
    if (q->size > 1) {
        congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_STOP);
        congru_process_group_send_all(q->processes, &bytes);
    }
}

/* ---- Other ranks --------------------------------------------------------------------------------- */

static void answer(queue *q)
{
    size_t job;
    job_entry found;
    while (next_finished(q, &job, &found)) {
        congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_DONE);
        congru_bytes_add_count(&bytes, job);
        congru_bytes_add_count(&bytes, (size_t)found.status);
        congru_bytes_add_text(&bytes, found.error != NULL ? found.error : "");
        if (found.status == CONGRU_OK)
            q->work->pack(q->work->user, job, &bytes);
        congru_process_group_send(q->processes, 0, &bytes);
        free(found.error);
    }
}

/* This process was asked to stop, which concerns all. */
static void pass_on_stop(queue *q)
{
    double now = congru_seconds();
    if (q->told || q->workers->progress == NULL || now < q->next_progress)
        return;
    q->next_progress = now + progress_seconds;
    if (q->workers->progress(q->workers->progress_user, 0, q->work->jobs))
        return;
    q->told = true;
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_HALT);
    congru_process_group_send(q->processes, 0, &bytes);
}

/* Follows one message; true when there is no more to do. */
static bool obey(queue *q, congru_message message, congru_parcel *parcel)
{
    size_t job = message == CONGRU_MESSAGE_JOB ? congru_parcel_count(parcel) : 0;
    if (message == CONGRU_MESSAGE_JOB && job < q->work->jobs)
        offer(q, job);
    if (message == CONGRU_MESSAGE_HALT)
        atomic_store(&q->halted, true);
    return message == CONGRU_MESSAGE_STOP;
}

static void follow(queue *q, congru_status ready)
{
    bool over = false;
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_READY);
    congru_bytes_add_status(&bytes, ready, q->workers->caller);
    congru_bytes_add_count(&bytes, ready == CONGRU_OK ? q->workers->count : 0);
    congru_process_group_send(q->processes, 0, &bytes);
    while (!over) {
        int from;
        congru_message message;
        congru_parcel parcel;
        bool present = congru_process_group_present(q->processes, 0);
        while (!over && congru_process_group_receive(q->processes, &from, &message, &parcel))
            over = obey(q, message, &parcel);
        answer(q);
        pass_on_stop(q);
        if (!present && !over) {
            atomic_store(&q->halted, true);
            q->status = CONGRU_ERROR_IO;
            strcpy(q->error, "the process that hands out the work is gone");
            over = true;
        }
        if (!over)
            wait_shortly(q);
    }
}

/* ---- Both ---------------------------------------------------------------------------------------- */

static void close_threads(queue *q, congru_thread_pool **pool, const queue_thread *threads, size_t count)
{
    withdraw_all(q);
    pthread_mutex_lock(&q->mutex);
    q->closed = true;
    pthread_cond_broadcast(&q->offered);
    pthread_mutex_unlock(&q->mutex);
    if (*pool != NULL)
        congru_thread_pool_finish(*pool);
    congru_thread_pool_destroy(pool);
    for (size_t i = 0; i < count; i++)
        threads[i].context->progress = NULL;
    for (size_t job = 0; job < q->work->jobs; job++)
        free(q->entry[job].error);
}

static void run_all(queue *q, queue_thread *threads, congru_status ready)
{
    size_t wanted = ready == CONGRU_OK ? q->workers->count : 0;
    congru_thread_pool *pool = NULL; /* of one thread more: the caller's, which hands out jobs */
    q->threads = threads;
    for (size_t job = 0; q->work->watch != NULL && job < q->work->jobs; job++)
        q->cost += q->work->cost(q->work->user, job);
    for (size_t i = 0; i < wanted; i++) {
        queue_thread *own = &threads[i];
        *own = (queue_thread){.queue = q, .context = q->workers->context[i], .job = q->work->jobs};
        own->context->progress = goes_on;
        own->context->progress_user = own;
    }
    q->started = wanted;
    if (wanted > 0 && congru_thread_pool_create(&pool, (int)wanted + 1) != CONGRU_OK)
        ready = congru_fail(q->workers->caller, CONGRU_ERROR_MEMORY, "not enough memory for %zu threads",
                            q->workers->count);
    if (pool != NULL)
        congru_thread_pool_begin(pool, wanted, work_in_thread, threads);
    if (ready == CONGRU_ERROR_CANCELLED)
        halt(q); /* progress is not asked again */
    else if (ready != CONGRU_OK)
        fail_at(q, q->work->jobs, ready, congru_context_error(q->workers->caller));
    if (q->rank == 0)
        lead(q);
    else
        follow(q, ready);
    close_threads(q, &pool, threads, wanted);
}

congru_status congru_queue_run(const congru_workers *workers, congru_process_group *processes,
                               congru_status ready, const congru_queue_work *work)
{
    queue q = {.workers = workers, .work = work, .processes = processes, .failed = work->jobs};
    q.rank = congru_process_group_rank(processes);
    q.size = congru_process_group_size(processes);
    q.entry = calloc(work->jobs + 1, sizeof *q.entry);
    q.mates = calloc((size_t)q.size, sizeof *q.mates);
    queue_thread *threads = calloc(workers->count + 1, sizeof *threads);
    for (size_t job = 0; q.entry != NULL && q.rank == 0 && ready == CONGRU_OK && job < work->jobs; job++)
        q.entry[job].state = JOB_WAITING;
    if (q.entry == NULL || q.mates == NULL || threads == NULL) {
        q.status = CONGRU_ERROR_MEMORY;
        snprintf(q.error, sizeof q.error, "not enough memory for a queue");
    } else {
        pthread_mutex_init(&q.mutex, NULL); /* with default attributes these three cannot fail on Linux */
        pthread_cond_init(&q.offered, NULL);
        pthread_cond_init(&q.finished_one, NULL);
        run_all(&q, threads, ready);
        pthread_cond_destroy(&q.finished_one);
        pthread_cond_destroy(&q.offered);
        pthread_mutex_destroy(&q.mutex);
    }
    free(q.ended);
    free(q.entry);
    free(q.mates);
    free(threads);
    return q.status != CONGRU_OK ? congru_fail(workers->caller, q.status, "%s", q.error) : CONGRU_OK;
}
