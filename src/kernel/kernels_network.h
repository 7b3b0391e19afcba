/* What the training of networks and of logistic regression sums. SPDX-License-Identifier: Apache-2.0 */
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

/* The weighted softmax cross-entropy of a block with the weights w (rows, features), returned; its derivative is
 * added to gradient (rows, features). Sums over trials as in gram. `work`: (rows, CONGRU_LOGISTIC_BLOCK). */
KERNEL(double, logistic, (const congru_logistic_block *block, const double *w, double *work, double *gradient))

/* One step of Adam for `count` parameters; none of the arrays is aligned. */
KERNEL(void, adam,
       (size_t count, const congru_adam_move *move, const double *gradient, double *first, double *second,
        double *value))

/* c (rows, CONGRU_PANEL), a row every `stride` doubles, = A b, or += or -=: A (rows, inner) as its strides say, b
 * (inner, CONGRU_PANEL), aligned. Each entry is one chain of fma over the inner index in ascending order. */
KERNEL(void, panel,
       (size_t rows, size_t inner, congru_operand a, const double *b, congru_panel_mode mode, double *c,
        size_t stride))

/* residual (classes, stride) = weight * (dual + c * (softmax(score) - whether it is the trial's class)); returns c
 * times the sum of weight * cross-entropy. label and weight (stride), a multiple of CONGRU_GROUP; sums over trials,
 * here and in `inner`, the sum of x y, are those of gram. All are aligned. */
KERNEL(double, ridge_residual,
       (size_t classes, size_t stride, const double *score, const double *dual, const double *label,
        const double *weight, double c, double *residual))
KERNEL(double, inner, (size_t count, const double *x, const double *y))
