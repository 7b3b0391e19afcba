/* The processes of one mpirun, which share the work of a command. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PROCESS_GROUP_H
#define CONGRU_CLI_PROCESS_GROUP_H

#include "congru/process_group.h"

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

#endif
