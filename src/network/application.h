/* A graph that runs forward alone, on trials that are given to it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_APPLICATION_H
#define CONGRU_NETWORK_APPLICATION_H

#include "network/graph.h"

/* A graph without a batch, and what it stands on. */
typedef struct congru_application {
    congru_graph graph;
    congru_parameters parameters;
    congru_arena arena;
} congru_application;

/* An empty one; NULL, with the error set, where there is no memory. Freed by end. */
congru_application *congru_application_begin(congru_context *context);
void congru_application_end(congru_application *application);

/* Planned and laid out; what is given to layers goes into their states after that. Rewritten only where bits are the
 * same as layer by layer: what a model says about a trial must not depend on algebra that training may gain. */
congru_status congru_application_lay_out(congru_application *application);

#endif
