/* The matrices the geometry refuses, and what it says about them. SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

enum { N = 9, D = 4, DD = D * D, BAD = 3 };

static congru_context *context;

/* A batch of good matrices that tests spoil, and arrays for results. */
static double good[N * DD], other[N * DD], bad[N * DD], out[N * DD], w[DD], base[DD], vectors[N * D];

#define STATUS(expected, call) spd_expect(context, (call), (expected), __FILE__, __LINE__)
#define OK(call) STATUS(CONGRU_OK, call)
#define REFUSED(call) STATUS(CONGRU_ERROR_ARGUMENT, call)

/* The text names "matrix INDEX + 1", and not a longer number that starts with it. */
static bool text_names(size_t index)
{
    char name[32];
    snprintf(name, sizeof name, "matrix %zu", index + 1);
    const char *found = strstr(congru_context_error(context), name);
    return found != NULL && !isdigit((unsigned char)found[strlen(name)]);
}

static void check_named(congru_status status, congru_status expected, size_t index, const char *what, int line)
{
    harness_check(status == expected, __FILE__, line, "%s: %s (%s), expected %s", what,
                  congru_status_name(status), congru_context_error(context), congru_status_name(expected));
    harness_check(text_names(index), __FILE__, line, "%s: \"%s\" does not name matrix %zu", what,
                  congru_context_error(context), index + 1);
}
#define NAMED(expected, index, call) check_named((call), (expected), (index), #call, __LINE__)

static void prepare(void)
{
    congru_random random = congru_random_stream(71, 0, 0, 0);
    for (size_t i = 0; i < N; i++) {
        sample_spd(&random, D, 10.0, good + i * DD);
        sample_spd(&random, D, 100.0, other + i * DD);
    }
    sample_normals(&random, DD, w);
    sample_spd(&random, D, 5.0, base);
    memcpy(bad, good, sizeof bad);
    memset(vectors, 0, sizeof vectors);
}

/* Every public function that reads a batch of matrices, with `bad` as that batch: all must refuse it alike. */
static void all_refuse(congru_status expected, size_t index, bool need_positive)
{
    double values[N * D];
    if (!need_positive) {
        NAMED(expected, index, congru_spd_eigen(context, N, D, bad, values, out));
        NAMED(expected, index, congru_spd_exp(context, N, D, bad, out));
        NAMED(expected, index, congru_spd_congruence(context, N, D, 2, bad, w, out));
        NAMED(expected, index, congru_spd_exp_map(context, N, D, base, bad, out));
        NAMED(expected, index, congru_spd_congruence_forward(context, N, D, 2, bad, w, 1e-4, out));
        NAMED(expected, index, congru_spd_distance(context, CONGRU_METRIC_EUCLID, N, D, bad, N, good, out));
        NAMED(expected, index, congru_spd_mean(context, CONGRU_METRIC_EUCLID, N, D, bad, NULL, out, NULL));
    }
    NAMED(expected, index, congru_spd_log(context, N, D, bad, out));
    NAMED(expected, index, congru_spd_sqrt(context, N, D, bad, out));
    NAMED(expected, index, congru_spd_invsqrt(context, N, D, bad, out));
    NAMED(expected, index, congru_spd_power(context, N, D, bad, 0.3, out));
    NAMED(expected, index, congru_spd_merge(context, N, D, bad, good, out));
    NAMED(expected, index, congru_spd_merge(context, N, D, good, bad, out));
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_LOGEUCLID; metric++) {
        congru_metric kind = (congru_metric)metric;
        NAMED(expected, index, congru_spd_distance(context, kind, N, D, bad, N, good, out));
        NAMED(expected, index, congru_spd_distance(context, kind, N, D, good, N, bad, out));
        NAMED(expected, index, congru_spd_distance_pairwise(context, kind, D, N, bad, 2, good, out));
        NAMED(expected, index, congru_spd_geodesic(context, kind, N, D, bad, N, good, 0.5, out));
        NAMED(expected, index, congru_spd_geodesic(context, kind, N, D, good, N, bad, 0.5, out));
        NAMED(expected, index, congru_spd_mean(context, kind, N, D, bad, NULL, out, NULL));
    }
    NAMED(expected, index, congru_spd_log_map(context, N, D, base, bad, out));
    NAMED(expected, index, congru_spd_tangent(context, N, D, base, bad, out));
    NAMED(expected, index, congru_spd_tangent(context, N, D, NULL, bad, out));
}

