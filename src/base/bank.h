/* Memory that is given back and taken again without asking the system. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_BANK_H
#define CONGRU_BASE_BANK_H

#include <stddef.h>

/* Functions take workspaces for the length of a call. For a decoder, which makes the same calls over and over and must
 * not allocate, a bank keeps what they give back. {0} is empty; it fills with the first calls made while it is lent.
 * One thread at a time; no locks. */
enum { CONGRU_BANK_BLOCKS = 64 };

typedef struct congru_bank {
    struct congru_bank_block {
        void *memory;
        size_t size;
        int busy;
    } block[CONGRU_BANK_BLOCKS];
    size_t count;
} congru_bank;

/* From now on the calling thread takes memory from this bank; NULL: from the system again. Returns the one before. */
congru_bank *congru_bank_lend(congru_bank *bank);

/* The one owner of memory that may be large: every array of numbers that is read from a file, and everything that grows
 * with one, is taken, grown and given back by these three. Such an array may be a temporary file (base/store.h), so
 * free() and realloc() on it are faults; it may always be written to. */

/* 64-byte aligned, contents undefined; NULL when there is none. Beyond congru_store_limit it is a temporary file and no
 * bank's. */
void *congru_memory_take(size_t size);

/* NULL is allowed. What was taken from a bank may be given back when it is no longer lent: it is then free for good.
 * Gives back what came from malloc as well. */
void congru_memory_give(void *memory);

/* More memory with the first `used` bytes of what is given back for it; NULL and nothing changed when there is none. */
void *congru_memory_grow(void *memory, size_t used, size_t size);

/* Frees what is in the bank. What is still taken is left to those who have it. */
void congru_bank_clear(congru_bank *bank);

#endif
