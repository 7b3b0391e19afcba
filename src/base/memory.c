/* Memory that is kept for the next call. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mapped_memory.h"

enum { COPIED = 1 << 20 }; /* bytes between two calls of congru_mapped_pass */

static _Thread_local congru_memory_cache *lent;

congru_memory_cache *congru_memory_cache_lend(congru_memory_cache *cache)
{
    congru_memory_cache *before = lent;
    lent = cache;
    return before;
}

/* The smallest that is large enough. */
static struct congru_memory_cache_block *find_free(congru_memory_cache *cache, size_t size)
{
    struct congru_memory_cache_block *best = NULL;
    for (size_t i = 0; i < cache->count; i++) {
        struct congru_memory_cache_block *block = &cache->block[i];
        if (!block->busy && block->size >= size && (best == NULL || block->size < best->size))
            best = block;
    }
    return best;
}

void *congru_memory_take(size_t size)
{
    const size_t mask = CONGRU_ARENA_ALIGNMENT - 1;
    if (size > congru_mapped_limit())
        return congru_mapped_take(size);
    struct congru_memory_cache_block *block = lent != NULL ? find_free(lent, size) : NULL;
    if (block != NULL) {
        block->busy = 1;
        return block->memory;
    }
    if (size > SIZE_MAX - mask)
        return NULL;
    size = size > 0 ? (size + mask) & ~mask : CONGRU_ARENA_ALIGNMENT;
    void *memory = aligned_alloc(CONGRU_ARENA_ALIGNMENT, size);
    if (memory != NULL && lent != NULL && lent->count < CONGRU_MEMORY_CACHE_BLOCKS)
        lent->block[lent->count++] = (struct congru_memory_cache_block){memory, size, 1};
    return memory;
}

void congru_memory_give(void *memory)
{
    for (size_t i = 0; memory != NULL && lent != NULL && i < lent->count; i++) {
        if (lent->block[i].memory == memory) {
            lent->block[i].busy = 0;
            return;
        }
    }
    if (!congru_mapped_give(memory))
        free(memory);
}

void *congru_memory_grow(void *memory, size_t used, size_t size)
{
    void *larger = congru_mapped_grow(memory, size);
    if (larger != NULL)
        return larger;
    larger = congru_memory_take(size);
    if (larger == NULL)
        return NULL;
    for (size_t done = 0; memory != NULL && done < used; done += COPIED) {
        size_t some = used - done < COPIED ? used - done : COPIED;
        memcpy((char *)larger + done, (const char *)memory + done, some);
        congru_mapped_pass(2 * some);
    }
    congru_memory_give(memory);
    return larger;
}

void congru_memory_cache_clear(congru_memory_cache *cache)
{
    for (size_t i = 0; i < cache->count; i++)
        if (!cache->block[i].busy)
            free(cache->block[i].memory);
    *cache = (congru_memory_cache){.count = 0};
}
