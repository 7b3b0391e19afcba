/* Riemannian alignment of sources and target subjects. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/recentre.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aligner/aligner.h"
#include "congru/aligner.h"
#include "context_main.h"
#include "every_context.h"
#include "harness.h"
#include "spd_samples.h"

static congru_context *context;

#define OK(call) spd_expect(context, (call), CONGRU_OK, __FILE__, __LINE__)

/* Three subjects of 23, 9 and 40 trials, in turns, each around a mean of their own. */
enum { SUBJECTS = 3, TRIALS = 72 };
static const size_t subject_trials[SUBJECTS] = {23, 9, 40};

typedef struct sources {
    congru_trials trials;
    double *c, *reference, *out;
    int32_t subject[TRIALS];
} sources;

static sources subjects_make(size_t d, uint32_t number)
{
    sources p = {.c = sample_alloc(TRIALS * d * d),
                 .reference = sample_alloc(SUBJECTS * d * d),
                 .out = sample_alloc(TRIALS * d * d)};
    size_t made[SUBJECTS] = {0}, at = 0;
    double *own[SUBJECTS];
    for (size_t s = 0; s < SUBJECTS; s++) {
        congru_random random = congru_random_stream(71, number, (uint32_t)s, (uint32_t)d);
        own[s] = sample_alloc(subject_trials[s] * d * d);
        sample_eeg(&random, subject_trials[s], d, own[s]);
    }
    for (size_t turn = 0; at < TRIALS; turn++) {
        size_t s = (turn * turn + turn / 2) % SUBJECTS;
        if (made[s] == subject_trials[s])
            s = (s + 1) % SUBJECTS;
        if (made[s] == subject_trials[s])
            s = (s + 1) % SUBJECTS;
        p.subject[at] = (int32_t)s;
        memcpy(p.c + at++ * d * d, own[s] + made[s]++ * d * d, d * d * sizeof(double));
    }
    for (size_t s = 0; s < SUBJECTS; s++)
        free(own[s]);
    p.trials = (congru_trials){.count = TRIALS, .d = d, .covariance = p.c, .subjects = SUBJECTS};
    return p;
}

/* The struct holds its own subjects, so this is set where it has come to rest. */
static const congru_trials *trials_of(sources *p)
{
    p->trials.subject = p->subject;
    return &p->trials;
}

static void subjects_free(sources *p)
{
    free(p->c);
    free(p->reference);
    free(p->out);
}

/* The mean over one subject's trials of `f` of what came out, by Jacobi; its distance from `expected` I. */
static double mean_off(const sources *p, size_t subject, double (*f)(double), double expected)
{
    const size_t d = p->trials.d, size = d * d;
    double *sum = sample_alloc(size), *one = sample_alloc(size), count = 0;
    for (size_t i = 0; i < TRIALS; i++) {
        if ((size_t)p->subject[i] != subject)
            continue;
        count += 1.0;
        if (f != NULL)
            dense_function(d, p->out + i * size, f, one);
        else
            memcpy(one, p->out + i * size, size * sizeof(double));
        for (size_t k = 0; k < size; k++)
            sum[k] += one[k];
    }
    for (size_t k = 0; k < size; k++)
        sum[k] /= count;
    for (size_t i = 0; i < d; i++)
        sum[i * d + i] -= expected;
    double off = dense_norm(size, sum);
    free(sum);
    free(one);
    return off;
}

static const size_t dimensions[] = {1, 2, 3, 8, 22};
enum { DIMENSIONS = sizeof dimensions / sizeof dimensions[0] };

static void align(sources *p, congru_metric metric)
{
    OK(congru_recentre_references(context, metric, trials_of(p), p->reference));
    OK(congru_recentre_sources(context, trials_of(p), p->reference, p->out));
}

/* At the affine-invariant mean the mean of the logarithms is zero: that is what makes it the mean. */
TEST(each_mean_becomes_the_identity)
{
    for (size_t i = 0; i < DIMENSIONS; i++) {
        sources p = subjects_make(dimensions[i], 0);
        align(&p, CONGRU_METRIC_RIEMANN);
        for (size_t s = 0; s < SUBJECTS; s++)
            CHECK_NEAR(mean_off(&p, s, log, 0.0), 0.0, 1e-10);
        align(&p, CONGRU_METRIC_EUCLID);
        for (size_t s = 0; s < SUBJECTS; s++)
            CHECK_NEAR(mean_off(&p, s, NULL, 1.0), 0.0, 1e-12 * (double)dimensions[i]);
        subjects_free(&p);
    }
}

