/* Networks that decide by themselves against stored values of PyTorch; compiled in single and in double precision. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "network/train.h"
#include "stored_values.h"

enum { CHANNELS = 3, SAMPLES = 450, FREQUENCY = 20, SIZE = CHANNELS * SAMPLES };
enum { STEPS = 20, BATCH = 24, TRIALS = 40, D = 6, CLASSES = 3, SUBJECTS = 4, SEED = 50, MOST = 2000 };

static const char data[] = "networks.txt", values[] = "twins.txt";
static const double tolerance = sizeof(congru_real) == sizeof(double) ? 1e-9 : 1e-5;
static congru_context *context;
static double covariance[TRIALS * D * D];
static int32_t label[TRIALS], subject[TRIALS];
static size_t batches[(STEPS + 1) * BATCH];
static const congru_trials trials = {.count = TRIALS,
                                     .d = D,
                                     .covariance = covariance,
                                     .label = label,
                                     .subject = subject,
                                     .classes = CLASSES,
                                     .subjects = SUBJECTS};

static double plain[TRIALS * SIZE];
static const congru_signals signals = {
    .plain = plain, .channels = CHANNELS, .samples = SAMPLES, .rate = FREQUENCY};
static const congru_trials signal_trials = {.count = TRIALS,
                                            .d = CHANNELS,
                                            .label = label,
                                            .subject = subject,
                                            .classes = CLASSES,
                                            .subjects = SUBJECTS,
                                            .signals = &signals};

/* Noise, with a channel louder for each class. */
static void draw_signals(void)
{
    for (size_t n = 0; n < TRIALS; n++) {
        stored_draw(SEED, SIZE, 9, (uint32_t)n, 0, plain + n * SIZE);
        for (size_t t = 0; t < SAMPLES; t++)
            plain[n * SIZE + (size_t)label[n] % CHANNELS * SAMPLES + t] *= 1.5;
    }
}

static void load(void)
{
    double numbers[MOST] = {0};
    stored_values(data, "covariance", covariance);
    stored_values(data, "label", numbers);
    for (size_t i = 0; i < TRIALS; i++)
        label[i] = (int32_t)numbers[i];
    stored_values(data, "subject", numbers);
    for (size_t i = 0; i < TRIALS; i++)
        subject[i] = (int32_t)numbers[i];
    stored_values(data, "batches", numbers);
    for (size_t i = 0; i < (STEPS + 1) * BATCH; i++)
        batches[i] = (size_t)numbers[i];
}

/* All segments together: of one whose gradient is rounding alone, nothing can be said beside the others. */
static void compare_tensors(const congru_training *t, const char *name, const char *what, const double *tensors,
                            double allowed)
{
    char key[64];
    double numbers[MOST], wrong = 0.0, all = 0.0;
    snprintf(key, sizeof key, "%s.%s", name, what);
    const size_t count = stored_values(values, key, numbers), segments = t->parameters.segments;
    CHECK_SAYING(count == segments * STORED_PER_TENSOR, "%s has %zu numbers", key, count);
    for (size_t k = 0; k < segments && count == segments * STORED_PER_TENSOR; k++) {
        const congru_segment *segment = &t->parameters.segment[k];
        const double norm = numbers[k * STORED_PER_TENSOR + 1],
                     error = stored_distance(SEED, k, segment->rows * segment->cols, tensors + segment->offset,
                                             numbers + k * STORED_PER_TENSOR) *
                             (norm > 0.0 ? norm : 1.0);
        wrong += error * error;
        all += norm * norm;
    }
    CHECK_SAYING(sqrt(wrong / all) < allowed, "%s is off by %.2g", key, sqrt(wrong / all));
}

static void compare_loss(const congru_training *t, const char *name, size_t step)
{
    char key[64];
    double loss = NAN;
    snprintf(key, sizeof key, "%s.%zu.loss", name, step);
    stored_values(values, key, &loss);
    const double error = fabs(t->series[CONGRU_SERIES_LOSS] / loss - 1.0);
    CHECK_SAYING(error < tolerance, "%s is off by %.2g", key, error);
}

