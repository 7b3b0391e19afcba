/* Normalisation of signals: each channel over the batch, and each sample over its channels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "network/layers/layers.h"

/* ---- Batch normalisation: each channel by its mean and variance over the batch, then a gain and a bias */

/* Two nodes. `statistics` sums each channel over its trials, chunk by chunk; `normalise` meets, when all sums are there, and
 * goes on. On the way back it is the same in reverse: what each number has done to mean and variance is one number a
 * channel times it, and another, which `statistics` adds.
 *
 * Weights of normalise: gain, bias, and (mean; variance) of training, which prediction uses. */
typedef struct normalisation {
    double *total;               /* (2, step): sums of all chunks */
    double *mean, *variance;     /* (channels) */
    congru_real *scale, *shift;  /* (step): y = scale x + shift */
    congru_real *slope, *offset; /* (step): what x has to do with the derivative by mean and variance */
    double *d_gain, *d_bias;
} normalisation;

typedef struct statistics {
    double *tally; /* (chunks, 2, step): sums of x and of x^2 */
    const normalisation *of;
} statistics;

static size_t sums_of(const congru_node *node)
{
    return 2 * node->in[0].step;
}

static void tally_plan(congru_node *node)
{
    statistics *s = node->state;
    if (node->graph->batch == NULL)
        return;
    s->tally = congru_take_doubles(node, congru_graph_chunks(node->graph) * sums_of(node));
    congru_graph_share(node->graph, node->stage, s->tally, sums_of(node) * sizeof(double));
}

/* sum (2, step): of a, and of a b, in double precision. */
static void add_up(const congru_call *call, const congru_real *a, const congru_real *b, double *sum)
{
    const congru_extent *in = &call->node->in[0];
    memset(sum, 0, sums_of(call->node) * sizeof(double));
    call->kernel->real->tally(call->count * in->rows, in->step, a, b, sum, sum + in->step);
}

/* y = scale x + shift for all trials of the call. */
static void stretch(const congru_call *call, const congru_real *scale, const congru_real *shift,
                    const congru_real *x, congru_real *y)
{
    const congru_extent *in = &call->node->in[0];
    call->kernel->real->stretch(call->count * in->rows, in->step, scale, shift, x, y);
}

static void tally_forward(const congru_call *call)
{
    const statistics *s = call->node->state;
    if (!call->resting)
        add_up(call, congru_call_x(call, 0), congru_call_x(call, 0),
               s->tally + call->block * sums_of(call->node));
}

/* dx = slope x + offset */
static void tally_backward(const congru_call *call)
{
    const normalisation *n = ((const statistics *)call->node->state)->of;
    if (call->resting)
        memset(call->d_x[0], 0, call->count * call->node->in[0].size * sizeof(double));
    else
        stretch(call, n->slope, n->offset, congru_call_x(call, 0), congru_call_d_x(call, 0));
}

const congru_layer congru_layer_statistics = {
    .name = "statistics",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(statistics),
    .plan = tally_plan,
    .trials = {tally_forward, tally_backward},
};

static void plan(congru_node *node)
{
    normalisation *n = node->state;
    const size_t step = node->out.step;
    double **arrays[] = {&n->mean, &n->variance, &n->d_gain, &n->d_bias};
    congru_real **rows[] = {&n->scale, &n->shift, &n->slope, &n->offset};
    node->sum_size[0] = sums_of(node);
    n->total = congru_take_doubles(node, sums_of(node));
    for (size_t k = 0; k < 4; k++) {
        *arrays[k] = congru_take_doubles(node, node->out.cols);
        *rows[k] = congru_take_reals(node, step);
    }
    ((statistics *)congru_node_source(node, 1)->state)->of = n;
}

