/* The geometry against LAPACK, through LAPACKE. SPDX-License-Identifier: Apache-2.0 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "spd_samples.h"

/* Well-conditioned input (CONDITION), so that what two correct programs may differ by, d eps cond, is
 * below a tenth of this at every d here. */
static const double TOLERANCE = 1e-12;
static const double CONDITION = 20.0;
static const size_t DIMENSIONS[] = {1, 2, 3, 5, 8, 12, 16, 22, 30, 33, 44, 64, 97, 128};
enum { BATCH = 5, BATCH_LARGE = 3 }; /* the oracle takes milliseconds a matrix at d = 128 */

static congru_context *context;

/* ---- The oracle -------------------------------------------------------------------------------- */

static void lapack_eigen(size_t d, const double *c, double *values, double *vectors)
{
    memcpy(vectors, c, d * d * sizeof *c);
    CHECK(LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)d, vectors, (int)d, values) == 0);
}

/* V f(values, p) V^T */
static void lapack_function(size_t d, const double *c, double (*f)(double, double), double p, double *out)
{
    double *values = sample_alloc(d), *vectors = sample_alloc(d * d), *diagonal = sample_alloc(d * d);
    lapack_eigen(d, c, values, vectors);
    for (size_t i = 0; i < d; i++)
        diagonal[i * d + i] = f(values[i], p);
    double *columns = sample_alloc(d * d);
    dense_transpose(d, d, vectors, columns);
    dense_congruence(d, d, diagonal, columns, out);
    free(values);
    free(vectors);
    free(diagonal);
    free(columns);
}

static double log_of(double x, double unused)
{
    (void)unused;
    return log(x);
}

static double exp_of(double x, double unused)
{
    (void)unused;
    return exp(x);
}

/* base^1/2 f(base^-1/2 C base^-1/2) base^1/2 */
static void lapack_mapped(size_t d, const double *base, const double *c, double (*f)(double, double), double p,
                          double *out)
{
    double *root = sample_alloc(d * d), *inverse = sample_alloc(d * d), *white = sample_alloc(d * d);
    lapack_function(d, base, pow, 0.5, root);
    lapack_function(d, base, pow, -0.5, inverse);
    dense_congruence(d, d, c, inverse, white);
    lapack_function(d, white, f, p, white);
    dense_congruence(d, d, white, root, out);
    free(root);
    free(inverse);
    free(white);
}

static double lapack_distance(congru_metric metric, size_t d, const double *a, const double *b)
{
    double *left = sample_alloc(d * d), *right = sample_alloc(d * d), *values = sample_alloc(d), sum = 0.0;
    memcpy(left, a, d * d * sizeof *a);
    memcpy(right, b, d * d * sizeof *b);
    if (metric == CONGRU_METRIC_RIEMANN) {
        /* The generalised eigenvalues, by Cholesky: another way than whitening. */
        CHECK(LAPACKE_dsygvd(LAPACK_ROW_MAJOR, 1, 'N', 'U', (int)d, left, (int)d, right, (int)d, values) == 0);
        for (size_t i = 0; i < d; i++)
            sum += log(values[i]) * log(values[i]);
    } else {
        if (metric == CONGRU_METRIC_LOGEUCLID) {
            lapack_function(d, a, log_of, 0.0, left);
            lapack_function(d, b, log_of, 0.0, right);
        }
        double apart = dense_difference(d * d, left, right);
        sum = apart * apart;
    }
    free(left);
    free(right);
    free(values);
    return sqrt(sum);
}

