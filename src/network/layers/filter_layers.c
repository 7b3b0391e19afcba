/* Filters in time that are normalised over the batch, and filters in space for each of them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "network/constants.h"
#include "network/layers/layers.h"

/* ---- Statistics of windows --------------------------------------------------------------------------- */

typedef struct tally {
    size_t count;
    double *sum; /* (chunks, count) */
} tally;

/* number[0] taps. */
static void tally_plan(congru_node *node)
{
    tally *t = node->state;
    t->count = congru_moment_count((size_t)node->number[0]);
    if (node->graph->batch == NULL)
        return;
    if (node->graph->constants->taps == 0)
        node->need.lanes[0] = node->in[0].rows; /* a channel's samples */
    t->sum = congru_take_doubles(node, congru_graph_chunks(node->graph) * t->count);
    congru_graph_share(node->graph, node->stage, t->sum, t->count * sizeof(double));
}

/* From the constant moments of each trial; of crops, which no two steps have alike, they are had here. */
static void tally_forward(const congru_call *call)
{
    const tally *t = call->node->state;
    const congru_extent *in = &call->node->in[0];
    if (call->resting)
        return;
    const double *table = call->node->graph->constants->moment;
    double *sum = t->sum + call->block * t->count;
    memset(sum, 0, t->count * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        if (table == NULL) {
            congru_window_moments((size_t)call->node->number[0], in->rows, in->cols, in->step,
                                  congru_call_x(call, m), call->work.lanes[0], sum);
            continue;
        }
        const double *own = table + congru_batch_trial(call->batch, call->first + m) * t->count;
        for (size_t e = 0; e < t->count; e++)
            sum[e] += own[e];
    }
}

const congru_layer congru_layer_window_statistics = {
    .name = "statistics of windows",
    .state = sizeof(tally),
    .plan = tally_plan,
    .trials = {.forward = tally_forward},
};

/* ---- Filters in time --------------------------------------------------------------------------------- */

/* Each of F filters is applied to every channel, with zeros beyond the ends, and normalised by its mean and variance over
 * batch, channels and time. These are m . w and w' M w - mean^2 with the moments m and M of all windows, constants that
 * each trial has once: what comes out of a filter is not looked at. The node's second input is the statistics of windows,
 * which may be of more taps: shorter windows lie in the middle of longer ones. x is data: no derivative goes back to it.
 *
 * Weights of both layers: [0] time (taps, F); [1] gain, bias and statistics together, (4, F); [2] space (D F, channels).
 * number[0] is added to variances, of what prediction uses the share number[1] is renewed. */
enum { GAIN, BIAS, MEAN, VARIANCE };

typedef struct filters {
    size_t taps, count, most; /* taps of the filters; filters; taps of the moments */
    size_t left, depth;       /* zeros on the left of a signal; D */
    double *moment; /* of the batch: congru_moment_count(most), divided by how many windows there are */
    double *mean, *variance; /* (F) */
    double *product;         /* M w of one filter (taps) */
    double *total;           /* the first of the sums, of all chunks */
    void (*set)(const congru_node
                    *node); /* makes what forward multiplies with, at the mean and variance of the moment */
} filters;

/* The filters of a node are what its state begins with. */
static void filters_plan(congru_node *node, size_t sums, void (*set)(const congru_node *node))
{
    filters *f = node->state;
    f->taps = congru_node_segment(node, 0)->rows;
    f->count = congru_node_segment(node, 0)->cols;
    f->most = (size_t)congru_node_source(node, 1)->number[0];
    f->left = (f->taps - 1) / 2;
    f->depth = node->out.cols / f->count;
    f->set = set;
    f->moment = congru_take_doubles(node, congru_moment_count(f->most));
    f->mean = congru_take_doubles(node, f->count);
    f->variance = congru_take_doubles(node, f->count);
    f->product = congru_take_doubles(node, f->taps);
    f->total = congru_take_doubles(node, sums);
    node->sum_size[0] = sums;
    node->sum_size[1] = node->in[0].cols * node->out.cols;
}

