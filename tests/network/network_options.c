/* Options of training, each seen to do what it says; errors; what may be seen of a target subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"
#include "network/train.h"
#include "network/trained.h"
#include "network_samples.h"

static congru_context *context;
static congru_trials trials, trials_of_target;
enum { N = 60, D = 4, CLASSES = 3, SUBJECTS = 4, M = 30 };

static congru_method_options some_options(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = 25;
    options.network.batch = 24;
    options.network.rate = 1e-2;
    return options;
}

static congru_training *begun(const congru_method_options *options)
{
    congru_training *t = NULL;
    CHECK_SAYING(congru_training_create(context, &congru_network_dldct, true, &trials, options, &t) ==
                     CONGRU_OK,
                 "%s", congru_context_error(context));
    return t;
}

static void balanced_batches(void)
{
    congru_method_options options = some_options();
    options.network.balanced_batches = true;
    congru_training *t = begun(&options);
    congru_training_draw(t);
    int count[SUBJECTS] = {0};
    for (size_t i = 0; i < t->batch.count; i++)
        count[t->batch.subject[i]]++;
    for (int s = 0; s < SUBJECTS; s++)
        CHECK(count[s] == 24 / SUBJECTS);
    congru_training_destroy(&t);
}

static void subject_dropout(void)
{
    congru_method_options options = some_options();
    options.network.subject_dropout = 0.5;
    congru_training *t = begun(&options);
    int seen_ever[SUBJECTS] = {0};
    for (t->step = 0; t->step < 20; t->step++) {
        congru_training_draw(t);
        int seen[SUBJECTS] = {0}, subjects = 0;
        for (size_t i = 0; i < t->batch.count; i++)
            seen[t->batch.subject[i]] = seen_ever[t->batch.subject[i]] = 1;
        for (int s = 0; s < SUBJECTS; s++)
            subjects += seen[s];
        CHECK_SAYING(subjects == SUBJECTS / 2, "step %zu has trials of %d subjects", t->step, subjects);
    }
    for (int s = 0; s < SUBJECTS; s++)
        CHECK(seen_ever[s]);
    congru_training_destroy(&t);
}

/* Held-out subjects are in no batch; what is restored is the best for them among the steps looked at. */
static void validation_subjects(void)
{
    congru_method_options options = some_options();
    options.network.validation_subjects = 1;
    options.network.steps = 40;
    options.network.rate = 0.05;
    congru_training *t = begun(&options);
    size_t held = SUBJECTS;
    for (size_t s = 0; s < SUBJECTS; s++)
        held = t->batches.held_out[s] ? s : held;
    CHECK(held < SUBJECTS);
    double best = INFINITY;
    for (; t->step < 40;) {
        if (t->step % 10 == 0) {
            congru_training_take_subject(t, held);
            CHECK(t->batch.count == N / SUBJECTS && t->batch.subject[0] == (int32_t)held);
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
            best = fmin(best, t->series[CONGRU_SERIES_CROSS_ENTROPY]);
        }
        congru_training_draw(t);
        for (size_t i = 0; i < t->batch.count; i++)
            CHECK(t->batch.subject[i] != (int32_t)held);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
    }
    congru_training_take_subject(t, held);
    CHECK(congru_training_evaluate(t) == CONGRU_OK);
    best = fmin(best, t->series[CONGRU_SERIES_CROSS_ENTROPY]);
    congru_training_destroy(&t);
    t = begun(&options);
    CHECK(congru_training_loop(t, NULL) == CONGRU_OK);
    congru_training_take_subject(t, held);
    CHECK(congru_training_evaluate(t) == CONGRU_OK);
    CHECK_SAYING(t->series[CONGRU_SERIES_CROSS_ENTROPY] == best, "%.17g restored, %.17g was the best",
                 t->series[CONGRU_SERIES_CROSS_ENTROPY], best);
    congru_training_destroy(&t);
}

