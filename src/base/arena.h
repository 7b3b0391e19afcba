/* Memory handed out in aligned pieces: measure first, then place. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_ARENA_H
#define CONGRU_BASE_ARENA_H

#include <stddef.h>

#include "congru/status.h"

enum { CONGRU_ARENA_ALIGNMENT = 64 };

/* An arena whose base is NULL measures: congru_arena_take returns NULL and only adds up what would be used.
 * An arena with memory places. A workspace therefore has one layout function, run twice, and its size
 * cannot disagree with its contents:
 *
 *     static void mean_layout(congru_arena *arena, mean_workspace *w, size_t n, size_t d)
 *     {
 *         w->logs = congru_arena_take(arena, n * d * d, sizeof(double));
 *         w->sum = congru_arena_take(arena, d * d, sizeof(double));
 *     }
 *
 *     congru_arena measure = {0};
 *     mean_layout(&measure, &w, n, d);
 *     status = congru_arena_reserve(&context->arena, measure.used);
 *     if (status != CONGRU_OK)
 *         return status;
 *     mean_layout(&context->arena, &w, n, d);
 *     status = congru_workspace_check(context, &context->arena);
 *
 * The last line is for those who measure what they do not place, or place what they did not measure: base/workspace.h.
 * {0} is an empty arena. Freed by congru_arena_free. */
typedef struct congru_arena {
    char *base;
    size_t used; /* SIZE_MAX once a sum has overflowed: reserving that much fails */
    size_t size;
    size_t missing;                   /* bytes of pieces that did not fit since memory was reserved */
    struct congru_arena_spare *spare; /* the memory those have got */
} congru_arena;

/* count * element_size bytes, 64-byte aligned, contents undefined. NULL while measuring. A piece that does not fit, which
 * is a layout that was not the one measured, is counted in `missing`; until the pieces are taken back it has memory of its
 * own, so that nobody writes to nowhere before the fault is reported (NULL where the system has none left either). */
void *congru_arena_take(congru_arena *arena, size_t count, size_t element_size);

/* Makes room for `size` bytes and takes back all pieces: contents are lost even where no memory had to be
 * got. Never shrinks. On CONGRU_ERROR_MEMORY the arena is empty. */
congru_status congru_arena_reserve(congru_arena *arena, size_t size);

/* Takes back all pieces; keeps the memory, and the count of what did not fit. */
void congru_arena_reset(congru_arena *arena);

/* Frees the memory and empties the arena, which can then be used again. */
void congru_arena_free(congru_arena *arena);

#endif
