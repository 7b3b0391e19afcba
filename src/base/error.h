/* The inside of a context, and how a function fails. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_ERROR_H
#define CONGRU_BASE_ERROR_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/thread_pool.h"
#include "congru/status.h"

enum { CONGRU_ERROR_TEXT_SIZE = 1024 };

/* Made by kernel/context.c, which knows the kernels. */
struct congru_context {
    const struct congru_kernel *kernel;
    congru_thread_pool *pool;
    congru_arena *scratch; /* one per worker of the thread pool, for the task it is running */
    congru_arena shared;   /* for the calling function, beside what its tasks take */
    congru_arena composed; /* for a function made of others that themselves take `shared` */
    congru_progress progress;
    void *progress_user;
    char *definitions; /* of pipelines, as congru_pipeline_define takes them; or NULL */
    char error[CONGRU_ERROR_TEXT_SIZE];
    size_t notes;
    char note[CONGRU_NOTES_MAX][CONGRU_NOTE_SIZE];
};

/* Formats the error text of the context, which may be NULL, and returns the status. A text that is too long keeps its
 * beginning and its end, "FIRST...LAST":
 * return congru_fail(context, CONGRU_ERROR_IO, "%s: %s", path, strerror(errno)). */
congru_status congru_fail(congru_context *context, congru_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A call that fails ends the function with what it failed with: CONGRU_TRY(congru_view_copy(context, ...)). Where something
 * is to be freed, CONGRU_TRY_TO(done, call) keeps the status in the function's own `status` and goes to the label, once and
 * for all before what is freed. */
#define CONGRU_TRY(call) \
    do { \
        const congru_status congru_try_status_ = (call); \
        if (congru_try_status_ != CONGRU_OK) \
            return congru_try_status_; \
    } while (0)
#define CONGRU_TRY_TO(label, call) \
    do { \
        status = (call); \
        if (status != CONGRU_OK) \
            goto label; \
    } while (0)

/* CONGRU_ERROR_MEMORY, "not enough memory for WHAT". */
congru_status congru_fail_memory(congru_context *context, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

/* Zeroed memory for `count` elements of `size` bytes, of no element too, and a place for one more in an array that doubles:
 *     CONGRU_TRY(congru_allocate(context, &label, count, sizeof *label, "%zu trials", count));
 *     CONGRU_TRY(congru_grow(context, &list->item, &list->room, list->count + 1, sizeof *list->item, "a list"));
 * `pointer` is the address of a pointer to elements, which free() frees. Where there is none the call fails with the text
 * itself; the pointer is then NULL, or the array that was there. */
congru_status congru_allocate(congru_context *context, void *pointer, size_t count, size_t size,
                              const char *what, ...) __attribute__((format(printf, 5, 6)));
congru_status congru_grow(congru_context *context, void *pointer, size_t *room, size_t count, size_t size,
                          const char *what);

/* The same of memory that may be large (base/memory.h), whose contents are undefined and which congru_memory_give frees. */
congru_status congru_take(congru_context *context, void *pointer, size_t count, size_t size, const char *what,
                          ...) __attribute__((format(printf, 5, 6)));

/* Puts what to do behind the error text, "TEXT (WHAT)", and returns the status. */
congru_status congru_fail_more(congru_context *context, congru_status status, const char *what);

/* How a public call begins: CONGRU_ERROR_ARGUMENT without a context, or when `valid` is false, with the text "WHAT"; else the
 * error text is cleared. */
congru_status congru_check_argument(congru_context *context, bool valid, const char *what);

/* Whether no memory holds an array (rows, columns) of doubles, so that its size may not be a number either. */
bool congru_too_many(size_t rows, size_t columns);

/* CONGRU_ERROR_ARGUMENT for such an array, "ROWS x COLUMNS numbers are more than memory can hold". */
congru_status congru_check_count(congru_context *context, size_t rows, size_t columns);

/* Keeps a note in the context, unless it is there already or there are CONGRU_NOTES_MAX. */
void congru_note(congru_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
