/* Runs the folds of one training. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_math.h"
#include "congru/classifier.h"
#include "evaluation/branch_look.h"
#include "evaluation/combine.h"
#include "evaluation/results.h"
#include "evaluation/split.h"

congru_status congru_fold_reserve(congru_context *context, congru_fold *fold, size_t samples, size_t classes)
{
    static const char what[] = "%zu predictions";
    CONGRU_TRY(congru_allocate(context, &fold->trial, samples, sizeof *fold->trial, what, samples));
    CONGRU_TRY(congru_allocate(context, &fold->part, samples, sizeof *fold->part, what, samples));
    CONGRU_TRY(congru_allocate(context, &fold->truth, samples, sizeof *fold->truth, what, samples));
    CONGRU_TRY(congru_allocate(context, &fold->prediction, samples, sizeof *fold->prediction, what, samples));
    return congru_allocate(context, &fold->probability, samples * classes, sizeof(double), what, samples);
}

void congru_fold_clear(congru_fold *fold)
{
    free(fold->trial);
    free(fold->part);
    free(fold->truth);
    free(fold->prediction);
    free(fold->probability);
    free(fold->pattern);
    free(fold->chosen);
    *fold = (congru_fold){0};
}

/* One of the subjects that are asked about. */
typedef struct target {
    size_t place; /* among the subjects of the run */
    int32_t subject;
    size_t first; /* its first row among all that are asked about */
    congru_trial_list test;
} target;

/* What a branch says of the trials asked about; branches of several pipelines may be the same. */
typedef struct answer {
    size_t material;
    double c, seconds, aligning, fitting;
    double *probability;  /* (rows, classes) */
    bool *calibrated;     /* (rows): used with its label, and not to be scored */
    congru_record record; /* of its training */
    congru_pattern
        *pattern; /* (targets) what it looked at; without cells where that is not asked for or not known */
} answer;

/* Everything a split needs while it is fitted and asked. */
typedef struct split_run {
    congru_context *context;
    const congru_plan *plan;
    congru_executor executor;
    congru_trial_list train;
    target *target; /* (targets) all left out together: what is fitted serves all of them */
    size_t targets, rows;
    size_t calibration; /* trials fitted on that are of the target */
    int32_t part;
    bool records;
    congru_aligned aligned;
    answer *answer;
    size_t answers, room;
    double *logarithm;   /* (branches, rows, classes) of what is combined */
    double *probability; /* (rows, classes) */
} split_run;

/* Patterns are kept beside folds, of subjects that are new to the pipeline. */
static bool keeps_patterns(const congru_plan *plan)
{
    return plan->options->folder != NULL && plan->options->protocol == CONGRU_PROTOCOL_LOSO;
}

/* ---- Branches ---------------------------------------------------------------------------------------------- */

/* What a linear branch looked at when it gave a target these probabilities; a pattern without cells for another. */
static congru_status look(split_run *run, const congru_material *m, const congru_tensors *fitted,
                          congru_trial_list test, const double *probability, congru_pattern *pattern)
{
    const size_t numbers = test.count * run->plan->set->classes;
    if (!keeps_patterns(run->plan) || !congru_branch_linear(m->branch))
        return CONGRU_OK;
    memcpy(run->logarithm, probability, numbers * sizeof *probability);
    congru_opinions_log(numbers, run->logarithm);
    return congru_branch_look(&run->executor, m, fitted, test, &run->aligned, run->logarithm, pattern);
}

/* The fitted branch asked about one target. */
static congru_status ask(split_run *run, const target *own, const congru_material *m,
                         const congru_tensors *fitted, answer *a, congru_pattern *pattern)
{
    double *probability = a->probability + own->first * run->plan->set->classes;
    CONGRU_TRY(congru_ask(&run->executor, m, fitted, own->test, &run->aligned, probability));
    if (!congru_asks_shared(&run->executor, m))
        memcpy(a->calibrated + own->first, run->aligned.calibrated, own->test.count * sizeof *a->calibrated);
    return look(run, m, fitted, own->test, probability, pattern);
}

