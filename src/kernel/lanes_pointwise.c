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

/* Vectors by hand from here on: the result may take the place of an argument, which the compiler would allow for number by number. */
void LANES(real_elu_slope)(size_t count, congru_real kept, congru_real none, const congru_real *y,
                           const congru_real *d_y, congru_real *d_x)
{
    const rvec above = r_set(kept), at = r_set(none), zero = r_set(0);
    for (size_t e = 0; e < count; e += REAL_WIDTH) {
        const rvec own = r_load(y + e), below = r_where(r_sub(zero, own), r_add(own, above), at);
        r_store(d_x + e, r_mul(r_load(d_y + e), r_where(own, above, below)));
    }
}

void LANES(real_multiply)(size_t count, const congru_real *a, const congru_real *b, congru_real *y)
{
    for (size_t e = 0; e < count; e += REAL_WIDTH)
        r_store(y + e, r_mul(r_load(a + e), r_load(b + e)));
}

void LANES(real_add)(size_t count, const congru_real *a, const congru_real *b, congru_real *y)
{
    for (size_t e = 0; e < count; e += REAL_WIDTH)
        r_store(y + e, r_add(r_load(a + e), r_load(b + e)));
}

void LANES(real_stretch)(size_t rows, size_t cols, const congru_real *scale, const congru_real *shift,
                         const congru_real *x, congru_real *y)
{
    for (size_t r = 0; r < rows; r++, x += cols, y += cols) {
        for (size_t c = 0; c < cols; c += REAL_WIDTH) {
            const rvec own = r_mul(r_load(scale + c), r_load(x + c));
            r_store(y + c, shift != NULL ? r_add(own, r_load(shift + c)) : own);
        }
    }
}

void LANES(real_leave)(size_t count, const congru_real *drawn, congru_real *p)
{
    for (size_t e = 0; e < count; e += REAL_WIDTH) {
        const rvec own = r_load(p + e);
        r_store(p + e, r_where(r_load(drawn + e), own, r_mul(own, r_set(-1))));
    }
}

void LANES(real_keep)(size_t count, congru_real kept, const congru_real *p, congru_real *a)
{
    for (size_t e = 0; e < count; e += REAL_WIDTH) {
        const rvec own = r_load(p + e);
        r_store(a + e, r_where(own, r_mul(own, r_set(kept)), r_set(0)));
    }
}

/* So many rows at a time, which stay in the nearest cache while their columns are summed. */
enum { TALLY_ROWS = 64 };

void LANES(real_tally)(size_t rows, size_t cols, const congru_real *a, const congru_real *b, double *sum,
                       double *product)
{
    for (size_t start = 0, end; start < rows; start = end) {
        end = rows - start < TALLY_ROWS ? rows : start + TALLY_ROWS;
        for (size_t c = 0; c < cols; c += VEC_WIDTH) {
            vec first = v_load_unaligned(sum + c), second = v_load_unaligned(product + c);
            for (size_t r = start; r < end; r++) {
                const vec left = r_widen(a + r * cols + c), right = r_widen(b + r * cols + c);
                first = v_add(first, left);
                second = v_add(second, v_mul(left, right));
            }
            v_store_unaligned(sum + c, first);
            v_store_unaligned(product + c, second);
        }
    }
}

/* Each lane is a column. What exponentials are taken of is rounded to reals and kept in their place; so many exponentials of a
 * column are kept beside, those of further rows are taken again. */
enum { SOFTEN_KEPT = 128 };

void LANES(real_soften)(size_t rows, size_t cols, double scale, congru_real *p)
{
    vec kept[SOFTEN_KEPT];
    for (size_t c = 0; c < cols; c += VEC_WIDTH) {
        vec most = r_widen(p + c), sum = v_set(0.0);
        for (size_t r = 1; r < rows; r++) {
            const vec own = r_widen(p + r * cols + c);
            most = v_select(v_lt(most, own), own, most);
        }
        for (size_t r = 0; r < rows; r++) {
            r_narrow(p + r * cols + c, v_mul(v_sub(r_widen(p + r * cols + c), most), v_set(scale)));
            const vec own = v_exp(r_widen(p + r * cols + c));
            if (r < SOFTEN_KEPT)
                kept[r] = own;
            sum = v_add(sum, own);
        }
        for (size_t r = 0; r < rows; r++)
            r_narrow(p + r * cols + c,
                     v_div(r < SOFTEN_KEPT ? kept[r] : v_exp(r_widen(p + r * cols + c)), sum));
    }
}

void LANES(real_unsoften)(size_t rows, size_t cols, double scale, double kept, const congru_real *p,
                          congru_real *d)
{
    const vec zero = v_set(0.0);
    for (size_t c = 0; c < cols; c += VEC_WIDTH) {
        vec sum = zero;
        for (size_t r = 0; r < rows; r++) {
            const vec own = r_widen(p + r * cols + c),
                      slope = v_select(v_lt(zero, own), v_mul(r_widen(d + r * cols + c), v_set(kept)), zero);
            r_narrow(d + r * cols + c, slope);
            sum = v_fma(slope, v_abs(own), sum);
        }
        for (size_t r = 0; r < rows; r++) {
            const vec own = v_abs(r_widen(p + r * cols + c));
            r_narrow(d + r * cols + c, v_mul(v_mul(own, v_sub(r_widen(d + r * cols + c), sum)), v_set(scale)));
        }
    }
}

