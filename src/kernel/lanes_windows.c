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

/* What is left to give of a column is in a register; no number of a window is above its largest. */
void LANES(real_give_largest)(size_t rows, size_t cols, size_t window, size_t stride, const congru_real *x,
                              const congru_real *y, const congru_real *d_y, congru_real *d_x)
{
    for (size_t r = 0; r < rows; r++, x += stride * cols, d_x += stride * cols, y += cols, d_y += cols) {
        for (size_t c = 0; c < cols; c += REAL_WIDTH) {
            const rvec most = r_load(y + c);
            rvec left = r_load(d_y + c);
            for (size_t i = c; i < c + window * cols; i += cols) {
                const rvec given = r_where(r_sub(most, r_load(x + i)), r_set(0), left);
                r_store(d_x + i, r_add(r_load(d_x + i), given));
                left = r_sub(left, given);
            }
        }
    }
}
