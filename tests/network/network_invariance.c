/* What a common rotation or congruence cannot change: docs/theory.md. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "network/train.h"
#include "network_samples.h"

static congru_context *context;
enum { N = 24, D = 5, SIZE = D * D, FEATURES = D * (D + 1) / 2 };

static congru_training *new_training(const congru_trials *trials, congru_fisher fisher)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.fisher = fisher;
    options.network.rotation_penalty = 0.0;
    congru_training *t;
    CHECK(congru_training_create(context, &congru_network_dct, false, trials, &options, &t) == CONGRU_OK);
    congru_training_take(t, trials->count, NULL);
    return t;
}

static void turn(congru_training *t, uint32_t which)
{
    congru_random random = congru_random_stream(31, which, 0, 0);
    for (size_t i = 0; i < SIZE; i++)
        t->parameters.value[i] = 0.4 * congru_random_normal(&random);
}

/* W and B of turned logarithms, from their definition: of whole matrices, or of what is off and on the
 * diagonal. */
static void defined_scatters(const congru_trials *trials, const double *r, bool axis, double *within,
                             double *between)
{
    double logs[N * SIZE], mean[SIZE] = {0}, class_mean[3][SIZE] = {{0}}, count[3] = {0};
    CHECK(congru_spd_log(context, N, D, trials->covariance, logs) == CONGRU_OK);
    CHECK(congru_spd_congruence(context, N, D, D, logs, r, logs) == CONGRU_OK);
    for (size_t i = 0; i < N; i++) {
        count[trials->label[i]] += 1.0;
        for (size_t e = 0; e < SIZE; e++) {
            mean[e] += logs[i * SIZE + e] / N;
            class_mean[trials->label[i]][e] += logs[i * SIZE + e];
        }
    }
    *within = *between = 0.0;
    for (size_t i = 0; i < N; i++) {
        for (size_t e = 0; e < SIZE; e++) {
            const bool diagonal = e % (D + 1) == 0;
            const int k = trials->label[i];
            double own = logs[i * SIZE + e] - class_mean[k][e] / count[k],
                   gap = class_mean[k][e] / count[k] - mean[e];
            *within += axis && diagonal ? 0.0 : own * own / N;
            *between += axis && !diagonal ? 0.0 : gap * gap / N;
        }
    }
}

TEST(rotation_is_seen_by_axes_alone)
{
    congru_trials trials = sample_trials(context, N, D, 3, 3, 5);
    for (int fisher = 0; fisher < 2; fisher++) {
        congru_training *t = new_training(&trials, (congru_fisher)fisher);
        t->options.gamma_penalty = t->options.centre_penalty = 0.0;
        double first = 0.0, spread = 0.0, slope = 0.0, size = 0.0;
        for (uint32_t which = 0; which < 4; which++) {
            turn(t, which);
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
            first = which == 0 ? t->series[CONGRU_SERIES_LOSS] : first;
            spread = fmax(spread, fabs(t->series[CONGRU_SERIES_LOSS] - first) / first);
            for (size_t i = 0; i < SIZE; i++)
                slope = fmax(slope, fabs(t->parameters.gradient[i]));
            size = fmax(size, t->series[CONGRU_SERIES_LOSS]);
        }
        if (fisher == CONGRU_FISHER_FROBENIUS)
            CHECK_SAYING(spread < 1e-13 && slope < 1e-13 * size, "the loss moves by %g, the gradient has %g",
                         spread, slope);
        else
            CHECK_SAYING(spread > 0.05 && slope > 1e-3 * size, "the loss moves by %g, the gradient has %g",
                         spread, slope);
        congru_training_destroy(&t);
    }
    sample_free(&trials);
}

/* CP of Algorithm 9 acts with both kinds of scatter, and is what its definition says: the squared norm of what is off the
 * diagonal of R^T M R, M the mean logarithm. */
TEST(the_centre_penalty_sees_rotations)
{
    congru_trials trials = sample_trials(context, N, D, 3, 3, 5);
    double logs[N * SIZE], mean[SIZE] = {0}, r[SIZE], turned[SIZE];
    CHECK(congru_spd_log(context, N, D, trials.covariance, logs) == CONGRU_OK);
    for (size_t e = 0; e < N * SIZE; e++)
        mean[e % SIZE] += logs[e] / N;
    for (int fisher = 0; fisher < 2; fisher++) {
        congru_training *t = new_training(&trials, (congru_fisher)fisher);
        for (uint32_t which = 0; which < 4; which++) {
            double loss[2], centre = 0.0;
            turn(t, which);
            for (int with = 0; with < 2; with++) {
                t->options.centre_penalty = with;
                CHECK(congru_training_evaluate(t) == CONGRU_OK);
                loss[with] = t->series[CONGRU_SERIES_LOSS];
            }
            CHECK(congru_rotation_forward(context, D, t->parameters.value, r) == CONGRU_OK);
            CHECK(congru_spd_congruence(context, 1, D, D, mean, r, turned) == CONGRU_OK);
            for (size_t e = 0; e < SIZE; e++)
                centre += e % (D + 1) == 0 ? 0.0 : turned[e] * turned[e];
            CHECK_NEAR(loss[1] - loss[0], centre, 1e-12);
            CHECK(centre > 1e-6);
        }
        congru_training_destroy(&t);
    }
    sample_free(&trials);
}

