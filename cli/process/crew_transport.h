/* How processes that were started together reach each other, if they can. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_CREW_TRANSPORT_H
#define CONGRU_CLI_CREW_TRANSPORT_H

#include "congru/crew.h"

/* Joins the others; `neighbours` becomes the number of processes on this machine, this one included. Returns EXIT_DONE,
 * or prints one line and returns another code. */
int crew_transport_open(congru_transport *transport, int *neighbours);

/* Parts from the others; with some of them lost the process ends here, with `code`: parting in order takes all. */
void crew_transport_close(bool lost, int code);

/* What carries the messages, for 'congru version'. */
const char *crew_transport_name(void);

#endif
