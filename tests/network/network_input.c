/* What networks on signals are given: z-scores, crops, and ensembles of seeds. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"
#include "network/layers/layers.h"
#include "network/network.h"
#include "network/train.h"
#include "network_samples.h"

enum { N = 24, D = 3, CLASSES = 2, SUBJECTS = 3, SAMPLES = 130, SIZE = D * SAMPLES, OUT = N * CLASSES };
enum { ROOM = 20, CROP = SAMPLES - ROOM };
static const double rate = 20.0, seconds = CROP / 20.0;

static congru_context *context;
static double plain[N * SIZE];
static int32_t label[N], subject[N];
static congru_signals signals = {.plain = plain, .channels = D, .samples = SAMPLES, .rate = 20.0};
static congru_trials trials = {.count = N,
                               .d = D,
                               .label = label,
                               .subject = subject,
                               .classes = CLASSES,
                               .subjects = SUBJECTS,
                               .signals = &signals};

static const congru_network *const networks[] = {&congru_network_shallow, &congru_network_eegnet,
                                                 &congru_network_inception, &congru_network_tsmnet,
                                                 &congru_network_conv_dldct};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static void draw(void)
{
    congru_random random = congru_random_stream(11, 0, 0, 0);
    for (size_t i = 0; i < N; i++) {
        label[i] = (int32_t)(i % CLASSES);
        subject[i] = (int32_t)(i / CLASSES % SUBJECTS);
    }
    for (size_t i = 0; i < N * SIZE; i++)
        plain[i] = congru_random_normal(&random) * (i / SAMPLES % D == (size_t)label[i / SIZE] ? 2.0 : 1.0);
}

static congru_method_options options_of(int steps)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = steps;
    options.network.batch = 10;
    return options;
}

static congru_method_options crop_options(int steps, int crops)
{
    congru_method_options options = options_of(steps);
    options.network.crops = seconds;
    options.network.crop_count = crops;
    return options;
}

static void fit(congru_context *own, const congru_network *network, const congru_method_options *options,
                congru_tensors *model)
{
    CHECK_SAYING(congru_network_fit(own, network, true, "m", &trials, options, model, NULL) == CONGRU_OK,
                 "%s: %s", network->name, congru_context_error(own));
}

static void ask(congru_context *own, const congru_network *network, const congru_tensors *model,
                const congru_signals *about, double *p)
{
    congru_target_trials target = {.count = N, .d = D, .signals = about};
    congru_target_see(&target, CONGRU_TARGET_FULL);
    CHECK_SAYING(congru_network_predict(own, network, "m", model, &target, p) == CONGRU_OK, "%s: %s",
                 network->name, congru_context_error(own));
}

/* ---- z-scores ---------------------------------------------------------------------------------------- */

TEST(zscores_have_mean_0_and_deviation_1)
{
    static double scratch[SIZE], flat[SIZE];
    static congru_real x[SIZE];
    memcpy(flat, plain + 4 * SIZE, sizeof flat);
    for (size_t t = 0; t < SAMPLES; t++)
        flat[SAMPLES + t] = 0.1;
    const congru_signals one = {.plain = flat, .channels = D, .samples = SAMPLES, .rate = rate};
    CHECK(congru_signal_reals(&one, 0, true, scratch, x));
    for (size_t c = 0; c < D; c++) {
        double mean = 0.0, square = 0.0;
        for (size_t t = 0; t < SAMPLES; t++) {
            mean += (double)x[t * D + c] / SAMPLES;
            square += (double)x[t * D + c] * (double)x[t * D + c] / SAMPLES;
        }
        CHECK_NEAR(mean, 0.0, 1e-6);
        CHECK_NEAR(square, c == 1 ? 0.0 : 1.0, 1e-6);
    }
    flat[3] = INFINITY;
    CHECK(!congru_signal_reals(&one, 0, true, scratch, x));
}