TEST(scatters_are_as_defined)
{
    congru_trials trials = sample_trials(context, N, D, 3, 3, 5);
    for (int fisher = 0; fisher < 2; fisher++) {
        congru_method_options options;
        congru_method_options_init(&options);
        options.network.fisher = (congru_fisher)fisher;
        options.network.dispersion = CONGRU_DISPERSION_NONE;
        congru_training *t;
        CHECK(congru_training_create(context, &congru_network_dct, false, &trials, &options, &t) == CONGRU_OK);
        double r[SIZE], within, between, whole[2] = {0};
        for (uint32_t which = 0; which < 3; which++) {
            turn(t, which);
            congru_training_take(t, N, NULL);
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
            CHECK(congru_rotation_forward(context, D, t->parameters.value, r) == CONGRU_OK);
            defined_scatters(&trials, r, fisher == CONGRU_FISHER_AXIS, &within, &between);
            CHECK_NEAR(t->series[CONGRU_SERIES_WITHIN_ACTION] / within, 1, 1e-13);
            CHECK_NEAR(t->series[CONGRU_SERIES_BETWEEN_ACTION] / between, 1, 1e-13);
            if (which == 0 || fisher == CONGRU_FISHER_AXIS)
                whole[0] = within, whole[1] = between;
            CHECK_NEAR(within / whole[0], 1, 1e-13);
            CHECK_NEAR(between / whole[1], 1, 1e-13);
        }
        congru_training_destroy(&t);
    }
    sample_free(&trials);
}

/* A well-conditioned W that is no rotation. */
static void any_weights(double *w)
{
    congru_random random = congru_random_stream(32, 0, 0, 0);
    for (size_t e = 0; e < SIZE; e++)
        w[e] = 0.35 * congru_random_normal(&random) + (e % (D + 1) == 0 ? 1.2 : 0.0);
}

/* Inner products of tangent vectors at the affine-invariant mean: all that a tangent-space classifier sees. */
static void inner_products(const double *c, double gram[N * N])
{
    double mean[SIZE], vectors[N * FEATURES];
    const congru_mean_options options = {.tolerance = 1e-12};
    CHECK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, N, D, c, &options, mean, NULL) == CONGRU_OK);
    CHECK(congru_spd_tangent(context, N, D, mean, c, vectors) == CONGRU_OK);
    for (size_t i = 0; i < N * N; i++) {
        gram[i] = 0.0;
        for (size_t e = 0; e < FEATURES; e++)
            gram[i] += vectors[i / N * FEATURES + e] * vectors[i % N * FEATURES + e];
    }
}

static double largest_gap(size_t count, const double *a, const double *b)
{
    double worst = 0.0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Without epsilon not at all; with it by about as much as it is of the least eigenvalue. */
TEST(common_congruence_is_invisible)
{
    congru_trials trials = sample_trials(context, N, D, 3, 3, 5);
    double w[SIZE], moved[N * SIZE], distance[N * N], then[N * N], gram[N * N], gram_then[N * N];
    any_weights(w);
    CHECK(congru_spd_distance_pairwise(context, CONGRU_METRIC_RIEMANN, D, N, trials.covariance, N,
                                       trials.covariance, distance) == CONGRU_OK);
    inner_products(trials.covariance, gram);
    static const double epsilons[] = {0.0, 1e-4}, least[] = {-1.0, 1e-7}, most[] = {1e-11, 5e-3};
    for (int k = 0; k < 2; k++) {
        CHECK(congru_spd_congruence_forward(context, N, D, D, trials.covariance, w, epsilons[k], moved) ==
              CONGRU_OK);
        CHECK(congru_spd_distance_pairwise(context, CONGRU_METRIC_RIEMANN, D, N, moved, N, moved, then) ==
              CONGRU_OK);
        inner_products(moved, gram_then);
        double far = largest_gap(N * N, distance, then), apart = largest_gap(N * N, gram, gram_then);
        CHECK_SAYING(far < most[k] && apart < most[k] && far > least[k],
                     "epsilon %g: distances change by %g, inner products by %g", epsilons[k], far, apart);
    }
    /* The log-Euclidean geometry does see it. */
    CHECK(congru_spd_distance_pairwise(context, CONGRU_METRIC_LOGEUCLID, D, N, trials.covariance, N,
                                       trials.covariance, distance) == CONGRU_OK);
    CHECK(congru_spd_distance_pairwise(context, CONGRU_METRIC_LOGEUCLID, D, N, moved, N, moved, then) ==
          CONGRU_OK);
    CHECK(largest_gap(N * N, distance, then) > 1e-3);
    sample_free(&trials);
}

int main(void)
{
    return context_main(&context, NULL);
}
