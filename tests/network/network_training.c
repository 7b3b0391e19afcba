/* A thousand steps: matrices stay positive, rotations rotations, bits the same; the best is restored. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aligner/aligner.h"
#include "classifier/classifier.h"
#include "context_main.h"
#include "harness.h"
#include "network/network.h"
#include "network/trained.h"
#include "network_samples.h"

static congru_context *context;

static congru_method_options small_options(int steps)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = steps;
    options.network.batch = 12;
    options.network.rate = 1e-2;
    return options;
}

/* The least eigenvalue of n matrices. */
static double least(size_t n, size_t d, const double *c)
{
    double *values = malloc(n * d * sizeof(double)), low = INFINITY;
    CHECK(congru_spd_eigen(context, n, d, c, values, NULL) == CONGRU_OK);
    for (size_t i = 0; i < n * d; i++)
        low = fmin(low, values[i]);
    free(values);
    return low;
}

/* Every layer's output by the public functions, at the parameters of the moment. */
static double least_of_layers(congru_training *t, const congru_trials *trials)
{
    const size_t n = trials->count;
    double *feature[CONGRU_LAYERS_MAX], low = INFINITY;
    const size_t merges = t->design.merges != CONGRU_MERGES_NONE ? t->design.layers / 2 : 0;
    feature[0] = malloc(n * t->design.d * t->design.d * sizeof(double));
    memcpy(feature[0], trials->covariance, n * t->design.d * t->design.d * sizeof(double));
    for (size_t l = 0; l < t->design.layers; l++) {
        const size_t out = t->design.width[l + 1];
        feature[l + 1] = malloc(n * out * out * sizeof(double));
        CHECK(congru_spd_congruence_forward(context, n, t->design.width[l], out, feature[l],
                                            congru_training_parameter(t, l), t->options.layer_jitter,
                                            feature[l + 1]) == CONGRU_OK);
        low = fmin(low, least(n, out, feature[l + 1]));
        if (l + merges >= t->design.layers) {
            CHECK(congru_spd_merge(context, n, out, feature[l + 1], feature[t->design.layers - 1 - l],
                                   feature[l + 1]) == CONGRU_OK);
            low = fmin(low, least(n, out, feature[l + 1]));
        }
    }
    for (size_t l = 0; l <= t->design.layers; l++)
        free(feature[l]);
    return low;
}

static double rotation_error(congru_training *t)
{
    const size_t d = t->design.d;
    double worst = 0.0, r[64];
    CHECK(congru_rotation_forward(context, d, t->parameters.value, r) == CONGRU_OK);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            double sum = i == j ? -1.0 : 0.0;
            for (size_t k = 0; k < d; k++)
                sum += r[k * d + i] * r[k * d + j];
            worst = fmax(worst, fabs(sum));
        }
    }
    return worst;
}

TEST(every_layer_stays_positive)
{
    congru_trials trials = sample_trials(context, 24, 5, 3, 3, 5);
    congru_method_options options = small_options(1000);
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        for (int end = 0; end < 2; end++) {
            congru_training *t;
            CHECK(congru_training_create(context, congru_network_at((size_t)backbone), end, &trials, &options,
                                         &t) == CONGRU_OK);
            double low = INFINITY, turned = 0.0;
            for (int step = 0; step < 1000; step++) {
                congru_training_draw(t);
                if (!CHECK_SAYING(congru_training_evaluate(t) == CONGRU_OK, "%s",
                                  congru_context_error(context)))
                    break;
                congru_training_update(t);
                if (congru_network_at((size_t)backbone) == &congru_network_dct)
                    turned = fmax(turned, rotation_error(t));
                else
                    low = fmin(low, least_of_layers(t, &trials));
            }
            CHECK_SAYING(low > 0.0, "model %d: an eigenvalue of %g", backbone, low);
            CHECK_SAYING(turned < 1e-12, "R^T R - I reaches %g", turned);
            congru_training_destroy(&t);
        }
    }
    sample_free(&trials);
}