/* The forward calls that keep spectra. */
static void all_forward_refuse(congru_status expected, size_t index, bool need_positive)
{
    congru_spectrum *spectra[3] = {NULL, NULL, NULL}, *whiten[2] = {NULL, NULL};
    for (size_t i = 0; i < 3; i++)
        OK(congru_spectrum_create(context, N, D, &spectra[i]));
    whiten[0] = spectra[0];
    OK(congru_spectrum_create(context, 1, D, &whiten[1]));
    NAMED(expected, index, congru_spd_log_forward(context, N, D, bad, 0.0, 0.0, out, spectra[0]));
    NAMED(expected, index, congru_spd_power_forward(context, N, D, bad, 0.5, out, spectra[0]));
    NAMED(expected, index, congru_spd_merge_forward(context, N, D, bad, good, 0.0, out, spectra));
    NAMED(expected, index, congru_spd_merge_forward(context, N, D, good, bad, 0.0, out, spectra));
    NAMED(expected, index, congru_spd_whiten_forward(context, N, D, bad, 0.0, out, NULL, whiten));
    if (!need_positive) {
        NAMED(expected, index, congru_spd_exp_forward(context, N, D, bad, 1.0, out, spectra[0]));
        NAMED(expected, index, congru_spd_log_forward(context, N, D, bad, 0.0, 1e-5, out, spectra[0]));
    } else {
        /* A floor takes what is not positive. */
        OK(congru_spd_log_forward(context, N, D, bad, 0.0, 1e-5, out, spectra[0]));
        CHECK(dense_finite(N * DD, out));
        OK(congru_spd_log_backward(context, spectra[0], good, out));
        CHECK(dense_finite(N * DD, out));
    }
    for (size_t i = 0; i < 3; i++)
        congru_spectrum_destroy(&spectra[i]);
    congru_spectrum_destroy(&whiten[1]);
}

TEST(refuses_what_is_not_finite)
{
    static const double VALUES_BAD[] = {NAN, INFINITY, -INFINITY};
    static const size_t PLACES[] = {0, 7, DD - 1};
    for (size_t i = 0; i < 3; i++) {
        prepare();
        size_t place = PLACES[i];
        bad[BAD * DD + place] = VALUES_BAD[i];
        bad[BAD * DD + (place % D) * D + place / D] = VALUES_BAD[i];
        all_refuse(CONGRU_ERROR_NOT_FINITE, BAD, false);
        all_forward_refuse(CONGRU_ERROR_NOT_FINITE, BAD, false);
    }
    /* What is shared has no index, and is looked at all the same. */
    prepare();
    base[5] = NAN;
    w[3] = INFINITY;
    STATUS(CONGRU_ERROR_NOT_FINITE, congru_spd_log_map(context, N, D, base, good, out));
    STATUS(CONGRU_ERROR_NOT_FINITE, congru_spd_exp_map(context, N, D, base, good, out));
    STATUS(CONGRU_ERROR_NOT_FINITE, congru_spd_tangent(context, N, D, base, good, out));
    STATUS(CONGRU_ERROR_NOT_FINITE, congru_spd_congruence(context, N, D, D, good, w, out));
    STATUS(CONGRU_ERROR_NOT_FINITE, congru_rotation_forward(context, D, w, out));
    congru_mean_options options = {.start = base};
    STATUS(CONGRU_ERROR_NOT_FINITE,
           congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, good, &options, out, NULL));
    memset(vectors, 0, sizeof vectors);
    vectors[2 * 3 + 1] = NAN;
    NAMED(CONGRU_ERROR_NOT_FINITE, 2, congru_spd_untangent(context, 4, 2, NULL, vectors, out));
}

TEST(refuses_what_is_not_symmetric)
{
    prepare();
    bad[BAD * DD + 1] += 1e-3;
    all_refuse(CONGRU_ERROR_NOT_SYMMETRIC, BAD, false);
    all_forward_refuse(CONGRU_ERROR_NOT_SYMMETRIC, BAD, false);
    base[1] += 0.1;
    STATUS(CONGRU_ERROR_NOT_SYMMETRIC, congru_spd_log_map(context, N, D, base, good, out));

    /* The line is at 1e-6 of the largest entry; below it, the average of both halves counts. */
    double matrix[4] = {2.0, 0.3, 0.3, 1.0}, middle[4], expected[4], found[4];
    memcpy(middle, matrix, sizeof middle);
    matrix[1] += 2.5e-6;
    STATUS(CONGRU_ERROR_NOT_SYMMETRIC, congru_spd_log(context, 1, 2, matrix, found));
    matrix[1] = 0.3 + 1.5e-6;
    middle[1] = middle[2] = 0.3 + 0.75e-6;
    OK(congru_spd_log(context, 1, 2, matrix, found));
    OK(congru_spd_log(context, 1, 2, middle, expected));
    CHECK(dense_difference(4, found, expected) <= 1e-14);
    CHECK(found[1] == found[2]);
}

