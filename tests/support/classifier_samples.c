/* Made-up trials for tests of classifiers. SPDX-License-Identifier: Apache-2.0 */
#include "classifier_samples.h"

#include <stdlib.h>
#include <string.h>

#include "spd_samples.h"

static uint64_t step(uint64_t *state)
{
    return *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

static void make_trial(uint64_t *state, size_t classes, size_t d, size_t samples, int32_t subject,
                       int32_t *label, double *c)
{
    double *u = sample_alloc(d * samples), *s = sample_alloc(d * samples);
    for (size_t i = 0; i < d * samples; i++)
        u[i] = (double)((step(state) >> 33) % 1001) - 500;
    *label = (int32_t)((*state >> 40) % classes);
    for (size_t j = 0; j < d; j++) {
        double gain = (j + (size_t)*label) % classes == 0 ? 1.1875 : 1.0;
        double mixing = (double)(1 + (size_t)subject + j % 3) / 8;
        for (size_t t = 0; t < samples; t++)
            s[j * samples + t] = gain * u[j * samples + t] + mixing * u[(j + 1) % d * samples + t];
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            c[i * d + j] = dense_dot(samples, s + i * samples, s + j * samples) / (40000.0 * (double)samples);
    free(u);
    free(s);
}

trial_set trial_set_make(uint64_t *state, size_t classes, size_t d, size_t subjects, size_t n, size_t samples)
{
    trial_set set = {.covariance = sample_alloc(n * d * d),
                     .label = calloc(n, sizeof *set.label),
                     .subject = calloc(n, sizeof *set.subject)};
    if (set.label == NULL || set.subject == NULL)
        abort();
    for (size_t i = 0; i < n; i++) {
        set.subject[i] = (int32_t)(i % subjects);
        make_trial(state, classes, d, samples, set.subject[i], &set.label[i], set.covariance + i * d * d);
    }
    set.trials = (congru_trials){.count = n,
                                 .d = d,
                                 .covariance = set.covariance,
                                 .label = set.label,
                                 .subject = set.subject,
                                 .classes = classes,
                                 .subjects = subjects};
    return set;
}

void trial_set_free(trial_set *set)
{
    free(set->covariance);
    free(set->label);
    free(set->subject);
    *set = (trial_set){0};
}

void trial_set_transform(trial_set *set, const double *g)
{
    const size_t d = set->trials.d;
    double *w = sample_alloc(d * d), *c = sample_alloc(d * d);
    dense_transpose(d, d, g, w);
    for (size_t i = 0; i < set->trials.count; i++) {
        dense_congruence(d, d, set->covariance + i * d * d, w, c);
        memcpy(set->covariance + i * d * d, c, d * d * sizeof *c);
    }
    free(w);
    free(c);
}

void trial_set_recentre(congru_context *context, trial_set *set)
{
    const size_t d = set->trials.d, size = d * d, n = set->trials.count;
    double *own = sample_alloc(n * size), *mean = sample_alloc(size);
    for (size_t subject = 0; subject < set->trials.subjects; subject++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if ((size_t)set->subject[i] == subject)
                memcpy(own + count++ * size, set->covariance + i * size, size * sizeof *own);
        spd_expect(context, congru_spd_mean(context, CONGRU_METRIC_RIEMANN, count, d, own, NULL, mean, NULL),
                   CONGRU_OK, __FILE__, __LINE__);
        spd_expect(context, congru_spd_invsqrt(context, 1, d, mean, mean), CONGRU_OK, __FILE__, __LINE__);
        spd_expect(context, congru_spd_congruence(context, count, d, d, own, mean, own), CONGRU_OK, __FILE__,
                   __LINE__);
        count = 0;
        for (size_t i = 0; i < n; i++)
            if ((size_t)set->subject[i] == subject)
                memcpy(set->covariance + i * size, own + count++ * size, size * sizeof *own);
    }
    free(own);
    free(mean);
}

congru_status fit_and_predict(congru_context *context, const char *name, const congru_method_options *options,
                              const trial_set *set, const trial_set *test, double *probability)
{
    const congru_classifier *classifier = congru_classifier_find(name);
    congru_tensors fitted = {0}, model = {0};
    congru_target_trials target = {
        .count = test->trials.count, .d = test->trials.d, .covariance = test->covariance};
    congru_target_see(&target, CONGRU_TARGET_FULL);
    memset(probability, 0, test->trials.count * set->trials.classes * sizeof *probability);
    congru_status status = classifier->fit(classifier, context, &set->trials, options, &fitted, NULL);
    for (size_t i = 0; i < fitted.count && status == CONGRU_OK; i++)
        status = congru_tensors_add_copy(context, &model, fitted.tensor[i].name, fitted.tensor[i].dims,
                                         fitted.tensor[i].shape, fitted.tensor[i].data);
    congru_tensors_clear(&fitted);
    if (status == CONGRU_OK)
        status = classifier->predict(classifier, context, &model, &target, probability);
    congru_tensors_clear(&model);
    return status;
}
