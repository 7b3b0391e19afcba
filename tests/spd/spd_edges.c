/* Refused arguments, foreign spectra, calls in place, extreme scales. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

enum { N = 9, D = 4, DD = D * D };

static congru_context *context;
static double a[N * DD], b[N * DD], out[N * DD], more[N * DD], w[DD], base[DD], values[N * D];

#define STATUS(expected, call) spd_expect(context, (call), (expected), __FILE__, __LINE__)
#define OK(call) STATUS(CONGRU_OK, call)
#define REFUSED(call) STATUS(CONGRU_ERROR_ARGUMENT, call)

static void prepare(void)
{
    congru_random random = congru_random_stream(81, 0, 0, 0);
    for (size_t i = 0; i < N; i++) {
        sample_spd(&random, D, 10.0, a + i * DD);
        sample_spd(&random, D, 100.0, b + i * DD);
    }
    sample_normals(&random, DD, w);
    sample_spd(&random, D, 5.0, base);
}

TEST(refuses_null_pointers)
{
    prepare();
    REFUSED(congru_spd_eigen(context, N, D, NULL, values, out));
    REFUSED(congru_spd_eigen(context, N, D, a, NULL, out));
    REFUSED(congru_spd_log(context, N, D, NULL, out));
    REFUSED(congru_spd_log(context, N, D, a, NULL));
    REFUSED(congru_spd_exp(context, N, D, NULL, out));
    REFUSED(congru_spd_exp(context, N, D, a, NULL));
    REFUSED(congru_spd_sqrt(context, N, D, NULL, out));
    REFUSED(congru_spd_invsqrt(context, N, D, a, NULL));
    REFUSED(congru_spd_power(context, N, D, NULL, 0.5, out));
    REFUSED(congru_spd_congruence(context, N, D, 2, NULL, w, out));
    REFUSED(congru_spd_congruence(context, N, D, 2, a, NULL, out));
    REFUSED(congru_spd_congruence(context, N, D, 2, a, w, NULL));
    REFUSED(congru_spd_merge(context, N, D, NULL, b, out));
    REFUSED(congru_spd_merge(context, N, D, a, NULL, out));
    REFUSED(congru_spd_merge(context, N, D, a, b, NULL));
    REFUSED(congru_spd_distance(context, CONGRU_METRIC_EUCLID, N, D, NULL, N, b, out));
    REFUSED(congru_spd_distance(context, CONGRU_METRIC_EUCLID, N, D, a, N, NULL, out));
    REFUSED(congru_spd_distance(context, CONGRU_METRIC_EUCLID, N, D, a, N, b, NULL));
    REFUSED(congru_spd_distance_pairwise(context, CONGRU_METRIC_EUCLID, D, N, NULL, N, b, out));
    REFUSED(congru_spd_geodesic(context, CONGRU_METRIC_EUCLID, N, D, a, N, NULL, 0.5, out));
    REFUSED(congru_spd_log_map(context, N, D, NULL, a, out));
    REFUSED(congru_spd_exp_map(context, N, D, base, NULL, out));
    REFUSED(congru_spd_tangent(context, N, D, base, NULL, out));
    REFUSED(congru_spd_untangent(context, N, D, base, a, NULL));
    REFUSED(congru_spd_mean(context, CONGRU_METRIC_EUCLID, N, D, NULL, NULL, out, NULL));
    REFUSED(congru_spd_mean(context, CONGRU_METRIC_EUCLID, N, D, a, NULL, NULL, NULL));
    REFUSED(congru_spectrum_create(context, N, D, NULL));
    REFUSED(congru_rotation_forward(context, D, NULL, out));
    REFUSED(congru_rotation_forward(context, D, w, NULL));
    REFUSED(congru_rotation_backward(context, D, w, NULL, out));
    REFUSED(congru_spd_congruence_backward(context, N, D, D, a, w, NULL, out, NULL));
    /* There is no place for a text without a context, but there is a status. */
    CHECK(congru_spd_log(NULL, N, D, a, out) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_spd_mean(NULL, CONGRU_METRIC_RIEMANN, N, D, a, NULL, out, NULL) == CONGRU_ERROR_ARGUMENT);
    congru_spectrum *none = NULL;
    congru_spectrum_destroy(&none);
    congru_spectrum_destroy(NULL);
    /* Both derivatives may be left out. */
    OK(congru_spd_congruence_backward(context, N, D, D, a, w, b, NULL, NULL));
}

