/* Memory that is given back and taken again without asking the system. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_MEMORY_H
#define CONGRU_BASE_MEMORY_H

#include <stddef.h>

/* Functions take workspaces for the length of a call. For a decoder, which makes the same calls over and over and must
 * not allocate, a cache keeps what they give back. {0} is empty; it fills with the first calls made while it is lent.
 * One thread at a time; no locks. */
enum { CONGRU_MEMORY_CACHE_BLOCKS = 64 };

typedef struct congru_memory_cache {
    struct congru_memory_cache_block {
        void *memory;
        size_t size;
        int busy;
    } block[CONGRU_MEMORY_CACHE_BLOCKS];
    size_t count;
} congru_memory_cache;

/* From now on the calling thread takes memory from this cache; NULL: from the system again. Returns the one before. */
congru_memory_cache *congru_memory_cache_lend(congru_memory_cache *cache);

/* The one owner of memory that may be large: every array of numbers that is read from a file, and everything that grows
 * with one, is taken, grown and given back by these three. Such an array may be a temporary file (base/mapped_memory.h), so
 * free() and realloc() on it are faults; it may always be written to. */

/* 64-byte aligned, contents undefined; NULL when there is none. Beyond congru_mapped_limit it is a temporary file and no
 * cache's. */
void *congru_memory_take(size_t size);

/* NULL is allowed. What was taken from a cache may be given back when it is no longer lent: it is then free for good.
 * Gives back what came from malloc as well. */
void congru_memory_give(void *memory);

/* More memory with the first `used` bytes of what is given back for it; NULL and nothing changed when there is none. */
void *congru_memory_grow(void *memory, size_t used, size_t size);

/* Frees what is in the cache. What is still taken is left to those who have it. */
void congru_memory_cache_clear(congru_memory_cache *cache);

#endif
