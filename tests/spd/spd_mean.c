/* Means: where they converge, how fast, what weights and starts do. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

static congru_context *context;

#define OK(call) spd_expect(context, (call), CONGRU_OK, __FILE__, __LINE__)

static void check_close(size_t d, const double *a, const double *b, double tolerance, int line)
{
    double error = dense_difference(d * d, a, b) / dense_norm(d * d, b);
    harness_check(error <= tolerance, __FILE__, line, "d %zu: relative error %g, at most %g", d, error,
                  tolerance);
}
#define CLOSE(d, a, b, tolerance) check_close((d), (a), (b), (tolerance), __LINE__)

/* The mean of log(mean^-1/2 C_i mean^-1/2), by Jacobi: independent of the library. Returns its norm. */
static double mean_tangent(size_t n, size_t d, const double *c, const double *weights, const double *mean,
                           double *tangent)
{
    double *inverse = sample_alloc(d * d), *one = sample_alloc(d * d), sum = 0.0;
    dense_function(d, mean, dense_invsqrt, inverse);
    memset(tangent, 0, d * d * sizeof *tangent);
    for (size_t i = 0; i < n; i++) {
        double weight = weights == NULL ? 1.0 : weights[i];
        sum += weight;
        dense_congruence(d, d, c + i * d * d, inverse, one);
        dense_function(d, one, log, one);
        for (size_t k = 0; k < d * d; k++)
            tangent[k] += weight * one[k];
    }
    for (size_t k = 0; k < d * d; k++)
        tangent[k] /= sum;
    free(inverse);
    free(one);
    return dense_norm(d * d, tangent);
}

/* The textbook iteration: unit steps from the arithmetic mean. Returns the least norm it ever reaches. */
static double unit_step_best(size_t n, size_t d, const double *c, int iterations)
{
    double *mean = sample_alloc(d * d), *tangent = sample_alloc(d * d), *root = sample_alloc(d * d);
    double best = INFINITY;
    for (size_t k = 0; k < n * d * d; k++)
        mean[k % (d * d)] += c[k] / (double)n;
    for (int i = 0; i < iterations; i++) {
        double norm = mean_tangent(n, d, c, NULL, mean, tangent);
        best = norm < best ? norm : best;
        if (!(norm < 30.0)) /* it has left for infinity */
            break;
        dense_function(d, mean, sqrt, root);
        dense_function(d, tangent, exp, tangent);
        dense_congruence(d, d, tangent, root, mean);
    }
    free(mean);
    free(tangent);
    free(root);
    return best;
}

static void check_converges(size_t n, size_t d, const double *c)
{
    double *mean = sample_alloc(d * d), *tangent = sample_alloc(d * d);
    congru_mean_info info = {0};
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, n, d, c, NULL, mean, &info));
    CHECK_SAYING(info.converged && info.tangent_norm <= 1e-10, "n %zu, d %zu: norm %g after %d iterations", n,
                 d, info.tangent_norm, info.iterations);
    CHECK(info.iterations >= 1 && info.iterations <= 200);
    double norm = mean_tangent(n, d, c, NULL, mean, tangent);
    CHECK_SAYING(norm <= 1e-9, "n %zu, d %zu: the true norm is %g, %g was reported", n, d, norm,
                 info.tangent_norm);
    free(mean);
    free(tangent);
}

TEST(converges_where_the_unit_step_does_not)
{
    static const struct {
        size_t n, d;
        double spread;
    } SETS[] = {{6, 2, 12.0}, {10, 3, 13.0}, {20, 5, 12.0}, {20, 8, 11.0}, {20, 8, 12.0}, {12, 12, 11.0}};
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        size_t n = SETS[i].n, d = SETS[i].d;
        congru_random random = congru_random_stream(41, (uint32_t)i, 0, 0);
        double *c = sample_alloc(n * d * d);
        sample_dispersed(&random, n, d, SETS[i].spread, c);
        double best = unit_step_best(n, d, c, 200);
        CHECK_SAYING(best > 1e-10, "the unit step reaches %g: set %zu proves nothing", best, i);
        check_converges(n, d, c);
        free(c);
    }
}

TEST(converges_on_wide_sets_of_many_channels)
{
    static const size_t DIMENSIONS[] = {22, 33};
    for (size_t i = 0; i < 2; i++) {
        size_t n = 40, d = DIMENSIONS[i];
        congru_random random = congru_random_stream(42, (uint32_t)i, 0, 0);
        double *c = sample_alloc(n * d * d);
        sample_dispersed(&random, n, d, 10.0, c);
        check_converges(n, d, c);
        free(c);
    }
}

