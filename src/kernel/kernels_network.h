/* What the training of networks and of logistic regression computes. SPDX-License-Identifier: Apache-2.0 */
/* A part of the list in kernel/kernels.h. */

/* row (vectors, stride): the upper triangle of the symmetric s (d, d), row by row, off-diagonals times sqrt 2, and
 * zeros to its end; and its inverse, which is its adjoint. */
KERNEL(void, triangle, (size_t vectors, size_t d, size_t stride, const double *s, double *row))
KERNEL(void, untriangle, (size_t vectors, size_t d, size_t stride, const double *row, double *s))

/* Sums over matrices in CONGRU_GROUP chains (CONGRU_GROUP / width vectors), matrix m in chain m % CONGRU_GROUP: of x
 * (rows, cols) with column a times g[a], of products per lane, of x (size) itself. fold adds the chains as
 * ((0+4)+(2+6))+((1+5)+(3+7)): sum (size), plain. */
KERNEL(void, add_columns,
       (size_t vectors, size_t rows, size_t cols, const double *x, const double *g, double *chains))
KERNEL(void, add_product,
       (size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a, congru_operand b,
        double *chains))
KERNEL(void, add_lanes, (size_t vectors, size_t size, const double *x, double *chains))
KERNEL(void, fold, (size_t size, const double *chains, double *sum))

/* Plain c (rows, cols) = A b, or += where `add`: A (rows, inner) as its strides say, b (inner, cols) row-major; c is
 * neither. Each entry is one sum over the inner index in ascending order. */
KERNEL(void, dense,
       (size_t rows, size_t cols, size_t inner, congru_operand a, const double *b, bool add, double *c))

/* One step of Adam for `count` parameters; none of the arrays is aligned. */
KERNEL(void, adam,
       (size_t count, const congru_adam_move *move, const double *gradient, double *first, double *second,
        double *value))

/* c (rows, CONGRU_PANEL), a row every `stride` doubles, = A b, or += or -=: A (rows, inner) as its strides say, b
 * (inner, CONGRU_PANEL), aligned. Each entry is one chain of fma over the inner index in ascending order. */
KERNEL(void, panel,
       (size_t rows, size_t inner, congru_operand a, const double *b, congru_panel_mode mode, double *c,
        size_t stride))

/* The other way round, c (rows, cols), a row every `c_stride` doubles: = or += the sums over trials of r (rows, trials), a row
 * every `stride` doubles, times the rows of b, which is `panels` panels of (cols, CONGRU_PANEL) one every `step` doubles. Sums over
 * trials, here and in `inner`, the sum of x y, are those of gram. r, b and x and y are aligned. */
KERNEL(void, panel_sums,
       (size_t rows, size_t cols, size_t panels, const double *r, size_t stride, const double *b, size_t step,
        bool add, double *c, size_t c_stride))
KERNEL(double, inner, (size_t count, const double *x, const double *y))

/* slope (classes, stride) = weight * (softmax(score) - whether it is the trial's class), the derivative of the sum of weight *
 * cross-entropy by the scores; returned is that along a direction, and the second is *bends. label and weight (stride), a
 * multiple of CONGRU_GROUP; all are aligned. */
KERNEL(double, class_line,
       (size_t classes, size_t stride, const double *score, const double *along, const double *label,
        const double *weight, double *slope, double *bends))
