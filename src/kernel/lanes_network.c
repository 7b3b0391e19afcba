/* What training moves and sums: gathered trials, triangles, columns, and products of plain matrices. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

enum { CHAIN_VECTORS = CONGRU_GROUP / VEC_WIDTH };

void LANES(gather)(size_t vectors, size_t size, const double *plain, const size_t *index, double *lanes)
{
    for (size_t v = 0; v < vectors; v++, index += VEC_WIDTH, lanes += size * VEC_WIDTH) {
        size_t e = 0;
        for (; e + VEC_WIDTH <= size; e += VEC_WIDTH) {
            vec rows[VEC_WIDTH];
            for (size_t j = 0; j < VEC_WIDTH; j++)
                rows[j] = v_load_unaligned(plain + index[j] * size + e);
            v_transpose(rows);
            for (size_t j = 0; j < VEC_WIDTH; j++)
                v_store(AT(lanes, e + j), rows[j]);
        }
        for (; e < size; e++) {
            for (size_t j = 0; j < VEC_WIDTH; j++)
                AT(lanes, e)[j] = plain[index[j] * size + e];
        }
    }
}

void LANES(spread)(size_t vectors, size_t size, const double *plain, double *lanes)
{
    for (size_t v = 0; v < vectors; v++, lanes += size * VEC_WIDTH) {
        for (size_t e = 0; e < size; e++)
            v_store(AT(lanes, e), v_set(plain[e]));
    }
}

static const double root_2 = 0x1.6a09e667f3bcdp+0, root_half = 0x1.6a09e667f3bcdp-1;

void LANES(triangle)(size_t vectors, size_t d, size_t stride, const double *s, double *row)
{
    for (size_t v = 0; v < vectors; v++, s += d * d * VEC_WIDTH, row += stride * VEC_WIDTH) {
        size_t e = 0;
        for (size_t i = 0; i < d; i++) {
            v_store(AT(row, e++), v_load(AT(s, i * (d + 1))));
            for (size_t j = i + 1; j < d; j++)
                v_store(AT(row, e++), v_mul(v_load(AT(s, i * d + j)), v_set(root_2)));
        }
        for (; e < stride; e++)
            v_store(AT(row, e), v_set(0.0));
    }
}

void LANES(untriangle)(size_t vectors, size_t d, size_t stride, const double *row, double *s)
{
    for (size_t v = 0; v < vectors; v++, s += d * d * VEC_WIDTH, row += stride * VEC_WIDTH) {
        size_t e = 0;
        for (size_t i = 0; i < d; i++) {
            v_store(AT(s, i * (d + 1)), v_load(AT(row, e++)));
            for (size_t j = i + 1; j < d; j++) {
                vec x = v_mul(v_load(AT(row, e++)), v_set(root_half));
                v_store(AT(s, i * d + j), x);
                v_store(AT(s, j * d + i), x);
            }
        }
    }
}

void LANES(dots)(size_t vectors, size_t count, const double *x, const double *y, double *out)
{
    for (size_t v = 0; v < vectors; v++, x += count * VEC_WIDTH, y += count * VEC_WIDTH) {
        vec sum[4] = {v_set(0.0), v_set(0.0), v_set(0.0), v_set(0.0)};
        for (size_t i = 0; i < count; i++)
            sum[i % 4] = v_fma(v_load(AT(x, i)), v_load(AT(y, i)), sum[i % 4]);
        v_store(AT(out, v), v_add(v_add(sum[0], sum[1]), v_add(sum[2], sum[3])));
    }
}

void LANES(column_dots)(size_t vectors, size_t rows, size_t cols, const double *w, const double *x, double *out)
{
    for (size_t v = 0; v < vectors; v++, x += rows * cols * VEC_WIDTH, out += cols * VEC_WIDTH) {
        for (size_t a = 0; a < cols; a++)
            v_store(AT(out, a), v_mul(v_set(w[a]), v_load(AT(x, a))));
        for (size_t k = 1; k < rows; k++) {
            for (size_t a = 0; a < cols; a++)
                v_store(AT(out, a),
                        v_fma(v_set(w[k * cols + a]), v_load(AT(x, k * cols + a)), v_load(AT(out, a))));
        }
    }
}

void LANES(add_columns)(size_t vectors, size_t rows, size_t cols, const double *x, const double *g,
                        double *chains)
{
    const size_t size = rows * cols * VEC_WIDTH;
    for (size_t v = 0; v < vectors; v++, x += size, g += cols * VEC_WIDTH) {
        double *sum = chains + v % CHAIN_VECTORS * size;
        for (size_t k = 0; k < rows; k++) {
            for (size_t a = 0; a < cols; a++) {
                double *entry = AT(sum, k * cols + a);
                v_store(entry, v_fma(v_load(AT(x, k * cols + a)), v_load(AT(g, a)), v_load(entry)));
            }
        }
    }
}

void LANES(add_product)(size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a,
                        congru_operand b, double *chains)
{
    for (size_t v = 0; v < vectors; v++) {
        LANES(product)
        (1, rows, cols, inner, a, b, CONGRU_PRODUCT_ADD, chains + v % CHAIN_VECTORS * rows * cols * VEC_WIDTH);
        a.data += rows * inner * VEC_WIDTH;
        b.data += inner * cols * VEC_WIDTH;
    }
}

void LANES(add_lanes)(size_t vectors, size_t size, const double *x, double *chains)
{
    for (size_t v = 0; v < vectors; v++, x += size * VEC_WIDTH)
        LANES(combine)(size * VEC_WIDTH, 1.0, x, 1.0, chains + v % CHAIN_VECTORS * size * VEC_WIDTH);
}

void LANES(fold)(size_t size, const double *chains, double *sum)
{
    for (size_t e = 0; e < size; e++) {
        double c[CONGRU_GROUP];
        for (size_t j = 0; j < CONGRU_GROUP; j++)
            c[j] = chains[(j / VEC_WIDTH * size + e) * VEC_WIDTH + j % VEC_WIDTH];
        sum[e] = ((c[0] + c[4]) + (c[2] + c[6])) + ((c[1] + c[5]) + (c[3] + c[7]));
    }
}

/* R rows from i on, VEC_WIDTH columns from j on. */
ALWAYS_INLINE void dense_tile(const int R, size_t i, size_t j, size_t cols, size_t inner,
                              const congru_operand *a, const double *b, bool add, double *c)
{
    vec sum[4];
    for (int r = 0; r < R; r++)
        sum[r] = add ? v_load_unaligned(c + (i + (size_t)r) * cols + j) : v_set(0.0);
    for (size_t k = 0; k < inner; k++) {
        vec right = v_load_unaligned(b + k * cols + j);
        for (int r = 0; r < R; r++)
            sum[r] =
                v_fma(v_set(a->data[(i + (size_t)r) * a->row_stride + k * a->column_stride]), right, sum[r]);
    }
    for (int r = 0; r < R; r++)
        v_store_unaligned(c + (i + (size_t)r) * cols + j, sum[r]);
}

