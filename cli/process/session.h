/* What a command works in: a library context, or an error line. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SESSION_H
#define CONGRU_CLI_SESSION_H

#include <stdbool.h>

#include "congru/context.h"

/* Makes a context with this many threads (0: all). Returns EXIT_DONE, or prints one line and returns
 * EXIT_FAILED; *context is then NULL. */
int session_open(int threads, congru_context **context);

/* The same with all options of a context. */
int session_open_with(const congru_context_options *options, congru_context **context);

/* Around the writing of a file: interrupted before it nothing was written, interrupted in it the process ends when the file
 * is whole. Without it the unfinished file stays beside its target. */
void session_hold_interrupts(void);
void session_release_interrupts(void);

/* From the first on, SIGINT and SIGTERM do not end the process: the second says whether one has come. Who has called the
 * first stops what runs and says so, and others are then silent about why they end. */
void session_catch_interrupts(void);
bool session_interrupted(void);

/* The instruction sets this machine has, slowest first, one space between: "base avx2". */
void session_cpu_names(char *names, size_t size);

#endif
