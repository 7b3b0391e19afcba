/* Products, Cholesky factors and triangular solves of small matrices, in lanes. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

/* Every entry of a product is one sum over the inner index in ascending order, whatever the tile it is in, so
 * the bits do not depend on the tile shape of the instruction set. */

ALWAYS_INLINE vec operand_at(const bool shared, const double *data, size_t index)
{
    return shared ? v_set(data[index]) : v_load(AT(data, index));
}

/* One R x C tile of C at (i, j), in registers. */
ALWAYS_INLINE void tile(const int R, const int C, const bool a_shared, const bool b_shared, size_t i, size_t j,
                        size_t cols, size_t inner, const congru_operand *a, const congru_operand *b,
                        congru_product_mode mode, double *c)
{
    const bool add = mode == CONGRU_PRODUCT_ADD || mode == CONGRU_PRODUCT_SYMMETRIC_ADD;
    const bool symmetric = mode == CONGRU_PRODUCT_SYMMETRIC || mode == CONGRU_PRODUCT_SYMMETRIC_ADD;
    vec sum[VEC_TILE_ROWS][VEC_TILE_COLUMNS];
    for (int r = 0; r < R; r++) {
        for (int s = 0; s < C; s++)
            sum[r][s] = add ? v_load(AT(c, (i + (size_t)r) * cols + j + (size_t)s)) : v_set(0.0);
    }
    for (size_t k = 0; k < inner; k++) {
        vec left[VEC_TILE_ROWS];
        for (int r = 0; r < R; r++)
            left[r] = operand_at(a_shared, a->data, (i + (size_t)r) * a->row_stride + k * a->column_stride);
        for (int s = 0; s < C; s++) {
            vec right = operand_at(b_shared, b->data, k * b->row_stride + (j + (size_t)s) * b->column_stride);
            for (int r = 0; r < R; r++)
                sum[r][s] = v_fma(left[r], right, sum[r][s]);
        }
    }
    for (int r = 0; r < R; r++) {
        for (int s = 0; s < C; s++) {
            size_t row = i + (size_t)r, column = j + (size_t)s;
            if (symmetric && column > row)
                continue;
            v_store(AT(c, row * cols + column), sum[r][s]);
            if (symmetric)
                v_store(AT(c, column * cols + row), sum[r][s]);
        }
    }
}

/* The next part of a side of which `left` are left: as large as a tile allows, but the last two nearly equal, since a
 * narrow tile leaves the multipliers waiting for its few sums. */
static size_t next_part(size_t left, size_t most)
{
    if (left <= most)
        return left;
    return left < 2 * most ? (left + 1) / 2 : most;
}

/* A strip of R rows. */
ALWAYS_INLINE void strip(const int R, const bool a_shared, const bool b_shared, size_t i, size_t cols,
                         size_t inner, const congru_operand *a, const congru_operand *b,
                         congru_product_mode mode, double *c)
{
    const bool symmetric = mode == CONGRU_PRODUCT_SYMMETRIC || mode == CONGRU_PRODUCT_SYMMETRIC_ADD;
    const size_t end = symmetric ? lanes_least(i + (size_t)R, cols) : cols;
    for (size_t j = 0, width; j < end; j += width) {
        width = next_part(end - j, VEC_TILE_COLUMNS);
        switch (width) {
#define TILE_CASE(C) \
    case C: \
        tile(R, C, a_shared, b_shared, i, j, cols, inner, a, b, mode, c); \
        break
            TILE_CASE(1);
            TILE_CASE(2);
            TILE_CASE(3);
            TILE_CASE(4);
#if VEC_TILE_COLUMNS > 4
            TILE_CASE(5);
            TILE_CASE(6);
#endif
#undef TILE_CASE
        }
    }
}

ALWAYS_INLINE void one_product(const bool a_shared, const bool b_shared, size_t rows, size_t cols, size_t inner,
                               const congru_operand *a, const congru_operand *b, congru_product_mode mode,
                               double *c)
{
    for (size_t i = 0, height; i < rows; i += height) {
        height = next_part(rows - i, VEC_TILE_ROWS);
        switch (height) {
#define STRIP_CASE(R) \
    case R: \
        strip(R, a_shared, b_shared, i, cols, inner, a, b, mode, c); \
        break
            STRIP_CASE(1);
            STRIP_CASE(2);
#if VEC_TILE_ROWS > 2
            STRIP_CASE(3);
#endif
#if VEC_TILE_ROWS > 3
            STRIP_CASE(4);
#endif
#undef STRIP_CASE
        }
    }
}

