/* Layers of images: a matrix as one, 3x3 convolutions with ReLU, the mean over pixels. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/layers.h"

/* ---- A symmetric matrix as an image of one channel --------------------------------------------------- */

static void image_plan(congru_node *node)
{
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
        congru_real *y = congru_call_y(call, m);
        congru_image_frame(out, y);
        for (size_t i = 0; i < d; i++) {
            congru_real *line = y + congru_extent_place(out, i * d);
            for (size_t j = 0; j < d; j++)
                line[j] = (congru_real)*plain++;
        }
    }
}

/* dX = (dY + dY^T) / 2 */
static void image_backward(const congru_call *call)
{
    const congru_extent *out = &call->node->out;
    const size_t d = out->rows;
    double *plain = call->work.lanes[0];
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *d_y = congru_call_d_y(call, m);
        for (size_t p = 0; p < d * d; p++)
            *plain++ = 0.5 * ((double)d_y[congru_extent_place(out, p)] +
                              (double)d_y[congru_extent_place(out, p % d * d + p / d)]);
    }
    call->kernel->pack(call->vectors, call->count, d, d, call->work.lanes[0], call->d_x[0]);
}

const congru_layer congru_layer_image = {
    .name = "image",
    .plan = image_plan,
    .trials = {image_forward, image_backward},
};

/* ---- The mean over pixels: y_c = the mean of channel c ----------------------------------------------- */

static void mean_plan(congru_node *node)
{
    node->out = congru_vector(node->in[0].cols);
    node->need.lanes[0] = node->out.size;
}

static void mean_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t size = call->node->out.size, places = congru_extent_places(in);
    double *mean = call->work.lanes[0];
    memset(mean, 0, call->count * size * sizeof(double));
    for (size_t m = 0; m < call->count; m++, mean += size) {
        for (size_t p = 0; p < places; p++) {
            const congru_real *pixel = congru_call_x(call, m) + congru_extent_place(in, p);
            for (size_t c = 0; c < in->cols; c++)
                mean[c] += (double)pixel[c];
        }
        for (size_t c = 0; c < in->cols; c++)
            mean[c] /= (double)places;
    }
    call->kernel->pack(call->vectors, call->count, size, 1, call->work.lanes[0], call->y);
}

static void mean_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t size = call->node->out.size, places = congru_extent_places(in);
    double *d_mean = call->work.lanes[0];
    call->kernel->unpack(call->vectors, call->count, size, 1, call->d_y, d_mean);
    for (size_t m = 0; m < call->count; m++, d_mean += size) {
        congru_real *d_x = congru_call_d_x(call, m);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t p = 0; p < places; p++) {
            congru_real *pixel = d_x + congru_extent_place(in, p);
            for (size_t c = 0; c < in->cols; c++)
                pixel[c] = (congru_real)(d_mean[c] / (double)places);
        }
    }
}

const congru_layer congru_layer_image_mean = {
    .name = "mean over pixels",
    .plan = mean_plan,
    .trials = {mean_forward, mean_backward},
};

/* ---- 3x3 convolutions, zeros beyond the border, and ReLU --------------------------------------------- */

/* Weights (3, 3, in, out) and a bias (out). Images of several channels are convolved in tiles of 2x2 pixels
 * (kernel/lanes_tiles.c), four multiplications a pixel instead of nine. Of one channel, with a border of zeros, the windows of
 * one line of the image are rows of a matrix that overlap: a convolution is one product for each line. */
enum { SIDE = 4, ENTRIES = SIDE * SIDE, TAPS = 3, LINES = 4 };

typedef struct filters {
    congru_real *
        weight; /* in tiles (ENTRIES, step of the input, step of the output); of one channel (9, step of the output) */
    congru_real *
        flipped; /* likewise of the derivative, taps in reverse, channels transposed; (9, step of the output, step) */
    congru_real *bias; /* (step of the output) */
    double *sum;       /* in tiles: the derivative by `weight` */
} filters;

static bool in_tiles(const congru_node *node)
{
    return node->in[0].cols > 1;
}

/* Tiles from one end of an image to the other. */
static size_t along(const congru_extent *image)
{
    return (image->rows + 1) / 2;
}

/* Lines of tiles that are taken at a time, from line `first` on: so many as stay in the cache while the weights, or their
 * derivative, pass through it once for all of them. */