/* A training that is ended is the beginning of one that is not, bit by bit: what falls over the steps falls over all. */
TEST(stopping_is_the_beginning)
{
    enum { STEPS = 20, STOP = 7 };
    congru_trials trials = sample_trials(context, 40, 4, 3, 4, 7);
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        congru_method_options options = small_options(STEPS);
        congru_training *whole = NULL, *ended = NULL;
        options.network.schedule = CONGRU_SCHEDULE_COSINE;
        CHECK(congru_training_create(context, congru_network_at((size_t)backbone), true, &trials, &options,
                                     &whole) == CONGRU_OK);
        options.network.stop = STOP;
        options.network.keep = CONGRU_KEEP_LAST;
        CHECK(congru_training_create(context, congru_network_at((size_t)backbone), true, &trials, &options,
                                     &ended) == CONGRU_OK);
        for (int step = 0; step < STOP; step++) {
            congru_training_draw(whole);
            CHECK(congru_training_evaluate(whole) == CONGRU_OK);
            congru_training_update(whole);
        }
        CHECK(congru_training_loop(ended, NULL) == CONGRU_OK && ended->step == STOP);
        CHECK(memcmp(whole->parameters.value, ended->parameters.value,
                     whole->parameters.size * sizeof(double)) == 0);
        congru_training_destroy(&whole);
        congru_training_destroy(&ended);
    }
    sample_free(&trials);
}

/* With a rate far too large the loss rises after its least value: what is restored gives that loss again. */
TEST(best_is_restored)
{
    congru_trials trials = sample_trials(context, 12, 5, 3, 3, 5);
    congru_method_options options = small_options(60);
    options.network.rate = 1;
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        congru_training *t;
        congru_record record = {0};
        CHECK(congru_training_create(context, congru_network_at((size_t)backbone), true, &trials, &options,
                                     &t) == CONGRU_OK);
        CHECK_SAYING(congru_training_loop(t, &record) == CONGRU_OK, "%s", congru_context_error(context));
        const double *loss = record.value[CONGRU_SERIES_LOSS];
        double lowest = INFINITY;
        for (size_t step = 0; step < record.steps; step++)
            lowest = fmin(lowest, loss[step]);
        CHECK_SAYING(loss[record.steps - 1] > lowest + 1e-6 && record.best_step + 1 < record.steps,
                     "model %d: the loss ends at its least, which tests nothing", backbone);
        CHECK(loss[record.best_step] == lowest);
        /* The penalty on rotations depends on the step: look at it as it was then. */
        t->step = record.best_step;
        congru_training_draw(t);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        CHECK_SAYING(t->series[CONGRU_SERIES_LOSS] == lowest,
                     "model %d: %.17g was restored, %.17g was the least", backbone,
                     t->series[CONGRU_SERIES_LOSS], lowest);
        CHECK(!isnan(record.value[CONGRU_SERIES_EIGEN_LEAST][5]) &&
              record.value[CONGRU_SERIES_EIGEN_LEAST][5] > 0.0);
        CHECK(record.value[CONGRU_SERIES_RANK][0] == 2.0 && isnan(record.value[CONGRU_SERIES_RANK][1]));
        congru_record_clear(&record);
        congru_training_destroy(&t);
    }
    sample_free(&trials);
}

enum { BITS_MOST = 8000, BITS_STEPS = HARNESS_RACES ? 20 : 200 };

static size_t copy_tensors(const congru_tensors *model, double *out)
{
    size_t count = 0;
    for (size_t k = 0; k < model->count; k++) {
        size_t size = 1;
        for (size_t i = 0; i < model->tensor[k].dims; i++)
            size *= model->tensor[k].shape[i];
        memcpy(out + count, model->tensor[k].data, size * sizeof(double));
        count += size;
    }
    return count;
}

