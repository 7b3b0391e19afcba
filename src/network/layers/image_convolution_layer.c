/* A 3x3 convolution of images, zeros beyond the border, and ReLU. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/layers/tiles.h"

/* Weights (3, 3, in, out) and a bias (out). Images of several channels are convolved in tiles. Of one channel, with a border of
 * zeros, the windows of one line of the image are rows of a matrix that overlap: a convolution is one product for each line. */
typedef struct filters {
    congru_real *weight;  /* of one channel: (9, step of the output) */
    congru_real *flipped; /* (9, step of the output, CONGRU_REAL_STEP): taps in reverse */
    congru_real *bias;    /* (step of the output) */
    congru_tiles tiles;   /* of several */
} filters;

static bool in_tiles(const congru_node *node)
{
    return node->in[0].cols > 1;
}

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t out = congru_extent_step(&node->out);
    node->sum_size[0] = in_tiles(node) ? congru_tiles_sums(node) : 9 * out;
    node->sum_size[1] = out;
    node->need.plain[0] = node->sum_size[0];
    node->need.plain[1] = congru_extent_reals(&node->out);
    node->need.plain[2] = in_tiles(node) ? congru_tiles_scratch(node) : node->in[0].rows * CONGRU_REAL_STEP;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    filters *f = node->state;
    const size_t out = congru_extent_step(&node->out);
    f->bias = congru_arena_take(arena, out, sizeof(congru_real));
    if (in_tiles(node)) {
        congru_tiles_layout(arena, node, &f->tiles);
        return;
    }
    f->weight = congru_arena_take(arena, 9 * out, sizeof(congru_real));
    f->flipped = congru_arena_take(arena, 9 * out * CONGRU_REAL_STEP, sizeof(congru_real));
}

static void set_single(const congru_node *node, const double *w, const filters *f)
{
    const size_t out = congru_extent_step(&node->out), cols = node->out.cols;
    memset(f->weight, 0, 9 * out * sizeof(congru_real));
    memset(f->flipped, 0, 9 * out * CONGRU_REAL_STEP * sizeof(congru_real));
    for (size_t tap = 0; tap < 9; tap++) {
        for (size_t k = 0; k < cols; k++)
            f->weight[tap * out + k] = f->flipped[((8 - tap) * out + k) * CONGRU_REAL_STEP] =
                (congru_real)w[tap * cols + k];
    }
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    filters *f = node->state;
    const double *w = congru_graph_value(graph, node, 0), *bias = congru_graph_value(graph, node, 1);
    memset(f->bias, 0, congru_extent_step(&node->out) * sizeof(congru_real));
    for (size_t k = 0; k < node->out.cols; k++)
        f->bias[k] = (congru_real)bias[k];
    if (in_tiles(node))
        congru_tiles_set(graph, node, w, &f->tiles);
    else
        set_single(node, w, f);
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
        const congru_real *x = congru_trial_reals(call->x[0], in, m);
        congru_real *y = congru_trial_reals(call->y, out, m);
        congru_image_frame(out, y);
        if (in_tiles(call->node)) {
            congru_tiles_convolve(call->kernel, in, out, f->tiles.weight, f->bias, x, call->work.plain[2], y);
            continue;
        }
        for (size_t i = 0; i < d; i++) {
            congru_real *line = y + congru_extent_place(out, i * d);
            convolve(call->kernel, in, i, x, f->weight, step, line);
            call->kernel->real->rectify(d, step, f->bias, line, step);
        }
    }
}

/* own = the windows of x, transposed, times g, which is set. */
static void weigh(const congru_call *call, const congru_real *x, const congru_tiles_slope *slope,
                  congru_real *own)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t line = congru_image_line(in), cols = congru_extent_step(out), d = out->rows,
                 inside = congru_extent_place(out, 0);
    for (size_t i = 0; i < d; i++) {
        const size_t place = inside + i * congru_image_line(out);
        call->kernel->real->gate(d, cols, slope->y + place, slope->d_y + place, slope->g + place, slope->sum);
    }
    for (size_t a = 0; a < 3; a++)
        call->kernel->real->product(3, cols, d, d, (congru_window){x + a * line, 1, line, 1},
                                    (congru_window){slope->g + inside, 0, congru_image_line(out), cols}, false,
                                    own + a * 3 * cols, cols);
}

/* dx = g * flipped w */
static void give_back(const congru_call *call, const congru_real *g, congru_real *d_x)
{
    const filters *f = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t d = in->rows;
    congru_real *line = call->work.plain[2];
    congru_image_frame(in, d_x);
    if (in_tiles(call->node)) {
        congru_tiles_convolve(call->kernel, out, in, f->tiles.flipped, NULL, g, line, d_x);
        return;
    }
    for (size_t i = 0; i < d; i++) {
        convolve(call->kernel, out, i, g, f->flipped, CONGRU_REAL_STEP, line);
        for (size_t j = 0; j < d; j++)
            d_x[congru_extent_place(in, i * d + j)] = line[j * CONGRU_REAL_STEP];
    }
}

/* dw = sum x^T g, db = sum g, dx = g * flipped w, with g = dy where y > 0, in an image whose border is zero. */
static void backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    congru_real *own = call->work.plain[0], *g = call->work.plain[1];
    memset(call->sum[0], 0, call->node->sum_size[0] * sizeof(double));
    memset(call->sum[1], 0, call->node->sum_size[1] * sizeof(double));
    congru_image_frame(out, g);
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m);
        const congru_tiles_slope slope = {congru_trial_reals(call->y, out, m),
                                          congru_trial_reals(call->d_y, out, m), g, call->sum[1]};
        if (in_tiles(call->node))
            congru_tiles_weigh(call->kernel, in, out, x, &slope, call->work.plain[2], own);
        else
            weigh(call, x, &slope, own);
        call->kernel->real->add_rows(1, call->node->sum_size[0], own, 0, call->sum[0]);
        if (call->d_x[0] != NULL)
            give_back(call, g, congru_trial_reals(call->d_x[0], in, m));
    }
}

/* gradient (rows, cols) += sums of chunks, whose rows have the output's step. */
static void add_padded(const congru_graph *graph, const congru_node *node, size_t rows, const double *sums,
                       double *gradient)
{
    const size_t step = congru_extent_step(&node->out), cols = node->out.cols;
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t e = 0; e < rows * cols; e++)
            gradient[e] += sums[chunk * rows * step + e / cols * step + e % cols];
    }
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const filters *f = node->state;
    double *d_weight = congru_graph_gradient(graph, node, 0);
    if (in_tiles(node))
        congru_tiles_finish(graph, node, &f->tiles, node->sum[0], d_weight);
    else
        add_padded(graph, node, 9, node->sum[0], d_weight);
    add_padded(graph, node, 1, node->sum[1], congru_graph_gradient(graph, node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_image_convolution = {
    .name = "image convolution",
    .traits = CONGRU_TRAIT_READS_X | CONGRU_TRAIT_READS_Y,
    .plan = plan,
    .state = {sizeof(filters), layout, prepare},
    .trials = {forward, backward},
    .finish = finish,
};
