/* Scalp maps and ellipses of a set, for the report. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_DIAGNOSTICS_MAPS_H
#define CONGRU_REPORT_DIAGNOSTICS_MAPS_H

#include "base/text.h"
#include "congru/evaluation.h"

/* The evaluation that is looked into; its folder takes what is found. */
typedef struct congru_diagnosed {
    congru_context *context;
    const congru_set *set;
    const congru_evaluation_options *options;
} congru_diagnosed;

/* FOLDER/patterns.json: for each class the CSP pattern of all trials and, where `pipeline` is trained end to end, what
 * its head, trained without `left_out`, makes of each channel. */
congru_status congru_diagnostics_patterns(const congru_diagnosed *run, const char *pipeline, int32_t left_out);

/* The member "ellipses" of geometry.json, after another member: the mean covariance of each class of the first nine
 * subjects, before and after alignment, in the plane in which aligned classes differ most. */
congru_status congru_diagnostics_ellipses(const congru_diagnosed *run, congru_text *text);

#endif
