/* Runs one fold. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_math.h"
#include "congru/classifier.h"
#include "evaluation/branch_look.h"
#include "evaluation/combine.h"
#include "evaluation/scoring.h"
#include "evaluation/split.h"

congru_status congru_fold_reserve(congru_context *context, congru_fold *fold, size_t samples, size_t classes)
{
    size_t room = samples > 0 ? samples : 1;
    fold->trial = calloc(room, sizeof *fold->trial);
    fold->part = calloc(room, sizeof *fold->part);
    fold->truth = calloc(room, sizeof *fold->truth);
    fold->prediction = calloc(room, sizeof *fold->prediction);
    fold->probability = calloc(room * classes, sizeof *fold->probability);
    if (fold->trial == NULL || fold->part == NULL || fold->truth == NULL || fold->prediction == NULL ||
        fold->probability == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu predictions", samples);
    return CONGRU_OK;
}

void congru_fold_clear(congru_fold *fold)
{
    free(fold->trial);
    free(fold->part);
    free(fold->truth);
    free(fold->prediction);
    free(fold->probability);
    free(fold->pattern);
    *fold = (congru_fold){0};
}

/* What a branch says of the trials asked about; branches of several pipelines may be the same. */
typedef struct opinion {
    size_t material;
    double c, seconds;
    double *log_probability; /* (test, classes) */
    congru_pattern pattern;  /* what it looked at; without cells where that is not asked for or not known */
} opinion;

/* Everything a split needs while it is fitted and asked. */
typedef struct split_run {
    const congru_plan *plan;
    congru_fold_case fold;
    const congru_split *split;
    int32_t subject, part;
    bool views;
    congru_fold_aligned aligned;
    opinion *opinion;
    size_t opinions;
    double *probability; /* (test, classes) */
    double fitting;      /* seconds of the classifiers of the pipeline that is run */
} split_run;

/* Adds the predictions to the fold, those about calibration trials left out. */
static void collect(const split_run *run, congru_fold *fold)
{
    const congru_set *set = run->plan->set;
    const congru_split *split = run->split;
    const congru_fold_target *target = &run->aligned.target[0];
    for (size_t i = 0; i < split->test; i++) {
        if (target->calibrated != NULL && target->calibrated[i])
            continue;
        size_t place = fold->samples++;
        fold->trial[place] = split->test_trial[i];
        fold->part[place] = run->part;
        fold->truth[place] = set->label[split->test_trial[i]];
        memcpy(fold->probability + place * set->classes, run->probability + i * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += split->train;
    fold->calibration += target->target.calibration + split->calibration;
}

/* Patterns are kept beside folds, of subjects that are new to the pipeline. */
static bool keeps_patterns(const congru_plan *plan)
{
    return plan->options->folder != NULL && plan->options->protocol == CONGRU_PROTOCOL_LOSO;
}

/* What a linear branch looked at when it gave these probabilities; a pattern without cells for another. */
static congru_status look(split_run *run, const congru_material *m, const congru_method_options *method,
                          const congru_tensors *fitted, const double *probability, congru_pattern *pattern)
{
    const size_t numbers = run->split->test * run->plan->set->classes;
    *pattern = (congru_pattern){0};
    if (!keeps_patterns(run->plan) || !congru_branch_linear(m->branch))
        return CONGRU_OK;
    double *logarithm = malloc((numbers + 1) * sizeof *logarithm);
    if (logarithm == NULL)
        return congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for %zu predictions",
                           numbers);
    memcpy(logarithm, probability, numbers * sizeof *logarithm);
    congru_opinions_log(numbers, logarithm);
    congru_status status = congru_branch_look(&run->fold, m, method, &run->aligned, fitted, logarithm, pattern);
    free(logarithm);
    return status;
}

/* The branch fitted, or taken from the plan, and asked: probability (test, classes). */
static congru_status ask(split_run *run, size_t material, double c, double *probability,
                         congru_pattern *pattern)
{
    const congru_material *m = &run->plan->materials.material[material];
    const congru_tensors *fitted = congru_plan_model(run->plan, material, run->subject, c);
    congru_method_options method = m->method;
    congru_tensors model = {0};
    congru_status status = CONGRU_OK;
    method.c = c;
    if (fitted == NULL || !congru_branch_shares(&run->fold, m)) {
        status = congru_branch_align(&run->fold, m, &method, run->views, &run->aligned);
        const double start = congru_seconds();
        if (status == CONGRU_OK)
            status = congru_branch_fit(&run->fold, m, &method, run->views, &run->aligned, &model);
        run->fitting += congru_seconds() - start;
        fitted = &model;
    }
    if (status == CONGRU_OK)
        status = congru_branch_ask(&run->fold, m, &method, &run->aligned, fitted, true, probability);
    if (status == CONGRU_OK)
        status = look(run, m, &method, fitted, probability, pattern);
    congru_tensors_clear(&model);
    return status;
}

/* The opinion of a branch, had once. */
static congru_status find_opinion(split_run *run, size_t material, double c, const opinion **found)
{
    const size_t numbers = run->split->test * run->plan->set->classes;
    for (size_t i = 0; i < run->opinions; i++)
        if (run->opinion[i].material == material && run->opinion[i].c == c) {
            *found = &run->opinion[i];
            return CONGRU_OK;
        }
    opinion *grown = realloc(run->opinion, (run->opinions + 1) * sizeof *grown);
    double *said = malloc((numbers + 1) * sizeof *said);
    run->opinion = grown != NULL ? grown : run->opinion;
    if (grown == NULL || said == NULL) {
        free(said);
        return congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                           run->split->train + run->split->test);
    }
    double start = congru_seconds();
    run->opinion[run->opinions] = (opinion){.material = material, .c = c, .log_probability = said};
    congru_status status = ask(run, material, c, said, &run->opinion[run->opinions].pattern);
    congru_opinions_log(numbers, said);
    run->opinion[run->opinions].seconds = congru_seconds() - start;
    *found = &run->opinion[run->opinions++];
    return status;
}

