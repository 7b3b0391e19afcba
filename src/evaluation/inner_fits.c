/* Lists and makes the fits by which something is chosen. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/inner_fits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluation/combine.h"
#include "evaluation/fold_branch.h"
#include "evaluation/split.h"
#include "evaluation/trainings.h"

/* ---- Listing ------------------------------------------------------------------------------------------- */

static congru_status fail_memory(congru_context *context)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY,
                       "not enough memory for the fits that something is chosen by");
}

/* One more, with all of its trials on neither side. */
static congru_status add_fit(congru_context *context, size_t trials, congru_inner_list *list)
{
    congru_inner_fit *grown = realloc(list->fit, (list->fits + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(context);
    list->fit = grown;
    grown[list->fits] = (congru_inner_fit){.side = malloc(trials + 1)};
    if (grown[list->fits].side == NULL)
        return fail_memory(context);
    memset(grown[list->fits++].side, CONGRU_INNER_NEITHER, trials);
    return CONGRU_OK;
}

void congru_inner_list_clear(congru_inner_list *list)
{
    for (size_t i = 0; i < list->fits; i++)
        free(list->fit[i].side);
    free(list->fit);
    *list = (congru_inner_list){0};
}

static bool is_in(const congru_set *set, size_t groups, uint64_t of, size_t trial)
{
    return (of >> (size_t)set->subject[trial] % groups & 1) != 0;
}

/* Whether trials outside of `without` are of every class that trials outside of `shut` are of, and of two or more. */
static congru_status has_classes(congru_context *context, const congru_set *set, size_t groups, uint64_t shut,
                                 uint64_t without, bool *has)
{
    bool *wanted = calloc(2 * set->classes + 1, sizeof *wanted);
    size_t classes = 0;
    if (wanted == NULL)
        return fail_memory(context);
    bool *present = wanted + set->classes;
    for (size_t t = 0; t < set->count; t++) {
        if (set->label[t] < 0)
            continue;
        wanted[set->label[t]] |= !is_in(set, groups, shut, t);
        present[set->label[t]] |= !is_in(set, groups, without, t);
    }
    *has = true;
    for (size_t k = 0; k < set->classes; k++) {
        *has = *has && (present[k] || !wanted[k]);
        classes += present[k];
    }
    *has = *has && classes > 1;
    free(wanted);
    return CONGRU_OK;
}

congru_status congru_inner_list_groups(congru_context *context, const congru_set *set, size_t groups,
                                       uint64_t shut, uint64_t without, uint64_t barred,
                                       congru_inner_list *list)
{
    bool has = false;
    for (size_t i = 0; i < list->fits; i++)
        if (list->fit[i].without == without && list->fit[i].barred == barred)
            return CONGRU_OK;
    congru_status status = has_classes(context, set, groups, shut, without, &has);
    if (status == CONGRU_OK && has)
        status = add_fit(context, set->count, list);
    if (status != CONGRU_OK || !has)
        return status;
    congru_inner_fit *fit = &list->fit[list->fits - 1];
    fit->without = without;
    fit->barred = barred;
    for (size_t t = 0; t < set->count; t++)
        if (!is_in(set, groups, barred, t))
            fit->side[t] = is_in(set, groups, without, t) ? CONGRU_INNER_ASKED : CONGRU_INNER_FITTED;
    return CONGRU_OK;
}

static congru_status add_part(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, size_t groups, int32_t subject,
                              size_t part, congru_inner_list *list)
{
    congru_split split = {0};
    congru_status status = congru_split_make(context, set, options, subject, part, &split);
    if (status == CONGRU_ERROR_ARGUMENT) /* too few trials or sessions: nothing is learned from this one */
        return CONGRU_OK;
    if (status == CONGRU_OK && split.test > 0)
        status = add_fit(context, set->count, list);
    if (status == CONGRU_OK && split.test > 0) {
        congru_inner_fit *fit = &list->fit[list->fits - 1];
        fit->without = UINT64_C(1) << (size_t)subject % groups;
        for (size_t i = 0; i < split.train; i++)
            fit->side[split.train_trial[i]] = CONGRU_INNER_FITTED;
        for (size_t i = 0; i < split.test; i++)
            fit->side[split.test_trial[i]] = CONGRU_INNER_ASKED;
    }
    congru_split_clear(&split);
    return status;
}

congru_status congru_inner_list_within(congru_context *context, const congru_set *set,
                                       const congru_evaluation_options *options, size_t groups,
                                       congru_inner_list *list)
{
    congru_status status = CONGRU_OK;
    for (size_t s = 0; s < set->subjects; s++)
        for (size_t part = 0; status == CONGRU_OK && part < congru_split_parts(set, options); part++)
            status = add_part(context, set, options, groups, (int32_t)s, part, list);
    return status;
}

/* ---- Fits of features ----------------------------------------------------------------------------------- */

bool congru_inner_together(const congru_evaluation_options *options, const congru_material *material)
{
    return options->protocol == CONGRU_PROTOCOL_LOSO && material->feature != NULL &&
           material->branch->classifier->fit_folds != NULL;
}

/* The fits from `first` on that bar the same groups, of a classifier of features, on all threads: how many there are. */
static congru_status fit_together(const congru_inner_said *f, size_t first, size_t *fits)
{
    const congru_set *set = f->materials->set;
    const congru_inner_fit *fit = f->list->fit;
    size_t *place = malloc(set->count * sizeof *place), count = 0, rows = 0;
    int32_t *label = malloc(set->count * sizeof *label), *subject = malloc(set->count * sizeof *subject);
    for (*fits = 0; first + *fits < f->list->fits && fit[first + *fits].barred == fit[first].barred; ++*fits)
        rows += f->first[first + *fits + 1] - f->first[first + *fits];
    bool *used = malloc(*fits * set->count * sizeof *used);
    double *said = congru_memory_take((f->ridges * rows * set->classes + 1) * sizeof *said);
    congru_status status = place != NULL && label != NULL && subject != NULL && used != NULL && said != NULL
                               ? CONGRU_OK
                               : fail_memory(f->workers->caller);
    for (size_t t = 0; status == CONGRU_OK && t < set->count; t++)
        if (fit[first].side[t] != CONGRU_INNER_NEITHER) {
            label[count] = set->label[t];
            subject[count] = set->subject[t];
            place[count++] = t;
        }
    for (size_t i = 0; status == CONGRU_OK && i < *fits; i++)
        for (size_t t = 0; t < count; t++)
            used[i * count + t] = fit[first + i].side[place[t]] == CONGRU_INNER_FITTED;
    const congru_features features = {.plain = f->material->feature,
                                      .place = count < set->count ? place : NULL,
                                      .size = f->material->features};
    const congru_trials trials = {.count = count,
                                  .d = set->dimension,
                                  .label = label,
                                  .subject = subject,
                                  .classes = set->classes,
                                  .subjects = set->subjects,
                                  .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name,
                                  .features = &features};
    if (status == CONGRU_OK)
        status = f->material->branch->classifier->fit_folds(f->material->branch->classifier, f->workers->caller,
                                                            &trials, f->ridges, f->c, *fits, used, said, NULL);
    for (size_t k = 0; status == CONGRU_OK && k < f->ridges; k++)
        memcpy(f->log_probability + (k * f->first[f->list->fits] + f->first[first]) * set->classes,
               said + k * rows * set->classes, rows * set->classes * sizeof *said);
    free(place);
    free(label);
    free(subject);
    free(used);
    congru_memory_give(said);
    return status;
}

/* ---- Other fits ------------------------------------------------------------------------------------------ */

/* One fit, and the trials of a subject that it is asked about. */
typedef struct inner_job {
    const congru_inner_said *f;
    size_t index;
    congru_fold_case fold;
    congru_fold_aligned *aligned;
    congru_tensors model[CONGRU_INNER_RIDGES_MAX];
    size_t *train, *test;
    double *probability; /* (test, classes) */
} inner_job;

static congru_status fit_ridges(inner_job *job)
{
    const congru_material *material = job->f->material;
    congru_method_options method = material->method;
    congru_trainings trainings;
    congru_status status = CONGRU_OK;
    congru_trainings_begin(job->fold.context, material, &job->f->workers->stop->taken, &trainings);
    for (size_t k = 0; status == CONGRU_OK && k < job->f->ridges; k++) {
        method.c = job->f->c[k];
        status = congru_branch_fit(&job->fold, material, &method, material->branch->classifier->views,
                                   job->aligned, &job->model[k]);
    }
    congru_trainings_end(&trainings);
    return status;
}

/* The rows of one subject, for every C. */
static congru_status ask_subject(inner_job *job, int32_t subject)
{
    const congru_inner_said *f = job->f;
    const congru_set *set = f->materials->set;
    const int8_t *side = f->list->fit[job->index].side;
    congru_method_options method = f->material->method;
    congru_status status = CONGRU_OK;
    job->fold.test = (congru_fold_side){0, job->test};
    for (size_t t = 0; t < set->count; t++)
        if (side[t] == CONGRU_INNER_ASKED && set->subject[t] == subject)
            job->test[job->fold.test.count++] = t;
    for (size_t k = 0; status == CONGRU_OK && job->fold.test.count > 0 && k < f->ridges; k++) {
        double *to = f->log_probability + (k * f->first[f->list->fits] + f->first[job->index]) * set->classes;
        method.c = f->c[k];
        status = congru_branch_ask(&job->fold, f->material, &method, job->aligned, &job->model[k], false,
                                   job->probability);
        for (size_t t = 0, own = 0; status == CONGRU_OK && t < set->count; t++) {
            if (side[t] != CONGRU_INNER_ASKED)
                continue;
            if (set->subject[t] == subject)
                memcpy(to, job->probability + own++ * set->classes, set->classes * sizeof *to);
            to += set->classes;
        }
    }
    for (size_t b = 0; b < f->material->blocks; b++)
        congru_fold_target_clear(&job->aligned->target[b]);
    return status;
}

static congru_status run_job(inner_job *job)
{
    const congru_inner_said *f = job->f;
    const congru_set *set = f->materials->set;
    size_t count = 0;
    if (job->train == NULL || job->test == NULL || job->probability == NULL || job->aligned == NULL)
        return fail_memory(job->fold.context);
    for (size_t t = 0; t < set->count; t++)
        if (f->list->fit[job->index].side[t] == CONGRU_INNER_FITTED)
            job->train[count++] = t;
    job->fold.train = (congru_fold_side){count, job->train};
    congru_status status = fit_ridges(job);
    for (size_t s = 0; status == CONGRU_OK && s < set->subjects; s++)
        status = ask_subject(job, (int32_t)s);
    const size_t rows = f->first[f->list->fits], own = f->first[job->index + 1] - f->first[job->index];
    for (size_t k = 0; status == CONGRU_OK && k < f->ridges; k++)
        congru_opinions_log(own * set->classes,
                            f->log_probability + (k * rows + f->first[job->index]) * set->classes);
    return status;
}

/* Job: one fit with every C, asked about each subject that it leaves out; of source subjects all trials may be seen. */
static congru_status fit_alone(void *user, size_t index, congru_context *context)
{
    const congru_inner_said *f = user;
    const congru_set *set = f->materials->set;
    congru_evaluation_options options = *f->options;
    if (options.protocol == CONGRU_PROTOCOL_LOSO)
        options.target = CONGRU_TARGET_FULL;
    inner_job job = {.f = f,
                     .index = index,
                     .fold = {.context = context, .materials = f->materials, .options = &options},
                     .train = malloc(set->count * sizeof *job.train),
                     .test = malloc(set->count * sizeof *job.test),
                     .probability = malloc(set->count * set->classes * sizeof *job.probability),
                     .aligned = calloc(1, sizeof *job.aligned)};
    congru_status status = run_job(&job);
    for (size_t k = 0; k < CONGRU_INNER_RIDGES_MAX; k++)
        congru_tensors_clear(&job.model[k]);
    if (job.aligned != NULL)
        congru_fold_aligned_clear(job.aligned);
    free(job.aligned);
    free(job.train);
    free(job.test);
    free(job.probability);
    return status;
}

congru_status congru_inner_run(congru_inner_said *f)
{
    const congru_set *set = f->materials->set;
    const size_t fits = f->list->fits;
    f->first = calloc(fits + 1, sizeof *f->first);
    if (f->first == NULL)
        return fail_memory(f->workers->caller);
    for (size_t i = 0; i < fits; i++) {
        f->first[i + 1] = f->first[i];
        for (size_t t = 0; t < set->count; t++)
            f->first[i + 1] += f->list->fit[i].side[t] == CONGRU_INNER_ASKED;
    }
    f->log_probability =
        congru_memory_take((f->ridges * f->first[fits] * set->classes + 1) * sizeof *f->log_probability);
    if (f->log_probability == NULL)
        return fail_memory(f->workers->caller);
    if (!congru_inner_together(f->options, f->material))
        return congru_workers_run(f->workers, fits, fit_alone, f);
    congru_status status = CONGRU_OK;
    for (size_t i = 0, made; status == CONGRU_OK && i < fits; i += made)
        status = fit_together(f, i, &made);
    return status;
}

void congru_inner_clear(congru_inner_said *f)
{
    free(f->first);
    congru_memory_give(f->log_probability);
    f->first = NULL;
    f->log_probability = NULL;
}