/* y = scale x + shift with the mean and variance of the moment. */
static void set_scale(const congru_node *node)
{
    const normalisation *n = node->state;
    const double *gain = congru_node_value(node, 0), *bias = congru_node_value(node, 1);
    memset(n->scale, 0, node->out.step * sizeof(congru_real));
    memset(n->shift, 0, node->out.step * sizeof(congru_real));
    for (size_t c = 0; c < node->out.cols; c++) {
        const double scale = gain[c] / sqrt(n->variance[c] + node->number[0]);
        n->scale[c] = (congru_real)scale;
        n->shift[c] = (congru_real)(bias[c] - scale * n->mean[c]);
    }
}

/* What training has kept. */
static congru_status prepare(congru_node *node)
{
    const normalisation *n = node->state;
    const double *kept = congru_node_value(node, 2);
    const size_t cols = node->out.cols;
    memset(n->slope, 0, node->out.step * sizeof(congru_real));
    memset(n->offset, 0, node->out.step * sizeof(congru_real));
    memcpy(n->mean, kept, cols * sizeof(double));
    memcpy(n->variance, kept + cols, cols * sizeof(double));
    set_scale(node);
    return CONGRU_OK;
}

static double numbers(const congru_node *node)
{
    return (double)(node->graph->batch->count * node->in[0].rows);
}

/* total (2, step) of (chunks, 2, step). */
static const double *sum_up(const congru_node *node, const double *sums)
{
    double *total = ((const normalisation *)node->state)->total;
    memset(total, 0, sums_of(node) * sizeof(double));
    congru_graph_add_sums(node->graph, sums_of(node), 1.0, sums, total);
    return total;
}

/* The batch's own. */
static congru_status meet(congru_node *node)
{
    const normalisation *n = node->state;
    const statistics *s = congru_node_source(node, 1)->state;
    if (node->graph->resting)
        return CONGRU_OK;
    const double *total = sum_up(node, s->tally), *squares = total + node->out.step;
    for (size_t c = 0; c < node->out.cols; c++) {
        n->mean[c] = total[c] / numbers(node);
        n->variance[c] = squares[c] / numbers(node) - n->mean[c] * n->mean[c];
        n->variance[c] = n->variance[c] > 0.0 ? n->variance[c] : 0.0;
    }
    set_scale(node);
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    const normalisation *n = call->node->state;
    stretch(call, n->scale, n->shift, congru_call_x(call, 0), congru_call_y(call, 0));
}

/* dx = scale dy, as long as mean and variance stay; sums of dy and of dy x. */
static void backward(const congru_call *call)
{
    const normalisation *n = call->node->state;
    add_up(call, congru_call_d_y(call, 0), congru_call_x(call, 0), call->sum[0]);
    if (call->d_x[0] != NULL)
        stretch(call, n->scale, NULL, congru_call_d_y(call, 0), congru_call_d_x(call, 0));
}

/* With S the sum of dy and P that of dy (x - mean): mean and variance take -gain/sigma S and -gain/(2 sigma^3) P, and pass
 * on a share of it to every number. */
static void part(congru_node *node)
{
    const normalisation *n = node->state;
    const double *gain = congru_node_value(node, 0), count = numbers(node);
    const double *total = sum_up(node, node->sum[0]), *products = total + node->out.step;
    for (size_t c = 0; c < node->out.cols; c++) {
        const double inverse = 1.0 / sqrt(n->variance[c] + node->number[0]);
        const double product = products[c] - n->mean[c] * total[c];
        const double slope = -gain[c] * inverse * inverse * inverse * product / count;
        n->slope[c] = (congru_real)slope;
        n->offset[c] = (congru_real)(-gain[c] * inverse * total[c] / count - slope * n->mean[c]);
        n->d_bias[c] = total[c];
        n->d_gain[c] = product * inverse;
    }
}

/* The gradient; and what prediction will use follows by a share of number[1]. */
static congru_status finish(congru_node *node)
{
    const normalisation *n = node->state;
    const size_t cols = node->out.cols;
    const double share = node->number[1], count = numbers(node);
    double *kept = node->graph->parameters->value + congru_node_segment(node, 2)->offset;
    memcpy(congru_node_gradient(node, 0), n->d_gain, cols * sizeof(double));
    memcpy(congru_node_gradient(node, 1), n->d_bias, cols * sizeof(double));
    for (size_t c = 0; c < cols && !node->graph->resting; c++) {
        const double unbiased = count > 1.0 ? n->variance[c] * count / (count - 1.0) : n->variance[c];
        kept[c] += share * (n->mean[c] - kept[c]);
        kept[cols + c] += share * (unbiased - kept[cols + c]);
    }
    return CONGRU_OK;
}