/* At what was learnt. */
static congru_status filters_prepare(congru_node *node)
{
    const filters *f = node->state;
    const double *norm = congru_node_value(node, 1);
    memcpy(f->mean, norm + MEAN * f->count, f->count * sizeof(double));
    memcpy(f->variance, norm + VARIANCE * f->count, f->count * sizeof(double));
    f->set(node);
    return CONGRU_OK;
}

static double windows(const congru_node *node)
{
    return (double)(node->graph->batch->count * node->in[0].rows * node->in[0].cols);
}

/* Where the filters' window begins in that of the moments. */
static size_t offset(const filters *f)
{
    return (f->most - 1) / 2 - f->left;
}

/* m. */
static const double *means(const filters *f)
{
    return f->moment + f->most * (f->most + 1) / 2 + offset(f);
}

/* product = M w, and m . w is returned. */
static double apply_moments(const filters *f, const double *time, size_t k)
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

/* At the mean and variance of the batch. */
static congru_status filters_meet(congru_node *node)
{
    if (node->graph->resting)
        return CONGRU_OK;
    const filters *f = node->state;
    const tally *t = congru_node_source(node, 1)->state;
    const double *time = congru_node_value(node, 0);
    memset(f->moment, 0, t->count * sizeof(double));
    congru_graph_add_sums(node->graph, t->count, 1.0, t->sum, f->moment);
    for (size_t e = 0; e < t->count; e++)
        f->moment[e] /= windows(node);
    for (size_t k = 0; k < f->count; k++) {
        double square = 0.0;
        f->mean[k] = apply_moments(f, time, k);
        for (size_t i = 0; i < f->taps; i++)
            square += f->product[i] * time[i * f->count + k];
        f->variance[k] = square > f->mean[k] * f->mean[k] ? square - f->mean[k] * f->mean[k] : 0.0;
    }
    f->set(node);
    return CONGRU_OK;
}

/* What comes out of filter k is `scale` times the filtered signal, plus `shift`. */
static double scale_of(const congru_node *node, size_t k)
{
    const filters *f = node->state;
    return congru_node_value(node, 1)[GAIN * f->count + k] / sqrt(f->variance[k] + node->number[0]);
}

static double shift_of(const congru_node *node, size_t k)
{
    const filters *f = node->state;
    return congru_node_value(node, 1)[BIAS * f->count + k] - scale_of(node, k) * f->mean[k];
}

/* What prediction will use follows by a share of number[1]. */
static void follow(const congru_node *node, size_t k)
{
    const filters *f = node->state;
    double *norm = node->graph->parameters->value + congru_node_segment(node, 1)->offset;
    const double count = windows(node), unbiased = f->variance[k] * count / (count - 1.0);
    double *mean = norm + MEAN * f->count + k, *variance = norm + VARIANCE * f->count + k;
    *mean += node->number[1] * (f->mean[k] - *mean);
    *variance += node->number[1] * (unbiased - *variance);
}

/* The gradient by time, gain and bias of filter k from the derivatives by scale times time, `stride` apart, and by the
 * shift; and, unless the graph rests, its statistics for prediction. */
static void finish_filter(const congru_node *node, size_t k, const double *d_time, size_t stride,
                          double d_shift)
{
    const filters *f = node->state;
    const double *time = congru_node_value(node, 0), *norm = congru_node_value(node, 1);
    double *out = congru_node_gradient(node, 0), *d_norm = congru_node_gradient(node, 1);
    const double scale = scale_of(node, k), inverse = 1.0 / sqrt(f->variance[k] + node->number[0]);
    double d_scale = -f->mean[k] * d_shift;
    for (size_t t = 0; t < f->taps; t++) {
        d_scale += time[t * f->count + k] * d_time[t * stride];
        out[t * f->count + k] = scale * d_time[t * stride];
    }
    d_norm[GAIN * f->count + k] = d_scale * inverse;
    d_norm[BIAS * f->count + k] = d_shift;
    if (node->graph->resting)
        return;
    const double gain = norm[GAIN * f->count + k],
                 d_variance = -0.5 * d_scale * gain * inverse * inverse * inverse,
                 d_mean = -scale * d_shift - 2.0 * f->mean[k] * d_variance;
    apply_moments(f, time, k);
    for (size_t t = 0; t < f->taps; t++)
        out[t * f->count + k] += 2.0 * d_variance * f->product[t] + d_mean * means(f)[t];
    follow(node, k);
}

