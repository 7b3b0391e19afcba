/* The thread pool of threads: every block once, the same sums always. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* usleep */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread_pool.h"
#include "congru/context.h"
#include "harness.h"

/* The sanitizers reserve terabytes of addresses, so a limit on addresses stops them at once. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static const int thread_counts[] = {1, 2, 3, 7};

enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts, THREADS_MOST = 7 };

static congru_thread_pool *make_thread_pool(int threads)
{
    congru_thread_pool *pool = NULL;

    CHECK(congru_thread_pool_create(&pool, threads) == CONGRU_OK);
    return pool;
}

enum { ITEMS = 10007, BLOCK_ITEMS = 64, SUM_BLOCKS = (ITEMS + BLOCK_ITEMS - 1) / BLOCK_ITEMS };

/* Partial sums of fixed blocks, as every sum over trials in the library is made. */
static void sum_block(void *user, size_t block, int worker)
{
    double *sums = user;
    size_t end = (block + 1) * BLOCK_ITEMS < ITEMS ? (block + 1) * BLOCK_ITEMS : ITEMS;

    (void)worker;
    for (size_t i = block * BLOCK_ITEMS; i < end; i++)
        sums[block] += sin((double)i) * 1e-3 + 1.0 / (double)(i + 1);
}

static double sum_with(int threads)
{
    double sums[SUM_BLOCKS] = {0};
    double total = 0.0;
    congru_thread_pool *pool = make_thread_pool(threads);

    congru_thread_pool_run(pool, SUM_BLOCKS, sum_block, sums);
    congru_thread_pool_destroy(&pool);
    for (size_t block = 0; block < SUM_BLOCKS; block++)
        total += sums[block];
    return total;
}

TEST(sums_are_the_same_bits_for_any_threads)
{
    double expected = sum_with(1);

    for (int i = 0; i < THREAD_COUNTS; i++) {
        double total = sum_with(thread_counts[i]);
        CHECK_SAYING(memcmp(&total, &expected, sizeof total) == 0, "%d threads: %.17g, one: %.17g",
                     thread_counts[i], total, expected);
    }
}

enum { COUNTED_BLOCKS = 1000 };

typedef struct visits {
    atomic_int blocks[COUNTED_BLOCKS];
    atomic_int workers[THREADS_MOST];
    atomic_int overlaps; /* calls that found their worker's scratch in use */
    atomic_bool busy[THREADS_MOST];
} visits;

static void visit(void *user, size_t block, int worker)
{
    visits *v = user;

    if (atomic_exchange(&v->busy[worker], true))
        atomic_fetch_add(&v->overlaps, 1);
    atomic_fetch_add(&v->blocks[block], 1);
    atomic_fetch_add(&v->workers[worker], 1);
    atomic_store(&v->busy[worker], false);
}

TEST(every_block_is_done_once)
{
    for (int i = 0; i < THREAD_COUNTS; i++) {
        congru_thread_pool *pool = make_thread_pool(thread_counts[i]);
        for (size_t blocks = 0; blocks <= COUNTED_BLOCKS; blocks = 3 * blocks + 1) {
            visits v = {0};
            congru_thread_pool_run(pool, blocks, visit, &v);
            for (size_t b = 0; b < COUNTED_BLOCKS; b++)
                CHECK_SAYING(v.blocks[b] == (b < blocks), "block %zu of %zu done %d times", b, blocks,
                             v.blocks[b]);
            for (int w = thread_counts[i]; w < THREADS_MOST; w++)
                CHECK_SAYING(v.workers[w] == 0, "worker %d in a thread pool of %d", w, thread_counts[i]);
            CHECK(v.overlaps == 0);
        }
        congru_thread_pool_destroy(&pool);
    }
}

static void add_one(void *user, size_t block, int worker)
{
    (void)worker;
    ((int *)user)[block]++;
}

/* A result that is read, and an array that goes out of use, right after each run: a worker still inside would
 * be seen as a wrong count here and as a race by the thread sanitizer. */
TEST(many_short_runs)
{
    enum { RUNS = 20000, BLOCKS = 5 };

    for (int i = 0; i < THREAD_COUNTS; i++) {
        congru_thread_pool *pool = make_thread_pool(thread_counts[i]);
        int wrong = 0;
        for (int run = 0; run < RUNS; run++) {
            int counts[BLOCKS] = {0};
            size_t blocks = (size_t)(run % BLOCKS) + 1;
            congru_thread_pool_run(pool, blocks, add_one, counts);
            for (size_t b = 0; b < BLOCKS; b++)
                wrong += counts[b] != (b < blocks);
        }
        CHECK_SAYING(wrong == 0, "%d threads: %d wrong counts", thread_counts[i], wrong);
        congru_thread_pool_destroy(&pool);
    }
}

TEST(runs_wake_threads_that_sleep)
{
    congru_thread_pool *pool = make_thread_pool(3);

    for (int run = 0; run < 50; run++) {
        int counts[8] = {0};
        usleep(500);
        congru_thread_pool_run(pool, 8, add_one, counts);
        for (int b = 0; b < 8; b++)
            CHECK(counts[b] == 1);
    }
    congru_thread_pool_destroy(&pool);
}

enum { MEETING_PATIENCE = 100000 }; /* looks, 100 microseconds apart */

typedef struct meeting {
    atomic_int arrived;
    int expected;
    atomic_bool given_up;
} meeting;

