/* Writes a file so that it is under its name whole or not at all. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_FILE_WRITE_H
#define CONGRU_DATASET_FILE_WRITE_H

#include <stddef.h>

#include "congru/context.h"

/* Bytes to write; the caller keeps owning them. */
typedef struct congru_file_piece {
    const void *data;
    size_t size;
} congru_file_piece;

/* Writes the pieces one after another to a new file in the directory of `path`, flushes it to the disk and
 * renames it to `path`; on failure the new file is removed and what was under `path` is untouched. A symbolic
 * link stays, the file it leads to is replaced. What is not a regular file (a pipe, /dev/null, /dev/stdout)
 * is written to directly. Fails with CONGRU_ERROR_IO; the error text begins with `path`. */
congru_status congru_file_write(congru_context *context, const char *path, const congru_file_piece *pieces,
                                size_t count);

#endif
