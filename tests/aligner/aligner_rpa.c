/* Riemannian Procrustes analysis: what was planted comes back, and nothing else is looked at. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/rpa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aligner/procrustes.h"
#include "aligner/recentre.h"
#include "congru/aligner.h"
#include "context_main.h"
#include "every_context.h"
#include "harness.h"
#include "spd_samples.h"

static congru_context *context;

#define OK(call) spd_expect(context, (call), CONGRU_OK, __FILE__, __LINE__)

/* ---- A world with a known truth -------------------------------------------------------------------- */

enum { PER_CLASS = 24, SOURCES = 2 };

/* Source trials exp(P_k + noise); the target subject's exp(R (P_k + noise)/spread R^T): U = R and rho = spread take them
 * back. */
typedef struct world {
    size_t d, classes, count; /* trials of one subject */
    double *pattern;          /* (classes, d, d), adding up to zero */
    double *source, *target, *truth, *rotation, *out;
    int32_t *label, *subject, *calibration_label;
    size_t *calibration_trial;
    congru_trials trials;
    congru_target_trials asked;
    congru_method_options options;
} world;

static void make_patterns(congru_random *random, world *w)
{
    const size_t size = w->d * w->d;
    w->pattern = sample_alloc(w->classes * size);
    for (size_t k = 0; k + 1 < w->classes; k++) {
        sample_symmetric(random, w->d, 0.5 * sqrt((double)w->d), w->pattern + k * size);
        for (size_t i = 0; i < size; i++)
            w->pattern[(w->classes - 1) * size + i] -= w->pattern[k * size + i];
    }
}

/* In SO(d). */
static void make_rotation(congru_random *random, size_t d, double *r)
{
    sample_orthogonal(random, d, r);
    for (size_t i = 0; i < d && dense_determinant(d, r) < 0.0; i++)
        for (size_t j = 0; j < d; j++)
            r[j] = -r[j];
}

static void make_trial(congru_random *random, const world *w, size_t k, double noise, double *log_trial)
{
    const size_t size = w->d * w->d;
    sample_symmetric(random, w->d, noise * sqrt((double)w->d), log_trial);
    for (size_t i = 0; i < size; i++)
        log_trial[i] += w->pattern[k * size + i];
}

static world world_make(size_t d, size_t classes, double noise, double spread, uint32_t number)
{
    const size_t size = d * d, count = classes * PER_CLASS;
    world w = {.d = d, .classes = classes, .count = count};
    congru_random random = congru_random_stream(81, (uint32_t)d, (uint32_t)classes, number);
    double *log_trial = sample_alloc(size), *back = sample_alloc(size);
    w.source = sample_alloc(SOURCES * count * size);
    w.target = sample_alloc(count * size);
    w.truth = sample_alloc(count * size);
    w.out = sample_alloc(count * size);
    w.rotation = sample_alloc(size);
    w.label = calloc(SOURCES * count, sizeof(int32_t));
    w.subject = calloc(SOURCES * count, sizeof(int32_t));
    w.calibration_label = calloc(count, sizeof(int32_t));
    w.calibration_trial = calloc(count, sizeof(size_t));
    make_patterns(&random, &w);
    make_rotation(&random, d, w.rotation);
    dense_transpose(d, d, w.rotation, back);
    for (size_t i = 0; i < SOURCES * count; i++) {
        w.label[i] = (int32_t)(i % classes);
        w.subject[i] = (int32_t)(i / count);
        make_trial(&random, &w, i % classes, noise, log_trial);
        dense_function(d, log_trial, exp, w.source + i * size);
    }
    for (size_t i = 0; i < count; i++) {
        make_trial(&random, &w, i % classes, noise, log_trial);
        dense_function(d, log_trial, exp, w.truth + i * size);
        for (size_t j = 0; j < size; j++)
            log_trial[j] /= spread;
        dense_function(d, log_trial, exp, log_trial);
        dense_congruence(d, d, log_trial, back, w.target + i * size);
    }
    free(log_trial);
    free(back);
    w.trials = (congru_trials){.count = SOURCES * count,
                               .d = d,
                               .covariance = w.source,
                               .label = w.label,
                               .subject = w.subject,
                               .classes = classes,
                               .subjects = SOURCES};
    w.asked = (congru_target_trials){.count = count,
                                     .d = d,
                                     .covariance = w.target,
                                     .visible = count,
                                     .calibration_trial = w.calibration_trial,
                                     .calibration_label = w.calibration_label};
    congru_method_options_init(&w.options);
    return w;
}