TEST(refuses_what_is_not_positive)
{
    double values[D] = {1.0, 2.0, -0.5, 3.0};
    congru_random random = congru_random_stream(72, 0, 0, 0);
    prepare();
    sample_with_values(&random, D, values, bad + BAD * DD);
    all_refuse(CONGRU_ERROR_NOT_POSITIVE, BAD, true);
    all_forward_refuse(CONGRU_ERROR_NOT_POSITIVE, BAD, true);
    /* Zero is not positive either: exactly singular, and nothing at all. */
    memset(bad + BAD * DD, 0, DD * sizeof *bad);
    all_refuse(CONGRU_ERROR_NOT_POSITIVE, BAD, true);
    /* One zero among ones; only where the matrix itself is decomposed, for rounding hides it in a product. */
    bad[BAD * DD] = bad[BAD * DD + D + 1] = bad[BAD * DD + 2 * D + 2] = 1.0;
    NAMED(CONGRU_ERROR_NOT_POSITIVE, BAD, congru_spd_log(context, N, D, bad, out));
    NAMED(CONGRU_ERROR_NOT_POSITIVE, BAD, congru_spd_sqrt(context, N, D, bad, out));
    NAMED(CONGRU_ERROR_NOT_POSITIVE, BAD, congru_spd_power(context, N, D, bad, -1.0, out));
    NAMED(CONGRU_ERROR_NOT_POSITIVE, BAD, congru_spd_merge(context, N, D, good, bad, out));
    /* A base must be positive, and a start. */
    sample_with_values(&random, D, values, base);
    STATUS(CONGRU_ERROR_NOT_POSITIVE, congru_spd_log_map(context, N, D, base, good, out));
    STATUS(CONGRU_ERROR_NOT_POSITIVE, congru_spd_exp_map(context, N, D, base, good, out));
    STATUS(CONGRU_ERROR_NOT_POSITIVE, congru_spd_tangent(context, N, D, base, good, out));
    STATUS(CONGRU_ERROR_NOT_POSITIVE, congru_spd_untangent(context, 1, D, base, vectors, out));
    congru_mean_options options = {.start = base};
    STATUS(CONGRU_ERROR_NOT_POSITIVE,
           congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, good, &options, out, NULL));
}

/* Of several bad matrices the first is named, however the work is shared out; the first and last too. */
TEST(names_the_first_of_several)
{
    enum { MANY = 200 };
    static const size_t FIRSTS[] = {0, 7, 8, 31, 32, 117, MANY - 1};
    static const int THREADS[] = {1, 2, 7};
    double *batch = sample_alloc(MANY * DD), *result = sample_alloc(MANY * DD);
    congru_context *before = context;
    for (size_t t = 0; t < 3; t++) {
        congru_context_options options = {.threads = THREADS[t]};
        CHECK(congru_context_create(&context, &options) == CONGRU_OK);
        for (size_t f = 0; f < sizeof FIRSTS / sizeof *FIRSTS; f++) {
            for (size_t i = 0; i < MANY; i++) {
                dense_identity(D, batch + i * DD);
                batch[i * DD] = i == FIRSTS[f] || (i > FIRSTS[f] && i % 5 == 0) ? -1.0 : 1.0;
            }
            NAMED(CONGRU_ERROR_NOT_POSITIVE, FIRSTS[f], congru_spd_log(context, MANY, D, batch, result));
            for (size_t i = 0; i < MANY; i++)
                batch[i * DD] = batch[i * DD] < 0.0 ? NAN : 1.0;
            NAMED(CONGRU_ERROR_NOT_FINITE, FIRSTS[f], congru_spd_exp(context, MANY, D, batch, result));
        }
        congru_context_destroy(&context);
    }
    context = before;
    free(batch);
    free(result);
}

