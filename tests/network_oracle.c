/* Losses, gradients and steps of all six models against stored values of PyTorch. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "layer/training.h"

enum { D = 6, TRIALS = 40, CLASSES = 3, SUBJECTS = 4, BATCH = 24, STEPS = 20, MOST = 2000 };

static congru_context *context;
static double covariance[TRIALS * D * D];
static int32_t label[TRIALS], subject[TRIALS];
static size_t batches[(STEPS + 1) * BATCH];

/* The numbers stored under a name; how many there are. */
static size_t stored(const char *name, double *values)
{
    char path[1024], word[64];
    size_t count = 0;
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/networks.txt", source != NULL ? source : ".");
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file != NULL && !found && fscanf(file, "%63s %zu", word, &count) == 2) {
        found = strcmp(word, name) == 0;
        for (size_t i = 0; i < count; i++) {
            double ignored;
            if (fscanf(file, "%lf", found ? &values[i] : &ignored) != 1)
                found = false;
        }
    }
    if (file != NULL)
        fclose(file);
    CHECK_SAYING(found, "%s has no %s", path, name);
    return found ? count : 0;
}

static void load(void)
{
    double numbers[MOST];
    stored("covariance", covariance);
    stored("label", numbers);
    for (size_t i = 0; i < TRIALS; i++)
        label[i] = (int32_t)numbers[i];
    stored("subject", numbers);
    for (size_t i = 0; i < TRIALS; i++)
        subject[i] = (int32_t)numbers[i];
    stored("batches", numbers);
    for (size_t i = 0; i < (STEPS + 1) * BATCH; i++)
        batches[i] = (size_t)numbers[i];
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

static void compare(congru_training *t, const char *name, size_t step)
{
    char key[64];
    double loss, gradient[MOST];
    congru_status status = congru_training_evaluate(t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", name, congru_context_error(context));
    snprintf(key, sizeof key, "%s.%zu.loss", name, step);
    stored(key, &loss);
    CHECK_SAYING(fabs(t->series[CONGRU_SERIES_LOSS] - loss) <= 1e-8 * fabs(loss), "%s is %.17g, not %.17g", key,
                 t->series[CONGRU_SERIES_LOSS], loss);
    snprintf(key, sizeof key, "%s.%zu.gradient", name, step);
    size_t count = stored(key, gradient);
    CHECK_SAYING(count == t->size, "%s has %zu numbers, not %zu", key, count, t->size);
    double error = count == t->size ? relative(count, t->gradient, gradient) : INFINITY;
    CHECK_SAYING(error < 1e-6, "%s is off by %.2g", key, error);
}

static void follow(congru_backbone backbone, bool end_to_end, const char *name)
{
    const congru_trials trials = {TRIALS, D, covariance, label, subject, CLASSES, SUBJECTS, NULL};
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.batch = BATCH;
    options.network.rate = 1e-2;
    options.network.decay = 1e-2;
    options.network.clip = 0.5;
    options.network.fisher = CONGRU_FISHER_FROBENIUS;
    options.network.dispersion = CONGRU_DISPERSION_GLOBAL;
    options.network.subject_ratio = 0.0;
    congru_training *t;
    congru_status status = congru_training_create(context, backbone, end_to_end, &trials, &options, &t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", name, congru_context_error(context));
    if (status != CONGRU_OK)
        return;
    char key[64];
    double parameters[MOST];
    snprintf(key, sizeof key, "%s.start", name);
    stored(key, parameters);
    if (backbone == CONGRU_BACKBONE_DCT)
        memcpy(t->parameter, parameters, t->size * sizeof(double));
    CHECK_SAYING(relative(t->size, t->parameter, parameters) < 1e-12, "%s is off by %.2g", key,
                 relative(t->size, t->parameter, parameters));
    for (size_t step = 0; step < STEPS; step++) {
        congru_training_take(t, BATCH, batches + step * BATCH);
        if (step == 0)
            compare(t, name, 0);
        else
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
    }
    snprintf(key, sizeof key, "%s.parameters", name);
    stored(key, parameters);
    CHECK_SAYING(relative(t->size, t->parameter, parameters) < 1e-6, "%s are off by %.2g", key,
                 relative(t->size, t->parameter, parameters));
    congru_training_take(t, BATCH, batches + STEPS * BATCH);
    compare(t, name, STEPS);
    congru_training_destroy(&t);
}

static void dct(void)
{
    follow(CONGRU_BACKBONE_DCT, false, "dct");
    follow(CONGRU_BACKBONE_DCT, true, "dct-e2e");
}

static void dldct(void)
{
    follow(CONGRU_BACKBONE_DLDCT, false, "dldct");
    follow(CONGRU_BACKBONE_DLDCT, true, "dldct-e2e");
}

static void ddct_unet(void)
{
    follow(CONGRU_BACKBONE_UNET, false, "unet");
    follow(CONGRU_BACKBONE_UNET, true, "unet-e2e");
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    load();
    RUN(dct);
    RUN(dldct);
    RUN(ddct_unet);
    congru_context_destroy(&context);
    return harness_end();
}
