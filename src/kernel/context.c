/* Making and freeing a context. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/error.h"
#include "congru/context.h"
#include "kernel/kernel.h"

static congru_status start(congru_context *context, int threads)
{
    CONGRU_TRY(congru_thread_pool_create(&context->pool, threads));
    context->scratch = calloc((size_t)threads, sizeof *context->scratch);
    return context->scratch != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
}

congru_status congru_context_create(congru_context **context, const congru_context_options *options)
{
    if (context == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *context = NULL;
    const congru_context_options none = {0};
    if (options == NULL)
        options = &none;
    if (options->threads < 0 || options->threads > CONGRU_THREADS_MAX)
        return CONGRU_ERROR_ARGUMENT;
    const char *cpu = options->cpu != NULL ? options->cpu : getenv("CONGRU_CPU");
    const congru_kernel *kernel = congru_kernel_find(cpu != NULL && cpu[0] != '\0' ? cpu : NULL);
    if (kernel == NULL)
        return CONGRU_ERROR_CPU;

    congru_context *made = calloc(1, sizeof *made);
    if (made == NULL)
        return CONGRU_ERROR_MEMORY;
    made->kernel = kernel;
    made->progress = options->progress;
    made->progress_user = options->progress_user;
    congru_status status =
        start(made, options->threads > 0 ? options->threads : congru_thread_pool_default_threads());
    if (status != CONGRU_OK)
        congru_context_destroy(&made);
    *context = made;
    return status;
}

void congru_context_destroy(congru_context **context)
{
    if (context == NULL || *context == NULL)
        return;
    congru_context *dying = *context;
    if (dying->scratch != NULL) {
        for (int worker = 0; worker < congru_thread_pool_threads(dying->pool); worker++)
            congru_arena_free(&dying->scratch[worker]);
    }
    free(dying->scratch);
    free(dying->definitions);
    congru_arena_free(&dying->shared);
    congru_arena_free(&dying->composed);
    congru_thread_pool_destroy(&dying->pool);
    free(dying);
    *context = NULL;
}

int congru_context_threads(const congru_context *context)
{
    return context != NULL ? congru_thread_pool_threads(context->pool) : 0;
}

const char *congru_context_cpu(const congru_context *context)
{
    return context != NULL ? context->kernel->name : "";
}