TEST(refuses_options)
{
    static const double NOT_NUMBERS[] = {NAN, INFINITY, -INFINITY};
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    prepare();
    for (size_t i = 0; i < 3; i++)
        OK(congru_spectrum_create(context, N, D, &spectra[i]));
    for (size_t i = 0; i < 3; i++) {
        double x = NOT_NUMBERS[i];
        REFUSED(congru_spd_power(context, N, D, a, x, out));
        REFUSED(congru_spd_geodesic(context, CONGRU_METRIC_RIEMANN, N, D, a, N, b, x, out));
        REFUSED(congru_spd_log_forward(context, N, D, a, x, 0.0, out, spectra[0]));
        REFUSED(congru_spd_log_forward(context, N, D, a, 0.0, x, out, spectra[0]));
        REFUSED(congru_spd_exp_forward(context, N, D, a, x, out, spectra[0]));
        REFUSED(congru_spd_power_forward(context, N, D, a, x, out, spectra[0]));
        REFUSED(congru_spd_congruence_forward(context, N, D, D, a, w, x, out));
        REFUSED(congru_spd_merge_forward(context, N, D, a, b, x, out, spectra));
    }
    REFUSED(congru_spd_log_forward(context, N, D, a, 0.0, -1e-5, out, spectra[0]));
    REFUSED(congru_spd_merge_forward(context, N, D, a, b, -1e-5, out, spectra));
    congru_metric unknown = (congru_metric)(CONGRU_METRIC_EUCLID + 1);
    REFUSED(congru_spd_distance(context, unknown, N, D, a, N, b, out));
    REFUSED(congru_spd_distance_pairwise(context, unknown, D, N, a, N, b, out));
    REFUSED(congru_spd_geodesic(context, unknown, N, D, a, N, b, 0.5, out));
    REFUSED(congru_spd_mean(context, unknown, N, D, a, NULL, out, NULL));
    for (size_t i = 0; i < 3; i++)
        congru_spectrum_destroy(&spectra[i]);
}

TEST(refuses_mean_options)
{
    double weights[N];
    prepare();
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        congru_mean_options options = {.weights = weights};
        congru_metric kind = (congru_metric)metric;
        for (size_t i = 0; i < N; i++)
            weights[i] = 1.0;
        static const double WRONG[] = {-1e-3, NAN, INFINITY};
        for (size_t k = 0; k < 3; k++) {
            weights[5] = WRONG[k];
            REFUSED(congru_spd_mean(context, kind, N, D, a, &options, out, NULL));
        }
        memset(weights, 0, sizeof weights);
        REFUSED(congru_spd_mean(context, kind, N, D, a, &options, out, NULL));
        weights[2] = 1e-300; /* one that counts is enough */
        OK(congru_spd_mean(context, kind, N, D, a, &options, out, NULL));
        CHECK(dense_difference(DD, out, a + 2 * DD) <= 1e-13 * dense_norm(DD, out));
    }
    congru_mean_options options = {.tolerance = -1e-10};
    REFUSED(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, a, &options, out, NULL));
    options.tolerance = NAN;
    REFUSED(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, a, &options, out, NULL));
    options = (congru_mean_options){.iterations_max = -1};
    REFUSED(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, a, &options, out, NULL));
}