/* Each epoch has every trial at most once, in an order of its own, and none that is held out. */
static void epochs(void)
{
    congru_method_options options = some_options();
    options.network.epochs = 3;
    options.network.batch = 12;
    options.network.validation_subjects = 1;
    congru_training *t = begun(&options);
    const size_t steps = congru_batches_epoch(t), left = N - N / SUBJECTS;
    size_t order[2][N], seen[N] = {0};
    CHECK_SAYING(steps == left / 12 && (size_t)t->options.steps == 3 * steps, "%zu steps an epoch, %d in all",
                 steps, t->options.steps);
    for (t->step = 0; t->step < 2 * steps; t->step++) {
        congru_training_draw(t);
        CHECK(t->batch.count == 12);
        for (size_t i = 0; i < t->batch.count; i++) {
            CHECK(!t->batches.held_out[t->batch.subject[i]]);
            order[t->step / steps][t->step % steps * 12 + i] = t->batch.index[i];
            seen[t->batch.index[i]]++;
        }
    }
    size_t same = 0;
    for (size_t i = 0; i < steps * 12; i++)
        same += order[0][i] == order[1][i];
    CHECK_SAYING(same < steps * 6, "%zu of %zu trials are in the same place in both epochs", same, steps * 12);
    for (size_t i = 0; i < steps * 12; i++) {
        for (size_t k = 0; k < i; k++)
            CHECK(order[0][i] != order[0][k]);
    }
    t->step = 1; /* what a step draws does not depend on those before */
    congru_training_draw(t);
    for (size_t i = 0; i < 12; i++)
        CHECK(t->batch.index[i] == order[1 / steps][1 % steps * 12 + i]);
    congru_training_destroy(&t);
    options.network.balanced_batches = true;
    CHECK(congru_training_create(context, &congru_network_dldct, true, &trials, &options, &t) ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "3 epochs pass over all trials alike") != NULL);
}

/* The rate of each step, and no other bit where it is constant. */
static void schedules(void)
{
    congru_method_options options = some_options();
    options.network.steps = 12;
    options.network.warmup = 4;
    options.network.rate = 0.5;
    for (int cosine = 0; cosine < 2; cosine++) {
        options.network.schedule = cosine == 1 ? CONGRU_SCHEDULE_COSINE : CONGRU_SCHEDULE_CONSTANT;
        congru_training *t = begun(&options);
        for (int step = 0; step < 12; step++) {
            const double rise = step < 4 ? (step + 1) / 4.0 : 1.0,
                         fall = cosine == 1 && step >= 4 ? 0.5 + 0.5 * cos(acos(-1.0) * (step - 4) / 8.0) : 1.0;
            congru_training_draw(t);
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
            congru_training_update(t);
            CHECK_NEAR(t->adam.rate, 0.5 * rise * fall, 1e-15);
        }
        congru_training_destroy(&t);
    }
}

/* A rate that makes everything worse: the first look is the best, and so many later training ends. */
static void patience(void)
{
    congru_method_options options = some_options();
    options.network.patience = 2;
    congru_training *t;
    CHECK(congru_training_create(context, &congru_network_dldct, true, &trials, &options, &t) ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "hold some out with --validation") != NULL);
    options.network.validation_subjects = 1;
    options.network.steps = 200;
    options.network.rate = 0.2;
    t = begun(&options);
    congru_record record = {0};
    CHECK(congru_training_loop(t, &record) == CONGRU_OK);
    CHECK_SAYING(t->step < 200 && t->step == t->adam.best_step + 20 && record.steps == t->step,
                 "%zu steps, the best is %zu, %zu in the record", t->step, t->adam.best_step, record.steps);
    CHECK(record.best_step == t->adam.best_step);
    CHECK(memcmp(t->parameters.value, t->adam.best, t->parameters.size * sizeof(double)) == 0);
    congru_record_clear(&record);
    congru_training_destroy(&t);
}

static void average(void)
{
    congru_method_options options = some_options();
    options.network.average = 0.8;
    congru_training *t = begun(&options), *other = begun(&options);
    double *expected = calloc(t->parameters.size, sizeof(double)), worst = 0.0;
    for (int step = 0; step < 25; step++) {
        congru_training_draw(t);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
        for (size_t i = 0; i < t->parameters.size; i++)
            expected[i] += pow(0.8, 24 - step) * t->parameters.value[i] * 0.2 / (1.0 - pow(0.8, 25));
    }
    CHECK(congru_training_loop(other, NULL) == CONGRU_OK);
    for (size_t i = 0; i < t->parameters.size; i++)
        worst = fmax(worst, fabs(expected[i] - other->parameters.value[i]));
    CHECK_SAYING(worst < 1e-13, "the average is off by %g", worst);
    free(expected);
    congru_training_destroy(&t);
    congru_training_destroy(&other);
}

