/* The context a caller works in: threads, instruction set, progress, error text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CONTEXT_H
#define CONGRU_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One context serves one calling thread at a time; make several for several callers. It owns a thread pool of
 * threads and scratch memory that grows to what the largest call needed and is then reused, so calls of
 * a size seen before do not allocate. Results never depend on the number of threads or on the
 * instruction set: they are the same bits.
 *
 * A null pointer is CONGRU_ERROR_ARGUMENT unless the declaration says that it may be NULL, and so is an enum that has no
 * such value; functions without a status then answer 0, false or NULL, and those that fill in or free do nothing. What
 * does its work on one thread needs the context for the error text alone, and takes NULL for it. */
typedef struct congru_context congru_context;

/* Called from the calling thread between pieces of work, `done` of `total`. Return false to stop: the
 * call then ends with CONGRU_ERROR_CANCELLED. */
typedef bool (*congru_progress)(void *user, size_t done, size_t total);

typedef struct congru_context_options {
    int threads;              /* 0: one for each processor this process may use; at most CONGRU_THREADS_MAX */
    const char *cpu;          /* NULL: the environment's CONGRU_CPU, else the best there is; or a name from
                                 congru_cpu_name() */
    congru_progress progress; /* may be NULL */
    void *progress_user;
} congru_context_options;

enum { CONGRU_THREADS_MAX = 1024 };

/* `options` NULL means all defaults. Fails with CONGRU_ERROR_CPU when the instruction set cannot be had,
 * CONGRU_ERROR_ARGUMENT for a thread count out of range, CONGRU_ERROR_MEMORY; *context is then NULL. */
CONGRU_API congru_status congru_context_create(congru_context **context, const congru_context_options *options);

/* Frees the context and sets *context to NULL; NULL is allowed. */
CONGRU_API void congru_context_destroy(congru_context **context);

/* One line about the last failure in this context ("" after none): what was expected and what was found.
 * Valid until the next call with this context. */
CONGRU_API const char *congru_context_error(const congru_context *context);

enum { CONGRU_NOTES_MAX = 16, CONGRU_NOTE_SIZE = 256 };

/* What methods found worth telling although they succeeded ("class 'feet' has no trial..."), each once, since the
 * context was made: index 0, 1, ... until NULL. At most CONGRU_NOTES_MAX are kept. */
CONGRU_API const char *congru_context_note(const congru_context *context, size_t index);

CONGRU_API int congru_context_threads(const congru_context *context);

/* The instruction set in use: "base", "avx2", "avx512" or "neon". */
CONGRU_API const char *congru_context_cpu(const congru_context *context);

/* The instruction sets this library was built with, slowest first: index 0, 1, ... until NULL. */
CONGRU_API const char *congru_cpu_name(size_t index);

/* Whether this machine can run the named instruction set. */
CONGRU_API bool congru_cpu_available(const char *name);

#ifdef __cplusplus
}
#endif
#endif
