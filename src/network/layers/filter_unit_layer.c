/* Filters in time, normalised over the batch, ELU, dropout, then filters in space for each: a unit of EEG-Inception. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/layers/dropout.h"
#include "network/layers/window_filters.h"

/* F filters in time are applied to every channel; each output has D filters in space, its own for each filter in time:
 *
 *     e_f[c][t] = dropout(elu(scale_f sum_k time[k][f] x[t + k - left][c] + shift_f))
 *     y[t][o] = sum_c space[o][c] e_f[c][t],   f = o / D
 *
 * Here time is in lanes: windows of a channel are rows of a matrix that begin one sample after the other, so that filtering
 * and its adjoint are products. A trial's e is kept for the way back; it also says what was left out, and the slope of ELU.
 * x is data: no derivative goes back to it.
 *
 * Weights: those of window filters, and space (D F, channels). number[2] and [3]: share and name of dropout. */
typedef struct unit {
    congru_window_filters filters;
    size_t depth;
    size_t step, line; /* samples, and samples with zeros at both ends, of a channel */
    size_t taps;       /* padded to whole vectors */
    congru_real *time; /* (F, taps): with the scale of the moment */
    congru_real *shift, *space;
    double *total; /* sums of all chunks */
} unit;

/* A trial's arrays. */
typedef struct scratch {
    congru_real *x;       /* (channels, line) */
    congru_real *active;  /* (F, channels, step): e, or the derivative by what goes into ELU */
    congru_real *out;     /* (D F, step): y or its derivative, transposed */
    congru_real *product; /* (F, taps) */
    congru_real *row;     /* (step): ones, or what is drawn */
    double *dots;         /* (channels, D) */
} scratch;

static scratch scratch_of(const congru_call *call)
{
    const unit *u = call->node->state;
    congru_real *rest = call->work.plain[2];
    const size_t out = call->node->out.cols * u->step;
    return (scratch){
        call->work.plain[0], call->work.plain[1], rest, rest + out, rest + out + u->filters.count * u->taps,
        call->work.lanes[0]};
}

static size_t active_reals(const congru_node *node)
{
    const unit *u = node->state;
    return u->filters.count * node->in[0].cols * u->step;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    unit *u = node->state;
    congru_filters_layout(arena, &u->filters);
    u->time = congru_arena_take(arena, u->filters.count * u->taps, sizeof(congru_real));
    u->shift = congru_arena_take(arena, u->filters.count, sizeof(congru_real));
    u->space = congru_arena_take(arena, node->out.cols * node->in[0].cols, sizeof(congru_real));
    u->total = congru_arena_take(arena, node->sum_size[0], sizeof(double));
}

static void set_filters(const congru_graph *graph, const congru_node *node)
{
    const unit *u = node->state;
    const congru_window_filters *f = &u->filters;
    const double *time = congru_graph_value(graph, node, 0), *space = congru_graph_value(graph, node, 2);
    memset(u->time, 0, f->count * u->taps * sizeof(congru_real));
    for (size_t k = 0; k < f->count; k++) {
        const double scale = congru_filters_scale(graph, node, f, k);
        u->shift[k] = (congru_real)congru_filters_shift(graph, node, f, k);
        for (size_t t = 0; t < f->taps; t++)
            u->time[k * u->taps + t] = (congru_real)(scale * time[t * f->count + k]);
    }
    for (size_t e = 0; e < node->out.cols * node->in[0].cols; e++)
        u->space[e] = (congru_real)space[e];
}

static void plan(congru_graph *graph, congru_node *node)
{
    unit *u = node->state;
    congru_filters_plan(graph, node, &u->filters, set_filters);
    u->depth = node->out.cols / u->filters.count;
    u->step = congru_real_step(node->in[0].rows);
    u->taps = congru_real_step(u->filters.taps);
    u->line = u->step + u->taps;
    node->sum_size[0] = u->filters.count * (u->filters.taps + 1);
    node->sum_size[1] = node->in[0].cols * node->out.cols;
    node->saved_size[0] = graph->batch != NULL ? congru_real_doubles(active_reals(node)) : 0;
    node->need.plain[0] = node->in[0].cols * u->line;
    node->need.plain[1] = active_reals(node);
    node->need.plain[2] = node->out.cols * u->step + u->filters.count * u->taps + u->step;
    node->need.lanes[0] = node->in[0].cols * u->depth;
}

/* x of a trial, channel by channel, with zeros before and behind. */
static void spread(const congru_call *call, size_t m, congru_real *to)
{
    const unit *u = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(in), left = congru_filters_left(&u->filters);
    const congru_real *x = congru_trial_reals(call->x[0], in, m);
    memset(to, 0, in->cols * u->line * sizeof(congru_real));
    for (size_t t = 0; t < in->rows; t++) {
        for (size_t c = 0; c < in->cols; c++)
            to[c * u->line + left + t] = x[t * step + c];
    }
}

/* ELU of a row, what is left out, and zeros behind its end. */
static void activate(const congru_call *call, congru_dropout *dropout, congru_real *mask, congru_real *row)
{
    const unit *u = call->node->state;
    const size_t samples = call->node->in[0].rows;
    call->kernel->real->elu(u->step, row, row);
    if (!congru_dropout_rests(call, call->node->number[2])) {
        congru_dropout_draw(dropout, u->step, mask);
        call->kernel->real->multiply(u->step, row, mask, row);
    }
    memset(row + samples, 0, (u->step - samples) * sizeof(congru_real));
}

