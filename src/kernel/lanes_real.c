/* Products of plain arrays of reals: windows of signals and images with filters, channels in lanes. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernel/lanes_table.h"
#include "kernel/vec_real.h"

/* The next part of a side of which `left` are left: the last two nearly equal, so that no tile is narrow. */
static size_t next_part(size_t left, size_t most)
{
    if (left <= most)
        return left;
    return left < 2 * most ? (left + 1) / 2 : most;
}

/* ---- Products -------------------------------------------------------------------------------------------- */

typedef struct product {
    size_t blocks, inner;
    congru_window a, b;
    bool add;
    size_t c_row;
} product;

/* R rows and V vectors of columns, in registers. */
ALWAYS_INLINE void tile(const int R, const int V, const product *p, const congru_real *a, const congru_real *b,
                        congru_real *c)
{
    rvec sum[12][4];
    for (int r = 0; r < R; r++) {
        for (int v = 0; v < V; v++)
            sum[r][v] = p->add ? r_load(c + (size_t)r * p->c_row + (size_t)v * REAL_WIDTH) : r_set(0);
    }
    for (size_t block = 0; block < p->blocks; block++) {
        const congru_real *left = a + block * p->a.block, *right = b + block * p->b.block;
        for (size_t i = 0; i < p->inner; i++, left += p->a.inner, right += p->b.inner) {
            rvec column[4];
            for (int v = 0; v < V; v++)
                column[v] = r_load(right + v * REAL_WIDTH);
            for (int r = 0; r < R; r++) {
                const rvec row = r_set(left[(size_t)r * p->a.row]);
                for (int v = 0; v < V; v++)
                    sum[r][v] = r_fma(row, column[v], sum[r][v]);
            }
        }
    }
    for (int r = 0; r < R; r++) {
        for (int v = 0; v < V; v++)
            r_store(c + (size_t)r * p->c_row + (size_t)v * REAL_WIDTH, sum[r][v]);
    }
}

/* All rows of V vectors of columns. */
#define STRIP(V) \
    static void strip_##V(size_t rows, const product *p, const congru_real *a, const congru_real *b, \
                          congru_real *c) \
    { \
        for (size_t i = 0, height; i < rows; i += height) { \
            height = next_part(rows - i, REAL_ROWS(V)); \
            const congru_real *from = a + i * p->a.row; \
            congru_real *to = c + i * p->c_row; \
            switch (height) { \
                ROWS(V) \
            } \
        } \
    }
#define ROW(R, V) \
    case R: \
        if (R <= REAL_ROWS(V)) \
            tile(R <= REAL_ROWS(V) ? R : 1, V, p, from, b, to); \
        break;
#define ROWS(V) \
    ROW(1, V) \
    ROW(2, V) \
    ROW(3, V) ROW(4, V) ROW(5, V) ROW(6, V) ROW(7, V) ROW(8, V) ROW(9, V) ROW(10, V) ROW(11, V) ROW(12, V)

STRIP(1)
STRIP(2)
#if REAL_TILE > 2
STRIP(3)
#endif
#if REAL_TILE > 3
STRIP(4)
#endif

/* Columns that fill up the last step: nothing is added up for them. */
static void clear_rest(size_t rows, size_t cols, congru_real *c, size_t c_row)
{
    const size_t rest = congru_real_step(cols) - cols;
    for (size_t r = 0; rest > 0 && r < rows; r++)
        memset(c + r * c_row + cols, 0, rest * sizeof *c);
}

static void real_product(size_t rows, size_t cols, size_t blocks, size_t inner, congru_window a,
                         congru_window b, bool add, congru_real *c, size_t c_row)
{
    const product p = {blocks, inner, a, b, add, c_row};
    const size_t end = (cols + REAL_WIDTH - 1) / REAL_WIDTH * REAL_WIDTH;
    for (size_t j = 0, vectors; j < end; j += vectors * REAL_WIDTH) {
        vectors = next_part((end - j) / REAL_WIDTH, REAL_TILE);
        switch (vectors) {
        case 1:
            strip_1(rows, &p, a.data, b.data + j, c + j);
            break;
        case 2:
            strip_2(rows, &p, a.data, b.data + j, c + j);
            break;
#if REAL_TILE > 2
        case 3:
            strip_3(rows, &p, a.data, b.data + j, c + j);
            break;
#endif
#if REAL_TILE > 3
        case 4:
            strip_4(rows, &p, a.data, b.data + j, c + j);
            break;
#endif
        }
    }
    if (!add)
        clear_rest(rows, end, c, c_row);
}