static size_t lines_from(size_t tiles, size_t first)
{
    return tiles - first < LINES ? tiles - first : LINES;
}

static void plan(congru_node *node)
{
    filters *f = node->state;
    const size_t in = node->in[0].step, out = node->out.step, tiles = along(&node->out);
    node->sum_size[0] = node->need.plain[0] = in_tiles(node) ? ENTRIES * in * out : TAPS * TAPS * out;
    node->sum_size[1] = out;
    node->need.plain[1] = congru_extent_reals(&node->out);
    node->need.plain[2] = in_tiles(node) ? ENTRIES * lines_from(tiles, 0) * tiles * (in + out)
                                         : node->in[0].rows * CONGRU_REAL_STEP;
    f->bias = congru_take_reals(node, out);
    f->weight = congru_take_reals(node, node->sum_size[0]);
    f->flipped = congru_take_reals(node, node->sum_size[0] * (in_tiles(node) ? 1 : CONGRU_REAL_STEP));
    f->sum = in_tiles(node) ? congru_take_doubles(node, node->sum_size[0]) : NULL;
}

/* G of kernel/lanes_tiles.c, and it times three numbers, `apart` from each other. */
static const double spread[SIDE][TAPS] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};

static void turn_three(const double *w, size_t apart, double out[SIDE])
{
    const double ends = w[0] + w[2 * apart];
    out[0] = w[0];
    out[1] = 0.5 * (ends + w[apart]);
    out[2] = 0.5 * (ends - w[apart]);
    out[3] = w[2 * apart];
}

/* (G w G^T)(i, j) of nine weights, `apart` from each other. */
static void turn_weights(const double *w, size_t apart, double out[ENTRIES])
{
    double half[TAPS][SIDE], column[SIDE];
    for (size_t a = 0; a < TAPS; a++)
        turn_three(w + a * TAPS * apart, apart, half[a]);
    for (size_t j = 0; j < SIDE; j++) {
        turn_three(&half[0][j], SIDE, column);
        for (size_t i = 0; i < SIDE; i++)
            out[i * SIDE + j] = column[i];
    }
}

/* Where an entry is when the taps are in reverse: the first and the last row of G change places. */
static size_t reversed(size_t entry)
{
    static const size_t place[SIDE] = {3, 1, 2, 0};
    return place[entry / SIDE] * SIDE + place[entry % SIDE];
}

/* Channels that a thread takes at a time: a line of the cache, which no two of them write to. */
enum { CHANNELS = CONGRU_REAL_STEP };

static size_t last_channel(const congru_node *node, size_t block)
{
    const size_t channels = node->in[0].cols, last = (block + 1) * CHANNELS;
    return last < channels ? last : channels;
}

static void share_channels(congru_node *node, congru_thread_pool_task task)
{
    const size_t blocks = (node->in[0].cols + CHANNELS - 1) / CHANNELS;
    congru_blocks_run(node->graph->context, node->sum_size[0], blocks, task, node);
}

static void set_channels(void *user, size_t block, int worker)
{
    (void)worker;
    const congru_node *node = user;
    const filters *f = node->state;
    const size_t in = node->in[0].step, out = node->out.step;
    const size_t channels = node->in[0].cols, cols = node->out.cols;
    const double *w = congru_node_value(node, 0);
    double turned[ENTRIES];
    for (size_t c = block * CHANNELS; c < last_channel(node, block); c++) {
        for (size_t k = 0; k < cols; k++) {
            turn_weights(w + c * cols + k, channels * cols, turned);
            for (size_t e = 0; e < ENTRIES; e++) {
                f->weight[(e * in + c) * out + k] = (congru_real)turned[e];
                f->flipped[(reversed(e) * out + k) * in + c] = (congru_real)turned[e];
            }
        }
    }
}

static congru_status prepare(congru_node *node)
{
    const filters *f = node->state;
    const size_t out = node->out.step, cols = node->out.cols;
    const double *w = congru_node_value(node, 0);
    congru_reals_set(1, cols, out, congru_node_value(node, 1), f->bias);
    if (!in_tiles(node)) {
        congru_reals_set(TAPS * TAPS, cols, out, w, f->weight);
        congru_reals_flip(TAPS * TAPS, 1, cols, w, out, CONGRU_REAL_STEP, f->flipped);
        return CONGRU_OK;
    }
    memset(f->weight, 0, node->sum_size[0] * sizeof(congru_real));
    memset(f->flipped, 0, node->sum_size[0] * sizeof(congru_real));
    share_channels(node, set_channels);
    return CONGRU_OK;
}