/* Another gain and offset of each channel of each trial is nothing to a network on z-scores, and something to others. */
TEST(zscores_do_not_see_gain_and_offset)
{
    static double moved[N * SIZE];
    const congru_signals other = {.plain = moved, .channels = D, .samples = SAMPLES, .rate = rate};
    for (size_t i = 0; i < N * SIZE; i++)
        moved[i] = (1.0 + 0.1 * (double)(i / SAMPLES % 7)) * plain[i] + (double)(i / SAMPLES % 5);
    for (int zscore = 0; zscore < 2; zscore++) {
        double p[OUT], q[OUT], most = 0.0;
        congru_tensors model = {0};
        congru_method_options options = options_of(5);
        options.network.zscore = zscore != 0;
        fit(context, &congru_network_shallow, &options, &model);
        ask(context, &congru_network_shallow, &model, &signals, p);
        ask(context, &congru_network_shallow, &model, &other, q);
        for (size_t i = 0; i < OUT; i++)
            most = fmax(most, fabs(p[i] - q[i]));
        CHECK_SAYING(zscore != 0 ? most < 1e-4 : most > 1e-2, "they differ by %g", most);
        congru_tensors_clear(&model);
    }
}

/* ---- Crops ------------------------------------------------------------------------------------------- */

/* The signals from a sample on, as long as a crop: (N, D, CROP). */
static congru_signals cut(size_t begins, double *out)
{
    for (size_t row = 0; row < N * D; row++)
        memcpy(out + row * CROP, plain + row * SAMPLES + begins, CROP * sizeof(double));
    return (congru_signals){.plain = out, .channels = D, .samples = CROP, .rate = rate};
}

static double loss_of(congru_training *t, size_t step, size_t count, const size_t *index)
{
    t->step = step;
    congru_training_take(t, count, index);
    CHECK(congru_training_evaluate(t) == CONGRU_OK);
    return t->series[CONGRU_SERIES_LOSS];
}

/* Where the crop of a trial began in a step: at the one place where the same network has the same loss on trials that are cut
 * there. */
static size_t place_of(congru_training *const whole[ROOM + 1], congru_training *t, size_t step, size_t trial)
{
    const double loss = loss_of(t, step, 1, &trial);
    size_t place = SIZE_MAX, places = 0;
    for (size_t begins = 0; begins <= ROOM; begins++) {
        if (loss_of(whole[begins], step, 1, &trial) == loss) {
            place = begins;
            places++;
        }
    }
    CHECK_SAYING(places == 1, "step %zu, trial %zu: %zu places have the loss of the crop", step, trial, places);
    return place;
}

TEST(steps_take_crops)
{
    static double cut_at[ROOM + 1][N * D * CROP];
    static const congru_network *const some[] = {&congru_network_shallow, &congru_network_eegnet};
    for (size_t k = 0; k < 2; k++) {
        congru_training *whole[ROOM + 1], *t;
        congru_signals shape[ROOM + 1];
        congru_trials given[ROOM + 1];
        const congru_method_options plain_options = options_of(3), options = crop_options(3, 4);
        bool seen[ROOM + 1] = {false};
        size_t places = 0;
        CHECK(congru_training_create(context, some[k], true, &trials, &options, &t) == CONGRU_OK);
        for (size_t b = 0; b <= ROOM; b++) {
            shape[b] = cut(b, cut_at[b]);
            given[b] = trials;
            given[b].signals = &shape[b];
            CHECK(congru_training_create(context, some[k], true, &given[b], &plain_options, &whole[b]) ==
                  CONGRU_OK);
        }
        for (size_t e = 0; e < 40; e++)
            seen[place_of(whole, t, e / 2, e % N) % (ROOM + 1)] = true;
        for (size_t b = 0; b <= ROOM; b++)
            places += seen[b];
        CHECK_SAYING(places >= 14, "40 draws of %d places found %zu", ROOM + 1, places);
        CHECK(place_of(whole, t, 3, 7) == place_of(whole, t, 3, 7));
        congru_training_destroy(&t);
        for (size_t b = 0; b <= ROOM; b++)
            congru_training_destroy(&whole[b]);
    }
}