/* The first of the sums, of all chunks. */
static const double *sum_up(const congru_node *node)
{
    const filters *f = node->state;
    memset(f->total, 0, node->sum_size[0] * sizeof(double));
    congru_node_add_sums(node, 0, 1.0, f->total);
    return f->total;
}

/* ---- A bank: the front of EEGNet --------------------------------------------------------------------- */

/* As published, F filters in time are applied to every channel, each is normalised by its mean and variance over batch,
 * channels and time, and D filters in space are applied to each. All of it is linear but for the statistics:
 *
 *     y[t][o] = sum_k (x space)[t + k - left][o] a_f time[k][f]  +  (sum_c space[c][o]) (bias_f - a_f mean_f)
 *
 * with f = o / D and a_f = gain_f / sqrt(variance_f + eps): the space goes first, D F signals are filtered and not F times
 * the channels. */
typedef struct bank {
    filters filters;
    size_t step;                   /* of the output */
    congru_real *space;            /* (channels, step) */
    congru_real *weight, *flipped; /* (taps, step): a_f time[k][f], in order and in reverse */
    double *shift;                 /* (D F) */
} bank;

/* The sum of a spatial filter. */
static double space_sum(const congru_node *node, size_t o)
{
    const double *space = congru_node_value(node, 2);
    double sum = 0.0;
    for (size_t c = 0; c < node->in[0].cols; c++)
        sum += space[o * node->in[0].cols + c];
    return sum;
}

static void bank_set(const congru_node *node)
{
    const bank *b = node->state;
    const filters *f = &b->filters;
    const size_t cols = node->out.cols, channels = node->in[0].cols;
    const double *time = congru_node_value(node, 0);
    congru_reals_flip(1, cols, channels, congru_node_value(node, 2), channels, b->step, b->space);
    memset(b->weight, 0, f->taps * b->step * sizeof(congru_real));
    for (size_t o = 0; o < cols; o++) {
        const size_t k = o / f->depth;
        const double scale = scale_of(node, k);
        for (size_t t = 0; t < f->taps; t++)
            b->weight[t * b->step + o] = (congru_real)(scale * time[t * f->count + k]);
        b->shift[o] = space_sum(node, o) * shift_of(node, k);
    }
    congru_reals_reverse(f->taps, b->step, b->weight, b->flipped);
}

static void bank_plan(congru_node *node)
{
    bank *b = node->state;
    const size_t taps = congru_node_segment(node, 0)->rows, samples = node->in[0].rows, cols = node->out.cols,
                 channels = node->in[0].cols;
    filters_plan(node, taps * cols + cols, bank_set);
    b->step = node->out.step;
    b->space = congru_take_reals(node, channels * b->step);
    b->weight = congru_take_reals(node, taps * b->step);
    b->flipped = congru_take_reals(node, taps * b->step);
    b->shift = congru_take_doubles(node, cols);
    node->need.plain[0] = (samples + taps - 1) * b->step;
    node->need.plain[1] = (samples + taps) * b->step;
    node->need.plain[2] = (taps + channels) * b->step;
}

/* x space of one trial, with zeros before and behind. */
static const congru_real *mix(const congru_call *call, size_t m)
{
    const bank *b = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t step = b->step, left = b->filters.left, right = b->filters.taps - 1 - left;
    congru_real *mixed = call->work.plain[0];
    memset(mixed, 0, left * step * sizeof(congru_real));
    memset(mixed + (left + in->rows) * step, 0, right * step * sizeof(congru_real));
    congru_call_product(call, in->rows, step, in->cols, (congru_window){congru_call_x(call, m), in->step, 0, 1},
                        b->space, step, mixed + left * step);
    return mixed;
}

