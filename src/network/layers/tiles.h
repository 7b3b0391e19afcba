/* 3x3 convolutions of images in tiles of 2x2 pixels: four multiplications a pixel instead of nine. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_TILES_H
#define CONGRU_NETWORK_TILES_H

#include "network/graph.h"

/* Weights in the domain of tiles (kernel/lanes_tiles.c), for the node's images of several channels. */
typedef struct congru_tiles {
    congru_real *weight; /* (16, step of the input, step of the output) */
    congru_real
        *flipped; /* (16, step of the output, step of the input): taps in reverse, channels transposed */
    double *sum;  /* (16, step of the input, step of the output): the derivative by `weight` */
} congru_tiles;

/* Elements of the sums of a chunk; reals of scratch, for tiles of both images. */
size_t congru_tiles_sums(const congru_node *node);
size_t congru_tiles_scratch(const congru_node *node);

void congru_tiles_layout(congru_arena *arena, const congru_node *node, congru_tiles *t);

/* From w (3, 3, in, out). */
void congru_tiles_set(congru_graph *graph, congru_node *node, const double *w, const congru_tiles *t);

/* Inside of y = the convolution of the image x, which has the extent `in`, to images `out`: by `weight`, or, of derivatives, by
 * `flipped`; max(0, y + bias) where there is a bias. The scratch is congru_tiles_scratch. */
void congru_tiles_convolve(const congru_kernel *kernel, const congru_extent *in, const congru_extent *out,
                           const congru_real *weight, const congru_real *bias, const congru_real *x,
                           congru_real *scratch, congru_real *y);

/* The derivative before ReLU: the inside of g = d_y where y > 0, and sum (step of the output) += its pixels. */
typedef struct congru_tiles_slope {
    const congru_real *y, *d_y;
    congru_real *g;
    double *sum;
} congru_tiles_slope;

/* own (16, steps of in and out) = the derivative by `weight` of one trial, from x and g, which is set. */
void congru_tiles_weigh(const congru_kernel *kernel, const congru_extent *in, const congru_extent *out,
                        const congru_real *x, const congru_tiles_slope *slope, congru_real *scratch,
                        congru_real *own);

/* gradient (3, 3, in, out) += that by w, from the sums of chunks. */
void congru_tiles_finish(congru_graph *graph, congru_node *node, const congru_tiles *t, const double *sums,
                         double *gradient);

#endif