/* Line i of an image without a border, y (rows, cols) = the windows of x times w (9 step, cols). */
static void convolve_line(const congru_kernel *kernel, const congru_extent *in, size_t i, const congru_real *x,
                          const congru_real *w, size_t cols, congru_real *y)
{
    const size_t step = in->step, line = congru_image_line(in);
    kernel->real->product(in->rows, cols, TAPS, TAPS * step, (congru_window){x + i * line, step, line, 1},
                          (congru_window){w, 0, TAPS * step * cols, cols}, false, y, cols);
}

/* In tiles: inside of y = the convolution of the image x, which has the extent `in`, to images `out`; max(0, y + bias) where
 * there is a bias. */
static void convolve_tiles(const congru_call *call, const congru_extent *in, const congru_extent *out,
                           const congru_real *weight, const congru_real *bias, const congru_real *x,
                           congru_real *y)
{
    const congru_real_kernel *real = call->kernel->real;
    const size_t tiles = along(out), step = in->step, cols = out->step, d = out->rows;
    for (size_t first = 0, lines; first < tiles; first += lines) {
        lines = lines_from(tiles, first);
        const size_t all = lines * tiles;
        congru_real *v = call->work.plain[2], *m = v + ENTRIES * all * step;
        for (size_t i = first; i < first + lines; i++)
            real->tile_windows(tiles, step, d + 2 - 2 * i, d + 2, x + 2 * i * congru_image_line(in),
                               congru_image_line(in), v + (i - first) * tiles * step, all * step);
        real->products(ENTRIES, all, cols, step, (congru_window){v, step, all * step, 1},
                       (congru_window){weight, 0, step * cols, cols}, false, m);
        for (size_t i = first; i < first + lines; i++)
            real->tile_pixels(tiles, cols, d - 2 * i, d, m + (i - first) * tiles * cols, all * cols, bias,
                              y + congru_extent_place(out, 2 * i * d), congru_image_line(out));
    }
}

/* y = max(0, x * w + b) */
static void forward(const congru_call *call)
{
    const filters *f = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t step = out->step, d = out->rows;
    for (size_t m = 0; m < call->count; m++) {
        const congru_real *x = congru_call_x(call, m);
        congru_real *y = congru_call_y(call, m);
        congru_image_frame(out, y);
        if (in_tiles(call->node)) {
            convolve_tiles(call, in, out, f->weight, f->bias, x, y);
            continue;
        }
        for (size_t i = 0; i < d; i++) {
            congru_real *line = y + congru_extent_place(out, i * d);
            convolve_line(call->kernel, in, i, x, f->weight, step, line);
            call->kernel->real->rectify(d, step, f->bias, line, step);
        }
    }
}

/* Line i of g = dy where y > 0, the derivative before ReLU, of trial m; its pixels are added to sum[1]. */
static void gate_line(const congru_call *call, size_t m, size_t i, congru_real *g)
{
    const congru_extent *out = &call->node->out;
    const size_t place = congru_extent_place(out, i * out->rows);
    call->kernel->real->gate(out->rows, out->step, congru_call_y(call, m) + place,
                             congru_call_d_y(call, m) + place, g + place, call->sum[1]);
}

/* own = the windows of x of trial m, transposed, times g, which is set. */
static void weigh_lines(const congru_call *call, size_t m, congru_real *g, congru_real *own)
{
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t line = congru_image_line(in), cols = out->step, d = out->rows;
    for (size_t i = 0; i < d; i++)
        gate_line(call, m, i, g);
    for (size_t a = 0; a < TAPS; a++)
        call->kernel->real->product(
            TAPS, cols, d, d, (congru_window){congru_call_x(call, m) + a * line, 1, line, 1},
            (congru_window){g + congru_extent_place(out, 0), 0, congru_image_line(out), cols}, false,
            own + a * TAPS * cols, cols);
}

