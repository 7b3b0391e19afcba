/* Where signals come in: trials, or crops of them. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/signal_input_layer.h"

#include <string.h>

#include "congru/random.h"
#include "network/constants.h"

enum { STREAM_CROP = 0x6208 };

/* number[0]: samples reflected at either end; then samples of a trial, crops of a prediction, the name of what is drawn. */
void congru_signal_input_crop(congru_node *node, size_t whole, size_t crops, uint64_t seed)
{
    node->number[1] = (double)whole;
    node->number[2] = (double)crops;
    node->number[3] = (double)(seed * UINT64_C(0x9E3779B97F4A7C15) >> 11); /* a double holds 53 bits */
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)arena;
    congru_signal_input *in = node->state;
    if (graph->constants != NULL)
        in->table = graph->constants->signal;
}

/* Where the crop of a trial begins, which may leave `room` samples out. */
static size_t crop_begins(const congru_call *call, size_t trial, size_t room)
{
    const congru_signal_input *in = call->node->state;
    if (room == 0)
        return 0;
    if (!call->resting) {
        congru_random random = congru_random_stream((uint64_t)call->node->number[3], STREAM_CROP,
                                                    (uint32_t)call->step, (uint32_t)trial);
        return congru_random_index(&random, room + 1);
    }
    const size_t crops = (size_t)call->node->number[2], crop = in->crop > 0 ? in->crop - 1 : trial % crops;
    return crops > 1 ? crop * room / (crops - 1) : room / 2;
}

/* y = the trials of the batch, with number[0] samples more at either end: x[-t] = x[t], as in a mirror. */
static void forward(const congru_call *call)
{
    const congru_signal_input *in = call->node->state;
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out), edge = (size_t)call->node->number[0],
                 samples = out->rows - 2 * edge, whole = (size_t)call->node->number[1];
    for (size_t m = 0; m < call->count; m++) {
        const size_t trial =
            call->batch != NULL ? congru_batch_trial(call->batch, call->first + m) : call->first + m;
        const congru_real *x =
            in->table + (trial * whole + crop_begins(call, trial, whole - samples)) * out->cols;
        congru_real *y = congru_trial_reals(call->y, out, m);
        memset(y, 0, out->size * sizeof(double));
        for (size_t t = 0; t < out->rows; t++) {
            const size_t last = edge + samples - 1;
            const size_t from = t < edge ? edge - t : t > last ? 2 * last - t - edge : t - edge;
            memcpy(y + t * step, x + from * out->cols, out->cols * sizeof(congru_real));
        }
    }
}

const congru_layer congru_layer_signal = {
    .name = "signal",
    .state = {.bytes = sizeof(congru_signal_input), .layout = layout},
    .trials = {.forward = forward},
};
