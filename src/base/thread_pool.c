/* A thread pool of threads that shares out numbered blocks. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "congru/status.h"

enum {
    CACHE_LINE = 64,
    /* Training issues thousands of short runs a second: a worker that goes to sleep between two of them
     * costs more to wake than the gap it slept through. */
    SPIN_NANOSECONDS = 30000,
    PAUSES_PER_CLOCK_READING = 64
};

typedef struct thread_pool_worker {
    congru_thread_pool *pool;
    int index;
    pthread_t thread;
} thread_pool_worker;

/* A run is a round: `round` is odd while one is open and grows by one when it opens and when it closes. A
 * worker announces itself in `inside` before it looks whether the round is open; the caller closes the round
 * before it looks whether anyone is inside. All four are sequentially consistent, so a worker either finds
 * the round closed or is waited for: the run below never changes under it, and the caller never waits for a
 * worker that was too slow to wake up. */
struct congru_thread_pool {
    congru_thread_pool_task task; /* the run: written while the round is closed and nobody is inside */
    void *user;
    size_t blocks;

    int threads;
    int started; /* workers that have a thread, of threads - 1 */
    bool spins;
    pthread_mutex_t mutex;
    pthread_cond_t opened;  /* with round, quit: what sleeping workers wait for */
    pthread_cond_t emptied; /* with inside: what a sleeping caller waits for */
    atomic_int sleepers;
    atomic_bool caller_sleeps;
    atomic_bool quit;

    alignas(CACHE_LINE) atomic_uint_fast64_t round;
    alignas(CACHE_LINE) atomic_int inside;
    alignas(CACHE_LINE) atomic_size_t next; /* the first block nobody has taken */
    thread_pool_worker workers[];           /* threads - 1 of them; workers[0] is worker 1 */
};

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct spin_state {
    unsigned pauses;
    int64_t end;
} spin_state;

/* One pause; false when spinning has lasted long enough and the thread should sleep. The clock decides,
 * because the length of a pause differs tenfold between processors. */
static bool spin_once(const congru_thread_pool *pool, spin_state *spin)
{
    if (!pool->spins)
        return false;
    if (spin->pauses++ % PAUSES_PER_CLOCK_READING == 0) {
        int64_t now = nanoseconds_now();
        if (spin->end == 0)
            spin->end = now + SPIN_NANOSECONDS;
        if (now >= spin->end)
            return false;
    }
    pause_processor();
    return true;
}

static bool round_is_open(uint_fast64_t round)
{
    return round % 2 == 1;
}

static bool has_news(congru_thread_pool *pool, uint_fast64_t seen)
{
    uint_fast64_t round = atomic_load(&pool->round);

    return (round_is_open(round) && round != seen) || atomic_load(&pool->quit);
}

