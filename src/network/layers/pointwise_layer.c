/* Functions of each number of a signal: ELU, GELU, the square, the logarithm. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* Each leaves the padding of channels at zero. */

/* ---- ELU --------------------------------------------------------------------------------------------- */

/* y = x where x > 0, else exp(x) - 1. */
static void elu_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    call->kernel->real->elu(call->count * congru_extent_reals(in), congru_trial_reals(call->x[0], in, 0),
                            congru_trial_reals(call->y, in, 0));
}

static void elu_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    if (call->d_x[0] != NULL)
        call->kernel->real->elu_slope(call->count * congru_extent_reals(in), 1, 1,
                                      congru_trial_reals(call->y, in, 0), congru_trial_reals(call->d_y, in, 0),
                                      congru_trial_reals(call->d_x[0], in, 0));
}

const congru_layer congru_layer_elu = {
    .name = "ELU",
    .traits = CONGRU_TRAIT_READS_Y,
    .trials = {elu_forward, elu_backward},
};

/* ---- GELU -------------------------------------------------------------------------------------------- */

/* y = x P(x), P being the normal distribution; its derivative is saved. */
static void gelu_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->saved_size[0] = node->out.size;
}

static void gelu_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    call->kernel->real->gelu(call->count * congru_extent_reals(in), congru_trial_reals(call->x[0], in, 0),
                             congru_trial_reals(call->y, in, 0), congru_trial_reals(call->saved[0], in, 0));
}

static void gelu_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    if (call->d_x[0] != NULL)
        call->kernel->real->multiply(
            call->count * congru_extent_reals(in), congru_trial_reals(call->saved[0], in, 0),
            congru_trial_reals(call->d_y, in, 0), congru_trial_reals(call->d_x[0], in, 0));
}

const congru_layer congru_layer_gelu = {
    .name = "GELU",
    .plan = gelu_plan,
    .trials = {gelu_forward, gelu_backward},
};

/* ---- Square ------------------------------------------------------------------------------------------ */

static void square_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const congru_real *x = congru_trial_reals(call->x[0], in, 0);
    call->kernel->real->multiply(call->count * congru_extent_reals(in), x, x,
                                 congru_trial_reals(call->y, in, 0));
}

static void square_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t count = congru_extent_reals(in);
    for (size_t m = 0; m < call->count && call->d_x[0] != NULL; m++) {
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        call->kernel->real->multiply(count, congru_trial_reals(call->x[0], in, m),
                                     congru_trial_reals(call->d_y, in, m), d_x);
        call->kernel->real->add(count, d_x, d_x, d_x);
    }
}

const congru_layer congru_layer_square = {
    .name = "square",
    .traits = CONGRU_TRAIT_READS_X,
    .trials = {square_forward, square_backward},
};

/* ---- Logarithm --------------------------------------------------------------------------------------- */

static void log_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.plain[0] = congru_extent_reals(&node->in[0]) * sizeof(double) / sizeof(congru_real);
}

/* y = log(max(x, floor)), floor being number[1]. */
static void log_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(in);
    /* cppcheck-suppress invalidPointerCast ; a workspace is storage, which holds either */
    double *logarithm = (double *)call->work.plain[0];
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, in, m);
        const congru_real *x = congru_trial_reals(call->x[0], in, m);
        for (size_t e = 0; e < congru_extent_reals(in); e++)
            logarithm[e] = (double)x[e];
        call->kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, call->node->number[1]},
                          congru_extent_reals(in), logarithm, logarithm);
        memset(y, 0, in->size * sizeof(double));
        for (size_t t = 0; t < in->rows; t++) {
            for (size_t c = 0; c < in->cols; c++)
                y[t * step + c] = (congru_real)logarithm[t * step + c];
        }
    }
}

static void log_backward(const congru_call *call)
{
    const size_t count = call->count * congru_extent_reals(&call->node->in[0]);
    const congru_real *x = congru_trial_reals(call->x[0], &call->node->in[0], 0),
                      *d_y = congru_trial_reals(call->d_y, &call->node->out, 0);
    congru_real *d_x = call->d_x[0] != NULL ? congru_trial_reals(call->d_x[0], &call->node->in[0], 0) : NULL;
    for (size_t e = 0; e < count && d_x != NULL; e++)
        d_x[e] = (double)x[e] > call->node->number[1] ? d_y[e] / x[e] : 0;
}

const congru_layer congru_layer_safe_logarithm = {
    .name = "logarithm of numbers",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = log_plan,
    .trials = {log_forward, log_backward},
};
