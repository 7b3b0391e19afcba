/* Signals put together: added, side by side, between zeros. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* ---- Addition ---------------------------------------------------------------------------------------- */

/* y = a + b, of the same shape. */
static void add_forward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    call->kernel->real->add(call->count * congru_extent_reals(out), congru_trial_reals(call->x[0], out, 0),
                            congru_trial_reals(call->x[1], out, 0), congru_trial_reals(call->y, out, 0));
}

static void add_backward(const congru_call *call)
{
    for (int k = 0; k < 2; k++)
        if (call->d_x[k] != NULL)
            memcpy(call->d_x[k], call->d_y, call->count * call->node->out.size * sizeof(double));
}

const congru_layer congru_layer_addition = {.name = "addition", .trials = {add_forward, add_backward}};

/* ---- Side by side ------------------------------------------------------------------------------------ */

/* The channels of a, then those of b. */
static void beside_forward(const congru_call *call)
{
    const congru_extent *a = &call->node->in[0], *b = &call->node->in[1], *out = &call->node->out;
    const size_t left = congru_extent_step(a), right = congru_extent_step(b), step = congru_extent_step(out);
    const congru_real *x = congru_trial_reals(call->x[0], a, 0), *z = congru_trial_reals(call->x[1], b, 0);
    congru_real *y = congru_trial_reals(call->y, out, 0);
    for (size_t r = 0; r < call->count * out->rows; r++, x += left, z += right, y += step) {
        memcpy(y, x, a->cols * sizeof(congru_real));
        memcpy(y + a->cols, z, b->cols * sizeof(congru_real));
        memset(y + out->cols, 0, (step - out->cols) * sizeof(congru_real));
    }
}

static void beside_backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out);
    for (int k = 0; k < 2; k++) {
        const congru_extent *in = &call->node->in[k];
        const size_t own = congru_extent_step(in);
        const congru_real *d_y = congru_trial_reals(call->d_y, out, 0) + (k == 1 ? call->node->in[0].cols : 0);
        congru_real *d_x = call->d_x[k] != NULL ? congru_trial_reals(call->d_x[k], in, 0) : NULL;
        for (size_t r = 0; r < call->count * out->rows && d_x != NULL; r++, d_y += step, d_x += own) {
            memcpy(d_x, d_y, in->cols * sizeof(congru_real));
            memset(d_x + in->cols, 0, (own - in->cols) * sizeof(congru_real));
        }
    }
}

const congru_layer congru_layer_beside = {.name = "concatenation", .trials = {beside_forward, beside_backward}};

/* ---- Between zeros ----------------------------------------------------------------------------------- */

/* number[0] samples of zeros before x; those behind it fill the output. */
static void pad_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), before = (size_t)call->node->number[0];
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        memset(y, 0, before * step * sizeof(congru_real));
        memcpy(y + before * step, congru_trial_reals(call->x[0], in, m), in->rows * step * sizeof(congru_real));
        memset(y + (before + in->rows) * step, 0, (out->rows - in->rows - before) * step * sizeof(congru_real));
    }
}

static void pad_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), before = (size_t)call->node->number[0];
    for (size_t m = 0; m < call->count && call->d_x[0] != NULL; m++)
        memcpy(congru_trial_reals(call->d_x[0], in, m), congru_trial_reals(call->d_y, out, m) + before * step,
               in->rows * step * sizeof(congru_real));
}

const congru_layer congru_layer_pad = {.name = "zeros at the ends", .trials = {pad_forward, pad_backward}};
