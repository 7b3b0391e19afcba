/* The layers of SPD batch normalisation by domain. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/domain_layer.h"

#include <math.h>
#include <string.h>

/* ---- Y = P X P, P of the trial's subject ------------------------------------------------------------- */

static void recentre_plan(congru_graph *graph, congru_node *node)
{
    const size_t size = node->out.size;
    node->saved_size[0] = node->need.lanes[0] = node->need.lanes[1] = node->need.lanes[2] = size;
    node->sum_size[0] = graph->subjects * size;
}

/* P of each trial, in lanes. */
static congru_operand load_inverse(const congru_call *call, const double *inverse)
{
    const size_t d = call->node->out.rows, size = d * d;
    double *plain = call->work.lanes[0];
    for (size_t m = 0; m < call->count; m++)
        memcpy(plain + m * size, inverse + (size_t)call->batch->subject[call->first + m] * size,
               size * sizeof(double));
    call->kernel->pack(call->vectors, call->count, d, d, plain, call->work.lanes[1]);
    return congru_per_lane(call->work.lanes[1], d);
}

/* Saves X P. */
static void recentre_forward(const congru_call *call, const double *inverse)
{
    const size_t d = call->node->out.rows;
    const congru_operand p = load_inverse(call, inverse);
    call->kernel->product(call->vectors, d, d, d, congru_per_lane(call->x[0], d), p, CONGRU_PRODUCT_SET,
                          call->saved[0]);
    call->kernel->product(call->vectors, d, d, d, p, congru_per_lane(call->saved[0], d),
                          CONGRU_PRODUCT_SYMMETRIC, call->y);
}

/* dX = P dY P, and X P dY added up by subject. */
static void recentre_backward(const congru_call *call, const double *inverse)
{
    const size_t d = call->node->out.rows, size = d * d;
    if (call->d_x[0] != NULL)
        congru_spectral_congruence(call->kernel, call->vectors, d, d, call->d_y, load_inverse(call, inverse),
                                   call->d_x[0], call->work.lanes[2]);
    call->kernel->product(call->vectors, d, d, d, congru_per_lane(call->saved[0], d),
                          congru_per_lane(call->d_y, d), CONGRU_PRODUCT_SET, call->work.lanes[0]);
    call->kernel->unpack(call->vectors, call->count, d, d, call->work.lanes[0], call->work.lanes[1]);
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        double *sum = call->sum[0] + (size_t)call->batch->subject[call->first + m] * size;
        for (size_t e = 0; e < size; e++)
            sum[e] += call->work.lanes[1][m * size + e];
    }
}

/* ---- At E -------------------------------------------------------------------------------------------- */

/* Points to the state of the layer behind it, which sets it. */
typedef struct centring {
    congru_domains *domains;
} centring;

static congru_status centre_meet(congru_graph *graph, congru_node *node)
{
    return congru_domains_centre(graph, congru_graph_source(graph, node, 1)->rows,
                                 ((centring *)node->state)->domains);
}

static void centre_part(congru_graph *graph, congru_node *node)
{
    congru_domains_centre_backward(graph, node->sum[0], congru_graph_source(graph, node, 1)->rows,
                                   ((centring *)node->state)->domains);
}

static void centre_forward(const congru_call *call)
{
    recentre_forward(call, ((const centring *)call->node->state)->domains->inverse[0]);
}

static void centre_backward(const congru_call *call)
{
    recentre_backward(call, ((const centring *)call->node->state)->domains->inverse[0]);
}

const congru_layer congru_layer_domain_centre = {
    .name = "centre by domain",
    .traits = CONGRU_TRAIT_LATE,
    .plan = recentre_plan,
    .state = {.bytes = sizeof(centring)},
    .trials = {centre_forward, centre_backward},
    .batch = {centre_meet, centre_part},
};

/* ---- At G -------------------------------------------------------------------------------------------- */

/* Its second input is the triangle of the logarithm of what domain_centre gives. */
static void mean_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    congru_node *centre = congru_graph_source(graph, node, 1);
    while (centre->layer != &congru_layer_domain_centre)
        centre = congru_graph_source(graph, centre, 0);
    congru_domains_layout(arena, graph, node->out.rows, node->state);
    ((centring *)centre->state)->domains = node->state;
}

static congru_status mean_prepare(congru_graph *graph, congru_node *node)
{
    congru_domains *s = node->state;
    s->share = congru_domains_share(graph, node->number[0]);
    congru_domains_settle(graph, s);
    return CONGRU_OK;
}

static congru_status mean_meet(congru_graph *graph, congru_node *node)
{
    return congru_domains_mean(graph, congru_graph_source(graph, node, 1)->rows, node->state);
}

static void mean_part(congru_graph *graph, congru_node *node)
{
    congru_domains_mean_backward(graph, node->sum[0], congru_graph_source(graph, node, 1)->rows, node->state);
}

static void mean_forward(const congru_call *call)
{
    recentre_forward(call, ((const congru_domains *)call->node->state)->inverse[1]);
}

static void mean_backward(const congru_call *call)
{
    recentre_backward(call, ((const congru_domains *)call->node->state)->inverse[1]);
}

