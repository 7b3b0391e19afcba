/* The leading principal block of a matrix. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/block_layer.h"

#include <string.h>

void congru_block_take(const congru_call *call, size_t d, size_t m, const double *a, double *block)
{
    const size_t width = call->kernel->width, row = m * width;
    for (size_t v = 0; v < call->vectors; v++) {
        for (size_t i = 0; i < m; i++)
            memcpy(block + (v * m + i) * row, a + (v * d + i) * d * width, row * sizeof(double));
    }
}

void congru_block_give(const congru_call *call, size_t d, size_t m, const double *block, double *a)
{
    const size_t width = call->kernel->width, row = m * width;
    memset(a, 0, congru_call_doubles(call, d * d) * sizeof(double));
    for (size_t v = 0; v < call->vectors; v++) {
        for (size_t i = 0; i < m; i++)
            memcpy(a + (v * d + i) * d * width, block + (v * m + i) * row, row * sizeof(double));
    }
}

/* Y = X[1:m, 1:m] */
static void forward(const congru_call *call)
{
    congru_block_take(call, call->node->in[0].rows, call->node->out.rows, call->x[0], call->y);
}

static void backward(const congru_call *call)
{
    if (call->d_x[0] != NULL)
        congru_block_give(call, call->node->in[0].rows, call->node->out.rows, call->d_y, call->d_x[0]);
}

const congru_layer congru_layer_block = {.name = "block", .trials = {forward, backward}};
