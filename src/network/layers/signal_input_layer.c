/* Where signals come in. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/signal_input_layer.h"

#include <string.h>

#include "network/constants.h"

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)arena;
    congru_signal_input *in = node->state;
    if (graph->constants != NULL)
        in->table = graph->constants->signal;
}

/* y = the trials of the batch, with number[0] samples more at either end: x[-t] = x[t], as in a mirror. */
static void forward(const congru_call *call)
{
    const congru_signal_input *in = call->node->state;
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out), edge = (size_t)call->node->number[0],
                 samples = out->rows - 2 * edge, size = samples * out->cols;
    for (size_t m = 0; m < call->count; m++) {
        const size_t trial =
            call->batch != NULL ? congru_batch_trial(call->batch, call->first + m) : call->first + m;
        const congru_real *x = in->table + trial * size;
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
    .layout = layout,
    .forward = forward,
    .state = sizeof(congru_signal_input),
};