/* The labels of the first trials, which are of the classes in turn. */
static void calibrate(world *w, size_t trials)
{
    w->asked.calibration = trials;
    for (size_t i = 0; i < trials; i++) {
        w->calibration_trial[i] = i;
        w->calibration_label[i] = (int32_t)(i % w->classes);
    }
}

static void world_free(world *w)
{
    void *arrays[] = {w->pattern,
                      w->source,
                      w->target,
                      w->truth,
                      w->rotation,
                      w->out,
                      w->label,
                      w->subject,
                      w->calibration_label,
                      w->calibration_trial};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
}

static void map(world *w, double *out)
{
    congru_tensors model = {0};
    OK(congru_aligner_rpa.fit(&congru_aligner_rpa, context, &w->trials, &w->options, &model, NULL));
    OK(congru_aligner_rpa.map_target(&congru_aligner_rpa, context, &model, &w->asked, out));
    congru_tensors_clear(&model);
}

/* The mean distance of trials from those they were made of, and how many lie nearest their own class's pattern. */
static double error_of(const world *w, const double *trials)
{
    double *distance = sample_alloc(w->count), sum = 0.0;
    OK(congru_spd_distance(context, CONGRU_METRIC_RIEMANN, w->count, w->d, trials, w->count, w->truth,
                           distance));
    for (size_t i = 0; i < w->count; i++)
        sum += distance[i];
    free(distance);
    return sum / (double)w->count;
}

static double hits_of(const world *w, const double *trials)
{
    const size_t size = w->d * w->d;
    double *distance = sample_alloc(w->count * w->classes), *centre = sample_alloc(w->classes * size);
    size_t hits = 0;
    for (size_t k = 0; k < w->classes; k++)
        dense_function(w->d, w->pattern + k * size, exp, centre + k * size);
    OK(congru_spd_distance_pairwise(context, CONGRU_METRIC_RIEMANN, w->d, w->count, trials, w->classes, centre,
                                    distance));
    for (size_t i = 0; i < w->count; i++) {
        size_t best = 0;
        for (size_t k = 1; k < w->classes; k++)
            best = distance[i * w->classes + k] < distance[i * w->classes + best] ? k : best;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a world has two classes or more. */
        hits += best == i % w->classes;
    }
    free(distance);
    free(centre);
    return (double)hits / (double)w->count;
}

static const size_t dimensions[] = {3, 8, 22};

/* With four classes whose means do not commute the rotation itself is determined, but for the sign of all of it. */
TEST(a_planted_rotation_comes_back)
{
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t number = 0; number < 4; number++) {
            world w = world_make(dimensions[i], 4, 0.02, 1.7, number);
            const double before = error_of(&w, w.target);
            calibrate(&w, w.count / 2);
            map(&w, w.out);
            CHECK_SAYING(error_of(&w, w.out) < 0.1 * before, "d %zu: %g before, %g after", w.d, before,
                         error_of(&w, w.out));
            CHECK_SAYING(hits_of(&w, w.out) == 1.0, "d %zu: %g right", w.d, hits_of(&w, w.out));
            CHECK_SAYING(hits_of(&w, w.target) < 0.8, "d %zu: %g right without", w.d, hits_of(&w, w.target));
            world_free(&w);
        }
    }
}

/* Two recentred classes have opposite means, which leave the signs of eigenvectors open: the classes come together
 * nevertheless. */
