/* Text files of a stated size, read whole. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TEXT_FILE_H
#define CONGRU_CLI_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

/* A preset is a page of text; tables of scores are lists. What is larger, or holds a NUL, is something else. */
enum { TEXT_PRESET_MAX = 1 << 20, TEXT_TABLE_MAX = 1 << 26 };

/* Reads at most `most` bytes of a file, which may be a pipe, and opens the text for reading by lines. EXIT_DONE, or a
 * failure that was printed: "PATH: larger than 1 MiB; not a preset", with `what` it should be. *text is freed after *file
 * is closed. */
int text_file_open(const char *path, size_t most, const char *what, FILE **file, char **text);

#endif