static void trial_forward(const congru_call *call, size_t m, const scratch *s, congru_real *active)
{
    const unit *u = call->node->state;
    const size_t filters = u->filters.count, channels = call->node->in[0].cols, step = u->step;
    congru_dropout dropout = {.least = 0};
    if (!congru_dropout_rests(call, call->node->number[2]))
        dropout = congru_dropout_start(call, call->node->number[2], call->node->number[3], m);
    spread(call, m, s->x);
    for (size_t row = 0; row < filters * channels; row++) {
        for (size_t t = 0; t < step; t++)
            active[row * step + t] = u->shift[row / channels];
    }
    for (size_t c = 0; c < channels; c++)
        call->kernel->real->product(filters, step, 1, u->filters.taps, (congru_window){u->time, u->taps, 0, 1},
                                    (congru_window){s->x + c * u->line, 0, 0, 1}, true, active + c * step,
                                    channels * step);
    for (size_t f = 0; f < filters; f++) {
        congru_real *own = active + f * channels * step;
        for (size_t c = 0; c < channels; c++)
            activate(call, &dropout, s->row, own + c * step);
        call->kernel->real->product(
            u->depth, step, 1, channels, (congru_window){u->space + f * u->depth * channels, channels, 0, 1},
            (congru_window){own, 0, 0, step}, false, s->out + f * u->depth * step, step);
    }
}

static congru_real *active_of(const congru_call *call, size_t m)
{
    if (call->saved[0] == NULL)
        return call->work.plain[1];
    /* cppcheck-suppress invalidPointerCast ; the array is storage, which holds either */
    return (congru_real *)(call->saved[0] + m * call->node->saved_size[0]);
}

static void forward(const congru_call *call)
{
    const unit *u = call->node->state;
    const scratch s = scratch_of(call);
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        trial_forward(call, m, &s, active_of(call, m));
        memset(y, 0, out->size * sizeof(double));
        for (size_t o = 0; o < out->cols; o++) {
            for (size_t t = 0; t < out->rows; t++)
                y[t * step + o] = s.out[o * u->step + t];
        }
    }
}

/* One filter in time of a trial: by space, and by what went into ELU. */
static void filter_backward(const congru_call *call, size_t f, const scratch *s, const congru_real *e)
{
    const unit *u = call->node->state;
    const size_t channels = call->node->in[0].cols, step = u->step, first = f * u->depth;
    const bool rests = congru_dropout_rests(call, call->node->number[2]);
    const congru_real kept = rests ? 1 : (congru_real)(1.0 / (1.0 - call->node->number[2]));
    congru_real *d = s->active + f * channels * step;
    call->kernel->real->dots(channels, u->depth, step, e, step, s->out + first * step, s->dots);
    for (size_t c = 0; c < channels; c++) {
        for (size_t k = 0; k < u->depth; k++)
            call->sum[1][(first + k) * channels + c] += s->dots[c * u->depth + k];
    }
    call->kernel->real->product(channels, step, 1, u->depth,
                                (congru_window){u->space + first * channels, 1, 0, channels},
                                (congru_window){s->out + first * step, 0, 0, step}, false, d, step);
    call->kernel->real->elu_slope(channels * step, kept, rests ? 1 : 0, e, d, d);
    call->kernel->real->dots(channels, 1, step, d, step, s->row, s->dots);
    for (size_t c = 0; c < channels; c++)
        call->sum[0][u->filters.count * u->filters.taps + f] += s->dots[c];
}

static void trial_backward(const congru_call *call, size_t m, const scratch *s)
{
    const unit *u = call->node->state;
    const congru_extent *out = &call->node->out;
    const size_t filters = u->filters.count, taps = u->filters.taps, channels = call->node->in[0].cols;
    const congru_real *d_y = congru_trial_reals(call->d_y, out, m), *e = active_of(call, m);
    memset(s->out, 0, out->cols * u->step * sizeof(congru_real));
    for (size_t o = 0; o < out->cols; o++) {
        for (size_t t = 0; t < out->rows; t++)
            s->out[o * u->step + t] = d_y[t * congru_extent_step(out) + o];
    }
    for (size_t t = 0; t < u->step; t++)
        s->row[t] = 1;
    for (size_t f = 0; f < filters; f++)
        filter_backward(call, f, s, e + f * channels * u->step);
    spread(call, m, s->x);
    for (size_t c = 0; c < channels; c++) {
        call->kernel->real->product(filters, u->taps, 1, out->rows,
                                    (congru_window){s->active + c * u->step, channels * u->step, 0, 1},
                                    (congru_window){s->x + c * u->line, 0, 0, 1}, false, s->product, u->taps);
        for (size_t k = 0; k < filters * taps; k++)
            call->sum[0][k] += (double)s->product[k / taps * u->taps + k % taps];
    }
}

static void backward(const congru_call *call)
{
    const scratch s = scratch_of(call);
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    memset(call->sum[1], 0, call->node->sum_size[1] * sizeof(double));
    for (size_t m = 0; m < call->count; m++)
        trial_backward(call, m, &s);
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const unit *u = node->state;
    const size_t filters = u->filters.count, taps = u->filters.taps;
    memset(u->total, 0, node->sum_size[0] * sizeof(double));
    congru_graph_add_sums(graph, node->sum_size[0], node->sum[0], u->total);
    congru_graph_add_sums(graph, node->sum_size[1], node->sum[1], congru_graph_gradient(graph, node, 2));
    for (size_t f = 0; f < filters; f++)
        congru_filters_finish(graph, node, &u->filters, f, u->total + f * taps, 1,
                              u->total[filters * taps + f]);
    return CONGRU_OK;
}

const congru_layer congru_layer_filter_unit = {
    .name = "filters in time and space",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(unit), layout, congru_filters_prepare},
    .trials = {forward, backward},
    .batch = {.meet = congru_filters_meet},
    .finish = finish,
};