TEST(two_classes_come_together)
{
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t number = 0; number < 4; number++) {
            world w = world_make(dimensions[i], 2, 0.02, 0.6, number);
            calibrate(&w, w.count / 2);
            map(&w, w.out);
            CHECK_SAYING(error_of(&w, w.out) < 0.1 * error_of(&w, w.target), "d %zu: %g before, %g after", w.d,
                         error_of(&w, w.target), error_of(&w, w.out));
            CHECK(hits_of(&w, w.out) == 1.0);
            world_free(&w);
        }
    }
}

/* Trials with as much noise as pattern, recentred first as a pipeline does: better than recentring alone. */
TEST(it_beats_recentring_alone)
{
    for (size_t i = 0; i < 3; i++) {
        world w = world_make(dimensions[i], 4, 0.3, 1.5, 9);
        const size_t size = w.d * w.d;
        double *recentred = sample_alloc(w.count * size), *gain = sample_alloc(size);
        congru_random random = congru_random_stream(82, (uint32_t)i, 0, 0);
        sample_spd(&random, w.d, 30.0, gain);
        for (size_t t = 0; t < w.count; t++)
            dense_congruence(w.d, w.d, w.target + t * size, gain, w.target + t * size);
        OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &w.asked, NULL, recentred));
        w.asked.covariance = recentred;
        calibrate(&w, w.count / 2);
        map(&w, w.out);
        CHECK_SAYING(hits_of(&w, w.out) > hits_of(&w, recentred) + 0.15, "d %zu: %g with, %g without", w.d,
                     hits_of(&w, w.out), hits_of(&w, recentred));
        CHECK(error_of(&w, w.out) < error_of(&w, recentred));
        free(recentred);
        free(gain);
        world_free(&w);
    }
}

/* ---- The solver ------------------------------------------------------------------------------------ */

static double misfit_by_hand(size_t classes, size_t d, const double *target, const double *source,
                             const double *weight, const double *u)
{
    double *moved = sample_alloc(d * d), sum = 0.0;
    for (size_t k = 0; k < classes; k++) {
        dense_congruence(d, d, target + k * d * d, u, moved);
        double off = dense_difference(d * d, moved, source + k * d * d);
        sum += weight[k] * off * off;
    }
    free(moved);
    return sum;
}

/* Exact data: exact answer, a rotation to rounding, and no rotation near it does better. */
TEST(the_rotation_is_a_minimum)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 16, 22};
    static const double weight[3] = {1.0, 2.0, 0.5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t d = sizes[i], size = d * d;
        for (int noisy = 0; noisy < 2; noisy++) {
            congru_random random = congru_random_stream(83, (uint32_t)d, (uint32_t)noisy, 0);
            double *source = sample_alloc(3 * size), *target = sample_alloc(3 * size), *u = sample_alloc(size);
            double *r = sample_alloc(size), *near = sample_alloc(size), *turned = sample_alloc(size), misfit;
            make_rotation(&random, d, r);
            for (size_t k = 0; k < 3; k++) {
                sample_symmetric(&random, d, 1.0, source + k * size);
                dense_congruence(d, d, source + k * size, r, target + k * size);
                for (size_t j = 0; j < size && noisy; j++)
                    target[k * size + j] += (j % d == j / d ? 0.1 : 0.0) * congru_random_normal(&random);
            }
            OK(congru_procrustes(context, 3, d, target, source, weight, 50, u, &misfit));
            dense_congruence(d, d, (dense_identity(d, near), near), u, turned);
            CHECK_NEAR(dense_difference(size, turned, near), 0.0, 1e-14 * (double)size);
            CHECK_NEAR(dense_determinant(d, u), 1.0, 1e-12);
            CHECK_NEAR(misfit, misfit_by_hand(3, d, target, source, weight, u), 1e-11);
            if (!noisy)
                CHECK_NEAR(misfit, 0.0, 1e-16);
            dense_transpose(d, d, r, near);
            CHECK(misfit <= misfit_by_hand(3, d, target, source, weight, near) + 1e-12);
            for (int step = 0; step < 10; step++) {
                sample_normals(&random, size, near);
                for (size_t j = 0; j < size; j++)
                    near[j] *= 1e-4;
                OK(congru_rotation_forward(context, d, near, turned));
                dense_product(d, d, d, u, turned, near);
                CHECK(misfit_by_hand(3, d, target, source, weight, near) >= misfit - 1e-12);
            }
            free(source);
            free(target);
            free(u);
            free(r);
            free(near);
            free(turned);
        }
    }
}

