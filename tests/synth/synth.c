/* Made-up sets: what each stage does to subjects, by closed forms and identities. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"

static congru_context *context;

/* Few subjects and trials; nothing random but the subjects, nothing added. */
static congru_synth_options plain(congru_synth_stage stage)
{
    congru_synth_options options;
    congru_synth_options_init(&options);
    options.stage = stage;
    options.subjects = 4;
    options.trials = 2;
    options.channels = 7;
    options.noise = options.shift_noise = options.background = options.jitter = 0.0;
    return options;
}

static congru_set *make(const congru_synth_options *options)
{
    congru_set *set = NULL;
    congru_status status = congru_synth(context, options, &set);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return set;
}

static const double *matrix(const congru_set *set, size_t trial)
{
    return set->covariance + trial * set->dimension * set->dimension;
}

static double largest_difference(size_t count, const double *a, const double *b)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* The largest difference of two sets made with different options. */
static double between(const congru_synth_options *a, const congru_synth_options *b)
{
    congru_set *first = make(a), *second = make(b);
    double most = first != NULL && second != NULL
                      ? largest_difference(first->count * first->dimension * first->dimension,
                                           first->covariance, second->covariance)
                      : NAN;
    congru_set_destroy(&first);
    congru_set_destroy(&second);
    return most;
}

/* Logarithms without their trace part, as a division by the trace leaves it open; `recentred` after
 * whitening each subject by its mean. */
static double *shapes(const congru_set *set, bool recentred)
{
    const size_t d = set->dimension, each = set->count / set->subjects;
    double *logs = malloc(set->count * d * d * sizeof *logs), *mean = malloc(d * d * sizeof *mean);
    memcpy(logs, set->covariance, set->count * d * d * sizeof *logs);
    for (size_t i = 0; recentred && i < set->subjects; i++) {
        double *mine = logs + i * each * d * d;
        CHECK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, each, d, mine, NULL, mean, NULL) == CONGRU_OK);
        CHECK(congru_spd_invsqrt(context, 1, d, mean, mean) == CONGRU_OK);
        CHECK(congru_spd_congruence(context, each, d, d, mine, mean, mine) == CONGRU_OK);
    }
    CHECK(congru_spd_log(context, set->count, d, logs, logs) == CONGRU_OK);
    for (size_t t = 0; t < set->count; t++) {
        double trace = 0.0;
        for (size_t i = 0; i < d; i++)
            trace += logs[t * d * d + i * (d + 1)];
        for (size_t i = 0; i < d; i++)
            logs[t * d * d + i * (d + 1)] -= trace / (double)d;
    }
    free(mean);
    return logs;
}

/* How far trial `trial` of any subject is from that of the first. */
static double across_subjects(const congru_set *set, const double *logs, size_t trial)
{
    const size_t size = set->dimension * set->dimension, each = set->count / set->subjects;
    double most = 0.0;
    for (size_t i = 1; i < set->subjects; i++)
        most = fmax(most, largest_difference(size, logs + trial * size, logs + (i * each + trial) * size));
    return most;
}