/* Unit steps from the arithmetic mean, which contract for sets this close together. */
static void lapack_mean(size_t n, size_t d, const double *c, double *mean)
{
    size_t dd = d * d;
    double *tangent = sample_alloc(dd), *root = sample_alloc(dd), *inverse = sample_alloc(dd),
           *one = sample_alloc(dd);
    memset(mean, 0, dd * sizeof *mean);
    for (size_t k = 0; k < n * dd; k++)
        mean[k % dd] += c[k] / (double)n;
    double norm = INFINITY;
    for (int step = 0; step < 60 && norm > 1e-13; step++) {
        lapack_function(d, mean, pow, 0.5, root);
        lapack_function(d, mean, pow, -0.5, inverse);
        memset(tangent, 0, dd * sizeof *tangent);
        for (size_t i = 0; i < n; i++) {
            dense_congruence(d, d, c + i * dd, inverse, one);
            lapack_function(d, one, log_of, 0.0, one);
            for (size_t k = 0; k < dd; k++)
                tangent[k] += one[k] / (double)n;
        }
        norm = dense_norm(dd, tangent);
        lapack_function(d, tangent, exp_of, 0.0, one);
        dense_congruence(d, d, one, root, mean);
    }
    CHECK_SAYING(norm < 1e-12, "the oracle's own mean stopped at %g", norm);
    free(tangent);
    free(root);
    free(inverse);
    free(one);
}

/* ---- The comparison ---------------------------------------------------------------------------- */

/* A set of matrices near each other, another one, a base, and room for results. */
typedef struct oracle_case {
    size_t n, d, dd;
    double *a, *b, *s, *base, *out, *expected;
} oracle_case;

#define OK(call) spd_expect(context, (call), CONGRU_OK, __FILE__, __LINE__)

static void check_close(size_t d, size_t count, const double *a, const double *b, int line)
{
    double error = dense_difference(count, a, b) / dense_norm(count, b);
    harness_check(error <= TOLERANCE, __FILE__, line, "d %zu: relative error %g", d, error);
}
#define CLOSE(count, a, b) check_close(with->d, (count), (a), (b), __LINE__)

static void for_every_dimension(void (*compare)(oracle_case *))
{
    for (size_t k = 0; k < sizeof DIMENSIONS / sizeof *DIMENSIONS; k++) {
        oracle_case with = {.d = DIMENSIONS[k], .dd = DIMENSIONS[k] * DIMENSIONS[k]};
        with.n = with.d > 44 ? BATCH_LARGE : BATCH;
        congru_random random = congru_random_stream(31, (uint32_t)k, 0, 0);
        double *room = sample_alloc((5 * BATCH + 1) * with.dd), *values = sample_alloc(with.d);
        with.a = room;
        with.b = with.a + BATCH * with.dd;
        with.s = with.b + BATCH * with.dd;
        with.out = with.s + BATCH * with.dd;
        with.expected = with.out + BATCH * with.dd;
        with.base = with.expected + BATCH * with.dd;
        for (size_t i = 0; i < with.n; i++) {
            sample_log_spaced(with.d, CONDITION, values);
            for (size_t j = 0; j < with.d; j++)
                values[j] *= 1.0 + congru_random_uniform(&random);
            sample_with_values(&random, with.d, values, with.a + i * with.dd);
            sample_spd(&random, with.d, 5.0, with.b + i * with.dd);
            sample_symmetric(&random, with.d, sqrt((double)with.d), with.s + i * with.dd);
        }
        sample_spd(&random, with.d, 3.0, with.base);
        for (size_t i = 0; i < with.d; i++)
            with.base[i * with.d + i] += 0.5; /* so that it is not the identity at d = 1 */
        compare(&with);
        free(values);
        free(room);
    }
}