/* The logarithm of a product is not the sum of logarithms: whitening by the log-Euclidean mean leaves the mean
 * logarithm off zero, unless all trials and so the mean commute; the reference is what the definition says. */
TEST(the_log_euclidean_mean_is_whitened_only_nearly)
{
    enum { D = 8, DD = D * D };
    sources p = subjects_make(D, 1);
    align(&p, CONGRU_METRIC_LOGEUCLID);
    for (size_t s = 0; s < SUBJECTS; s++) {
        double mean[DD] = {0}, one[DD], off = mean_off(&p, s, log, 0.0);
        for (size_t i = 0; i < TRIALS; i++) {
            dense_function(D, p.c + i * DD, log, one);
            for (size_t k = 0; k < DD && (size_t)p.subject[i] == s; k++)
                mean[k] += one[k] / (double)subject_trials[s];
        }
        dense_function(D, mean, exp, one);
        CHECK_NEAR(dense_difference(DD, one, p.reference + s * DD), 0.0, 1e-12 * dense_norm(DD, one));
        CHECK_SAYING(off > 1e-6 && off < 0.5, "mean logarithm off by %g", off);
    }
    congru_random random = congru_random_stream(72, 0, 0, 0);
    double q[DD], values[DD] = {0};
    sample_orthogonal(&random, D, q);
    for (size_t i = 0; i < TRIALS; i++) {
        for (size_t j = 0; j < D; j++)
            values[j * D + j] = exp(congru_random_normal(&random));
        dense_congruence(D, D, values, q, p.c + i * DD);
    }
    align(&p, CONGRU_METRIC_LOGEUCLID);
    for (size_t s = 0; s < SUBJECTS; s++)
        CHECK_NEAR(mean_off(&p, s, log, 0.0), 0.0, 1e-12);
    subjects_free(&p);
}

/* W^T C W for every trial of a subject (another gain, another montage): recentred, distances are what they were. */
TEST(a_common_congruence_is_forgotten)
{
    for (size_t i = 1; i < DIMENSIONS; i++) {
        const size_t d = dimensions[i], size = d * d;
        sources p = subjects_make(d, 2);
        congru_random random = congru_random_stream(73, (uint32_t)d, 0, 0);
        double *w = sample_alloc(size);
        double *near = sample_alloc(TRIALS * TRIALS), *near_moved = sample_alloc(TRIALS * TRIALS);
        align(&p, CONGRU_METRIC_RIEMANN);
        OK(congru_spd_distance_pairwise(context, CONGRU_METRIC_RIEMANN, d, TRIALS, p.out, TRIALS, p.out, near));
        sample_normals(&random, size, w);
        for (size_t j = 0; j < d; j++)
            w[j * d + j] += 3.0;
        for (size_t t = 0; t < TRIALS; t++)
            dense_congruence(d, d, p.c + t * size, w, p.c + t * size);
        align(&p, CONGRU_METRIC_RIEMANN);
        OK(congru_spd_distance_pairwise(context, CONGRU_METRIC_RIEMANN, d, TRIALS, p.out, TRIALS, p.out,
                                        near_moved));
        for (size_t a = 0; a < TRIALS; a++)
            for (size_t b = 0; b < TRIALS; b++)
                if (p.subject[a] == p.subject[b])
                    CHECK_NEAR(near_moved[a * TRIALS + b], near[a * TRIALS + b], 1e-6 * (a == b) + 1e-9);
        free(w);
        free(near);
        free(near_moved);
        subjects_free(&p);
    }
}

/* In place, by the public function, and when trials of a subject lie together: the same bits. */
TEST(the_ways_to_call_it_agree)
{
    enum { D = 8, DD = D * D };
    sources p = subjects_make(D, 3);
    align(&p, CONGRU_METRIC_RIEMANN);
    double *other = sample_alloc(TRIALS * DD), *references = sample_alloc(SUBJECTS * DD);
    OK(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, TRIALS, D, p.c, SUBJECTS, p.subject,
                                 references, other));
    CHECK(memcmp(other, p.out, TRIALS * DD * sizeof(double)) == 0);
    CHECK(memcmp(references, p.reference, SUBJECTS * DD * sizeof(double)) == 0);
    for (size_t s = 0; s < SUBJECTS; s++) {
        double *own = sample_alloc(subject_trials[s] * DD);
        size_t count = 0;
        for (size_t i = 0; i < TRIALS; i++)
            if ((size_t)p.subject[i] == s)
                memcpy(own + count++ * DD, p.c + i * DD, DD * sizeof(double));
        OK(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, count, D, own, 1, NULL, NULL, own));
        count = 0;
        for (size_t i = 0; i < TRIALS; i++)
            if ((size_t)p.subject[i] == s)
                CHECK(memcmp(own + count++ * DD, p.out + i * DD, DD * sizeof(double)) == 0);
        free(own);
    }
    memcpy(other, p.c, TRIALS * DD * sizeof(double));
    congru_trials same = *trials_of(&p);
    same.covariance = other;
    OK(congru_recentre_sources(context, &same, p.reference, other));
    CHECK(memcmp(other, p.out, TRIALS * DD * sizeof(double)) == 0);
    free(other);
    free(references);
    subjects_free(&p);
}

