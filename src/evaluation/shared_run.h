/* How processes that share a run begin and end it together. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_SHARED_RUN_H
#define CONGRU_EVALUATION_SHARED_RUN_H

#include "base/process_group.h"
#include "congru/evaluation.h"

/* Every process calls each of these, with how it fared so far. Alone they do nothing and answer that status. */

/* What this process is about to do, for rank 0, which compares. On rank 0 the answer is its own failure, or that of another, or
 * that another has other settings or other data; on others CONGRU_OK. */
congru_status congru_share_begin(congru_context *context, const congru_set *set,
                                 const congru_evaluation_options *options, congru_status status);

/* The notes of all contexts come together in that of rank 0, whose answer is what failed anywhere. */
congru_status congru_share_end(congru_context *context, congru_process_group *processes, congru_status status);

/* After either, rank 0 lets all go on, or none: the jobs there are, `waiting` (*count of at most `most`), go from rank 0 to the
 * others, none where all is done. The status is the same in all. */
congru_status congru_share_waiting(congru_context *context, congru_process_group *processes,
                                   congru_status status, size_t most, size_t *waiting, size_t *count);

#endif
