/* Kernels of reals against plain loops, to the bit, on every instruction set; compiled in single and in double precision. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <tgmath.h>

#include "congru/context.h"
#include "congru/random.h"
#include "harness.h"
#include "kernel/kernel.h"

enum { COUNT = 1 << 14 };
static const bool wide = sizeof(congru_real) == sizeof(double);
static congru_real x[COUNT], other[COUNT], y[COUNT], expected[COUNT];

/* Between -1 and 1, some of them 0. */
static void draw(congru_real *to, uint32_t stream)
{
    congru_random random = congru_random_stream(17, stream, 0, 0);
    for (size_t e = 0; e < COUNT; e++)
        to[e] = e % 7 == 0 ? 0 : (congru_real)(2.0 * congru_random_uniform(&random) - 1.0);
}

/* Calls `check` with the kernels of each instruction set of this machine. */
static void on_each(void (*check)(const char *name, const congru_real_kernel *real))
{
    for (size_t k = 0; congru_cpu_name(k) != NULL; k++) {
        const congru_kernel *kernel = congru_kernel_find(congru_cpu_name(k));
        if (kernel != NULL)
            check(kernel->name, kernel->real);
    }
}

static bool same(size_t count)
{
    return memcmp(y, expected, count * sizeof y[0]) == 0;
}

/* ---- Products ---------------------------------------------------------------------------------------- */

enum { BLOCKS = 3, INNER = 5, C_ROW = 112, SENTINEL = 9 };

/* Windows of x that overlap, with columns of `other` that have zeros from `cols` to the end of the step. */
static void product_of(size_t rows, size_t cols, bool add, congru_real *c)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t col = 0; col < cols; col++) {
            congru_real sum = add ? c[r * C_ROW + col] : 0;
            for (size_t b = 0; b < BLOCKS; b++) {
                for (size_t i = 0; i < INNER; i++)
                    sum = fma(x[r * 8 + b * 8 + i], other[(b * INNER + i) * C_ROW + col], sum);
            }
            c[r * C_ROW + col] = sum;
        }
        for (size_t col = cols; col < congru_real_step(cols); col++)
            c[r * C_ROW + col] = 0;
    }
}

static void check_product(const char *name, const congru_real_kernel *real)
{
    static const size_t cols[] = {1, 5, 16, 22, 40, 48, 64, 100, 112};
    for (size_t k = 0; k < sizeof cols / sizeof cols[0]; k++) {
        draw(other, 2);
        for (size_t row = 0; row < BLOCKS * INNER; row++)
            memset(other + row * C_ROW + cols[k], 0, (C_ROW - cols[k]) * sizeof other[0]);
        for (size_t rows = 1; rows <= 27; rows++) {
            for (size_t e = 0; e < COUNT; e++)
                y[e] = expected[e] = SENTINEL;
            for (int add = 0; add < 2; add++) {
                const congru_window a = {x, 8, 8, 1}, b = {other, 0, INNER * C_ROW, C_ROW};
                real->product(rows, cols[k], BLOCKS, INNER, a, b, add == 1, y, C_ROW);
                product_of(rows, cols[k], add == 1, expected);
            }
            CHECK_SAYING(same(COUNT), "%zu x %zu on %s", rows, cols[k], name);
        }
    }
}

TEST(products_have_any_number_of_columns)
{
    on_each(check_product);
}

/* The sum over 40 in two parts is that in one. */
static void check_parts(const char *name, const congru_real_kernel *real)
{
    const size_t rows = 7, cols = 48, count = 2, inner = 40, block = inner * 16;
    const congru_window a = {x, 1, block, 16}, b = {other, 0, inner * cols, cols};
    congru_window rest_a = a, rest_b = b;
    rest_a.data += 23 * a.inner;
    rest_b.data += 23 * b.inner;
    real->products(count, rows, cols, inner, a, b, false, expected);
    real->products(count, rows, cols, 23, a, b, false, y);
    real->products(count, rows, cols, inner - 23, rest_a, rest_b, true, y);
    CHECK_SAYING(same(count * rows * cols), "on %s", name);
}

TEST(sums_in_parts_have_the_same_bits)
{
    on_each(check_parts);
}

/* ---- Number by number -------------------------------------------------------------------------------- */

/* The result takes the place of an argument. */
static void check_in_place(const char *name, const congru_real_kernel *real)
{
    memcpy(y, x, sizeof y);
    real->multiply(COUNT, y, other, y);
    real->add(COUNT, other, y, y);
    real->stretch(COUNT / 32, 32, other, other + 64, y, y);
    real->stretch(COUNT / 32, 32, other, NULL, y, y);
    for (size_t e = 0; e < COUNT; e++) {
        const congru_real product = x[e] * other[e], sum = other[e] + product, scaled = other[e % 32] * sum;
        expected[e] = other[e % 32] * (scaled + other[64 + e % 32]);
    }
    CHECK_SAYING(same(COUNT), "on %s", name);
}