const congru_layer congru_layer_normalise = {
    .name = "normalisation",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .state = sizeof(normalisation),
    .plan = plan,
    .prepare = prepare,
    .trials = {forward, backward},
    .batch = {meet, part},
    .finish = finish,
};

/* ---- Layer normalisation: each sample by its own mean and variance over channels --------------------- */

/* y = gain (x - mean) / sqrt(variance + number[0]) + bias. Weights: gain and bias, (1, channels) both. In double
 * precision, as are all statistics. */
static void sample_plan(congru_node *node)
{
    node->sum_size[0] = node->sum_size[1] = node->out.cols;
}

/* Mean of a sample, and one over its deviation. */
static double centre(const congru_node *node, const congru_real *x, double *mean)
{
    const size_t cols = node->out.cols;
    double sum = 0.0, squares = 0.0;
    for (size_t c = 0; c < cols; c++)
        sum += (double)x[c];
    *mean = sum / (double)cols;
    for (size_t c = 0; c < cols; c++)
        squares += ((double)x[c] - *mean) * ((double)x[c] - *mean);
    return 1.0 / sqrt(squares / (double)cols + node->number[0]);
}

static void sample_forward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t step = out->step;
    const congru_real *x = congru_call_x(call, 0);
    congru_real *y = congru_call_y(call, 0);
    for (size_t r = 0; r < congru_call_samples(call); r++, x += step, y += step) {
        double mean;
        const double inverse = centre(call->node, x, &mean);
        for (size_t c = 0; c < out->cols; c++)
            y[c] = (congru_real)(call->weight[0][c] * (((double)x[c] - mean) * inverse) + call->weight[1][c]);
        memset(y + out->cols, 0, (step - out->cols) * sizeof(congru_real));
    }
}

/* With n = (x - mean) / deviation and g = gain dy: dx = (g - mean of g - n mean of g n) / deviation. */
static void give_back(const congru_call *call, double mean, double inverse, const congru_real *x,
                      const congru_real *d_y, congru_real *d_x)
{
    const congru_extent *out = &call->node->out;
    double total = 0.0, product = 0.0;
    for (size_t c = 0; c < out->cols; c++) {
        const double g = call->weight[0][c] * (double)d_y[c];
        total += g;
        product += g * (((double)x[c] - mean) * inverse);
    }
    total /= (double)out->cols;
    product /= (double)out->cols;
    for (size_t c = 0; c < out->cols; c++)
        d_x[c] = (congru_real)(inverse * (call->weight[0][c] * (double)d_y[c] - total -
                                          ((double)x[c] - mean) * inverse * product));
    memset(d_x + out->cols, 0, (out->step - out->cols) * sizeof(congru_real));
}

static void sample_backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t step = out->step;
    const congru_real *x = congru_call_x(call, 0), *d_y = congru_call_d_y(call, 0);
    congru_call_clear(call);
    for (size_t r = 0; r < congru_call_samples(call); r++, x += step, d_y += step) {
        double mean;
        const double inverse = centre(call->node, x, &mean);
        for (size_t c = 0; c < out->cols; c++) {
            call->sum[0][c] += (double)d_y[c] * (((double)x[c] - mean) * inverse);
            call->sum[1][c] += (double)d_y[c];
        }
        if (call->d_x[0] != NULL)
            give_back(call, mean, inverse, x, d_y, congru_call_d_x(call, 0) + r * step);
    }
}

const congru_layer congru_layer_layer_normalise = {
    .name = "layer normalisation",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = sample_plan,
    .trials = {sample_forward, sample_backward},
    .finish = congru_node_sum_gradients,
};