/* Spectra of another size for a forward call; of another kind, or never filled, for a backward one. */
TEST(refuses_foreign_spectra)
{
    congru_spectrum *own = NULL, *shorter = NULL, *wider = NULL, *fresh = NULL, *one = NULL;
    prepare();
    OK(congru_spectrum_create(context, N, D, &own));
    OK(congru_spectrum_create(context, N - 1, D, &shorter));
    OK(congru_spectrum_create(context, N, D + 1, &wider));
    OK(congru_spectrum_create(context, N, D, &fresh));
    OK(congru_spectrum_create(context, 1, D, &one));
    congru_spectrum *const wrong[] = {NULL, shorter, wider};
    for (size_t i = 0; i < 3; i++) {
        congru_spectrum *three[3] = {own, fresh, fresh}, *two[2] = {own, one};
        REFUSED(congru_spd_log_forward(context, N, D, a, 0.0, 0.0, out, wrong[i]));
        REFUSED(congru_spd_exp_forward(context, N, D, a, 1.0, out, wrong[i]));
        REFUSED(congru_spd_power_forward(context, N, D, a, 0.5, out, wrong[i]));
        three[2] = wrong[i];
        REFUSED(congru_spd_merge_forward(context, N, D, a, b, 0.0, out, three));
        two[0] = wrong[i];
        REFUSED(congru_spd_whiten_forward(context, N, D, a, 0.0, out, NULL, two));
        two[0] = own;
        two[1] = wrong[i];
        REFUSED(congru_spd_whiten_forward(context, N, D, a, 0.0, out, NULL, two));
    }
    REFUSED(congru_spd_log_backward(context, NULL, b, out));
    congru_spectrum_destroy(&fresh);
    OK(congru_spectrum_create(context, N, D, &fresh));
    REFUSED(congru_spd_log_backward(context, fresh, b, out));
    OK(congru_spd_log_forward(context, N, D, a, 0.0, 0.0, out, own));
    REFUSED(congru_spd_exp_backward(context, own, b, out));
    REFUSED(congru_spd_power_backward(context, own, b, out));
    REFUSED(congru_spd_log_backward(context, own, NULL, out));
    REFUSED(congru_spd_log_backward(context, own, b, NULL));
    OK(congru_spd_log_backward(context, own, b, out));
    OK(congru_spd_exp_forward(context, N, D, a, 1.0, out, own));
    REFUSED(congru_spd_log_backward(context, own, b, out));
    congru_spectrum *three[3] = {own, own, own}, *two[2] = {own, one};
    REFUSED(congru_spd_merge_backward(context, three, b, out, more));
    REFUSED(congru_spd_whiten_backward(context, N, D, a, two, b, out));
    congru_spectrum_destroy(&own);
    congru_spectrum_destroy(&shorter);
    congru_spectrum_destroy(&wider);
    congru_spectrum_destroy(&fresh);
    congru_spectrum_destroy(&one);
    CHECK(own == NULL);
}

/* A spectrum of one instruction set's lanes means nothing to another's. */
TEST(refuses_spectra_of_another_processor)
{
    congru_context *plain = NULL, *other = NULL;
    congru_spectrum *spectrum = NULL;
    CHECK(congru_context_create(&plain, &(congru_context_options){.cpu = "base"}) == CONGRU_OK);
    CHECK(congru_context_create(&other, NULL) == CONGRU_OK);
    if (strcmp(congru_context_cpu(other), "base") == 0) {
        SKIP("this processor has nothing but the base kernels");
    } else {
        prepare();
        CHECK(congru_spectrum_create(plain, N, D, &spectrum) == CONGRU_OK);
        CHECK(congru_spd_log_forward(other, N, D, a, 0.0, 0.0, out, spectrum) == CONGRU_ERROR_ARGUMENT);
        CHECK(strstr(congru_context_error(other),
                     "the spectrum was made in a context with cpu base, this one is ") != NULL);
        congru_spectrum_destroy(&spectrum);
    }
    congru_context_destroy(&plain);
    congru_context_destroy(&other);
}

static bool stop_at_once(void *user, size_t done, size_t total)
{
    (void)done, (void)total;
    ++*(int *)user;
    return false;
}

/* Blocks that have not begun when the caller says stop are not computed. */
TEST(stops_when_told)
{
    enum { MANY = 4000 };
    static double in[MANY * 4], result[MANY * 4];
    congru_context *own = NULL;
    int asked = 0;
    for (size_t i = 0; i < MANY; i++)
        in[4 * i] = in[4 * i + 3] = 2.0;
    memset(result, 0xff, sizeof result);
    CHECK(congru_context_create(&own, &(congru_context_options){.threads = 1,
                                                                .progress = stop_at_once,
                                                                .progress_user = &asked}) == CONGRU_OK);
    CHECK(congru_spd_sqrt(own, MANY, 2, in, result) == CONGRU_ERROR_CANCELLED);
    CHECK(strstr(congru_context_error(own), "stopped by the progress callback") != NULL && asked == 1);
    CHECK(result[0] == sqrt(2.0) && isnan(result[4 * MANY - 1]));
    congru_context_destroy(&own);
}

