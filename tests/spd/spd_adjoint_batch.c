/* The adjoints of merge, rotation and whitening against differences. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "adjoint_judge.h"
#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

static congru_status merge_forward(map *m, const double *x, double *y)
{
    const double *a = m->second ? m->fixed : x, *b = m->second ? x : m->fixed;
    return congru_spd_merge_forward(judge_context, m->n, m->d, a, b, m->floor, y, m->spectra);
}

static congru_status merge_backward(map *m, const double *x, const double *dy, double *dx)
{
    (void)x;
    double *other = sample_alloc(m->x_count);
    congru_status status = congru_spd_merge_backward(judge_context, m->spectra, dy, m->second ? other : dx,
                                                     m->second ? dx : other);
    free(other);
    return status;
}

static congru_status rotation_forward(map *m, const double *x, double *y)
{
    return congru_rotation_forward(judge_context, m->d, x, y);
}

static congru_status rotation_backward(map *m, const double *x, const double *dy, double *dx)
{
    return congru_rotation_backward(judge_context, m->d, x, dy, dx);
}

static congru_status whiten_forward(map *m, const double *x, double *y)
{
    return congru_spd_whiten_forward(judge_context, m->n, m->d, x, m->floor, y, NULL, m->spectra);
}

static congru_status whiten_backward(map *m, const double *x, const double *dy, double *dx)
{
    return congru_spd_whiten_backward(judge_context, m->n, m->d, x, m->spectra, dy, dx);
}

/* By A and by B, at matrices of the given kind; B of its own spectrum, or equal to A. */
static void judge_merge(size_t n, size_t d, spectrum_kind kind, bool equal, double tolerance)
{
    for (int second = 0; second < 2; second++) {
        map m = {.name = second ? "merge by B" : "merge by A", .second = second};
        congru_random random = congru_random_stream(9, (uint32_t)d, (uint32_t)kind, equal);
        m.forward = merge_forward;
        m.backward = merge_backward;
        m.floor = 1e-5;
        judge_open(&m, n, d, 3, d);
        double *x = sample_alloc(m.x_count);
        m.fixed = sample_alloc(m.x_count);
        judge_batch(&random, n, d, kind, x);
        if (equal)
            memcpy(m.fixed, x, m.x_count * sizeof *x);
        else
            judge_batch(&random, n, d, SPACED, m.fixed);
        JUDGE(&m, x, JUDGE_STEP, JUDGE_PLAIN, tolerance);
        JUDGE(&m, x, JUDGE_STEP, JUDGE_PROPORTIONAL, tolerance);
        free(x);
        judge_close(&m);
    }
}

TEST(merge_adjoint)
{
    for (size_t k = 0; k < JUDGE_DIMENSION_COUNT; k++) {
        for (int kind = 0; kind < KINDS; kind++) {
            judge_merge(2, JUDGE_DIMENSIONS[k], (spectrum_kind)kind, false,
                        kind == SPACED ? JUDGE_SEPARATED : JUDGE_HARD);
            judge_merge(2, JUDGE_DIMENSIONS[k], (spectrum_kind)kind, true, JUDGE_HARD);
        }
    }
}

/* Part of the spectra of A under the floor: log A is then constant along those eigenvectors. */
TEST(merge_adjoint_floored)
{
    for (size_t k = 2; k < JUDGE_DIMENSION_COUNT; k++) { /* below three dimensions all of A would be floored */
        size_t d = JUDGE_DIMENSIONS[k];
        map m = {.name = "merge, floored", .forward = merge_forward, .backward = merge_backward, .floor = 0.6};
        congru_random random = congru_random_stream(10, (uint32_t)d, 0, 0);
        judge_open(&m, 2, d, 3, d);
        double *x = sample_alloc(m.x_count);
        m.fixed = sample_alloc(m.x_count);
        judge_batch(&random, m.n, d, REPEATED, x); /* 0.5 is under the floor, 1.5 and 3 are not */
        judge_batch(&random, m.n, d, SPACED, m.fixed);
        JUDGE(&m, x, 1e-4, JUDGE_PLAIN, JUDGE_HARD);
        free(x);
        judge_close(&m);
    }
}

/* A of the given size: 0, a small or a large turn; `planes` turns d/2 planes by one angle, so that the
 * eigenvalues of A - A^T repeat. */
static void judge_rotation(size_t d, double size, bool planes)
{
    map m = {.name = planes ? "rotation in planes" : "rotation", .x_count = d * d, .y_count = d * d};
    congru_random random = congru_random_stream(12, (uint32_t)d, planes, 0);
    m.forward = rotation_forward;
    m.backward = rotation_backward;
    judge_open(&m, 1, d, 0, 0);
    double *a = sample_alloc(d * d);
    if (planes) {
        for (size_t i = 0; i + 1 < d; i += 2)
            a[i * d + i + 1] = size;
    } else {
        sample_normals(&random, d * d, a);
        double scale = size / dense_norm(d * d, a);
        for (size_t i = 0; i < d * d; i++)
            a[i] *= scale;
    }
    JUDGE(&m, a, 1e-3, JUDGE_PLAIN, planes || size == 0.0 ? JUDGE_HARD : JUDGE_SEPARATED);
    free(a);
    judge_close(&m);
}