/* ---- A target subject ------------------------------------------------------------------------------------ */

enum { NEW = 20, ND = 5, NDD = ND * ND };

static double fresh[NEW * NDD], prior[NDD], out[NEW * NDD], again[NEW * NDD];

static congru_target_trials target_make(congru_target target)
{
    congru_random random = congru_random_stream(74, 0, 0, 0);
    congru_target_trials asked = {.count = NEW, .d = ND, .covariance = fresh};
    sample_eeg(&random, NEW, ND, fresh);
    sample_spd(&random, ND, 10.0, prior);
    congru_target_see(&asked, target);
    return asked;
}

static void change_trial(size_t i)
{
    congru_random random = congru_random_stream(75, (uint32_t)i, 0, 0);
    sample_spd(&random, ND, 50.0, fresh + i * NDD);
}

static bool same_trial(size_t i)
{
    return memcmp(out + i * NDD, again + i * NDD, NDD * sizeof(double)) == 0;
}

static const congru_metric metrics[] = {CONGRU_METRIC_RIEMANN, CONGRU_METRIC_LOGEUCLID, CONGRU_METRIC_EUCLID};

TEST(fully_visible_is_what_sources_get)
{
    for (size_t m = 0; m < 3; m++) {
        congru_target_trials asked = target_make(CONGRU_TARGET_FULL);
        OK(congru_recentre_target(context, metrics[m], &asked, NULL, out));
        OK(congru_alignment_recentre(context, metrics[m], NEW, ND, fresh, 1, NULL, NULL, again));
        CHECK(memcmp(out, again, sizeof out) == 0);
    }
}

/* Only what is visible makes the reference. */
TEST(partly_visible_looks_at_no_more)
{
    static const congru_target targets[] = {CONGRU_TARGET_HALF, CONGRU_TARGET_FIFTH};
    static const size_t visible[] = {10, 4};
    for (size_t k = 0; k < 2; k++) {
        congru_target_trials asked = target_make(targets[k]);
        CHECK(asked.visible == visible[k]);
        OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, NULL, out));
        OK(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, visible[k], ND, fresh, 1, NULL, NULL,
                                     again));
        CHECK(memcmp(out, again, visible[k] * NDD * sizeof(double)) == 0);
        change_trial(visible[k]);
        OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, NULL, again));
        for (size_t i = 0; i < NEW; i++)
            CHECK(same_trial(i) == (i != visible[k]));
        change_trial(visible[k] - 1);
        OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, NULL, again));
        for (size_t i = 0; i < NEW; i++)
            CHECK(!same_trial(i));
    }
}

TEST(one_visible_trial_is_shrunk)
{
    congru_target_trials asked = target_make(CONGRU_TARGET_FULL);
    double reference[NDD], root[NDD], expected[NDD];
    asked.visible = 1;
    for (size_t k = 0; k < NDD; k++)
        reference[k] = 0.5 * fresh[k];
    for (size_t i = 0; i < ND; i++)
        reference[i * ND + i] += 0.5 * dense_trace(ND, fresh) / ND;
    dense_function(ND, reference, dense_invsqrt, root);
    for (size_t m = 0; m < 3; m++) {
        OK(congru_recentre_target(context, metrics[m], &asked, NULL, out));
        for (size_t i = 0; i < NEW; i++) {
            dense_congruence(ND, ND, fresh + i * NDD, root, expected);
            CHECK_NEAR(dense_difference(NDD, out + i * NDD, expected), 0.0, 1e-11 * dense_norm(NDD, expected));
        }
    }
}