void LANES(product)(size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a, congru_operand b,
                    congru_product_mode mode, double *c)
{
    for (size_t v = 0; v < vectors; v++) {
        if (a.shared)
            one_product(true, false, rows, cols, inner, &a, &b, mode, c);
        else if (b.shared)
            one_product(false, true, rows, cols, inner, &a, &b, mode, c);
        else
            one_product(false, false, rows, cols, inner, &a, &b, mode, c);
        a.data += a.shared ? 0 : rows * inner * VEC_WIDTH;
        b.data += b.shared ? 0 : inner * cols * VEC_WIDTH;
        c += rows * cols * VEC_WIDTH;
    }
}

/* Column j of the factor, for R rows from i on. */
ALWAYS_INLINE void cholesky_rows(const int R, size_t d, size_t j, size_t i, vec inverse, double *a)
{
    vec sum[4];
    for (int r = 0; r < R; r++)
        sum[r] = v_load(AT(a, (i + (size_t)r) * d + j));
    for (size_t k = 0; k < j; k++) {
        vec other = v_load(AT(a, j * d + k));
        for (int r = 0; r < R; r++)
            sum[r] = v_fnma(v_load(AT(a, (i + (size_t)r) * d + k)), other, sum[r]);
    }
    for (int r = 0; r < R; r++)
        v_store(AT(a, (i + (size_t)r) * d + j), v_mul(sum[r], inverse));
}

void LANES(cholesky)(size_t vectors, size_t d, double *a)
{
    for (size_t v = 0; v < vectors; v++, a += d * d * VEC_WIDTH) {
        for (size_t j = 0; j < d; j++) {
            cholesky_rows(1, d, j, j, v_set(1.0), a);
            vec pivot = v_load(AT(a, j * (d + 1)));
            pivot = v_sqrt(v_select(v_lt(v_set(0.0), pivot), pivot, v_set(NAN)));
            v_store(AT(a, j * (d + 1)), pivot);
            vec inverse = v_div(v_set(1.0), pivot);
            size_t i = j + 1;
            for (; i + 4 <= d; i += 4)
                cholesky_rows(4, d, j, i, inverse, a);
            for (; i < d; i++)
                cholesky_rows(1, d, j, i, inverse, a);
            for (size_t k = j + 1; k < d; k++)
                v_store(AT(a, j * d + k), v_set(0.0));
        }
    }
}

/* C columns of X = L^-1 B from `column` on. */
ALWAYS_INLINE void solve_columns(const int C, const bool shared, size_t d, size_t cols, size_t column,
                                 const congru_operand *l, double *b)
{
    for (size_t i = 0; i < d; i++) {
        vec sum[4];
        for (int c = 0; c < C; c++)
            sum[c] = v_load(AT(b, i * cols + column + (size_t)c));
        for (size_t k = 0; k < i; k++) {
            vec factor = operand_at(shared, l->data, i * l->row_stride + k * l->column_stride);
            for (int c = 0; c < C; c++)
                sum[c] = v_fnma(factor, v_load(AT(b, k * cols + column + (size_t)c)), sum[c]);
        }
        vec pivot = operand_at(shared, l->data, i * l->row_stride + i * l->column_stride);
        for (int c = 0; c < C; c++)
            v_store(AT(b, i * cols + column + (size_t)c), v_div(sum[c], pivot));
    }
}

ALWAYS_INLINE void one_solve(const bool shared, size_t d, size_t cols, const congru_operand *l, double *b)
{
    size_t column = 0;
    for (; column + 4 <= cols; column += 4)
        solve_columns(4, shared, d, cols, column, l, b);
    for (; column < cols; column++)
        solve_columns(1, shared, d, cols, column, l, b);
}

void LANES(solve_lower)(size_t vectors, size_t d, size_t cols, congru_operand l, double *b)
{
    for (size_t v = 0; v < vectors; v++, b += d * cols * VEC_WIDTH) {
        if (l.shared) {
            one_solve(true, d, cols, &l, b);
        } else {
            one_solve(false, d, cols, &l, b);
            l.data += d * d * VEC_WIDTH;
        }
    }
}
