/* Text files of a stated size, read whole. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_TEXT_FILE_H
#define CONGRU_ARRAY_TEXT_FILE_H

#include "congru/status.h"

/* Reads a file of at most `most` bytes, which may be a pipe and need not end: *text ends with '\0' and is freed by the caller,
 * NULL on failure. "PATH: larger than 1 MiB; not a preset", with `what` it should be; a NUL byte is refused likewise. */
congru_status congru_text_file_read(congru_context *context, const char *path, size_t most, const char *what,
                                    char **text);

#endif
