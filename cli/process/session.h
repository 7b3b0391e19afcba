/* What a command works in: a library context, or an error line. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SESSION_H
#define CONGRU_CLI_SESSION_H

#include "congru/context.h"
#include "congru/text.h"

/* Makes a context with this many threads (0: all). Returns EXIT_DONE, or prints one line and returns
 * EXIT_FAILED; *context is then NULL. */
int session_open(int threads, congru_context **context);

/* The same with all options of a context. */
int session_open_with(const congru_context_options *options, congru_context **context);

/* Around the writing of a file: interrupted before it nothing was written, interrupted in it the process ends when the file
 * is whole. Without it the unfinished file stays beside its target. */
void session_hold_interrupts(void);
void session_release_interrupts(void);

/* Writes FOLDER/NAME whole or not at all, and frees the text. Returns EXIT_DONE, or prints one line and returns
 * EXIT_FAILED. */
int session_save(const char *folder, const char *name, congru_text *text);

/* The instruction sets this machine has, slowest first, one space between: "base avx2". */
void session_cpu_names(char *names, size_t size);

#endif
