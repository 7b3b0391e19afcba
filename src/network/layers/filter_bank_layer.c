/* Filters in time, normalised over the batch, then filters in space for each of them: the front of EEGNet. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/layers/window_filters.h"

/* As published, F filters in time are applied to every channel, each is normalised by its mean and variance over batch,
 * channels and time, and D filters in space are applied to each. All of it is linear but for the statistics:
 *
 *     y[t][o] = sum_k (x space)[t + k - left][o] a_f time[k][f]  +  (sum_c space[c][o]) (bias_f - a_f mean_f)
 *
 * with f = o / D and a_f = gain_f / sqrt(variance_f + eps): the space goes first, D F signals are filtered and not F times
 * the channels. x is data: no derivative goes back to it.
 *
 * Weights: those of window filters, and space (D F, channels). */
typedef struct cache {
    congru_window_filters filters;
    size_t depth;
    congru_real *space;           /* (channels, step) */
    congru_real *weight, *turned; /* (taps, step): a_f time[k][f], in order and in reverse */
    double *shift;                /* (D F) */
    double *total;                /* sums of all chunks */
} cache;

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    cache *b = node->state;
    const size_t step = congru_extent_step(&node->out), taps = b->filters.taps;
    (void)graph;
    congru_filters_layout(arena, &b->filters);
    b->space = congru_arena_take(arena, node->in[0].cols * step, sizeof(congru_real));
    b->weight = congru_arena_take(arena, taps * step, sizeof(congru_real));
    b->turned = congru_arena_take(arena, taps * step, sizeof(congru_real));
    b->shift = congru_arena_take(arena, node->out.cols, sizeof(double));
    b->total = congru_arena_take(arena, node->sum_size[0], sizeof(double));
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

static void set_filters(const congru_graph *graph, const congru_node *node)
{
    const cache *b = node->state;
    const congru_window_filters *filters = &b->filters;
    const size_t step = congru_extent_step(&node->out), cols = node->out.cols, channels = node->in[0].cols,
                 taps = filters->taps;
    const double *time = congru_graph_value(graph, node, 0), *space = congru_graph_value(graph, node, 2);
    memset(b->space, 0, channels * step * sizeof(congru_real));
    memset(b->weight, 0, taps * step * sizeof(congru_real));
    memset(b->turned, 0, taps * step * sizeof(congru_real));
    for (size_t o = 0; o < cols; o++) {
        const size_t f = o / b->depth;
        const double scale = congru_filters_scale(graph, node, filters, f);
        for (size_t c = 0; c < channels; c++)
            b->space[c * step + o] = (congru_real)space[o * channels + c];
        for (size_t k = 0; k < taps; k++)
            b->weight[k * step + o] = b->turned[(taps - 1 - k) * step + o] =
                (congru_real)(scale * time[k * filters->count + f]);
        b->shift[o] = space_sum(graph, node, o) * congru_filters_shift(graph, node, filters, f);
    }
}

static void plan(congru_graph *graph, congru_node *node)
{
    cache *b = node->state;
    const size_t step = congru_extent_step(&node->out);
    congru_filters_plan(graph, node, &b->filters, set_filters);
    const size_t taps = b->filters.taps;
    b->depth = node->out.cols / b->filters.count;
    node->sum_size[0] = taps * node->out.cols + node->out.cols;
    node->sum_size[1] = node->in[0].cols * node->out.cols;
    node->need.plain[0] = (node->in[0].rows + taps - 1) * step;
    node->need.plain[1] = (node->in[0].rows + taps) * step;
    node->need.plain[2] = (taps + node->in[0].cols) * step;
}

/* x space of one trial, with zeros before and behind. */
static const congru_real *mix(const congru_call *call, const congru_real *x)
{
    const cache *b = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(&call->node->out), left = congru_filters_left(&b->filters);
    congru_real *mixed = call->work.plain[0];
    memset(mixed, 0, left * step * sizeof(congru_real));
    memset(mixed + (left + in->rows) * step, 0, (b->filters.taps - 1 - left) * step * sizeof(congru_real));
    call->kernel->real->product(in->rows, step, 1, in->cols, (congru_window){x, congru_extent_step(in), 0, 1},
                                (congru_window){b->space, 0, 0, step}, false, mixed + left * step, step);
    return mixed;
}