/* At zero weights cross-entropy is log K whatever the smoothing; the gradient by the bias sees the target. */
static void label_smoothing(void)
{
    congru_method_options options = some_options();
    options.network.label_smoothing = 0.3;
    options.network.decay = 0.0;
    congru_training *t = begun(&options);
    const size_t one = 0;
    congru_training_take(t, 1, &one);
    CHECK(congru_training_evaluate(t) == CONGRU_OK);
    CHECK_NEAR(t->series[CONGRU_SERIES_CROSS_ENTROPY], log(3.0), 1e-14);
    const double *bias = congru_training_gradient(t, t->parameters.segments - 1);
    for (int k = 0; k < CLASSES; k++)
        CHECK_NEAR(bias[k], 1.0 / 3.0 - (0.1 + (k == trials.label[0] ? 0.7 : 0.0)), 1e-14);
    congru_training_destroy(&t);
}

static void predict(const congru_tensors *model, const congru_network *network, congru_target target,
                    const char *prefix, double *p)
{
    congru_target_trials asked = {.count = M, .d = D, .covariance = trials_of_target.covariance};
    congru_target_see(&asked, target);
    CHECK_SAYING(congru_network_predict(context, network, prefix, model, &asked, p) == CONGRU_OK, "%s",
                 congru_context_error(context));
}

static void ensemble(void)
{
    congru_method_options options = some_options();
    options.network.ensemble = 3;
    congru_tensors model = {0};
    CHECK(congru_network_fit(context, &congru_network_dldct, true, "e", &trials, &options, &model, NULL) ==
          CONGRU_OK);
    double whole[M * CLASSES], part[M * CLASSES], sum[M * CLASSES] = {0}, spread = 0.0;
    static const char *const names[] = {"e.1", "e.2", "e.3"};
    predict(&model, &congru_network_dldct, CONGRU_TARGET_FULL, "e", whole);
    for (int k = 0; k < 3; k++) {
        predict(&model, &congru_network_dldct, CONGRU_TARGET_FULL, names[k], part);
        for (size_t i = 0; i < M * CLASSES; i++) {
            sum[i] += part[i];
            spread = fmax(spread, fabs(part[i] - whole[i]));
        }
    }
    for (size_t i = 0; i < M * CLASSES; i++)
        CHECK_NEAR(whole[i], sum[i] / 3.0, 1e-15);
    CHECK_SAYING(spread > 1e-4, "the members differ by %g only", spread);
    congru_tensors_clear(&model);
}

/* Decisions that may not see later trials do not: changing the last trial changes nothing before it. */
static void target_are_seen_as_far_as_allowed(void)
{
    double *changed = malloc(M * D * D * sizeof(double));
    memcpy(changed, trials_of_target.covariance, M * D * D * sizeof(double));
    for (size_t e = 0; e < D * D; e++)
        changed[(M - 1) * D * D + e] *= 3.0;
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        congru_method_options options = some_options();
        congru_tensors model = {0};
        CHECK(congru_network_fit(context, congru_network_at((size_t)backbone), true, "m", &trials, &options,
                                 &model, NULL) == CONGRU_OK);
        for (int target = 0; target < CONGRU_TARGET_COUNT; target++) {
            double before[M * CLASSES], after[M * CLASSES];
            congru_target_trials asked = {.count = M, .d = D, .covariance = changed};
            congru_target_see(&asked, (congru_target)target);
            predict(&model, congru_network_at((size_t)backbone), (congru_target)target, "m", before);
            CHECK(congru_network_predict(context, congru_network_at((size_t)backbone), "m", &model, &asked,
                                         after) == CONGRU_OK);
            bool same = memcmp(before, after, (M - 1) * CLASSES * sizeof(double)) == 0;
            CHECK_SAYING(same == (target != CONGRU_TARGET_FULL), "model %d, %s: the last trial %s", backbone,
                         congru_target_name((congru_target)target), same ? "is not seen" : "is seen too early");
        }
        /* Nothing seen: each trial alone gives what it gives among others. */
        congru_target_trials alone = {
            .count = 1, .d = D, .covariance = trials_of_target.covariance + 5 * D * D};
        double all[M * CLASSES], one[CLASSES];
        predict(&model, congru_network_at((size_t)backbone), CONGRU_TARGET_NONE, "m", all);
        CHECK(congru_network_predict(context, congru_network_at((size_t)backbone), "m", &model, &alone, one) ==
              CONGRU_OK);
        CHECK(memcmp(one, all + 5 * CLASSES, sizeof one) == 0);
        congru_tensors_clear(&model);
    }
    bool told = false;
    for (size_t k = 0; congru_context_note(context, k) != NULL; k++)
        told = told || strstr(congru_context_note(context, k), "only 6 trials") != NULL;
    CHECK(told);
    free(changed);
}

