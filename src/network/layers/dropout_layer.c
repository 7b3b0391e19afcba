/* Dropout: a share of the numbers is left out, the others are scaled up. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/dropout.h"

#include <string.h>

enum { STREAM_DROPOUT = 0x6206 };

double congru_dropout_name(const congru_graph *graph, uint64_t seed)
{
    const uint64_t name = (seed + graph->count * UINT64_C(0xD1B54A32D192ED03)) * UINT64_C(0x9E3779B97F4A7C15) >>
                          11; /* a double holds 53 bits */
    return (double)name;
}

congru_dropout congru_dropout_start(const congru_call *call, double share, double name, size_t m)
{
    const size_t trial = congru_batch_trial(call->batch, call->first + m);
    return (congru_dropout){
        call->kernel,
        congru_random_stream((uint64_t)name, STREAM_DROPOUT, (uint32_t)call->step, (uint32_t)trial),
        (uint64_t)(share * 4294967296.0), (congru_real)(1.0 / (1.0 - share))};
}

void congru_dropout_draw(congru_dropout *d, size_t count, congru_real *mask)
{
    d->kernel->real->draw(d->random.key, d->random.counter, d->least, d->kept, count, mask);
    d->random.counter[0] += (uint32_t)(count / 4);
}

/* number[0] is the share, number[1] the name. */
static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->saved_size[0] = node->out.size;
}

/* Saves the mask. */
static void forward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    if (congru_dropout_rests(call, call->node->number[0])) {
        memcpy(call->y, call->x[0], call->count * out->size * sizeof(double));
        return;
    }
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], out, m);
        congru_real *y = congru_trial_reals(call->y, out, m),
                    *mask = congru_trial_reals(call->saved[0], out, m);
        congru_dropout dropout = congru_dropout_start(call, call->node->number[0], call->node->number[1], m);
        congru_dropout_draw(&dropout, congru_extent_reals(out), mask);
        call->kernel->real->multiply(congru_extent_reals(out), x, mask, y);
    }
}

static void backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    if (call->d_x[0] != NULL && congru_dropout_rests(call, call->node->number[0]))
        memcpy(call->d_x[0], call->d_y, call->count * out->size * sizeof(double));
    else if (call->d_x[0] != NULL)
        call->kernel->real->multiply(
            call->count * congru_extent_reals(out), congru_trial_reals(call->d_y, out, 0),
            congru_trial_reals(call->saved[0], out, 0), congru_trial_reals(call->d_x[0], out, 0));
}

const congru_layer congru_layer_dropout = {
    .name = "dropout",
    .plan = plan,
    .trials = {forward, backward},
};
