/* Lists and makes the fits by which something is chosen. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/inner_fits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluation/combine.h"
#include "evaluation/split.h"
#include "evaluation/trainings.h"

static const char memory[] = "the fits that something is chosen by";

/* ---- Listing ------------------------------------------------------------------------------------------- */

/* One more, with all of its trials on neither side. */
static congru_status add_fit(congru_context *context, size_t trials, congru_inner_list *list,
                             congru_inner_fit **added)
{
    CONGRU_TRY(congru_grow(context, &list->fit, &list->room, list->fits + 1, sizeof *list->fit, memory));
    *added = &list->fit[list->fits++];
    **added = (congru_inner_fit){0};
    CONGRU_TRY(congru_allocate(context, &(*added)->side, trials, sizeof(int8_t), memory));
    memset((*added)->side, CONGRU_SIDE_NEITHER, trials);
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
    bool *wanted;
    size_t classes = 0;
    CONGRU_TRY(congru_allocate(context, &wanted, 2 * set->classes, sizeof *wanted, memory));
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
    congru_inner_fit *fit;
    bool has = false;
    for (size_t i = 0; i < list->fits; i++)
        if (list->fit[i].without == without && list->fit[i].barred == barred)
            return CONGRU_OK;
    CONGRU_TRY(has_classes(context, set, groups, shut, without, &has));
    if (!has)
        return CONGRU_OK;
    CONGRU_TRY(add_fit(context, set->count, list, &fit));
    fit->without = without;
    fit->barred = barred;
    for (size_t t = 0; t < set->count; t++)
        if (!is_in(set, groups, barred, t))
            fit->side[t] = is_in(set, groups, without, t) ? CONGRU_SIDE_ASKED : CONGRU_SIDE_FITTED;
    return CONGRU_OK;
}

static congru_status add_part(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, size_t groups, int32_t subject,
                              size_t part, congru_inner_list *list)
{
    congru_split split = {0};
    congru_inner_fit *fit;
    congru_status status = congru_split_make(context, set, options, subject, part, &split);
    if (status == CONGRU_ERROR_ARGUMENT) /* too few trials or sessions: nothing is learned from this one */
        return CONGRU_OK;
    if (status != CONGRU_OK || split.test == 0)
        goto done;
    CONGRU_TRY_TO(done, add_fit(context, set->count, list, &fit));
    fit->without = UINT64_C(1) << (size_t)subject % groups;
    for (size_t i = 0; i < split.train; i++)
        fit->side[split.train_trial[i]] = CONGRU_SIDE_FITTED;
    for (size_t i = 0; i < split.test; i++)
        fit->side[split.test_trial[i]] = CONGRU_SIDE_ASKED;
done:
    congru_split_clear(&split);
    return status;
}

congru_status congru_inner_list_within(congru_context *context, const congru_set *set,
                                       const congru_evaluation_options *options, size_t groups,
                                       congru_inner_list *list)
{
    for (size_t s = 0; s < set->subjects; s++)
        for (size_t part = 0; part < congru_split_parts(set, options); part++)
            CONGRU_TRY(add_part(context, set, options, groups, (int32_t)s, part, list));
    return CONGRU_OK;
}

/* ---- Fits ------------------------------------------------------------------------------------------------ */

bool congru_inner_together(const congru_evaluation_options *options, const congru_material *material)
{
    return options->protocol == CONGRU_PROTOCOL_LOSO && material->feature != NULL &&
           material->branch->classifier->fit_folds != NULL;
}

/* The fits from `first` on that bar the same groups, of a classifier of features, on all threads: how many there are. */
static congru_status fit_together(const congru_inner_said *f, size_t first, size_t *fits)
{
    const congru_inner_fit *fit = f->list->fit;
    const size_t classes = f->materials->set->classes, all = f->first[f->list->fits];
    for (*fits = 1; first + *fits < f->list->fits && fit[first + *fits].barred == fit[first].barred;)
        ++*fits;
    const size_t rows = f->first[first + *fits] - f->first[first];
    const int8_t **side;
    double *said = NULL;
    congru_status status;
    CONGRU_TRY(congru_allocate(f->workers->caller, &side, *fits, sizeof *side, memory));
    for (size_t i = 0; i < *fits; i++)
        side[i] = fit[first + i].side;
    CONGRU_TRY_TO(done,
                  congru_take(f->workers->caller, &said, f->ridges * rows * classes, sizeof *said, memory));
    CONGRU_TRY_TO(done, congru_fit_together(f->workers->caller, f->materials, f->material, f->ridges, f->c,
                                            *fits, side, said, NULL));
    for (size_t k = 0; k < f->ridges; k++)
        memcpy(f->log_probability + (k * all + f->first[first]) * classes, said + k * rows * classes,
               rows * classes * sizeof *said);
done:
    free(side);
    congru_memory_give(said);
    return status;
}

/* One fit with every C, and the trials of a subject that it is asked about. */
typedef struct inner_job {
    const congru_inner_said *f;
    size_t index;
    congru_executor executor;
    congru_aligned aligned;
    congru_tensors fitted[CONGRU_INNER_RIDGES_MAX];
    size_t *train, *test;
    double *probability; /* (test, classes) */
} inner_job;