/* The branch fitted, or taken from the plan, and asked. */
static congru_status make_answer(split_run *run, answer *a)
{
    const congru_material *m = &run->plan->materials.material[a->material];
    const congru_tensors *fitted = congru_plan_model(run->plan, a->material, run->target[0].subject, a->c);
    const congru_material *before = run->aligned.material;
    const double start = congru_seconds(), had = run->aligned.seconds;
    const bool shares = before != NULL && congru_aligned_alike(before, m);
    congru_tensors own = {0};
    congru_status status = CONGRU_OK;
    if (fitted == NULL) {
        CONGRU_TRY_TO(done, congru_fit(&run->executor, m, a->c, run->train, &run->aligned, &own,
                                       run->records ? &a->record : NULL));
        a->aligning = run->aligned.seconds;
        a->fitting = congru_seconds() - start - (shares ? 0 : a->aligning);
        a->seconds = shares ? had : 0;
        fitted = &own;
    }
    for (size_t t = 0; t < run->targets; t++)
        CONGRU_TRY_TO(done, ask(run, &run->target[t], m, fitted, a, &a->pattern[t]));
    a->seconds += congru_seconds() - start;
done:
    congru_tensors_clear(&own);
    return status;
}

/* The answer of a branch, had once: its index. */
static congru_status find_answer(split_run *run, size_t material, double c, size_t *index)
{
    const size_t numbers = run->rows * run->plan->set->classes;
    congru_context *context = run->context;
    for (*index = 0; *index < run->answers; ++*index)
        if (run->answer[*index].material == material && run->answer[*index].c == c)
            return CONGRU_OK;
    CONGRU_TRY(congru_grow(context, &run->answer, &run->room, *index + 1, sizeof *run->answer, "answers"));
    answer *a = &run->answer[run->answers++];
    *a = (answer){.material = material, .c = c};
    CONGRU_TRY(congru_allocate(context, &a->probability, numbers, sizeof(double), "%zu trials", run->rows));
    CONGRU_TRY(congru_allocate(context, &a->calibrated, run->rows, sizeof(bool), "%zu trials", run->rows));
    CONGRU_TRY(congru_allocate(context, &a->pattern, run->targets, sizeof *a->pattern, "patterns"));
    return make_answer(run, a);
}

/* ---- Pipelines --------------------------------------------------------------------------------------------- */

/* The patterns of a pipeline's branches for one target, each with its part in the decisions. */
static congru_status add_patterns(split_run *run, size_t pipeline, size_t t, const size_t *index,
                                  congru_fold *fold)
{
    const congru_set *set = run->plan->set;
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    const target *own = &run->target[t];
    const size_t numbers = run->rows * set->classes;
    const double *said[CONGRU_BRANCHES_MAX];
    double part[CONGRU_BRANCHES_MAX];
    congru_text text = {0};
    for (size_t b = 0; b < p->branches; b++)
        said[b] = run->logarithm + b * numbers + own->first * set->classes;
    CONGRU_TRY(congru_branches_part(&run->executor, own->test, p->branches, said,
                                    congru_plan_choice(run->plan, pipeline, own->subject)->weight, part));
    for (size_t b = 0; b < p->branches; b++) {
        const char *name = p->branch[b].name;
        congru_pattern named = run->answer[index[b]].pattern[t];
        if (named.cells == 0)
            continue;
        snprintf(named.branch, sizeof named.branch, "%s", name[0] != '\0' ? name : run->plan->name[pipeline]);
        if (text.size == 0)
            congru_patterns_add_heading(&text, set->dimension,
                                        (const char(*)[CONGRU_LABEL_SIZE])set->channel_name);
        congru_patterns_add_rows(&text, run->plan->name[pipeline], part[b], &named, set->classes,
                                 (const char(*)[CONGRU_LABEL_SIZE])set->class_name, set->dimension);
    }
    if (text.failed) {
        congru_text_clear(&text);
        return congru_fail_memory(run->context, "patterns");
    }
    fold->pattern = text.data;
    return CONGRU_OK;
}

/* Whether a trial that is fitted on is of the class. */
static bool is_known(const split_run *run, size_t class)
{
    for (size_t i = 0; i < run->train.count; i++)
        if (run->plan->set->label[run->train.trial[i]] == (int32_t) class)
            return true;
    return false;
}