/* A model becomes one that was trained on whole trials as long as its crops. */
static void forget_crops(congru_tensors *model)
{
    for (size_t k = 0; k < model->count; k++) {
        double *design = model->tensor[k].data;
        if (strcmp(model->tensor[k].name, "m.design") == 0) {
            CHECK(design[11] == SAMPLES && design[12] == 4.0);
            design[11] = design[4];
            design[12] = 1.0;
        }
    }
}

TEST(predictions_are_means_over_crops)
{
    static double at[N * D * CROP];
    for (size_t k = 0; k < NETWORKS; k++) {
        double p[OUT], q[OUT], sum[OUT] = {0.0};
        congru_tensors model = {0};
        const congru_method_options options = crop_options(4, 4);
        fit(context, networks[k], &options, &model);
        ask(context, networks[k], &model, &signals, p);
        forget_crops(&model);
        for (size_t crop = 0; crop < 4; crop++) {
            const congru_signals part = cut(crop * ROOM / 3, at);
            ask(context, networks[k], &model, &part, q);
            for (size_t i = 0; i < OUT; i++)
                sum[i] += q[i];
        }
        for (size_t i = 0; i < OUT; i++)
            CHECK_SAYING(p[i] == sum[i] / 4.0, "%s: %.17g and %.17g", networks[k]->name, p[i], sum[i] / 4.0);
        congru_tensors_clear(&model);
    }
}

TEST(crops_that_cannot_be)
{
    static const struct {
        double seconds, rate;
        const char *words;
    } cases[] = {{7.0, 20.0, "crops of 7 s have 140 samples, and a trial has 130"},
                 {4.9, 20.0, "shallow needs crops of 99 samples or more, and these have 98"},
                 {2.0, 0.0, "how many samples a second has is not known"}};
    for (size_t k = 0; k < 3; k++) {
        congru_method_options options = options_of(2);
        congru_signals shape = signals;
        shape.rate = cases[k].rate;
        options.network.crops = cases[k].seconds;
        CHECK(congru_network_suits(context, &congru_network_shallow, &options.network, &shape) ==
              CONGRU_ERROR_ARGUMENT);
        CHECK_SAYING(strstr(congru_context_error(context), cases[k].words) != NULL, "%s",
                     congru_context_error(context));
    }
}

/* ---- All options of training together ---------------------------------------------------------------- */

TEST(bits_are_the_same)
{
    for (size_t k = 0; k < NETWORKS; k++) {
        double expected[OUT], found[OUT];
        congru_method_options options = crop_options(0, 3);
        options.network.zscore = true;
        options.network.epochs = 4;
        options.network.schedule = CONGRU_SCHEDULE_COSINE;
        options.network.warmup = 2;
        options.network.validation_subjects = 1;
        options.network.patience = 1;
        congru_tensors first = {0};
        fit(context, networks[k], &options, &first);
        ask(context, networks[k], &first, &signals, expected);
        for (size_t cpu = 0; congru_cpu_name(cpu) != NULL; cpu++) {
            if (!congru_cpu_available(congru_cpu_name(cpu)))
                continue;
            const congru_context_options how = {.threads = 2, .cpu = congru_cpu_name(cpu)};
            congru_context *own;
            congru_tensors model = {0};
            CHECK(congru_context_create(&own, &how) == CONGRU_OK);
            fit(own, networks[k], &options, &model);
            ask(own, networks[k], &model, &signals, found);
            CHECK_SAYING(memcmp(expected, found, sizeof found) == 0, "%s, %s", networks[k]->name, how.cpu);
            congru_tensors_clear(&model);
            congru_context_destroy(&own);
        }
        congru_tensors_clear(&first);
    }
}