TEST(few_iterations_on_eeg)
{
    static const size_t SHAPES[][2] = {{288, 22}, {144, 22}, {100, 3}, {60, 8}, {72, 44}};
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        size_t n = SHAPES[i][0], d = SHAPES[i][1];
        congru_random random = congru_random_stream(43, (uint32_t)i, 0, 0);
        double *c = sample_alloc(n * d * d), *mean = sample_alloc(d * d), *tangent = sample_alloc(d * d);
        congru_mean_info info = {0};
        sample_eeg(&random, n, d, c);
        OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, n, d, c, NULL, mean, &info));
        CHECK_SAYING(info.converged && info.iterations < 10, "n %zu, d %zu: %d iterations", n, d,
                     info.iterations);
        CHECK(mean_tangent(n, d, c, NULL, mean, tangent) <= 1e-9);
        free(c);
        free(mean);
        free(tangent);
    }
}

/* A weighted mean to 1e-12, for comparisons of one with another. */
static void exact_mean(size_t n, size_t d, const double *c, const double *weights, double *mean)
{
    congru_mean_options options = {.weights = weights, .tolerance = 1e-12};
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, n, d, c, &options, mean, NULL));
}

TEST(weights_count)
{
    enum { N = 150, D = 5, DD = D * D }; /* more than one worker takes at a time */
    congru_random random = congru_random_stream(44, 0, 0, 0);
    double *c = sample_alloc(N * DD), *repeated = sample_alloc(3 * N * DD), *few = sample_alloc(N * DD);
    double mean[DD], other[DD], tangent[DD], weights[N], scaled[N], kept[N];
    sample_dispersed(&random, N, D, 4.0, c);
    size_t copies = 0, present = 0;
    for (size_t i = 0; i < N; i++) {
        /* The first half counts for little, so that a weight given to another matrix is noticed. */
        weights[i] = (double)congru_random_index(&random, i < N / 2 ? 2 : 4);
        for (int k = 0; k < (int)weights[i]; k++)
            memcpy(repeated + copies++ * DD, c + i * DD, DD * sizeof *c);
        if (weights[i] > 0.0) {
            memcpy(few + present * DD, c + i * DD, DD * sizeof *c);
            kept[present++] = weights[i];
        }
        scaled[i] = 1e-3 * weights[i];
    }
    exact_mean(N, D, c, weights, mean);
    CHECK(mean_tangent(N, D, c, weights, mean, tangent) <= 1e-11);
    exact_mean(present, D, few, kept, other); /* a weight of zero is as good as absent */
    CLOSE(D, other, mean, 1e-11);
    exact_mean(N, D, c, scaled, other);
    CLOSE(D, other, mean, 1e-11);
    exact_mean(copies, D, repeated, NULL, other);
    CLOSE(D, other, mean, 1e-11);
    /* And they matter. */
    exact_mean(N, D, c, NULL, other);
    CHECK(dense_difference(DD, other, mean) > 1e-2 * dense_norm(DD, mean));
    free(c);
    free(repeated);
    free(few);
}

/* The two means in closed form, weighted, against the formula. */
TEST(closed_forms_take_weights)
{
    enum { N = 150, D = 3, DD = D * D };
    congru_random random = congru_random_stream(45, 0, 0, 0);
    double c[N * DD], weights[N], sum = 0.0, arithmetic[DD] = {0}, logarithmic[DD] = {0}, one[DD], mean[DD];
    congru_mean_options options = {.weights = weights};
    congru_mean_info info = {0};
    sample_dispersed(&random, N, D, 3.0, c);
    for (size_t i = 0; i < N; i++) {
        weights[i] = i % 5 == 0 ? 0.0 : congru_random_uniform(&random);
        sum += weights[i];
    }
    for (size_t i = 0; i < N; i++) {
        dense_function(D, c + i * DD, log, one);
        for (size_t k = 0; k < DD; k++) {
            arithmetic[k] += weights[i] / sum * c[i * DD + k];
            logarithmic[k] += weights[i] / sum * one[k];
        }
    }
    dense_function(D, logarithmic, exp, logarithmic);
    OK(congru_spd_mean(context, CONGRU_METRIC_EUCLID, N, D, c, &options, mean, &info));
    CLOSE(D, mean, arithmetic, 1e-14);
    CHECK(info.iterations == 1 && info.converged && info.tangent_norm == 0.0);
    memset(&info, 0, sizeof info);
    OK(congru_spd_mean(context, CONGRU_METRIC_LOGEUCLID, N, D, c, &options, mean, &info));
    CLOSE(D, mean, logarithmic, 1e-13);
    CHECK(info.iterations == 1 && info.converged && info.tangent_norm == 0.0);
}

TEST(warm_start)
{
    enum { N = 60, D = 8, DD = D * D };
    congru_random random = congru_random_stream(46, 0, 0, 0);
    double *c = sample_alloc(N * DD), mean[DD], again[DD], far[DD];
    congru_mean_info cold = {0}, warm = {0};
    sample_dispersed(&random, N, D, 8.0, c);
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, NULL, mean, &cold));
    congru_mean_options options = {.start = mean};
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, &options, again, &warm));
    CHECK_SAYING(warm.converged && warm.iterations <= 2 && warm.iterations < cold.iterations,
                 "%d iterations from the solution, %d without", warm.iterations, cold.iterations);
    CLOSE(D, again, mean, 1e-9);
    /* And from a bad place it arrives at the same one. */
    sample_spd(&random, D, 1e3, far);
    options.start = far;
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, &options, again, &warm));
    CLOSE(D, again, mean, 1e-8);
    CHECK(warm.iterations > 2);
    free(c);
}

