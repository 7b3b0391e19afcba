/* What processes that share a run count together and tell each other. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_PROCESS_GROUP_H
#define CONGRU_BASE_PROCESS_GROUP_H

#include "base/text.h"
#include "congru/process_group.h"

int congru_process_group_rank(const congru_process_group *processes);
int congru_process_group_size(const congru_process_group *processes);

/* Whether there is more than one process. `processes` may be NULL. */
bool congru_process_group_shares(const congru_process_group *processes);

typedef enum congru_counter {
    CONGRU_COUNTER_JOBS, /* numbers that were taken */
    CONGRU_COUNTER_DONE, /* jobs that are done */
    CONGRU_COUNTER_PART  /* what they were expected to cost, of all, in parts of 2^40 */
} congru_counter;

/* Adds to a counter, from any thread, and answers what it was before since the last congru_process_group_tell; UINT64_MAX when
 * rank 0 is no more. Only rank 0 gets that of the counters other than CONGRU_COUNTER_JOBS. */
uint64_t congru_process_group_count(congru_process_group *processes, congru_counter counter, uint64_t add);

/* Processes meet in rounds: each gives a block of bytes and gets those of all. The first byte says what it gives. */
typedef enum congru_round {
    CONGRU_ROUND_STEP = 'S', /* its part of a step of training */
    CONGRU_ROUND_HEAR = 'H', /* how it fared, for rank 0 to hear */
    CONGRU_ROUND_TELL = 'T', /* on rank 0: what all go by */
    CONGRU_ROUND_LEAVE = 'L' /* it has nothing to do any more, and perhaps an error */
} congru_round;

/* Begins the block of the next round, to be added to, and the round. CONGRU_ERROR_MEMORY for a block that memory did not
 * suffice for: the others then get an empty one. */
congru_text *congru_process_group_begin(congru_process_group *processes, congru_round round);
congru_status congru_process_group_meet(congru_process_group *processes, congru_context *context);

/* What a process gave in the last round, without the first byte; of hearing and telling, what came with the status. NULL when
 * it gave something else or nothing. */
const char *congru_process_group_given(const congru_process_group *processes, int rank, congru_round round,
                                       size_t *size);

/* Whether it gave anything in the last round: one that is no more does not. */
bool congru_process_group_came(const congru_process_group *processes, int rank);

/* Called again and again while others are waited for; NULL ends it. */
void congru_process_group_meanwhile(congru_process_group *processes, void (*call)(void *user), void *user);

/* A failure anywhere becomes a failure everywhere by two calls that all make. In the first each says how it fared, what failed
 * (of several failures that of the lowest `place` counts, and of these that of the lowest rank), and `more`, which may be NULL.
 * On rank 0 the answer is the status and error that count, on others CONGRU_OK. Then rank 0 tells how all go on, and what else
 * there is to know: that status and error are the answer of all, and every counter begins at 0. Alone, both answer `status`. */
congru_status congru_process_group_hear(congru_process_group *processes, congru_context *context,
                                        congru_status status, uint64_t place, const congru_text *more);
congru_status congru_process_group_tell(congru_process_group *processes, congru_context *context,
                                        congru_status status, const congru_text *more);

#endif