/* What is equal already stays where it is, though a sign turned would be as good. */
TEST(nothing_to_rotate_is_not_rotated)
{
    enum { D = 6, DD = D * D };
    static const double weight[2] = {1.0, 0.0};
    congru_random random = congru_random_stream(84, 0, 0, 0);
    double mean[2 * DD], u[DD], identity[DD], misfit;
    sample_symmetric(&random, D, 1.0, mean);
    sample_symmetric(&random, D, 1.0, mean + DD);
    dense_identity(D, identity);
    OK(congru_procrustes(context, 2, D, mean, mean, weight, 50, u, &misfit));
    CHECK_NEAR(dense_difference(DD, u, identity), 0.0, 1e-12);
    OK(congru_procrustes(context, 2, D, mean, mean, (double[2]){0, 0}, 50, u, &misfit));
    CHECK(dense_difference(DD, u, identity) == 0.0 && misfit == 0.0);
    memset(mean, 0, sizeof mean);
    OK(congru_procrustes(context, 2, D, mean, mean, weight, 50, u, &misfit));
    CHECK(dense_difference(DD, u, identity) == 0.0 && misfit == 0.0);
}

/* ---- Scaling --------------------------------------------------------------------------------------- */

static double dispersion_by_hand(size_t n, size_t d, const double *c)
{
    double *one = sample_alloc(d * d), sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        dense_function(d, c + i * d * d, log, one);
        sum += dense_dot(d * d, one, one);
    }
    free(one);
    return sum / (double)n;
}

TEST(dispersions_become_equal)
{
    world w = world_make(8, 3, 0.3, 2.5, 0);
    double wanted = dispersion_by_hand(w.trials.count, w.d, w.source), found, factor;
    map(&w, w.out);
    CHECK_NEAR(dispersion_by_hand(w.count, w.d, w.out), wanted, 1e-12 * wanted);
    w.asked.visible = w.count / 2;
    map(&w, w.out);
    CHECK_NEAR(dispersion_by_hand(w.count / 2, w.d, w.out), wanted, 1e-12 * wanted);
    CHECK(fabs(dispersion_by_hand(w.count, w.d, w.out) - wanted) > 1e-6);
    OK(congru_alignment_dispersion(context, w.trials.count, w.d, w.source, &found));
    CHECK_NEAR(found, wanted, 1e-12 * wanted);
    w.asked.visible = w.count;
    map(&w, w.out);
    double *other = sample_alloc(w.count * 64);
    OK(congru_alignment_scale(context, w.count, w.d, w.target, found, &factor, other));
    CHECK(memcmp(other, w.out, w.count * 64 * sizeof(double)) == 0);
    CHECK_NEAR(factor, sqrt(wanted / dispersion_by_hand(w.count, w.d, w.target)), 1e-12 * factor);
    free(other);
    world_free(&w);
}

/* Unseen: as they are. Online: by the trials so far, by hand; trials to come change nothing. */
TEST(scaling_sees_what_is_visible)
{
    world w = world_make(4, 2, 0.3, 2.0, 0);
    const size_t size = w.d * w.d;
    const double wanted = dispersion_by_hand(w.trials.count, w.d, w.source);
    double *online = sample_alloc(w.count * size), squares = 0.0, one[16];
    w.asked.visible = 0;
    map(&w, w.out);
    CHECK(memcmp(w.out, w.target, w.count * size * sizeof(double)) == 0);
    w.asked.online = true;
    map(&w, online);
    for (size_t i = 0; i < w.count; i++) {
        dense_function(w.d, w.target + i * size, log, one);
        squares += dense_dot(size, one, one);
        for (size_t j = 0; j < size; j++)
            one[j] *= sqrt(wanted / (squares / (double)(i + 1)));
        dense_function(w.d, one, exp, one);
        CHECK_NEAR(dense_difference(size, one, online + i * size), 0.0, 1e-11);
    }
    w.target[9 * size] *= 1.5;
    map(&w, w.out);
    for (size_t i = 0; i < w.count; i++)
        CHECK((memcmp(w.out + i * size, online + i * size, size * sizeof(double)) == 0) == (i < 9));
    free(online);
    world_free(&w);
}

