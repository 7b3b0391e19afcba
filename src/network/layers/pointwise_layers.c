/* Layers of signals that look at each number by itself, at windows of a channel, or put signals together. SPDX-License-Identifier: Apache-2.0 */
#include "congru/random.h"
#include "network/layers/layers.h"

/* ---- Functions of each number ------------------------------------------------------------------------ */

/* Each leaves the padding of channels at zero. */

/* Of those whose forward saves what the derivative is multiplied with. */
static void saved_plan(congru_node *node)
{
    node->saved_size[0] = node->out.size;
}

static void saved_backward(const congru_call *call)
{
    call->kernel->real->multiply(congru_call_reals(call), congru_call_saved(call, 0, 0),
                                 congru_call_d_y(call, 0), congru_call_d_x(call, 0));
}

/* ELU: y = x where x > 0, else exp(x) - 1. */
static void elu_forward(const congru_call *call)
{
    call->kernel->real->elu(congru_call_reals(call), congru_call_x(call, 0), congru_call_y(call, 0));
}

static void elu_backward(const congru_call *call)
{
    call->kernel->real->elu_slope(congru_call_reals(call), 1, 1, congru_call_y(call, 0),
                                  congru_call_d_y(call, 0), congru_call_d_x(call, 0));
}

const congru_layer congru_layer_elu = {
    .name = "ELU",
    .traits = CONGRU_TRAIT_READS_Y,
    .trials = {elu_forward, elu_backward},
};

/* GELU: y = x P(x), P being the normal distribution; saves the derivative. */
static void gelu_forward(const congru_call *call)
{
    call->kernel->real->gelu(congru_call_reals(call), congru_call_x(call, 0), congru_call_y(call, 0),
                             congru_call_saved(call, 0, 0));
}

const congru_layer congru_layer_gelu = {
    .name = "GELU",
    .plan = saved_plan,
    .trials = {gelu_forward, saved_backward},
};

/* y = x^2 */
static void square_forward(const congru_call *call)
{
    const congru_real *x = congru_call_x(call, 0);
    call->kernel->real->multiply(congru_call_reals(call), x, x, congru_call_y(call, 0));
}

static void square_backward(const congru_call *call)
{
    const size_t reals = congru_extent_reals(&call->node->out);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *d_x = congru_call_d_x(call, m);
        call->kernel->real->multiply(reals, congru_call_x(call, m), congru_call_d_y(call, m), d_x);
        call->kernel->real->add(reals, d_x, d_x, d_x);
    }
}

const congru_layer congru_layer_square = {
    .name = "square",
    .traits = CONGRU_TRAIT_READS_X,
    .trials = {square_forward, square_backward},
};

/* y = log(max(x, floor)), floor being number[1]. */
static void log_plan(congru_node *node)
{
    node->need.plain[0] = congru_extent_reals(&node->in[0]) * sizeof(double) / sizeof(congru_real);
}

static void log_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t step = in->step, reals = congru_extent_reals(in);
    double *logarithm = congru_call_room(call, 0);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_call_y(call, m);
        const congru_real *x = congru_call_x(call, m);
        for (size_t e = 0; e < reals; e++)
            logarithm[e] = (double)x[e];
        call->kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, call->node->number[1]}, reals, logarithm,
                          logarithm);
        memset(y, 0, in->size * sizeof(double));
        for (size_t t = 0; t < in->rows; t++) {
            for (size_t c = 0; c < in->cols; c++)
                y[t * step + c] = (congru_real)logarithm[t * step + c];
        }
    }
}

static void log_backward(const congru_call *call)
{
    const congru_real *x = congru_call_x(call, 0), *d_y = congru_call_d_y(call, 0);
    congru_real *d_x = congru_call_d_x(call, 0);
    const size_t reals = congru_call_reals(call);
    for (size_t e = 0; e < reals; e++)
        d_x[e] = (double)x[e] > call->node->number[1] ? d_y[e] / x[e] : 0;
}

const congru_layer congru_layer_safe_logarithm = {
    .name = "logarithm of numbers",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = log_plan,
    .trials = {log_forward, log_backward},
};

/* ---- Dropout ----------------------------------------------------------------------------------------- */