static void compare_eigen(oracle_case *with)
{
    size_t d = with->d, dd = with->dd;
    double *values = sample_alloc(with->n * d), *alone = sample_alloc(with->n * d), *known = sample_alloc(d);
    double *product = sample_alloc(dd), *scaled = sample_alloc(dd), *identity = sample_alloc(dd);
    double bound = 1e-14 * (double)d;
    dense_identity(d, identity);
    memcpy(with->a, with->s, dd * sizeof *with->a); /* one that is not positive among them */
    OK(congru_spd_eigen(context, with->n, d, with->a, values, with->out));
    OK(congru_spd_eigen(context, with->n, d, with->a, alone, NULL));
    for (size_t i = 0; i < with->n; i++) {
        const double *c = with->a + i * dd, *v = with->out + i * dd, *w = values + i * d;
        double size = dense_norm(dd, c);
        lapack_eigen(d, c, known, product);
        dense_congruence(d, d, identity, v, product);
        CHECK_NEAR(dense_difference(dd, product, identity), 0.0, bound);
        dense_product(d, d, d, c, v, product);
        for (size_t k = 0; k < dd; k++)
            scaled[k] = v[k] * w[k % d];
        CHECK_NEAR(dense_difference(dd, product, scaled), 0.0, bound * size);
        for (size_t k = 0; k < d; k++) {
            CHECK_NEAR(w[k], known[k], bound * size);
            CHECK_NEAR(alone[i * d + k], known[k], bound * size);
            CHECK(k == 0 || w[k - 1] <= w[k]);
            size_t largest = 0;
            for (size_t r = 1; r < d; r++)
                largest = fabs(v[r * d + k]) > fabs(v[largest * d + k]) ? r : largest;
            CHECK_SAYING(v[largest * d + k] > 0.0, "d %zu: the largest component of vector %zu is %g", d, k,
                         v[largest * d + k]);
        }
    }
    free(values);
    free(alone);
    free(known);
    free(product);
    free(scaled);
    free(identity);
}

static void expect_function(oracle_case *with, const double *in, double (*f)(double, double), double p)
{
    for (size_t i = 0; i < with->n; i++)
        lapack_function(with->d, in + i * with->dd, f, p, with->expected + i * with->dd);
    for (size_t i = 0; i < with->n; i++)
        CLOSE(with->dd, with->out + i * with->dd, with->expected + i * with->dd);
}

static void compare_functions(oracle_case *with)
{
    static const double POWERS[] = {-1.0, 2.0, 0.3};
    size_t d = with->d;
    OK(congru_spd_log(context, with->n, d, with->a, with->out));
    expect_function(with, with->a, log_of, 0.0);
    OK(congru_spd_exp(context, with->n, d, with->s, with->out));
    expect_function(with, with->s, exp_of, 0.0);
    OK(congru_spd_sqrt(context, with->n, d, with->a, with->out));
    expect_function(with, with->a, pow, 0.5);
    OK(congru_spd_invsqrt(context, with->n, d, with->a, with->out));
    expect_function(with, with->a, pow, -0.5);
    for (size_t i = 0; i < sizeof POWERS / sizeof *POWERS; i++) {
        OK(congru_spd_power(context, with->n, d, with->a, POWERS[i], with->out));
        expect_function(with, with->a, pow, POWERS[i]);
    }
}

static void compare_merge_and_congruence(oracle_case *with)
{
    size_t d = with->d, dd = with->dd, m = d / 2 + 1;
    OK(congru_spd_merge(context, with->n, d, with->a, with->b, with->out));
    double *half = sample_alloc(dd), *known = sample_alloc(dd);
    for (size_t i = 0; i < with->n; i++) {
        lapack_function(d, with->a + i * dd, log_of, 0.0, half);
        lapack_function(d, with->b + i * dd, log_of, 0.0, known);
        for (size_t k = 0; k < dd; k++)
            half[k] = 0.5 * (half[k] + known[k]);
        lapack_function(d, half, exp_of, 0.0, known);
        CLOSE(dd, with->out + i * dd, known);
    }
    /* with->s serves as a W of d x m that is not symmetric: its rows are read at another length. */
    OK(congru_spd_congruence(context, with->n, d, m, with->a, with->s, with->out));
    for (size_t i = 0; i < with->n; i++) {
        dense_congruence(d, m, with->a + i * dd, with->s, known);
        CLOSE(m * m, with->out + i * m * m, known);
    }
    free(half);
    free(known);
}