static void forward(const congru_call *call)
{
    const cache *b = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(out);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        const congru_real *mixed = mix(call, congru_trial_reals(call->x[0], in, m));
        call->kernel->real->by_channel(out->rows, step, b->filters.taps, (congru_window){mixed, step, 0, step},
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
    const cache *b = call->node->state;
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out), right = b->filters.taps - 1 - congru_filters_left(&b->filters);
    congru_real *padded = call->work.plain[1], *d_mixed = call->work.plain[0];
    memset(padded, 0, right * step * sizeof(congru_real));
    memcpy(padded + right * step, d_y, out->rows * step * sizeof(congru_real));
    memset(padded + (right + out->rows) * step, 0, (b->filters.taps - 1 - right) * step * sizeof(congru_real));
    call->kernel->real->by_channel(out->rows, step, b->filters.taps, (congru_window){padded, step, 0, step},
                                   (congru_window){b->turned, 0, 0, step}, d_mixed, step);
    return d_mixed;
}

/* Sums over trials of derivatives by the filters a_f time (taps, D F), by the shift (D F), and by space through the
 * filters. */
static void backward(const congru_call *call)
{
    const cache *b = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(out), cols = out->cols;
    congru_real *own = call->work.plain[2], *own_space = own + b->filters.taps * step;
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    memset(call->sum[1], 0, call->node->sum_size[1] * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m),
                          *d_y = congru_trial_reals(call->d_y, out, m);
        call->kernel->real->by_channel(b->filters.taps, step, out->rows,
                                       (congru_window){mix(call, x), step, 0, step},
                                       (congru_window){d_y, 0, 0, step}, own, step);
        call->kernel->real->product(in->cols, step, 1, in->rows,
                                    (congru_window){x, 1, 0, congru_extent_step(in)},
                                    (congru_window){unfilter(call, d_y), 0, 0, step}, false, own_space, step);
        for (size_t k = 0; k < b->filters.taps + in->cols; k++) {
            double *sum =
                k < b->filters.taps ? call->sum[0] + k * cols : call->sum[1] + (k - b->filters.taps) * cols;
            for (size_t o = 0; o < cols; o++)
                sum[o] += (double)own[k * step + o];
        }
        for (size_t t = 0; t < out->rows; t++) {
            for (size_t o = 0; o < cols; o++)
                call->sum[0][b->filters.taps * cols + o] += (double)d_y[t * step + o];
        }
    }
}

/* One filter in time, from the sums of its D outputs: the first of them takes those of the others. */
static void finish_filter(congru_graph *graph, const congru_node *node, size_t f)
{
    const cache *b = node->state;
    const size_t cols = node->out.cols, taps = b->filters.taps, first = f * b->depth;
    double *d_space = congru_graph_gradient(graph, node, 2), d_shift = 0.0;
    const double shift = congru_filters_shift(graph, node, &b->filters, f);
    for (size_t o = first; o < first + b->depth; o++) {
        const double own = b->total[taps * cols + o];
        d_shift += space_sum(graph, node, o) * own;
        for (size_t k = 0; k < taps && o > first; k++)
            b->total[k * cols + first] += b->total[k * cols + o];
        for (size_t c = 0; c < node->in[0].cols; c++)
            d_space[o * node->in[0].cols + c] += own * shift;
    }
    congru_filters_finish(graph, node, &b->filters, f, b->total + first, cols, d_shift);
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const cache *b = node->state;
    const size_t channels = node->in[0].cols, cols = node->out.cols;
    double *d_space = congru_graph_gradient(graph, node, 2);
    memset(b->total, 0, node->sum_size[0] * sizeof(double));
    congru_graph_add_sums(graph, node->sum_size[0], node->sum[0], b->total);
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t e = 0; e < channels * cols; e++)
            d_space[e % cols * channels + e / cols] += node->sum[1][chunk * channels * cols + e];
    }
    for (size_t f = 0; f < b->filters.count; f++)
        finish_filter(graph, node, f);
    return CONGRU_OK;
}

const congru_layer congru_layer_filter_bank = {
    .name = "filter bank",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(cache), layout, congru_filters_prepare},
    .trials = {forward, backward},
    .batch = {.meet = congru_filters_meet},
    .finish = finish,
};