enum { STREAM_DROPOUT = 0x6206 };

double congru_dropout_name(const congru_graph *graph, uint64_t seed)
{
    const uint64_t name = (seed + graph->count * UINT64_C(0xD1B54A32D192ED03)) * UINT64_C(0x9E3779B97F4A7C15) >>
                          11; /* a double holds 53 bits */
    return (double)name;
}

void congru_dropout_draw(const congru_call *call, double share, double name, size_t m, size_t first,
                         size_t count, congru_real *mask)
{
    const size_t trial = congru_batch_trial(call->batch, call->first + m);
    congru_random random =
        congru_random_stream((uint64_t)name, STREAM_DROPOUT, (uint32_t)call->step, (uint32_t)trial);
    random.counter[0] += (uint32_t)(first / 4); /* four words of 32 bits a block */
    call->kernel->real->draw(random.key, random.counter, (uint64_t)(share * 4294967296.0),
                             (congru_real)(1.0 / (1.0 - share)), count, mask);
}

/* number[0] is the share, number[1] the name. Saves the mask. */
static void dropout_forward(const congru_call *call)
{
    const double *number = call->node->number;
    const size_t reals = congru_extent_reals(&call->node->out);
    if (congru_dropout_rests(call, number[0])) {
        memcpy(call->y, call->x[0], call->count * call->node->out.size * sizeof(double));
        return;
    }
    for (size_t m = 0; m < call->count; m++) {
        congru_real *mask = congru_call_saved(call, 0, m);
        congru_dropout_draw(call, number[0], number[1], m, 0, reals, mask);
        call->kernel->real->multiply(reals, congru_call_x(call, m), mask, congru_call_y(call, m));
    }
}

static void dropout_backward(const congru_call *call)
{
    if (congru_dropout_rests(call, call->node->number[0]))
        memcpy(call->d_x[0], call->d_y, call->count * call->node->out.size * sizeof(double));
    else
        saved_backward(call);
}

const congru_layer congru_layer_dropout = {
    .name = "dropout",
    .plan = saved_plan,
    .trials = {dropout_forward, dropout_backward},
};

/* ---- Pools: number[0] samples a window, number[1] from one to the next; what is left at the end is not read */

/* Windows and the way between them are whole numbers of blocks of so many samples: sums of blocks are shared by windows. */
typedef struct pool {
    size_t window, stride, block, step;
} pool;

static pool pool_of(const congru_node *node)
{
    const size_t window = (size_t)node->number[0], stride = (size_t)node->number[1];
    size_t a = window, b = stride;
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return (pool){window, stride, a, node->in[0].step};
}

static void mean_plan(congru_node *node)
{
    const pool p = pool_of(node);
    node->need.plain[0] = node->in[0].rows / p.block * p.step;
}

static void mean_forward(const congru_call *call)
{
    const pool p = pool_of(call->node);
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const congru_real_kernel *real = call->kernel->real;
    congru_real *sum = call->work.plain[0];
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_call_y(call, m);
        memset(y, 0, out->size * sizeof(double));
        real->pool(in->rows / p.block, p.step, p.block, p.block, 1, congru_call_x(call, m), sum);
        real->pool(out->rows, p.step, p.window / p.block, p.stride / p.block,
                   (congru_real)(1.0 / (double)p.window), sum, y);
    }
}

/* All samples of a block are given the same: the sum of d_y over the windows that it is in. */
static void mean_backward(const congru_call *call)
{
    const pool p = pool_of(call->node);
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t blocks = in->rows / p.block, wide = p.window / p.block, apart = p.stride / p.block;
    for (size_t m = 0; m < call->count; m++) {
        congru_real *d_x = congru_call_d_x(call, m);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t b = 0; b < blocks; b++, d_x += p.block * p.step) {
            const size_t first = b < wide ? 0 : (b - wide) / apart + 1,
                         end = b / apart + 1 < out->rows ? b / apart + 1 : out->rows;
            if (first >= end)
                continue;
            call->kernel->real->pool(1, p.step, end - first, 1, (congru_real)(1.0 / (double)p.window),
                                     congru_call_d_y(call, m) + first * p.step, d_x);
            for (size_t i = 1; i < p.block; i++)
                memcpy(d_x + i * p.step, d_x, p.step * sizeof(congru_real));
        }
    }
}

