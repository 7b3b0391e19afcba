/* Scalp maps and ellipses of a set, for the report. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_DIAGNOSTICS_MAPS_H
#define CONGRU_CLI_DIAGNOSTICS_MAPS_H

#include "evaluation_run.h"
#include "json_draft.h"

/* FOLDER/patterns.json: for each class the CSP pattern of all trials and, where `pipeline` is trained end to end, what
 * its head, trained without `left_out`, makes of each channel. Each returns EXIT_DONE, or prints one line. */
int diagnostics_save_patterns(const run_state *run, const char *pipeline, int32_t left_out);

/* The member "ellipses" of geometry.json, after another member: the mean covariance of each class of the first nine
 * subjects, before and after alignment, in the plane in which aligned classes differ most. */
int diagnostics_write_ellipses(const run_state *run, FILE *file);

#endif