/* DCT divides each logarithm by the root mean square norm of what may be seen: the norm of what comes out
 * tells. */
static void dispersion_is_of_what_is_seen(void)
{
    congru_method_options options = some_options();
    options.network.dispersion = CONGRU_DISPERSION_SUBJECT_GLOBAL;
    congru_tensors model = {0};
    double logs[M * D * D], square[M], out[M * D * D];
    CHECK(congru_network_fit(context, &congru_network_dct, false, "m", &trials, &options, &model, NULL) ==
          CONGRU_OK);
    const double gamma = *congru_tensors_find(&model, "m.gamma")->data,
                 source = *congru_tensors_find(&model, "m.dispersion")->data;
    CHECK(congru_spd_log(context, M, D, trials_of_target.covariance, logs) == CONGRU_OK);
    for (size_t i = 0; i < M; i++) {
        square[i] = 0.0;
        for (size_t e = 0; e < D * D; e++)
            square[i] += logs[i * D * D + e] * logs[i * D * D + e];
    }
    for (int target = 0; target < CONGRU_TARGET_COUNT; target++) {
        congru_target_trials asked = {.count = M, .d = D, .covariance = trials_of_target.covariance};
        congru_target_see(&asked, (congru_target)target);
        CHECK(congru_network_map_target(context, &congru_network_dct, "m", &model, &asked, out) == CONGRU_OK);
        CHECK(congru_spd_log(context, M, D, out, logs) == CONGRU_OK);
        for (size_t i = 0; i < M; i++) {
            const size_t seen = asked.online ? i + 1 : asked.visible;
            double mean = 0.0, norm = 0.0;
            for (size_t j = 0; j < seen; j++)
                mean += square[j] / (double)seen;
            for (size_t e = 0; e < D * D; e++)
                norm += logs[i * D * D + e] * logs[i * D * D + e];
            mean = seen > 0 ? mean : source * source;
            CHECK_NEAR(norm, gamma * gamma * square[i] / mean, 1e-10 * norm);
        }
    }
    congru_tensors_clear(&model);
}

/* Divided by its trace, a trial is the same whatever it was multiplied by: to the bit for powers of two. */
static void over_its_trace_no_scale_is_felt(void)
{
    congru_method_options options = some_options();
    double *scaled = malloc(N * D * D * sizeof(double)), *other = malloc(M * D * D * sizeof(double));
    congru_trials louder = trials;
    louder.covariance = scaled;
    for (size_t e = 0; e < N * D * D; e++)
        scaled[e] = trials.covariance[e] * (e / (D * D) % 3 == 0 ? 4.0 : 0.5);
    for (size_t e = 0; e < M * D * D; e++)
        other[e] = trials_of_target.covariance[e] * (e / (D * D) % 2 == 0 ? 8.0 : 0.25);
    for (int backbone = 0; congru_network_at((size_t)backbone)->needs == CONGRU_NEEDS_COVARIANCES; backbone++) {
        double out[2][M * CLASSES] = {{0}}, plain[M * CLASSES] = {0};
        for (int loud = 0; loud < 3; loud++) {
            congru_tensors model = {0};
            congru_target_trials asked = {
                .count = M, .d = D, .covariance = loud == 1 ? other : trials_of_target.covariance};
            congru_target_see(&asked, CONGRU_TARGET_FULL);
            options.network.trace = loud < 2;
            CHECK(congru_network_fit(context, congru_network_at((size_t)backbone), true, "m",
                                     loud == 1 ? &louder : &trials, &options, &model, NULL) == CONGRU_OK);
            CHECK(congru_network_predict(context, congru_network_at((size_t)backbone), "m", &model, &asked,
                                         loud < 2 ? out[loud] : plain) == CONGRU_OK);
            congru_tensors_clear(&model);
        }
        CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
        CHECK(memcmp(out[0], plain, sizeof plain) != 0);
    }
    free(scaled);
    free(other);
}