void LANES(dense)(size_t rows, size_t cols, size_t inner, congru_operand a, const double *b, bool add,
                  double *c)
{
    const size_t whole = cols - cols % VEC_WIDTH;
    for (size_t j = 0; j < whole; j += VEC_WIDTH) {
        size_t i = 0;
        for (; i + 4 <= rows; i += 4)
            dense_tile(4, i, j, cols, inner, &a, b, add, c);
        for (; i < rows; i++)
            dense_tile(1, i, j, cols, inner, &a, b, add, c);
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = whole; j < cols; j++) {
            double sum = add ? c[i * cols + j] : 0.0;
            for (size_t k = 0; k < inner; k++)
                sum = fma(a.data[i * a.row_stride + k * a.column_stride], b[k * cols + j], sum);
            c[i * cols + j] = sum;
        }
    }
}

/* VEC_WIDTH parameters; multiplied and added apart, as plain C has it. */
ALWAYS_INLINE void adam_vector(const congru_adam_move *move, const double *gradient, double *first,
                               double *second, double *value)
{
    const vec one = v_set(1.0), momentum = v_set(move->momentum), memory = v_set(move->memory);
    const vec weight = v_load_unaligned(value);
    const vec slope =
        v_add(v_mul(v_load_unaligned(gradient), v_set(move->factor)), v_mul(v_set(move->decay), weight));
    const vec m = v_add(v_mul(momentum, v_load_unaligned(first)), v_mul(v_sub(one, momentum), slope));
    const vec s =
        v_add(v_mul(memory, v_load_unaligned(second)), v_mul(v_sub(one, memory), v_mul(slope, slope)));
    v_store_unaligned(first, m);
    v_store_unaligned(second, s);
    v_store_unaligned(
        value, v_sub(weight, v_div(v_mul(v_set(move->rate), m),
                                   v_add(v_div(v_sqrt(s), v_set(move->correction)), v_set(move->least)))));
}

void LANES(adam)(size_t count, const congru_adam_move *move, const double *gradient, double *first,
                 double *second, double *value)
{
    size_t e = 0;
    for (; e + VEC_WIDTH <= count; e += VEC_WIDTH)
        adam_vector(move, gradient + e, first + e, second + e, value + e);
    double *array[] = {first + e, second + e, value + e}, own[4][VEC_WIDTH] = {{0}};
    const size_t left = count - e;
    for (size_t k = 0; k < left; k++) {
        own[3][k] = gradient[e + k];
        for (size_t a = 0; a < 3; a++)
            own[a][k] = array[a][k];
    }
    adam_vector(move, own[3], own[0], own[1], own[2]);
    for (size_t a = 0; a < 3; a++) {
        for (size_t k = 0; k < left; k++)
            array[a][k] = own[a][k];
    }
}
