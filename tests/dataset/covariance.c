/* Covariance estimators against their definitions and scikit-learn; the rank check. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/dataset.h"
#include "congru/spd.h"
#include "context_main.h"
#include "harness.h"

enum { D_MAX = 40, T_MAX = 520, N_MAX = 11 };

static congru_context *context;
static double signals[N_MAX * D_MAX * T_MAX], covariance[N_MAX * D_MAX * D_MAX], other[N_MAX * D_MAX * D_MAX];

/* As in tests/oracle/oracle_covariance.py. `state` is 1 for the signals the stored values are of. */
static void make_signals(uint64_t *state, size_t d, size_t samples, double *x)
{
    static double u[D_MAX * T_MAX];
    for (size_t i = 0; i < d * samples; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        u[i] = (double)((*state >> 33) % 1001) - 500;
    }
    for (size_t i = 0; i < d; i++)
        for (size_t t = 0; t < samples; t++)
            x[i * samples + t] =
                u[i * samples + t] + (double)(i + 1) * u[(i + 1) % d * samples + t] / 2 + 10 * (double)i;
}

static void make_trials(size_t n, size_t d, size_t samples)
{
    uint64_t state = 1;
    for (size_t m = 0; m < n; m++)
        make_signals(&state, d, samples, signals + m * d * samples);
}

static double largest_entry(size_t size, const double *c)
{
    double largest = 0;
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs(c[i]));
    return largest;
}

/* ---- Estimators ------------------------------------------------------------------------------------ */

static void check_stored_case(FILE *file, congru_estimator estimator, size_t d, size_t samples)
{
    make_trials(1, d, samples);
    CHECK(congru_covariance(context, estimator, false, 1, d, samples, signals, covariance) == CONGRU_OK);
    double scale = largest_entry(d * d, covariance);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double expected;
            if (!CHECK(fscanf(file, "%lf", &expected) == 1))
                return;
            CHECK_NEAR(covariance[i * d + j], expected, 1e-13 * scale);
            CHECK(covariance[i * d + j] == covariance[j * d + i]);
        }
    }
}

TEST(shrinkage_agrees_with_scikit_learn)
{
    char path[512], line[256], name[8];
    const char *source = getenv("SOURCE");
    size_t d, samples, cases = 0;
    double shrinkage;
    snprintf(path, sizeof path, "%s/tests/data/covariance.txt", source != NULL ? source : ".");
    FILE *file = fopen(path, "r");
    if (!CHECK_SAYING(file != NULL && fgets(line, sizeof line, file) != NULL, "%s cannot be read", path))
        return;
    while (fscanf(file, "%7s %zu %zu %lf", name, &d, &samples, &shrinkage) == 4) {
        check_stored_case(file, strcmp(name, "oas") == 0 ? CONGRU_ESTIMATOR_OAS : CONGRU_ESTIMATOR_LWF, d,
                          samples);
        cases++;
    }
    fclose(file);
    CHECK(cases == 16);
}

/* In long double, from the definition. */
static void check_defined(congru_estimator estimator, size_t d, size_t samples)
{
    long double mean[D_MAX] = {0}, c[D_MAX * D_MAX], trace = 0;
    for (size_t i = 0; i < d && estimator == CONGRU_ESTIMATOR_SCM; i++) {
        for (size_t t = 0; t < samples; t++)
            mean[i] += signals[i * samples + t];
        mean[i] /= (long double)samples;
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            long double sum = 0;
            for (size_t t = 0; t < samples; t++)
                sum += (signals[i * samples + t] - mean[i]) * (signals[j * samples + t] - mean[j]);
            c[i * d + j] = sum;
        }
        trace += c[i * d + i];
    }
    long double divisor = estimator == CONGRU_ESTIMATOR_SCM ? (long double)samples - 1 : trace;
    for (int normalise = 0; normalise < 2; normalise++) {
        CHECK(congru_covariance(context, estimator, normalise == 1, 1, d, samples, signals, covariance) ==
              CONGRU_OK);
        double scale = largest_entry(d * d, covariance);
        for (size_t i = 0; i < d * d; i++)
            CHECK_NEAR(covariance[i], (double)(c[i] / (normalise == 1 ? trace : divisor)), 1e-14 * scale);
    }
}