/* The head's reference by its definition: the mean logarithm of what is seen, drawn to training's below 16
 * trials. */
static void reference_is_of_what_is_seen(void)
{
    congru_method_options options = some_options();
    congru_tensors model = {0};
    congru_trained trained;
    double out[M * D * D], logs[M * D * D], expected[M * CLASSES], found[M * CLASSES];
    CHECK(congru_network_fit(context, &congru_network_ddct_unet, true, "m", &trials, &options, &model, NULL) ==
          CONGRU_OK);
    double *const outputs[CONGRU_OUTPUT_COUNT] = {out, logs, NULL};
    congru_given given = {.count = M, .covariance = trials_of_target.covariance};
    const double *kept;
    CHECK(congru_trained_load(context, &congru_network_ddct_unet, "m", &model, &trained) == CONGRU_OK);
    CHECK(congru_trained_reference(&trained, &kept) == CONGRU_OK);
    CHECK(congru_trained_run(&trained, &given, outputs) == CONGRU_OK);
    given.count = 1;
    for (int target = 0; target < CONGRU_TARGET_COUNT; target++) {
        congru_target_trials asked = {.count = M, .d = D, .covariance = trials_of_target.covariance};
        congru_target_see(&asked, (congru_target)target);
        for (size_t i = 0; i < M; i++) {
            const size_t seen = asked.online ? i + 1 : asked.visible;
            const double share = seen < 16 ? (double)seen / 16.0 : 1.0;
            double reference[D * D];
            for (size_t e = 0; e < D * D; e++) {
                double sum = 0.0;
                for (size_t j = 0; j < seen; j++)
                    sum += logs[j * D * D + e] / (double)seen;
                reference[e] = -0.5 * (share * sum + (1.0 - share) * kept[e]);
            }
            double *const answer[CONGRU_OUTPUT_COUNT] = {NULL, NULL, expected + i * CLASSES};
            CHECK(congru_spd_exp(context, 1, D, reference, reference) == CONGRU_OK);
            given.matrix = out + i * D * D;
            given.centre = &(congru_statistic){.results = 1, .inverse = reference};
            CHECK(congru_trained_run(&trained, &given, answer) == CONGRU_OK);
        }
        predict(&model, &congru_network_ddct_unet, (congru_target)target, "m", found);
        for (size_t i = 0; i < M * CLASSES; i++)
            CHECK_NEAR(found[i], expected[i], 1e-12);
    }
    congru_trained_end(&trained);
    congru_tensors_clear(&model);
}

static void expect_failure(const congru_network *network, bool end, const congru_method_options *options,
                           congru_status status, const char *words)
{
    congru_training *t;
    CHECK(congru_training_create(context, network, end, &trials, options, &t) == status);
    CHECK_SAYING(t == NULL && strstr(congru_context_error(context), words) != NULL,
                 "\"%s\" was said, not \"%s\"", congru_context_error(context), words);
    congru_training_destroy(&t);
}

