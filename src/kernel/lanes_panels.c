/* Products of one large matrix in panels, and the cross-entropy of classes along a line with trials in the lanes. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

/* A tile is TILE_ROWS rows of TILE_VECTORS vectors: as many sums as the tiles of lanes_product.c have, so that they fill the
 * registers. Every entry is one sum over the inner index in ascending order, whatever the tile it is in. */
enum {
    TILE_VECTORS = VEC_WIDTH == 1 ? 2 : 3,
    TILE_ROWS = VEC_TILE_ROWS * VEC_TILE_COLUMNS / TILE_VECTORS,
    TILE_COLUMNS = TILE_VECTORS * VEC_WIDTH,
    PASSES = CONGRU_GROUP / VEC_WIDTH
};

ALWAYS_INLINE void panel_tile(const int R, const bool subtract, size_t inner, const double *a,
                              size_t row_stride, size_t column_stride, const double *b, bool set, double *c,
                              size_t stride)
{
    vec sum[TILE_ROWS][TILE_VECTORS];
    for (int r = 0; r < R; r++)
        for (int v = 0; v < TILE_VECTORS; v++)
            sum[r][v] = set ? v_set(0.0) : v_load_unaligned(AT(c + (size_t)r * stride, v));
    for (size_t k = 0; k < inner; k++, a += column_stride, b += CONGRU_PANEL) {
        vec right[TILE_VECTORS];
        for (int v = 0; v < TILE_VECTORS; v++)
            right[v] = v_load(AT(b, v));
        for (int r = 0; r < R; r++) {
            vec left = v_set(a[(size_t)r * row_stride]);
            for (int v = 0; v < TILE_VECTORS; v++)
                sum[r][v] = subtract ? v_fnma(left, right[v], sum[r][v]) : v_fma(left, right[v], sum[r][v]);
        }
    }
    for (int r = 0; r < R; r++)
        for (int v = 0; v < TILE_VECTORS; v++)
            v_store_unaligned(AT(c + (size_t)r * stride, v), sum[r][v]);
}

ALWAYS_INLINE void panel_rows(const int R, size_t inner, const double *a, const congru_operand *shape,
                              const double *b, congru_panel_mode mode, double *c, size_t stride)
{
    for (size_t j = 0; j < CONGRU_PANEL; j += TILE_COLUMNS) {
        if (mode == CONGRU_PANEL_SUBTRACT)
            panel_tile(R, true, inner, a, shape->row_stride, shape->column_stride, b + j, false, c + j, stride);
        else
            panel_tile(R, false, inner, a, shape->row_stride, shape->column_stride, b + j,
                       mode == CONGRU_PANEL_SET, c + j, stride);
    }
}

void LANES(panel)(size_t rows, size_t inner, congru_operand a, const double *b, congru_panel_mode mode,
                  double *c, size_t stride)
{
    size_t i = 0;
    for (; i + TILE_ROWS <= rows; i += TILE_ROWS)
        panel_rows(TILE_ROWS, inner, a.data + i * a.row_stride, &a, b, mode, c + i * stride, stride);
    for (; i + 4 <= rows; i += 4)
        panel_rows(4, inner, a.data + i * a.row_stride, &a, b, mode, c + i * stride, stride);
    for (; i < rows; i++)
        panel_rows(1, inner, a.data + i * a.row_stride, &a, b, mode, c + i * stride, stride);
}

static double add_chains(const double chain[CONGRU_GROUP])
{
    return ((chain[0] + chain[4]) + (chain[2] + chain[6])) + ((chain[1] + chain[5]) + (chain[3] + chain[7]));
}