const congru_layer congru_layer_domain_mean = {
    .name = "mean by domain",
    .traits = CONGRU_TRAIT_LATE,
    .plan = recentre_plan,
    .state = {sizeof(congru_domains), mean_layout, mean_prepare},
    .trials = {mean_forward, mean_backward},
    .batch = {mean_meet, mean_part},
};

/* ---- Over the dispersion ------------------------------------------------------------------------------ */

static void scale_plan(congru_graph *graph, congru_node *node)
{
    node->sum_size[0] = graph->batch != NULL ? graph->subjects : 0;
    node->need.lanes[0] = 1;
}

static void scale_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    congru_domain_scale *s = node->state;
    double **arrays[] = {&s->factor, &s->inverse, &s->slope};
    if (graph->batch == NULL)
        return;
    for (size_t k = 0; k < 3; k++)
        *arrays[k] = congru_arena_take(arena, graph->subjects, sizeof(double));
    const congru_node *mean = congru_graph_source(graph, node, 0);
    while (mean->layer != &congru_layer_domain_mean)
        mean = congru_graph_source(graph, mean, 0);
    s->domains = mean->state;
}

/* v of each subject of the batch and what comes of it. */
static congru_status scale_meet(congru_graph *graph, congru_node *node)
{
    const congru_domain_scale *s = node->state;
    congru_domains *domains = s->domains;
    const congru_rows *rows = congru_graph_source(graph, node, 1)->rows;
    const double spread = congru_graph_value(graph, node, 0)[0];
    for (size_t k = 0; k < domains->count; k++) {
        const size_t subject = domains->domain[k];
        double sum = 0.0;
        for (size_t i = 0; i < graph->batch->count; i++)
            sum += (size_t)graph->batch->subject[i] == subject ? rows->norm[i] : 0.0;
        const double v = (1.0 - domains->share) * (graph->resting ? 0.0 : domains->kept.v[subject]) +
                         domains->share * sum / rows->subject.count[subject];
        s->inverse[subject] = 1.0 / sqrt(v + node->number[0]);
        s->factor[subject] = spread * s->inverse[subject];
        if (!graph->resting)
            domains->fresh.v[subject] = v;
    }
    return CONGRU_OK;
}

/* The number that a trial is multiplied by. */
static double factor_of(const congru_call *call, size_t m)
{
    const congru_domain_scale *s = call->node->state;
    if (m >= call->count)
        return 1.0;
    if (s->given != NULL)
        return call->weight[0][0] * s->given[s->factors == 1 ? 0 : call->first + m];
    return s->factor[call->batch->subject[call->first + m]];
}

/* out = each trial of x times its number. */
static void scale_trials(const congru_call *call, const double *x, double *out)
{
    const size_t width = call->kernel->width, size = call->node->out.size;
    for (size_t m = 0; m < call->vectors * width; m++) {
        const double factor = factor_of(call, m);
        const size_t first = m / width * size * width + m % width;
        for (size_t e = 0; e < size; e++)
            out[first + e * width] = factor * x[first + e * width];
    }
}

static void scale_forward(const congru_call *call)
{
    scale_trials(call, call->x[0], call->y);
}

/* dL = factor dY; <dY, L> added up by subject. */
static void scale_backward(const congru_call *call)
{
    double *products = call->work.lanes[0];
    if (call->d_x[0] != NULL)
        scale_trials(call, call->d_y, call->d_x[0]);
    call->kernel->dots(call->vectors, call->node->out.size, call->d_y, call->x[0], products);
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    for (size_t m = 0; m < call->count; m++)
        call->sum[0][call->batch->subject[call->first + m]] += products[m];
}

/* Each trial moves v by 2 L share / count, and v the factor by -factor / (2 (v + eps)). */
static void scale_part(congru_graph *graph, congru_node *node)
{
    congru_domain_scale *s = node->state;
    const congru_domains *domains = s->domains;
    congru_rows *rows = congru_graph_source(graph, node, 1)->rows;
    s->d_spread = 0.0;
    for (size_t k = 0; k < domains->count; k++) {
        const size_t subject = domains->domain[k];
        double d_factor = 0.0;
        for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++)
            d_factor += node->sum[0][chunk * graph->subjects + subject];
        s->d_spread += d_factor * s->inverse[subject];
        s->slope[subject] = -d_factor * s->factor[subject] * s->inverse[subject] * s->inverse[subject] *
                            domains->share / rows->subject.count[subject];
    }
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_OWN, 1.0, s->slope, NULL});
}

static congru_status scale_finish(congru_graph *graph, congru_node *node)
{
    congru_graph_gradient(graph, node, 0)[0] = ((const congru_domain_scale *)node->state)->d_spread;
    return CONGRU_OK;
}

const congru_layer congru_layer_domain_scale = {
    .name = "scale by domain",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .plan = scale_plan,
    .state = {.bytes = sizeof(congru_domain_scale), .layout = scale_layout},
    .trials = {scale_forward, scale_backward},
    .batch = {scale_meet, scale_part},
    .finish = scale_finish,
};