static void bank_forward(const congru_call *call)
{
    const bank *b = call->node->state;
    const congru_extent *out = &call->node->out;
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_call_y(call, m);
        congru_call_filter(call, out->rows, b->filters.taps, mix(call, m), b->weight, b->step, y);
        for (size_t t = 0; t < out->rows; t++) {
            for (size_t o = 0; o < out->cols; o++)
                y[t * b->step + o] += (congru_real)b->shift[o];
        }
    }
}

/* The derivative by x space: dy filtered with the taps in reverse. */
static const congru_real *unfilter(const congru_call *call, size_t m)
{
    const bank *b = call->node->state;
    const size_t rows = call->node->out.rows, left = b->filters.left, right = b->filters.taps - 1 - left;
    congru_real *padded = call->work.plain[1], *d_mixed = call->work.plain[0];
    congru_reals_pad(congru_call_d_y(call, m), right * b->step, rows * b->step, left * b->step, padded);
    congru_call_filter(call, rows, b->filters.taps, padded, b->flipped, b->step, d_mixed);
    return d_mixed;
}

/* Sums over trials of derivatives by the filters a_f time (taps, D F), by the shift (D F), and by space through the
 * filters (channels, D F). */
static void bank_backward(const congru_call *call)
{
    const bank *b = call->node->state;
    const congru_real_kernel *real = call->kernel->real;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = b->step, cols = out->cols, taps = b->filters.taps;
    congru_real *own = call->work.plain[2], *own_space = own + taps * step;
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *d_y = congru_call_d_y(call, m);
        congru_call_filter(call, taps, out->rows, mix(call, m), d_y, step, own);
        congru_call_product(call, in->cols, step, in->rows,
                            (congru_window){congru_call_x(call, m), 1, 0, in->step}, unfilter(call, m), step,
                            own_space);
        real->collect(taps, cols, own, step, call->sum[0]);
        real->collect(in->cols, cols, own_space, step, call->sum[1]);
        for (size_t t = 0; t < out->rows; t++) {
            for (size_t o = 0; o < cols; o++)
                call->sum[0][taps * cols + o] += (double)d_y[t * step + o];
        }
    }
}

/* Of each filter in time from the sums of its D outputs. */
static congru_status bank_finish(congru_node *node)
{
    const filters *f = node->state;
    const size_t channels = node->in[0].cols, cols = node->out.cols;
    const double *total = sum_up(node);
    double *d_space = congru_node_gradient(node, 2);
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(node->graph); chunk++) {
        for (size_t e = 0; e < channels * cols; e++)
            d_space[e % cols * channels + e / cols] += node->sum[1][chunk * channels * cols + e];
    }
    for (size_t k = 0; k < f->count; k++) {
        const size_t first = k * f->depth;
        const double shift = shift_of(node, k);
        double d_shift = 0.0;
        for (size_t o = first; o < first + f->depth; o++) {
            const double own = total[f->taps * cols + o];
            d_shift += space_sum(node, o) * own;
            for (size_t t = 0; t < f->taps && o > first; t++)
                f->total[t * cols + first] += total[t * cols + o];
            for (size_t c = 0; c < channels; c++)
                d_space[o * channels + c] += own * shift;
        }
        finish_filter(node, k, total + first, cols, d_shift);
    }
    return CONGRU_OK;
}

const congru_layer congru_layer_filter_bank = {
    .name = "filter bank",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .state = sizeof(bank),
    .plan = bank_plan,
    .prepare = filters_prepare,
    .trials = {bank_forward, bank_backward},
    .batch = {.meet = filters_meet},
    .finish = bank_finish,
};

/* ---- A unit of EEG-Inception: ELU and dropout stand between time and space --------------------------- */

/* Each output has D filters in space, its own for each filter in time:
 *
 *     e_f[c][t] = dropout(elu(scale_f sum_k time[k][f] x[t + k - left][c] + shift_f))
 *     y[t][o] = sum_c space[o][c] e_f[c][t],   f = o / D
 *
 * Here time is in lanes: windows of a channel are rows of a matrix that begin one sample after the other, so that filtering
 * and its adjoint are products. A trial's e is kept for the way back; it also says what was left out, and the slope of ELU.
 * number[2] and [3]: share and name of dropout. */
