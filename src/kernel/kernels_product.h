/* Matrices into lanes and back, their products and sums. SPDX-License-Identifier: Apache-2.0 */
/* A part of the list in kernel/kernels.h. */

/* (n, rows, cols) plain -> vectors, and back. n is at most vectors * width. */
KERNEL(void, pack, (size_t vectors, size_t n, size_t rows, size_t cols, const double *plain, double *lanes))
KERNEL(void, unpack, (size_t vectors, size_t n, size_t rows, size_t cols, const double *lanes, double *plain))

/* C (rows, cols) = A (rows, inner) B (inner, cols). C is not A or B. */
KERNEL(void, product,
       (size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a, congru_operand b,
        congru_product_mode mode, double *c))

/* y[i] *= x[i]; y[i] = alpha x[i] + beta y[i]; over `count` doubles, a multiple of width. */
KERNEL(void, multiply, (size_t count, const double *x, double *y))
KERNEL(void, combine, (size_t count, double alpha, const double *x, double beta, double *y))

/* For each lane, the sum of squares of `count` elements per matrix: out (vectors, width). */
KERNEL(void, sum_squares, (size_t vectors, size_t count, const double *x, double *out))

/* lanes (vectors, size): the plain matrices of `size` doubles with these vectors * width indices. */
KERNEL(void, gather, (size_t vectors, size_t size, const double *plain, const size_t *index, double *lanes))

/* Every lane the same: lanes (vectors, size) of plain (size). */
KERNEL(void, spread, (size_t vectors, size_t size, const double *plain, double *lanes))

/* For each lane the inner product of `count` elements: out (vectors, width). Of each column of x (rows, cols) with
 * that of the plain w: out (vectors, cols). */
KERNEL(void, dots, (size_t vectors, size_t count, const double *x, const double *y, double *out))
KERNEL(void, column_dots,
       (size_t vectors, size_t rows, size_t cols, const double *w, const double *x, double *out))
