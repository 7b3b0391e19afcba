/* The library's own logarithm, exponential and power against extended precision. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/scalar_math.h"
#include "congru/context.h"
#include "congru/random.h"
#include "harness.h"
#include "kernel/kernel.h"

enum { SAMPLES = 200000, BLOCK = 64 };

/* In units of the last place of the expected value. */
static double ulps(double actual, long double expected)
{
    double rounded = fabs((double)expected);
    long double unit = (long double)(nextafter(rounded, INFINITY) - rounded);
    return (double)(fabsl((long double)actual - expected) / unit);
}

/* The worst error of a kernel's function over numbers drawn by `draw`. */
static double worst_error(const congru_kernel *kernel, congru_function function,
                          double (*draw)(congru_random *), long double (*exact)(congru_function, double))
{
    _Alignas(64) double in[BLOCK], out[BLOCK];
    congru_random random = congru_random_stream(1, 2, 3, 4);
    double worst = 0;
    for (int n = 0; n < SAMPLES / BLOCK; n++) {
        for (int i = 0; i < BLOCK; i++)
            in[i] = draw(&random);
        kernel->map(function, BLOCK, in, out);
        for (int i = 0; i < BLOCK; i++)
            worst = fmax(worst, ulps(out[i], exact(function, in[i])));
    }
    return worst;
}

static void for_each_kernel(void (*check)(const congru_kernel *))
{
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
        const congru_kernel *kernel = congru_kernel_find(congru_cpu_name(i));
        if (kernel != NULL)
            check(kernel);
    }
}

static double draw_any_positive(congru_random *random)
{
    double x = ldexp(1.0 + congru_random_uniform(random), (int)congru_random_index(random, 2097) - 1074);
    return x == 1.0 ? 2.0 : x;
}

static double draw_near_one(congru_random *random)
{
    double x = 1.0 + ldexp(congru_random_uniform(random) - 0.5, -(int)congru_random_index(random, 40));
    return x == 1.0 ? 2.0 : x;
}

static double draw_exponent(congru_random *random)
{
    return 1400.0 * (congru_random_uniform(random) - 0.5);
}

static double draw_moderate(congru_random *random)
{
    return congru_scalar_exp(40.0 * (congru_random_uniform(random) - 0.5));
}

static long double exact_log(congru_function function, double x)
{
    (void)function;
    return logl((long double)x);
}

static long double exact_exp(congru_function function, double x)
{
    (void)function;
    return expl((long double)x);
}

static long double exact_power(congru_function function, double x)
{
    return powl((long double)x, (long double)function.a);
}

static void check_log(const congru_kernel *kernel)
{
    const congru_function log = {CONGRU_FUNCTION_LOG, 0, 0};
    double everywhere = worst_error(kernel, log, draw_any_positive, exact_log);
    double near_one = worst_error(kernel, log, draw_near_one, exact_log);
    CHECK_SAYING(everywhere < 0.6 && near_one < 0.6, "%s: %.3f and %.3f ulp", kernel->name, everywhere,
                 near_one);
}

TEST(log_is_within_0_6_ulp)
{
    for_each_kernel(check_log);
}

static void check_exp(const congru_kernel *kernel)
{
    double worst = worst_error(kernel, (congru_function){CONGRU_FUNCTION_EXP, 1, 0}, draw_exponent, exact_exp);
    CHECK_SAYING(worst < 1.0, "%s: %.3f ulp", kernel->name, worst);
}

TEST(exp_is_within_1_ulp)
{
    for_each_kernel(check_exp);
}

static void check_power(const congru_kernel *kernel)
{
    const double powers[] = {0.5, -0.5, 0.3, -1.7, 2.0, 1e-3};
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        congru_function power = {CONGRU_FUNCTION_POWER, powers[i], 0};
        double worst = worst_error(kernel, power, draw_moderate, exact_power);
        CHECK_SAYING(worst < 1.0, "%s: x^%g: %.3f ulp", kernel->name, powers[i], worst);
    }
}