static void compare_distances(oracle_case *with)
{
    size_t d = with->d, dd = with->dd;
    double each[BATCH], to_base[BATCH], all[BATCH * 3], known;
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        congru_metric kind = (congru_metric)metric;
        OK(congru_spd_distance(context, kind, with->n, d, with->a, with->n, with->b, each));
        OK(congru_spd_distance(context, kind, with->n, d, with->a, 1, with->base, to_base));
        OK(congru_spd_distance_pairwise(context, kind, d, with->n, with->a, 3, with->b, all));
        for (size_t i = 0; i < with->n; i++) {
            known = lapack_distance(kind, d, with->a + i * dd, with->b + i * dd);
            CHECK_NEAR(each[i], known, TOLERANCE * known);
            known = lapack_distance(kind, d, with->a + i * dd, with->base);
            CHECK_NEAR(to_base[i], known, TOLERANCE * known);
            for (size_t j = 0; j < 3; j++) {
                known = lapack_distance(kind, d, with->a + i * dd, with->b + j * dd);
                CHECK_NEAR(all[i * 3 + j], known, TOLERANCE * known);
            }
        }
    }
}

/* All pairs of one batch: symmetric to the bit, 0 from itself, and above the diagonal what two batches give. */
static void compare_distances_among(oracle_case *with)
{
    const size_t d = with->d, n = with->n;
    double *among = malloc(n * n * sizeof *among), *apart = malloc(n * n * sizeof *apart);
    double *copy = malloc(n * with->dd * sizeof *copy);
    memcpy(copy, with->a, n * with->dd * sizeof *copy);
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        OK(congru_spd_distance_pairwise(context, (congru_metric)metric, d, n, with->a, n, with->a, among));
        OK(congru_spd_distance_pairwise(context, (congru_metric)metric, d, n, with->a, n, copy, apart));
        for (size_t i = 0; i < n; i++) {
            CHECK(among[i * n + i] == 0.0);
            for (size_t j = i + 1; j < n; j++)
                CHECK(among[i * n + j] == apart[i * n + j] && among[j * n + i] == apart[i * n + j]);
        }
    }
    free(among);
    free(apart);
    free(copy);
}

/* The point at t from a to b in each metric. */
static void lapack_geodesic(congru_metric metric, size_t d, const double *a, const double *b, double t,
                            double *out)
{
    double *left = sample_alloc(d * d), *right = sample_alloc(d * d);
    memcpy(left, a, d * d * sizeof *a);
    memcpy(right, b, d * d * sizeof *b);
    if (metric == CONGRU_METRIC_LOGEUCLID) {
        lapack_function(d, a, log_of, 0.0, left);
        lapack_function(d, b, log_of, 0.0, right);
    }
    for (size_t k = 0; k < d * d; k++)
        out[k] = (1.0 - t) * left[k] + t * right[k];
    if (metric == CONGRU_METRIC_LOGEUCLID)
        lapack_function(d, out, exp_of, 0.0, out);
    if (metric == CONGRU_METRIC_RIEMANN)
        lapack_mapped(d, a, b, pow, t, out);
    free(left);
    free(right);
}

static void compare_geodesics(oracle_case *with)
{
    static const double TIMES[] = {0.3, 1.25, -0.2};
    size_t d = with->d, dd = with->dd;
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        for (size_t t = 0; t < sizeof TIMES / sizeof *TIMES; t++) {
            size_t n_b = t % 2 == 0 ? with->n : 1;
            OK(congru_spd_geodesic(context, (congru_metric)metric, with->n, d, with->a, n_b, with->b, TIMES[t],
                                   with->out));
            for (size_t i = 0; i < with->n; i++) {
                const double *to = with->b + (n_b == 1 ? 0 : i) * dd;
                lapack_geodesic((congru_metric)metric, d, with->a + i * dd, to, TIMES[t], with->expected);
                CLOSE(dd, with->out + i * dd, with->expected);
            }
        }
    }
}