TEST(rotation_adjoint)
{
    static const double SIZES[] = {0.0, 1e-9, 1e-3, 0.5, 3.0, 20.0};
    for (size_t k = 1; k < JUDGE_DIMENSION_COUNT; k++) {
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            judge_rotation(JUDGE_DIMENSIONS[k], SIZES[i], false);
            judge_rotation(JUDGE_DIMENSIONS[k], SIZES[i], true);
        }
    }
}

/* In one dimension R is 1 whatever A is. */
TEST(rotation_adjoint_in_one_dimension)
{
    double a = 0.4, r = 0.0, d_r = 3.0, d_a = 0.25;
    CHECK(congru_rotation_forward(judge_context, 1, &a, &r) == CONGRU_OK);
    CHECK(congru_rotation_backward(judge_context, 1, &a, &d_r, &d_a) == CONGRU_OK);
    CHECK_NEAR(r, 1.0, 0.0);
    CHECK_NEAR(d_a, 0.25, 0.0);
}

static map whiten_map(size_t n, size_t d, double floor)
{
    map m = {.name = "whiten", .forward = whiten_forward, .backward = whiten_backward, .floor = floor};
    judge_open(&m, n, d, 1, d);
    judge_ok(&m, congru_spectrum_create(judge_context, 1, d, &m.spectra[1]));
    return m;
}

TEST(whiten_adjoint)
{
    static const size_t BATCHES[] = {2, 5, 9};
    for (size_t k = 0; k < JUDGE_DIMENSION_COUNT; k++) {
        for (int kind = 0; kind < KINDS; kind++) {
            size_t n = JUDGE_DIMENSIONS[k] == 3 && kind == SPACED ? 100 : BATCHES[kind % 3];
            map m = whiten_map(n, JUDGE_DIMENSIONS[k], kind % 2 == 0 ? 1e-5 : 0.0);
            congru_random random = congru_random_stream(13, (uint32_t)k, (uint32_t)kind, 0);
            double *x = sample_alloc(m.x_count);
            judge_batch(&random, n, m.d, (spectrum_kind)kind, x);
            JUDGE(&m, x, JUDGE_STEP, JUDGE_PLAIN, kind == SPACED ? JUDGE_SEPARATED : JUDGE_HARD);
            JUDGE(&m, x, JUDGE_STEP, JUDGE_PROPORTIONAL, kind == SPACED ? JUDGE_SEPARATED : JUDGE_HARD);
            free(x);
            judge_close(&m);
        }
    }
}

TEST(whiten_adjoint_floored)
{
    for (size_t k = 0; k < JUDGE_DIMENSION_COUNT; k++) {
        map m = whiten_map(4, JUDGE_DIMENSIONS[k], 0.6);
        congru_random random = congru_random_stream(14, (uint32_t)k, 0, 0);
        double *x = sample_alloc(m.x_count);
        judge_batch(&random, m.n, m.d, REPEATED, x);
        JUDGE(&m, x, 1e-4, JUDGE_PLAIN, JUDGE_HARD);
        free(x);
        judge_close(&m);
    }
}

/* One matrix whitened by itself is the identity, wherever it is: the adjoint is rounding around zero. */
TEST(whiten_alone_is_constant)
{
    for (size_t k = 0; k < JUDGE_DIMENSION_COUNT; k++) {
        map m = whiten_map(1, JUDGE_DIMENSIONS[k], 0.0);
        congru_random random = congru_random_stream(15, (uint32_t)k, 0, 0);
        double *x = sample_alloc(m.x_count), *dy = sample_alloc(m.x_count), *dx = sample_alloc(m.x_count);
        judge_batch(&random, 1, m.d, SPACED, x);
        sample_normals(&random, m.x_count, dy);
        judge_ok(&m, whiten_forward(&m, x, dx));
        for (size_t i = 0; i < m.x_count; i++)
            CHECK_NEAR(dx[i], i % (m.d + 1) == 0 ? 1.0 : 0.0, 1e-13);
        for (size_t i = 0; i < m.x_count; i++)
            dx[i] = 0.0;
        judge_ok(&m, whiten_backward(&m, x, dy, dx));
        CHECK_NEAR(dense_norm(m.x_count, dx), 0.0, 1e-12 * dense_norm(m.x_count, dy));
        free(x);
        free(dy);
        free(dx);
        judge_close(&m);
    }
}

int main(void)
{
    return context_main(&judge_context, NULL);
}
