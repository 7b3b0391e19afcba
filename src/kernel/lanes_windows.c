/* Windows of rows of reals, summed or searched; and rows added to rows. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"
#include "kernel/vec_real.h"

/* Columns are taken in steps: loops of a constant length, which the compiler makes whole vectors of. */
enum { STEP = CONGRU_REAL_STEP };

void LANES(real_shift)(size_t rows, size_t cols, const congru_real *restrict bias, congru_real *restrict y)
{
    for (size_t r = 0; r < rows; r++, y += cols) {
        for (size_t c = 0; c < cols; c++)
            y[c] += bias[c];
    }
}

void LANES(real_collect)(size_t rows, size_t cols, const congru_real *restrict x, size_t row,
                         double *restrict sum)
{
    for (size_t r = 0; r < rows; r++, x += row, sum += cols) {
        for (size_t c = 0; c < cols; c++)
            sum[c] += (double)x[c];
    }
}

void LANES(real_pool)(size_t rows, size_t cols, size_t window, size_t stride, congru_real scale,
                      const congru_real *restrict x, congru_real *restrict y)
{
    for (size_t r = 0; r < rows; r++, x += stride * cols, y += cols) {
        for (size_t c = 0; c < cols; c += STEP) {
            congru_real sum[STEP] = {0};
            for (size_t i = 0; i < window; i++) {
                for (size_t k = 0; k < STEP; k++)
                    sum[k] += x[i * cols + c + k];
            }
            for (size_t k = 0; k < STEP; k++)
                y[c + k] = scale * sum[k];
        }
    }
}

void LANES(real_largest)(size_t rows, size_t cols, size_t window, size_t stride, const congru_real *restrict x,
                         congru_real *restrict y)
{
    for (size_t r = 0; r < rows; r++, x += stride * cols, y += cols) {
        for (size_t c = 0; c < cols; c++)
            y[c] = x[c];
        for (size_t i = 1; i < window; i++) {
            const congru_real *from = x + i * cols;
            for (size_t c = 0; c < cols; c++)
                y[c] = from[c] > y[c] ? from[c] : y[c];
        }
    }
}

/* The loops over columns have no constant length, which the compiler would unroll instead of making vectors of. */
void LANES(real_give_largest)(size_t rows, size_t cols, size_t window, size_t stride,
                              const congru_real *restrict x, const congru_real *restrict y,
                              const congru_real *restrict d_y, congru_real *restrict d_x)
{
    enum { SPAN = 64 };
    congru_real left[SPAN];
    for (size_t r = 0; r < rows; r++, x += stride * cols, d_x += stride * cols, y += cols, d_y += cols) {
        for (size_t start = 0, width; start < cols; start += width) {
            width = lanes_least(cols - start, SPAN);
            for (size_t c = 0; c < width; c++)
                left[c] = d_y[start + c];
            for (size_t i = 0; i < window; i++) {
                const congru_real *from = x + i * cols + start;
                congru_real *to = d_x + i * cols + start;
                for (size_t c = 0; c < width; c++) {
                    const congru_real given = from[c] == y[start + c] ? left[c] : 0;
                    to[c] += given;
                    left[c] -= given;
                }
            }
        }
    }
}

void LANES(real_leave)(size_t count, const congru_real *restrict drawn, congru_real *restrict p)
{
    for (size_t e = 0; e < count; e++) {
        const congru_real sign = drawn[e] == 0 ? -1 : 1;
        p[e] = sign * p[e];
    }
}

void LANES(real_keep)(size_t count, congru_real kept, const congru_real *restrict p, congru_real *restrict a)
{
    for (size_t e = 0; e < count; e++) {
        const congru_real own = p[e] * kept;
        a[e] = p[e] > 0 ? own : 0;
    }
}
