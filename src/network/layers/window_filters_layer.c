/* Statistics of windows, and filters that are normalised by them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "network/constants.h"
#include "network/layers/window_filters.h"

/* ---- Statistics -------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t count;
    const double *table; /* (trials, count); NULL: they are of crops, which no two steps have alike */
    double *sum;         /* (chunks, count) */
} tally;

/* number[0] taps. */
static void tally_plan(congru_graph *graph, congru_node *node)
{
    if (graph->batch != NULL && graph->constants->taps == 0)
        node->need.lanes[0] = node->in[0].rows; /* a channel's samples */
}

static void tally_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    tally *t = node->state;
    t->count = congru_moment_count((size_t)node->number[0]);
    if (graph->batch == NULL)
        return;
    t->table = graph->constants->moment;
    t->sum = congru_arena_take(arena, congru_graph_chunks(graph) * t->count, sizeof(double));
    congru_graph_share(graph, node->stage, t->sum, t->count * sizeof(double));
}

static void tally_forward(const congru_call *call)
{
    const tally *t = call->node->state;
    if (call->resting)
        return;
    double *sum = t->sum + call->block * t->count;
    memset(sum, 0, t->count * sizeof(double));
    const congru_extent *in = &call->node->in[0];
    for (size_t m = 0; t->table == NULL && m < call->count; m++)
        congru_window_moments((size_t)call->node->number[0], in->rows, in->cols, congru_extent_step(in),
                              congru_trial_reals(call->x[0], in, m), call->work.lanes[0], sum);
    for (size_t m = 0; t->table != NULL && m < call->count; m++) {
        const double *own = t->table + congru_batch_trial(call->batch, call->first + m) * t->count;
        for (size_t e = 0; e < t->count; e++)
            sum[e] += own[e];
    }
}

const congru_layer congru_layer_window_statistics = {
    .name = "statistics of windows",
    .plan = tally_plan,
    .state = {.bytes = sizeof(tally), .layout = tally_layout},
    .trials = {.forward = tally_forward},
};

/* ---- Filters ----------------------------------------------------------------------------------------- */

void congru_filters_plan(congru_graph *graph, const congru_node *node, congru_window_filters *f,
                         congru_filters_set set)
{
    const congru_segment *time = &graph->parameters->segment[node->weight[0]];
    f->taps = time->rows;
    f->count = time->cols;
    f->most = (size_t)congru_graph_source(graph, node, 1)->number[0];
    f->set = set;
}

void congru_filters_layout(congru_arena *arena, congru_window_filters *f)
{
    f->moment = congru_arena_take(arena, congru_moment_count(f->most), sizeof(double));
    f->mean = congru_arena_take(arena, f->count, sizeof(double));
    f->variance = congru_arena_take(arena, f->count, sizeof(double));
    f->product = congru_arena_take(arena, f->taps, sizeof(double));
}

congru_status congru_filters_prepare(congru_graph *graph, congru_node *node)
{
    const congru_window_filters *f = node->state;
    const double *norm = congru_graph_value(graph, node, 1);
    memcpy(f->mean, norm + CONGRU_FILTER_MEAN * f->count, f->count * sizeof(double));
    memcpy(f->variance, norm + CONGRU_FILTER_VARIANCE * f->count, f->count * sizeof(double));
    f->set(graph, node);
    return CONGRU_OK;
}

static double windows(const congru_graph *graph, const congru_node *node)
{
    return (double)(graph->batch->count * node->in[0].rows * node->in[0].cols);
}

/* Where the filters' window begins in that of the moments. */
static size_t offset(const congru_window_filters *f)
{
    return (f->most - 1) / 2 - congru_filters_left(f);
}

/* m. */
static const double *means(const congru_window_filters *f)
{
    return f->moment + f->most * (f->most + 1) / 2 + offset(f);
}