static double class_spread(const congru_synth_options *options, bool recentred, size_t class)
{
    congru_set *set = make(options);
    if (set == NULL)
        return NAN;
    double *logs = shapes(set, recentred);
    double spread = across_subjects(set, logs, class);
    free(logs);
    congru_set_destroy(&set);
    return spread;
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

TEST(shift_is_what_recentring_undoes)
{
    congru_synth_options options = plain(CONGRU_SYNTH_SHIFT);
    for (size_t class = 0; class < CONGRU_SYNTH_CLASSES; class ++) {
        CHECK(class_spread(&options, false, class) > 0.5);
        CHECK_NEAR(class_spread(&options, true, class), 0.0, 1e-8);
    }
    options.warp = 0.0;
    CHECK_NEAR(class_spread(&options, false, 1), 0.0, 1e-13);
}

TEST(warp_is_a_power_of_one_matrix)
{
    congru_synth_options options = plain(CONGRU_SYNTH_SHIFT), other = options;
    options.warp = 0.8;
    options.alpha = 1.0;
    other.warp = 1.6;
    other.alpha = 0.5;
    CHECK_NEAR(between(&options, &other), 0.0, 1e-14);
}

TEST(classes_are_a_tetrahedron)
{
    congru_synth_options options = plain(CONGRU_SYNTH_SHIFT);
    options.separation = 2.0;
    options.warp = 0.0;
    congru_set *set = make(&options);
    double *logs = shapes(set, false);
    const size_t d = set->dimension;
    /* Classes differ in two of three coordinates, by 2 * separation / sqrt 3 each; for the pair with the
     * first corner the sum of the differences counts too, in that the trace is taken off. */
    const double side = 2.0 * 2.0 / sqrt(3.0);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < a; b++) {
            double square = 0.0;
            for (size_t i = 0; i < d * d; i++)
                square += pow(logs[a * d * d + i] - logs[b * d * d + i], 2);
            double sum = b == 0 ? 2.0 * side : 0.0;
            CHECK_NEAR(square, 2.0 * side * side - sum * sum / (double)d, 1e-12);
        }
    free(logs);
    congru_set_destroy(&set);
}

TEST(dispersion_stays_after_recentring)
{
    congru_synth_options options = plain(CONGRU_SYNTH_DISPERSION), shift = options;
    CHECK(class_spread(&options, true, 0) > 0.1);
    options.dispersion = 0.0;
    shift.stage = CONGRU_SYNTH_SHIFT;
    options.noise = shift.shift_noise = 0.3;
    CHECK(between(&options, &shift) == 0.0);
}

/* The first corner is alike in all directions, so that turning them does nothing to it. */
TEST(orientation_turns_the_signal_subspace)
{
    congru_synth_options options = plain(CONGRU_SYNTH_ORIENTATION), other = options;
    options.dispersion = options.warp = 0.0;
    CHECK_NEAR(class_spread(&options, true, 0), 0.0, 1e-12);
    CHECK(class_spread(&options, true, 1) > 0.1);
    other.rotation = 0.0;
    options = other;
    options.stage = CONGRU_SYNTH_DISPERSION;
    CHECK_NEAR(between(&options, &other), 0.0, 1e-14);
}

/* Eigenvalues of the logarithm relative to those off the signal subspace, ascending, of one trial. */
static void check_values(const congru_synth_options *options, size_t trial, const double expected[3])
{
    congru_set *set = make(options);
    if (set == NULL)
        return;
    double values[7], zero;
    CHECK(congru_spd_eigen(context, 1, set->dimension, matrix(set, trial), values, NULL) == CONGRU_OK);
    /* Four of seven eigenvalues are those of the other directions: the one in the middle is among them. */
    zero = log(values[3]);
    size_t found = 0;
    for (size_t i = 0; i < 7; i++)
        if (fabs(log(values[i]) - zero) > 1e-6 && CHECK(found < 3))
            CHECK_NEAR(log(values[i]) - zero, expected[found++], 1e-12);
    CHECK(found == 3);
    congru_set_destroy(&set);
}

TEST(distortion_bends_eigenvalues)
{
    congru_synth_options options = plain(CONGRU_SYNTH_DISTORTION), other = options;
    options.dispersion = options.warp = options.gamma1 = 0.0;
    options.gamma2 = 0.15;
    const double s = options.separation / sqrt(3.0), up = s + 0.15 * s * s, down = -s + 0.15 * s * s;
    check_values(&options, 0, (const double[3]){up, up, up});
    check_values(&options, 1, (const double[3]){down, down, up});
    other.gamma1 = other.gamma2 = 0.0;
    options = other;
    options.stage = CONGRU_SYNTH_ORIENTATION;
    CHECK_NEAR(between(&options, &other), 0.0, 1e-12);
}

