/* Gathers and aligns the trials of one subject. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluation/fold_parts.h"
#include "spd/view_load.h"

void congru_fold_target_clear(congru_fold_target *t)
{
    congru_memory_give(t->covariance);
    congru_memory_give(t->signal);
    free(t->calibrated);
    free(t->place);
    free(t->label);
    *t = (congru_fold_target){0};
}

congru_target congru_fold_target_mode(const congru_fold_setting *setting)
{
    return setting->options->protocol == CONGRU_PROTOCOL_FOLDS ? CONGRU_TARGET_NONE : setting->options->target;
}

/* The trials were recentred for all folds together. */
static bool comes_recentred(const congru_fold_setting *setting)
{
    return setting->aligner->recentring != NULL && congru_fold_target_mode(setting) == CONGRU_TARGET_FULL;
}

static congru_status fail_memory(const congru_fold_setting *setting, size_t count)
{
    return congru_fail(setting->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", count);
}

/* Room to recentre the trials of a domain, next to each other: (count of the target) each. */
typedef struct domain_work {
    size_t *place; /* in the target's list */
    size_t *trial; /* in the set */
    double *before, *after;
} domain_work;

/* Recentres the target's trials of one domain, by what may be seen of that domain: out is where all of them go. */
static congru_status recentre_domain(const congru_fold_setting *setting, size_t trials, const size_t *trial,
                                     int32_t domain, const double *prior, const domain_work *w, double *out)
{
    const congru_prepared *prepared = setting->prepared;
    const bool of_signals = prepared->needs == CONGRU_NEEDS_SIGNALS;
    const size_t size = prepared->d * (of_signals ? prepared->signals.samples : prepared->d);
    size_t count = 0;
    for (size_t i = 0; i < trials; i++) {
        if (prepared->domains->of_trial[trial[i]] != domain)
            continue;
        w->place[count] = i;
        w->trial[count++] = trial[i];
        if (!of_signals)
            memcpy(w->before + (count - 1) * size, out + i * size, size * sizeof *out);
    }
    const congru_signals signals = congru_prepared_signals(prepared, false, w->trial);
    congru_target_trials part = {.count = count,
                                 .d = prepared->d,
                                 .covariance = of_signals ? NULL : w->before,
                                 .signals = of_signals ? &signals : NULL};
    congru_target_see(&part, congru_fold_target_mode(setting));
    congru_status status =
        setting->aligner->recentring->target(setting->context, setting->method, &part, prior, w->after);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        memcpy(out + w->place[i] * size, w->after + i * size, size * sizeof *out);
    return status;
}

/* out (count, d, d), which holds the covariances, or (count, d, samples). */
static congru_status recentre_target(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                     const double *prior, double *out)
{
    const congru_prepared *prepared = setting->prepared;
    const bool of_signals = prepared->needs == CONGRU_NEEDS_SIGNALS;
    const size_t size = prepared->d * (of_signals ? prepared->signals.samples : prepared->d);
    domain_work w = {.place = malloc(count * sizeof *w.place),
                     .trial = malloc(count * sizeof *w.trial),
                     .before = of_signals ? NULL : congru_memory_take(count * size * sizeof *out)};
    w.after = of_signals ? congru_memory_take(count * size * sizeof *out) : w.before;
    congru_status status = CONGRU_OK;
    if (w.place == NULL || w.trial == NULL || w.after == NULL)
        status = fail_memory(setting, count);
    int32_t last = -1; /* domains are numbered by their first trial: they come in ascending order */
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        int32_t domain = prepared->domains->of_trial[trial[i]];
        if (domain > last)
            status = recentre_domain(setting, count, trial, domain, prior, &w, out);
        last = domain > last ? domain : last;
    }
    free(w.place);
    free(w.trial);
    congru_memory_give(w.after);
    return status;
}

/* Picks the first trials of each class of the target subject: no more than half of them. */
static void calibrate(const congru_fold_setting *setting, size_t count, const size_t *trial,
                      congru_fold_target *t)
{
    const int32_t *label = setting->prepared->set->label;
    const size_t wanted = congru_aligner_labels(setting->aligner, setting->method);
    size_t *used = &t->target.calibration;
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

/* Signals are read where they are, unless only this fold may recentre them. */
static congru_status gather_signals(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                    congru_fold_target *t)
{
    const congru_prepared *prepared = setting->prepared;
    t->signals = congru_prepared_signals(prepared, comes_recentred(setting), trial);
    t->target.signals = &t->signals;
    if (setting->aligner->recentring == NULL || comes_recentred(setting))
        return CONGRU_OK;
    t->signal = congru_memory_take(count * prepared->d * prepared->signals.samples * sizeof *t->signal);
    if (t->signal == NULL)
        return fail_memory(setting, count);
    t->signals.plain = t->signal;
    t->signals.place = NULL;
    return CONGRU_OK;
}

static congru_status gather(const congru_fold_setting *setting, size_t count, const size_t *trial,
                            congru_fold_target *t)
{
    const size_t d = setting->prepared->d;
    *t = (congru_fold_target){
        .calibrated = calloc(count, sizeof(bool)),
        .place = calloc(count, sizeof(size_t)),
        .label = calloc(count, sizeof(int32_t)),
    };
    if (t->calibrated == NULL || t->place == NULL || t->label == NULL)
        return fail_memory(setting, count);
    t->target = (congru_target_trials){
        .count = count, .d = d, .calibration_trial = t->place, .calibration_label = t->label};
    congru_target_see(&t->target, congru_fold_target_mode(setting));
    if (setting->prepared->needs == CONGRU_NEEDS_SIGNALS)
        return gather_signals(setting, count, trial, t);
    t->covariance = congru_memory_take(count * d * d * sizeof(double));
    t->target.covariance = t->covariance;
    if (t->covariance == NULL)
        return fail_memory(setting, count);
    const congru_view view = congru_prepared_view(setting->prepared, comes_recentred(setting), trial);
    return congru_view_copy(setting->context, count, d, &view, t->covariance);
}

congru_status congru_fold_target_align(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                       bool labelled, const congru_tensors *model, const double *prior,
                                       congru_fold_target *t)
{
    congru_status status = gather(setting, count, trial, t);
    if (status == CONGRU_OK && setting->aligner->recentring != NULL && !comes_recentred(setting))
        status = recentre_target(setting, count, trial, prior, t->signal != NULL ? t->signal : t->covariance);
    if (status != CONGRU_OK)
        return status;
    if (labelled && congru_aligner_labels(setting->aligner, setting->method) > 0)
        calibrate(setting, count, trial, t);
    return congru_pipeline_map(setting->context, setting->aligner, model, &t->target, t->covariance);
}
