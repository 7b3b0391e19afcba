/* The bytes of a file, read at offsets; or bytes in memory, for tests and fuzzing. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_SOURCE_H
#define CONGRU_ARRAY_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* A file is read with pread and never mapped: one that shrinks while it is read gives an error, not a signal. */
typedef struct congru_source {
    const char *name;             /* for error texts; not owned */
    int descriptor;               /* -1: memory */
    const unsigned char *bytes;   /* of memory */
    uint64_t size;                /* of the file when it was opened */
    int64_t seconds, nanoseconds; /* when it was last written to, then */
} congru_source;

/* A regular file; CONGRU_ERROR_IO with "FILE: reason" otherwise. */
congru_status congru_source_open(congru_context *context, const char *path, congru_source *source);

/* Whether something is under the name, for what may be missing; CONGRU_ERROR_IO where that cannot be told. */
congru_status congru_source_exists(congru_context *context, const char *path, bool *exists);

/* Bytes that stay where they are; nothing to close. */
congru_source congru_source_memory(const char *name, const void *bytes, size_t size);

/* Exactly `size` bytes at `offset`. CONGRU_ERROR_FORMAT with "NAME: ends at byte N where byte M is needed
 * (truncated?)" past the end. */
congru_status congru_source_read(congru_context *context, const congru_source *source, uint64_t offset,
                                 size_t size, void *buffer);

/* CONGRU_ERROR_IO where the file was written to, or has another size, since it was opened: what was read of it may be
 * half of the one and half of the other. To be asked when all is read that is needed; a file that is replaced by another
 * of its name is as it was. */
congru_status congru_source_check(congru_context *context, const congru_source *source);

/* The whole of a regular file of at most `most` bytes, with a NUL behind it, to be freed; NULL on failure, with
 * "FILE: reason" in the context. `what` says what it is in the reason for refusing a larger one. */
congru_status congru_source_text(congru_context *context, const char *path, size_t most, const char *what,
                                 char **text, size_t *size);

void congru_source_close(congru_source *source);

#endif