/* So many blocks of four words are drawn side by side, in vectors of which some are under way at a time. */
enum { BLOCKS = 16, ROUNDS = 10, UNDER_WAY = WORD_WIDTH >= 4 ? 2 : 1, TOGETHER = UNDER_WAY * WORD_WIDTH };

/* The upper halves are whatever they are: a product does not read them. */
static void draw_blocks(const uint32_t key[2], const uint32_t counter[4], uint32_t first,
                        uint64_t word[4][BLOCKS])
{
    const words left = w_set(0xD2511F53u), right = w_set(0xCD9E8D57u);
    for (int k = 0; k < BLOCKS; k++)
        word[0][k] = counter[0] + first + (uint32_t)k;
    for (int start = 0; start < BLOCKS; start += TOGETHER) {
        words x[UNDER_WAY][4];
        for (int v = 0; v < UNDER_WAY; v++) {
            x[v][0] = w_load(&word[0][start + v * WORD_WIDTH]);
            for (int w = 1; w < 4; w++)
                x[v][w] = w_set(counter[w]);
        }
        uint32_t key0 = key[0], key1 = key[1];
        for (int round = 0; round < ROUNDS; round++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
            for (int v = 0; v < UNDER_WAY; v++) {
                const words a = w_product(x[v][0], left), b = w_product(x[v][2], right);
                x[v][0] = w_xor(w_xor(w_high(b), x[v][1]), w_set(key0));
                x[v][2] = w_xor(w_xor(w_high(a), x[v][3]), w_set(key1));
                x[v][1] = b;
                x[v][3] = a;
            }
        }
        for (int v = 0; v < UNDER_WAY; v++) {
            for (int w = 0; w < 4; w++)
                w_store(&word[w][start + v * WORD_WIDTH], x[v][w]);
        }
    }
}

/* No branch on what is drawn, which nothing could foresee. */
void LANES(real_draw)(const uint32_t key[2], const uint32_t counter[4], uint64_t least, congru_real kept,
                      size_t count, congru_real *out)
{
    const uint32_t limit = (uint32_t)least;
    uint64_t word[4][BLOCKS];
    uint32_t flat[4 * BLOCKS];
    for (size_t e = 0; e < count; e += 4 * BLOCKS) {
        const size_t left = count - e < 4 * BLOCKS ? count - e : 4 * BLOCKS;
        draw_blocks(key, counter, (uint32_t)(e / 4), word);
        for (size_t k = 0; k < BLOCKS; k++) {
            for (size_t w = 0; w < 4; w++)
                flat[4 * k + w] = (uint32_t)word[w][k];
        }
        for (size_t k = 0; k < left; k++)
            out[e + k] = flat[k] >= limit ? kept : 0;
    }
}

void LANES(real_rectify)(size_t rows, size_t cols, const congru_real *bias, congru_real *y, size_t row)
{
    for (size_t r = 0; r < rows; r++, y += row) {
        for (size_t c = 0; c < cols; c += REAL_WIDTH) {
            const rvec z = r_add(r_load(y + c), r_load(bias + c));
            r_store(y + c, r_where(z, z, r_set(0)));
        }
    }
}

/* V vectors of columns, whose sums are side by side. */
ALWAYS_INLINE void gate_columns(const int V, size_t rows, size_t cols, const congru_real *y,
                                const congru_real *d, congru_real *g, double *sum)
{
    enum { HALVES = REAL_WIDTH / VEC_WIDTH };
    vec total[4 * HALVES];
    for (int h = 0; h < V * HALVES; h++)
        total[h] = v_load_unaligned(sum + h * VEC_WIDTH);
    for (size_t r = 0; r < rows; r++, y += cols, d += cols, g += cols) {
        for (int v = 0; v < V; v++)
            r_store(g + v * REAL_WIDTH,
                    r_where(r_load(y + v * REAL_WIDTH), r_load(d + v * REAL_WIDTH), r_set(0)));
        for (int h = 0; h < V * HALVES; h++)
            total[h] = v_add(total[h], r_widen(g + h * VEC_WIDTH));
    }
    for (int h = 0; h < V * HALVES; h++)
        v_store_unaligned(sum + h * VEC_WIDTH, total[h]);
}

void LANES(real_gate)(size_t rows, size_t cols, const congru_real *y, const congru_real *d, congru_real *g,
                      double *sum)
{
    size_t c = 0;
    for (; c + 4 * REAL_WIDTH <= cols; c += 4 * REAL_WIDTH)
        gate_columns(4, rows, cols, y + c, d + c, g + c, sum + c);
    for (; c < cols; c += REAL_WIDTH)
        gate_columns(1, rows, cols, y + c, d + c, g + c, sum + c);
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
