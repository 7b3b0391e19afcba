/* The adjoints of log, exp, power and congruence against differences. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adjoint_judge.h"
#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

/* ---- The maps ---------------------------------------------------------------------------------- */

static congru_status log_forward(map *m, const double *x, double *y)
{
    return congru_spd_log_forward(judge_context, m->n, m->d, x, m->jitter, m->floor, y, m->spectra[0]);
}

static congru_status log_backward(map *m, const double *x, const double *dy, double *dx)
{
    (void)x;
    return congru_spd_log_backward(judge_context, m->spectra[0], dy, dx);
}

static congru_status exp_forward(map *m, const double *x, double *y)
{
    return congru_spd_exp_forward(judge_context, m->n, m->d, x, m->scale, y, m->spectra[0]);
}

static congru_status exp_backward(map *m, const double *x, const double *dy, double *dx)
{
    (void)x;
    return congru_spd_exp_backward(judge_context, m->spectra[0], dy, dx);
}

static congru_status power_forward(map *m, const double *x, double *y)
{
    return congru_spd_power_forward(judge_context, m->n, m->d, x, m->p, y, m->spectra[0]);
}

static congru_status power_backward(map *m, const double *x, const double *dy, double *dx)
{
    (void)x;
    return congru_spd_power_backward(judge_context, m->spectra[0], dy, dx);
}

static congru_status congruence_c_forward(map *m, const double *x, double *y)
{
    return congru_spd_congruence_forward(judge_context, m->n, m->d, m->d_out, x, m->fixed, m->epsilon, y);
}

static congru_status congruence_c_backward(map *m, const double *x, const double *dy, double *dx)
{
    return congru_spd_congruence_backward(judge_context, m->n, m->d, m->d_out, x, m->fixed, dy, dx, NULL);
}

static congru_status congruence_w_forward(map *m, const double *x, double *y)
{
    return congru_spd_congruence_forward(judge_context, m->n, m->d, m->d_out, m->fixed, x, m->epsilon, y);
}

static congru_status congruence_w_backward(map *m, const double *x, const double *dy, double *dx)
{
    return congru_spd_congruence_backward(judge_context, m->n, m->d, m->d_out, m->fixed, x, dy, NULL, dx);
}

/* log(W^T C W + epsilon I): with W wider than tall, d_out - d eigenvalues are epsilon. By C, then by W. */
static congru_status lifted_log_forward(map *m, const double *c, const double *w, double *y)
{
    congru_status status =
        congru_spd_congruence_forward(judge_context, m->n, m->d, m->d_out, c, w, m->epsilon, m->middle);
    if (status != CONGRU_OK)
        return status;
    return congru_spd_log_forward(judge_context, m->n, m->d_out, m->middle, m->jitter, m->floor, y,
                                  m->spectra[0]);
}

static congru_status lifted_log_backward(map *m, const double *c, const double *w, const double *dy, double *dc,
                                         double *dw)
{
    double *inner = sample_alloc(m->y_count);
    congru_status status = congru_spd_log_backward(judge_context, m->spectra[0], dy, inner);
    if (status == CONGRU_OK)
        status = congru_spd_congruence_backward(judge_context, m->n, m->d, m->d_out, c, w, inner, dc, dw);
    /* W takes most of what is large in dZ, the part on its null space, away again: rounding stays. */
    m->through = dense_norm(m->y_count, inner) * dense_dot(m->d * m->d_out, w, w);
    free(inner);
    return status;
}

static congru_status lifted_c_forward(map *m, const double *x, double *y)
{
    return lifted_log_forward(m, x, m->fixed, y);
}

static congru_status lifted_c_backward(map *m, const double *x, const double *dy, double *dx)
{
    return lifted_log_backward(m, x, m->fixed, dy, dx, NULL);
}

static congru_status lifted_w_forward(map *m, const double *x, double *y)
{
    return lifted_log_forward(m, m->fixed, x, y);
}

static congru_status lifted_w_backward(map *m, const double *x, const double *dy, double *dx)
{
    return lifted_log_backward(m, m->fixed, x, dy, NULL, dx);
}

