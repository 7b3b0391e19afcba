/* Activations of convolutional networks: plain arrays of reals, channels last, and the kernels for them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_KERNEL_REAL_H
#define CONGRU_KERNEL_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Single precision; the tests compile the same sources in double as well, to compare adjoints with differences. */
#ifdef CONGRU_REAL_DOUBLE
typedef double congru_real;
#else
typedef float congru_real;
#endif

/* Channels are padded with zeros to a multiple of this: whole vectors on every instruction set. */
enum { CONGRU_REAL_STEP = 16 };

static inline size_t congru_real_step(size_t channels)
{
    return (channels + CONGRU_REAL_STEP - 1) / CONGRU_REAL_STEP * CONGRU_REAL_STEP;
}

/* One side of a product, whose inner index has two parts: entry (row, block, inner). Strides in elements; a window that
 * slides over a signal has rows that overlap. */
typedef struct congru_window {
    const congru_real *data;
    size_t row, block, inner;
} congru_window;

/* Every result is one sum in ascending order, or sums in a fixed number of chains: no bit depends on the instruction
 * set. `cols` and `size` are multiples of CONGRU_REAL_STEP where nothing else is said. */
typedef struct congru_real_kernel {
    /* c (rows, cols) = the sum over blocks and inner of a(row, block, inner) b(block, inner, col), or += where `add`.
     * b's row is 1; rows of c are `c_row` apart. `cols` is any number: b has zeros from there to the end of the step, and c too. */
    void (*product)(size_t rows, size_t cols, size_t blocks, size_t inner, congru_window a, congru_window b,
                    bool add, congru_real *c, size_t c_row);

    /* `count` products, each of a block of a and of b: c (count, rows, cols) = the sum over inner, or +=. */
    void (*products)(size_t count, size_t rows, size_t cols, size_t inner, congru_window a, congru_window b,
                     bool add, congru_real *c);

    /* c (rows, cols) = the sum over inner of a(row, inner, col) b(row, inner, col): products by channel. The `block` of
     * both is not read. */
    void (*by_channel)(size_t rows, size_t cols, size_t inner, congru_window a, congru_window b, congru_real *c,
                       size_t c_row);

    /* out (count, rows): the inner products of `count` vectors x, `stride` apart, with the rows of w (rows, size), in 16
     * chains: element e in chain e % 16. */
    void (*dots)(size_t count, size_t rows, size_t size, const congru_real *x, size_t stride,
                 const congru_real *w, double *out);

    /* sum (rows, size) = the sum over `count` vectors of y (count, rows) x, in order, in double precision. */
    void (*outer)(size_t count, size_t rows, size_t size, const congru_real *x, size_t stride, const double *y,
                  double *sum);

    /* y = x where x > 0, else exp(x) - 1; `count` is a multiple of CONGRU_REAL_STEP in these two. In double precision. */
    void (*elu)(size_t count, const congru_real *x, congru_real *y);

    /* d_x = d_y times the derivative of m elu(z) by z, where y is m elu(z) and m is 0 or `kept`: kept where y > 0, y + kept
     * where y < 0, and `none` where y is 0. */
    void (*elu_slope)(size_t count, congru_real kept, congru_real none, const congru_real *y,
                      const congru_real *d_y, congru_real *d_x);

    /* y = a b, and y = a + b. */
    void (*multiply)(size_t count, const congru_real *a, const congru_real *b, congru_real *y);
    void (*add)(size_t count, const congru_real *a, const congru_real *b, congru_real *y);

    /* y = scale x + shift, row by row: (rows, cols), scale and shift (cols); y = scale x where shift is NULL. */
    void (*stretch)(size_t rows, size_t cols, const congru_real *scale, const congru_real *shift,
                    const congru_real *x, congru_real *y);

    /* sum (cols) += a, and product (cols) += a b, row by row in ascending order, in double precision. */
    void (*tally)(size_t rows, size_t cols, const congru_real *a, const congru_real *b, double *sum,
                  double *product);

    /* p (rows, cols) = softmax(scale p) of each column; and d from the derivative by `kept` times its softmax p, or by 0 where
     * p has a sign, to that by what it was before. In double precision. */
    void (*soften)(size_t rows, size_t cols, double scale, congru_real *p);
    void (*unsoften)(size_t rows, size_t cols, double scale, double kept, const congru_real *p, congru_real *d);

    /* mask (count, a multiple of CONGRU_REAL_STEP): word k of Philox from the counter on is drawn; 0 where it is below
     * `least`, else `kept`. As congru_random_bits gives them. */
    void (*draw)(const uint32_t key[2], const uint32_t counter[4], uint64_t least, congru_real kept,
                 size_t count, congru_real *mask);

    /* y (rows, cols) = max(0, y + bias), its rows `row` apart. */
    void (*rectify)(size_t rows, size_t cols, const congru_real *bias, congru_real *y, size_t row);

    /* g (rows, cols) = d where y > 0, else 0; sum (cols) += the rows of g, in order, in double precision. */
    void (*gate)(size_t rows, size_t cols, const congru_real *y, const congru_real *d, congru_real *g,
                 double *sum);

    /* sum (cols) += the rows of x (rows, cols), in order, in double precision; rows are `row` apart. */
    void (*add_rows)(size_t rows, size_t cols, const congru_real *x, size_t row, double *sum);

    /* y += bias, row by row: (rows, cols). */
    void (*shift)(size_t rows, size_t cols, const congru_real *bias, congru_real *y);

    /* sum (rows, cols) += x, whose rows are `row` apart, in double precision; cols is any number. */
    void (*collect)(size_t rows, size_t cols, const congru_real *x, size_t row, double *sum);

    /* Row r of y (rows, cols) from `window` rows of x from row r stride on: their sum times `scale`, in ascending order; or the
     * largest of each column. */
    void (*pool)(size_t rows, size_t cols, size_t window, size_t stride, congru_real scale,
                 const congru_real *x, congru_real *y);
    void (*largest)(size_t rows, size_t cols, size_t window, size_t stride, const congru_real *x,
                    congru_real *y);

    /* Adds d_y to d_x at the first place of each window where x is y, the largest of it. */
    void (*give_largest)(size_t rows, size_t cols, size_t window, size_t stride, const congru_real *x,
                         const congru_real *y, const congru_real *d_y, congru_real *d_x);

    /* A line of tiles of an image (lanes_tiles.c). The image's lines are `line` reals apart, its pixels `step`; `high` lines and
     * `wide` pixels of them are there, and what would be beyond is zero, or is not written. Entry e of 16 of tile t is at e plane
     * + t step. Windows: v = B^T x B; pixels: y = A^T m A, or max(0, y + bias) where there is a bias; spread: the adjoint of A^T m A. */
    void (*tile_windows)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *x, size_t line,
                         congru_real *v, size_t plane);
    void (*tile_pixels)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *m, size_t plane,
                        const congru_real *bias, congru_real *y, size_t line);
    void (*tile_spread)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *y, size_t line,
                        congru_real *m, size_t plane);

    /* p is -p where the mask is 0; and a = kept p where p > 0, else 0. */
    void (*leave)(size_t count, const congru_real *mask, congru_real *p);
    void (*keep)(size_t count, congru_real kept, const congru_real *p, congru_real *a);

    /* y = x P(x) with the normal distribution P, and the derivative of it. */
    void (*gelu)(size_t count, const congru_real *x, congru_real *y, congru_real *slope);
} congru_real_kernel;

#endif
