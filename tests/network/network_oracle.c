/* Losses, gradients and steps of all six models against stored values of PyTorch. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_math.h"
#include "congru/aligner.h"
#include "congru/random.h"
#include "harness.h"
#include "network/train.h"
#include "stored_values.h"

enum { STEPS = 20, MOST = 2000, SEED = 22 };

/* Six channels, of which everything is stored; and 22, of which the inputs are drawn here as tests/oracle/oracle_networks.py
 * drew them, and of tensors norms and products with random vectors are stored. */
typedef struct set {
    const char *file;
    size_t d, trials, classes, subjects, batch;
} set;
static const set small = {"networks.txt", 6, 40, 3, 4, 24}, whole = {"networks_22.txt", 22, 160, 4, 4, 64};
enum { LARGEST_D = 22, LARGEST_TRIALS = 160, LARGEST_BATCH = 64, TIMES = 5 * LARGEST_D };

static congru_context *context;
static const set *now;
static double covariance[LARGEST_TRIALS * LARGEST_D * LARGEST_D];
static int32_t label[LARGEST_TRIALS], subject[LARGEST_TRIALS];
static size_t batches[(STEPS + 1) * LARGEST_BATCH];

static void load(void)
{
    double numbers[MOST] = {0};
    stored_values(now->file, "covariance", covariance);
    stored_values(now->file, "label", numbers);
    for (size_t i = 0; i < now->trials; i++)
        label[i] = (int32_t)numbers[i];
    stored_values(now->file, "subject", numbers);
    for (size_t i = 0; i < now->trials; i++)
        subject[i] = (int32_t)numbers[i];
    stored_values(now->file, "batches", numbers);
    for (size_t i = 0; i < (STEPS + 1) * now->batch; i++)
        batches[i] = (size_t)numbers[i];
}

/* Signals with a louder channel for each class, mixed for each subject; their covariances, recentred. */
static void draw_set(void)
{
    const size_t d = now->d;
    static double signal[LARGEST_D * TIMES], mixed[LARGEST_D * TIMES], mix[LARGEST_D * LARGEST_D];
    for (size_t n = 0; n < now->trials; n++) {
        label[n] = (int32_t)(n % now->classes);
        subject[n] = (int32_t)(n * now->subjects / now->trials);
        stored_draw(SEED, d * TIMES, 1, (uint32_t)n, 0, signal);
        for (size_t t = 0; t < TIMES; t++)
            signal[(size_t)label[n] * TIMES + t] *= 1.5;
        stored_draw(SEED, d * d, 2, (uint32_t)subject[n], 0, mix);
        for (size_t i = 0; i < d; i++) {
            for (size_t t = 0; t < TIMES; t++) {
                mixed[i * TIMES + t] = signal[i * TIMES + t];
                for (size_t j = 0; j < d; j++)
                    mixed[i * TIMES + t] += 0.5 * mix[i * d + j] * signal[j * TIMES + t];
            }
        }
        for (size_t e = 0; e < d * d; e++) {
            double sum = 0.0;
            for (size_t t = 0; t < TIMES; t++)
                sum += mixed[e / d * TIMES + t] * mixed[e % d * TIMES + t];
            covariance[n * d * d + e] = sum / TIMES;
        }
    }
    CHECK(congru_alignment_recentre(context, CONGRU_METRIC_RIEMANN, now->trials, d, covariance, now->subjects,
                                    subject, NULL, covariance) == CONGRU_OK);
    congru_random random = congru_random_stream(SEED, 3, 0, 0);
    for (size_t i = 0; i < (STEPS + 1) * now->batch; i++)
        batches[i] = (size_t)(congru_random_uniform(&random) * (double)now->trials);
}

/* ||a - b|| / ||b|| */
static double relative(size_t count, const double *a, const double *b)
{
    double gap = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        gap += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(gap / size);
}

/* Whether the parameters, or their gradient, are those stored under a name. */
static void compare_tensors(const congru_training *t, const char *name, const char *what, const double *values,
                            double tolerance)
{
    char key[64];
    double numbers[MOST];
    snprintf(key, sizeof key, "%s.%s", name, what);
    const size_t count = stored_values(now->file, key, numbers);
    if (now == &small) {
        const double error = count == t->parameters.size ? relative(count, values, numbers) : INFINITY;
        CHECK_SAYING(error < tolerance, "%s is off by %.2g", key, error);
        return;
    }
    CHECK_SAYING(count == t->parameters.segments * STORED_PER_TENSOR, "%s has %zu numbers", key, count);
    for (size_t k = 0; k < t->parameters.segments && count == t->parameters.segments * STORED_PER_TENSOR; k++) {
        const congru_segment *segment = &t->parameters.segment[k];
        const double error = stored_distance(SEED, k, segment->rows * segment->cols, values + segment->offset,
                                             numbers + k * STORED_PER_TENSOR);
        CHECK_SAYING(error < tolerance, "%s of %s is off by %.2g", segment->name, key, error);
    }
}

