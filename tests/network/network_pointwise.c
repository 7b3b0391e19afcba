/* ELU and GELU of reals against extended precision, alike on every instruction set; compiled in single and in double precision. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "congru/context.h"
#include "congru/random.h"
#include "harness.h"
#include "kernel/kernel.h"

enum { COUNT = 1 << 16 };
static const bool wide = sizeof(congru_real) == sizeof(double);
static congru_real x[COUNT], y[COUNT], slope[COUNT], expected[2][COUNT];

/* From -38 to 38, most near 0. */
static void draw(void)
{
    congru_random random = congru_random_stream(6, 0, 0, 0);
    for (size_t i = 0; i < COUNT; i++) {
        const double side = congru_random_uniform(&random) - 0.5;
        x[i] = (congru_real)(i % 4 == 0 ? 76.0 * side : 8.0 * side);
    }
    x[0] = 0;
    x[1] = (congru_real)50;
    x[2] = (congru_real)-50;
    x[3] = (congru_real)1e-30;
}

static long double normal(long double at)
{
    return 0.5L * erfcl(-at / sqrtl(2.0L));
}

/* Relative to what is expected, unless that is less than a float holds. */
static double relative(congru_real actual, long double value)
{
    return fabsl(value) < (long double)FLT_MIN ? 0.0 : (double)fabsl(((long double)actual - value) / value);
}

TEST(gelu_is_right)
{
    const congru_kernel *kernel = congru_kernel_find(NULL);
    double worst = 0.0, steep = 0.0;
    kernel->real->gelu(COUNT, x, y, slope);
    for (size_t i = 0; i < COUNT; i++) {
        const long double at = (long double)x[i], p = normal(at),
                          density = expl(-at * at / 2.0L) / sqrtl(2.0L * acosl(-1.0L));
        worst = fmax(worst, relative(y[i], at * p));
        steep = fmax(steep, (double)fabsl((long double)slope[i] - (p + at * density)));
    }
    CHECK_SAYING(worst < (wide ? 2e-15 : 6.1e-8), "GELU is off by %.3g of itself", worst);
    CHECK_SAYING(steep < (wide ? 1e-15 : 7e-8), "its slope is off by %.3g", steep);
    CHECK(y[0] == 0 && y[1] == x[1] && fabs((double)y[2]) < 1e-300 && slope[1] == 1);
}

TEST(elu_is_right)
{
    const congru_kernel *kernel = congru_kernel_find(NULL);
    double worst = 0.0;
    kernel->real->elu(COUNT, x, y);
    for (size_t i = 0; i < COUNT; i++) {
        const long double at = (long double)x[i];
        worst = fmax(worst, (double)fabsl((long double)y[i] - (at > 0.0L ? at : expm1l(at))));
    }
    CHECK_SAYING(worst < (wide ? 3e-16 : 6e-8), "ELU is off by %.3g", worst);
    for (size_t i = 0; i < COUNT; i++)
        slope[i] = 3;
    kernel->real->elu_slope(COUNT, 2, 0, y, slope, slope);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(slope[i] == 3 * (y[i] > 0 ? (congru_real)2 : y[i] < 0 ? y[i] + 2 : (congru_real)0));
}

/* What is drawn side by side is what congru_random_bits gives one after the other, from any block on. */
TEST(draws_are_those_of_the_generator)
{
    for (size_t k = 0; congru_cpu_name(k) != NULL; k++) {
        const congru_kernel *kernel = congru_kernel_find(congru_cpu_name(k));
        congru_random random = congru_random_stream(UINT64_C(0x123456789ABCDEF), 7, 8, 9);
        size_t wrong = 0;
        if (kernel == NULL)
            continue;
        for (int skipped = 0; skipped < 10; skipped++)
            congru_random_bits(&random);
        kernel->real->draw(random.key, random.counter, UINT64_C(0x40000000), 5, 1008, y);
        for (size_t e = 0; e < 1008; e += 2) {
            const uint64_t bits = congru_random_bits(&random);
            wrong += y[e] != ((bits & 0xFFFFFFFF) >= 0x40000000 ? 5 : 0);
            wrong += y[e + 1] != (bits >> 32 >= 0x40000000 ? 5 : 0);
        }
        CHECK_SAYING(wrong == 0, "%zu of 1008 on %s", wrong, kernel->name);
    }
}

TEST(bits_are_the_same)
{
    const congru_kernel *first = congru_kernel_find("base");
    first->real->gelu(COUNT, x, expected[0], expected[1]);
    for (size_t k = 0; congru_cpu_name(k) != NULL; k++) {
        const congru_kernel *kernel = congru_kernel_find(congru_cpu_name(k));
        if (kernel == NULL)
            continue;
        kernel->real->gelu(COUNT, x, y, slope);
        CHECK_SAYING(memcmp(y, expected[0], sizeof y) == 0 && memcmp(slope, expected[1], sizeof slope) == 0,
                     "GELU on %s", kernel->name);
        congru_real other[COUNT / 16];
        kernel->real->elu(COUNT / 16, x, y);
        first->real->elu(COUNT / 16, x, other);
        CHECK_SAYING(memcmp(y, other, sizeof other) == 0, "ELU on %s", kernel->name);
    }
}

int main(void)
{
    draw();
    harness_run_all();
    return harness_end();
}