static void compare_maps(oracle_case *with)
{
    size_t d = with->d, dd = with->dd;
    OK(congru_spd_log_map(context, with->n, d, with->base, with->a, with->out));
    for (size_t i = 0; i < with->n; i++) {
        lapack_mapped(d, with->base, with->a + i * dd, log_of, 0.0, with->expected);
        CLOSE(dd, with->out + i * dd, with->expected);
    }
    OK(congru_spd_exp_map(context, with->n, d, with->base, with->s, with->out));
    for (size_t i = 0; i < with->n; i++) {
        lapack_mapped(d, with->base, with->s + i * dd, exp_of, 0.0, with->expected);
        CLOSE(dd, with->out + i * dd, with->expected);
    }
}

/* The whitened logarithm of c at base (NULL: the identity), packed as the header says. */
static void lapack_tangent(size_t d, const double *base, const double *c, double *out)
{
    double *white = sample_alloc(d * d), *inverse = sample_alloc(d * d);
    dense_identity(d, inverse);
    if (base != NULL)
        lapack_function(d, base, pow, -0.5, inverse);
    dense_congruence(d, d, c, inverse, white);
    lapack_function(d, white, log_of, 0.0, white);
    for (size_t i = 0, k = 0; i < d; i++) {
        for (size_t j = i; j < d; j++)
            out[k++] = white[i * d + j] * (i == j ? 1.0 : sqrt(2.0));
    }
    free(white);
    free(inverse);
}

static void compare_tangent(oracle_case *with)
{
    size_t d = with->d, dd = with->dd, size = congru_spd_tangent_size(d);
    double *known = sample_alloc(size), *vectors = sample_alloc(with->n * size);
    CHECK(size == d * (d + 1) / 2);
    for (int plain = 0; plain < 2; plain++) {
        const double *base = plain ? NULL : with->base;
        OK(congru_spd_tangent(context, with->n, d, base, with->a, vectors));
        for (size_t i = 0; i < with->n; i++) {
            lapack_tangent(d, base, with->a + i * dd, known);
            CLOSE(size, vectors + i * size, known);
        }
        OK(congru_spd_untangent(context, with->n, d, base, vectors, with->out));
        CLOSE(with->n * dd, with->out, with->a);
    }
    free(known);
    free(vectors);
}

static void compare_means(oracle_case *with)
{
    size_t d = with->d, dd = with->dd;
    congru_mean_options options = {.tolerance = 3e-13};
    congru_mean_info info;
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, with->n, d, with->a, &options, with->out, &info));
    CHECK(info.converged && info.tangent_norm <= 3e-13);
    lapack_mean(with->n, d, with->a, with->expected);
    CLOSE(dd, with->out, with->expected);

    double *sum = sample_alloc(dd), *one = sample_alloc(dd);
    for (size_t k = 0; k < with->n * dd; k++)
        sum[k % dd] += with->a[k] / (double)with->n;
    OK(congru_spd_mean(context, CONGRU_METRIC_EUCLID, with->n, d, with->a, NULL, with->out, NULL));
    CLOSE(dd, with->out, sum);

    memset(sum, 0, dd * sizeof *sum);
    for (size_t i = 0; i < with->n; i++) {
        lapack_function(d, with->a + i * dd, log_of, 0.0, one);
        for (size_t k = 0; k < dd; k++)
            sum[k] += one[k] / (double)with->n;
    }
    lapack_function(d, sum, exp_of, 0.0, sum);
    OK(congru_spd_mean(context, CONGRU_METRIC_LOGEUCLID, with->n, d, with->a, NULL, with->out, NULL));
    CLOSE(dd, with->out, sum);
    free(sum);
    free(one);
}

static double floored_log_of(double x, double floor)
{
    return log(fmax(x + 0.01, floor));
}

static double exp_scaled(double x, double scale)
{
    return exp(scale * x);
}

