/* What a command works in: a library context, and the processes of one mpirun that share its work. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SESSION_H
#define CONGRU_CLI_SESSION_H

#include <stdbool.h>

#include "congru/context.h"
#include "congru/process_group.h"

/* Makes a context with this many threads (0: all). Returns EXIT_DONE, or prints one line and returns
 * EXIT_FAILED; *context is then NULL. */
int session_open(int threads, congru_context **context);

/* The same with all options of a context. */
int session_open_with(const congru_context_options *options, congru_context **context);

/* Around the writing of a file: interrupted before it nothing was written, interrupted in it the process ends when the file
 * is whole. Without it the unfinished file stays beside its target. Pipes and devices, which have no unfinished file and may
 * wait for somebody who never comes, do not hold interrupts; nor does a `path` of NULL. */
void session_hold_interrupts(const char *path);
void session_release_interrupts(void);

/* From the first on, SIGINT and SIGTERM do not end the process: the second says whether one has come. Who has called the
 * first stops what runs and says so, and others are then silent about why they end. */
void session_catch_interrupts(void);
bool session_interrupted(void);

/* What the command exits with then, as shells have it: 130 for the interrupt key, 143 for SIGTERM. */
int session_interrupted_code(void);

/* The instruction sets this machine has, slowest first, one space between: "base avx2". */
void session_cpu_names(char *names, size_t size);

/* Finds the processes that were started together with this one. Of several, the first goes on as if it were alone; what
 * the others print goes nowhere. Returns EXIT_DONE, or prints one line and returns another code. */
int process_group_begin(void);

/* What to share the work with; NULL: nobody. */
congru_process_group *process_group_of_command(void);

/* Whether this process is the one that prints and writes files. */
bool process_group_leads(void);

/* How many threads this process is to have: `wanted`, or for 0 its share of the machine's processors. */
int process_group_threads(int wanted);

/* Waits for the others. Returns `code`, or prints the line of another process that failed by itself. */
int process_group_end(int code);

/* Joins the others; `neighbours` becomes the number of processes on this machine, this one included. Returns EXIT_DONE,
 * or prints one line and returns another code. */
int process_group_transport_open(congru_transport *transport, int *neighbours);

/* Parts from the others; with some of them lost the process ends here, with `code`: parting in order takes all. */
void process_group_transport_close(int code);

/* What processes share work by, for 'congru version'. */
const char *process_group_transport_name(void);

#endif
