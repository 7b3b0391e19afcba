/* A symmetric matrix as an image of one channel; and the mean of an image over its pixels. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* ---- A matrix as an image ---------------------------------------------------------------------------- */

static void image_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.lanes[0] = node->in[0].size;
}

/* y (1, d, d) = x (d, d) */
static void image_forward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t d = out->rows;
    double *plain = call->work.lanes[0];
    call->kernel->unpack(call->vectors, call->count, d, d, call->x[0], plain);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        congru_image_frame(out, y);
        for (size_t i = 0; i < d; i++) {
            congru_real *line = y + congru_extent_place(out, i * d);
            for (size_t j = 0; j < d; j++)
                line[j] = (congru_real)plain[(m * d + i) * d + j];
        }
    }
}

/* dX = (dY + dY^T) / 2 */
static void image_backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t d = out->rows;
    double *plain = call->work.lanes[0];
    if (call->d_x[0] == NULL)
        return;
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *d_y = congru_trial_reals(call->d_y, out, m);
        for (size_t p = 0; p < d * d; p++)
            plain[m * d * d + p] = 0.5 * ((double)d_y[congru_extent_place(out, p)] +
                                          (double)d_y[congru_extent_place(out, p % d * d + p / d)]);
    }
    call->kernel->pack(call->vectors, call->count, d, d, plain, call->d_x[0]);
}

const congru_layer congru_layer_image = {
    .name = "image",
    .plan = image_plan,
    .trials = {image_forward, image_backward},
};

/* ---- The mean over pixels ---------------------------------------------------------------------------- */

static void mean_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->out = congru_vector(node->in[0].cols);
    node->need.lanes[0] = node->out.size;
}

/* y_c = the mean of channel c */
static void mean_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t size = call->node->out.size, places = congru_extent_places(in);
    double *mean = call->work.lanes[0];
    memset(mean, 0, call->count * size * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m);
        for (size_t p = 0; p < places; p++) {
            const congru_real *pixel = x + congru_extent_place(in, p);
            for (size_t c = 0; c < in->cols; c++)
                mean[m * size + c] += (double)pixel[c];
        }
        for (size_t c = 0; c < in->cols; c++)
            mean[m * size + c] /= (double)places;
    }
    call->kernel->pack(call->vectors, call->count, size, 1, mean, call->y);
}

static void mean_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t size = call->node->out.size, places = congru_extent_places(in);
    double *d_mean = call->work.lanes[0];
    if (call->d_x[0] == NULL)
        return;
    call->kernel->unpack(call->vectors, call->count, size, 1, call->d_y, d_mean);
    for (size_t m = 0; m < call->count; m++) {
        congru_real *d_x = congru_trial_reals(call->d_x[0], in, m);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t p = 0; p < places; p++) {
            congru_real *pixel = d_x + congru_extent_place(in, p);
            for (size_t c = 0; c < in->cols; c++)
                pixel[c] = (congru_real)(d_mean[m * size + c] / (double)places);
        }
    }
}

const congru_layer congru_layer_image_mean = {
    .name = "mean over pixels",
    .plan = mean_plan,
    .trials = {mean_forward, mean_backward},
};