TEST(distortion_differs_by_subject)
{
    congru_synth_options options = plain(CONGRU_SYNTH_DISTORTION);
    options.dispersion = options.rotation = options.warp = options.gamma2 = 0.0;
    options.gamma1 = 0.0;
    CHECK_NEAR(class_spread(&options, true, 1), 0.0, 1e-10);
    options.gamma1 = 0.2;
    CHECK(class_spread(&options, true, 1) > 0.1);
}

TEST(fusion_adds_two_branches)
{
    congru_synth_options options = plain(CONGRU_SYNTH_FUSION), other = plain(CONGRU_SYNTH_DISPERSION);
    options.rotation = options.gamma1 = options.gamma2 = options.delta = 0.0;
    options.background = 0.25;
    other.background = 0.5;
    other.separation = 2.0 * options.separation;
    CHECK_NEAR(between(&options, &other), 0.0, 1e-13);
    options.background = options.dispersion = options.warp = 0.0;
    options.delta = 0.1;
    const double s = 2.0 * options.separation / sqrt(3.0), up = s + 0.1 * s * s, down = -s + 0.1 * s * s;
    check_values(&options, 1, (const double[3]){down, down, up});
    /* The branches have noise, rotation and distortion of their own. */
    options.rotation = 0.5;
    congru_synth_options still = options;
    still.rotation = 0.0;
    CHECK(between(&options, &still) > 1e-3);
    options.rho = 0.0;
    options.warp = 1.0;
    still = options;
    still.warp = 0.0;
    CHECK_NEAR(between(&options, &still), 0.0, 1e-14);
}

/* ---- Sets ---------------------------------------------------------------------------------------------- */

TEST(sets_are_whole)
{
    for (int stage = 0; stage < CONGRU_SYNTH_STAGES; stage++) {
        congru_synth_options options;
        congru_synth_options_init(&options);
        options.stage = (congru_synth_stage)stage;
        options.trials = 3;
        congru_set *set = make(&options);
        if (set == NULL)
            continue;
        CHECK(set->count == 108 && set->dimension == 20 && set->classes == 4 && set->subjects == 9);
        CHECK(set->signals == NULL && set->rate == 0.0 && strcmp(set->subject_name[8], "S09") == 0);
        CHECK(strcmp(set->class_name[3], "c4") == 0 && strcmp(set->channel_name[19], "X20") == 0);
        char words[64];
        snprintf(words, sizeof words, "\"synth\": \"%s\", \"seed\": 50,",
                 congru_synth_stage_name((congru_synth_stage)stage));
        CHECK_SAYING(strstr(set->meta, words) != NULL, "%s", set->meta);
        CHECK(strstr(set->meta, "\"jitter\": 1e-05, \"slow\": 0}") != NULL);
        for (size_t t = 0; t < set->count; t++) {
            double trace = 0.0;
            const double *c = matrix(set, t);
            for (size_t i = 0; i < 20; i++) {
                trace += c[i * 21];
                for (size_t j = 0; j < i; j++)
                    CHECK(c[i * 20 + j] == c[j * 20 + i]);
            }
            CHECK_NEAR(trace, 1.0, 1e-14);
            CHECK(set->label[t] == (int32_t)(t % 4) && set->subject[t] == (int32_t)(t / 12));
        }
        CHECK(congru_covariance_check_rank(context, set->count, 20, set->covariance, 0, NULL) == CONGRU_OK);
        congru_set_destroy(&set);
    }
    CHECK(congru_synth_stage_name(CONGRU_SYNTH_STAGES) == NULL);
}

static congru_set *make_with(int threads, const char *cpu, const congru_synth_options *options)
{
    congru_context *mine = NULL;
    congru_set *set = NULL;
    CHECK(congru_context_create(&mine, &(congru_context_options){.threads = threads, .cpu = cpu}) == CONGRU_OK);
    CHECK(congru_synth(mine, options, &set) == CONGRU_OK);
    congru_context_destroy(&mine);
    return set;
}