/* Tensors, and probabilities of a target subject seen in every way, after training in this context. */
static size_t end_to_end_bits(congru_context *own, int backbone, double *out)
{
    congru_trials trials = sample_trials(own, 61, 4, 3, 3, 5), other = sample_trials(own, 20, 4, 3, 1, 5);
    congru_method_options options = small_options(BITS_STEPS);
    options.network.batch = 37;
    congru_tensors model = {0};
    CHECK_SAYING(congru_network_fit(own, congru_network_at((size_t)backbone), true, "m", &trials, &options,
                                    &model, NULL) == CONGRU_OK,
                 "%s", congru_context_error(own));
    size_t count = copy_tensors(&model, out);
    for (int target = 0; target < CONGRU_TARGET_COUNT; target++) {
        congru_target_trials asked = {.count = other.count, .d = 4, .covariance = other.covariance};
        congru_target_see(&asked, (congru_target)target);
        CHECK(congru_network_predict(own, congru_network_at((size_t)backbone), "m", &model, &asked,
                                     out + count) == CONGRU_OK);
        for (size_t i = 0; i < other.count; i++)
            CHECK_NEAR(out[count + 3 * i] + out[count + 3 * i + 1] + out[count + 3 * i + 2], 1.0, 1e-12);
        count += 3 * other.count;
    }
    congru_tensors_clear(&model);
    sample_free(&trials);
    sample_free(&other);
    return count;
}

/* Tensors of an aligner, and what it makes of its sources and of a target subject seen in every way. */
static size_t aligner_bits(congru_context *own, int which, double *out)
{
    const congru_aligner *aligner = congru_aligner_find(congru_network_at((size_t)which)->name);
    congru_trials trials = sample_trials(own, 131, 4, 3, 3, 5), other = sample_trials(own, 20, 4, 3, 1, 5);
    congru_method_options options = sample_axis_options(); /* and what else the defaults leave out */
    options.network.steps = BITS_STEPS;
    options.network.rate = 1e-2;
    options.network.batch = 100;
    options.network.trace = true;
    options.network.merges = CONGRU_MERGES_EVERY;
    options.network.merge_mean = CONGRU_MERGE_EUCLID;
    congru_tensors model = {0};
    CHECK_SAYING(aligner->fit(aligner, own, &trials, &options, &model, NULL) == CONGRU_OK, "%s",
                 congru_context_error(own));
    size_t count = copy_tensors(&model, out);
    CHECK(count > 0);
    CHECK(aligner->map_sources(aligner, own, &model, &trials, out + count) == CONGRU_OK);
    count += trials.count * 16;
    for (int target = 0; target < CONGRU_TARGET_COUNT; target++) {
        congru_target_trials asked = {.count = other.count, .d = 4, .covariance = other.covariance};
        congru_target_see(&asked, (congru_target)target);
        CHECK(aligner->map_target(aligner, own, &model, &asked, out + count) == CONGRU_OK);
        count += other.count * 16;
    }
    congru_tensors_clear(&model);
    sample_free(&trials);
    sample_free(&other);
    return count;
}

/* Functions do what the row says that they are called with: another name and another network are another method. */
TEST(methods_are_their_rows)
{
    congru_trials trials = sample_trials(context, 40, 4, 3, 4, 7);
    const congru_method_options options = small_options(2);
    congru_target_trials asked = {.count = trials.count, .d = 4, .covariance = trials.covariance};
    congru_target_see(&asked, CONGRU_TARGET_FULL);
    congru_tensors model = {0};
    double out[40 * 16];
    congru_aligner aligner = congru_aligner_dct;
    aligner.name = "toy";
    aligner.network = &congru_network_dldct;
    CHECK(aligner.fit(&aligner, context, &trials, &options, &model, NULL) == CONGRU_OK);
    CHECK(congru_tensors_find(&model, "toy.w1") != NULL && congru_tensors_find(&model, "toy.head") == NULL);
    CHECK(aligner.map_target(&aligner, context, &model, &asked, out) == CONGRU_OK);
    congru_classifier classifier = congru_classifier_spd_cnn;
    classifier.name = "mine";
    classifier.network = &congru_network_spdnet;
    CHECK(classifier.fit(&classifier, context, &trials, &options, &model, NULL) == CONGRU_OK);
    CHECK(congru_tensors_find(&model, "mine.design") != NULL);
    CHECK(classifier.predict(&classifier, context, &model, &asked, out) == CONGRU_OK);
    classifier = congru_classifier_tslr;
    classifier.name = "own";
    CHECK(classifier.fit(&classifier, context, &trials, &options, &model, NULL) == CONGRU_OK);
    CHECK(congru_tensors_find(&model, "own.weights") != NULL && congru_tensors_find(&model, "own.c") != NULL);
    CHECK(classifier.predict(&classifier, context, &model, &asked, out) == CONGRU_OK);
    congru_tensors_clear(&model);
    sample_free(&trials);
}

