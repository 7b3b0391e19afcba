/* Standard output and error that tell what became of them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STANDARD_FILES_H
#define CONGRU_CLI_STANDARD_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* To be called first. From then on what is printed is written whole, however short or interrupted the writes
 * are, and the reason why it cannot be is remembered; and no file that is opened takes the place of a
 * standard one that was closed, which prints would then go to. */
void standard_files_begin(void);

/* Whether all that was printed has arrived; prints a line if not, unless `code` says that one was printed. */
int standard_files_end(int code);

/* What is printed is text for readers, and passes through terminal_clean_bytes: a name in a file cannot command the
 * terminal, now or when what was redirected is looked at. After this call it is a file in itself, such as a figure,
 * whose bytes are left as they are unless they go to a terminal. */
void standard_files_as_is(void);

/* From now on what is printed goes nowhere; false with errno set. */
bool standard_files_silence(void);

/* Writes all of it, whatever interrupts; false with errno set. */
bool standard_files_write(int descriptor, const char *bytes, size_t size);

#endif
