/* One block of memory handed out in aligned pieces. SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>

#include "base/bank.h"

/* SIZE_MAX, which no allocation can satisfy, stands for every sum or product that does not fit. */
static size_t add(size_t a, size_t b)
{
    return a <= SIZE_MAX - b ? a + b : SIZE_MAX;
}

static size_t multiply(size_t a, size_t b)
{
    return b == 0 || a <= SIZE_MAX / b ? a * b : SIZE_MAX;
}

static size_t round_up(size_t size)
{
    const size_t mask = CONGRU_ARENA_ALIGNMENT - 1;

    return size <= SIZE_MAX - mask ? (size + mask) & ~mask : SIZE_MAX;
}

void *congru_arena_take(congru_arena *arena, size_t count, size_t element_size)
{
    size_t start = arena->used;

    /* Rounding each piece up keeps the next one aligned, as the base is. */
    arena->used = add(start, round_up(multiply(count, element_size)));
    if (arena->base == NULL)
        return NULL;
    if (arena->used > arena->size) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    return arena->base + start;
}

congru_status congru_arena_reserve(congru_arena *arena, size_t size)
{
    /* A base, even for an empty layout, is what tells placing from measuring. */
    size_t rounded = round_up(size > 0 ? size : 1);

    arena->used = 0;
    if (arena->base != NULL && rounded <= arena->size)
        return CONGRU_OK;
    congru_arena_free(arena);
    if (rounded == SIZE_MAX)
        return CONGRU_ERROR_MEMORY;
    arena->base = congru_memory_take(rounded);
    if (arena->base == NULL)
        return CONGRU_ERROR_MEMORY;
    arena->size = rounded;
    return CONGRU_OK;
}

void congru_arena_reset(congru_arena *arena)
{
    arena->used = 0;
}

void congru_arena_free(congru_arena *arena)
{
    congru_memory_give(arena->base);
    *arena = (congru_arena){0};
}
