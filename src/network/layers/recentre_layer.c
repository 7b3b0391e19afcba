/* Y = P X P with P = exp(-M/2), M the mean logarithm of the batch. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/recentre_layer.h"

#include <math.h>
#include <string.h>

/* ---- Reference --------------------------------------------------------------------------------------- */

void congru_reference_layout(congru_arena *arena, const congru_kernel *kernel, size_t d, congru_reference *r)
{
    const size_t matrix = d * d;
    r->reference = congru_arena_take(arena, matrix, sizeof(double));
    r->mean = congru_arena_take(arena, matrix, sizeof(double));
    r->plain = congru_arena_take(arena, matrix, sizeof(double));
    r->d_mean = congru_arena_take(arena, congru_vector(congru_spd_tangent_size(d)).size, sizeof(double));
    r->values = congru_take_lanes(arena, kernel, 1, d);
    r->vectors = congru_take_lanes(arena, kernel, 1, matrix);
    for (int k = 0; k < 4; k++)
        r->scratch[k] = congru_take_lanes(arena, kernel, 1, matrix);
    r->small = congru_take_lanes(arena, kernel, 1, 3 * d);
    r->eigen = congru_arena_take(arena, kernel->eigen_work(d), sizeof(double));
}

static congru_spectral_work reference_work(const congru_reference *r)
{
    return (congru_spectral_work){.first = r->scratch[0], .second = r->scratch[1], .row = r->small};
}

void congru_reference_forward(const congru_kernel *kernel, size_t d, const double *mean_row, double scale,
                              congru_reference *r)
{
    const double half = sqrt(0.5);
    for (size_t i = 0, e = 0; i < d; i++) {
        r->mean[i * d + i] = mean_row[e++];
        for (size_t j = i + 1; j < d; j++)
            r->mean[i * d + j] = r->mean[j * d + i] = mean_row[e++] * half;
    }
    kernel->pack(1, 1, d, d, r->mean, r->scratch[2]);
    kernel->eigen(1, d, r->scratch[2], r->values, r->vectors, r->eigen);
    const congru_spectral_work work = reference_work(r);
    congru_spectral_forward(kernel, 1, d, (congru_function){CONGRU_FUNCTION_EXP, scale, 0.0}, r->values,
                            r->vectors, r->scratch[2], &work);
    kernel->unpack(1, 1, d, d, r->scratch[2], r->reference);
}

void congru_reference_backward(const congru_kernel *kernel, size_t d, double scale, congru_reference *r)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = r->plain[i * d + j] + r->plain[j * d + i];
            r->plain[i * d + j] = r->plain[j * d + i] = sum;
        }
    }
    kernel->pack(1, 1, d, d, r->plain, r->scratch[2]);
    const congru_spectral_work work = reference_work(r);
    congru_spectral_backward(kernel, 1, d, (congru_function){CONGRU_FUNCTION_EXP, scale, 0.0}, r->values,
                             r->vectors, r->scratch[2], r->scratch[3], &work);
    kernel->unpack(1, 1, d, d, r->scratch[3], r->plain);
    memset(r->d_mean, 0, congru_vector(congru_spd_tangent_size(d)).size * sizeof(double));
    const double root = sqrt(2.0);
    for (size_t i = 0, e = 0; i < d; i++) {
        r->d_mean[e++] = r->plain[i * d + i];
        for (size_t j = i + 1; j < d; j++)
            r->d_mean[e++] = r->plain[i * d + j] * root;
    }
}

/* ---- Layer ------------------------------------------------------------------------------------------- */

static void plan(congru_graph *graph, congru_node *node)
{
    congru_reference *r = node->state;
    const size_t size = node->out.size;
    r->at_identity = node->number[0] != 0.0;
    node->depth = graph->node[node->input[0]].depth + 1;
    node->saved_size[0] = node->need.lanes[0] = size;
    node->need.lanes[1] = graph->batch == NULL ? size : 0;
    node->sum_size[0] = node->need.chains[0] = graph->batch != NULL ? size : 0;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    if (graph->batch != NULL)
        congru_reference_layout(arena, graph->context->kernel, node->out.rows, node->state);
}

/* When the batch has passed: input 1 is the rows of its logarithms. */
static congru_status meet(congru_graph *graph, congru_node *node)
{
    congru_reference *r = node->state;
    const size_t d = node->out.rows;
    if (!r->at_identity) {
        congru_reference_forward(graph->context->kernel, d, congru_graph_source(graph, node, 1)->rows->mean,
                                 -0.5, r);
        return CONGRU_OK;
    }
    memset(r->reference, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++)
        r->reference[i * (d + 1)] = 1.0;
    return CONGRU_OK;
}

/* One plain matrix for all lanes, or one for each trial. */
static congru_operand reference_of(const congru_call *call)
{
    const congru_reference *r = call->node->state;
    const size_t d = call->node->out.rows;
    if (r->given == NULL)
        return congru_shared(r->reference, d);
    if (r->references == 1)
        return congru_shared(r->given, d);
    call->kernel->pack(call->vectors, call->count, d, d, r->given + call->first * d * d, call->work.lanes[1]);
    return congru_per_lane(call->work.lanes[1], d);
}

/* Saves X P. */
static void forward(const congru_call *call)
{
    const size_t d = call->node->out.rows;
    const congru_operand p = reference_of(call);
    call->kernel->product(call->vectors, d, d, d, congru_per_lane(call->x[0], d), p, CONGRU_PRODUCT_SET,
                          call->saved[0]);
    call->kernel->product(call->vectors, d, d, d, p, congru_per_lane(call->saved[0], d),
                          CONGRU_PRODUCT_SYMMETRIC, call->y);
}

/* dX = P dY P, dP = X P dY + its transpose. */
static void backward(const congru_call *call)
{
    const size_t d = call->node->out.rows;
    if (call->d_x[0] != NULL)
        congru_spectral_congruence(call->kernel, call->vectors, d, d, call->d_y, reference_of(call),
                                   call->d_x[0], call->work.lanes[0]);
    memset(call->work.chains[0], 0, CONGRU_GROUP * d * d * sizeof(double));
    call->kernel->add_product(call->vectors, d, d, d, congru_per_lane(call->saved[0], d),
                              congru_per_lane(call->d_y, d), call->work.chains[0]);
    congru_call_fold(call, 0);
}

/* The reference depends on every trial alike: its derivative is a share of each row's. */
static void part(congru_graph *graph, congru_node *node)
{
    congru_reference *r = node->state;
    congru_rows *rows = congru_graph_source(graph, node, 1)->rows;
    const size_t d = node->out.rows;
    if (r->at_identity)
        return;
    memset(r->plain, 0, d * d * sizeof(double));
    congru_graph_add_sums(graph, d * d, node->sum[0], r->plain);
    congru_reference_backward(graph->context->kernel, d, -0.5, r);
    for (size_t e = 0; e < rows->stride; e++)
        r->d_mean[e] /= (double)graph->batch->count;
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_ALL, 1.0, r->d_mean, NULL});
}

const congru_layer congru_layer_recentre = {
    .name = "recentre",
    .traits = CONGRU_TRAIT_LATE,
    .plan = plan,
    .state = {.bytes = sizeof(congru_reference), .layout = layout},
    .trials = {forward, backward},
    .batch = {meet, part},
};
