/* The context a caller works in: threads and instruction set. SPDX-License-Identifier: Apache-2.0 */
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
 * does its work on one thread needs the context for the error text alone, and takes NULL for it.
 *
 * congru/status.h has what a context tells: the words of the last failure, notes, progress. */

typedef struct congru_context_options {
    int threads;              /* 0: one for each processor this process may use; at most CONGRU_THREADS_MAX */
    const char *cpu;          /* NULL: the environment's CONGRU_CPU, else the best there is; or a name from
                                 congru_cpu_name() */
    congru_progress progress; /* may be NULL */
    void *progress_user;
} congru_context_options;

/* `options` NULL means all defaults. Fails with CONGRU_ERROR_CPU when the instruction set cannot be had,
 * CONGRU_ERROR_ARGUMENT for a thread count out of range, CONGRU_ERROR_MEMORY; *context is then NULL. */
CONGRU_API congru_status congru_context_create(congru_context **context, const congru_context_options *options);

/* Frees the context and sets *context to NULL; NULL is allowed. */
CONGRU_API void congru_context_destroy(congru_context **context);

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