TEST(unseen_trials_do_not_touch_each_other)
{
    congru_target_trials asked = target_make(CONGRU_TARGET_NONE);
    double root[NDD], expected[NDD];
    OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, prior, out));
    dense_function(ND, prior, dense_invsqrt, root);
    for (size_t i = 0; i < NEW; i++) {
        dense_congruence(ND, ND, fresh + i * NDD, root, expected);
        CHECK_NEAR(dense_difference(NDD, out + i * NDD, expected), 0.0, 1e-12 * dense_norm(NDD, expected));
    }
    for (size_t j = 0; j < NEW; j++) {
        asked = target_make(CONGRU_TARGET_NONE);
        change_trial(j);
        OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, prior, again));
        for (size_t i = 0; i < NEW; i++)
            CHECK(same_trial(i) == (i != j));
    }
    /* Alone in its batch, as in company. */
    asked = target_make(CONGRU_TARGET_NONE);
    asked.count = 1;
    asked.covariance = fresh + 7 * NDD;
    OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, prior, again + 7 * NDD));
    CHECK(same_trial(7));
}

/* Trials to come change nothing; those that have been change all that follows. */
TEST(online_knows_no_future)
{
    for (size_t m = 0; m < 3; m++) {
        congru_target_trials asked = target_make(CONGRU_TARGET_ONLINE);
        OK(congru_recentre_target(context, metrics[m], &asked, NULL, out));
        for (size_t j = 0; j < NEW; j++) {
            target_make(CONGRU_TARGET_ONLINE);
            change_trial(j);
            OK(congru_recentre_target(context, metrics[m], &asked, NULL, again));
            for (size_t i = 0; i < NEW; i++)
                CHECK(same_trial(i) == (i < j));
        }
        asked = target_make(CONGRU_TARGET_ONLINE);
        OK(congru_recentre_target(context, metrics[m], &asked, NULL, fresh));
        CHECK(memcmp(fresh, out, sizeof out) == 0);
    }
}

/* By the Euclidean metric the running reference is the plain mean of the trials so far, the first one shrunk: the
 * definition, summed apart. The first trial keeps something of itself. */
TEST(online_moves_by_the_mean_so_far)
{
    congru_target_trials asked = target_make(CONGRU_TARGET_ONLINE);
    double sum[NDD], mean[NDD], root[NDD], expected[NDD], identity[NDD];
    OK(congru_recentre_target(context, CONGRU_METRIC_EUCLID, &asked, NULL, out));
    for (size_t k = 0; k < NDD; k++)
        sum[k] = 0.5 * fresh[k];
    for (size_t i = 0; i < ND; i++)
        sum[i * ND + i] += 0.5 * dense_trace(ND, fresh) / ND;
    for (size_t t = 0; t < NEW; t++) {
        for (size_t k = 0; k < NDD; k++) {
            sum[k] += t > 0 ? fresh[t * NDD + k] : 0.0;
            mean[k] = sum[k] / (double)(t + 1);
        }
        dense_function(ND, mean, dense_invsqrt, root);
        dense_congruence(ND, ND, fresh + t * NDD, root, expected);
        CHECK_NEAR(dense_difference(NDD, out + t * NDD, expected), 0.0, 1e-11 * dense_norm(NDD, expected));
    }
    dense_identity(ND, identity);
    CHECK(dense_difference(NDD, out, identity) > 0.1);
    /* The geodesic means of the other metrics begin alike. */
    memcpy(expected, out, sizeof expected);
    for (size_t m = 0; m < 2; m++) {
        OK(congru_recentre_target(context, metrics[m], &asked, NULL, out));
        CHECK_NEAR(dense_difference(NDD, out, expected), 0.0, 1e-12);
    }
}

TEST(the_prior_is_the_log_euclidean_mean)
{
    double mean[NDD] = {0}, one[NDD];
    target_make(CONGRU_TARGET_FULL);
    OK(congru_recentre_prior(context, NEW, ND, fresh, prior));
    for (size_t i = 0; i < NEW; i++) {
        dense_function(ND, fresh + i * NDD, log, one);
        for (size_t k = 0; k < NDD; k++)
            mean[k] += one[k] / NEW;
    }
    dense_function(ND, mean, exp, one);
    CHECK_NEAR(dense_difference(NDD, prior, one), 0.0, 1e-12 * dense_norm(NDD, one));
}

/* ---- Bits and errors ------------------------------------------------------------------------------- */