/* The probabilities of a target with all classes that were fitted equally frequent. */
static congru_status balance(const split_run *run, const target *own)
{
    const size_t classes = run->plan->set->classes, numbers = own->test.count * classes;
    double *p = run->probability + own->first * classes;
    congru_opinions_log(numbers, p);
    for (size_t k = 0; k < classes; k++) {
        if (is_known(run, k))
            continue;
        for (size_t i = 0; i < own->test.count; i++)
            p[i * classes + k] = -INFINITY;
    }
    CONGRU_TRY(congru_balance_classes(run->context, own->test.count, classes, p));
    for (size_t i = 0; i < numbers; i++)
        p[i] = congru_scalar_exp(p[i]);
    return CONGRU_OK;
}

/* Adds the predictions about a target to its fold, those about calibration trials left out. */
static void collect(const split_run *run, const target *own, const bool *calibrated, congru_fold *fold)
{
    const congru_set *set = run->plan->set;
    for (size_t i = 0; i < own->test.count; i++) {
        const size_t place = fold->samples, trial = own->test.trial[i];
        if (calibrated[own->first + i]) {
            fold->calibration++;
            continue;
        }
        fold->samples++;
        fold->trial[place] = trial;
        fold->part[place] = run->part;
        fold->truth[place] = set->label[trial];
        memcpy(fold->probability + place * set->classes, run->probability + (own->first + i) * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += run->train.count;
    fold->calibration += run->calibration;
}

/* The answers of a pipeline's branches: that of one is its own, those of several are added up. Subjects that are left out
 * together have the same choices. */
static void combine(split_run *run, size_t pipeline, const size_t *index)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    const congru_choice *choice = congru_plan_choice(run->plan, pipeline, run->target[0].subject);
    const size_t numbers = run->rows * run->plan->set->classes;
    congru_opinions opinions = {
        .branches = p->branches, .count = run->rows, .classes = run->plan->set->classes};
    for (size_t b = 0; b < p->branches; b++) {
        double *own = run->logarithm + b * numbers;
        memcpy(own, run->answer[index[b]].probability, numbers * sizeof *own);
        congru_opinions_log(numbers, own);
        opinions.log_probability[b] = own;
    }
    if (p->branches > 1)
        congru_opinions_combine(&opinions, choice->weight, run->probability);
    else
        memcpy(run->probability, run->answer[index[0]].probability, numbers * sizeof *run->probability);
}

/* One pipeline, all targets: fold (subjects of the run). What targets share counts in the seconds of each. */
static congru_status run_pipeline(split_run *run, size_t pipeline, congru_fold *fold, congru_record *record)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    const congru_choice *choice = congru_plan_choice(run->plan, pipeline, run->target[0].subject);
    size_t index[CONGRU_BRANCHES_MAX];
    run->records = record != NULL;
    for (size_t b = 0; b < p->branches; b++) {
        CONGRU_TRY(find_answer(run, choice->material[b], choice->c[b], &index[b]));
        if (record != NULL && run->answer[index[b]].record.steps > 0)
            CONGRU_TRY(congru_record_copy(run->context, &run->answer[index[b]].record, record));
    }
    combine(run, pipeline, index);
    for (size_t t = 0; t < run->targets; t++) {
        const target *asked = &run->target[t];
        congru_fold *own = &fold[asked->place];
        for (size_t b = 0; b < p->branches; b++) {
            own->seconds += run->answer[index[b]].seconds;
            own->aligning += run->answer[index[b]].aligning;
            own->fitting += run->answer[index[b]].fitting;
        }
        if (keeps_patterns(run->plan))
            CONGRU_TRY(add_patterns(run, pipeline, t, index, own));
        if (run->plan->options->method.balance)
            CONGRU_TRY(balance(run, asked));
        collect(run, asked, run->answer[index[0]].calibrated, own);
    }
    return CONGRU_OK;
}

