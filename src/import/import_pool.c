/* Reads files in several threads; the result does not tell how many. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "import/import_internal.h"

enum { FILES_AHEAD = 2 }; /* for each thread */

struct import_pool {
    congru_context *caller;
    const congru_import *import;
    import_file *files;
    bool *done;    /* (count) */
    size_t wanted; /* the one that is waited for; those far behind it are not begun */
    bool stop;
    pthread_mutex_t lock; /* over the three above */
    pthread_cond_t changed;
    size_t threads;
    congru_thread_pool *pool; /* of one thread more: the caller's, which reads nothing */
    congru_context **context;
};

/* Files are begun in their order, so that the one waited for is never behind those that wait for it here. */
static void read_file(void *user, size_t mine, int worker)
{
    import_pool *pool = user;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop && mine >= pool->wanted + FILES_AHEAD * pool->threads)
        pthread_cond_wait(&pool->changed, &pool->lock);
    bool stop = pool->stop;
    pthread_mutex_unlock(&pool->lock);
    if (stop)
        return;
    congru_import_file_read(pool->context[worker - 1], pool->import, &pool->files[mine]);
    pthread_mutex_lock(&pool->lock);
    pool->done[mine] = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

static congru_status make_contexts(congru_context *context, import_pool *pool)
{
    congru_status status = CONGRU_OK;
    congru_context_options options = {.threads = 1, .cpu = congru_context_cpu(context)};
    for (size_t i = 0; status == CONGRU_OK && i < pool->threads; i++)
        status = congru_context_create(&pool->context[i], &options);
    if (status == CONGRU_OK)
        status = congru_thread_pool_create(&pool->pool, (int)pool->threads + 1);
    if (status == CONGRU_OK)
        return CONGRU_OK;
    return congru_fail(context, status,
                       "cannot start %zu threads: not enough memory, or too many threads (give a smaller "
                       "--jobs)",
                       pool->threads);
}

congru_status congru_import_pool_start(congru_context *context, const congru_import *import, import_file *files,
                                       size_t count, size_t threads, import_pool **pool)
{
    *pool = NULL;
    import_pool *made = calloc(1, sizeof *made);
    if (made == NULL)
        return congru_fail_memory(context, "%zu threads", threads);
    *made = (import_pool){.caller = context, .import = import, .files = files};
    made->threads = threads < count ? threads : count;
    made->done = calloc(count, sizeof *made->done);
    made->context = calloc(made->threads, sizeof *made->context);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    congru_status status = CONGRU_OK;
    if (made->done == NULL || made->context == NULL)
        status = congru_fail_memory(context, "%zu threads", made->threads);
    if (status == CONGRU_OK)
        status = make_contexts(context, made);
    if (status == CONGRU_OK)
        congru_thread_pool_begin(made->pool, count, read_file, made);
    else
        congru_import_pool_stop(&made);
    *pool = made;
    return status;
}

void congru_import_pool_wait(import_pool *pool, size_t index)
{
    pthread_mutex_lock(&pool->lock);
    pool->wanted = index;
    pthread_cond_broadcast(&pool->changed);
    while (!pool->done[index])
        pthread_cond_wait(&pool->changed, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void congru_import_pool_stop(import_pool **pool)
{
    import_pool *ended = *pool;
    if (ended == NULL)
        return;
    pthread_mutex_lock(&ended->lock);
    ended->stop = true;
    pthread_cond_broadcast(&ended->changed);
    pthread_mutex_unlock(&ended->lock);
    if (ended->pool != NULL)
        congru_thread_pool_finish(ended->pool);
    congru_thread_pool_destroy(&ended->pool);
    for (size_t i = 0; ended->context != NULL && i < ended->threads; i++) {
        for (size_t k = 0; ended->context[i] != NULL && congru_context_note(ended->context[i], k) != NULL; k++)
            congru_note(ended->caller, "%s", congru_context_note(ended->context[i], k));
        congru_context_destroy(&ended->context[i]);
    }
    pthread_cond_destroy(&ended->changed);
    pthread_mutex_destroy(&ended->lock);
    free(ended->done);
    free(ended->context);
    free(ended);
    *pool = NULL;
}