/* c[r][j] (+)= the sum over trials of r[r] times b[j], for R rows and J rows of the panels. */
ALWAYS_INLINE void sums_tile(const int R, const int J, size_t panels, const double *r, size_t stride,
                             const double *b, size_t step, bool add, double *c, size_t c_stride)
{
    alignas(64) double chain[16][CONGRU_GROUP];
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec sum[4][4];
        for (int i = 0; i < R; i++)
            for (int j = 0; j < J; j++)
                sum[i][j] = v_set(0.0);
        for (size_t p = 0; p < panels; p++)
            for (size_t t = pass * VEC_WIDTH; t < CONGRU_PANEL; t += CONGRU_GROUP) {
                vec value[4];
                for (int j = 0; j < J; j++)
                    value[j] = v_load(b + p * step + (size_t)j * CONGRU_PANEL + t);
                for (int i = 0; i < R; i++) {
                    vec factor = v_load(r + (size_t)i * stride + p * CONGRU_PANEL + t);
                    for (int j = 0; j < J; j++)
                        sum[i][j] = v_fma(factor, value[j], sum[i][j]);
                }
            }
        for (int i = 0; i < R; i++)
            for (int j = 0; j < J; j++)
                v_store(chain[i * J + j] + pass * VEC_WIDTH, sum[i][j]);
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < J; j++) {
            double *place = c + (size_t)i * c_stride + j;
            *place = (add ? *place : 0.0) + add_chains(chain[i * J + j]);
        }
}

ALWAYS_INLINE void sums_rows(const int R, size_t cols, size_t panels, const double *r, size_t stride,
                             const double *b, size_t step, bool add, double *c, size_t c_stride)
{
    size_t j = 0;
    for (; j + 3 <= cols; j += 3)
        sums_tile(R, 3, panels, r, stride, b + j * CONGRU_PANEL, step, add, c + j, c_stride);
    for (; j < cols; j++)
        sums_tile(R, 1, panels, r, stride, b + j * CONGRU_PANEL, step, add, c + j, c_stride);
}

void LANES(panel_sums)(size_t rows, size_t cols, size_t panels, const double *r, size_t stride, const double *b,
                       size_t step, bool add, double *c, size_t c_stride)
{
    size_t i = 0;
    for (; i + 4 <= rows; i += 4)
        sums_rows(4, cols, panels, r + i * stride, stride, b, step, add, c + i * c_stride, c_stride);
    for (; i < rows; i++)
        sums_rows(1, cols, panels, r + i * stride, stride, b, step, add, c + i * c_stride, c_stride);
}

double LANES(class_line)(size_t classes, size_t stride, const double *score, const double *along,
                         const double *label, const double *weight, double *slope, double *bends)
{
    alignas(64) double rise_chain[CONGRU_GROUP], bend_chain[CONGRU_GROUP];
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec rises = v_set(0.0), bent = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < stride; t += CONGRU_GROUP) {
            const vec own = v_load(label + t), counts = v_load(weight + t);
            vec largest = v_load(score + t), sum = v_set(0.0), mean = v_set(0.0), square = v_set(0.0);
            for (size_t k = 1; k < classes; k++) {
                vec x = v_load(score + k * stride + t);
                largest = v_select(v_lt(largest, x), x, largest);
            }
            for (size_t k = 0; k < classes; k++) {
                vec power = v_exp(v_sub(v_load(score + k * stride + t), largest));
                sum = v_add(sum, power);
                v_store(slope + k * stride + t, power);
            }
            const vec scale = v_div(v_set(1.0), sum);
            for (size_t k = 0; k < classes; k++) {
                const vec q = v_mul(v_load(slope + k * stride + t), scale),
                          direction = v_load(along + k * stride + t);
                const vec mine = v_select(v_eq(own, v_set((double)k)), v_set(1.0), v_set(0.0));
                const vec moved = v_mul(q, direction), down = v_mul(counts, v_sub(q, mine));
                mean = v_add(mean, moved);
                square = v_fma(moved, direction, square);
                rises = v_fma(down, direction, rises);
                v_store(slope + k * stride + t, down);
            }
            bent = v_fma(counts, v_sub(square, v_mul(mean, mean)), bent);
        }
        v_store(rise_chain + pass * VEC_WIDTH, rises);
        v_store(bend_chain + pass * VEC_WIDTH, bent);
    }
    *bends = add_chains(bend_chain);
    return add_chains(rise_chain);
}

double LANES(inner)(size_t count, const double *x, const double *y)
{
    alignas(64) double chain[CONGRU_GROUP];
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec sum = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < count; t += CONGRU_GROUP)
            sum = v_fma(v_load(x + t), v_load(y + t), sum);
        v_store(chain + pass * VEC_WIDTH, sum);
    }
    return add_chains(chain);
}