/* ---- Seeds ------------------------------------------------------------------------------------------- */

TEST(ensembles_are_means_over_seeds)
{
    double p[OUT], q[OUT], sum[OUT] = {0.0};
    congru_method_options options = options_of(4);
    congru_tensors model = {0};
    options.network.ensemble = 2;
    fit(context, &congru_network_eegnet, &options, &model);
    ask(context, &congru_network_eegnet, &model, &signals, p);
    congru_tensors_clear(&model);
    options.network.ensemble = 1;
    for (int member = 0; member < 2; member++) {
        fit(context, &congru_network_eegnet, &options, &model);
        ask(context, &congru_network_eegnet, &model, &signals, q);
        congru_tensors_clear(&model);
        options.seed += UINT64_C(0x9E3779B97F4A7C15);
        for (size_t i = 0; i < OUT; i++)
            sum[i] += q[i];
    }
    for (size_t i = 0; i < OUT; i++)
        CHECK(p[i] == sum[i] / 2.0);
}

/* What a layer leaves out differs from one seed to the next, and from layer to layer. */
TEST(seeds_have_dropout_of_their_own)
{
    static congru_graph graph;
    double names[20];
    for (uint64_t k = 0; k < 20; k++) {
        graph.count = k % 4;
        names[k] = congru_dropout_name(&graph, 50 + k / 4);
        for (uint64_t other = 0; other < k; other++)
            CHECK(names[k] != names[other]);
    }
}

/* ---- The wrong kind of trials -------------------------------------------------------------------------- */

/* As long as the network with the longest windows needs trials. */
enum { LONG = 450 };
static double covariance[N * D * D], longer[N * D * LONG];
static const congru_signals long_signals = {.plain = longer, .channels = D, .samples = LONG, .rate = 20.0};

static void fill_both(void)
{
    for (size_t i = 0; i < N * D * LONG; i++)
        longer[i] = plain[i / LONG * SAMPLES + i % LONG % SAMPLES];
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < D; a++)
            for (size_t b = 0; b < D; b++)
                for (size_t t = 0; t < SAMPLES; t++)
                    covariance[(i * D + a) * D + b] +=
                        plain[i * SIZE + a * SAMPLES + t] * plain[i * SIZE + b * SAMPLES + t] / SAMPLES;
}

static void check_refused(congru_status status, const congru_network *network, const char *words)
{
    CHECK_SAYING(status == CONGRU_ERROR_ARGUMENT && strstr(congru_context_error(context), words) != NULL,
                 "%s: status %d, not '%s': %s", network->name, (int)status, words,
                 congru_context_error(context));
}

static bool reads_signals(const congru_network *network)
{
    return network->needs == CONGRU_NEEDS_SIGNALS;
}

/* The trials that a network cannot read, and what is said of them. */
static congru_trials wrong_kind(const congru_network *network, const char **words)
{
    congru_trials wrong = trials;
    if (reads_signals(network)) {
        wrong.signals = NULL;
        wrong.covariance = covariance;
    }
    *words = reads_signals(network) ? " needs signals, and these trials are covariances"
                                    : " needs covariances, and these trials are signals";
    return wrong;
}

/* Each number of a saved design has bounds. */
TEST(designs_out_of_bounds_are_refused)
{
    static const double wrong[] = {NAN, -1.0, 1e308};
    congru_method_options options = options_of(1);
    congru_tensors model = {0};
    double p[OUT];
    fit(context, &congru_network_shallow, &options, &model);
    congru_target_trials target = {.count = N, .d = D, .signals = &signals};
    congru_target_see(&target, CONGRU_TARGET_FULL);
    double *design = congru_tensors_find(&model, "m.design")->data;
    for (size_t i = 0; i < congru_tensors_find(&model, "m.design")->shape[0]; i++) {
        const double right = design[i];
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            design[i] = wrong[k];
            CHECK_SAYING(congru_network_predict(context, &congru_network_shallow, "m", &model, &target, p) ==
                             CONGRU_ERROR_FORMAT,
                         "number %zu as %g", i, wrong[k]);
        }
        design[i] = right;
    }
    CHECK(congru_network_predict(context, &congru_network_shallow, "m", &model, &target, p) == CONGRU_OK);
    congru_tensors_clear(&model);
}