/* Returns only when all blocks have begun, which takes as many threads as blocks. */
static void meet(void *user, size_t block, int worker)
{
    meeting *m = user;

    (void)block;
    (void)worker;
    atomic_fetch_add(&m->arrived, 1);
    for (int i = 0; atomic_load(&m->arrived) < m->expected && !atomic_load(&m->given_up); i++) {
        usleep(100);
        if (i == MEETING_PATIENCE)
            atomic_store(&m->given_up, true);
    }
}

TEST(all_threads_take_part)
{
    congru_thread_pool *pool = make_thread_pool(THREADS_MOST);

    for (int run = 0, met = true; run < 20 && met; run++) {
        meeting m = {.expected = THREADS_MOST};
        congru_thread_pool_run(pool, THREADS_MOST, meet, &m);
        met = CHECK_SAYING(!m.given_up, "run %d: not all threads came", run);
    }
    congru_thread_pool_destroy(&pool);
}

static void run_own_thread_pool(void *user, size_t block, int worker)
{
    int *counts = user; // (6, 4)
    congru_thread_pool *pool = NULL;

    (void)worker;
    if (congru_thread_pool_create(&pool, 2) == CONGRU_OK)
        congru_thread_pool_run(pool, 4, add_one, counts + 4 * block);
    congru_thread_pool_destroy(&pool);
}

TEST(teams_live_side_by_side)
{
    int counts[6 * 4] = {0};
    congru_thread_pool *pool = make_thread_pool(3);

    congru_thread_pool_run(pool, 6, run_own_thread_pool, counts);
    congru_thread_pool_destroy(&pool);
    for (int i = 0; i < 6 * 4; i++)
        CHECK(counts[i] == 1);
}

TEST(teams_come_and_go)
{
    for (int i = 0; i < 300; i++) {
        congru_thread_pool *pool = make_thread_pool(thread_counts[i % THREAD_COUNTS]);
        CHECK(congru_thread_pool_threads(pool) == thread_counts[i % THREAD_COUNTS]);
        congru_thread_pool_destroy(&pool);
        CHECK(pool == NULL);
        congru_thread_pool_destroy(&pool);
    }
}

TEST(impossible_counts_are_refused)
{
    const int counts[] = {0, -1, CONGRU_THREADS_MAX + 2};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        congru_thread_pool *pool = (congru_thread_pool *)&pool;
        CHECK(congru_thread_pool_create(&pool, counts[i]) == CONGRU_ERROR_ARGUMENT);
        CHECK(pool == NULL);
    }
}

/* 0 when a thread pool that cannot have all its threads is refused and a smaller one then works. */
static int create_with_little_memory(void)
{
    const struct rlimit limit = {.rlim_cur = 256u << 20, .rlim_max = 256u << 20};
    congru_thread_pool *pool = NULL;
    int counts[8] = {0};

    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 1;
    if (congru_thread_pool_create(&pool, CONGRU_THREADS_MAX) != CONGRU_ERROR_MEMORY || pool != NULL)
        return 2;
    if (congru_thread_pool_create(&pool, 2) != CONGRU_OK)
        return 3;
    congru_thread_pool_run(pool, 8, add_one, counts);
    congru_thread_pool_destroy(&pool);
    return counts[7] == 1 ? 0 : 4;
}

TEST(failure_to_start_threads_is_reported)
{
    int status = -1;

    if (SANITIZED) {
        SKIP("a limit on memory cannot be set under a sanitizer");
        return;
    }
    if (getenv("MESON_EXE_WRAPPER") != NULL) {
        SKIP("a limit on memory is not felt under an emulator");
        return;
    }
    pid_t child = fork();
    if (child == 0)
        _exit(create_with_little_memory());
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_SAYING(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %#x", status);
}

typedef struct gate {
    atomic_bool open;
    atomic_int waiting;
    int counts[3];
} gate;

/* Stays until the gate opens, as a thread that serves a queue does. */
static void wait_at_gate(void *user, size_t block, int worker)
{
    gate *g = user;
    (void)worker;
    atomic_fetch_add(&g->waiting, 1);
    while (!atomic_load(&g->open))
        usleep(100);
    g->counts[block]++;
}

TEST(blocks_run_while_the_caller_goes_on)
{
    congru_thread_pool *pool = make_thread_pool(4);
    for (int turn = 0; turn < 20; turn++) {
        gate g = {.waiting = 0};
        congru_thread_pool_begin(pool, 3, wait_at_gate, &g);
        while (atomic_load(&g.waiting) < 3) /* all three at once, none of them in this thread */
            usleep(100);
        atomic_store(&g.open, true);
        congru_thread_pool_finish(pool);
        CHECK(g.counts[0] == 1 && g.counts[1] == 1 && g.counts[2] == 1);
    }
    congru_thread_pool_destroy(&pool);
}

TEST(what_no_worker_has_begun_is_finished_by_the_caller)
{
    congru_thread_pool *pool = make_thread_pool(2);
    int counts[8] = {0};
    congru_thread_pool_begin(pool, 8, add_one, counts);
    congru_thread_pool_finish(pool);
    for (size_t i = 0; i < 8; i++)
        CHECK(counts[i] == 1);
    congru_thread_pool_destroy(&pool);
}

TEST(default_is_at_least_one)
{
    CHECK(congru_thread_pool_default_threads() >= 1);
    CHECK(congru_thread_pool_default_threads() <= CONGRU_THREADS_MAX);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