/* Returns when a round other than `seen` is open, or the thread pool is to end. */
static void wait_for_news(congru_thread_pool *pool, uint_fast64_t seen)
{
    spin_state spin = {0};

    while (!has_news(pool, seen)) {
        if (spin_once(pool, &spin))
            continue;
        /* Counted as a sleeper before the last look at the round, as the caller opens the round before it
         * looks for sleepers: one of the two sees the other. */
        pthread_mutex_lock(&pool->mutex);
        atomic_fetch_add(&pool->sleepers, 1);
        while (!has_news(pool, seen))
            pthread_cond_wait(&pool->opened, &pool->mutex);
        atomic_fetch_sub(&pool->sleepers, 1);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void take_blocks(congru_thread_pool *pool, int worker)
{
    for (;;) {
        size_t block = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (block >= pool->blocks)
            return;
        pool->task(pool->user, block, worker);
    }
}

static void leave(congru_thread_pool *pool)
{
    if (atomic_fetch_sub(&pool->inside, 1) == 1 && atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->emptied);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void *worker_main(void *argument)
{
    const thread_pool_worker *worker = argument;
    congru_thread_pool *pool = worker->pool;
    uint_fast64_t seen = 0;

    for (;;) {
        wait_for_news(pool, seen);
        if (atomic_load(&pool->quit))
            return NULL;
        atomic_fetch_add(&pool->inside, 1);
        seen = atomic_load(&pool->round);
        if (round_is_open(seen))
            take_blocks(pool, worker->index);
        leave(pool);
    }
}

/* Threads beyond the number of `helpers` stay asleep. */
static void open_round(congru_thread_pool *pool, size_t helpers)
{
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    if (helpers + 1 < (size_t)pool->threads) {
        for (size_t i = 0; i < helpers; i++)
            pthread_cond_signal(&pool->opened);
    } else {
        pthread_cond_broadcast(&pool->opened);
    }
    pthread_mutex_unlock(&pool->mutex);
}

/* Returns when no worker is inside the round that was open. */
static void close_round(congru_thread_pool *pool)
{
    spin_state spin = {0};

    atomic_fetch_add(&pool->round, 1);
    while (atomic_load(&pool->inside) > 0) {
        if (spin_once(pool, &spin))
            continue;
        pthread_mutex_lock(&pool->mutex);
        atomic_store(&pool->caller_sleeps, true);
        while (atomic_load(&pool->inside) > 0)
            pthread_cond_wait(&pool->emptied, &pool->mutex);
        atomic_store(&pool->caller_sleeps, false);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* While the round is closed. */
static void set_run(congru_thread_pool *pool, size_t blocks, congru_thread_pool_task task, void *user)
{
    pool->task = task;
    pool->user = user;
    pool->blocks = blocks;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
}

void congru_thread_pool_run(congru_thread_pool *pool, size_t blocks, congru_thread_pool_task task, void *user)
{
    if (pool->threads == 1 || blocks <= 1) {
        for (size_t block = 0; block < blocks; block++)
            task(user, block, 0);
        return;
    }
    set_run(pool, blocks, task, user);
    open_round(pool, blocks - 1);
    take_blocks(pool, 0);
    close_round(pool);
}

void congru_thread_pool_begin(congru_thread_pool *pool, size_t blocks, congru_thread_pool_task task, void *user)
{
    set_run(pool, blocks, task, user);
    open_round(pool, blocks);
}

void congru_thread_pool_finish(congru_thread_pool *pool)
{
    take_blocks(pool, 0);
    close_round(pool);
}

/* Everything but the signals a thread raises by its own fault. */
static void fill_with_signals_from_outside(sigset_t *set)
{
    sigfillset(set);
    sigdelset(set, SIGBUS);
    sigdelset(set, SIGFPE);
    sigdelset(set, SIGILL);
    sigdelset(set, SIGSEGV);
}

/* A thread in which no handler of signals from outside runs: those are for the program's own threads. */
static bool start_thread(pthread_t *thread, void *(*run)(void *), void *user)
{
    sigset_t blocked, before;

    fill_with_signals_from_outside(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool started = pthread_create(thread, NULL, run, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool start_workers(congru_thread_pool *pool)
{
    bool all_started = true;

    while (all_started && pool->started < pool->threads - 1) {
        thread_pool_worker *worker = &pool->workers[pool->started];
        worker->pool = pool;
        worker->index = pool->started + 1;
        all_started = start_thread(&worker->thread, worker_main, worker);
        if (all_started)
            pool->started++;
    }
    return all_started;
}

static congru_thread_pool *allocate_thread_pool(int threads)
{
    size_t size = sizeof(congru_thread_pool) + (size_t)(threads - 1) * sizeof(thread_pool_worker);
    congru_thread_pool *pool = aligned_alloc(CACHE_LINE, (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);

    if (pool == NULL)
        return NULL;
    *pool = (congru_thread_pool){.threads = threads, .spins = threads <= congru_thread_pool_default_threads()};
    pthread_mutex_init(&pool->mutex, NULL); /* with default attributes these three cannot fail on Linux */
    pthread_cond_init(&pool->opened, NULL);
    pthread_cond_init(&pool->emptied, NULL);
    return pool;
}

congru_status congru_thread_pool_create(congru_thread_pool **pool, int threads)
{
    *pool = NULL;
    if (threads < 1 || threads > CONGRU_THREADS_MAX + 1)
        return CONGRU_ERROR_ARGUMENT;
    congru_thread_pool *made = allocate_thread_pool(threads);
    if (made == NULL)
        return CONGRU_ERROR_MEMORY;
    if (!start_workers(made)) {
        congru_thread_pool_destroy(&made);
        return CONGRU_ERROR_MEMORY;
    }
    *pool = made;
    return CONGRU_OK;
}

void congru_thread_pool_destroy(congru_thread_pool **pool)
{
    congru_thread_pool *old = *pool;

    if (old == NULL)
        return;
    pthread_mutex_lock(&old->mutex);
    atomic_store(&old->quit, true);
    pthread_cond_broadcast(&old->opened);
    pthread_mutex_unlock(&old->mutex);
    for (int i = 0; i < old->started; i++)
        pthread_join(old->workers[i].thread, NULL);
    pthread_cond_destroy(&old->emptied);
    pthread_cond_destroy(&old->opened);
    pthread_mutex_destroy(&old->mutex);
    free(old);
    *pool = NULL;
}

int congru_thread_pool_threads(const congru_thread_pool *pool)
{
    return pool->threads;
}

int congru_thread_pool_default_threads(void)
{
    cpu_set_t set;
    long processors;

    /* The set's fixed size is too small for a machine of more than 1024 processors; the call then fails. */
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        processors = CPU_COUNT(&set);
    else
        processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1)
        return 1;
    return processors < CONGRU_THREADS_MAX ? (int)processors : CONGRU_THREADS_MAX;
}
