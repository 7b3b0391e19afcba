/* Reads files in several threads; the result does not tell how many. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "import_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "terminal.h"

enum { FILES_AHEAD = 2 }; /* for each thread */

struct import_pool {
    const import_settings *settings;
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
        import_file_read(self.context, pool->settings, &pool->files[mine]);
        pthread_mutex_lock(&pool->lock);
        pool->done[mine] = true;
        pthread_cond_broadcast(&pool->changed);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int start_thread(import_pool *pool, size_t index)
{
    int code = session_open(1, &pool->context[index]);
    if (code != EXIT_DONE)
        return code;
    worker *self = malloc(sizeof *self);
    if (self == NULL)
        return terminal_fail(EXIT_FAILED, "import: not enough memory for %zu threads", pool->threads);
    *self = (worker){.pool = pool, .context = pool->context[index]};
    int error = pthread_create(&pool->thread[index], NULL, work, self);
    if (error != 0) {
        free(self);
        /* Whatever the C library lacked is told as EAGAIN. */
        return terminal_fail(EXIT_FAILED,
                             "import: cannot start a thread: not enough memory, or too many threads (give a "
                             "smaller --jobs): %s",
                             strerror(error));
    }
    pool->started++;
    return EXIT_DONE;
}

int import_pool_start(const import_settings *settings, import_file *files, size_t count, int jobs,
                      import_pool **pool)
{
    *pool = NULL;
    import_pool *made = calloc(1, sizeof *made);
    if (made == NULL)
        return terminal_fail(EXIT_FAILED, "import: not enough memory");
    made->settings = settings;
    made->files = files;
    made->count = count;
    made->threads = (size_t)jobs < count ? (size_t)jobs : count;
    made->done = calloc(count, sizeof *made->done);
    made->thread = calloc(made->threads, sizeof *made->thread);
    made->context = calloc(made->threads, sizeof *made->context);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    int code = EXIT_DONE;
    if (made->done == NULL || made->thread == NULL || made->context == NULL)
        code = terminal_fail(EXIT_FAILED, "import: not enough memory for %zu threads", made->threads);
    for (size_t i = 0; code == EXIT_DONE && i < made->threads; i++)
        code = start_thread(made, i);
    if (code != EXIT_DONE)
        import_pool_stop(&made);
    *pool = made;
    return code;
}

void import_pool_wait(import_pool *pool, size_t index)
{
    pthread_mutex_lock(&pool->lock);
    pool->wanted = index;
    pthread_cond_broadcast(&pool->changed);
    while (!pool->done[index])
        pthread_cond_wait(&pool->changed, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void import_pool_stop(import_pool **pool)
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
    for (size_t i = 0; ended->context != NULL && i < ended->threads; i++)
        congru_context_destroy(&ended->context[i]);
    pthread_cond_destroy(&ended->changed);
    pthread_mutex_destroy(&ended->lock);
    free(ended->done);
    free(ended->thread);
    free(ended->context);
    free(ended);
    *pool = NULL;
}
