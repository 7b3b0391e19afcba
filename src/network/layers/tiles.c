/* 3x3 convolutions of images in tiles of 2x2 pixels. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/tiles.h"

#include <string.h>

/* G of kernel/lanes_tiles.c. */
enum { SIDE = 4, ENTRIES = SIDE * SIDE, TAPS = 3, LINES = 4 };
static const double spread[SIDE][TAPS] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};

static size_t along(const congru_extent *image)
{
    return (image->rows + 1) / 2;
}

size_t congru_tiles_sums(const congru_node *node)
{
    return ENTRIES * congru_extent_step(&node->in[0]) * congru_extent_step(&node->out);
}

/* Lines of tiles that are taken at a time, from line `first` on: so many as stay in the cache while the weights, or their
 * derivative, pass through it once for all of them. */
static size_t lines_from(size_t tiles, size_t first)
{
    return tiles - first < LINES ? tiles - first : LINES;
}

size_t congru_tiles_scratch(const congru_node *node)
{
    const size_t tiles = along(&node->out);
    return ENTRIES * lines_from(tiles, 0) * tiles *
           (congru_extent_step(&node->in[0]) + congru_extent_step(&node->out));
}

void congru_tiles_layout(congru_arena *arena, const congru_node *node, congru_tiles *t)
{
    const size_t size = congru_tiles_sums(node);
    t->weight = congru_arena_take(arena, size, sizeof(congru_real));
    t->flipped = congru_arena_take(arena, size, sizeof(congru_real));
    t->sum = congru_arena_take(arena, size, sizeof(double));
}

/* G times three numbers, `apart` from each other. */
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

typedef struct job {
    const congru_graph *graph;
    const congru_node *node;
    const congru_tiles *tiles;
    const double *from; /* weights, or sums of chunks */
    double *to;
} job;

static size_t last_channel(const job *j, size_t block)
{
    const size_t channels = j->node->in[0].cols, last = (block + 1) * CHANNELS;
    return last < channels ? last : channels;
}

static void share_channels(congru_graph *graph, congru_node *node, congru_thread_pool_task task, job *j)
{
    const size_t blocks = (node->in[0].cols + CHANNELS - 1) / CHANNELS;
    congru_blocks_run(graph->context, congru_tiles_sums(node), blocks, task, j);
}

static void set_channels(void *user, size_t block, int worker)
{
    (void)worker;
    const job *j = user;
    const size_t in = congru_extent_step(&j->node->in[0]), out = congru_extent_step(&j->node->out);
    const size_t channels = j->node->in[0].cols, cols = j->node->out.cols;
    double turned[ENTRIES];
    for (size_t c = block * CHANNELS; c < last_channel(j, block); c++) {
        for (size_t k = 0; k < cols; k++) {
            turn_weights(j->from + c * cols + k, channels * cols, turned);
            for (size_t e = 0; e < ENTRIES; e++) {
                j->tiles->weight[(e * in + c) * out + k] = (congru_real)turned[e];
                j->tiles->flipped[(reversed(e) * out + k) * in + c] = (congru_real)turned[e];
            }
        }
    }
}

void congru_tiles_set(congru_graph *graph, congru_node *node, const double *w, const congru_tiles *t)
{
    job j = {graph, node, t, w, NULL};
    memset(t->weight, 0, congru_tiles_sums(node) * sizeof(congru_real));
    memset(t->flipped, 0, congru_tiles_sums(node) * sizeof(congru_real));
    share_channels(graph, node, set_channels, &j);
}

