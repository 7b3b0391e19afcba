/* Made-up covariance sets. SPDX-License-Identifier: Apache-2.0 */
#include "set_samples.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "spd_samples.h"

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void fill_trial(congru_context *context, const set_recipe *recipe, const double *mixing,
                       const double *pattern, congru_random *random, double *c)
{
    size_t d = recipe->d;
    double *s = sample_alloc(d * d), *e = sample_alloc(d * d);
    sample_symmetric(random, d, 1.0, s);
    for (size_t i = 0; i < d * d; i++)
        s[i] = 0.6 * s[i] + recipe->effect * pattern[i];
    if (congru_spd_exp(context, 1, d, s, e) != CONGRU_OK)
        abort();
    dense_congruence(d, d, e, mixing, c);
    free(s);
    free(e);
}

congru_set *sample_set(congru_context *context, const set_recipe *recipe)
{
    size_t d = recipe->d, classes = recipe->classes, own = classes * recipe->per_class;
    size_t sessions = recipe->sessions > 0 ? recipe->sessions : 1;
    congru_random random = congru_random_stream(recipe->seed, 1, 2, 3);
    congru_set *set = need(calloc(1, sizeof *set));
    set->count = recipe->subjects * own;
    set->dimension = d;
    set->classes = classes;
    set->subjects = recipe->subjects;
    set->covariance = need(calloc(set->count * d * d, sizeof(double)));
    set->label = need(calloc(set->count, sizeof(int32_t)));
    set->subject = need(calloc(set->count, sizeof(int32_t)));
    set->session = need(calloc(set->count, sizeof(int32_t)));
    set->run = need(calloc(set->count, sizeof(int32_t)));
    set->class_name = need(calloc(classes, sizeof *set->class_name));
    set->subject_name = need(calloc(set->subjects, sizeof *set->subject_name));
    set->channel_name = need(calloc(d, sizeof *set->channel_name));
    double *pattern = sample_alloc(classes * d * d), *mixing = sample_alloc(d * d);
    for (size_t k = 0; k < classes; k++) {
        snprintf(set->class_name[k], CONGRU_LABEL_SIZE, "class%zu", k);
        sample_symmetric(&random, d, 1.0, pattern + k * d * d);
    }
    for (size_t s = 0; s < set->subjects; s++) {
        snprintf(set->subject_name[s], CONGRU_LABEL_SIZE, "S%02zu", s + 1);
        sample_normals(&random, d * d, mixing);
        for (size_t i = 0; i < d; i++)
            mixing[i * d + i] += 3.0;
        for (size_t i = 0; i < own; i++) {
            size_t trial = s * own + i, k = i % classes;
            set->label[trial] = (int32_t)k;
            set->subject[trial] = (int32_t)s;
            set->session[trial] = (int32_t)(i * sessions / own);
            fill_trial(context, recipe, mixing, pattern + k * d * d, &random, set->covariance + trial * d * d);
        }
    }
    free(pattern);
    free(mixing);
    return set;
}

congru_set *signals_set(congru_context *context, const signals_recipe *recipe, double *signals, int32_t *label,
                        int32_t *subject)
{
    char(*class_name)[CONGRU_LABEL_SIZE] = need(calloc(recipe->classes, sizeof *class_name));
    char(*subject_name)[CONGRU_LABEL_SIZE] = need(calloc(recipe->subjects, sizeof *subject_name));
    for (size_t k = 0; k < recipe->classes; k++)
        snprintf(class_name[k], CONGRU_LABEL_SIZE, "%c", (char)('a' + k));
    for (size_t s = 0; s < recipe->subjects; s++)
        snprintf(subject_name[s], CONGRU_LABEL_SIZE, "s%zu", s);
    const congru_set from = {.count = recipe->trials,
                             .dimension = recipe->channels,
                             .samples = recipe->samples,
                             .signals = signals,
                             .label = label,
                             .subject = subject,
                             .classes = recipe->classes,
                             .subjects = recipe->subjects,
                             .class_name = class_name,
                             .subject_name = subject_name,
                             .rate = recipe->rate,
                             .start = recipe->start};
    congru_set *set = NULL;
    if (congru_set_create_copying(context, &from, &set) != CONGRU_OK)
        abort();
    free(class_name);
    free(subject_name);
    return set;
}

congru_results *evaluate_in(congru_context *in, const congru_set *set, const congru_evaluation_options *options)
{
    congru_results *results = NULL;
    congru_status status = congru_evaluate(in, set, options, &results);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(in));
    return results;
}