TEST(no_dispersion_is_no_division_by_zero)
{
    world w = world_make(3, 2, 0.3, 2.0, 0);
    for (size_t i = 0; i < w.count; i++)
        dense_identity(3, w.target + i * 9);
    calibrate(&w, 4);
    map(&w, w.out);
    for (size_t i = 0; i < w.count; i++)
        CHECK_NEAR(dense_difference(9, w.out + i * 9, w.target + i * 9), 0.0, 1e-14);
    world_free(&w);
}

/* ---- What is looked at ----------------------------------------------------------------------------- */

static bool same(const world *w, const double *a, const double *b)
{
    return memcmp(a, b, w->count * w->d * w->d * sizeof(double)) == 0;
}

/* Class 2 has no calibration trial: what the sources say of it does not matter. Nor does a class that the sources do
 * not have. Other labels are not there to be looked at. */
TEST(classes_without_calibration_do_not_count)
{
    world w = world_make(5, 3, 0.1, 1.5, 0);
    double *other = sample_alloc(w.count * 25);
    congru_tensors model = {0};
    calibrate(&w, 12);
    for (size_t i = 0; i < 12; i++)
        w.calibration_trial[i] = 3 * (i / 2) + i % 2, w.calibration_label[i] = (int32_t)(i % 2);
    OK(congru_aligner_rpa.fit(&congru_aligner_rpa, context, &w.trials, &w.options, &model, NULL));
    OK(congru_aligner_rpa.map_target(&congru_aligner_rpa, context, &model, &w.asked, w.out));
    double *mean = congru_tensors_find(&model, "rpa.mean")->data;
    for (size_t i = 0; i < 25; i++)
        mean[2 * 25 + i] = i % 6 == 0 ? 3.0 : 0.5;
    OK(congru_aligner_rpa.map_target(&congru_aligner_rpa, context, &model, &w.asked, other));
    CHECK(same(&w, w.out, other));
    mean[1 * 25] += 0.5;
    OK(congru_aligner_rpa.map_target(&congru_aligner_rpa, context, &model, &w.asked, other));
    CHECK(!same(&w, w.out, other));
    congru_tensors_find(&model, "rpa.trials")->data[1] = 0.0;
    OK(congru_aligner_rpa.map_target(&congru_aligner_rpa, context, &model, &w.asked, w.out));
    mean[1 * 25] += 0.5;
    OK(congru_aligner_rpa.map_target(&congru_aligner_rpa, context, &model, &w.asked, other));
    CHECK(same(&w, w.out, other));
    congru_tensors_clear(&model);
    free(other);
    world_free(&w);
}

/* The public steps, one after the other, are the method. */
TEST(the_steps_are_the_method)
{
    world w = world_make(6, 3, 0.2, 1.5, 0);
    double *scaled = sample_alloc(w.count * 36), *other = sample_alloc(w.count * 36), rotation[36], dispersion;
    int32_t *label = calloc(w.count, sizeof *label);
    calibrate(&w, 15);
    map(&w, w.out);
    for (size_t i = 0; i < w.count; i++)
        label[i] = i < 15 ? (int32_t)(i % 3) : -1;
    OK(congru_alignment_dispersion(context, w.trials.count, 6, w.source, &dispersion));
    OK(congru_alignment_scale(context, w.count, 6, w.target, dispersion, NULL, scaled));
    OK(congru_alignment_rotation(context, 6, 3, w.trials.count, w.source, w.label, w.count, scaled, label, 50,
                                 rotation));
    OK(congru_spd_congruence(context, w.count, 6, 6, scaled, rotation, other));
    CHECK_NEAR(dense_difference(w.count * 36, other, w.out), 0.0, 1e-9);
    free(scaled);
    free(other);
    free(label);
    world_free(&w);
}

