/* The mean, or the largest, of windows of a signal. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* number[0] samples a window, number[1] from one to the next; what is left at the end is not read. */
static void sizes(const congru_node *node, size_t *window, size_t *stride)
{
    *window = (size_t)node->number[0];
    *stride = (size_t)node->number[1];
}

/* ---- Mean -------------------------------------------------------------------------------------------- */

static void mean_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in);
    size_t window, stride;
    sizes(call->node, &window, &stride);
    const congru_real share = (congru_real)(1.0 / (double)window);
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m);
        congru_real *y = congru_trial_reals(call->y, out, m);
        memset(y, 0, out->size * sizeof(double));
        for (size_t t = 0; t < out->rows; t++, y += step) {
            for (size_t i = 0; i < window; i++) {
                const congru_real *from = x + (t * stride + i) * step;
                for (size_t c = 0; c < step; c++)
                    y[c] += from[c];
            }
            for (size_t c = 0; c < step; c++)
                y[c] *= share;
        }
    }
}

static void mean_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in);
    size_t window, stride;
    sizes(call->node, &window, &stride);
    const congru_real share = (congru_real)(1.0 / (double)window);
    for (size_t m = 0; m < call->count && call->d_x[0] != NULL; m++) {
        const congru_real *d_y = congru_trial_reals(call->d_y, out, m);
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t t = 0; t < out->rows; t++, d_y += step) {
            for (size_t i = 0; i < window; i++) {
                congru_real *to = d_x + (t * stride + i) * step;
                for (size_t c = 0; c < step; c++)
                    to[c] += share * d_y[c];
            }
        }
    }
}

const congru_layer congru_layer_mean_pool = {
    .name = "mean pool",
    .forward = mean_forward,
    .backward = mean_backward,
};

/* ---- Largest ----------------------------------------------------------------------------------------- */

static void max_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in);
    size_t window, stride;
    sizes(call->node, &window, &stride);
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m);
        congru_real *y = congru_trial_reals(call->y, out, m);
        for (size_t t = 0; t < out->rows; t++, y += step) {
            memcpy(y, x + t * stride * step, step * sizeof(congru_real));
            for (size_t i = 1; i < window; i++) {
                const congru_real *from = x + (t * stride + i) * step;
                for (size_t c = 0; c < step; c++)
                    y[c] = from[c] > y[c] ? from[c] : y[c];
            }
        }
    }
}

/* To the first that is the largest. */
static void max_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in);
    size_t window, stride;
    sizes(call->node, &window, &stride);
    for (size_t m = 0; m < call->count && call->d_x[0] != NULL; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m), *y = congru_trial_reals(call->y, out, m),
                          *d_y = congru_trial_reals(call->d_y, out, m);
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t t = 0; t < out->rows; t++, y += step, d_y += step) {
            for (size_t c = 0; c < in->cols; c++) {
                size_t e = t * stride * step + c;
                while (x[e] != y[c] && e + step < ((t * stride + window) * step))
                    e += step;
                d_x[e] += d_y[c];
            }
        }
    }
}

const congru_layer congru_layer_max_pool = {
    .name = "max pool",
    .traits = CONGRU_TRAIT_READS_X | CONGRU_TRAIT_READS_Y,
    .forward = max_forward,
    .backward = max_backward,
};
