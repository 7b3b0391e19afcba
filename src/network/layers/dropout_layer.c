/* Dropout: a share of the numbers is left out, the others are scaled up. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "congru/random.h"
#include "network/graph.h"

enum { STREAM_DROPOUT = 0x6206 };

/* number[0] is the share, number[1] names the layer and the seed: what is left out depends on these, the step and the
 * trial, and on nothing else. */
static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->saved_size[0] = node->out.size;
}

/* 0, or one over what is kept, for each number of a trial. */
static void draw(const congru_call *call, size_t trial, congru_real *mask)
{
    const double share = call->node->number[0];
    const uint64_t least = (uint64_t)(share * 4294967296.0);
    const congru_real kept = (congru_real)(1.0 / (1.0 - share));
    congru_random random = congru_random_stream((uint64_t)call->node->number[1], STREAM_DROPOUT,
                                                (uint32_t)call->step, (uint32_t)trial);
    for (size_t e = 0; e < congru_extent_reals(&call->node->out); e += 2) {
        const uint64_t bits = congru_random_bits(&random);
        mask[e] = (bits & 0xFFFFFFFF) >= least ? kept : 0;
        mask[e + 1] = bits >> 32 >= least ? kept : 0;
    }
}

/* Saves the mask. */
static void forward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    if (call->resting || call->node->number[0] <= 0.0) {
        memcpy(call->y, call->x[0], call->count * out->size * sizeof(double));
        return;
    }
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], out, m);
        congru_real *y = congru_trial_reals(call->y, out, m),
                    *mask = congru_trial_reals(call->saved[0], out, m);
        draw(call, congru_batch_trial(call->batch, call->first + m), mask);
        for (size_t e = 0; e < congru_extent_reals(out); e++)
            y[e] = x[e] * mask[e];
    }
}

static void backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const bool all = call->resting || call->node->number[0] <= 0.0;
    if (call->d_x[0] == NULL)
        return;
    const congru_real *mask = congru_trial_reals(call->saved[0], out, 0),
                      *d_y = congru_trial_reals(call->d_y, out, 0);
    congru_real *d_x = congru_trial_reals(call->d_x[0], out, 0);
    for (size_t e = 0; e < call->count * congru_extent_reals(out); e++)
        d_x[e] = all ? d_y[e] : d_y[e] * mask[e];
}

const congru_layer congru_layer_dropout = {
    .name = "dropout",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