static void compare(congru_training *t, const char *name, size_t step)
{
    char key[64];
    double loss = NAN;
    congru_status status = congru_training_evaluate(t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", name, congru_context_error(context));
    snprintf(key, sizeof key, "%s.%zu.loss", name, step);
    stored_values(now->file, key, &loss);
    CHECK_SAYING(fabs(t->series[CONGRU_SERIES_LOSS] - loss) <= 1e-8 * fabs(loss), "%s is %.17g, not %.17g", key,
                 t->series[CONGRU_SERIES_LOSS], loss);
    snprintf(key, sizeof key, "%zu.gradient", step);
    compare_tensors(t, name, key, t->parameters.gradient, 1e-6);
}

/* DCT starts beside the identity, where its rotation has a gradient. */
static void start(congru_training *t, const char *name)
{
    if (now == &small) {
        char key[64];
        snprintf(key, sizeof key, "%s.start", name);
        stored_values(now->file, key, t->parameters.value);
        return;
    }
    stored_draw(SEED, now->d * now->d, 4, 0, 0, t->parameters.value);
    for (size_t i = 0; i < now->d * now->d; i++)
        t->parameters.value[i] *= 0.4;
    t->parameters.value[now->d * now->d] = 0.2;
}

static congru_trials all_trials(void)
{
    return (congru_trials){.count = now->trials,
                           .d = now->d,
                           .covariance = covariance,
                           .label = label,
                           .subject = subject,
                           .classes = now->classes,
                           .subjects = now->subjects};
}

static void follow(const congru_network *network, bool end_to_end, const char *name)
{
    const congru_trials trials = all_trials();
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.batch = (int)now->batch;
    options.network.rate = 1e-2;
    options.network.decay = 1e-2;
    options.network.clip = 0.5;
    options.network.fisher = CONGRU_FISHER_FROBENIUS;
    options.network.dispersion = CONGRU_DISPERSION_GLOBAL;
    options.network.subject_ratio = 0.0;
    options.network.initial = CONGRU_INITIAL_LIFTED;
    congru_training *t;
    congru_status status = congru_training_create(context, network, end_to_end, &trials, &options, &t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", name, congru_context_error(context));
    if (status != CONGRU_OK)
        return;
    if (network == &congru_network_dct)
        start(t, name);
    compare_tensors(t, name, "start", t->parameters.value, 1e-12);
    for (size_t step = 0; step < STEPS; step++) {
        congru_training_take(t, now->batch, batches + step * now->batch);
        if (step == 0)
            compare(t, name, 0);
        else
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
    }
    compare_tensors(t, name, "parameters", t->parameters.value, 1e-6);
    congru_training_take(t, now->batch, batches + STEPS * now->batch);
    compare(t, name, STEPS);
    congru_training_destroy(&t);
}

static void dct(void)
{
    follow(&congru_network_dct, false, "dct");
    follow(&congru_network_dct, true, "dct-e2e");
}

static void dldct(void)
{
    follow(&congru_network_dldct, false, "dldct");
    follow(&congru_network_dldct, true, "dldct-e2e");
}

static void ddct_unet(void)
{
    follow(&congru_network_ddct_unet, false, "unet");
    follow(&congru_network_ddct_unet, true, "unet-e2e");
}

static void dct_of_22_channels(void)
{
    dct();
}

/* A whole training of DCT as printed: the ratio of Eq. 6 with an epsilon that is small beside the printed scatters leaves gamma near 1. */
static void gamma_of_a_whole_training(void)
{
    enum { RUN = 1000, EVERY = 100 };
    double stored[RUN / EVERY];
    const congru_trials trials = all_trials();
    congru_method_options options;
    congru_method_options_init(&options);
    congru_training *t;
    CHECK(stored_values(now->file, "dct.gamma", stored) == RUN / EVERY);
    CHECK(congru_training_create(context, &congru_network_dct, false, &trials, &options, &t) == CONGRU_OK);
    congru_random random = congru_random_stream(SEED, 6, 0, 0);
    for (size_t step = 0; step < RUN; step++) {
        for (size_t i = 0; i < now->batch; i++)
            batches[i] = (size_t)(congru_random_uniform(&random) * (double)now->trials);
        congru_training_take(t, now->batch, batches);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
        if ((step + 1) % EVERY == 0) {
            const double gamma = congru_scalar_exp(t->parameters.value[now->d * now->d]);
            const double expected = stored[step / EVERY];
            CHECK_SAYING(fabs(gamma - expected) < 1e-9, "step %zu: gamma is %.12g, not %.12g", step + 1, gamma,
                         expected);
        }
    }
    congru_training_destroy(&t);
}

static void dldct_of_22_channels(void)
{
    dldct();
}

static void ddct_unet_of_22_channels(void)
{
    ddct_unet();
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    now = &small;
    load();
    RUN(dct);
    RUN(dldct);
    RUN(ddct_unet);
    now = &whole;
    draw_set();
    RUN(dct_of_22_channels);
    RUN(dldct_of_22_channels);
    RUN(ddct_unet_of_22_channels);
    RUN(gamma_of_a_whole_training);
    congru_context_destroy(&context);
    return harness_end();
}