TEST(sample_covariances_are_what_they_are_defined_to_be)
{
    static const struct {
        size_t d, samples;
    } cases[] = {{1, 2},  {2, 3},  {3, 7},    {3, 8},    {4, 9},   {5, 15},
                 {6, 16}, {7, 17}, {13, 100}, {22, 480}, {40, 513}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_trials(1, cases[i].d, cases[i].samples);
        check_defined(CONGRU_ESTIMATOR_SCM, cases[i].d, cases[i].samples);
        check_defined(CONGRU_ESTIMATOR_CSP, cases[i].d, cases[i].samples);
    }
}

TEST(trace_normalised_is_of_unit_trace)
{
    make_trials(5, 6, 33);
    for (int estimator = CONGRU_ESTIMATOR_SCM; estimator <= CONGRU_ESTIMATOR_CSP; estimator++) {
        CHECK(congru_covariance(context, (congru_estimator)estimator, true, 5, 6, 33, signals, covariance) ==
              CONGRU_OK);
        for (size_t m = 0; m < 5; m++) {
            double trace = 0;
            for (size_t i = 0; i < 6; i++)
                trace += covariance[m * 36 + i * 7];
            CHECK_NEAR(trace, 1.0, 1e-15);
        }
    }
}

/* A large offset must not cost digits: it is removed before products are made. */
TEST(an_offset_does_no_harm)
{
    enum { D = 3, T = 64 };
    make_trials(1, D, T);
    CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, 1, D, T, signals, covariance) == CONGRU_OK);
    for (size_t i = 0; i < D * T; i++)
        signals[i] += 0x1p30;
    CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, 1, D, T, signals, other) == CONGRU_OK);
    for (size_t i = 0; i < D * D; i++)
        CHECK_NEAR(other[i], covariance[i], 1e-9 * largest_entry(D * D, covariance));
}

TEST(bits_do_not_depend_on_threads_or_instruction_set)
{
    static const size_t lengths[] = {2, 7, 8, 31, 250, 512};
    for (size_t cpu = 0; congru_cpu_name(cpu) != NULL; cpu++) {
        if (!congru_cpu_available(congru_cpu_name(cpu)))
            continue;
        for (int threads = 1; threads <= 3; threads++) {
            congru_context *mine;
            const congru_context_options options = {.threads = threads, .cpu = congru_cpu_name(cpu)};
            if (!CHECK(congru_context_create(&mine, &options) == CONGRU_OK))
                continue;
            for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
                const size_t d = 9 + k, size = N_MAX * d * d * sizeof(double);
                make_trials(N_MAX, d, lengths[k]);
                /* Thirds do not add up exactly, so that the order of a sum shows. */
                for (size_t i = 0; i < N_MAX * d * lengths[k]; i++)
                    signals[i] /= 3;
                for (int e = CONGRU_ESTIMATOR_SCM; e <= CONGRU_ESTIMATOR_CSP; e++) {
                    CHECK(congru_covariance(context, (congru_estimator)e, true, N_MAX, d, lengths[k], signals,
                                            covariance) == CONGRU_OK);
                    CHECK(congru_covariance(mine, (congru_estimator)e, true, N_MAX, d, lengths[k], signals,
                                            other) == CONGRU_OK);
                    CHECK_SAYING(memcmp(covariance, other, size) == 0,
                                 "%s, %d threads, estimator %d, %zu samples", congru_cpu_name(cpu), threads, e,
                                 lengths[k]);
                }
            }
            congru_context_destroy(&mine);
        }
    }
}

/* ---- Errors ---------------------------------------------------------------------------------------- */

static void check_says(congru_status status, congru_status expected, const char *words)
{
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected, "status %d, not %d, for: %s (%s)", (int)status, (int)expected, words,
                 error);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
}

static congru_status estimate(congru_estimator estimator, bool normalise)
{
    return congru_covariance(context, estimator, normalise, 10, 4, 20, signals, covariance);
}

