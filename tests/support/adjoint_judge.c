/* Differences against adjoints. SPDX-License-Identifier: Apache-2.0 */
#include "adjoint_judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "spd_samples.h"

congru_context *judge_context;
const size_t JUDGE_DIMENSIONS[] = {1, 2, 3, 5, 8, 22};

enum { DIRECTIONS = 4, FUNCTIONALS = 3 };

void judge_ok(const map *m, congru_status status)
{
    CHECK_SAYING(status == CONGRU_OK, "%s, n %zu, d %zu: %s: %s", m->name, m->n, m->d,
                 congru_status_name(status), congru_context_error(judge_context));
}

static void make_direction(congru_random *random, const map *m, const double *x, judge_directions directions,
                           double *e)
{
    size_t dd = m->x_d * m->x_d;
    if (m->x_d == 0) {
        sample_normals(random, m->x_count, e);
        double norm = dense_norm(m->x_count, e);
        for (size_t i = 0; i < m->x_count; i++)
            e[i] /= norm;
        return;
    }
    double *root = sample_alloc(dd), *s = sample_alloc(dd);
    for (size_t i = 0; i < m->n; i++) {
        /* Of different sizes, or in one dimension all would move alike. */
        sample_symmetric(random, m->x_d, 0.5 + congru_random_uniform(random), s);
        if (directions == JUDGE_PROPORTIONAL) {
            dense_function(m->x_d, x + i * dd, sqrt, root);
            dense_congruence(m->x_d, m->x_d, s, root, e + i * dd);
        } else {
            memcpy(e + i * dd, s, dd * sizeof *s);
        }
    }
    free(root);
    free(s);
}

/* The derivative of y along e from f(x - 2h), f(x - h), f(x + h), f(x + 2h): right to h^4. */
static void difference(map *m, const double *x, const double *e, double h, double *derivative)
{
    static const double STEPS[4] = {-2.0, -1.0, 1.0, 2.0}, WEIGHTS[4] = {1.0, -8.0, 8.0, -1.0};
    double *moved = sample_alloc(m->x_count), *y = sample_alloc(m->y_count);
    memset(derivative, 0, m->y_count * sizeof *derivative);
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < m->x_count; i++)
            moved[i] = x[i] + STEPS[k] * h * e[i];
        judge_ok(m, m->forward(m, moved, y));
        for (size_t i = 0; i < m->y_count; i++)
            derivative[i] += WEIGHTS[k] * y[i] / (12.0 * h);
    }
    free(moved);
    free(y);
}

static void check_symmetric(const map *m, const double *dx, double rounding)
{
    for (size_t i = 0; m->x_d > 0 && i < m->n; i++) {
        const double *block = dx + i * m->x_d * m->x_d;
        for (size_t r = 0; r < m->x_d; r++) {
            for (size_t c = 0; c < r; c++)
                CHECK_SAYING(fabs(block[r * m->x_d + c] - block[c * m->x_d + r]) <= rounding,
                             "%s, n %zu, d %zu: adjoint not symmetric: %.17g and %.17g", m->name, m->n, m->d,
                             block[r * m->x_d + c], block[c * m->x_d + r]);
        }
    }
}

void judge_adjoint(map *m, const double *x, const double *dy, double *dx)
{
    congru_random random = congru_random_stream(11, (uint32_t)m->d, (uint32_t)m->n, 0);
    double *y = sample_alloc(m->y_count), *sum = sample_alloc(m->x_count), *before = sample_alloc(m->x_count);
    judge_ok(m, m->forward(m, x, y));
    CHECK_SAYING(dense_finite(m->y_count, y), "%s: output not finite", m->name);
    m->through = 0.0;
    judge_ok(m, m->backward(m, x, dy, dx));
    CHECK_SAYING(dense_finite(m->x_count, dx), "%s, n %zu, d %zu: adjoint not finite", m->name, m->n, m->d);
    double norm = dense_norm(m->x_count, dx) + m->through;
    check_symmetric(m, dx, 1e-14 * norm);

    sample_normals(&random, m->x_count, before);
    memcpy(sum, before, m->x_count * sizeof *sum);
    judge_ok(m, m->backward(m, x, dy, sum));
    for (size_t i = 0; i < m->x_count; i++)
        CHECK_SAYING(fabs(sum[i] - (before[i] + dx[i])) <= 4.0 * DBL_EPSILON * (fabs(before[i]) + norm),
                     "%s, n %zu, d %zu: %g was there, the adjoint is %g, and now it is %g", m->name, m->n, m->d,
                     before[i], dx[i], sum[i]);
    free(y);
    free(sum);
    free(before);
}