/* fold (count, subjects), record (count) or NULL: what is common to all of them counts in each. */
static congru_status run_split(split_run *run, size_t count, const size_t *pipeline, size_t subjects,
                               congru_fold *fold, congru_record *record)
{
    const size_t numbers = run->rows * run->plan->set->classes;
    size_t branches = 1;
    congru_status status;
    for (size_t i = 0; i < count; i++)
        branches = run->plan->pipeline[pipeline[i]].branches > branches
                       ? run->plan->pipeline[pipeline[i]].branches
                       : branches;
    CONGRU_TRY_TO(done, congru_allocate(run->context, &run->logarithm, branches * numbers, sizeof(double),
                                        "%zu trials", run->rows));
    CONGRU_TRY_TO(done, congru_allocate(run->context, &run->probability, numbers, sizeof(double), "%zu trials",
                                        run->rows));
    for (size_t i = 0; i < count; i++)
        CONGRU_TRY_TO(done,
                      run_pipeline(run, pipeline[i], fold + i * subjects, record != NULL ? &record[i] : NULL));
done:
    for (size_t i = 0; i < run->answers; i++) {
        answer *a = &run->answer[i];
        for (size_t t = 0; a->pattern != NULL && t < run->targets; t++)
            congru_pattern_clear(&a->pattern[t]);
        free(a->probability);
        free(a->calibrated);
        free(a->pattern);
        congru_record_clear(&a->record);
    }
    free(run->answer);
    congru_aligned_clear(&run->aligned);
    free(run->logarithm);
    free(run->probability);
    return status;
}

/* Fits once without the subjects, and asks about each. */
static congru_status run_part(congru_context *context, const congru_plan *plan, size_t part, size_t count,
                              const size_t *pipeline, size_t subjects, const int32_t *subject,
                              congru_fold *fold, congru_record *record)
{
    congru_split *split = NULL;
    split_run run = {.context = context,
                     .plan = plan,
                     .part = (int32_t)part,
                     .executor = congru_executor_make(context, &plan->materials, plan->options)};
    congru_status status;
    run.executor.labelled = true;
    CONGRU_TRY_TO(done, congru_allocate(context, &split, subjects, sizeof *split, "%zu subjects", subjects));
    CONGRU_TRY_TO(
        done, congru_allocate(context, &run.target, subjects, sizeof *run.target, "%zu subjects", subjects));
    for (size_t s = 0; s < subjects; s++) {
        CONGRU_TRY_TO(done, congru_split_make(context, plan->set, plan->options, subject[s], part, &split[s]));
        if (split[s].test == 0)
            continue;
        run.target[run.targets++] = (target){
            .place = s, .subject = subject[s], .first = run.rows, .test = {split[s].test, split[s].test_trial}};
        run.rows += split[s].test;
    }
    if (run.targets > 0) {
        run.train = (congru_trial_list){split[0].train, split[0].train_trial};
        run.calibration = split[0].calibration;
        status = run_split(&run, count, pipeline, subjects, fold, record);
    }
done:
    for (size_t s = 0; split != NULL && s < subjects; s++)
        congru_split_clear(&split[s]);
    free(split);
    free(run.target);
    return status;
}

static congru_status run_parts(congru_context *context, const congru_plan *plan, size_t count,
                               const size_t *pipeline, size_t subjects, const int32_t *subject,
                               congru_fold *fold, congru_record *record)
{
    const congru_set *set = plan->set;
    for (size_t i = 0; i < count * subjects; i++) {
        size_t own = 0;
        for (size_t t = 0; t < set->count; t++)
            own += set->subject[t] == subject[i % subjects];
        CONGRU_TRY(congru_fold_reserve(context, &fold[i], own, set->classes));
    }
    for (size_t part = 0; part < congru_split_parts(set, plan->options); part++)
        CONGRU_TRY(run_part(context, plan, part, count, pipeline, subjects, subject, fold, record));
    for (size_t i = 0; i < count * subjects; i++) {
        congru_fold_answer(&fold[i], set->classes);
        CONGRU_TRY(congru_fold_score(context, &fold[i], set->classes));
    }
    return CONGRU_OK;
}

congru_status congru_fold_run(congru_context *context, const congru_plan *plan, size_t count,
                              const size_t *pipeline, size_t subjects, const int32_t *subject,
                              congru_fold *fold, congru_record *record)
{
    for (size_t i = 0; i < count * subjects; i++)
        fold[i] = (congru_fold){.subject = subject[i % subjects], .session = -1};
    const congru_status status = run_parts(context, plan, count, pipeline, subjects, subject, fold, record);
    for (size_t i = 0; status != CONGRU_OK && i < count * subjects; i++)
        congru_fold_clear(&fold[i]);
    return status;
}
