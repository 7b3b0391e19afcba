/* Layer normalisation: each sample of a signal by its own mean and variance over channels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "network/graph.h"

/* y = gain (x - mean) / sqrt(variance + number[0]) + bias. Weights: gain and bias, (1, channels) both. In double
 * precision, as are all statistics. */
static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
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

static void forward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out);
    const congru_real *x = congru_trial_reals(call->x[0], out, 0);
    congru_real *y = congru_trial_reals(call->y, out, 0);
    for (size_t r = 0; r < call->count * out->rows; r++, x += step, y += step) {
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
    memset(d_x + out->cols, 0, (congru_extent_step(out) - out->cols) * sizeof(congru_real));
}

static void backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t step = congru_extent_step(out);
    const congru_real *x = congru_trial_reals(call->x[0], out, 0), *d_y = congru_trial_reals(call->d_y, out, 0);
    memset(call->sum[0], 0, out->cols * sizeof(double));
    memset(call->sum[1], 0, out->cols * sizeof(double));
    for (size_t r = 0; r < call->count * out->rows; r++, x += step, d_y += step) {
        double mean;
        const double inverse = centre(call->node, x, &mean);
        for (size_t c = 0; c < out->cols; c++) {
            call->sum[0][c] += (double)d_y[c] * (((double)x[c] - mean) * inverse);
            call->sum[1][c] += (double)d_y[c];
        }
        if (call->d_x[0] != NULL)
            give_back(call, mean, inverse, x, d_y, congru_trial_reals(call->d_x[0], out, 0) + r * step);
    }
}

const congru_layer congru_layer_layer_normalise = {
    .name = "layer normalisation",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .trials = {forward, backward},
    .finish = congru_graph_sum_gradients,
};
