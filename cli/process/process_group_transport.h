/* How processes that were started together reach each other, if they can. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PROCESS_GROUP_TRANSPORT_H
#define CONGRU_CLI_PROCESS_GROUP_TRANSPORT_H

#include "congru/process_group.h"

/* Joins the others; `neighbours` becomes the number of processes on this machine, this one included. Returns EXIT_DONE,
 * or prints one line and returns another code. */
int process_group_transport_open(congru_transport *transport, int *neighbours);

/* Parts from the others; with some of them lost the process ends here, with `code`: parting in order takes all. */
void process_group_transport_close(bool lost, int code);

/* What carries the messages, for 'congru version'. */
const char *process_group_transport_name(void);

#endif