TEST(results_take_the_place_of_arguments)
{
    on_each(check_in_place);
}

/* What is left out keeps its size and gets a sign, which says that nothing is summed with it. */
static void check_left_out(const char *name, const congru_real_kernel *real)
{
    static congru_real mask[COUNT], kept[COUNT];
    for (size_t e = 0; e < COUNT; e++) {
        mask[e] = other[e] > 0 ? 2 : 0;
        y[e] = fabs(x[e]) + (congru_real)0.125;
        expected[e] = mask[e] > 0 ? y[e] : -y[e];
    }
    real->leave(COUNT, mask, y);
    CHECK_SAYING(same(COUNT), "leave on %s", name);
    real->keep(COUNT, 3, y, kept);
    size_t wrong = 0;
    for (size_t e = 0; e < COUNT; e++)
        wrong += kept[e] != (mask[e] > 0 ? 3 * y[e] : 0);
    CHECK_SAYING(wrong == 0, "keep: %zu on %s", wrong, name);
}

TEST(what_is_left_out_keeps_its_size)
{
    on_each(check_left_out);
}

/* Of more rows than are kept beside, too. */
static void check_soften(const char *name, const congru_real_kernel *real)
{
    enum { ROWS = 300, COLS = 48 };
    memcpy(y, x, ROWS * COLS * sizeof y[0]);
    memcpy(expected, x, ROWS * COLS * sizeof y[0]);
    real->soften(ROWS, COLS, 2.5, y);
    congru_kernel_find("base")->real->soften(ROWS, COLS, 2.5, expected);
    CHECK_SAYING(same((size_t)ROWS * COLS), "not that of base on %s", name);
    double worst = 0.0;
    for (size_t c = 0; c < COLS; c++) {
        long double sum = 0.0L;
        for (size_t r = 0; r < ROWS; r++)
            sum += exp(2.5L * (long double)x[r * COLS + c]);
        for (size_t r = 0; r < ROWS; r++) {
            const long double p = exp(2.5L * (long double)x[r * COLS + c]) / sum;
            worst = fmax(worst, (double)(fabs((long double)y[r * COLS + c] - p) / p));
        }
    }
    CHECK_SAYING(worst < (wide ? 1e-14 : 5e-7), "off by %.3g on %s", worst, name);
}

TEST(columns_are_softened)
{
    on_each(check_soften);
}

static void check_rectify(const char *name, const congru_real_kernel *real)
{
    memcpy(y, x, sizeof y);
    memcpy(expected, x, sizeof expected);
    real->rectify(9, 32, other, y, 48);
    for (size_t r = 0; r < 9; r++) {
        for (size_t c = 0; c < 32; c++) {
            const congru_real z = x[r * 48 + c] + other[c];
            expected[r * 48 + c] = z > 0 ? z : 0;
        }
    }
    CHECK_SAYING(same(COUNT), "on %s", name);
}

TEST(rows_are_rectified)
{
    on_each(check_rectify);
}

/* Windows overlap, and numbers are equal in some: the first of the largest has it all. */
static void check_largest(const char *name, const congru_real_kernel *real)
{
    enum { ROWS = 20, COLS = 48, WINDOW = 3, STRIDE = 2 };
    static congru_real coarse[COUNT], most[ROWS * COLS];
    for (size_t e = 0; e < COUNT; e++) {
        coarse[e] = floor(x[e] * 4);
        y[e] = expected[e] = 0;
    }
    real->largest(ROWS, COLS, WINDOW, STRIDE, coarse, most);
    real->give_largest(ROWS, COLS, WINDOW, STRIDE, coarse, most, other, y);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t c = 0; c < COLS; c++) {
            size_t at = r * STRIDE;
            for (size_t i = at + 1; i < r * STRIDE + WINDOW; i++)
                at = coarse[i * COLS + c] > coarse[at * COLS + c] ? i : at;
            CHECK(most[r * COLS + c] == coarse[at * COLS + c]);
            expected[at * COLS + c] += other[r * COLS + c];
        }
    }
    CHECK_SAYING(same((ROWS * STRIDE + WINDOW) * COLS), "on %s", name);
}

TEST(the_first_largest_of_a_window_has_its_derivative)
{
    on_each(check_largest);
}

int main(void)
{
    draw(x, 1);
    draw(other, 2);
    harness_run_all();
    return harness_end();
}