typedef struct unit {
    filters filters;
    size_t step, line; /* samples, and samples with zeros at both ends, of a channel */
    size_t taps;       /* padded to whole vectors */
    congru_real *time; /* (F, taps): with the scale of the moment */
    congru_real *shift, *space;
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

static void unit_set(const congru_node *node)
{
    const unit *u = node->state;
    const filters *f = &u->filters;
    const size_t size = node->out.cols * node->in[0].cols;
    const double *time = congru_node_value(node, 0);
    memset(u->time, 0, f->count * u->taps * sizeof(congru_real));
    for (size_t k = 0; k < f->count; k++) {
        const double scale = scale_of(node, k);
        u->shift[k] = (congru_real)shift_of(node, k);
        for (size_t t = 0; t < f->taps; t++)
            u->time[k * u->taps + t] = (congru_real)(scale * time[t * f->count + k]);
    }
    congru_reals_set(1, size, size, congru_node_value(node, 2), u->space);
}

static void unit_plan(congru_node *node)
{
    unit *u = node->state;
    const congru_segment *time = congru_node_segment(node, 0);
    const size_t channels = node->in[0].cols, cols = node->out.cols;
    filters_plan(node, time->cols * (time->rows + 1), unit_set);
    u->step = congru_real_step(node->in[0].rows);
    u->taps = congru_real_step(time->rows);
    u->line = u->step + u->taps;
    u->time = congru_take_reals(node, time->cols * u->taps);
    u->shift = congru_take_reals(node, time->cols);
    u->space = congru_take_reals(node, cols * channels);
    node->need.plain[0] = channels * u->line;
    node->need.plain[1] = time->cols * channels * u->step;
    node->need.plain[2] = cols * u->step + time->cols * u->taps + u->step;
    node->need.lanes[0] = channels * u->filters.depth;
    node->saved_size[0] = node->graph->batch != NULL ? congru_real_doubles(node->need.plain[1]) : 0;
}

/* x of a trial, channel by channel, with zeros before and behind. */
static void spread(const congru_call *call, size_t m, congru_real *to)
{
    const unit *u = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const congru_real *x = congru_call_x(call, m);
    memset(to, 0, in->cols * u->line * sizeof(congru_real));
    for (size_t t = 0; t < in->rows; t++) {
        for (size_t c = 0; c < in->cols; c++)
            to[c * u->line + u->filters.left + t] = x[t * in->step + c];
    }
}

/* ELU of row r of a trial's, what is left out, and zeros behind its end. */
static void activate(const congru_call *call, size_t m, size_t r, congru_real *mask, congru_real *row)
{
    const unit *u = call->node->state;
    const double *number = call->node->number;
    const size_t samples = call->node->in[0].rows;
    call->kernel->real->elu(u->step, row, row);
    if (!congru_dropout_rests(call, number[2])) {
        congru_dropout_draw(call, number[2], number[3], m, r * u->step, u->step, mask);
        call->kernel->real->multiply(u->step, row, mask, row);
    }
    memset(row + samples, 0, (u->step - samples) * sizeof(congru_real));
}

static congru_real *active_of(const congru_call *call, size_t m)
{
    return call->saved[0] != NULL ? congru_call_saved(call, 0, m) : call->work.plain[1];
}

static void trial_forward(const congru_call *call, size_t m, const scratch *s)
{
    const unit *u = call->node->state;
    const congru_real_kernel *real = call->kernel->real;
    const congru_extent *out = &call->node->out;
    const size_t count = u->filters.count, depth = u->filters.depth, channels = call->node->in[0].cols,
                 step = u->step;
    congru_real *active = active_of(call, m), *y = congru_call_y(call, m);
    spread(call, m, s->x);
    for (size_t row = 0; row < count * channels; row++) {
        for (size_t t = 0; t < step; t++)
            active[row * step + t] = u->shift[row / channels];
    }
    for (size_t c = 0; c < channels; c++)
        real->product(count, step, 1, u->filters.taps, (congru_window){u->time, u->taps, 0, 1},
                      (congru_window){s->x + c * u->line, 0, 0, 1}, true, active + c * step, channels * step);
    for (size_t row = 0; row < count * channels; row++)
        activate(call, m, row, s->row, active + row * step);
    for (size_t f = 0; f < count; f++)
        congru_call_product(call, depth, step, channels,
                            (congru_window){u->space + f * depth * channels, channels, 0, 1},
                            active + f * channels * step, step, s->out + f * depth * step);
    memset(y, 0, out->size * sizeof(double));
    for (size_t o = 0; o < out->cols; o++) {
        for (size_t t = 0; t < out->rows; t++)
            y[t * out->step + o] = s->out[o * step + t];
    }
}

static void unit_forward(const congru_call *call)
{
    const scratch s = scratch_of(call);
    for (size_t m = 0; m < call->count; m++)
        trial_forward(call, m, &s);
}

/* One filter in time of a trial: by space, and by what went into ELU. */
static void filter_backward(const congru_call *call, size_t f, const scratch *s, const congru_real *e)
{
    const unit *u = call->node->state;
    const congru_real_kernel *real = call->kernel->real;
    const size_t channels = call->node->in[0].cols, step = u->step, depth = u->filters.depth, first = f * depth;
    const bool rests = congru_dropout_rests(call, call->node->number[2]);
    const congru_real kept = rests ? 1 : (congru_real)(1.0 / (1.0 - call->node->number[2]));
    congru_real *d = s->active + f * channels * step;
    real->dots(channels, depth, step, e, step, s->out + first * step, s->dots);
    for (size_t c = 0; c < channels; c++) {
        for (size_t k = 0; k < depth; k++)
            call->sum[1][(first + k) * channels + c] += s->dots[c * depth + k];
    }
    congru_call_product(call, channels, step, depth,
                        (congru_window){u->space + first * channels, 1, 0, channels}, s->out + first * step,
                        step, d);
    real->elu_slope(channels * step, kept, rests ? 1 : 0, e, d, d);
    real->dots(channels, 1, step, d, step, s->row, s->dots);
    for (size_t c = 0; c < channels; c++)
        call->sum[0][u->filters.count * u->filters.taps + f] += s->dots[c];
}

static void trial_backward(const congru_call *call, size_t m, const scratch *s)
{
    const unit *u = call->node->state;
    const congru_real_kernel *real = call->kernel->real;
    const congru_extent *out = &call->node->out;
    const size_t count = u->filters.count, channels = call->node->in[0].cols;
    const congru_real *d_y = congru_call_d_y(call, m), *e = active_of(call, m);
    memset(s->out, 0, out->cols * u->step * sizeof(congru_real));
    for (size_t o = 0; o < out->cols; o++) {
        for (size_t t = 0; t < out->rows; t++)
            s->out[o * u->step + t] = d_y[t * out->step + o];
    }
    for (size_t t = 0; t < u->step; t++)
        s->row[t] = 1;
    for (size_t f = 0; f < count; f++)
        filter_backward(call, f, s, e + f * channels * u->step);
    spread(call, m, s->x);
    for (size_t c = 0; c < channels; c++) {
        real->product(count, u->taps, 1, out->rows,
                      (congru_window){s->active + c * u->step, channels * u->step, 0, 1},
                      (congru_window){s->x + c * u->line, 0, 0, 1}, false, s->product, u->taps);
        real->collect(count, u->filters.taps, s->product, u->taps, call->sum[0]);
    }
}

static void unit_backward(const congru_call *call)
{
    const scratch s = scratch_of(call);
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++)
        trial_backward(call, m, &s);
}

static congru_status unit_finish(congru_node *node)
{
    const filters *f = node->state;
    const double *total = sum_up(node);
    congru_node_add_sums(node, 1, 1.0, congru_node_gradient(node, 2));
    for (size_t k = 0; k < f->count; k++)
        finish_filter(node, k, total + k * f->taps, 1, total[f->count * f->taps + k]);
    return CONGRU_OK;
}

const congru_layer congru_layer_filter_unit = {
    .name = "filters in time and space",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .state = sizeof(unit),
    .plan = unit_plan,
    .prepare = filters_prepare,
    .trials = {unit_forward, unit_backward},
    .batch = {.meet = filters_meet},
    .finish = unit_finish,
};