static void errors(void)
{
    congru_method_options options = some_options();
    options.network.unconstrained = true;
    expect_failure(&congru_network_dct, false, &options, CONGRU_ERROR_ARGUMENT, "only end-to-end");
    options = some_options();
    options.network.width_count = 3;
    options.network.widths[0] = 5;
    options.network.widths[1] = options.network.widths[2] = 4;
    expect_failure(&congru_network_dldct, true, &options, CONGRU_ERROR_ARGUMENT, "first width is 5");
    options.network.widths[0] = 4;
    options.network.widths[1] = options.network.widths[2] = 3;
    expect_failure(&congru_network_dldct, false, &options, CONGRU_ERROR_ARGUMENT, "last width is 3");
    expect_failure(&congru_network_ddct_unet, true, &options, CONGRU_ERROR_ARGUMENT, "mirror");
    options = some_options();
    options.network.validation_subjects = SUBJECTS;
    expect_failure(&congru_network_dldct, true, &options, CONGRU_ERROR_ARGUMENT, "left to train with");
    options = some_options();
    options.network.label_smoothing = NAN;
    expect_failure(&congru_network_dldct, true, &options, CONGRU_ERROR_ARGUMENT,
                   "--label-smoothing wants a number, not 'nan'");
    options = some_options();
    options.network.ensemble = 2;
    expect_failure(&congru_network_dldct, false, &options, CONGRU_ERROR_ARGUMENT, "ensemble");
}

/* A rate that throws the weights out of range ends with the trial, the layer and the step, not with NaN. */
static void runaway_training_stops(void)
{
    congru_method_options options = some_options();
    options.network.rate = 1e160;
    for (int backbone = 1; backbone < ALIGNING_NETWORKS; backbone++) {
        congru_tensors model = {0};
        congru_status status = congru_network_fit(context, congru_network_at((size_t)backbone), true, "m",
                                                  &trials, &options, &model, NULL);
        CHECK_SAYING(status == CONGRU_ERROR_NOT_FINITE &&
                         strstr(congru_context_error(context), "step 1") != NULL &&
                         strstr(congru_context_error(context), "trial") != NULL &&
                         strstr(congru_context_error(context), "layer") != NULL,
                     "status %d: %s", (int)status, congru_context_error(context));
        congru_tensors_clear(&model);
    }
}

/* A class nobody has trials of: probability 0, and a note. */
static void absent_class(void)
{
    congru_trials more = trials;
    more.classes = CLASSES + 1;
    congru_method_options options = some_options();
    congru_tensors model = {0};
    double p[M * (CLASSES + 1)], q[M * CLASSES];
    CHECK(congru_network_fit(context, &congru_network_dct, true, "m", &more, &options, &model, NULL) ==
          CONGRU_OK);
    predict(&model, &congru_network_dct, CONGRU_TARGET_FULL, "m", p);
    CHECK(congru_network_fit(context, &congru_network_dct, true, "n", &trials, &options, &model, NULL) ==
          CONGRU_OK);
    predict(&model, &congru_network_dct, CONGRU_TARGET_FULL, "n", q);
    for (size_t i = 0; i < M; i++) {
        CHECK(p[i * (CLASSES + 1) + CLASSES] == 0.0);
        for (size_t k = 0; k < CLASSES; k++)
            CHECK_NEAR(p[i * (CLASSES + 1) + k], q[i * CLASSES + k], 1e-12);
    }
    congru_tensors_clear(&model);
}

/* The scratch of a step holds the logits, whose number follows from that of the classes. */
static void many_classes(void)
{
    static const struct {
        size_t d, classes;
    } sizes[] = {{2, 32}, {3, 28}, {8, 200}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        congru_trials many = sample_trials(context, 2 * sizes[i].classes, sizes[i].d, sizes[i].classes, 2, 5);
        for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
            congru_method_options options = some_options();
            options.network.steps = 2;
            options.network.batch = 64;
            congru_tensors model = {0};
            CHECK_SAYING(congru_network_fit(context, congru_network_at((size_t)backbone), true, "m", &many,
                                            &options, &model, NULL) == CONGRU_OK,
                         "%zu classes, d = %zu, backbone %d: %s", sizes[i].classes, sizes[i].d, backbone,
                         congru_context_error(context));
            congru_tensors_clear(&model);
        }
        sample_free(&many);
    }
}

