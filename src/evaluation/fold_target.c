/* Gathers and aligns the trials of one person. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "aligner/recentre.h"
#include "base/bank.h"
#include "evaluation/fold_parts.h"
#include "spd/view_load.h"

void congru_fold_target_clear(congru_fold_target *t)
{
    congru_memory_give(t->covariance);
    free(t->calibrated);
    free(t->place);
    free(t->label);
    *t = (congru_fold_target){0};
}

static congru_target target_of(const congru_fold_setting *setting)
{
    return setting->options->protocol == CONGRU_PROTOCOL_FOLDS ? CONGRU_TARGET_NONE : setting->options->target;
}

/* The trials were recentred for all folds together. */
static bool comes_recentred(const congru_fold_setting *setting)
{
    return setting->aligner->recentring != NULL && target_of(setting) == CONGRU_TARGET_FULL;
}

/* Recentres the newcomer's trials of one domain, by what may be seen of that domain. `own` is room for all. */
static congru_status recentre_domain(const congru_fold_setting *setting, size_t trials, const size_t *trial,
                                     int32_t domain, const double *prior, double *own, double *covariance)
{
    const congru_set *set = setting->prepared->set;
    const int32_t *domains = setting->prepared->domain;
    size_t size = set->dimension * set->dimension, count = 0;
    for (size_t i = 0; i < trials; i++)
        if (domains[trial[i]] == domain)
            memcpy(own + count++ * size, covariance + i * size, size * sizeof *own);
    congru_newcomer part = {.count = count, .d = set->dimension, .covariance = own};
    congru_newcomer_see(&part, target_of(setting));
    congru_status status =
        setting->aligner->recentring->target(setting->context, &setting->options->method, &part, prior, own);
    count = 0;
    for (size_t i = 0; status == CONGRU_OK && i < trials; i++)
        if (domains[trial[i]] == domain)
            memcpy(covariance + i * size, own + count++ * size, size * sizeof *own);
    return status;
}

static congru_status recentre_newcomer(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                       const double *prior, double *covariance)
{
    const congru_set *set = setting->prepared->set;
    size_t size = set->dimension * set->dimension;
    double *own = congru_memory_take(count * size * sizeof *own);
    if (own == NULL)
        return congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", count);
    congru_status status = CONGRU_OK;
    int32_t last = -1; /* domains are numbered by their first trial: they come in ascending order */
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        int32_t domain = setting->prepared->domain[trial[i]];
        if (domain > last)
            status = recentre_domain(setting, count, trial, domain, prior, own, covariance);
        last = domain > last ? domain : last;
    }
    congru_memory_give(own);
    return status;
}

/* Picks the first trials of each class of the newcomer: no more than half of them. */
static void calibrate(const congru_fold_setting *setting, size_t count, const size_t *trial,
                      congru_fold_target *t)
{
    const int32_t *label = setting->prepared->set->label;
    size_t wanted = (size_t)setting->options->method.rpa_labels, *used = &t->newcomer.calibration;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0, all = 0;
        if (label[trial[i]] < 0) /* none of the model's classes */
            continue;
        for (size_t j = 0; j < count; j++) {
            bool same = label[trial[j]] == label[trial[i]];
            all += same;
            before += same && j < i;
        }
        t->calibrated[i] = before < (wanted < all / 2 ? wanted : all / 2);
        if (!t->calibrated[i])
            continue;
        t->place[*used] = i;
        t->label[(*used)++] = label[trial[i]];
    }
}

static congru_status gather(const congru_fold_setting *setting, size_t count, const size_t *trial,
                            congru_fold_target *t)
{
    const congru_set *set = setting->prepared->set;
    size_t size = set->dimension * set->dimension;
    *t = (congru_fold_target){
        .covariance = congru_memory_take(count * size * sizeof(double)),
        .calibrated = calloc(count, sizeof(bool)),
        .place = calloc(count, sizeof(size_t)),
        .label = calloc(count, sizeof(int32_t)),
    };
    if (t->covariance == NULL || t->calibrated == NULL || t->place == NULL || t->label == NULL)
        return congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", count);
    const congru_view view = congru_prepared_view(setting->prepared, comes_recentred(setting), trial);
    congru_status status = congru_view_copy(setting->context, count, set->dimension, &view, t->covariance);
    if (status != CONGRU_OK)
        return status;
    t->newcomer = (congru_newcomer){.count = count,
                                    .d = set->dimension,
                                    .covariance = t->covariance,
                                    .calibration_trial = t->place,
                                    .calibration_label = t->label};
    congru_newcomer_see(&t->newcomer, target_of(setting));
    return CONGRU_OK;
}

congru_status congru_fold_target_align(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                       bool labelled, const congru_tensors *model, const double *prior,
                                       congru_fold_target *t)
{
    congru_status status = gather(setting, count, trial, t);
    if (status == CONGRU_OK && setting->aligner->recentring != NULL && !comes_recentred(setting))
        status = recentre_newcomer(setting, count, trial, prior, t->covariance);
    if (status != CONGRU_OK)
        return status;
    if (labelled && setting->aligner->labels)
        calibrate(setting, count, trial, t);
    return congru_pipeline_map(setting->context, setting->aligner, model, &t->newcomer, t->covariance);
}