TEST(says_when_it_has_not_converged)
{
    enum { N = 20, D = 5, DD = D * D };
    congru_random random = congru_random_stream(47, 0, 0, 0);
    double *c = sample_alloc(N * DD), mean[DD], values[D], vectors[DD], tangent[DD];
    congru_mean_options options = {.iterations_max = 1};
    congru_mean_info info = {.converged = true};
    sample_dispersed(&random, N, D, 10.0, c);
    congru_status status = congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, &options, mean, &info);
    CHECK(status == CONGRU_ERROR_NOT_CONVERGED);
    CHECK(strlen(congru_context_error(context)) > 0);
    CHECK(!info.converged && info.iterations == 1 && info.tangent_norm > 1e-10);
    /* What there is, is a positive definite matrix, and at the norm it says. */
    CHECK(dense_finite(DD, mean));
    dense_eigen(D, mean, values, vectors);
    CHECK(values[0] > 0.0);
    CHECK(mean_tangent(N, D, c, NULL, mean, tangent) <= info.tangent_norm * (1.0 + 1e-6));
    /* The same without anyone to report to. */
    CHECK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, &options, mean, NULL) ==
          CONGRU_ERROR_NOT_CONVERGED);
    /* A tolerance that is met at once, on the other hand, is met. */
    options = (congru_mean_options){.tolerance = 100.0, .iterations_max = 1};
    OK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, &options, mean, &info));
    CHECK(info.converged && info.iterations == 1);
    free(c);
}

TEST(the_mean_of_one_is_itself)
{
    static const size_t DIMENSIONS[] = {1, 2, 8, 22};
    for (size_t i = 0; i < sizeof DIMENSIONS / sizeof *DIMENSIONS; i++) {
        size_t d = DIMENSIONS[i];
        congru_random random = congru_random_stream(48, (uint32_t)i, 0, 0);
        double *c = sample_alloc(d * d), *mean = sample_alloc(d * d);
        sample_spd(&random, d, 1e3, c);
        c[0] += 0.25;
        for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
            OK(congru_spd_mean(context, (congru_metric)metric, 1, d, c, NULL, mean, NULL));
            CLOSE(d, mean, c, 1e-11);
        }
        free(c);
        free(mean);
    }
}

/* Matrices with common eigenvectors: the mean has them too, and the geometric means of the eigenvalues. */
TEST(commuting_matrices)
{
    enum { N = 9, D = 6, DD = D * D };
    static const double WEIGHTS[N] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    congru_random random = congru_random_stream(49, 0, 0, 0);
    double *c = sample_alloc(N * DD), q[DD], diagonal[DD], known[DD], mean[DD], logs[D] = {0};
    sample_orthogonal(&random, D, q);
    for (size_t i = 0; i < N; i++) {
        memset(diagonal, 0, sizeof diagonal);
        for (size_t j = 0; j < D; j++) {
            double x = 10.0 * (congru_random_uniform(&random) - 0.5);
            diagonal[j * D + j] = exp(x);
            logs[j] += WEIGHTS[i] / 18.0 * x;
        }
        dense_congruence(D, D, diagonal, q, c + i * DD);
    }
    for (size_t j = 0; j < D; j++)
        diagonal[j * D + j] = exp(logs[j]);
    dense_congruence(D, D, diagonal, q, known);
    exact_mean(N, D, c, WEIGHTS, mean);
    CLOSE(D, mean, known, 1e-10);
    free(c);
}

/* The mean of W^T C_i W is W^T M W, which is what makes it affine-invariant. */
TEST(congruence_equivariance)
{
    static const size_t DIMENSIONS[] = {2, 8, 22};
    for (size_t i = 0; i < sizeof DIMENSIONS / sizeof *DIMENSIONS; i++) {
        size_t n = 15, d = DIMENSIONS[i], dd = d * d;
        congru_random random = congru_random_stream(50, (uint32_t)i, 0, 0);
        double *c = sample_alloc(n * dd), *moved = sample_alloc(n * dd), *w = sample_alloc(dd);
        double *mean = sample_alloc(dd), *moved_mean = sample_alloc(dd), *expected = sample_alloc(dd);
        sample_dispersed(&random, n, d, 4.0, c);
        sample_spd(&random, d, 5.0, expected);
        sample_orthogonal(&random, d, mean);
        dense_product(d, d, d, expected, mean, w);
        for (size_t k = 0; k < n; k++)
            dense_congruence(d, d, c + k * dd, w, moved + k * dd);
        exact_mean(n, d, c, NULL, mean);
        exact_mean(n, d, moved, NULL, moved_mean);
        dense_congruence(d, d, mean, w, expected);
        CLOSE(d, moved_mean, expected, 1e-10);
        free(c);
        free(moved);
        free(w);
        free(mean);
        free(moved_mean);
        free(expected);
    }
}

int main(void)
{
    return context_main(&context, NULL);
}
