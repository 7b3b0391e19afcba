/* How processes that share an evaluation begin it and end it together. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PROCESS_GROUP_ROUND_H
#define CONGRU_EVALUATION_PROCESS_GROUP_ROUND_H

#include "base/process_group.h"
#include "congru/evaluation.h"

/* Every process calls each of these with how it fared so far. Alone (`processes` NULL or of one) they do nothing and answer
 * that status. */

/* Tells rank 0 what this process is about to do; rank 0 compares. On rank 0 the answer is its own failure, or that of
 * another, or that another has other settings or other data. On others it is CONGRU_OK: see congru_round_start. */
congru_status congru_round_open(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, congru_status status);

/* Rank 0 lets all begin, or none; `waiting` (*count of at most `most`) are the jobs there are, from rank 0 to the
 * others. The status is the same in all. */
congru_status congru_round_start(congru_context *context, congru_process_group *processes, congru_status status,
                                 size_t most, size_t *waiting, size_t *count);

/* The notes of all contexts come together in that of rank 0. */
void congru_round_notes(congru_context *context, congru_process_group *processes);

#endif
