/* Which trials each step looks at. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_BATCHES_H
#define CONGRU_NETWORK_BATCHES_H

#include "base/arena.h"
#include "model/trials.h"
#include "network/activation.h"

typedef struct congru_batches {
    const congru_trials *trials;
    const congru_network_options *options;
    uint64_t seed;
    size_t capacity, padded; /* trials of a batch; rounded up to whole chunks */
    size_t *order;           /* (trials): their indices, subject by subject */
    size_t *start;           /* (subjects + 1): where each subject begins */
    size_t *pool;            /* (subjects): those a batch is drawn of */
    bool *held_out;          /* (subjects): for validation */
    size_t *pass;            /* (trials): those of an epoch, in its order */
} congru_batches;

/* Run twice. */
void congru_batches_layout(congru_arena *arena, congru_batches *batches, congru_batch *batch);

/* Sorts trials by subject and chooses whom to hold out. */
void congru_batches_start(congru_batches *batches);

/* Steps of an epoch: whole batches of the trials that are not held out, or one of all of them. */
size_t congru_batches_epoch(const congru_batches *batches);

/* Takes these trials (NULL: the first) as the batch; or draws those of a step; or takes those of one subject, spread over
 * them where they are more than a batch. */
void congru_batches_take(const congru_batches *batches, size_t count, const size_t *index, congru_batch *batch);
void congru_batches_draw(const congru_batches *batches, size_t step, congru_batch *batch);
void congru_batches_take_subject(const congru_batches *batches, size_t subject, congru_batch *batch);

#endif
