/* Filters in time, normalised over the batch, then filters in space for each of them: the front of EEGNet. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "network/constants.h"
#include "network/graph.h"

/* As published, F filters in time are applied to every channel, each is normalised by its mean and variance over batch,
 * channels and time, and D filters in space are applied to each. All of it is linear but for the statistics:
 *
 *     y[t][o] = sum_k (x space)[t + k - left][o] a_f time[k][f]  +  (sum_c space[c][o]) (bias_f - a_f mean_f)
 *
 * with f = o / D and a_f = gain_f / sqrt(variance_f + eps): the space goes first, D F signals are filtered and not F times
 * the channels. Mean and variance are m . w and w' M w - mean^2 with the moments m and M of all windows, constants that
 * each trial has once. x is data: no derivative goes back to it.
 *
 * Weights: time (taps, F), gain, bias and statistics together (4, F), space (D F, channels). */
enum { GAIN, BIAS, MEAN, VARIANCE, ROWS };

typedef struct bank {
    size_t taps, filters, depth;
    double *moment;               /* of the batch: congru_moment_count, divided by how many windows there are */
    double *mean, *variance;      /* (F) */
    congru_real *space;           /* (channels, step) */
    congru_real *weight, *turned; /* (taps, step): a_f time[k][f], in order and in reverse */
    double *shift;                /* (D F) */
    double *total, *product;      /* sums of all chunks; M w of one filter (taps) */
} bank;

/* ---- Statistics -------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t count;
    const double *table; /* (trials, count) */
    double *sum;         /* (chunks, count) */
} tally;

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
    for (size_t m = 0; m < call->count; m++) {
        const double *own = t->table + congru_batch_trial(call->batch, call->first + m) * t->count;
        for (size_t e = 0; e < t->count; e++)
            sum[e] += own[e];
    }
}

const congru_layer congru_layer_window_statistics = {
    .name = "statistics of windows",
    .layout = tally_layout,
    .forward = tally_forward,
    .state = sizeof(tally),
};

/* ---- Filters ----------------------------------------------------------------------------------------- */

static void plan(congru_graph *graph, congru_node *node)
{
    bank *b = node->state;
    const congru_segment *time = &graph->parameters->segment[node->weight[0]];
    const size_t step = congru_extent_step(&node->out);
    b->taps = time->rows;
    b->filters = time->cols;
    b->depth = node->out.cols / b->filters;
    node->sum_size[0] = b->taps * node->out.cols + node->out.cols;
    node->sum_size[1] = node->in[0].cols * node->out.cols;
    node->need.plain[0] = (node->in[0].rows + b->taps - 1) * step;
    node->need.plain[1] = (node->in[0].rows + b->taps) * step;
    node->need.plain[2] = (b->taps + node->in[0].cols) * step;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    bank *b = node->state;
    const size_t step = congru_extent_step(&node->out);
    (void)graph;
    b->moment = congru_arena_take(arena, congru_moment_count(b->taps), sizeof(double));
    b->mean = congru_arena_take(arena, b->filters, sizeof(double));
    b->variance = congru_arena_take(arena, b->filters, sizeof(double));
    b->space = congru_arena_take(arena, node->in[0].cols * step, sizeof(congru_real));
    b->weight = congru_arena_take(arena, b->taps * step, sizeof(congru_real));
    b->turned = congru_arena_take(arena, b->taps * step, sizeof(congru_real));
    b->shift = congru_arena_take(arena, node->out.cols, sizeof(double));
    b->total = congru_arena_take(arena, node->sum_size[0], sizeof(double));
    b->product = congru_arena_take(arena, b->taps, sizeof(double));
}

static double scale_of(const congru_graph *graph, const congru_node *node, size_t f)
{
    const bank *b = node->state;
    const double *norm = congru_graph_value(graph, node, 1);
    return norm[GAIN * b->filters + f] / sqrt(b->variance[f] + node->number[0]);
}

/* The sum of a spatial filter. */
static double space_sum(const congru_graph *graph, const congru_node *node, size_t o)
{
    const double *space = congru_graph_value(graph, node, 2);
    double sum = 0.0;
    for (size_t c = 0; c < node->in[0].cols; c++)
        sum += space[o * node->in[0].cols + c];
    return sum;
}