TEST(flat_distances_and_references)
{
    prepare();
    congru_spectrum *spectra[2] = {NULL, NULL};
    double logs[N * D * D], mean[D * D] = {0}, reference[D * D], expected[D * D];
    OK(congru_spd_distance(context, CONGRU_METRIC_EUCLID, N, D, a, N, b, out));
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (size_t e = i * D * D; e < (i + 1) * D * D; e++)
            sum += (a[e] - b[e]) * (a[e] - b[e]);
        CHECK_NEAR(out[i], sqrt(sum), 1e-13 * sqrt(sum));
    }
    /* The reference of whitening is the exponential of the mean logarithm. */
    OK(congru_spd_log(context, N, D, a, logs));
    for (size_t e = 0; e < N * D * D; e++)
        mean[e % (D * D)] += logs[e] / N;
    OK(congru_spd_exp(context, 1, D, mean, expected));
    OK(congru_spectrum_create(context, N, D, &spectra[0]));
    OK(congru_spectrum_create(context, 1, D, &spectra[1]));
    OK(congru_spd_whiten_forward(context, N, D, a, 0.0, out, reference, spectra));
    for (size_t e = 0; e < D * D; e++)
        CHECK_NEAR(reference[e], expected[e], 1e-12);
    congru_spectrum_destroy(&spectra[0]);
    congru_spectrum_destroy(&spectra[1]);
}

/* `more` holds a copy of `in`, was computed on in place, and must be what `out` is. */
static void same_in_place(congru_status status, const char *what, int line)
{
    spd_expect(context, status, CONGRU_OK, __FILE__, line);
    harness_check(memcmp(out, more, sizeof out) == 0, __FILE__, line, "%s: other bits in place", what);
}
#define IN_PLACE(in, apart, place) \
    do { \
        OK(apart); \
        memcpy(more, (in), sizeof more); \
        same_in_place((place), #place, __LINE__); \
    } while (0)

TEST(in_place_is_the_same)
{
    prepare();
    IN_PLACE(a, congru_spd_log(context, N, D, a, out), congru_spd_log(context, N, D, more, more));
    IN_PLACE(a, congru_spd_exp(context, N, D, a, out), congru_spd_exp(context, N, D, more, more));
    IN_PLACE(a, congru_spd_sqrt(context, N, D, a, out), congru_spd_sqrt(context, N, D, more, more));
    IN_PLACE(a, congru_spd_invsqrt(context, N, D, a, out), congru_spd_invsqrt(context, N, D, more, more));
    IN_PLACE(a, congru_spd_power(context, N, D, a, 0.3, out), congru_spd_power(context, N, D, more, 0.3, more));
    IN_PLACE(a, congru_spd_eigen(context, N, D, a, values, out),
             congru_spd_eigen(context, N, D, more, values, more));
    IN_PLACE(a, congru_spd_congruence(context, N, D, D, a, w, out),
             congru_spd_congruence(context, N, D, D, more, w, more));
    IN_PLACE(a, congru_spd_merge(context, N, D, a, b, out), congru_spd_merge(context, N, D, more, b, more));
    IN_PLACE(b, congru_spd_merge(context, N, D, a, b, out), congru_spd_merge(context, N, D, a, more, more));
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        congru_metric kind = (congru_metric)metric;
        IN_PLACE(a, congru_spd_geodesic(context, kind, N, D, a, N, b, 0.3, out),
                 congru_spd_geodesic(context, kind, N, D, more, N, b, 0.3, more));
        IN_PLACE(b, congru_spd_geodesic(context, kind, N, D, a, N, b, 0.3, out),
                 congru_spd_geodesic(context, kind, N, D, a, N, more, 0.3, more));
    }
    IN_PLACE(a, congru_spd_log_map(context, N, D, base, a, out),
             congru_spd_log_map(context, N, D, base, more, more));
    IN_PLACE(a, congru_spd_exp_map(context, N, D, base, a, out),
             congru_spd_exp_map(context, N, D, base, more, more));
    congru_spectrum *spectra[2] = {NULL, NULL};
    OK(congru_spectrum_create(context, N, D, &spectra[0]));
    OK(congru_spectrum_create(context, 1, D, &spectra[1]));
    IN_PLACE(a, congru_spd_log_forward(context, N, D, a, 0.0, 1e-5, out, spectra[0]),
             congru_spd_log_forward(context, N, D, more, 0.0, 1e-5, more, spectra[0]));
    IN_PLACE(a, congru_spd_whiten_forward(context, N, D, a, 1e-5, out, NULL, spectra),
             congru_spd_whiten_forward(context, N, D, more, 1e-5, more, NULL, spectra));
    congru_spectrum_destroy(&spectra[0]);
    congru_spectrum_destroy(&spectra[1]);
    double r[DD], turned[DD];
    memcpy(turned, w, sizeof turned);
    OK(congru_rotation_forward(context, D, w, r));
    OK(congru_rotation_forward(context, D, turned, turned));
    CHECK(memcmp(r, turned, sizeof r) == 0);
    congru_mean_options options = {.start = base};
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, a, &options, r, NULL));
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, a, &options, base, NULL));
    CHECK(memcmp(r, base, sizeof r) == 0);
}

