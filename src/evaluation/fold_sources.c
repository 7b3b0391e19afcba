/* Gathers and aligns the trials that are fitted on. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "aligner/recentre.h"
#include "base/bank.h"
#include "evaluation/fold_parts.h"
#include "spd/view_load.h"

void congru_fold_sources_clear(congru_fold_sources *s)
{
    congru_memory_give(s->covariance);
    free(s->label);
    free(s->subject);
    *s = (congru_fold_sources){0};
}

/* Folds inside a subject know nothing of the part left out: the references are those of the part fitted on. */
static bool references_of_own(const congru_fold_setting *setting)
{
    return setting->options->protocol == CONGRU_PROTOCOL_FOLDS;
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

static congru_status gather_sources(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                    congru_fold_sources *s)
{
    const congru_set *set = setting->prepared->set;
    size_t size = set->dimension * set->dimension;
    bool recentred = setting->aligner->recentring != NULL && !references_of_own(setting),
         view = stays_a_view(setting);
    *s = (congru_fold_sources){
        .covariance = view ? NULL : congru_memory_take(count * size * sizeof(double)),
        .view = congru_prepared_view(setting->prepared, recentred, trial),
        .label = malloc(count * sizeof(int32_t)),
        .subject = malloc(count * sizeof(int32_t)),
    };
    if ((s->covariance == NULL && !view) || s->label == NULL || s->subject == NULL)
        return congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", count);
    for (size_t i = 0; i < count; i++)
        s->label[i] = set->label[trial[i]];
    congru_status status = CONGRU_OK;
    if (!view)
        status = congru_view_copy(setting->context, count, set->dimension, &s->view, s->covariance);
    if (status != CONGRU_OK)
        return status;
    s->trials = (congru_trials){
        .count = count,
        .d = set->dimension,
        .covariance = s->covariance,
        .view = view ? &s->view : NULL,
        .label = s->label,
        .subject = s->subject,
        .classes = set->classes,
    };
    return number_subjects(setting, count, trial, s);
}

/* The mean of the references of the domains that are fitted on. */
static congru_status find_prior(const congru_fold_setting *setting, const size_t *trial, congru_fold_sources *s,
                                double *prior)
{
    const congru_prepared *prepared = setting->prepared;
    size_t size = s->trials.d * s->trials.d, count = 0;
    if (references_of_own(setting)) {
        congru_status status = setting->aligner->recentring->references(
            setting->context, &setting->options->method, &s->trials, prior);
        return status == CONGRU_OK ? congru_recentre_sources(setting->context, &s->trials, prior, s->covariance)
                                   : status;
    }
    double *reference = malloc(prepared->domains * size * sizeof *reference);
    bool *used = calloc(prepared->domains, sizeof *used);
    congru_status status = CONGRU_OK;
    if (reference == NULL || used == NULL)
        status = congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu references",
                             prepared->domains);
    for (size_t i = 0; status == CONGRU_OK && i < s->trials.count; i++)
        used[prepared->domain[trial[i]]] = true;
    for (size_t k = 0; status == CONGRU_OK && k < prepared->domains; k++)
        if (used[k])
            memcpy(reference + count++ * size, prepared->reference + k * size, size * sizeof *reference);
    if (status == CONGRU_OK)
        status = congru_recentre_prior(setting->context, count, s->trials.d, reference, prior);
    free(reference);
    free(used);
    return status;
}

congru_status congru_fold_sources_align(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                        congru_tensors *model, double *prior, congru_record *record,
                                        congru_fold_sources *s)
{
    congru_status status = gather_sources(setting, count, trial, s);
    if (status == CONGRU_OK && setting->aligner->recentring != NULL)
        status = find_prior(setting, trial, s, prior);
    if (status == CONGRU_OK)
        status = congru_pipeline_align(setting->context, setting->aligner, &s->trials, s->covariance,
                                       &setting->options->method, model, record);
    return status;
}