void congru_tiles_convolve(const congru_kernel *kernel, const congru_extent *in, const congru_extent *out,
                           const congru_real *weight, const congru_real *bias, const congru_real *x,
                           congru_real *scratch, congru_real *y)
{
    const size_t tiles = along(out), step = congru_extent_step(in), cols = congru_extent_step(out),
                 d = out->rows;
    for (size_t first = 0, lines; first < tiles; first += lines) {
        lines = lines_from(tiles, first);
        const size_t all = lines * tiles;
        congru_real *v = scratch, *m = scratch + ENTRIES * all * step;
        for (size_t i = first; i < first + lines; i++)
            kernel->real->tile_windows(tiles, step, d + 2 - 2 * i, d + 2, x + 2 * i * congru_image_line(in),
                                       congru_image_line(in), v + (i - first) * tiles * step, all * step);
        kernel->real->products(ENTRIES, all, cols, step, (congru_window){v, step, all * step, 1},
                               (congru_window){weight, 0, step * cols, cols}, false, m);
        for (size_t i = first; i < first + lines; i++)
            kernel->real->tile_pixels(tiles, cols, d - 2 * i, d, m + (i - first) * tiles * cols, all * cols,
                                      bias, y + congru_extent_place(out, 2 * i * d), congru_image_line(out));
    }
}

/* g = dy where y > 0, two lines of pixels at a time, each of which is spread while it is in the cache. */
void congru_tiles_weigh(const congru_kernel *kernel, const congru_extent *in, const congru_extent *out,
                        const congru_real *x, const congru_tiles_slope *slope, congru_real *scratch,
                        congru_real *own)
{
    const size_t tiles = along(out), step = congru_extent_step(in), cols = congru_extent_step(out),
                 d = out->rows, line = congru_image_line(out);
    for (size_t first = 0, lines; first < tiles; first += lines) {
        lines = lines_from(tiles, first);
        const size_t all = lines * tiles;
        congru_real *v = scratch, *m = scratch + ENTRIES * all * step;
        for (size_t i = first; i < first + lines; i++) {
            const size_t place = congru_extent_place(out, 2 * i * d), high = d - 2 * i,
                         before = (i - first) * tiles;
            for (size_t k = 0; k < 2 && k < high; k++)
                kernel->real->gate(d, cols, slope->y + place + k * line, slope->d_y + place + k * line,
                                   slope->g + place + k * line, slope->sum);
            kernel->real->tile_spread(tiles, cols, high, d, slope->g + place, line, m + before * cols,
                                      all * cols);
            kernel->real->tile_windows(tiles, step, d + 2 - 2 * i, d + 2, x + 2 * i * congru_image_line(in),
                                       congru_image_line(in), v + before * step, all * step);
        }
        kernel->real->products(ENTRIES, step, cols, all, (congru_window){v, 1, all * step, step},
                               (congru_window){m, 0, all * cols, cols}, first > 0, own);
    }
}

/* G^T times the sum of all chunks, entry by entry. */
static void finish_channels(void *user, size_t block, int worker)
{
    (void)worker;
    const job *j = user;
    const size_t in = congru_extent_step(&j->node->in[0]), out = congru_extent_step(&j->node->out);
    const size_t channels = j->node->in[0].cols, cols = j->node->out.cols, size = congru_tiles_sums(j->node);
    for (size_t c = block * CHANNELS; c < last_channel(j, block); c++) {
        for (size_t e = 0; e < ENTRIES; e++) {
            const size_t place = (e * in + c) * out;
            double *sum = j->tiles->sum + place;
            memset(sum, 0, out * sizeof(double));
            for (size_t chunk = 0; chunk < congru_graph_used_chunks(j->graph); chunk++) {
                for (size_t k = 0; k < cols; k++)
                    sum[k] += j->from[chunk * size + place + k];
            }
        }
        for (size_t tap = 0; tap < TAPS * TAPS; tap++) {
            double *to = j->to + (tap * channels + c) * cols;
            for (size_t e = 0; e < ENTRIES; e++) {
                const double factor = spread[e / SIDE][tap / TAPS] * spread[e % SIDE][tap % TAPS];
                for (size_t k = 0; k < cols && factor != 0.0; k++)
                    to[k] += factor * j->tiles->sum[(e * in + c) * out + k];
            }
        }
    }
}

void congru_tiles_finish(congru_graph *graph, congru_node *node, const congru_tiles *t, const double *sums,
                         double *gradient)
{
    job j = {graph, node, t, sums, gradient};
    share_channels(graph, node, finish_channels, &j);
}