/* Adds a branch's pattern to the fold's text. */
static void add_pattern(const split_run *run, size_t pipeline, const char *branch, double part,
                        const congru_pattern *pattern, congru_text *text)
{
    const congru_set *set = run->plan->set;
    congru_pattern named = *pattern;
    if (pattern->cells == 0)
        return;
    snprintf(named.branch, sizeof named.branch, "%s", branch);
    if (text->size == 0)
        congru_patterns_add_heading(text, set->dimension, (const char(*)[CONGRU_LABEL_SIZE])set->channel_name);
    congru_patterns_add_rows(text, run->plan->name[pipeline], part, &named, set->classes,
                             (const char(*)[CONGRU_LABEL_SIZE])set->class_name, set->dimension);
}

/* The branches of a pipeline, asked and added up. */
static congru_status run_branches(split_run *run, size_t pipeline, double *seconds, congru_text *patterns)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    const congru_choice *choice = congru_plan_choice(run->plan, pipeline, run->subject);
    congru_opinions opinions = {
        .branches = p->branches, .count = run->split->test, .classes = run->plan->set->classes};
    congru_status status = CONGRU_OK;
    size_t place[CONGRU_BRANCHES_MAX];
    double part[CONGRU_BRANCHES_MAX];
    for (size_t b = 0; status == CONGRU_OK && b < p->branches; b++) {
        const opinion *found = NULL;
        status = find_opinion(run, p->branch[b].material, congru_plan_c(run->plan, pipeline, b, run->subject),
                              &found);
        if (status != CONGRU_OK)
            return status;
        place[b] = (size_t)(found - run->opinion);
        opinions.log_probability[b] = found->log_probability;
        *seconds += found->seconds;
    }
    congru_opinions_combine(&opinions, choice->weight, run->probability);
    if (keeps_patterns(run->plan))
        status = congru_branches_part(&run->fold, p->branches, opinions.log_probability, choice->weight, part);
    for (size_t b = 0; status == CONGRU_OK && keeps_patterns(run->plan) && b < p->branches; b++)
        add_pattern(run, pipeline, p->branch[b].name, part[b], &run->opinion[place[b]].pattern, patterns);
    return status;
}

/* A pipeline of one branch predicts as its classifier does. */
static congru_status run_pipeline(split_run *run, size_t pipeline, double *seconds, congru_text *patterns)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    if (p->branches > 1 || p->branch[0].blocks > 0)
        return run_branches(run, pipeline, seconds, patterns);
    const double start = congru_seconds(), had = run->aligned.seconds;
    congru_pattern pattern = {0};
    congru_status status = ask(run, p->branch[0].material, congru_plan_c(run->plan, pipeline, 0, run->subject),
                               run->probability, &pattern);
    *seconds += congru_seconds() - start + had;
    if (status == CONGRU_OK)
        add_pattern(run, pipeline, run->plan->name[pipeline], 1, &pattern, patterns);
    congru_pattern_clear(&pattern);
    return status;
}

