/* Workspaces reserved for workers, and checked for pieces without room. SPDX-License-Identifier: Apache-2.0 */
#include "base/workspace.h"

congru_status congru_workspace_check(congru_context *context, const congru_arena *arena)
{
    if (arena->missing == 0)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_MEMORY,
        "a workspace of %zu bytes is too small by %zu bytes: a fault of the library (please report it, "
        "with the command and the sizes of the data)",
        arena->size, arena->missing);
}

congru_status congru_workspace_free(congru_context *context, congru_arena *arena, congru_status status)
{
    if (status == CONGRU_OK)
        status = congru_workspace_check(context, arena);
    congru_arena_free(arena);
    return status;
}

congru_status congru_scratch_reserve(congru_context *context, size_t size)
{
    for (int worker = 0; worker < congru_thread_pool_threads(context->pool); worker++)
        if (congru_arena_reserve(&context->scratch[worker], size) != CONGRU_OK)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a workspace of %zu bytes", size);
    return CONGRU_OK;
}

congru_status congru_scratch_check(congru_context *context)
{
    congru_status status = CONGRU_OK;
    for (int worker = 0; status == CONGRU_OK && worker < congru_thread_pool_threads(context->pool); worker++)
        status = congru_workspace_check(context, &context->scratch[worker]);
    return status;
}