/* The trials of a subject, or of all where it is below 0, that are on this side: how many. */
static congru_trial_list list_side(const inner_job *job, int8_t side, int32_t subject, size_t *trial)
{
    const congru_set *set = job->f->materials->set;
    size_t count = 0;
    for (size_t t = 0; t < set->count; t++)
        if (job->f->list->fit[job->index].side[t] == side && (subject < 0 || set->subject[t] == subject))
            trial[count++] = t;
    return (congru_trial_list){count, trial};
}

static congru_status fit_ridges(inner_job *job, congru_trial_list train)
{
    const congru_inner_said *f = job->f;
    congru_trainings trainings;
    congru_status status = CONGRU_OK;
    congru_trainings_begin(job->executor.context, f->material, &f->workers->stop->taken, &trainings);
    for (size_t k = 0; status == CONGRU_OK && k < f->ridges; k++)
        status = congru_fit(&job->executor, f->material, f->c[k], train, &job->aligned, &job->fitted[k], NULL);
    congru_trainings_end(&trainings);
    return status;
}

/* The rows of one subject, for every C. */
static congru_status ask_subject(inner_job *job, int32_t subject)
{
    const congru_inner_said *f = job->f;
    const congru_set *set = f->materials->set;
    const int8_t *side = f->list->fit[job->index].side;
    const congru_trial_list test = list_side(job, CONGRU_SIDE_ASKED, subject, job->test);
    for (size_t k = 0; test.count > 0 && k < f->ridges; k++) {
        double *to = f->log_probability + (k * f->first[f->list->fits] + f->first[job->index]) * set->classes;
        CONGRU_TRY(
            congru_ask(&job->executor, f->material, &job->fitted[k], test, &job->aligned, job->probability));
        congru_opinions_log(test.count * set->classes, job->probability);
        for (size_t t = 0, own = 0; t < set->count; t++) {
            if (side[t] != CONGRU_SIDE_ASKED)
                continue;
            if (set->subject[t] == subject)
                memcpy(to, job->probability + own++ * set->classes, set->classes * sizeof *to);
            to += set->classes;
        }
    }
    return CONGRU_OK;
}

static congru_status run_job(inner_job *job)
{
    const congru_set *set = job->f->materials->set;
    congru_context *context = job->executor.context;
    CONGRU_TRY(congru_allocate(context, &job->train, set->count, sizeof *job->train, memory));
    CONGRU_TRY(congru_allocate(context, &job->test, set->count, sizeof *job->test, memory));
    CONGRU_TRY(congru_allocate(context, &job->probability, set->count * set->classes, sizeof(double), memory));
    CONGRU_TRY(fit_ridges(job, list_side(job, CONGRU_SIDE_FITTED, -1, job->train)));
    for (size_t s = 0; s < set->subjects; s++)
        CONGRU_TRY(ask_subject(job, (int32_t)s));
    return CONGRU_OK;
}

/* Job: one fit with every C, asked about each subject that it leaves out; of source subjects all trials may be seen. */
static congru_status fit_alone(void *user, size_t index, congru_context *context)
{
    const congru_inner_said *f = user;
    inner_job *job;
    CONGRU_TRY(congru_allocate(context, &job, 1, sizeof *job, memory));
    job->f = f;
    job->index = index;
    job->executor = congru_executor_make(context, f->materials, f->options);
    if (f->options->protocol == CONGRU_PROTOCOL_LOSO)
        job->executor.target = CONGRU_TARGET_FULL;
    const congru_status status = run_job(job);
    for (size_t k = 0; k < CONGRU_INNER_RIDGES_MAX; k++)
        congru_tensors_clear(&job->fitted[k]);
    congru_aligned_clear(&job->aligned);
    free(job->train);
    free(job->test);
    free(job->probability);
    free(job);
    return status;
}

congru_status congru_inner_run(congru_inner_said *f)
{
    const congru_set *set = f->materials->set;
    const size_t fits = f->list->fits;
    CONGRU_TRY(congru_allocate(f->workers->caller, &f->first, fits + 1, sizeof *f->first, memory));
    for (size_t i = 0; i < fits; i++) {
        f->first[i + 1] = f->first[i];
        for (size_t t = 0; t < set->count; t++)
            f->first[i + 1] += f->list->fit[i].side[t] == CONGRU_SIDE_ASKED;
    }
    CONGRU_TRY(congru_take(f->workers->caller, &f->log_probability, f->ridges * f->first[fits] * set->classes,
                           sizeof *f->log_probability, memory));
    if (!congru_inner_together(f->options, f->material))
        return congru_workers_run(f->workers, fits, fit_alone, f);
    for (size_t i = 0, made; i < fits; i += made)
        CONGRU_TRY(fit_together(f, i, &made));
    return CONGRU_OK;
}

void congru_inner_clear(congru_inner_said *f)
{
    free(f->first);
    congru_memory_give(f->log_probability);
    f->first = NULL;
    f->log_probability = NULL;
}
