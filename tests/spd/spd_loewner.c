/* Divided differences of log, exp and powers against extended precision. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "spd_samples.h"

/* The adjoint of f at a diagonal matrix is K o dY, K the divided differences of f at its entries: nothing is
 * rounded on the way, so K itself can be judged, entry by entry. `long double` carries 11 bits or more beyond
 * double where these tests mean anything; elsewhere they skip. */
static const double TOLERANCE = 1e-13;

static congru_context *context;

typedef enum function { LOG, EXP, POWER } function;

typedef struct options {
    function f;
    double jitter, floor, scale, p;
} options;

/* f at x. */
static long double value_of(const options *o, double x)
{
    if (o->f == EXP)
        return expl((long double)o->scale * x);
    if (o->f == POWER)
        return powl(x, o->p);
    long double moved = (long double)x + o->jitter;
    return logl(moved > o->floor ? moved : o->floor);
}

/* The derivative of f at x. */
static long double slope_of(const options *o, double x)
{
    if (o->f == EXP)
        return o->scale * expl((long double)o->scale * x);
    if (o->f == POWER)
        return o->p * powl(x, (long double)o->p - 1.0L);
    long double moved = (long double)x + o->jitter;
    return moved > o->floor ? 1.0L / moved : 0.0L;
}

/* (f(a) - f(b)) / (a - b): for far arguments as it stands, for near ones by expm1 and log1p, which do not
 * cancel. The two overlap, and reference_formulas_agree compares them. */
static long double far_difference(const options *o, double a, double b)
{
    return (value_of(o, a) - value_of(o, b)) / ((long double)a - b);
}

static long double near_difference(const options *o, double a, double b)
{
    long double gap = (long double)a - b;
    if (o->f == EXP)
        return expl((long double)o->scale * b) * expm1l(o->scale * gap) / gap;
    if (o->f == POWER)
        return powl(b, o->p) * expm1l(o->p * log1pl(gap / b)) / gap;
    long double high = (long double)a + o->jitter, low = (long double)b + o->jitter, floor = o->floor;
    if (high <= floor)
        return 0.0L;
    /* The gap itself, and not what is left of it once a jitter has been added to both. */
    return (low < floor ? log1pl((high - floor) / floor) : log1pl(gap / low)) / gap;
}

static long double difference_of(const options *o, double a, double b)
{
    if (a == b)
        return slope_of(o, a);
    double high = a > b ? a : b, low = a > b ? b : a;
    return near_difference(o, high, low);
}

static bool extended(void)
{
    long double one = 1.0L, small = 1e-18L;
    return one + small > one;
}

static congru_status forward(const options *o, size_t d, const double *c, double *y, congru_spectrum *spectrum)
{
    if (o->f == LOG)
        return congru_spd_log_forward(context, 1, d, c, o->jitter, o->floor, y, spectrum);
    if (o->f == EXP)
        return congru_spd_exp_forward(context, 1, d, c, o->scale, y, spectrum);
    return congru_spd_power_forward(context, 1, d, c, o->p, y, spectrum);
}

static congru_status backward(const options *o, const congru_spectrum *spectrum, const double *dy, double *dx)
{
    if (o->f == LOG)
        return congru_spd_log_backward(context, spectrum, dy, dx);
    if (o->f == EXP)
        return congru_spd_exp_backward(context, spectrum, dy, dx);
    return congru_spd_power_backward(context, spectrum, dy, dx);
}

