/* Tiles of images for 3x3 convolutions by Winograd's F(2x2, 3x3). SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"
#include "kernel/vec_real.h"

/* A tile is 2x2 pixels of the output, whose window has 4x4 pixels. With
 *
 *     B^T = ( 1  0 -1  0 )    A^T = ( 1  1  1  0 )
 *           ( 0  1  1  0 )          ( 0  1 -1 -1 )
 *           ( 0 -1  1  0 )
 *           ( 0  1  0 -1 )
 *
 * y = A^T (G w G^T . B^T x B) A: nine multiplications a pixel become four. Factors of 1/2 are all in G, on the weights. */

static void window_column(const rvec x[4], rvec v[4])
{
    v[0] = r_sub(x[0], x[2]);
    v[1] = r_add(x[1], x[2]);
    v[2] = r_sub(x[2], x[1]);
    v[3] = r_sub(x[1], x[3]);
}

static void pixel_column(const rvec m[4], rvec y[2])
{
    y[0] = r_add(m[0], r_add(m[1], m[2]));
    y[1] = r_sub(r_sub(m[1], m[2]), m[3]);
}

static void spread_column(const rvec y[2], rvec m[4])
{
    m[0] = y[0];
    m[1] = r_add(y[0], y[1]);
    m[2] = r_sub(y[0], y[1]);
    m[3] = r_sub(r_set(0), y[1]);
}

/* One tile; `whole`: all of its window is there. */
ALWAYS_INLINE void one_window(const bool whole, size_t high, size_t wide, size_t step, const congru_real *x,
                              size_t line, congru_real *v, size_t plane)
{
    rvec half[4][4];
    for (size_t j = 0; j < 4; j++) {
        rvec column[4], turned[4];
        for (size_t i = 0; i < 4; i++)
            column[i] = whole || (i < high && j < wide) ? r_load(x + i * line + j * step) : r_set(0);
        window_column(column, turned);
        for (size_t i = 0; i < 4; i++)
            half[i][j] = turned[i];
    }
    for (size_t i = 0; i < 4; i++) {
        rvec out[4];
        window_column(half[i], out);
        for (size_t j = 0; j < 4; j++)
            r_store(v + (i * 4 + j) * plane, out[j]);
    }
}

void LANES(real_tile_windows)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *x,
                              size_t line, congru_real *v, size_t plane)
{
    for (size_t t = 0; t < tiles; t++, x += 2 * step, v += step) {
        for (size_t c = 0; c < step; c += REAL_WIDTH) {
            if (high >= 4 && 2 * t + 4 <= wide)
                one_window(true, 4, 4, step, x + c, line, v + c, plane);
            else
                one_window(false, high, wide - 2 * t, step, x + c, line, v + c, plane);
        }
    }
}

void LANES(real_tile_pixels)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *m,
                             size_t plane, congru_real *y, size_t line)
{
    for (size_t t = 0; t < tiles; t++) {
        for (size_t c = 0; c < step; c += REAL_WIDTH) {
            rvec half[2][4];
            for (size_t j = 0; j < 4; j++) {
                rvec column[4], turned[2];
                for (size_t i = 0; i < 4; i++)
                    column[i] = r_load(m + (i * 4 + j) * plane + t * step + c);
                pixel_column(column, turned);
                half[0][j] = turned[0];
                half[1][j] = turned[1];
            }
            for (size_t i = 0; i < 2 && i < high; i++) {
                rvec out[2];
                pixel_column(half[i], out);
                for (size_t j = 0; j < 2 && 2 * t + j < wide; j++)
                    r_store(y + i * line + (2 * t + j) * step + c, out[j]);
            }
        }
    }
}

void LANES(real_tile_spread)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *y,
                             size_t line, congru_real *m, size_t plane)
{
    for (size_t t = 0; t < tiles; t++) {
        for (size_t c = 0; c < step; c += REAL_WIDTH) {
            rvec half[4][2];
            for (size_t j = 0; j < 2; j++) {
                rvec column[2], turned[4];
                for (size_t i = 0; i < 2; i++)
                    column[i] =
                        i < high && 2 * t + j < wide ? r_load(y + i * line + (2 * t + j) * step + c) : r_set(0);
                spread_column(column, turned);
                for (size_t i = 0; i < 4; i++)
                    half[i][j] = turned[i];
            }
            for (size_t i = 0; i < 4; i++) {
                rvec out[4];
                spread_column(half[i], out);
                for (size_t j = 0; j < 4; j++)
                    r_store(m + (i * 4 + j) * plane + t * step + c, out[j]);
            }
        }
    }
}