void judge(map *m, const double *x, double h, judge_directions directions, double tolerance, const char *file,
           int line)
{
    congru_random random = congru_random_stream(7, (uint32_t)m->d, (uint32_t)m->n, (uint32_t)directions);
    double *e = sample_alloc(m->x_count), *derivative = sample_alloc(m->y_count);
    double *dy = sample_alloc(FUNCTIONALS * m->y_count), *dx = sample_alloc(FUNCTIONALS * m->x_count);
    double wrong = 0.0, all = 0.0;
    sample_normals(&random, FUNCTIONALS * m->y_count, dy);
    for (size_t f = 0; f < FUNCTIONALS; f++)
        judge_adjoint(m, x, dy + f * m->y_count, dx + f * m->x_count);
    for (int k = 0; k < DIRECTIONS; k++) {
        make_direction(&random, m, x, directions, e);
        difference(m, x, e, h, derivative);
        for (size_t f = 0; f < FUNCTIONALS; f++) {
            double by_difference = dense_dot(m->y_count, derivative, dy + f * m->y_count);
            double by_adjoint = dense_dot(m->x_count, e, dx + f * m->x_count);
            wrong += (by_difference - by_adjoint) * (by_difference - by_adjoint);
            all += by_difference * by_difference;
        }
    }
    double error = sqrt(wrong / all);
    harness_check(error <= tolerance, file, line, "%s, n %zu, d %zu: relative error %g, at most %g", m->name,
                  m->n, m->d, error, tolerance);
    if (getenv("CONGRU_TEST_VERBOSE") != NULL)
        printf("# %s:%d: %s, n %zu, d %zu: relative error %.2g\n", file, line, m->name, m->n, m->d, error);
    free(e);
    free(derivative);
    free(dy);
    free(dx);
}

static void fill_values(size_t d, spectrum_kind kind, double *values)
{
    double gap = 1e-12;
    for (size_t i = 0; i < d; i++) {
        if (kind == SPACED)
            values[i] = d == 1 ? 0.7 : 0.2 * pow(25.0, (double)i / (double)(d - 1));
        else if (kind == REPEATED || kind == DIAGONAL_REPEATED)
            values[i] = i % 3 == 2 ? 3.0 : (i < d / 2 + 1 ? 0.5 : 1.5);
        else if (kind == IDENTITY)
            values[i] = 1.0;
        else {
            values[i] = i == 0 ? 0.8 : values[i - 1] + gap;
            gap = gap > 1e-5 ? 1e-12 : gap * 100.0;
        }
    }
}

void judge_batch(congru_random *random, size_t n, size_t d, spectrum_kind kind, double *c)
{
    double *values = sample_alloc(d);
    fill_values(d, kind, values);
    for (size_t i = 0; i < n; i++) {
        double *matrix = c + i * d * d;
        if (kind == IDENTITY || kind == DIAGONAL_REPEATED) {
            dense_identity(d, matrix); /* equal to the last bit, not only up to rounding */
            for (size_t k = 0; k < d; k++)
                matrix[k * d + k] = values[k];
        } else {
            sample_with_values(random, d, values, matrix);
        }
    }
    free(values);
}

void judge_open(map *m, size_t n, size_t d, size_t spectra, size_t spectra_d)
{
    m->n = n;
    m->d = d;
    if (m->x_count == 0) {
        m->x_count = m->y_count = n * d * d;
        m->x_d = d;
    }
    for (size_t i = 0; i < spectra; i++)
        judge_ok(m, congru_spectrum_create(judge_context, n, spectra_d, &m->spectra[i]));
}

void judge_close(map *m)
{
    for (size_t i = 0; i < 3; i++)
        congru_spectrum_destroy(&m->spectra[i]);
    free(m->fixed);
    free(m->middle);
}