TEST(a_bad_trial_is_named)
{
    for (int e = CONGRU_ESTIMATOR_SCM; e <= CONGRU_ESTIMATOR_CSP; e++) {
        make_trials(10, 4, 20);
        signals[7 * 80 + 2 * 20 + 5] = NAN;
        signals[9 * 80] = INFINITY;
        check_says(estimate((congru_estimator)e, e % 2 == 0), CONGRU_ERROR_NOT_FINITE,
                   "trial 8 of 10: channel 3 is NaN or infinite at sample 6");
        signals[7 * 80 + 2 * 20 + 5] = 0;
        check_says(estimate((congru_estimator)e, e % 2 == 0), CONGRU_ERROR_NOT_FINITE,
                   "trial 10 of 10: channel 1");
        signals[9 * 80] = 1e200;
        check_says(estimate((congru_estimator)e, e % 2 == 0), CONGRU_ERROR_NOT_FINITE,
                   "trial 10 of 10: its covariance");
    }
    make_trials(10, 4, 20);
    for (size_t i = 0; i < 80; i++)
        signals[3 * 80 + i] = 0;
    CHECK(estimate(CONGRU_ESTIMATOR_SCM, false) == CONGRU_OK);
    CHECK(estimate(CONGRU_ESTIMATOR_OAS, false) == CONGRU_OK);
    CHECK(estimate(CONGRU_ESTIMATOR_LWF, false) == CONGRU_OK);
    check_says(estimate(CONGRU_ESTIMATOR_SCM, true), CONGRU_ERROR_NOT_POSITIVE,
               "trial 4 of 10: every channel is flat");
    check_says(estimate(CONGRU_ESTIMATOR_LWF, true), CONGRU_ERROR_NOT_POSITIVE,
               "trial 4 of 10: every channel is flat");
    check_says(estimate(CONGRU_ESTIMATOR_CSP, false), CONGRU_ERROR_NOT_POSITIVE,
               "trial 4 of 10: every channel is flat");
}

TEST(impossible_arguments_are_refused)
{
    const congru_estimator scm = CONGRU_ESTIMATOR_SCM;
    CHECK(congru_covariance(NULL, scm, true, 1, 2, 9, signals, covariance) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance(context, scm, true, 1, 2, 9, NULL, covariance) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance(context, scm, true, 1, 2, 9, signals, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance(context, (congru_estimator)9, true, 1, 2, 9, signals, covariance) ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance(context, scm, true, 0, 2, 9, signals, covariance) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance(context, scm, true, 1, 0, 9, signals, covariance) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance(context, scm, true, 1, 2, SIZE_MAX / 4, signals, covariance) ==
          CONGRU_ERROR_ARGUMENT);
    check_says(congru_covariance(context, scm, true, 1, 2, 1, signals, covariance), CONGRU_ERROR_ARGUMENT,
               "at least 2");
}

static bool stop_at_once(void *user, size_t done, size_t total)
{
    size_t *calls = user;
    (*calls)++;
    CHECK(done >= 1 && done <= total && total == 3);
    return false;
}

TEST(progress_can_stop_it)
{
    size_t calls = 0;
    congru_context *mine;
    const congru_context_options options = {.threads = 1, .progress = stop_at_once, .progress_user = &calls};
    CHECK(congru_context_create(&mine, &options) == CONGRU_OK);
    make_trials(10, 4, 20);
    CHECK(congru_covariance(mine, CONGRU_ESTIMATOR_SCM, true, 10, 4, 20, signals, covariance) ==
          CONGRU_ERROR_CANCELLED);
    CHECK(calls == 1);
    congru_context_destroy(&mine);
}

/* ---- Rank ------------------------------------------------------------------------------------------ */

enum { RANK_D = 6, RANK_T = 300, RANK_N = 3 };

static const char names[RANK_D][CONGRU_LABEL_SIZE] = {"Fz", "C3", "Cz", "C4", "", "POz"};

static double *channel_of(size_t trial, size_t channel)
{
    return signals + (trial * RANK_D + channel) * RANK_T;
}

static congru_status check_rank(void)
{
    CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, true, RANK_N, RANK_D, RANK_T, signals, covariance) ==
          CONGRU_OK);
    return congru_covariance_check_rank(context, RANK_N, RANK_D, covariance, 0, names);
}

