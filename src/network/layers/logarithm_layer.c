/* Logarithm, exponential and rectification of symmetric matrices. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t d = node->in[0].rows;
    node->saved_size[0] = d;
    node->saved_size[1] = node->need.lanes[0] = d * d;
    node->need.spectral = d;
}

/* Saves the eigenvalues and the eigenvectors. */
static void decompose(const congru_call *call, bool exponential)
{
    const size_t d = call->node->in[0].rows;
    double *a = call->node->spends ? (double *)call->x[0] : call->work.lanes[0];
    if (!call->node->spends)
        memcpy(a, call->x[0], congru_call_doubles(call, d * d) * sizeof(double));
    congru_call_eigen(call, d, a, call->saved[0], call->saved[1]);
    congru_call_watch(call, d, call->saved[0], exponential);
}

static void function_forward(const congru_call *call, congru_function function)
{
    congru_spectral_forward(call->kernel, call->vectors, call->node->in[0].rows, function, call->saved[0],
                            call->saved[1], call->y, &call->work.spectral);
}

static void function_backward(const congru_call *call, congru_function function)
{
    if (call->d_x[0] != NULL)
        congru_spectral_backward(call->kernel, call->vectors, call->node->in[0].rows, function, call->saved[0],
                                 call->saved[1], call->d_y, call->d_x[0], &call->work.spectral);
}

static congru_function logarithm(const congru_call *call)
{
    return (congru_function){CONGRU_FUNCTION_LOG, call->node->number[0], call->node->number[1]};
}

/* Y = log(max(X + jitter I, floor)) */
static void logarithm_forward(const congru_call *call)
{
    decompose(call, false);
    function_forward(call, logarithm(call));
}

static void logarithm_backward(const congru_call *call)
{
    function_backward(call, logarithm(call));
}

const congru_layer congru_layer_logarithm = {
    .name = "logarithm",
    .plan = plan,
    .trials = {logarithm_forward, logarithm_backward},
};

/* ReEig: eigenvalues below the floor become it. */
static congru_function rectification(const congru_call *call)
{
    return (congru_function){CONGRU_FUNCTION_RECTIFY, 0.0, call->node->number[1]};
}

static void rectify_forward(const congru_call *call)
{
    decompose(call, false);
    function_forward(call, rectification(call));
}

static void rectify_backward(const congru_call *call)
{
    function_backward(call, rectification(call));
}

const congru_layer congru_layer_rectify = {
    .name = "rectification",
    .plan = plan,
    .trials = {rectify_forward, rectify_backward},
};

static const congru_function exponential = {CONGRU_FUNCTION_EXP, 1.0, 0.0};

static void exponential_forward(const congru_call *call)
{
    decompose(call, true);
    function_forward(call, exponential);
}

static void exponential_backward(const congru_call *call)
{
    function_backward(call, exponential);
}

const congru_layer congru_layer_exponential = {
    .name = "exponential",
    .plan = plan,
    .trials = {exponential_forward, exponential_backward},
};