/* What forward multiplies with, at the mean and variance of the moment. */
static void set_filters(const congru_graph *graph, const congru_node *node)
{
    const bank *b = node->state;
    const size_t step = congru_extent_step(&node->out), cols = node->out.cols, channels = node->in[0].cols;
    const double *time = congru_graph_value(graph, node, 0), *norm = congru_graph_value(graph, node, 1),
                 *space = congru_graph_value(graph, node, 2);
    memset(b->space, 0, channels * step * sizeof(congru_real));
    memset(b->weight, 0, b->taps * step * sizeof(congru_real));
    memset(b->turned, 0, b->taps * step * sizeof(congru_real));
    for (size_t o = 0; o < cols; o++) {
        const size_t f = o / b->depth;
        const double scale = scale_of(graph, node, f);
        for (size_t c = 0; c < channels; c++)
            b->space[c * step + o] = (congru_real)space[o * channels + c];
        for (size_t k = 0; k < b->taps; k++)
            b->weight[k * step + o] = b->turned[(b->taps - 1 - k) * step + o] =
                (congru_real)(scale * time[k * b->filters + f]);
        b->shift[o] = space_sum(graph, node, o) * (norm[BIAS * b->filters + f] - scale * b->mean[f]);
    }
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    const bank *b = node->state;
    const double *norm = congru_graph_value(graph, node, 1);
    memcpy(b->mean, norm + MEAN * b->filters, b->filters * sizeof(double));
    memcpy(b->variance, norm + VARIANCE * b->filters, b->filters * sizeof(double));
    set_filters(graph, node);
    return CONGRU_OK;
}

static double windows(const congru_graph *graph, const congru_node *node)
{
    return (double)(graph->batch->count * node->in[0].rows * node->in[0].cols);
}

/* out = M w, and m . w is returned. */
static double apply_moments(const bank *b, const double *time, size_t f, double *out)
{
    const double *moment = b->moment;
    double mean = 0.0;
    memset(out, 0, b->taps * sizeof(double));
    for (size_t lag = 0; lag < b->taps; lag++) {
        for (size_t k = 0; k + lag < b->taps; k++, moment++) {
            out[k] += *moment * time[(k + lag) * b->filters + f];
            if (lag > 0)
                out[k + lag] += *moment * time[k * b->filters + f];
        }
    }
    for (size_t k = 0; k < b->taps; k++)
        mean += moment[k] * time[k * b->filters + f];
    return mean;
}

/* Mean and variance of the batch. */
static congru_status meet(congru_graph *graph, congru_node *node)
{
    const bank *b = node->state;
    const tally *t = congru_graph_source(graph, node, 1)->state;
    const double *time = congru_graph_value(graph, node, 0);
    if (graph->resting)
        return CONGRU_OK;
    memset(b->moment, 0, t->count * sizeof(double));
    congru_graph_add_sums(graph, t->count, t->sum, b->moment);
    for (size_t e = 0; e < t->count; e++)
        b->moment[e] /= windows(graph, node);
    for (size_t f = 0; f < b->filters; f++) {
        double square = 0.0;
        b->mean[f] = apply_moments(b, time, f, b->product);
        for (size_t k = 0; k < b->taps; k++)
            square += b->product[k] * time[k * b->filters + f];
        b->variance[f] = square > b->mean[f] * b->mean[f] ? square - b->mean[f] * b->mean[f] : 0.0;
    }
    set_filters(graph, node);
    return CONGRU_OK;
}

/* x space of one trial, with zeros before and behind. */
static const congru_real *mix(const congru_call *call, const congru_real *x)
{
    const bank *b = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(&call->node->out), left = (b->taps - 1) / 2;
    congru_real *mixed = call->work.plain[0];
    memset(mixed, 0, left * step * sizeof(congru_real));
    memset(mixed + (left + in->rows) * step, 0, (b->taps - 1 - left) * step * sizeof(congru_real));
    call->kernel->real->product(in->rows, step, 1, in->cols, (congru_window){x, congru_extent_step(in), 0, 1},
                                (congru_window){b->space, 0, 0, step}, false, mixed + left * step, step);
    return mixed;
}

static void forward(const congru_call *call)
{
    const bank *b = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(out);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        const congru_real *mixed = mix(call, congru_trial_reals(call->x[0], in, m));
        call->kernel->real->by_channel(out->rows, step, b->taps, (congru_window){mixed, step, 0, step},
                                       (congru_window){b->weight, 0, 0, step}, y, step);
        for (size_t t = 0; t < out->rows; t++) {
            for (size_t o = 0; o < out->cols; o++)
                y[t * step + o] += (congru_real)b->shift[o];
        }
    }
}

/* The derivative by x space: dy filtered with the taps in reverse. */
static const congru_real *unfilter(const congru_call *call, const congru_real *d_y)
{
    const bank *b = call->node->state;
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out), right = b->taps - 1 - (b->taps - 1) / 2;
    congru_real *padded = call->work.plain[1], *d_mixed = call->work.plain[0];
    memset(padded, 0, right * step * sizeof(congru_real));
    memcpy(padded + right * step, d_y, out->rows * step * sizeof(congru_real));
    memset(padded + (right + out->rows) * step, 0, (b->taps - 1 - right) * step * sizeof(congru_real));
    call->kernel->real->by_channel(out->rows, step, b->taps, (congru_window){padded, step, 0, step},
                                   (congru_window){b->turned, 0, 0, step}, d_mixed, step);
    return d_mixed;
}