/* The rotation of DCT end to end, trained with these widths: (D, D). */
static void rotation_by_widths(size_t count, const size_t *widths, double *rotation)
{
    congru_method_options options = some_options();
    congru_tensors model = {0};
    options.network.width_count = count;
    memcpy(options.network.widths, widths, count * sizeof *widths);
    CHECK_SAYING(congru_network_fit(context, &congru_network_dct, true, "m", &trials, &options, &model, NULL) ==
                     CONGRU_OK,
                 "%s", congru_context_error(context));
    memcpy(rotation, congru_tensors_find(&model, "m.rotation")->data, D * D * sizeof *rotation);
    congru_tensors_clear(&model);
}

/* Widths that are all d make a product of rotations, which is one; others are not for DCT. */
static void rotations_by_widths(void)
{
    const size_t same[] = {D, D, D, D}, wide[] = {D, 2 * D, D};
    double one[D * D], r[D * D];
    rotation_by_widths(0, same, one);
    rotation_by_widths(3, wide, r);
    CHECK(memcmp(one, r, sizeof r) == 0);
    rotation_by_widths(2, same, r);
    CHECK(memcmp(one, r, sizeof r) == 0);
    for (size_t count = 3; count <= 4; count++) {
        rotation_by_widths(count, same, r);
        CHECK(memcmp(one, r, sizeof r) != 0);
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) {
                double product = 0.0;
                for (size_t k = 0; k < D; k++)
                    product += r[k * D + i] * r[k * D + j];
                CHECK_NEAR(product, i == j ? 1.0 : 0.0, 1e-12);
            }
    }
}

/* Rows by place and by name; those with a head of their own come last, and only those on signals say how many samples. */
static void the_registry(void)
{
    for (size_t k = 0; k < ALL_NETWORKS; k++) {
        const congru_network *network = congru_network_at(k);
        CHECK_SAYING(congru_network_find(network->name) == network &&
                         (network->model->objective == NULL) == (k >= ALIGNING_NETWORKS) &&
                         (network->needs == CONGRU_NEEDS_SIGNALS) == (network->model->least_samples != NULL),
                     "%s", network->name);
    }
    CHECK(congru_network_at(ALL_NETWORKS) == NULL && congru_network_find("") == NULL);
}

/* What is not given is the network's own; what is given holds. */
static void own_training(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    congru_network_options o = congru_network_settle(&congru_network_shallow, &options.network);
    CHECK(o.batch == 64 && o.rate == 1e-3 && o.clip == 0.0 && o.dropout == 0.5);
    o = congru_network_settle(&congru_network_dldct, &options.network);
    CHECK(o.steps == 1000 && o.batch == 256 && o.decay == 1e-5 && o.clip == 5.0);
    options.network.steps = 0;
    options.network.dropout = 0.0;
    options.network.clip = 2.0;
    o = congru_network_settle(&congru_network_shallow, &options.network);
    CHECK(o.steps == 0 && o.dropout == 0.0 && o.clip == 2.0 && o.batch == 64);
    options.network.dct_steps = 7;
    CHECK(congru_network_steps(&congru_network_dct, &options.network) == 7 &&
          congru_network_steps(&congru_network_eegnet, &options.network) == 0);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    trials = sample_trials(context, N, D, CLASSES, SUBJECTS, 5);
    trials_of_target = sample_trials(context, M, D, CLASSES, 1, 5);
    RUN(balanced_batches);
    RUN(subject_dropout);
    RUN(validation_subjects);
    RUN(epochs);
    RUN(schedules);
    RUN(patience);
    RUN(average);
    RUN(label_smoothing);
    RUN(ensemble);
    RUN(target_are_seen_as_far_as_allowed);
    RUN(dispersion_is_of_what_is_seen);
    RUN(over_its_trace_no_scale_is_felt);
    RUN(reference_is_of_what_is_seen);
    RUN(errors);
    RUN(runaway_training_stops);
    RUN(absent_class);
    RUN(many_classes);
    RUN(rotations_by_widths);
    RUN(the_registry);
    RUN(own_training);
    sample_free(&trials);
    sample_free(&trials_of_target);
    congru_context_destroy(&context);
    return harness_end();
}