TEST(power_is_within_1_ulp)
{
    for_each_kernel(check_power);
}

/* (f(x) - f(y))/(x - y) of the roots without their differences: 1/(sqrt x + sqrt y), and -1/(sqrt x sqrt y (sqrt x +
 * sqrt y)), for equal, nearly equal and distant numbers. In units of 2^-53, by counting roundings. */
static void check_roots(const congru_kernel *kernel)
{
    enum { D = 5, LANES_MAX = 8 };
    _Alignas(64) double values[D * LANES_MAX], differences[D * D * LANES_MAX], work[3 * D * LANES_MAX];
    const size_t width = kernel->width;
    congru_random random = congru_random_stream(7, 0, 0, 0);
    for (size_t lane = 0; lane < width; lane++) {
        const double x = draw_moderate(&random);
        const double row[D] = {x, x, x * (1.0 + 0x1p-50), 1e-9 * x, 1e12 * x};
        for (size_t i = 0; i < D; i++)
            values[i * width + lane] = row[i];
    }
    for (int inverse = 0; inverse < 2; inverse++) {
        double worst = 0;
        congru_function root = {inverse ? CONGRU_FUNCTION_INVSQRT : CONGRU_FUNCTION_SQRT, 0, 0};
        kernel->loewner(root, 1, D, values, differences, work);
        for (size_t i = 0; i < D * D * width; i++) {
            long double a = sqrtl((long double)values[i / (D * width) * width + i % width]);
            long double b = sqrtl((long double)values[i / width % D * width + i % width]);
            long double expected = inverse ? -1 / (a * b * (a + b)) : 1 / (a + b);
            worst = fmax(worst, (double)(fabsl(differences[i] / expected - 1) * 0x1p53L));
        }
        CHECK_SAYING(worst <= (inverse ? 7 : 3), "%s: %.3f units", kernel->name, worst);
    }
}

TEST(divided_differences_of_roots)
{
    for_each_kernel(check_roots);
}

TEST(ends_of_the_range)
{
    CHECK(congru_scalar_log(0.0) == -INFINITY);
    CHECK(isnan(congru_scalar_log(-1.0)));
    CHECK(isnan(congru_scalar_log(NAN)));
    CHECK(congru_scalar_log(INFINITY) == INFINITY);
    CHECK(congru_scalar_log(1.0) == 0.0);
    CHECK_NEAR(congru_scalar_log(0x1p-1074), -1074 * 0.69314718055994530942, 1e-12);
    CHECK(congru_scalar_exp(0.0) == 1.0);
    CHECK(congru_scalar_exp(-INFINITY) == 0.0);
    CHECK(congru_scalar_exp(-750.0) == 0.0);
    CHECK(congru_scalar_exp(INFINITY) == INFINITY);
    CHECK(congru_scalar_exp(709.9) == INFINITY);
    CHECK(isfinite(congru_scalar_exp(709.7)));
    CHECK(congru_scalar_exp(-740.0) == 4.1995579896505956e-322);
    CHECK(isnan(congru_scalar_exp(NAN)));
}

TEST(cosine_of_turns)
{
    double worst = 0;
    congru_random random = congru_random_stream(5, 0, 0, 0);
    for (int i = 0; i < SAMPLES; i++) {
        double u = congru_random_uniform(&random);
        worst = fmax(worst, fabs((double)((long double)congru_scalar_cos_2pi(u) -
                                          cosl(2 * 3.14159265358979323846264338327950288L * (long double)u))));
    }
    CHECK_SAYING(worst < 2.3e-16, "%g", worst);
    CHECK(congru_scalar_cos_2pi(0.0) == 1.0 && congru_scalar_cos_2pi(0.5) == -1.0);
    CHECK(congru_scalar_cos_2pi(0.25) == 0.0 && congru_scalar_cos_2pi(1.0) == 1.0);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