TEST(bits_are_the_same)
{
    for (int stage = 0; stage < CONGRU_SYNTH_STAGES; stage++) {
        congru_synth_options options;
        congru_synth_options_init(&options);
        options.stage = (congru_synth_stage)stage;
        options.subjects = 3;
        options.trials = 5;
        options.samples = 100;
        congru_set *first = make_with(1, "base", &options);
        if (!CHECK(first != NULL))
            continue;
        for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
            if (!congru_cpu_available(congru_cpu_name(i)))
                continue;
            congru_set *again = make_with(3, congru_cpu_name(i), &options);
            if (!CHECK(again != NULL))
                continue;
            CHECK_SAYING(memcmp(first->covariance, again->covariance, first->count * 400 * sizeof(double)) ==
                                 0 &&
                             memcmp(first->signals, again->signals, first->count * 2000 * sizeof(double)) == 0,
                         "stage %d differs on %s", stage, congru_cpu_name(i));
            congru_set_destroy(&again);
        }
        options.seed = 51;
        congru_set *other = make(&options);
        CHECK(other != NULL && largest_difference(400, first->covariance, other->covariance) > 1e-3);
        congru_set_destroy(&other);
        congru_set_destroy(&first);
    }
}

/* Subjects and trials do not depend on how many there are of them. */
TEST(draws_do_not_depend_on_counts)
{
    congru_synth_options options = plain(CONGRU_SYNTH_ORIENTATION);
    options.noise = 0.5;
    congru_set *few = make(&options);
    options.subjects = 6;
    options.trials = 3;
    congru_set *many = make(&options);
    for (size_t i = 0; i < 4; i++)
        CHECK(memcmp(matrix(few, i * 8), matrix(many, i * 12), 8 * 49 * sizeof(double)) == 0);
    congru_set_destroy(&few);
    congru_set_destroy(&many);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

static void check_refused(const congru_synth_options *options, congru_status expected, const char *words)
{
    congru_set *set = NULL;
    congru_status status = congru_synth(context, options, &set);
    CHECK_SAYING(status == expected && set == NULL && strstr(congru_context_error(context), words) != NULL,
                 "status %d: %s (not %s)", (int)status, congru_context_error(context), words);
    congru_set_destroy(&set);
}

TEST(wrong_options_are_refused)
{
    congru_synth_options good = plain(CONGRU_SYNTH_FUSION), bad;
    congru_set *set = NULL;
    CHECK(congru_synth(context, NULL, &set) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_synth(context, &good, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_synth(NULL, &good, &set) == CONGRU_ERROR_ARGUMENT);
#define REFUSE(field, value, words) \
    bad = good; \
    bad.field = (value); \
    check_refused(&bad, CONGRU_ERROR_ARGUMENT, words)
    REFUSE(stage, CONGRU_SYNTH_STAGES, "stage 5");
    REFUSE(subjects, 0, "0 subjects");
    REFUSE(trials, 0, "0 trials");
    REFUSE(trials, 10000000, "10000000 trials");
    REFUSE(channels, 3, "3 channels; it must be 4");
    REFUSE(channels, 1025, "1025 channels");
    REFUSE(samples, 7, "more samples than channels");
    REFUSE(samples, SIZE_MAX / 2, "memory");
    REFUSE(noise, -1.0, "noise is -1");
    REFUSE(gamma2, NAN, "gamma2 is nan");
    REFUSE(warp, INFINITY, "warp is inf");
    REFUSE(jitter, 1e9, "jitter is 1e+09");
    bad = good;
    bad.samples = 100;
    bad.rate = 0.0;
    check_refused(&bad, CONGRU_ERROR_ARGUMENT, "rate of 0");
    bad = good;
    bad.warp = 100.0;
    bad.rho = 10.0;
    check_refused(&bad, CONGRU_ERROR_NOT_FINITE, "subject S01: ");
}

int main(void)
{
    return context_main(&context, NULL);
}