/* Every entry of the adjoint at diag(values), relative to that entry. */
static void judge_diagonal(const options *o, size_t d, const double *values)
{
    congru_random random = congru_random_stream(21, (uint32_t)d, (uint32_t)o->f, 0);
    double *c = sample_alloc(d * d), *y = sample_alloc(d * d), *dy = sample_alloc(d * d),
           *dx = sample_alloc(d * d);
    congru_spectrum *spectrum = NULL;
    for (size_t i = 0; i < d; i++)
        c[i * d + i] = values[i];
    sample_normals(&random, d * d, dy);
    CHECK(congru_spectrum_create(context, 1, d, &spectrum) == CONGRU_OK);
    CHECK(forward(o, d, c, y, spectrum) == CONGRU_OK);
    CHECK(backward(o, spectrum, dy, dx) == CONGRU_OK);
    for (size_t i = 0; i < d; i++) {
        long double known = value_of(o, values[i]);
        /* Adding a jitter rounds the argument, which moves a logarithm by that much whatever its own size. */
        double rounding = o->jitter > 0.0 ? 2.0 * DBL_EPSILON : 0.0;
        CHECK_NEAR(y[i * d + i], (double)known, TOLERANCE * (double)fabsl(known) + rounding);
        for (size_t j = 0; j < d; j++) {
            double middle = 0.5 * (dy[i * d + j] + dy[j * d + i]);
            long double expected = difference_of(o, values[i], values[j]) * middle;
            double error = (double)fabsl(dx[i * d + j] - expected), size = (double)fabsl(expected);
            CHECK_SAYING(error <= TOLERANCE * size,
                         "at %.17g and %.17g: %.17g, expected %.17Lg: off by %g relative", values[i], values[j],
                         dx[i * d + j], expected, error / size);
        }
    }
    congru_spectrum_destroy(&spectrum);
    free(c);
    free(y);
    free(dy);
    free(dx);
}

static const double RATIOS[] = {1e-15, 3e-15, 1e-14, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5,
                                1e-4,  1e-3,  1e-2,  0.1,   0.3,   0.5,  0.9,  1.0,  1.1,  2.0,
                                3.0,   7.0,   9.0,   1e2,   1e3,   1e4,  1e6,  1e8,  1e10, 1e12};
static const double CENTRES[] = {1.0, 1e-5, 0.037, 3.3, 1e7, 2e-9};
enum { RATIO_COUNT = sizeof RATIOS / sizeof *RATIOS, CENTRE_COUNT = sizeof CENTRES / sizeof *CENTRES };

/* Pairs b and b (1 + ratio), and all of one centre at once, in no order. */
static void judge_ratios(const options *o)
{
    double all[RATIO_COUNT + 1];
    for (size_t c = 0; c < CENTRE_COUNT; c++) {
        for (size_t r = 0; r < RATIO_COUNT; r++) {
            double pair[2] = {CENTRES[c] * (1.0 + RATIOS[r]), CENTRES[c]};
            judge_diagonal(o, 2, pair);
            /* 17 and RATIO_COUNT have no common factor. */
            all[(17 * r) % RATIO_COUNT] = pair[0];
        }
        all[RATIO_COUNT] = CENTRES[c];
        judge_diagonal(o, RATIO_COUNT + 1, all);
    }
}

static void reference_formulas_agree(void)
{
    static const options ALL[] = {
        {.f = LOG}, {.f = EXP, .scale = 1.0}, {.f = POWER, .p = 0.3}, {.f = POWER, .p = -0.5}};
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
        for (double gap = 0.5; gap < 100.0; gap *= 1.7) {
            long double far = far_difference(&ALL[i], 0.3 + gap, 0.3),
                        near = near_difference(&ALL[i], 0.3 + gap, 0.3);
            CHECK_NEAR((double)(far / near), 1.0, 1e-15);
        }
    }
}

static void log_divided_differences(void)
{
    options o = {.f = LOG};
    judge_ratios(&o);
    o.floor = 1e-10; /* under all of them */
    judge_ratios(&o);
}