/* Whether a trial that the split fits on is of the class. */
static bool is_known(const split_run *run, size_t class)
{
    for (size_t i = 0; i < run->split->train; i++)
        if (run->plan->set->label[run->split->train_trial[i]] == (int32_t) class)
            return true;
    return false;
}

/* The probabilities with all classes that were fitted equally frequent. */
static congru_status balance(split_run *run)
{
    const size_t classes = run->plan->set->classes, numbers = run->split->test * classes;
    double *p = run->probability;
    congru_opinions_log(numbers, p);
    for (size_t k = 0; k < classes; k++) {
        if (is_known(run, k))
            continue;
        for (size_t i = 0; i < run->split->test; i++)
            p[i * classes + k] = -INFINITY;
    }
    congru_status status = congru_balance_classes(run->fold.context, run->split->test, classes, p);
    for (size_t i = 0; status == CONGRU_OK && i < numbers; i++)
        p[i] = congru_scalar_exp(p[i]);
    return status;
}

/* fold (count): what is common to all of them counts in each. */
static congru_status run_split(split_run *run, size_t count, const size_t *pipeline, congru_fold *fold)
{
    congru_status status = CONGRU_OK;
    run->views = true;
    for (size_t i = 0; i < count; i++)
        run->views = run->views && run->plan->pipeline[pipeline[i]].classifier->views;
    run->probability = calloc(run->split->test * run->plan->set->classes, sizeof(double));
    if (run->probability == NULL)
        status =
            congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                        run->split->train + run->split->test);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        run->fitting = 0;
        congru_text patterns = {0};
        status = run_pipeline(run, pipeline[i], &fold[i].seconds, &patterns);
        if (status == CONGRU_OK && patterns.failed)
            status = congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for patterns");
        if (patterns.failed)
            congru_text_clear(&patterns);
        fold[i].pattern = patterns.data;
        fold[i].aligning += run->aligned.seconds;
        fold[i].fitting += run->fitting;
        if (status == CONGRU_OK && run->plan->options->method.balance)
            status = balance(run);
        if (status == CONGRU_OK)
            collect(run, &fold[i]);
    }
    for (size_t i = 0; i < run->opinions; i++) {
        free(run->opinion[i].log_probability);
        congru_pattern_clear(&run->opinion[i].pattern);
    }
    free(run->opinion);
    congru_fold_aligned_clear(&run->aligned);
    free(run->probability);
    return status;
}

static congru_status finish(congru_context *context, const congru_set *set, congru_fold *fold)
{
    congru_fold_answer(fold, set->classes);
    return congru_fold_score(context, fold, set->classes);
}

congru_status congru_fold_run(congru_context *context, const congru_plan *plan, size_t count,
                              const size_t *pipeline, int32_t subject, congru_fold *fold, congru_record *record)
{
    const congru_set *set = plan->set;
    size_t own = 0;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < set->count; i++)
        own += set->subject[i] == subject;
    for (size_t i = 0; i < count; i++) {
        fold[i] = (congru_fold){.subject = subject, .session = -1};
        if (status == CONGRU_OK)
            status = congru_fold_reserve(context, &fold[i], own, set->classes);
    }
    for (size_t part = 0; status == CONGRU_OK && part < congru_split_parts(set, plan->options); part++) {
        congru_split split;
        status = congru_split_make(context, set, plan->options, subject, part, &split);
        split_run run = {.plan = plan,
                         .split = &split,
                         .subject = subject,
                         .part = (int32_t)part,
                         .fold = {.context = context,
                                  .materials = &plan->materials,
                                  .options = plan->options,
                                  .train = {split.train, split.train_trial},
                                  .test = {split.test, split.test_trial},
                                  .record = record}};
        if (status == CONGRU_OK && split.test > 0)
            status = run_split(&run, count, pipeline, fold);
        congru_split_clear(&split);
    }
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = finish(context, set, &fold[i]);
    for (size_t i = 0; status != CONGRU_OK && i < count; i++)
        congru_fold_clear(&fold[i]);
    return status;
}
