/* Memory that is kept for the next call. SPDX-License-Identifier: Apache-2.0 */
#include "base/bank.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/store.h"

enum { COPIED = 1 << 20 }; /* bytes between two words to the store */

static _Thread_local congru_bank *lent;

congru_bank *congru_bank_lend(congru_bank *bank)
{
    congru_bank *before = lent;
    lent = bank;
    return before;
}

/* The smallest that is large enough. */
static struct congru_bank_block *find_free(congru_bank *bank, size_t size)
{
    struct congru_bank_block *best = NULL;
    for (size_t i = 0; i < bank->count; i++) {
        struct congru_bank_block *block = &bank->block[i];
        if (!block->busy && block->size >= size && (best == NULL || block->size < best->size))
            best = block;
    }
    return best;
}

void *congru_memory_take(size_t size)
{
    const size_t mask = CONGRU_ARENA_ALIGNMENT - 1;
    if (size > congru_store_limit())
        return congru_store_take(size);
    struct congru_bank_block *block = lent != NULL ? find_free(lent, size) : NULL;
    if (block != NULL) {
        block->busy = 1;
        return block->memory;
    }
    if (size > SIZE_MAX - mask)
        return NULL;
    size = size > 0 ? (size + mask) & ~mask : CONGRU_ARENA_ALIGNMENT;
    void *memory = aligned_alloc(CONGRU_ARENA_ALIGNMENT, size);
    if (memory != NULL && lent != NULL && lent->count < CONGRU_BANK_BLOCKS)
        lent->block[lent->count++] = (struct congru_bank_block){memory, size, 1};
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
    if (!congru_store_give(memory))
        free(memory);
}

void *congru_memory_grow(void *memory, size_t used, size_t size)
{
    void *larger = congru_store_grow(memory, size);
    if (larger != NULL)
        return larger;
    larger = congru_memory_take(size);
    if (larger == NULL)
        return NULL;
    for (size_t done = 0; memory != NULL && done < used; done += COPIED) {
        size_t some = used - done < COPIED ? used - done : COPIED;
        memcpy((char *)larger + done, (const char *)memory + done, some);
        congru_store_pass(2 * some);
    }
    congru_memory_give(memory);
    return larger;
}

void congru_bank_clear(congru_bank *bank)
{
    for (size_t i = 0; i < bank->count; i++)
        if (!bank->block[i].busy)
            free(bank->block[i].memory);
    *bank = (congru_bank){.count = 0};
}
