/* 3x3 convolutions of images in tiles of 2x2 pixels. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/tiles.h"

#include <string.h>

/* G of kernel/lanes_tiles.c. */
enum { SIDE = 4, ENTRIES = SIDE * SIDE, TAPS = 3 };
static const double spread[SIDE][TAPS] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};

static size_t along(const congru_extent *image)
{
    return (image->rows + 1) / 2;
}

size_t congru_tiles_sums(const congru_node *node)
{
    return ENTRIES * congru_extent_step(&node->in[0]) * congru_extent_step(&node->out);
}

/* All tiles of both images: weighing reads them as a whole. */
size_t congru_tiles_scratch(const congru_node *node)
{
    const size_t tiles = along(&node->out) * along(&node->out);
    return ENTRIES * tiles * (congru_extent_step(&node->in[0]) + congru_extent_step(&node->out));
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

void congru_tiles_set(const congru_node *node, const double *w, congru_tiles *t)
{
    const size_t in = congru_extent_step(&node->in[0]), out = congru_extent_step(&node->out);
    const size_t channels = node->in[0].cols, cols = node->out.cols;
    double turned[ENTRIES];
    memset(t->weight, 0, congru_tiles_sums(node) * sizeof(congru_real));
    memset(t->flipped, 0, congru_tiles_sums(node) * sizeof(congru_real));
    for (size_t c = 0; c < channels; c++) {
        for (size_t k = 0; k < cols; k++) {
            turn_weights(w + c * cols + k, channels * cols, turned);
            for (size_t e = 0; e < ENTRIES; e++) {
                t->weight[(e * in + c) * out + k] = (congru_real)turned[e];
                t->flipped[(reversed(e) * out + k) * in + c] = (congru_real)turned[e];
            }
        }
    }
}

/* A line of tiles at a time: what it needs stays in the cache. */
void congru_tiles_convolve(const congru_kernel *kernel, const congru_extent *in, const congru_extent *out,
                           const congru_real *weight, const congru_real *x, congru_real *scratch,
                           congru_real *y)
{
    const size_t tiles = along(out), step = congru_extent_step(in), cols = congru_extent_step(out),
                 d = out->rows;
    congru_real *v = scratch, *m = scratch + ENTRIES * tiles * step;
    for (size_t i = 0; i < tiles; i++) {
        kernel->real->tile_windows(tiles, step, d + 2 - 2 * i, d + 2, x + 2 * i * congru_image_line(in),
                                   congru_image_line(in), v, tiles * step);
        for (size_t e = 0; e < ENTRIES; e++)
            kernel->real->product(tiles, cols, 1, step, (congru_window){v + e * tiles * step, step, 0, 1},
                                  (congru_window){weight + e * step * cols, 0, 0, cols}, false,
                                  m + e * tiles * cols, cols);
        kernel->real->tile_pixels(tiles, cols, d - 2 * i, d, m, tiles * cols,
                                  y + congru_extent_place(out, 2 * i * d), congru_image_line(out));
    }
}

void congru_tiles_weigh(const congru_kernel *kernel, const congru_extent *in, const congru_extent *out,
                        const congru_real *x, const congru_real *g, congru_real *scratch, congru_real *own)
{
    const size_t tiles = along(out), all = tiles * tiles, step = congru_extent_step(in),
                 cols = congru_extent_step(out), d = out->rows;
    congru_real *v = scratch, *m = scratch + ENTRIES * all * step;
    for (size_t i = 0; i < tiles; i++) {
        kernel->real->tile_windows(tiles, step, d + 2 - 2 * i, d + 2, x + 2 * i * congru_image_line(in),
                                   congru_image_line(in), v + i * tiles * step, all * step);
        kernel->real->tile_spread(tiles, cols, d - 2 * i, d, g + congru_extent_place(out, 2 * i * d),
                                  congru_image_line(out), m + i * tiles * cols, all * cols);
    }
    for (size_t e = 0; e < ENTRIES; e++)
        kernel->real->product(step, cols, 1, all, (congru_window){v + e * all * step, 1, 0, step},
                              (congru_window){m + e * all * cols, 0, 0, cols}, false, own + e * step * cols,
                              cols);
}

void congru_tiles_finish(const congru_graph *graph, const congru_node *node, const congru_tiles *t,
                         const double *sums, double *gradient)
{
    const size_t in = congru_extent_step(&node->in[0]), out = congru_extent_step(&node->out);
    const size_t channels = node->in[0].cols, cols = node->out.cols, size = congru_tiles_sums(node);
    memset(t->sum, 0, size * sizeof(double));
    congru_graph_add_sums(graph, size, sums, t->sum);
    for (size_t tap = 0; tap < TAPS * TAPS; tap++) {
        for (size_t c = 0; c < channels; c++) {
            double *to = gradient + (tap * channels + c) * cols;
            for (size_t e = 0; e < ENTRIES; e++) {
                const double factor = spread[e / SIDE][tap / TAPS] * spread[e % SIDE][tap % TAPS];
                for (size_t k = 0; k < cols && factor != 0.0; k++)
                    to[k] += factor * t->sum[(e * in + c) * out + k];
            }
        }
    }
}