const congru_layer congru_layer_mean_pool = {
    .name = "mean pool",
    .plan = mean_plan,
    .trials = {mean_forward, mean_backward},
};

static void max_forward(const congru_call *call)
{
    const pool p = pool_of(call->node);
    for (size_t m = 0; m < call->count; m++)
        call->kernel->real->largest(call->node->out.rows, p.step, p.window, p.stride, congru_call_x(call, m),
                                    congru_call_y(call, m));
}

/* To the first that is the largest. */
static void max_backward(const congru_call *call)
{
    const pool p = pool_of(call->node);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *d_x = congru_call_d_x(call, m);
        memset(d_x, 0, call->node->in[0].size * sizeof(double));
        call->kernel->real->give_largest(call->node->out.rows, p.step, p.window, p.stride,
                                         congru_call_x(call, m), congru_call_y(call, m),
                                         congru_call_d_y(call, m), d_x);
    }
}

const congru_layer congru_layer_max_pool = {
    .name = "max pool",
    .traits = CONGRU_TRAIT_READS_X | CONGRU_TRAIT_READS_Y,
    .trials = {max_forward, max_backward},
};

/* ---- Signals put together ---------------------------------------------------------------------------- */

/* y = a + b, of the same shape. */
static void add_forward(const congru_call *call)
{
    call->kernel->real->add(congru_call_reals(call), congru_call_x(call, 0),
                            congru_trial_reals(call->x[1], &call->node->out, 0), congru_call_y(call, 0));
}

static void add_backward(const congru_call *call)
{
    for (int k = 0; k < 2; k++)
        if (call->d_x[k] != NULL)
            memcpy(call->d_x[k], call->d_y, call->count * call->node->out.size * sizeof(double));
}

const congru_layer congru_layer_addition = {.name = "addition", .trials = {add_forward, add_backward}};

/* Side by side: the channels of a, then those of b. */
static void beside_forward(const congru_call *call)
{
    const congru_extent *a = &call->node->in[0], *b = &call->node->in[1], *out = &call->node->out;
    const congru_real *x = congru_call_x(call, 0), *z = congru_trial_reals(call->x[1], b, 0);
    congru_real *y = congru_call_y(call, 0);
    for (size_t r = 0; r < congru_call_samples(call); r++, x += a->step, z += b->step, y += out->step) {
        memcpy(y, x, a->cols * sizeof(congru_real));
        memcpy(y + a->cols, z, b->cols * sizeof(congru_real));
        memset(y + out->cols, 0, (out->step - out->cols) * sizeof(congru_real));
    }
}

static void beside_backward(const congru_call *call)
{
    for (int k = 0; k < 2; k++) {
        const congru_extent *in = &call->node->in[k];
        const congru_real *d_y = congru_call_d_y(call, 0) + (k == 1 ? call->node->in[0].cols : 0);
        for (size_t r = 0; r < congru_call_samples(call) && call->d_x[k] != NULL; r++)
            congru_reals_pad(d_y + r * call->node->out.step, 0, in->cols, in->step - in->cols,
                             congru_trial_reals(call->d_x[k], in, 0) + r * in->step);
    }
}

const congru_layer congru_layer_beside = {.name = "concatenation", .trials = {beside_forward, beside_backward}};

/* Between zeros: number[0] samples of them before x; those behind it fill the output. */
static void pad_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = in->step, before = (size_t)call->node->number[0];
    for (size_t m = 0; m < call->count; m++)
        congru_reals_pad(congru_call_x(call, m), before * step, in->rows * step,
                         (out->rows - in->rows - before) * step, congru_call_y(call, m));
}

static void pad_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t step = in->step, before = (size_t)call->node->number[0];
    for (size_t m = 0; m < call->count; m++)
        memcpy(congru_call_d_x(call, m), congru_call_d_y(call, m) + before * step,
               in->rows * step * sizeof(congru_real));
}

const congru_layer congru_layer_pad = {.name = "zeros at the ends", .trials = {pad_forward, pad_backward}};
