/* Reads files in several threads; the result does not tell how many. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_internal.h"

enum { FILES_AHEAD = 2 }; /* for each thread */

struct import_pool {
    congru_context *caller;
    const congru_import *import;
    import_file *files;
    size_t count;
    bool *done;    /* (count) */
    size_t next;   /* the first that no thread has begun */
    size_t wanted; /* the one that is waited for; those far behind it are not begun */
    bool stop;
    pthread_mutex_t lock; /* over the four above */
    pthread_cond_t changed;
    size_t threads;
    size_t started;
    pthread_t *thread;
    congru_context **context;
};

typedef struct worker {
    import_pool *pool;
    congru_context *context;
} worker;

static void *work(void *user)
{
    worker self = *(worker *)user;
    import_pool *pool = self.pool;
    free(user);
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop && pool->next < pool->count) {
        if (pool->next >= pool->wanted + FILES_AHEAD * pool->threads) {
            pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        size_t mine = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        congru_import_file_read(self.context, pool->import, &pool->files[mine]);
        pthread_mutex_lock(&pool->lock);
        pool->done[mine] = true;
        pthread_cond_broadcast(&pool->changed);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static congru_status start_thread(congru_context *context, import_pool *pool, size_t index)
{
    congru_status status = congru_context_create(
        &pool->context[index], &(congru_context_options){.threads = 1, .cpu = congru_context_cpu(context)});
    if (status != CONGRU_OK)
        return congru_fail(context, status, "cannot start a thread: %s", congru_status_text(status));
    worker *self = malloc(sizeof *self);
    if (self == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu threads", pool->threads);
    *self = (worker){.pool = pool, .context = pool->context[index]};
    int error = pthread_create(&pool->thread[index], NULL, work, self);
    if (error != 0) {
        free(self);
        /* Whatever the C library lacked is told as EAGAIN. */
        return congru_fail(context, CONGRU_ERROR_MEMORY,
                           "cannot start a thread: not enough memory, or too many threads (give a smaller "
                           "--jobs): %s",
                           strerror(error));
    }
    pool->started++;
    return CONGRU_OK;
}

congru_status congru_import_pool_start(congru_context *context, const congru_import *import, import_file *files,
                                       size_t count, size_t threads, import_pool **pool)
{
    *pool = NULL;
    import_pool *made = calloc(1, sizeof *made);
    if (made == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu threads", threads);
    made->caller = context;
    made->import = import;
    made->files = files;
    made->count = count;
    made->threads = threads < count ? threads : count;
    made->done = calloc(count, sizeof *made->done);
    made->thread = calloc(made->threads, sizeof *made->thread);
    made->context = calloc(made->threads, sizeof *made->context);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    congru_status status = CONGRU_OK;
    if (made->done == NULL || made->thread == NULL || made->context == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu threads", made->threads);
    for (size_t i = 0; status == CONGRU_OK && i < made->threads; i++)
        status = start_thread(context, made, i);
    if (status != CONGRU_OK)
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
    for (size_t i = 0; i < ended->started; i++)
        pthread_join(ended->thread[i], NULL);
    for (size_t i = 0; ended->context != NULL && i < ended->threads; i++) {
        for (size_t k = 0; ended->context[i] != NULL && congru_context_note(ended->context[i], k) != NULL; k++)
            congru_note(ended->caller, "%s", congru_context_note(ended->context[i], k));
        congru_context_destroy(&ended->context[i]);
    }
    pthread_cond_destroy(&ended->changed);
    pthread_mutex_destroy(&ended->lock);
    free(ended->done);
    free(ended->thread);
    free(ended->context);
    free(ended);
    *pool = NULL;
}