static void real_products(size_t count, size_t rows, size_t cols, size_t inner, congru_window a,
                          congru_window b, bool add, congru_real *c)
{
    for (size_t k = 0; k < count; k++, a.data += a.block, b.data += b.block, c += rows * cols)
        real_product(rows, cols, 1, inner, a, b, add, c, cols);
}

/* ---- By channel ------------------------------------------------------------------------------------------ */

/* R rows of one vector of channels. */
ALWAYS_INLINE void channel_rows(const int R, size_t inner, const congru_window *a, const congru_window *b,
                                const congru_real *left, const congru_real *right, congru_real *c, size_t c_row)
{
    rvec sum[8];
    for (int r = 0; r < R; r++)
        sum[r] = r_set(0);
    for (size_t i = 0; i < inner; i++) {
        for (int r = 0; r < R; r++)
            sum[r] = r_fma(r_load(left + i * a->inner + (size_t)r * a->row),
                           r_load(right + i * b->inner + (size_t)r * b->row), sum[r]);
    }
    for (int r = 0; r < R; r++)
        r_store(c + (size_t)r * c_row, sum[r]);
}

/* The same with a right side that all rows share. */
ALWAYS_INLINE void shared_rows(const int R, size_t inner, const congru_window *a, const congru_window *b,
                               const congru_real *left, const congru_real *right, congru_real *c, size_t c_row)
{
    rvec sum[12];
    for (int r = 0; r < R; r++)
        sum[r] = r_set(0);
    for (size_t i = 0; i < inner; i++) {
        const rvec factor = r_load(right + i * b->inner);
        for (int r = 0; r < R; r++)
            sum[r] = r_fma(r_load(left + i * a->inner + (size_t)r * a->row), factor, sum[r]);
    }
    for (int r = 0; r < R; r++)
        r_store(c + (size_t)r * c_row, sum[r]);
}

static void shared_by_channel(size_t rows, size_t cols, size_t inner, congru_window a, congru_window b,
                              congru_real *c, size_t c_row)
{
    for (size_t j = 0; j < cols; j += REAL_WIDTH) {
        size_t i = 0;
        for (; i + 12 <= rows; i += 12)
            shared_rows(12, inner, &a, &b, a.data + i * a.row + j, b.data + j, c + i * c_row + j, c_row);
        for (; i + 4 <= rows; i += 4)
            shared_rows(4, inner, &a, &b, a.data + i * a.row + j, b.data + j, c + i * c_row + j, c_row);
        for (; i < rows; i++)
            shared_rows(1, inner, &a, &b, a.data + i * a.row + j, b.data + j, c + i * c_row + j, c_row);
    }
}

static void real_by_channel(size_t rows, size_t cols, size_t inner, congru_window a, congru_window b,
                            congru_real *c, size_t c_row)
{
    if (b.row == 0) {
        shared_by_channel(rows, cols, inner, a, b, c, c_row);
        return;
    }
    for (size_t j = 0; j < cols; j += REAL_WIDTH) {
        size_t i = 0;
        for (; i + 8 <= rows; i += 8)
            channel_rows(8, inner, &a, &b, a.data + i * a.row + j, b.data + i * b.row + j, c + i * c_row + j,
                         c_row);
        for (; i < rows; i++)
            channel_rows(1, inner, &a, &b, a.data + i * a.row + j, b.data + i * b.row + j, c + i * c_row + j,
                         c_row);
    }
}

/* ---- Vectors --------------------------------------------------------------------------------------------- */

/* K rows of w with R vectors: chain k of a sum is lane k of CHAIN_VECTORS vectors. Where a sum is one vector there are registers
 * for several rows, so that the vectors are read once for them. */
enum {
    CHAINS = CONGRU_REAL_STEP,
    CHAIN_VECTORS = CHAINS / REAL_WIDTH,
    TOGETHER = 4,
    BESIDE = CHAIN_VECTORS == 1 ? 4 : 1
};