/* One side exactly on the double a little above the floor, the other a little or far below. */
static void log_divided_differences_across_the_floor(void)
{
    static const double FLOORS[] = {1e-5, 1.0, 1e-2, 37.0};
    static const double BELOW[] = {1e-15, 1e-13, 1e-9, 1e-4, 0.1, 0.5, 0.9, 1.0, 3.0};
    for (size_t f = 0; f < sizeof FLOORS / sizeof *FLOORS; f++) {
        options o = {.f = LOG, .floor = FLOORS[f]};
        for (size_t r = 0; r < RATIO_COUNT; r++) {
            for (size_t b = 0; b < sizeof BELOW / sizeof *BELOW; b++) {
                double pair[2] = {o.floor * (1.0 + RATIOS[r]), o.floor * (1.0 - BELOW[b])};
                judge_diagonal(&o, 2, pair);
            }
        }
        /* Equal eigenvalues on both sides. */
        double six[6] = {2.0 * o.floor, 0.5 * o.floor, 2.0 * o.floor, -o.floor, 0.5 * o.floor, 9.0 * o.floor};
        judge_diagonal(&o, 6, six);
    }
}

/* Adding the jitter rounds, by half of the last bit: harmless for K except next to the floor, so not there. */
static void log_divided_differences_with_jitter(void)
{
    options o = {.f = LOG, .jitter = 1e-4};
    judge_ratios(&o);
    o.floor = 1e-2;
    for (size_t r = 0; r < RATIO_COUNT; r++) {
        double four[4] = {0.05 * (1.0 + RATIOS[r]), 0.05, 0.003 * (1.0 + RATIOS[r] / 1e12), 0.003};
        judge_diagonal(&o, 4, four);
    }
}

/* Differences from 0 to 600. The scales are powers of two: scale times eigenvalue is then exact, where rounding
 * it would cost 600 eps by itself. */
static void exp_divided_differences(void)
{
    static const double SCALES[] = {1.0, 0.5, -1.0, 2.0};
    static const double LOWS[] = {0.0, -300.0, -650.0, 4.7, 50.0};
    static const double GAPS[] = {0.0,  1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1,  0.3,
                                  0.69, 0.7,   1.0,   2.0,  5.0,  20.0, 37.0, 100., 300., 600.0};
    enum { GAP_COUNT = sizeof GAPS / sizeof *GAPS };
    for (size_t s = 0; s < sizeof SCALES / sizeof *SCALES; s++) {
        options o = {.f = EXP, .scale = SCALES[s]};
        for (size_t l = 0; l < sizeof LOWS / sizeof *LOWS; l++) {
            double all[GAP_COUNT];
            for (size_t g = 0; g < GAP_COUNT; g++) {
                double pair[2] = {LOWS[l] / o.scale, (LOWS[l] + GAPS[g]) / o.scale};
                all[(7 * g) % GAP_COUNT] = pair[1];
                judge_diagonal(&o, 2, pair);
            }
            judge_diagonal(&o, GAP_COUNT, all);
        }
    }
}

static void power_divided_differences(void)
{
    static const double POWERS[] = {0.5, -0.5, 0.3, -1.0, 2.0, 1.0, 3.0};
    for (size_t i = 0; i < sizeof POWERS / sizeof *POWERS; i++) {
        options o = {.f = POWER, .p = POWERS[i]};
        judge_ratios(&o);
    }
}

static const struct {
    const char *name;
    void (*test)(void);
} TESTS[] = {
    {"reference_formulas_agree", reference_formulas_agree},
    {"log_divided_differences", log_divided_differences},
    {"log_divided_differences_across_the_floor", log_divided_differences_across_the_floor},
    {"log_divided_differences_with_jitter", log_divided_differences_with_jitter},
    {"exp_divided_differences", exp_divided_differences},
    {"power_divided_differences", power_divided_differences},
};

static size_t current;

static void try_current(void)
{
    if (extended())
        TESTS[current].test();
    else
        SKIP("long double is no wider than double here");
}

int main(void)
{
    congru_status status = congru_context_create(&context, NULL);
    if (status != CONGRU_OK)
        return 1;
    for (current = 0; current < sizeof TESTS / sizeof *TESTS; current++)
        harness_run(TESTS[current].name, try_current);
    congru_context_destroy(&context);
    return harness_end();
}