/* product = M w, and m . w is returned. */
static double apply_moments(const congru_window_filters *f, const double *time, size_t k)
{
    const double *lags = f->moment + offset(f);
    double mean = 0.0;
    memset(f->product, 0, f->taps * sizeof(double));
    for (size_t lag = 0; lag < f->taps; lags += f->most - lag, lag++) {
        for (size_t t = 0; t + lag < f->taps; t++) {
            f->product[t] += lags[t] * time[(t + lag) * f->count + k];
            if (lag > 0)
                f->product[t + lag] += lags[t] * time[t * f->count + k];
        }
    }
    for (size_t t = 0; t < f->taps; t++)
        mean += means(f)[t] * time[t * f->count + k];
    return mean;
}

congru_status congru_filters_meet(congru_graph *graph, congru_node *node)
{
    if (graph->resting)
        return CONGRU_OK;
    const congru_window_filters *f = node->state;
    const tally *t = congru_graph_source(graph, node, 1)->state;
    const double *time = congru_graph_value(graph, node, 0);
    memset(f->moment, 0, t->count * sizeof(double));
    congru_graph_add_sums(graph, t->count, t->sum, f->moment);
    for (size_t e = 0; e < t->count; e++)
        f->moment[e] /= windows(graph, node);
    for (size_t k = 0; k < f->count; k++) {
        double square = 0.0;
        f->mean[k] = apply_moments(f, time, k);
        for (size_t i = 0; i < f->taps; i++)
            square += f->product[i] * time[i * f->count + k];
        f->variance[k] = square > f->mean[k] * f->mean[k] ? square - f->mean[k] * f->mean[k] : 0.0;
    }
    f->set(graph, node);
    return CONGRU_OK;
}

double congru_filters_scale(const congru_graph *graph, const congru_node *node, const congru_window_filters *f,
                            size_t k)
{
    const double *norm = congru_graph_value(graph, node, 1);
    return norm[CONGRU_FILTER_GAIN * f->count + k] / sqrt(f->variance[k] + node->number[0]);
}

double congru_filters_shift(const congru_graph *graph, const congru_node *node, const congru_window_filters *f,
                            size_t k)
{
    const double *norm = congru_graph_value(graph, node, 1);
    return norm[CONGRU_FILTER_BIAS * f->count + k] - congru_filters_scale(graph, node, f, k) * f->mean[k];
}

/* What prediction will use follows by a share of number[1]. */
static void follow(congru_graph *graph, const congru_node *node, const congru_window_filters *f, size_t k)
{
    congru_parameters *p = graph->parameters;
    double *norm = p->value + p->segment[node->weight[1]].offset;
    const double count = windows(graph, node), unbiased = f->variance[k] * count / (count - 1.0);
    double *mean = norm + CONGRU_FILTER_MEAN * f->count + k,
           *variance = norm + CONGRU_FILTER_VARIANCE * f->count + k;
    *mean += node->number[1] * (f->mean[k] - *mean);
    *variance += node->number[1] * (unbiased - *variance);
}

void congru_filters_finish(congru_graph *graph, const congru_node *node, const congru_window_filters *f,
                           size_t k, const double *d_time, size_t stride, double d_shift)
{
    const double *time = congru_graph_value(graph, node, 0), *norm = congru_graph_value(graph, node, 1);
    double *out = congru_graph_gradient(graph, node, 0), *d_norm = congru_graph_gradient(graph, node, 1);
    const double scale = congru_filters_scale(graph, node, f, k),
                 inverse = 1.0 / sqrt(f->variance[k] + node->number[0]);
    double d_scale = -f->mean[k] * d_shift;
    for (size_t t = 0; t < f->taps; t++) {
        d_scale += time[t * f->count + k] * d_time[t * stride];
        out[t * f->count + k] = scale * d_time[t * stride];
    }
    d_norm[CONGRU_FILTER_GAIN * f->count + k] = d_scale * inverse;
    d_norm[CONGRU_FILTER_BIAS * f->count + k] = d_shift;
    if (graph->resting)
        return;
    const double gain = norm[CONGRU_FILTER_GAIN * f->count + k],
                 d_variance = -0.5 * d_scale * gain * inverse * inverse * inverse,
                 d_mean = -scale * d_shift - 2.0 * f->mean[k] * d_variance;
    apply_moments(f, time, k);
    for (size_t t = 0; t < f->taps; t++)
        out[t * f->count + k] += 2.0 * d_variance * f->product[t] + d_mean * means(f)[t];
    follow(graph, node, f, k);
}