/* Likewise in tiles: two lines of pixels of g at a time, each of which is spread while it is in the cache. */
static void weigh_tiles(const congru_call *call, size_t trial, congru_real *g, congru_real *own)
{
    const congru_real_kernel *real = call->kernel->real;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t tiles = along(out), step = in->step, cols = out->step, d = out->rows;
    const congru_real *x = congru_call_x(call, trial);
    for (size_t first = 0, lines; first < tiles; first += lines) {
        lines = lines_from(tiles, first);
        const size_t all = lines * tiles;
        congru_real *v = call->work.plain[2], *m = v + ENTRIES * all * step;
        for (size_t i = first; i < first + lines; i++) {
            const size_t high = d - 2 * i, before = (i - first) * tiles;
            for (size_t k = 0; k < 2 && k < high; k++)
                gate_line(call, trial, 2 * i + k, g);
            real->tile_spread(tiles, cols, high, d, g + congru_extent_place(out, 2 * i * d),
                              congru_image_line(out), m + before * cols, all * cols);
            real->tile_windows(tiles, step, d + 2 - 2 * i, d + 2, x + 2 * i * congru_image_line(in),
                               congru_image_line(in), v + before * step, all * step);
        }
        real->products(ENTRIES, step, cols, all, (congru_window){v, 1, all * step, step},
                       (congru_window){m, 0, all * cols, cols}, first > 0, own);
    }
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
        convolve_tiles(call, out, in, f->flipped, NULL, g, d_x);
        return;
    }
    for (size_t i = 0; i < d; i++) {
        convolve_line(call->kernel, out, i, g, f->flipped, CONGRU_REAL_STEP, line);
        for (size_t j = 0; j < d; j++)
            d_x[congru_extent_place(in, i * d + j)] = line[j * CONGRU_REAL_STEP];
    }
}

/* dw = sum x^T g, db = sum g, dx = g * flipped w, with g = dy where y > 0, in an image whose border is zero. */
static void backward(const congru_call *call)
{
    congru_real *own = call->work.plain[0], *g = call->work.plain[1];
    congru_call_clear(call);
    congru_image_frame(&call->node->out, g);
    for (size_t m = 0; m < call->count; m++) {
        if (in_tiles(call->node))
            weigh_tiles(call, m, g, own);
        else
            weigh_lines(call, m, g, own);
        call->kernel->real->add_rows(1, call->node->sum_size[0], own, 0, call->sum[0]);
        if (call->d_x[0] != NULL)
            give_back(call, g, congru_call_d_x(call, m));
    }
}

/* G^T times the sum of all chunks, entry by entry. */
static void finish_channels(void *user, size_t block, int worker)
{
    (void)worker;
    const congru_node *node = user;
    const filters *f = node->state;
    const size_t in = node->in[0].step, out = node->out.step;
    const size_t channels = node->in[0].cols, cols = node->out.cols, size = node->sum_size[0];
    for (size_t c = block * CHANNELS; c < last_channel(node, block); c++) {
        for (size_t e = 0; e < ENTRIES; e++) {
            const size_t place = (e * in + c) * out;
            memset(f->sum + place, 0, out * sizeof(double));
            for (size_t chunk = 0; chunk < congru_graph_used_chunks(node->graph); chunk++) {
                for (size_t k = 0; k < cols; k++)
                    f->sum[place + k] += node->sum[0][chunk * size + place + k];
            }
        }
        for (size_t tap = 0; tap < TAPS * TAPS; tap++) {
            double *to = congru_node_gradient(node, 0) + (tap * channels + c) * cols;
            for (size_t e = 0; e < ENTRIES; e++) {
                const double factor = spread[e / SIDE][tap / TAPS] * spread[e % SIDE][tap % TAPS];
                for (size_t k = 0; k < cols && factor != 0.0; k++)
                    to[k] += factor * f->sum[(e * in + c) * out + k];
            }
        }
    }
}

static congru_status finish(congru_node *node)
{
    if (in_tiles(node))
        share_channels(node, finish_channels);
    else
        congru_node_add_rows(node, 0, node->out.cols, node->out.step, congru_node_gradient(node, 0));
    congru_node_add_rows(node, 1, node->out.cols, node->out.step, congru_node_gradient(node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_image_convolution = {
    .name = "image convolution",
    .traits = CONGRU_TRAIT_READS_X | CONGRU_TRAIT_READS_Y,
    .state = sizeof(filters),
    .plan = plan,
    .prepare = prepare,
    .trials = {forward, backward},
    .finish = finish,
};