/* f(x C) from f(C) for a factor x near the ends of what a double can hold: squares of the entries cannot be
 * held, so a decomposition that does not scale its input fails here. */
static void check_scale(size_t d, double factor)
{
    congru_random random = congru_random_stream(82, (uint32_t)d, 0, 0);
    size_t dd = d * d;
    double *c = sample_alloc(dd), *scaled = sample_alloc(dd), *f = sample_alloc(dd), *g = sample_alloc(dd);
    double *known = sample_alloc(d), *found = sample_alloc(d), bound = 1e-13 * (double)d;
    sample_spd(&random, d, 100.0, c);
    for (size_t k = 0; k < dd; k++)
        scaled[k] = factor * c[k];
    OK(congru_spd_eigen(context, 1, d, c, known, f));
    OK(congru_spd_eigen(context, 1, d, scaled, found, g));
    for (size_t i = 0; i < d; i++)
        CHECK_NEAR(found[i] / factor, known[i], bound * known[d - 1]);
    dense_congruence(d, d, c, g, f);
    for (size_t i = 0; i < d; i++)
        CHECK_NEAR(f[i * d + i], known[i], bound * known[d - 1]); /* the vectors are C's own */

    OK(congru_spd_sqrt(context, 1, d, c, f));
    OK(congru_spd_sqrt(context, 1, d, scaled, g));
    for (size_t k = 0; k < dd; k++)
        CHECK_NEAR(g[k] / sqrt(factor), f[k], bound * 10.0);
    OK(congru_spd_invsqrt(context, 1, d, c, f));
    OK(congru_spd_invsqrt(context, 1, d, scaled, g));
    for (size_t k = 0; k < dd; k++)
        CHECK_NEAR(g[k] * sqrt(factor), f[k], bound * 100.0);
    OK(congru_spd_log(context, 1, d, c, f));
    OK(congru_spd_log(context, 1, d, scaled, g));
    for (size_t k = 0; k < dd; k++)
        CHECK_NEAR(g[k], f[k] + (k % (d + 1) == 0 ? log(factor) : 0.0),
                   bound * 100.0 + 1e-15 * fabs(log(factor)));
    free(c);
    free(scaled);
    free(f);
    free(g);
    free(known);
    free(found);
}

TEST(extreme_scales)
{
    static const double FACTORS[] = {1e-300, 1e-170, 1e-20, 1e20, 1e170, 1e300};
    static const size_t DIMENSIONS[] = {1, 2, 3, 8, 22, 33};
    for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++) {
        for (size_t k = 0; k < sizeof DIMENSIONS / sizeof *DIMENSIONS; k++)
            check_scale(DIMENSIONS[k], FACTORS[i]);
    }
}

/* A failure leaves the context fit for the next call. */
/* Euclidean distances are a length: their squares need not be numbers. */
TEST(distances_at_the_ends_of_the_range)
{
    static const double scales[] = {1e-300, 1e-160, 1e160, 1e300};
    double plain[N * N], scaled[N * N];
    prepare();
    for (size_t i = 0; i < N * DD; i++)
        more[i] = a[i] / 1e3;
    OK(congru_spd_distance_pairwise(context, CONGRU_METRIC_EUCLID, D, N, more, N, more, plain));
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        for (size_t i = 0; i < N * DD; i++)
            out[i] = more[i] * scales[s];
        OK(congru_spd_distance_pairwise(context, CONGRU_METRIC_EUCLID, D, N, out, N, out, scaled));
        for (size_t i = 0; i < N * N; i++)
            CHECK_NEAR(scaled[i] / scales[s], plain[i], 1e-12);
        OK(congru_spd_distance(context, CONGRU_METRIC_EUCLID, N, D, out, 1, out, scaled));
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(scaled[i] / scales[s], plain[i * N], 1e-12);
    }
}

TEST(works_on_after_a_failure)
{
    double before[N * DD];
    prepare();
    OK(congru_spd_log(context, N, D, a, before));
    a[3 * DD] = NAN;
    CHECK(congru_spd_log(context, N, D, a, out) == CONGRU_ERROR_NOT_FINITE);
    prepare();
    OK(congru_spd_log(context, N, D, a, out));
    CHECK(memcmp(before, out, sizeof out) == 0);
}

int main(void)
{
    return context_main(&context, NULL);
}