TEST(full_rank_passes)
{
    make_trials(RANK_N, RANK_D, RANK_T);
    CHECK(check_rank() == CONGRU_OK);
    CHECK(congru_covariance_check_rank(context, RANK_N, RANK_D, covariance, 1e-6, NULL) == CONGRU_OK);
    check_says(congru_covariance_check_rank(context, RANK_N, RANK_D, covariance, 0.9, NULL),
               CONGRU_ERROR_NOT_POSITIVE, "trial 1 of 3");
    CHECK(congru_covariance_check_rank(context, RANK_N, RANK_D, covariance, -1, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance_check_rank(context, RANK_N, RANK_D, covariance, NAN, NULL) ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(congru_covariance_check_rank(context, RANK_N, RANK_D, NULL, 0, NULL) == CONGRU_ERROR_ARGUMENT);
}

TEST(flat_channels_are_named)
{
    make_trials(RANK_N, RANK_D, RANK_T);
    for (size_t t = 0; t < RANK_T; t++)
        channel_of(1, 2)[t] = 5;
    check_says(check_rank(), CONGRU_ERROR_NOT_POSITIVE,
               "trial 2 of 3: its covariance has rank 5 of 6: Cz is flat (leave flat channels out)");
    for (size_t t = 0; t < RANK_T; t++)
        channel_of(1, 4)[t] = channel_of(1, 5)[t] = -1e-7 * (double)(t % 2);
    check_says(check_rank(), CONGRU_ERROR_NOT_POSITIVE, "rank 3 of 6: Cz, channel 5 and POz are flat");
    memset(covariance, 0, sizeof covariance);
    check_says(congru_covariance_check_rank(context, 1, RANK_D, covariance, 0, NULL), CONGRU_ERROR_NOT_POSITIVE,
               "rank 0 of 6: channel 1, channel 2, channel 3, channel 4, channel 5 and channel 6 are flat");
}

TEST(equal_and_opposite_channels_are_named)
{
    make_trials(RANK_N, RANK_D, RANK_T);
    memcpy(channel_of(2, 3), channel_of(2, 1), RANK_T * sizeof(double));
    check_says(check_rank(), CONGRU_ERROR_NOT_POSITIVE,
               "trial 3 of 3: its covariance has rank 5 of 6: C3 and C4 are equal (leave one of the two out)");
    for (size_t t = 0; t < RANK_T; t++)
        channel_of(2, 3)[t] = 30 - channel_of(2, 1)[t];
    check_says(check_rank(), CONGRU_ERROR_NOT_POSITIVE, "C3 and C4 are each other's opposite");
}

TEST(an_average_reference_is_recognised)
{
    make_trials(RANK_N, RANK_D, RANK_T);
    for (size_t t = 0; t < RANK_T; t++) {
        double mean = 0;
        for (size_t i = 0; i < RANK_D; i++)
            mean += channel_of(0, i)[t] / RANK_D;
        for (size_t i = 0; i < RANK_D; i++)
            channel_of(0, i)[t] -= mean;
    }
    check_says(
        check_rank(), CONGRU_ERROR_NOT_POSITIVE,
        "trial 1 of 3: its covariance has rank 5 of 6: the channels add up to zero: average reference (leave "
        "one channel out, or estimate with oas or lwf)");
}

/* With the window of a set, and without one. */
TEST(short_windows_are_called_short)
{
    congru_set set = {.count = 2, .dimension = 6, .samples = 4};
    make_trials(2, 6, 4);
    CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, 2, 6, 4, signals, covariance) == CONGRU_OK);
    set.covariance = covariance;
    check_says(congru_set_check_rank(context, &set, 0, NULL), CONGRU_ERROR_NOT_POSITIVE,
               "trial 1 of 2: its covariance has rank 3 of 6: 4 samples for 6 channels (take longer windows");
    set.samples = 0;
    check_says(
        congru_set_check_rank(context, &set, 1, NULL), CONGRU_ERROR_NOT_POSITIVE,
        "trial 1 of 1: its covariance has rank 3 of 6: 3 combinations of channels have no variance, as in "
        "windows of 4 samples");
    size_t number = 17;
    congru_epochs epochs = {.count = 1, .number = &number};
    check_says(congru_set_check_rank(context, &set, 1, &epochs), CONGRU_ERROR_NOT_POSITIVE, "trial 17: its");
    check_says(congru_set_check_rank(context, &set, 2, NULL), CONGRU_ERROR_ARGUMENT, "no covariances");
}

TEST(what_is_negative_is_not_flat)
{
    const double negative[] = {-1, 0, 0, -2}, mixed[] = {1, 0, 0, -2};
    check_says(congru_covariance_check_rank(context, 1, 2, negative, 0, NULL), CONGRU_ERROR_NOT_POSITIVE,
               "trial 1 of 1: not a covariance: its eigenvalues go from -2 to -1");
    check_says(congru_covariance_check_rank(context, 1, 2, mixed, 0, NULL), CONGRU_ERROR_NOT_POSITIVE,
               "trial 1 of 1: not a covariance: its eigenvalues go from -2 to 1");
}

TEST(other_combinations_are_spelled_out)
{
    make_trials(RANK_N, RANK_D, RANK_T);
    for (size_t t = 0; t < RANK_T; t++)
        channel_of(1, 0)[t] = 2 * channel_of(1, 3)[t] - 3 * channel_of(1, 5)[t];
    check_says(check_rank(), CONGRU_ERROR_NOT_POSITIVE,
               "rank 5 of 6: 0.802 POz - 0.535 C4 + 0.267 Fz has no variance");
}

int main(void)
{
    return context_main(&context, NULL);
}