/* One map that is a function of the eigenvalues, over all dimensions and kinds of spectrum. */
static void judge_spectral(map m, double h)
{
    for (size_t k = 0; k < JUDGE_DIMENSION_COUNT; k++) {
        for (int kind = 0; kind < KINDS; kind++) {
            map own = m;
            congru_random random = congru_random_stream(3, (uint32_t)k, (uint32_t)kind, 0);
            judge_open(&own, kind == SPACED ? 3 : 2, JUDGE_DIMENSIONS[k], 1, JUDGE_DIMENSIONS[k]);
            double *x = sample_alloc(own.x_count);
            judge_batch(&random, own.n, own.d, (spectrum_kind)kind, x);
            double tolerance = kind == SPACED ? JUDGE_SEPARATED : JUDGE_HARD;
            JUDGE(&own, x, h, JUDGE_PLAIN, tolerance);
            JUDGE(&own, x, h, JUDGE_PROPORTIONAL, tolerance);
            free(x);
            judge_close(&own);
        }
    }
}

/* ---- Tests ------------------------------------------------------------------------------------- */

TEST(log_adjoint)
{
    map m = {.name = "log", .forward = log_forward, .backward = log_backward};
    judge_spectral(m, JUDGE_STEP);
    m.jitter = 1e-4;
    m.floor = 1e-5;
    judge_spectral(m, JUDGE_STEP);
    m.jitter = 0.5;
    judge_spectral(m, JUDGE_STEP);
}

TEST(exp_adjoint)
{
    static const double SCALES[] = {1.0, 0.3, -1.5, 2.0};
    for (size_t i = 0; i < sizeof SCALES / sizeof *SCALES; i++) {
        map m = {.name = "exp", .forward = exp_forward, .backward = exp_backward, .scale = SCALES[i]};
        judge_spectral(m, 4.0 * JUDGE_STEP);
    }
}

TEST(power_adjoint)
{
    static const double POWERS[] = {0.5, -0.5, 0.3, -1.0, 2.0};
    for (size_t i = 0; i < sizeof POWERS / sizeof *POWERS; i++) {
        map m = {.name = "power", .forward = power_forward, .backward = power_backward, .p = POWERS[i]};
        judge_spectral(m, JUDGE_STEP);
    }
}

/* Where the result does not move at all, the adjoint is zero: nothing to divide by, and no NaN. */
TEST(constant_maps_have_zero_adjoint)
{
    map maps[] = {
        {.name = "exp, scale 0", .forward = exp_forward, .backward = exp_backward, .scale = 0.0},
        {.name = "power 0", .forward = power_forward, .backward = power_backward, .p = 0.0},
        {.name = "log, all floored", .forward = log_forward, .backward = log_backward, .floor = 10.0},
    };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            map m = maps[i];
            congru_random random = congru_random_stream(4, (uint32_t)i, (uint32_t)kind, 0);
            judge_open(&m, 2, 5, 1, 5);
            double *x = sample_alloc(m.x_count), *dy = sample_alloc(m.x_count), *dx = sample_alloc(m.x_count);
            judge_batch(&random, m.n, m.d, (spectrum_kind)kind, x);
            sample_normals(&random, m.x_count, dy);
            judge_adjoint(&m, x, dy, dx);
            CHECK_NEAR(dense_norm(m.x_count, dx), 0.0, 0.0);
            free(x);
            free(dy);
            free(dx);
            judge_close(&m);
        }
    }
}

/* Eigenvalues on both sides of the floor, none nearer to it than half of it (the step is a thousandth of
 * that); some negative, some equal below and above. */
TEST(log_adjoint_straddling_the_floor)
{
    static const double BELOW[] = {0.5, 0.5, -2.0, 0.1, 0.0, 1e-12},
                        ABOVE[] = {2.0, 2.0, 3.0, 50.0, 100.0, 1.6};
    for (size_t k = 1; k < JUDGE_DIMENSION_COUNT; k++) {
        for (int jittered = 0; jittered < 2; jittered++) {
            map m = {.name = "log, straddling", .forward = log_forward, .backward = log_backward};
            congru_random random = congru_random_stream(5, (uint32_t)k, 0, 0);
            m.floor = 1e-2;
            m.jitter = jittered ? 2e-3 : 0.0;
            judge_open(&m, 3, JUDGE_DIMENSIONS[k], 1, JUDGE_DIMENSIONS[k]);
            double *x = sample_alloc(m.x_count), *values = sample_alloc(m.d);
            for (size_t i = 0; i < m.n; i++) {
                for (size_t j = 0; j < m.d; j++)
                    values[j] = m.floor * (j % 2 == 0 ? BELOW[(j / 2) % 6] : ABOVE[(j / 2) % 6]) - m.jitter;
                sample_with_values(&random, m.d, values, x + i * m.d * m.d);
            }
            JUDGE(&m, x, 1e-3 * 0.5 * m.floor, JUDGE_PLAIN, JUDGE_HARD);
            free(values);
            free(x);
            judge_close(&m);
        }
    }
}