TEST(refuses_an_exponential_that_overflows)
{
    prepare();
    memset(bad, 0, sizeof bad);
    bad[BAD * DD] = 709.7;
    OK(congru_spd_exp(context, N, D, bad, out));
    CHECK(dense_finite(N * DD, out));
    bad[BAD * DD] = 709.8;
    NAMED(CONGRU_ERROR_NOT_FINITE, BAD, congru_spd_exp(context, N, D, bad, out));
    congru_spectrum *spectrum = NULL;
    OK(congru_spectrum_create(context, N, D, &spectrum));
    NAMED(CONGRU_ERROR_NOT_FINITE, BAD, congru_spd_exp_forward(context, N, D, bad, 1.0, out, spectrum));
    OK(congru_spd_exp_forward(context, N, D, bad, 0.5, out, spectrum));
    NAMED(CONGRU_ERROR_NOT_FINITE, BAD, congru_spd_exp_forward(context, N, D, bad, 2.0, out, spectrum));
    congru_spectrum_destroy(&spectrum);
    dense_identity(D, base);
    NAMED(CONGRU_ERROR_NOT_FINITE, BAD, congru_spd_exp_map(context, N, D, base, bad, out));
    memset(vectors, 0, sizeof vectors);
    vectors[2 * 3] = 1000.0;
    NAMED(CONGRU_ERROR_NOT_FINITE, 2, congru_spd_untangent(context, 4, 2, NULL, vectors, out));
    /* The other way there is nothing to refuse: it vanishes. */
    bad[BAD * DD] = -1e5;
    OK(congru_spd_exp(context, N, D, bad, out));
    CHECK(out[BAD * DD] == 0.0);
}

TEST(refuses_sizes)
{
    static const size_t SIZES[][2] = {
        {0, D}, {N, 0}, {1, CONGRU_DIMENSION_MAX + 1}, {SIZE_MAX / 8, 2}, {1, SIZE_MAX}};
    prepare();
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        size_t n = SIZES[i][0], d = SIZES[i][1];
        congru_spectrum *spectrum = NULL;
        double values[N * D];
        REFUSED(congru_spd_eigen(context, n, d, good, values, out));
        REFUSED(congru_spd_log(context, n, d, good, out));
        REFUSED(congru_spd_exp(context, n, d, good, out));
        REFUSED(congru_spd_sqrt(context, n, d, good, out));
        REFUSED(congru_spd_invsqrt(context, n, d, good, out));
        REFUSED(congru_spd_power(context, n, d, good, 0.5, out));
        REFUSED(congru_spd_congruence(context, n, d, 2, good, w, out));
        REFUSED(congru_spd_congruence(context, n, 2, d, good, w, out));
        REFUSED(congru_spd_merge(context, n, d, good, other, out));
        REFUSED(congru_spd_distance(context, CONGRU_METRIC_RIEMANN, n, d, good, 1, other, out));
        REFUSED(congru_spd_distance_pairwise(context, CONGRU_METRIC_EUCLID, d, n, good, 1, other, out));
        REFUSED(congru_spd_distance_pairwise(context, CONGRU_METRIC_EUCLID, d, 1, good, n, other, out));
        REFUSED(congru_spd_geodesic(context, CONGRU_METRIC_RIEMANN, n, d, good, 1, other, 0.5, out));
        REFUSED(congru_spd_log_map(context, n, d, base, good, out));
        REFUSED(congru_spd_exp_map(context, n, d, base, good, out));
        REFUSED(congru_spd_tangent(context, n, d, NULL, good, out));
        REFUSED(congru_spd_untangent(context, n, d, NULL, good, out));
        REFUSED(congru_spd_mean(context, CONGRU_METRIC_EUCLID, n, d, good, NULL, out, NULL));
        REFUSED(congru_spectrum_create(context, n, d, &spectrum));
        CHECK(spectrum == NULL);
        REFUSED(congru_spd_congruence_forward(context, n, d, 2, good, w, 0.0, out));
        REFUSED(congru_spd_congruence_backward(context, n, 2, d, good, w, other, out, NULL));
        if (n == 1) {
            REFUSED(congru_rotation_forward(context, d, w, out));
            REFUSED(congru_rotation_backward(context, d, w, w, out));
        }
    }
    REFUSED(congru_spd_distance(context, CONGRU_METRIC_RIEMANN, N, D, good, 2, other, out));
    REFUSED(congru_spd_distance(context, CONGRU_METRIC_RIEMANN, N, D, good, 0, other, out));
    REFUSED(congru_spd_geodesic(context, CONGRU_METRIC_RIEMANN, N, D, good, N - 1, other, 0.5, out));
}

int main(void)
{
    return context_main(&context, NULL);
}
