/* Functions of each number of an array of reals. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"
#include "kernel/vec_real.h"

void LANES(real_elu)(size_t count, const congru_real *x, congru_real *y)
{
    const vec zero = v_set(0.0), one = v_set(1.0);
    for (size_t e = 0; e < count; e += VEC_WIDTH) {
        const vec from = r_widen(x + e);
        const mask positive = v_lt(zero, from);
        r_narrow(y + e, v_select(positive, from, v_sub(v_exp(v_select(positive, zero, from)), one)));
    }
}

void LANES(real_elu_slope)(size_t count, congru_real kept, congru_real none, const congru_real *y,
                           congru_real *d)
{
    for (size_t e = 0; e < count; e++) {
        const congru_real below = y[e] < 0 ? y[e] + kept : none;
        d[e] *= y[e] > 0 ? kept : below;
    }
}

void LANES(real_rectify)(size_t rows, size_t cols, const congru_real *bias, congru_real *y, size_t row)
{
    for (size_t r = 0; r < rows; r++, y += row) {
        for (size_t c = 0; c < cols; c++) {
            const congru_real z = y[c] + bias[c];
            y[c] = z > 0 ? z : 0;
        }
    }
}

void LANES(real_gate)(size_t count, const congru_real *y, const congru_real *d, congru_real *restrict g)
{
    for (size_t e = 0; e < count; e++)
        g[e] = y[e] > 0 ? d[e] : 0;
}

void LANES(real_add_rows)(size_t rows, size_t cols, const congru_real *x, size_t row, double *sum)
{
    for (size_t c = 0; c < cols; c += VEC_WIDTH) {
        vec total = v_load_unaligned(sum + c);
        for (size_t r = 0; r < rows; r++)
            total = v_add(total, r_widen(x + r * row + c));
        v_store_unaligned(sum + c, total);
    }
}

/* The derivative is P(x) + x p(x). */
void LANES(real_gelu)(size_t count, const congru_real *x, congru_real *y, congru_real *slope)
{
    for (size_t e = 0; e < count; e += VEC_WIDTH) {
        const vec from = r_widen(x + e);
        vec cumulative, density;
        v_normal(from, &cumulative, &density);
        r_narrow(y + e, v_mul(from, cumulative));
        r_narrow(slope + e, v_fma(from, density, cumulative));
    }
}
