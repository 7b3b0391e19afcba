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

/* The four or, of pixels, two numbers of a column or a row of a tile. */
typedef struct column {
    rvec at[4];
} column;

ALWAYS_INLINE column window_column(column x)
{
    return (column){
        {r_sub(x.at[0], x.at[2]), r_add(x.at[1], x.at[2]), r_sub(x.at[2], x.at[1]), r_sub(x.at[1], x.at[3])}};
}

ALWAYS_INLINE column pixel_column(column m)
{
    return (column){{r_add(m.at[0], r_add(m.at[1], m.at[2])), r_sub(r_sub(m.at[1], m.at[2]), m.at[3])}};
}

ALWAYS_INLINE column spread_column(column y)
{
    return (column){{y.at[0], r_add(y.at[0], y.at[1]), r_sub(y.at[0], y.at[1]), r_sub(r_set(0), y.at[1])}};
}

/* B^T times a column of four pixels; `whole`: all of them are there. */
ALWAYS_INLINE column load_column(const bool whole, size_t high, const congru_real *x, size_t line)
{
    column own;
    for (size_t i = 0; i < 4; i++)
        own.at[i] = whole || i < high ? r_load(x + i * line) : r_set(0);
    return window_column(own);
}

/* Rows of four entries, from B^T times the columns of a window. */
ALWAYS_INLINE void store_window(const column c[4], congru_real *v, size_t plane)
{
    for (size_t i = 0; i < 4; i++, v += 4 * plane) {
        const column out = window_column((column){{c[0].at[i], c[1].at[i], c[2].at[i], c[3].at[i]}});
        for (size_t j = 0; j < 4; j++)
            r_store(v + j * plane, out.at[j]);
    }
}

ALWAYS_INLINE void one_window(const bool whole, size_t high, size_t wide, size_t step, const congru_real *x,
                              size_t line, congru_real *v, size_t plane)
{
    const column none = {{r_set(0), r_set(0), r_set(0), r_set(0)}};
    column own[4];
    for (size_t j = 0; j < 4; j++)
        own[j] = whole || j < wide ? load_column(whole, high, x + j * step, line) : none;
    store_window(own, v, plane);
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

/* One tile; `rectified`: with the bias and ReLU. */
ALWAYS_INLINE void one_pixels(const bool rectified, size_t step, size_t high, size_t wide, const congru_real *m,
                              size_t plane, rvec bias, congru_real *y, size_t line)
{
    column half[2];
    for (size_t j = 0; j < 4; j++) {
        column own;
        for (size_t i = 0; i < 4; i++)
            own.at[i] = r_load(m + (i * 4 + j) * plane);
        own = pixel_column(own);
        half[0].at[j] = own.at[0];
        half[1].at[j] = own.at[1];
    }
    for (size_t i = 0; i < 2 && i < high; i++) {
        const column out = pixel_column(half[i]);
        for (size_t j = 0; j < 2 && j < wide; j++) {
            const rvec z = rectified ? r_add(out.at[j], bias) : out.at[j];
            r_store(y + i * line + j * step, rectified ? r_where(z, z, r_set(0)) : z);
        }
    }
}

void LANES(real_tile_pixels)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *m,
                             size_t plane, const congru_real *bias, congru_real *y, size_t line)
{
    for (size_t t = 0; t < tiles; t++) {
        for (size_t c = 0; c < step; c += REAL_WIDTH) {
            const congru_real *from = m + t * step + c;
            congru_real *to = y + 2 * t * step + c;
            if (bias != NULL)
                one_pixels(true, step, high, wide - 2 * t, from, plane, r_load(bias + c), to, line);
            else
                one_pixels(false, step, high, wide - 2 * t, from, plane, r_set(0), to, line);
        }
    }
}

void LANES(real_tile_spread)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *y,
                             size_t line, congru_real *m, size_t plane)
{
    for (size_t t = 0; t < tiles; t++) {
        for (size_t c = 0; c < step; c += REAL_WIDTH) {
            column half[4];
            for (size_t j = 0; j < 2; j++) {
                column own;
                for (size_t i = 0; i < 2; i++)
                    own.at[i] =
                        i < high && 2 * t + j < wide ? r_load(y + i * line + (2 * t + j) * step + c) : r_set(0);
                own = spread_column(own);
                for (size_t i = 0; i < 4; i++)
                    half[i].at[j] = own.at[i];
            }
            for (size_t i = 0; i < 4; i++) {
                const column out = spread_column(half[i]);
                for (size_t j = 0; j < 4; j++)
                    r_store(m + (i * 4 + j) * plane + t * step + c, out.at[j]);
            }
        }
    }
}