static void compare(congru_training *t, const char *name, size_t step)
{
    char key[64];
    CHECK_SAYING(congru_training_evaluate(t) == CONGRU_OK, "%s: %s", name, congru_context_error(context));
    compare_loss(t, name, step);
    snprintf(key, sizeof key, "%zu.gradient", step);
    compare_tensors(t, name, key, t->parameters.gradient, tolerance);
}

/* A training that has taken all steps; NULL after a failure. */
static congru_training *trained(const congru_network *network, const char *name, const congru_trials *given,
                                congru_method_options *options)
{
    congru_training *t = NULL;
    options->network.batch = BATCH;
    options->network.decay = options->network.clip = 0.0;
    const congru_status status = congru_training_create(context, network, true, given, options, &t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", name, congru_context_error(context));
    for (size_t step = 0; step < STEPS && t != NULL; step++) {
        congru_training_take(t, BATCH, batches + step * BATCH);
        if (step == 0)
            compare(t, name, 0);
        else
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
    }
    if (t != NULL)
        congru_training_take(t, BATCH, batches + STEPS * BATCH);
    return t;
}

static void follow(const congru_network *network, const char *name, const congru_trials *given,
                   congru_method_options *options)
{
    congru_training *t = trained(network, name, given, options);
    if (t == NULL)
        return;
    /* cppcheck-suppress duplicateExpression ; congru_real is float in the other program */
    if (sizeof(congru_real) == sizeof(double)) /* Adam follows the sign of a slope, be it rounding */
        compare_tensors(t, name, "parameters", t->parameters.value, tolerance);
    compare(t, name, STEPS);
    congru_training_destroy(&t);
}

/* Networks whose steps spread the rounding of single precision, as Adam follows the sign of a slope and a gate that of its
 * input, so that their own weights say little of the gradient at the twin's. */
static const struct {
    const char *name;
    const congru_network *network;
    const congru_trials *given;
} spreading[] = {
    {"conformer", &congru_network_conformer, &signal_trials},
    {"ts-spd-cnn", &congru_network_ts_spd_cnn, &trials},
};

enum { SPREADING = sizeof spreading / sizeof spreading[0] };

static congru_training *trained_spreading(size_t index)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.dropout = 0.0;
    return trained(spreading[index].network, spreading[index].name, spreading[index].given, &options);
}

/* The twin's weights are what the program of double precision finds, as the stored values confirm. Their loss is compared
 * where the network's own steps lead, their gradient at the twin's weights. */
static void at_the_twins_weights(void)
{
    const char *build = getenv("BUILD");
    for (size_t k = 0; k < SPREADING; k++) {
        const char *name = spreading[k].name;
        char command[4096];
        congru_training *t = trained_spreading(k);
        if (t == NULL)
            continue;
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        compare_loss(t, name, STEPS);
        snprintf(command, sizeof command, "%s/tests/test_network_twins_double %s", build != NULL ? build : ".",
                 name);
        FILE *twin = popen(command, "r");
        const size_t size = t->parameters.size,
                     read = twin != NULL ? fread(t->parameters.value, sizeof(double), size, twin) : 0;
        CHECK_SAYING(read == size, "%zu of %zu weights of %s", read, size, command);
        CHECK(twin != NULL && pclose(twin) == 0);
        compare_tensors(t, name, "parameters", t->parameters.value, 1e-9);
        compare(t, name, STEPS);
        congru_training_destroy(&t);
    }
}

/* In double precision the network's own steps lead to the twin's weights. */
static void by_their_own_steps(void)
{
    for (size_t k = 0; k < SPREADING; k++) {
        congru_method_options options;
        congru_method_options_init(&options);
        options.network.dropout = 0.0;
        follow(spreading[k].network, spreading[k].name, spreading[k].given, &options);
    }
}

