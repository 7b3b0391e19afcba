/* Plain matrices into lanes and back, and what looks at them on the way. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

/* VEC_WIDTH whole matrices of `size` doubles: square tiles through the registers. */
static void pack_full(size_t size, const double *plain, double *lanes)
{
    size_t e = 0;
    for (; e + VEC_WIDTH <= size; e += VEC_WIDTH) {
        vec rows[VEC_WIDTH];
        for (size_t j = 0; j < VEC_WIDTH; j++)
            rows[j] = v_load_unaligned(plain + j * size + e);
        v_transpose(rows);
        for (size_t j = 0; j < VEC_WIDTH; j++)
            v_store(AT(lanes, e + j), rows[j]);
    }
    for (; e < size; e++) {
        for (size_t j = 0; j < VEC_WIDTH; j++)
            AT(lanes, e)[j] = plain[j * size + e];
    }
}

static void unpack_full(size_t size, const double *lanes, double *plain)
{
    size_t e = 0;
    for (; e + VEC_WIDTH <= size; e += VEC_WIDTH) {
        vec rows[VEC_WIDTH];
        for (size_t j = 0; j < VEC_WIDTH; j++)
            rows[j] = v_load(AT(lanes, e + j));
        v_transpose(rows);
        for (size_t j = 0; j < VEC_WIDTH; j++)
            v_store_unaligned(plain + j * size + e, rows[j]);
    }
    for (; e < size; e++) {
        for (size_t j = 0; j < VEC_WIDTH; j++)
            plain[j * size + e] = AT(lanes, e)[j];
    }
}

void LANES(pack)(size_t vectors, size_t n, size_t rows, size_t cols, const double *plain, double *lanes)
{
    const size_t size = rows * cols;
    for (size_t v = 0; v < vectors; v++, lanes += size * VEC_WIDTH) {
        size_t done = lanes_least(v * VEC_WIDTH, n), present = lanes_least(n - done, VEC_WIDTH);
        const double *from = plain + done * size;
        if (present == VEC_WIDTH) {
            pack_full(size, from, lanes);
            continue;
        }
        for (size_t e = 0; e < size; e++) {
            double padding = rows == cols && e % (cols + 1) == 0 ? 1.0 : 0.0;
            for (size_t j = 0; j < VEC_WIDTH; j++)
                AT(lanes, e)[j] = j < present ? from[j * size + e] : padding;
        }
    }
}

void LANES(unpack)(size_t vectors, size_t n, size_t rows, size_t cols, const double *lanes, double *plain)
{
    const size_t size = rows * cols;
    for (size_t v = 0; v < vectors; v++, lanes += size * VEC_WIDTH) {
        size_t done = lanes_least(v * VEC_WIDTH, n), present = lanes_least(n - done, VEC_WIDTH);
        double *to = plain + done * size;
        if (present == VEC_WIDTH) {
            unpack_full(size, lanes, to);
            continue;
        }
        for (size_t j = 0; j < present; j++) {
            for (size_t e = 0; e < size; e++)
                to[j * size + e] = AT(lanes, e)[j];
        }
    }
}

void LANES(symmetrise)(size_t vectors, size_t d, double *a, double *largest, double *asymmetry)
{
    for (size_t v = 0; v < vectors; v++, a += d * d * VEC_WIDTH) {
        vec size = v_set(0.0), difference = v_set(0.0);
        mask finite = v_eq(size, size);
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++) {
                vec x = v_load(AT(a, i * d + j)), y = v_load(AT(a, j * d + i));
                vec gap = v_sub(y, x), gap_size = v_abs(gap), x_size = v_abs(x), y_size = v_abs(y);
                finite = m_and(finite, m_and(v_eq(v_sub(x, x), v_set(0.0)), v_eq(v_sub(y, y), v_set(0.0))));
                difference = v_select(v_lt(difference, gap_size), gap_size, difference);
                size = v_select(v_lt(size, x_size), x_size, size);
                size = v_select(v_lt(size, y_size), y_size, size);
                vec middle = v_fma(gap, v_set(0.5), x); /* x itself where the two agree */
                v_store(AT(a, i * d + j), middle);
                v_store(AT(a, j * d + i), middle);
            }
        }
        v_store_unaligned(AT(largest, v), v_select(finite, size, v_set(NAN)));
        v_store_unaligned(AT(asymmetry, v), difference);
    }
}

void LANES(multiply)(size_t count, const double *x, double *y)
{
    for (size_t i = 0; i < count; i += VEC_WIDTH)
        v_store(y + i, v_mul(v_load(x + i), v_load(y + i)));
}

void LANES(combine)(size_t count, double alpha, const double *x, double beta, double *y)
{
    for (size_t i = 0; i < count; i += VEC_WIDTH)
        v_store(y + i, v_fma(v_set(alpha), v_load(x + i), v_mul(v_set(beta), v_load(y + i))));
}

void LANES(add_diagonal)(size_t vectors, size_t d, double number, double *a)
{
    for (size_t v = 0; v < vectors; v++, a += d * d * VEC_WIDTH) {
        for (size_t i = 0; i < d; i++)
            v_store(AT(a, i * (d + 1)), v_add(v_load(AT(a, i * (d + 1))), v_set(number)));
    }
}

void LANES(sum_squares)(size_t vectors, size_t count, const double *x, double *out)
{
    for (size_t v = 0; v < vectors; v++, x += count * VEC_WIDTH) {
        vec sum = v_set(0.0);
        for (size_t i = 0; i < count; i++)
            sum = v_fma(v_load(AT(x, i)), v_load(AT(x, i)), sum);
        v_store_unaligned(AT(out, v), sum);
    }
}