/* Sums over trials of derivatives by the filters a_f time (taps, D F), by the shift (D F), and by space through the
 * filters. */
static void backward(const congru_call *call)
{
    const bank *b = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(out), cols = out->cols;
    congru_real *own = call->work.plain[2], *own_space = own + b->taps * step;
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    memset(call->sum[1], 0, call->node->sum_size[1] * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m),
                          *d_y = congru_trial_reals(call->d_y, out, m);
        call->kernel->real->by_channel(b->taps, step, out->rows, (congru_window){mix(call, x), step, 0, step},
                                       (congru_window){d_y, 0, 0, step}, own, step);
        call->kernel->real->product(in->cols, step, 1, in->rows,
                                    (congru_window){x, 1, 0, congru_extent_step(in)},
                                    (congru_window){unfilter(call, d_y), 0, 0, step}, false, own_space, step);
        for (size_t k = 0; k < b->taps + in->cols; k++) {
            double *sum = k < b->taps ? call->sum[0] + k * cols : call->sum[1] + (k - b->taps) * cols;
            for (size_t o = 0; o < cols; o++)
                sum[o] += (double)own[k * step + o];
        }
        for (size_t t = 0; t < out->rows; t++) {
            for (size_t o = 0; o < cols; o++)
                call->sum[0][b->taps * cols + o] += (double)d_y[t * step + o];
        }
    }
}

/* One filter in time, from the sums of its D outputs: through a_f time, and through mean and variance. */
static void finish_filter(congru_graph *graph, congru_node *node, size_t f)
{
    const bank *b = node->state;
    const size_t cols = node->out.cols, filters = b->filters;
    const double *time = congru_graph_value(graph, node, 0), *norm = congru_graph_value(graph, node, 1);
    double *d_time = congru_graph_gradient(graph, node, 0), *d_norm = congru_graph_gradient(graph, node, 1),
           *d_space = congru_graph_gradient(graph, node, 2);
    const double scale = scale_of(graph, node, f), inverse = 1.0 / sqrt(b->variance[f] + node->number[0]);
    double d_scale = 0.0, d_bias = 0.0;
    for (size_t o = f * b->depth; o < (f + 1) * b->depth; o++) {
        const double d_shift = b->total[b->taps * cols + o];
        d_bias += space_sum(graph, node, o) * d_shift;
        for (size_t k = 0; k < b->taps; k++) {
            d_time[k * filters + f] += scale * b->total[k * cols + o];
            d_scale += time[k * filters + f] * b->total[k * cols + o];
        }
        for (size_t c = 0; c < node->in[0].cols; c++)
            d_space[o * node->in[0].cols + c] += d_shift * (norm[BIAS * filters + f] - scale * b->mean[f]);
    }
    d_scale -= b->mean[f] * d_bias;
    d_norm[GAIN * filters + f] = d_scale * inverse;
    d_norm[BIAS * filters + f] = d_bias;
    if (graph->resting)
        return;
    const double d_variance = -0.5 * d_scale * norm[GAIN * filters + f] * inverse * inverse * inverse,
                 d_mean = -scale * d_bias - 2.0 * b->mean[f] * d_variance;
    apply_moments(b, time, f, b->product);
    for (size_t k = 0; k < b->taps; k++)
        d_time[k * filters + f] +=
            2.0 * d_variance * b->product[k] + d_mean * b->moment[b->taps * (b->taps + 1) / 2 + k];
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const bank *b = node->state;
    const size_t channels = node->in[0].cols, cols = node->out.cols;
    const double share = node->number[1], count = windows(graph, node);
    congru_parameters *p = graph->parameters;
    double *norm = p->value + p->segment[node->weight[1]].offset,
           *d_space = congru_graph_gradient(graph, node, 2);
    memset(b->total, 0, node->sum_size[0] * sizeof(double));
    congru_graph_add_sums(graph, node->sum_size[0], node->sum[0], b->total);
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t e = 0; e < channels * cols; e++)
            d_space[e % cols * channels + e / cols] += node->sum[1][chunk * channels * cols + e];
    }
    for (size_t f = 0; f < b->filters; f++) {
        finish_filter(graph, node, f);
        if (graph->resting)
            continue;
        norm[MEAN * b->filters + f] += share * (b->mean[f] - norm[MEAN * b->filters + f]);
        norm[VARIANCE * b->filters + f] +=
            share * (b->variance[f] * count / (count - 1.0) - norm[VARIANCE * b->filters + f]);
    }
    return CONGRU_OK;
}

const congru_layer congru_layer_filter_bank = {
    .name = "filter bank",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .plan = plan,
    .layout = layout,
    .prepare = prepare,
    .forward = forward,
    .meet = meet,
    .backward = backward,
    .finish = finish,
    .state = sizeof(bank),
};