/* What the three models give in every instruction set of this machine, with 1, 2 and 7 threads. */
static void check_bits(size_t (*bits)(congru_context *own, int which, double *out), const char *what)
{
    static const int threads[] = {1, 2, 7};
    double *expected = calloc(BITS_MOST, sizeof(double)), *found = calloc(BITS_MOST, sizeof(double));
    for (int which = 0; which < ALIGNING_NETWORKS; which++) {
        size_t count = 0;
        for (size_t k = 0; congru_cpu_name(k) != NULL; k++) {
            for (size_t i = 0;
                 i < sizeof threads / sizeof threads[0] && congru_cpu_available(congru_cpu_name(k)); i++) {
                congru_context *own;
                const congru_context_options how = {.threads = threads[i], .cpu = congru_cpu_name(k)};
                CHECK(congru_context_create(&own, &how) == CONGRU_OK);
                const size_t now = bits(own, which, count == 0 ? expected : found);
                CHECK(now > 0 && now <= BITS_MOST);
                if (count == 0)
                    count = now;
                else
                    CHECK_SAYING(now == count && memcmp(expected, found, count * sizeof(double)) == 0,
                                 "%s %d: other bits with %s and %d threads", what, which, congru_cpu_name(k),
                                 threads[i]);
                congru_context_destroy(&own);
            }
        }
    }
    free(expected);
    free(found);
}

TEST(bits_are_the_same)
{
    check_bits(end_to_end_bits, "model");
}

TEST(bits_of_aligners_are_the_same)
{
    check_bits(aligner_bits, "aligner");
}

/* What training computes in its own way is what the layers give one by one. */
TEST(outputs_are_those_of_training)
{
    congru_trials trials = sample_trials(context, 12, 6, 3, 3, 5);
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        congru_method_options options = small_options(20);
        congru_tensors model = {0};
        congru_training *t;
        congru_trained trained;
        CHECK(congru_training_create(context, congru_network_at((size_t)backbone), true, &trials, &options,
                                     &t) == CONGRU_OK);
        CHECK(congru_training_loop(t, NULL) == CONGRU_OK);
        CHECK(congru_trained_save(t, "m", &model) == CONGRU_OK);
        CHECK(congru_trained_load(context, congru_network_at((size_t)backbone), "m", &model, &trained) ==
              CONGRU_OK);
        double logs[12 * 36], out[12 * 36], p[36], mean[36] = {0}, worst = 0.0;
        double dispersion[12];
        for (size_t i = 0; i < 12 && backbone == 0; i++)
            dispersion[i] = t->constants.dispersion[trials.subject[i]];
        double *const outputs[CONGRU_OUTPUT_COUNT] = {out, logs, NULL}, *const answer[] = {NULL, NULL, p};
        congru_given given = {
            .count = 12, .covariance = trials.covariance, .dispersion = backbone == 0 ? dispersion : NULL};
        CHECK(congru_trained_run(&trained, &given, outputs) == CONGRU_OK);
        for (size_t e = 0; e < 12 * 36; e++)
            mean[e % 36] -= 0.5 * logs[e] / 12.0;
        /* Cross-entropy of the batch by the saved network, with the batch's own mean as the reference. */
        CHECK(congru_spd_exp(context, 1, 6, mean, mean) == CONGRU_OK);
        given.matrix = out;
        given.centre = &(congru_statistic){.results = 1, .inverse = mean};
        CHECK(congru_trained_run(&trained, &given, answer) == CONGRU_OK);
        double sum = 0.0;
        for (size_t i = 0; i < 12; i++)
            sum -= log(p[3 * i + (size_t)trials.label[i]]) / 12.0;
        congru_training_draw(t);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        worst = fabs(sum - t->series[CONGRU_SERIES_CROSS_ENTROPY]);
        CHECK_SAYING(worst < 1e-12, "model %d: cross-entropy %.17g in training, %.17g layer by layer", backbone,
                     t->series[CONGRU_SERIES_CROSS_ENTROPY], sum);
        congru_trained_end(&trained);
        congru_tensors_clear(&model);
        congru_training_destroy(&t);
    }
    sample_free(&trials);
}

int main(void)
{
    return context_main(&context, NULL);
}
