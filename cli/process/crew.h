/* The processes of one mpirun, which share the work of a command. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_CREW_H
#define CONGRU_CLI_CREW_H

#include "congru/crew.h"

/* Finds the processes that were started together with this one. Of several, the first goes on as if it were alone; what
 * the others print goes nowhere. Returns EXIT_DONE, or prints one line and returns another code. */
int crew_begin(void);

/* What to share the work with; NULL: nobody. */
congru_crew *crew_of_command(void);

/* Whether this process is the one that prints and writes files. */
bool crew_leads(void);

/* How many threads this process is to have: `wanted`, or for 0 its share of the machine's processors. */
int crew_threads(int wanted);

/* Waits for the others. Returns `code`, or prints the line of another process that failed by itself. */
int crew_end(int code);

#endif