TEST(trials_of_the_wrong_kind_are_refused)
{
    for (int trace = 0; trace < 2; trace++)
        for (int k = 0; k < ALL_NETWORKS; k++) {
            const congru_network *network = congru_network_at((size_t)k);
            congru_method_options options = options_of(1);
            congru_tensors model = {0};
            congru_training *training = NULL;
            const char *words;
            const congru_trials wrong = wrong_kind(network, &words);
            options.network.trace = trace == 1;
            check_refused(congru_training_create(context, network, true, &wrong, &options, &training), network,
                          words);
            CHECK(training == NULL);
            check_refused(congru_network_fit(context, network, true, "m", &wrong, &options, &model, NULL),
                          network, words);
            congru_tensors_clear(&model);
        }
}

TEST(targets_of_the_wrong_kind_are_refused)
{
    double p[N * D * D];
    congru_trials both = trials;
    both.signals = &long_signals;
    both.covariance = covariance;
    for (int k = 0; k < ALL_NETWORKS; k++) {
        const congru_network *network = congru_network_at((size_t)k);
        congru_method_options options = options_of(1);
        congru_tensors model = {0};
        const char *words;
        const congru_trials wrong = wrong_kind(network, &words);
        congru_target_trials target = {
            .count = N, .d = D, .covariance = wrong.covariance, .signals = wrong.signals};
        congru_target_see(&target, CONGRU_TARGET_FULL);
        CHECK_SAYING(congru_network_fit(context, network, true, "m", &both, &options, &model, NULL) ==
                         CONGRU_OK,
                     "%s: %s", network->name, congru_context_error(context));
        check_refused(congru_network_predict(context, network, "m", &model, &target, p), network, words);
        if (k < ALIGNING_NETWORKS) {
            check_refused(congru_network_map_target(context, network, "m", &model, &target, p), network, words);
            check_refused(congru_network_map_sources(context, network, "m", &model, &wrong, p), network, words);
        }
        congru_tensors_clear(&model);
    }
}

/* Signals beside covariances change nothing for a network on covariances, nor the other way round. */
TEST(what_a_network_does_not_read_changes_nothing)
{
    congru_trials both = trials;
    both.signals = &long_signals;
    both.covariance = covariance;
    for (int k = 0; k < ALL_NETWORKS; k++) {
        const congru_network *network = congru_network_at((size_t)k);
        const congru_method_options options = options_of(2);
        congru_tensors model[2] = {{0}, {0}};
        congru_trials own = both;
        if (reads_signals(network))
            own.covariance = NULL;
        else
            own.signals = NULL;
        for (int m = 0; m < 2; m++)
            CHECK_SAYING(congru_network_fit(context, network, true, "m", m == 0 ? &own : &both, &options,
                                            &model[m], NULL) == CONGRU_OK,
                         "%s: %s", network->name, congru_context_error(context));
        CHECK(model[0].count == model[1].count && model[0].count > 0);
        for (size_t i = 0; i < model[0].count; i++) {
            size_t size = 1;
            for (size_t r = 0; r < model[0].tensor[i].dims; r++)
                size *= model[0].tensor[i].shape[r];
            CHECK_SAYING(memcmp(model[0].tensor[i].data, model[1].tensor[i].data, size * sizeof(double)) == 0,
                         "%s: tensor %zu", network->name, i);
        }
        congru_tensors_clear(&model[0]);
        congru_tensors_clear(&model[1]);
    }
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    draw();
    fill_both();
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
