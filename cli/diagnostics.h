/* How a network moves the trials while it is trained. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_DIAGNOSTICS_H
#define CONGRU_CLI_DIAGNOSTICS_H

#include "evaluation_run.h"

/* Silhouettes, by subject and by class, of all trials as a pipeline puts them with `subject` left out: of their
 * logarithms. Each returns EXIT_DONE, or prints one line. */
int diagnostics_silhouette(run_state *run, const char *pipeline, int32_t subject, double silhouette[2]);

/* The first of a run's pipelines that has a network and can show where it puts trials; NULL: none. */
const char *diagnostics_network(const run_state *run);

/* FOLDER/geometry.json, which the report reads: diagnostics_network, which there must be, the first subject that is
 * scored left out, at 0, 20, ..., 100 % of its training; trials embedded by t-SNE, each time from where they were; and the maps
 * of diagnostics_maps.h. */
int diagnostics_save(run_state *run);

#endif
