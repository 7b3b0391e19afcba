/* How a network moves the trials while it is trained. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_DIAGNOSTICS_H
#define CONGRU_CLI_DIAGNOSTICS_H

#include "evaluation_run.h"

/* The first of a run's pipelines that has a network and can show where it puts trials; NULL: none. */
const char *diagnostics_network(const run_state *run);

/* FOLDER/geometry.json, which the report reads: the source trials in the training of a pipeline. Each returns EXIT_DONE, or
 * prints one line. */
int diagnostics_write(const run_state *run, const char *pipeline, int32_t left_out, const congru_geometry *g);

/* The same of diagnostics_network, which there must be, the first subject that is scored left out; and the maps of
 * diagnostics_maps.h. */
int diagnostics_save(run_state *run);

#endif