/* ---- Bits and errors ------------------------------------------------------------------------------- */

TEST(bits_do_not_depend_on_threads_or_instruction_set)
{
    static const size_t shapes[][2] = {{5, 2}, {22, 4}, {8, 11}};
    for (size_t s = 0; s < 3; s++) {
        world w = world_make(shapes[s][0], shapes[s][1], 0.5, 1.5, 0);
        double *other = sample_alloc(w.count * w.d * w.d);
        congru_context *first = context;
        calibrate(&w, w.count / 2);
        map(&w, w.out);
        congru_context_options how;
        for (size_t place = 0; (context = next_context(&place, &how)) != NULL;
             congru_context_destroy(&context)) {
            map(&w, other);
            CHECK_SAYING(same(&w, w.out, other), "d %zu, %s, %d threads", w.d, how.cpu, how.threads);
        }
        context = first;
        free(other);
        world_free(&w);
    }
}

TEST(the_seed_is_kept_whole)
{
    world w = world_make(3, 2, 0.3, 1.0, 0);
    congru_tensors model = {0};
    w.options.seed = UINT64_C(0xfedcba9876543211);
    OK(congru_aligner_rpa.fit(&congru_aligner_rpa, context, &w.trials, &w.options, &model, NULL));
    const double *seed = congru_tensors_find(&model, "rpa.seed")->data;
    CHECK(((uint64_t)seed[0] << 32) + (uint64_t)seed[1] == w.options.seed);
    congru_tensors_clear(&model);
    world_free(&w);
}

static void check_says(congru_status status, congru_status expected, const char *words)
{
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected && strstr(error, words) != NULL, "status %d, not %d with '%s': %s",
                 (int)status, (int)expected, words, error);
}

TEST(errors_are_said)
{
    world w = world_make(3, 2, 0.3, 1.0, 0);
    congru_tensors model = {0}, empty = {0};
    const congru_aligner *rpa = &congru_aligner_rpa;
    CHECK(congru_aligner_find("rpa") == rpa && rpa->recentring == &congru_recentring_ra && rpa->labels);
    OK(rpa->fit(rpa, context, &w.trials, &w.options, &model, NULL));
    check_says(rpa->map_target(rpa, context, &empty, &w.asked, w.out), CONGRU_ERROR_FORMAT,
               "rpa.mean: missing");
    calibrate(&w, 4);
    w.calibration_trial[3] = w.count;
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_ARGUMENT,
               "calibration trial 4 is number 49 of 48 trials");
    calibrate(&w, 4);
    w.calibration_label[2] = 2;
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_ARGUMENT,
               "there are the classes 0 to 1");
    w.calibration_label[2] = -1;
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_ARGUMENT, "label -1");
    calibrate(&w, 4);
    congru_tensors_find(&model, "rpa.seed")->data[0] = -3.0;
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_FORMAT, "half of a seed");
    congru_tensors_find(&model, "rpa.seed")->data[0] = 0.0;
    congru_tensors_find(&model, "rpa.dispersion")->data[0] = -1.0;
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_FORMAT, "rpa.dispersion");
    congru_tensors_clear(&model);
    w.target[5 * 9] = NAN;
    OK(rpa->fit(rpa, context, &w.trials, &w.options, &model, NULL));
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_NOT_FINITE,
               "matrix 6 of 48");
    w.asked.d = 2;
    check_says(rpa->map_target(rpa, context, &model, &w.asked, w.out), CONGRU_ERROR_FORMAT, "expected 2");
    w.label[7] = 2;
    congru_tensors_clear(&model);
    check_says(rpa->fit(rpa, context, &w.trials, &w.options, &model, NULL), CONGRU_ERROR_ARGUMENT,
               "label 2 of trial 8");
    congru_tensors_clear(&model);
    check_says(congru_alignment_scale(context, 4, 3, w.source, -1.0, NULL, w.out), CONGRU_ERROR_ARGUMENT,
               "dispersion");
    world_free(&w);
}

int main(void)
{
    return context_main(&context, NULL);
}
