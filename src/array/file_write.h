/* Writes a file so that it is under its name whole or not at all. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_FILE_WRITE_H
#define CONGRU_ARRAY_FILE_WRITE_H

#include <stddef.h>

#include "base/text.h"
#include "congru/status.h"

/* Bytes to write; the caller keeps owning them. */
typedef struct congru_file_piece {
    const void *data;
    size_t size;
} congru_file_piece;

/* Writes the pieces one after another to a new file in the directory of `path`, which is made where it is missing, flushes it to the disk and
 * renames it to `path`; on failure the new file is removed and what was under `path` is untouched. A symbolic
 * link stays, the file it leads to is replaced. What is not a regular file (a pipe, /dev/null, /dev/stdout)
 * is written to directly. Fails with CONGRU_ERROR_IO; the error text begins with `path`. */
congru_status congru_file_write(congru_context *context, const char *path, const congru_file_piece *pieces,
                                size_t count);

/* congru_file_write of a text to FOLDER/NAME, whose folder must be there, and where what is no regular file is refused: a pipe
 * in a folder of results has no reader. The text is freed. */
congru_status congru_file_write_text(congru_context *context, const char *folder, const char *name,
                                     congru_text *text);

/* The same in steps, for what is written out of order: begin, write at will to the descriptor, which is open
 * for reading and writing and can seek, then commit or abandon. For a `path` that is not a regular file the
 * draft is a nameless temporary file, copied to it by the commit. */
typedef struct congru_file_draft congru_file_draft;

/* *draft is NULL on failure. */
congru_status congru_file_begin(congru_context *context, const char *path, congru_file_draft **draft);
int congru_file_descriptor(const congru_file_draft *draft);
const char *congru_file_path(const congru_file_draft *draft);

/* Makes the draft appear under its name, or fails and removes it; either way frees it, and *draft is NULL. */
congru_status congru_file_commit(congru_context *context, congru_file_draft **draft);

/* Removes and frees the draft; what was under its name is untouched. NULL is allowed. */
void congru_file_abandon(congru_file_draft **draft);

#endif
