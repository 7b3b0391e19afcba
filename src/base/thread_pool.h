/* A thread pool of threads that shares out the numbered blocks of a job. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_THREAD_POOL_H
#define CONGRU_BASE_THREAD_POOL_H

#include <stddef.h>

#include "congru/status.h"

/* Blocks go to whichever thread is free, so results are the same for any number of threads exactly when what
 * a task does for a block, and where it writes it, follows from the block's index alone. `worker`, from 0 to
 * congru_thread_pool_threads() - 1, is for picking scratch memory: no two calls with the same worker overlap. */
typedef struct congru_thread_pool congru_thread_pool;

typedef void (*congru_thread_pool_task)(void *user, size_t block, int worker);

/* `threads` includes the thread that calls congru_thread_pool_run; the others are started here. At least 1, and at most
 * CONGRU_THREADS_MAX beside a caller that does not work (congru_thread_pool_begin). Fails with CONGRU_ERROR_ARGUMENT, or CONGRU_ERROR_MEMORY when they cannot all be had; *thread pool is then
 * NULL. */
congru_status congru_thread_pool_create(congru_thread_pool **pool, int threads);

/* Ends the threads, frees the thread pool and sets *thread pool to NULL; NULL is allowed. */
void congru_thread_pool_destroy(congru_thread_pool **pool);

int congru_thread_pool_threads(const congru_thread_pool *pool);

/* Calls task(user, block, worker) once for each block from 0 to blocks - 1 and returns when all have
 * returned; what they wrote is then visible to the caller. The caller works too, as worker 0. Cannot fail
 * and does not allocate. One run at a time: not from two threads, not from inside a task. */
void congru_thread_pool_run(congru_thread_pool *pool, size_t blocks, congru_thread_pool_task task, void *user);

/* The same while the caller does something else: blocks begin in their order, on the workers from 1 on, of which there must
 * be one. congru_thread_pool_finish returns when all blocks have; those that no worker has begun it runs itself, as worker 0.
 * Nothing else is run in between. */
void congru_thread_pool_begin(congru_thread_pool *pool, size_t blocks, congru_thread_pool_task task,
                              void *user);
void congru_thread_pool_finish(congru_thread_pool *pool);

/* The number of processors this process may use, at most CONGRU_THREADS_MAX. */
int congru_thread_pool_default_threads(void);

#endif
