/* Text files of a stated size, read whole. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TEXT_FILE_H
#define CONGRU_CLI_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

/* Tables of scores are lists. What is larger, or holds a NUL, is something else. */
enum { TEXT_TABLE_MAX = 1 << 26 };

/* What text_line_read has found. */
typedef enum text_line {
    TEXT_LINE_WHOLE,
    TEXT_LINE_NONE,   /* the end, or an error: ferror tells */
    TEXT_LINE_LONG,   /* more than `room` - 1 bytes */
    TEXT_LINE_BINARY, /* a NUL byte */
} text_line;

/* Reads the next line into `line`, at most room - 1 bytes and a zero, without the newline and carriage returns before
 * it. */
text_line text_line_read(FILE *file, size_t room, char *line);

/* Reads at most `most` bytes of a file, which may be a pipe, and opens the text for reading by lines. EXIT_DONE, or a
 * failure that was printed: "PATH: larger than 1 MiB; not a preset", with `what` it should be. *text is freed after *file
 * is closed. */
int text_file_open(const char *path, size_t most, const char *what, FILE **file, char **text);

#endif