TEST(bits_do_not_depend_on_threads_or_instruction_set)
{
    enum { D = 22, DD = D * D };
    sources p = subjects_make(D, 4);
    align(&p, CONGRU_METRIC_RIEMANN);
    double *other = sample_alloc(TRIALS * DD), *online = sample_alloc(TRIALS * DD);
    congru_target_trials asked = {.count = TRIALS, .d = D, .covariance = p.c, .online = true};
    OK(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, NULL, online));
    congru_context_options how;
    congru_context *mine;
    for (size_t place = 0; (mine = next_context(&place, &how)) != NULL; congru_context_destroy(&mine)) {
        CHECK(congru_alignment_recentre(mine, CONGRU_METRIC_RIEMANN, TRIALS, D, p.c, SUBJECTS, p.subject, NULL,
                                        other) == CONGRU_OK);
        CHECK_SAYING(memcmp(other, p.out, TRIALS * DD * sizeof(double)) == 0, "%s, %d threads", how.cpu,
                     how.threads);
        CHECK(congru_recentre_target(mine, CONGRU_METRIC_RIEMANN, &asked, NULL, other) == CONGRU_OK);
        CHECK_SAYING(memcmp(other, online, TRIALS * DD * sizeof(double)) == 0, "online, %s, %d threads",
                     how.cpu, how.threads);
    }
    free(other);
    free(online);
    subjects_free(&p);
}

static void check_says(congru_status status, congru_status expected, const char *words)
{
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected && strstr(error, words) != NULL, "status %d, not %d with '%s': %s",
                 (int)status, (int)expected, words, error);
}

TEST(errors_name_the_subject)
{
    enum { D = 3, DD = D * D };
    sources p = subjects_make(D, 5);
    congru_trials trials = *trials_of(&p);
    const int32_t owner = p.subject[11];
    size_t before = 0;
    for (size_t i = 0; i < 11; i++)
        before += p.subject[i] == owner;
    char words[64];
    snprintf(words, sizeof words, "subject %d: matrix %zu of %zu", (int)owner, before + 1,
             subject_trials[owner]);
    p.c[11 * DD] = NAN;
    check_says(congru_recentre_references(context, CONGRU_METRIC_RIEMANN, &trials, p.reference),
               CONGRU_ERROR_NOT_FINITE, words);
    p.c[11 * DD] = -1.0;
    check_says(congru_recentre_references(context, CONGRU_METRIC_RIEMANN, &trials, p.reference),
               CONGRU_ERROR_NOT_POSITIVE, words);
    p.subject[4] = 3;
    check_says(congru_recentre_references(context, CONGRU_METRIC_RIEMANN, &trials, p.reference),
               CONGRU_ERROR_ARGUMENT, "trial 5 is of subject 3: expected 0 to 2");
    p.subject[4] = -1;
    check_says(congru_recentre_sources(context, &trials, p.reference, p.out), CONGRU_ERROR_ARGUMENT,
               "trial 5 is of subject -1");
    p.subject[4] = 0;
    trials.subjects = 4;
    check_says(congru_recentre_references(context, CONGRU_METRIC_RIEMANN, &trials, p.reference),
               CONGRU_ERROR_ARGUMENT, "subject 4 of 4 has no trials");
    subjects_free(&p);
}

TEST(errors_of_a_target)
{
    congru_target_trials asked = target_make(CONGRU_TARGET_NONE);
    check_says(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, NULL, out), CONGRU_ERROR_ARGUMENT,
               "no prior reference");
    asked.visible = NEW + 1;
    check_says(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, prior, out),
               CONGRU_ERROR_ARGUMENT, "more trials of the target subject are visible");
    asked = target_make(CONGRU_TARGET_ONLINE);
    fresh[6 * NDD] = -4.0;
    check_says(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, NULL, out),
               CONGRU_ERROR_NOT_POSITIVE, "the target subject's trial 6");
    asked.count = 0;
    check_says(congru_recentre_target(context, CONGRU_METRIC_RIEMANN, &asked, prior, out),
               CONGRU_ERROR_ARGUMENT, "no matrices");
    check_says(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, NEW, ND, fresh, 2, NULL, NULL, out),
               CONGRU_ERROR_ARGUMENT, "number of subjects");
    check_says(congru_alignment_recentre(context, (congru_metric)9, 2, ND, fresh, 1, NULL, NULL, out),
               CONGRU_ERROR_ARGUMENT, "metric 9");
}

/* Where rounding keeps the mean from 1e-12, what can be had is taken, and no error text is left behind. */
TEST(ill_conditioned_trials_are_taken)
{
    enum { D = 8, DD = D * D, N = 12 };
    congru_random random = congru_random_stream(76, 0, 0, 0);
    double *c = sample_alloc(N * DD), first[DD], *moved = sample_alloc(N * DD);
    for (size_t i = 0; i < N; i++)
        sample_pair(&random, D, 1e9, first, c + i * DD);
    OK(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, N, D, c, 1, NULL, NULL, moved));
    CHECK(strlen(congru_context_error(context)) == 0);
    free(c);
    free(moved);
}

int main(void)
{
    return context_main(&context, NULL);
}
