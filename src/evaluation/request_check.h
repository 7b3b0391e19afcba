/* Checks what a run is asked for. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_REQUEST_CHECK_H
#define CONGRU_EVALUATION_REQUEST_CHECK_H

#include "congru/evaluation.h"

/* Before anything is read or made: CONGRU_ERROR_ARGUMENT where the set and the options do not go together, or options among
 * themselves. */
congru_status congru_request_check(congru_context *context, const congru_set *set,
                                   const congru_evaluation_options *options);

/* CONGRU_ERROR_UNSUPPORTED for more subjects, or sessions of one, than runs and models take (evaluation/split.h). */
congru_status congru_request_check_subjects(congru_context *context, const congru_set *set);

/* The status again. Before what a failed run says of trials and subjects it puts the options' `file`; files that are read and
 * written are named already, and what another process of the group says begins with which it is. */
congru_status congru_evaluation_name_error(congru_context *context, const congru_evaluation_options *options,
                                           congru_status status);

#endif
