/* The mean of two logarithms. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* Y = (A + B) / 2 */
static void forward(const congru_call *call)
{
    const size_t count = congru_call_doubles(call, call->node->out.size);
    memcpy(call->y, call->x[0], count * sizeof(double));
    call->kernel->combine(count, 0.5, call->x[1], 0.5, call->y);
}

static void backward(const congru_call *call)
{
    const size_t count = congru_call_doubles(call, call->node->out.size);
    for (size_t k = 0; k < 2; k++) {
        if (call->d_x[k] == NULL)
            continue;
        memset(call->d_x[k], 0, count * sizeof(double));
        call->kernel->combine(count, 0.5, call->d_y, 1.0, call->d_x[k]);
    }
}

const congru_layer congru_layer_merge = {.name = "merge", .trials = {forward, backward}};
