/* One block of memory handed out in aligned pieces. SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>

#include "base/memory.h"

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

/* Ahead of the memory of a piece that did not fit, and as large as its alignment. */
struct congru_arena_spare {
    struct congru_arena_spare *next;
};

/* Memory of its own for a piece that does not fit: the caller that laid it out writes to it before anybody can ask whether it
 * fitted. */
static void *take_spare(congru_arena *arena, size_t size)
{
    arena->missing = add(arena->missing, size);
    const size_t whole = add(size, CONGRU_ARENA_ALIGNMENT);
    struct congru_arena_spare *spare = whole != SIZE_MAX ? congru_memory_take(whole) : NULL;
    if (spare == NULL)
        return NULL;
    spare->next = arena->spare;
    arena->spare = spare;
    return (char *)spare + CONGRU_ARENA_ALIGNMENT;
}

static void give_spares(congru_arena *arena)
{
    while (arena->spare != NULL) {
        struct congru_arena_spare *next = arena->spare->next;
        congru_memory_give(arena->spare);
        arena->spare = next;
    }
}

void *congru_arena_take(congru_arena *arena, size_t count, size_t element_size)
{
    size_t start = arena->used;

    /* Rounding each piece up keeps the next one aligned, as the base is. */
    const size_t size = round_up(multiply(count, element_size));
    arena->used = add(start, size);
    if (arena->base == NULL)
        return NULL;
    if (arena->used <= arena->size)
        return arena->base + start;
    arena->used = start;
    return take_spare(arena, size);
}

congru_status congru_arena_reserve(congru_arena *arena, size_t size)
{
    /* A base, even for an empty layout, is what tells placing from measuring. */
    size_t rounded = round_up(size > 0 ? size : 1);

    congru_arena_reset(arena);
    arena->missing = 0;
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
    give_spares(arena);
    arena->used = 0;
}

void congru_arena_free(congru_arena *arena)
{
    give_spares(arena);
    congru_memory_give(arena->base);
    *arena = (congru_arena){0};
}