/* What the `_forward` calls return, with their jitter, floor, scale and epsilon. */
static void compare_forward(oracle_case *with)
{
    size_t n = with->n, d = with->d, dd = with->dd;
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    for (size_t i = 0; i < 3; i++)
        OK(congru_spectrum_create(context, n, d, &spectra[i]));
    OK(congru_spd_log_forward(context, n, d, with->a, 0.01, 0.5, with->out, spectra[0]));
    expect_function(with, with->a, floored_log_of, 0.5);
    OK(congru_spd_exp_forward(context, n, d, with->s, -0.8, with->out, spectra[0]));
    expect_function(with, with->s, exp_scaled, -0.8);
    OK(congru_spd_power_forward(context, n, d, with->a, 0.3, with->out, spectra[0]));
    expect_function(with, with->a, pow, 0.3);
    OK(congru_spd_merge_forward(context, n, d, with->a, with->b, 0.0, with->out, spectra));
    OK(congru_spd_merge(context, n, d, with->a, with->b, with->expected));
    CLOSE(n * dd, with->out, with->expected);
    OK(congru_spd_congruence_forward(context, n, d, d, with->a, with->s, 0.25, with->out));
    for (size_t i = 0; i < n; i++) {
        dense_congruence(d, d, with->a + i * dd, with->s, with->expected);
        for (size_t k = 0; k < d; k++)
            with->expected[k * d + k] += 0.25;
        CLOSE(dd, with->out + i * dd, with->expected);
    }
    for (size_t i = 0; i < 3; i++)
        congru_spectrum_destroy(&spectra[i]);
}

/* Whitened by exp(mean log), with the reference the closed-form mean of its own. */
static void compare_whiten(oracle_case *with)
{
    size_t n = with->n, d = with->d, dd = with->dd;
    congru_spectrum *spectra[2] = {NULL, NULL};
    double *reference = sample_alloc(dd), *known = sample_alloc(dd), *inverse = sample_alloc(dd);
    OK(congru_spectrum_create(context, n, d, &spectra[0]));
    OK(congru_spectrum_create(context, 1, d, &spectra[1]));
    OK(congru_spd_whiten_forward(context, n, d, with->a, 0.0, with->out, reference, spectra));
    for (size_t i = 0; i < n; i++) {
        lapack_function(d, with->a + i * dd, log_of, 0.0, with->expected);
        for (size_t k = 0; k < dd; k++)
            known[k] += with->expected[k] / (double)n;
    }
    lapack_function(d, known, exp_scaled, -0.5, inverse);
    lapack_function(d, known, exp_of, 0.0, known);
    CLOSE(dd, reference, known);
    for (size_t i = 0; i < n; i++) {
        dense_congruence(d, d, with->a + i * dd, inverse, with->expected);
        CLOSE(dd, with->out + i * dd, with->expected);
    }
    congru_spectrum_destroy(&spectra[0]);
    congru_spectrum_destroy(&spectra[1]);
    free(reference);
    free(known);
    free(inverse);
}

static const struct {
    const char *name;
    void (*compare)(oracle_case *);
} COMPARISONS[] = {
    {"eigen_against_lapack", compare_eigen},
    {"functions_against_lapack", compare_functions},
    {"merge_and_congruence_against_lapack", compare_merge_and_congruence},
    {"distances_against_lapack", compare_distances},
    {"distances_among_one_batch", compare_distances_among},
    {"geodesics_against_lapack", compare_geodesics},
    {"maps_against_lapack", compare_maps},
    {"tangent_against_lapack", compare_tangent},
    {"means_against_lapack", compare_means},
    {"forward_calls_against_lapack", compare_forward},
    {"whiten_against_lapack", compare_whiten},
};

static size_t current;

static void try_current(void)
{
    for_every_dimension(COMPARISONS[current].compare);
}

int main(void)
{
    congru_status status = congru_context_create(&context, NULL);
    if (status != CONGRU_OK)
        return 1;
    for (current = 0; current < sizeof COMPARISONS / sizeof *COMPARISONS; current++)
        harness_run(COMPARISONS[current].name, try_current);
    congru_context_destroy(&context);
    return harness_end();
}