/* Writes the weights of a spreading network after its steps. */
static int tell_weights(const char *name)
{
    size_t index = 0;
    while (index < SPREADING && strcmp(spreading[index].name, name) != 0)
        index++;
    congru_training *t = index < SPREADING ? trained_spreading(index) : NULL;
    const bool told = t != NULL && fwrite(t->parameters.value, sizeof(double), t->parameters.size, stdout) ==
                                       t->parameters.size;
    congru_training_destroy(&t);
    congru_context_destroy(&context);
    return told && fflush(stdout) == 0 ? 0 : 1;
}

static void spd_cnn(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    follow(&congru_network_spd_cnn, "spd-cnn", &trials, &options);
    options.network.pool = CONGRU_POOL_MEAN;
    follow(&congru_network_spd_cnn, "spd-cnn-mean", &trials, &options);
}

static void spdnet(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    follow(&congru_network_spdnet, "spdnet", &trials, &options);
}

static void on_signals(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.dropout = 0.0;
    follow(&congru_network_shallow, "shallow", &signal_trials, &options);
    follow(&congru_network_deep, "deep", &signal_trials, &options);
    follow(&congru_network_eegnet, "eegnet", &signal_trials, &options);
    follow(&congru_network_inception, "inception", &signal_trials, &options);
}

/* Whole networks on signals, with what they leave out, against differences; in double precision. */
static void differences(void)
{
    static const congru_network *const networks[] = {&congru_network_shallow, &congru_network_eegnet,
                                                     &congru_network_conformer, &congru_network_inception};
    for (size_t k = 0; k < sizeof networks / sizeof networks[0]; k++) {
        congru_method_options options;
        congru_training *t;
        congru_method_options_init(&options);
        options.network.batch = BATCH;
        options.network.decay = options.network.clip = 0.0;
        CHECK(congru_training_create(context, networks[k], true, &signal_trials, &options, &t) == CONGRU_OK);
        congru_training_take(t, BATCH, batches);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        const size_t size = t->parameters.size;
        double *way = malloc(2 * size * sizeof(double)), *origin = way + size, slope = 0.0, loss[4];
        static const double place[] = {1.0, -1.0, 2.0, -2.0}, h = 1e-4;
        const double norm = t->series[CONGRU_SERIES_GRADIENT_NORM];
        stored_draw(SEED, size, 11, 0, 0, way);
        memcpy(origin, t->parameters.value, size * sizeof(double));
        for (size_t e = 0; e < size; e++) {
            way[e] = way[e] / sqrt((double)size) + t->parameters.gradient[e] / norm;
            slope += way[e] * t->parameters.gradient[e];
        }
        for (int side = 0; side < 4; side++) {
            for (size_t e = 0; e < size; e++)
                t->parameters.value[e] = origin[e] + place[side] * h * way[e];
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
            loss[side] = t->series[CONGRU_SERIES_LOSS];
        }
        const double difference = (8.0 * (loss[0] - loss[1]) - (loss[2] - loss[3])) / (12.0 * h),
                     error = fabs(difference / slope - 1.0);
        CHECK_SAYING(error < 1e-7, "%s: its slope is off by %.2g", networks[k]->name, error);
        free(way);
        congru_training_destroy(&t);
    }
}

static void covariances_of_signals(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    follow(&congru_network_tsmnet, "tsmnet", &signal_trials, &options);
    follow(&congru_network_conv_dldct, "conv-dldct", &signal_trials, &options);
    follow(&congru_network_conv_ddct_unet, "conv-ddct-unet", &signal_trials, &options);
}

/* With an argument: what is told to the program of single precision. */
int main(int count, char **arguments)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    load();
    draw_signals();
    if (count > 1)
        return tell_weights(arguments[1]);
    RUN(spd_cnn);
    RUN(spdnet);
    RUN(on_signals);
    /* cppcheck-suppress duplicateExpression ; congru_real is float in the other program */
    if (sizeof(congru_real) == sizeof(double)) {
        RUN(by_their_own_steps);
        RUN(differences);
    } else
        RUN(at_the_twins_weights);
    RUN(covariances_of_signals);
    congru_context_destroy(&context);
    return harness_end();
}
