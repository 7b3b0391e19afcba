/* Gathers and aligns the trials that are fitted on. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluation/fold_parts.h"
#include "spd/view_load.h"

void congru_fold_sources_clear(congru_fold_sources *s)
{
    congru_memory_give(s->covariance);
    free(s->root);
    free(s->owner);
    free(s->label);
    free(s->subject);
    *s = (congru_fold_sources){0};
}

static congru_status fail_memory(const congru_fold_setting *setting, size_t count)
{
    return congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", count);
}

/* Folds inside a subject know nothing of the part left out: the references are those of the part fitted on. */
static bool references_of_own(const congru_fold_setting *setting)
{
    return setting->options->protocol == CONGRU_PROTOCOL_FOLDS;
}

static bool reads_signals(const congru_fold_setting *setting)
{
    return setting->prepared->needs == CONGRU_NEEDS_SIGNALS;
}

/* Nothing is going to be made of the trials before a classifier reads them. */
static bool stays_a_view(const congru_fold_setting *setting)
{
    const congru_aligner *aligner = setting->aligner;
    return setting->views && aligner->fit == NULL && aligner->map_sources == NULL &&
           !(aligner->recentring != NULL && references_of_own(setting));
}

/* Subjects that are fitted on are numbered anew, in the order of the set. */
static congru_status number_subjects(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                     congru_fold_sources *s)
{
    const congru_set *set = setting->prepared->set;
    int32_t *number = calloc(set->subjects, sizeof *number);
    if (number == NULL)
        return congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu subjects",
                           set->subjects);
    for (size_t i = 0; i < count; i++)
        number[set->subject[trial[i]]] = 1;
    for (size_t k = 0; k < set->subjects; k++)
        number[k] = number[k] > 0 ? (int32_t)s->trials.subjects++ : -1;
    for (size_t i = 0; i < count; i++)
        s->subject[i] = number[set->subject[trial[i]]];
    free(number);
    return CONGRU_OK;
}

congru_status congru_fold_sources_list(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                       congru_fold_sources *s)
{
    const congru_set *set = setting->prepared->set;
    *s = (congru_fold_sources){
        .label = malloc(count * sizeof(int32_t)),
        .subject = malloc(count * sizeof(int32_t)),
    };
    if (s->label == NULL || s->subject == NULL)
        return fail_memory(setting, count);
    for (size_t i = 0; i < count; i++)
        s->label[i] = set->label[trial[i]];
    s->trials = (congru_trials){
        .count = count,
        .d = setting->prepared->d,
        .label = s->label,
        .subject = s->subject,
        .classes = set->classes,
        .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name,
    };
    return number_subjects(setting, count, trial, s);
}

static congru_status gather_sources(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                    congru_fold_sources *s)
{
    const size_t d = setting->prepared->d;
    bool recentred = setting->aligner->recentring != NULL && !references_of_own(setting);
    congru_status status = congru_fold_sources_list(setting, count, trial, s);
    if (status != CONGRU_OK)
        return status;
    if (reads_signals(setting)) {
        s->signals = congru_prepared_signals(setting->prepared, recentred, trial);
        s->trials.signals = &s->signals;
        return CONGRU_OK;
    }
    s->view = congru_prepared_view(setting->prepared, recentred, trial);
    if (stays_a_view(setting)) {
        s->trials.view = &s->view;
        return CONGRU_OK;
    }
    s->covariance = congru_memory_take(count * d * d * sizeof(double));
    if (s->covariance == NULL)
        return fail_memory(setting, count);
    s->trials.covariance = s->covariance;
    return congru_view_copy(setting->context, count, d, &s->view, s->covariance);
}

congru_status congru_fold_prior(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                double *prior)
{
    const congru_prepared *prepared = setting->prepared;
    const size_t size = prepared->d * prepared->d, domains = prepared->domains->count;
    size_t references = 0;
    double *reference = malloc(domains * size * sizeof *reference);
    bool *used = calloc(domains, sizeof *used);
    congru_status status = CONGRU_OK;
    if (reference == NULL || used == NULL)
        status =
            congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu references", domains);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        used[prepared->domains->of_trial[trial[i]]] = true;
    for (size_t k = 0; status == CONGRU_OK && k < domains; k++)
        if (used[k])
            memcpy(reference + references++ * size, prepared->reference + k * size, size * sizeof *reference);
    if (status == CONGRU_OK)
        status = congru_recentre_prior(setting->context, references, prepared->d, reference, prior);
    free(reference);
    free(used);
    return status;
}

/* The trials recentred by a reference of their own, which becomes the prior. */
static congru_status recentre_by_own(const congru_fold_setting *setting, congru_fold_sources *s, double *prior)
{
    const size_t d = setting->prepared->d;
    congru_status status =
        setting->aligner->recentring->references(setting->context, setting->method, &s->trials, prior);
    if (status != CONGRU_OK)
        return status;
    if (!reads_signals(setting))
        return congru_recentre_sources(setting->context, &s->trials, prior, s->covariance);
    s->root = malloc(d * d * sizeof *s->root);
    s->owner = calloc(setting->prepared->set->count, sizeof *s->owner);
    if (s->root == NULL || s->owner == NULL)
        return fail_memory(setting, s->trials.count);
    s->signals.root = s->root;
    s->signals.owner = s->owner;
    return congru_spd_invsqrt(setting->context, 1, d, prior, s->root);
}

congru_status congru_fold_sources_align(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                        congru_tensors *model, double *prior, congru_record *record,
                                        congru_fold_sources *s)
{
    congru_status status = gather_sources(setting, count, trial, s);
    if (status == CONGRU_OK && setting->aligner->recentring != NULL)
        status = references_of_own(setting) ? recentre_by_own(setting, s, prior)
                                            : congru_fold_prior(setting, count, trial, prior);
    if (status == CONGRU_OK)
        status = congru_pipeline_align(setting->context, setting->aligner, &s->trials, s->covariance,
                                       setting->method, model, record);
    return status;
}