/* W^T C W + epsilon I is quadratic in W and linear in C, so differences of any size are exact. */
TEST(congruence_adjoint)
{
    static const size_t SHAPES[][2] = {{1, 1},  {1, 3},  {2, 2},   {3, 5},  {5, 3},
                                       {8, 16}, {16, 8}, {22, 12}, {22, 44}};
    for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++) {
        /* Once with more matrices than one worker takes at a time: dW is a sum over them all. */
        size_t n = k == 3 ? 100 : 3, d = SHAPES[k][0], d_out = SHAPES[k][1];
        congru_random random = congru_random_stream(6, (uint32_t)k, 0, 0);
        double *c = sample_alloc(n * d * d), *w = sample_alloc(d * d_out);
        judge_batch(&random, n, d, SPACED, c);
        sample_normals(&random, d * d_out, w);
        map by_c = {
            .name = "congruence by C", .forward = congruence_c_forward, .backward = congruence_c_backward};
        by_c.d_out = d_out;
        by_c.epsilon = 1e-4;
        by_c.x_count = n * d * d;
        by_c.x_d = d;
        by_c.y_count = n * d_out * d_out;
        judge_open(&by_c, n, d, 0, 0);
        map by_w = by_c;
        by_w.name = "congruence by W";
        by_w.forward = congruence_w_forward;
        by_w.backward = congruence_w_backward;
        by_w.x_count = d * d_out;
        by_w.x_d = 0;
        by_c.fixed = w;
        JUDGE(&by_c, c, 0.1, JUDGE_PLAIN, JUDGE_SEPARATED);
        by_w.fixed = c;
        JUDGE(&by_w, w, 0.1, JUDGE_PLAIN, JUDGE_SEPARATED);
        judge_close(&by_c);
        judge_close(&by_w);
    }
}

/* The chain of a lifting layer and a logarithm, by C and by W. W has orthonormal rows, as the layer's initial
 * weights do: d_out - d eigenvalues of W^T C W + epsilon I are epsilon. */
static map lifted_map(size_t n, size_t d, double epsilon, bool by_w)
{
    map m = {.name = by_w ? "lifted log by W" : "lifted log by C", .d_out = 2 * d, .epsilon = epsilon};
    m.forward = by_w ? lifted_w_forward : lifted_c_forward;
    m.backward = by_w ? lifted_w_backward : lifted_c_backward;
    m.jitter = 1e-4;
    m.floor = 1e-5;
    m.x_count = by_w ? d * m.d_out : n * d * d;
    m.x_d = by_w ? 0 : d;
    m.y_count = n * m.d_out * m.d_out;
    m.middle = sample_alloc(m.y_count);
    judge_open(&m, n, d, 1, m.d_out);
    return m;
}

TEST(lifted_log_adjoint)
{
    static const size_t HALVES[] = {1, 2, 3, 5, 8, 11};
    static const double EPSILONS[] = {1e-2, 1e-4};
    for (size_t k = 0; k < 2 * (sizeof HALVES / sizeof *HALVES); k++) {
        size_t n = 2, d = HALVES[k / 2];
        double epsilon = EPSILONS[k % 2];
        congru_random random = congru_random_stream(8, (uint32_t)k, 0, 0);
        double *c = sample_alloc(n * d * d), *w = sample_alloc(4 * d * d);
        judge_batch(&random, n, d, SPACED, c);
        sample_orthogonal(&random, 2 * d, w);
        map by_c = lifted_map(n, d, epsilon, false), by_w = lifted_map(n, d, epsilon, true);
        by_c.fixed = w;
        JUDGE(&by_c, c, 4.0 * JUDGE_STEP, JUDGE_PLAIN, JUDGE_HARD);
        by_w.fixed = c;
        /* Small against sqrt(epsilon): there the eigenvalues of the null space begin to move. */
        JUDGE(&by_w, w, 0.02 * sqrt(epsilon), JUDGE_PLAIN, JUDGE_HARD);
        judge_close(&by_c);
        judge_close(&by_w);
    }
}

int main(void)
{
    return context_main(&judge_context, NULL);
}
