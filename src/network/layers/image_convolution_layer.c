/* A 3x3 convolution of images, zeros beyond the border, and ReLU. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* Weights (3, 3, in, out) and a bias (out). With channels last and a border of zeros, the windows of one line of the image
 * are rows of a matrix that overlap: a convolution is one product for each line. */
typedef struct filters {
    congru_real *weight; /* (3, 3 step of the input, step of the output) */
    congru_real
        *flipped;      /* (3, 3 step of the output, step of the input): taps in reverse, channels transposed */
    congru_real *bias; /* (step of the output) */
} filters;

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t in = congru_extent_step(&node->in[0]), out = congru_extent_step(&node->out);
    node->sum_size[0] = 9 * node->in[0].cols * node->out.cols;
    node->sum_size[1] = out;
    node->need.plain[0] = 9 * in * out;
    node->need.plain[1] = congru_extent_reals(&node->out);
    node->need.plain[2] = node->in[0].rows * congru_real_step(in);
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    filters *f = node->state;
    const size_t in = congru_extent_step(&node->in[0]), out = congru_extent_step(&node->out);
    f->weight = congru_arena_take(arena, 9 * in * out, sizeof(congru_real));
    f->flipped = congru_arena_take(arena, 9 * out * congru_real_step(in), sizeof(congru_real));
    f->bias = congru_arena_take(arena, out, sizeof(congru_real));
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    const filters *f = node->state;
    const size_t in = congru_extent_step(&node->in[0]), out = congru_extent_step(&node->out);
    const size_t channels = node->in[0].cols, cols = node->out.cols, in_step = congru_real_step(in);
    const double *w = congru_graph_value(graph, node, 0), *bias = congru_graph_value(graph, node, 1);
    memset(f->weight, 0, 9 * in * out * sizeof(congru_real));
    memset(f->flipped, 0, 9 * out * in_step * sizeof(congru_real));
    memset(f->bias, 0, out * sizeof(congru_real));
    for (size_t tap = 0; tap < 9; tap++) {
        for (size_t c = 0; c < channels; c++) {
            for (size_t k = 0; k < cols; k++) {
                const congru_real x = (congru_real)w[(tap * channels + c) * cols + k];
                f->weight[(tap * in + c) * out + k] = x;
                f->flipped[((8 - tap) * out + k) * in_step + c] = x;
            }
        }
    }
    for (size_t k = 0; k < cols; k++)
        f->bias[k] = (congru_real)bias[k];
    return CONGRU_OK;
}

/* Line i of an image without a border, y (rows, cols) = the windows of x times w (9 step, cols). */
static void convolve(const congru_kernel *kernel, const congru_extent *in, size_t i, const congru_real *x,
                     const congru_real *w, size_t cols, congru_real *y)
{
    const size_t step = congru_extent_step(in), line = congru_image_line(in);
    kernel->real->product(in->rows, cols, 3, 3 * step, (congru_window){x + i * line, step, line, 1},
                          (congru_window){w, 0, 3 * step * cols, cols}, false, y, cols);
}

/* y = max(0, x * w + b) */
static void forward(const congru_call *call)
{
    const filters *f = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(out), d = out->rows;
    for (size_t m = 0; m < call->count; m++) {
        congru_real *y = congru_trial_reals(call->y, out, m);
        memset(y, 0, out->size * sizeof(double));
        for (size_t i = 0; i < d; i++) {
            congru_real *line = y + congru_extent_place(out, i * d);
            convolve(call->kernel, in, i, congru_trial_reals(call->x[0], in, m), f->weight, step, line);
            call->kernel->real->rectify(d, step, f->bias, line, step);
        }
    }
}

/* g = dy where y > 0, in an image whose border is zero; sum_k += its pixels. */
static void rectify(const congru_real_kernel *real, const congru_extent *out, const congru_real *y,
                    const congru_real *d_y, congru_real *g, double *sum)
{
    const size_t step = congru_extent_step(out);
    real->gate(congru_extent_reals(out), y, d_y, g);
    for (size_t i = 0; i < out->rows; i++)
        real->add_rows(out->rows, step, g + congru_extent_place(out, i * out->rows), step, sum);
}

/* sum (9, channels, cols) += the windows of x, transposed, times g. */
static void add_weights(const congru_call *call, const congru_real *x, const congru_real *g, congru_real *own)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), line = congru_image_line(in), cols = congru_extent_step(out);
    const congru_real *inside = g + congru_extent_place(out, 0);
    for (size_t a = 0; a < 3; a++)
        call->kernel->real->product(
            3 * step, cols, in->rows, in->rows, (congru_window){x + a * line, 1, line, step},
            (congru_window){inside, 0, congru_image_line(out), cols}, false, own + a * 3 * step * cols, cols);
    if (step == in->cols && cols == out->cols) { /* nothing is padded */
        call->kernel->real->add_rows(1, 9 * step * cols, own, 0, call->sum[0]);
        return;
    }
    for (size_t tap = 0; tap < 9; tap++) {
        for (size_t c = 0; c < in->cols; c++) {
            for (size_t k = 0; k < out->cols; k++)
                call->sum[0][(tap * in->cols + c) * out->cols + k] += (double)own[(tap * step + c) * cols + k];
        }
    }
}

/* dx = g * flipped w */
static void give_back(const congru_call *call, const congru_real *g, congru_real *line, congru_real *d_x)
{
    const filters *f = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = congru_extent_step(in), cols = congru_real_step(step), d = in->rows;
    memset(d_x, 0, in->size * sizeof(double));
    for (size_t i = 0; i < d; i++) {
        convolve(call->kernel, out, i, g, f->flipped, cols, line);
        for (size_t j = 0; j < d; j++)
            memcpy(d_x + congru_extent_place(in, i * d + j), line + j * cols, step * sizeof(congru_real));
    }
}

/* dw = sum x^T g, db = sum g, dx = g * flipped w, with g = dy where y > 0. */
static void backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    congru_real *g = call->work.plain[1];
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    memset(call->sum[1], 0, call->node->sum_size[1] * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        rectify(call->kernel->real, out, congru_trial_reals(call->y, out, m),
                congru_trial_reals(call->d_y, out, m), g, call->sum[1]);
        add_weights(call, congru_trial_reals(call->x[0], in, m), g, call->work.plain[0]);
        if (call->d_x[0] != NULL)
            give_back(call, g, call->work.plain[2], congru_trial_reals(call->d_x[0], in, m));
    }
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    double *d_bias = congru_graph_gradient(graph, node, 1);
    congru_graph_add_sums(graph, node->sum_size[0], node->sum[0], congru_graph_gradient(graph, node, 0));
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t k = 0; k < node->out.cols; k++)
            d_bias[k] += node->sum[1][chunk * node->sum_size[1] + k];
    }
    return CONGRU_OK;
}

const congru_layer congru_layer_image_convolution = {
    .name = "image convolution",
    .traits = CONGRU_TRAIT_READS_X | CONGRU_TRAIT_READS_Y,
    .plan = plan,
    .layout = layout,
    .prepare = prepare,
    .forward = forward,
    .backward = backward,
    .finish = finish,
    .state = sizeof(filters),
};