ALWAYS_INLINE void dot_rows(const int R, const int K, size_t size, const congru_real *x, size_t stride,
                            const congru_real *w, double *out, size_t rows)
{
    rvec sum[TOGETHER][BESIDE][CHAIN_VECTORS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < K; k++) {
            for (int v = 0; v < CHAIN_VECTORS; v++)
                sum[r][k][v] = r_set(0);
        }
    }
    for (size_t e = 0; e < size; e += CHAINS) {
        for (int v = 0; v < CHAIN_VECTORS; v++) {
            const size_t at = e + (size_t)v * REAL_WIDTH;
            rvec weight[BESIDE];
            for (int k = 0; k < K; k++)
                weight[k] = r_load(w + (size_t)k * size + at);
            for (int r = 0; r < R; r++) {
                const rvec own = r_load(x + (size_t)r * stride + at);
                for (int k = 0; k < K; k++)
                    sum[r][k][v] = r_fma(weight[k], own, sum[r][k][v]);
            }
        }
    }
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < K; k++) {
            congru_real chain[CHAINS];
            double total = 0.0;
            for (int v = 0; v < CHAIN_VECTORS; v++)
                r_store(chain + v * REAL_WIDTH, sum[r][k][v]);
            for (int c = 0; c < CHAINS; c++)
                total += (double)chain[c];
            out[(size_t)r * rows + (size_t)k] = total;
        }
    }
}

#define DOT_ROWS(R) \
    for (k = 0; k + BESIDE <= rows; k += BESIDE) \
        dot_rows(R, BESIDE, size, x + m * stride, stride, w + k * size, out + m * rows + k, rows); \
    for (; k < rows; k++) \
        dot_rows(R, 1, size, x + m * stride, stride, w + k * size, out + m * rows + k, rows);

static void real_dots(size_t count, size_t rows, size_t size, const congru_real *x, size_t stride,
                      const congru_real *w, double *out)
{
    size_t m = 0, k;
    for (; m + TOGETHER <= count; m += TOGETHER) {
        DOT_ROWS(TOGETHER)
    }
    for (; m < count; m++) {
        DOT_ROWS(1)
    }
}

/* R rows of the sum, ACROSS vectors of elements from e on: as much of a vector x as one line of the cache holds. */
enum { ACROSS = 2 * VEC_WIDTH <= CONGRU_REAL_STEP ? 2 : 1 };

ALWAYS_INLINE void outer_rows(const int R, size_t count, size_t rows, size_t size, const congru_real *x,
                              size_t stride, const double *y, double *sum)
{
    vec total[TOGETHER][ACROSS];
    for (int r = 0; r < R; r++) {
        for (int v = 0; v < ACROSS; v++)
            total[r][v] = v_set(0.0);
    }
    for (size_t m = 0; m < count; m++) {
        for (int v = 0; v < ACROSS; v++) {
            const vec value = r_widen(x + m * stride + v * VEC_WIDTH);
            for (int r = 0; r < R; r++)
                total[r][v] = v_fma(v_set(y[m * rows + (size_t)r]), value, total[r][v]);
        }
    }
    for (int r = 0; r < R; r++) {
        for (int v = 0; v < ACROSS; v++)
            v_store_unaligned(sum + (size_t)r * size + v * VEC_WIDTH, total[r][v]);
    }
}

static void real_outer(size_t count, size_t rows, size_t size, const congru_real *x, size_t stride,
                       const double *y, double *sum)
{
    for (size_t e = 0; e < size; e += ACROSS * VEC_WIDTH) {
        size_t k = 0;
        for (; k + TOGETHER <= rows; k += TOGETHER)
            outer_rows(TOGETHER, count, rows, size, x + e, stride, y + k, sum + k * size + e);
        for (; k < rows; k++)
            outer_rows(1, count, rows, size, x + e, stride, y + k, sum + k * size + e);
    }
}

const congru_real_kernel LANES(real_table) = {
    .product = real_product,
    .products = real_products,
    .by_channel = real_by_channel,
    .dots = real_dots,
    .outer = real_outer,
    .elu = LANES(real_elu),
    .elu_slope = LANES(real_elu_slope),
    .rectify = LANES(real_rectify),
    .gate = LANES(real_gate),
    .add_rows = LANES(real_add_rows),
    .gelu = LANES(real_gelu),
    .multiply = LANES(real_multiply),
    .add = LANES(real_add),
    .stretch = LANES(real_stretch),
    .tally = LANES(real_tally),
    .soften = LANES(real_soften),
    .unsoften = LANES(real_unsoften),
    .draw = LANES(real_draw),
    .shift = LANES(real_shift),
    .collect = LANES(real_collect),
    .pool = LANES(real_pool),
    .largest = LANES(real_largest),
    .give_largest = LANES(real_give_largest),
    .tile_windows = LANES(real_tile_windows),
    .tile_pixels = LANES(real_tile_pixels),
    .tile_spread = LANES(real_tile_spread),
    .leave = LANES(real_leave),
    .keep = LANES(real_keep),
};
