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
    free(fold->chosen);
    *fold = (congru_fold){0};
}

/* One of the subjects that are asked about. */
typedef struct target {
    size_t place; /* among the subjects of the run */
    int32_t subject;
    size_t first, count; /* its rows among all that are asked about */
    const size_t *trial; /* (count) */
    size_t calibration;  /* labelled trials of it that were used */
} target;

/* What a branch says of the trials asked about; branches of several pipelines may be the same. */
typedef struct opinion {
    size_t material;
    double c, seconds;
    double *log_probability; /* (rows, classes) */
    congru_record record;    /* of its training */
    congru_pattern
        *pattern; /* (targets) what it looked at; without cells where that is not asked for or not known */
} opinion;

/* Everything a split needs while it is fitted and asked. */
typedef struct split_run {
    const congru_plan *plan;
    congru_fold_case fold; /* its test side is the target that is asked about */
    target *target;        /* (targets) all left out together: what is fitted serves all of them */
    size_t targets, rows;
    size_t calibration; /* trials fitted on that are of the target */
    int32_t part;
    bool views;
    congru_fold_aligned aligned;
    opinion *opinion;
    size_t opinions;
    double *probability; /* (rows, classes) */
    bool *calibrated;    /* (rows): used with its label, and not to be scored */
    double fitting;      /* seconds of the classifiers of the pipeline that is run */
} split_run;

static congru_status fail_memory(const split_run *run)
{
    return congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                       run->fold.train.count + run->rows);
}

/* Adds the predictions about a target to its fold, those about calibration trials left out. */
static void collect(const split_run *run, const target *own, congru_fold *fold)
{
    const congru_set *set = run->plan->set;
    for (size_t i = 0; i < own->count; i++) {
        if (run->calibrated[own->first + i])
            continue;
        size_t place = fold->samples++;
        fold->trial[place] = own->trial[i];
        fold->part[place] = run->part;
        fold->truth[place] = set->label[own->trial[i]];
        memcpy(fold->probability + place * set->classes, run->probability + (own->first + i) * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += run->fold.train.count;
    fold->calibration += own->calibration + run->calibration;
}

/* Patterns are kept beside folds, of subjects that are new to the pipeline. */
static bool keeps_patterns(const congru_plan *plan)
{
    return plan->options->folder != NULL && plan->options->protocol == CONGRU_PROTOCOL_LOSO;
}

/* What a linear branch looked at when it gave a target these probabilities; a pattern without cells for another. */
static congru_status look(split_run *run, const congru_material *m, const congru_method_options *method,
                          const congru_tensors *fitted, const double *probability, congru_pattern *pattern)
{
    const size_t numbers = run->fold.test.count * run->plan->set->classes;
    *pattern = (congru_pattern){0};
    if (!keeps_patterns(run->plan) || !congru_branch_linear(m->branch))
        return CONGRU_OK;
    double *logarithm = malloc((numbers + 1) * sizeof *logarithm);
    if (logarithm == NULL)
        return fail_memory(run);
    memcpy(logarithm, probability, numbers * sizeof *logarithm);
    congru_opinions_log(numbers, logarithm);
    congru_status status = congru_branch_look(&run->fold, m, method, &run->aligned, fitted, logarithm, pattern);
    free(logarithm);
    return status;
}

/* The fitted branch asked about one target, whose trials are aligned anew where another's stand in their place. */
static congru_status ask_target(split_run *run, target *own, const congru_material *m,
                                const congru_method_options *method, const congru_tensors *fitted,
                                double *probability, congru_pattern *pattern)
{
    const congru_fold_target *made = &run->aligned.target[0];
    run->fold.test = (congru_fold_side){own->count, own->trial};
    for (size_t b = 0; run->targets > 1 && b < CONGRU_BLOCKS_MAX; b++)
        congru_fold_target_clear(&run->aligned.target[b]);
    congru_status status = congru_branch_ask(&run->fold, m, method, &run->aligned, fitted, true, probability);
    for (size_t i = 0; status == CONGRU_OK && i < own->count; i++)
        run->calibrated[own->first + i] = made->calibrated != NULL && made->calibrated[i];
    own->calibration = made->target.calibration;
    return status == CONGRU_OK ? look(run, m, method, fitted, probability, pattern) : status;
}

/* The branch fitted, or taken from the plan, and asked: probability (rows, classes), pattern (targets). */
static congru_status ask(split_run *run, size_t material, double c, double *probability,
                         congru_pattern *pattern)
{
    const congru_material *m = &run->plan->materials.material[material];
    const congru_tensors *fitted = congru_plan_model(run->plan, material, run->target[0].subject, c);
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
    for (size_t t = 0; status == CONGRU_OK && t < run->targets; t++)
        status = ask_target(run, &run->target[t], m, &method, fitted,
                            probability + run->target[t].first * run->plan->set->classes, &pattern[t]);
    congru_tensors_clear(&model);
    return status;
}

/* The opinion of a branch, had once. */
static congru_status find_opinion(split_run *run, size_t material, double c, const opinion **found)
{
    const size_t numbers = run->rows * run->plan->set->classes;
    for (size_t i = 0; i < run->opinions; i++)
        if (run->opinion[i].material == material && run->opinion[i].c == c) {
            *found = &run->opinion[i];
            return CONGRU_OK;
        }
    opinion *grown = realloc(run->opinion, (run->opinions + 1) * sizeof *grown);
    double *said = malloc((numbers + 1) * sizeof *said);
    congru_pattern *pattern = calloc(run->targets, sizeof *pattern);
    run->opinion = grown != NULL ? grown : run->opinion;
    if (grown == NULL || said == NULL || pattern == NULL) {
        free(said);
        free(pattern);
        return fail_memory(run);
    }
    double start = congru_seconds();
    congru_record *kept = run->fold.record;
    opinion *own = &run->opinion[run->opinions];
    *own = (opinion){.material = material, .c = c, .log_probability = said, .pattern = pattern};
    run->fold.record = kept != NULL ? &own->record : NULL;
    congru_status status = ask(run, material, c, said, pattern);
    run->fold.record = kept;
    congru_opinions_log(numbers, said);
    own->seconds = congru_seconds() - start;
    run->opinions++;
    *found = own;
    return status;
}

/* Adds a branch's pattern to the text of a fold. */
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

/* The patterns of a pipeline's branches for one target, each with its part in the decisions. */
static congru_status add_patterns(split_run *run, size_t pipeline, size_t t, const congru_opinions *opinions,
                                  const size_t *place, congru_text *text)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    const target *own = &run->target[t];
    const congru_choice *choice = congru_plan_choice(run->plan, pipeline, own->subject);
    const double *said[CONGRU_BRANCHES_MAX];
    double part[CONGRU_BRANCHES_MAX];
    run->fold.test = (congru_fold_side){own->count, own->trial};
    for (size_t b = 0; b < p->branches; b++)
        said[b] = opinions->log_probability[b] + own->first * opinions->classes;
    congru_status status = congru_branches_part(&run->fold, p->branches, said, choice->weight, part);
    for (size_t b = 0; status == CONGRU_OK && b < p->branches; b++)
        add_pattern(run, pipeline, p->branch[b].name, part[b], &run->opinion[place[b]].pattern[t], text);
    return status;
}

/* The branches of a pipeline, asked and added up. Subjects that are left out together have the same choices. */
static congru_status run_branches(split_run *run, size_t pipeline, double *seconds, congru_text *patterns)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    congru_opinions opinions = {
        .branches = p->branches, .count = run->rows, .classes = run->plan->set->classes};
    congru_status status = CONGRU_OK;
    size_t place[CONGRU_BRANCHES_MAX];
    const congru_choice *choice = congru_plan_choice(run->plan, pipeline, run->target[0].subject);
    for (size_t b = 0; status == CONGRU_OK && b < p->branches; b++) {
        const opinion *found = NULL;
        status = find_opinion(run, choice->material[b], choice->c[b], &found);
        if (status != CONGRU_OK)
            return status;
        place[b] = (size_t)(found - run->opinion);
        opinions.log_probability[b] = found->log_probability;
        *seconds += found->seconds;
        if (run->fold.record != NULL && found->record.steps > 0)
            status = congru_record_copy(run->fold.context, &found->record, run->fold.record);
    }
    congru_opinions_combine(&opinions, choice->weight, run->probability);
    for (size_t t = 0; status == CONGRU_OK && keeps_patterns(run->plan) && t < run->targets; t++)
        status = add_patterns(run, pipeline, t, &opinions, place, &patterns[t]);
    return status;
}

/* A pipeline of one branch predicts as its classifier does. */
static congru_status run_pipeline(split_run *run, size_t pipeline, double *seconds, congru_text *patterns)
{
    const congru_pipeline *p = &run->plan->pipeline[pipeline];
    if (congru_pipeline_combines(p))
        return run_branches(run, pipeline, seconds, patterns);
    const double start = congru_seconds(), had = run->aligned.seconds;
    congru_pattern *pattern = calloc(run->targets, sizeof *pattern);
    if (pattern == NULL)
        return fail_memory(run);
    const congru_choice *choice = congru_plan_choice(run->plan, pipeline, run->target[0].subject);
    congru_status status = ask(run, choice->material[0], choice->c[0], run->probability, pattern);
    *seconds += congru_seconds() - start + had;
    for (size_t t = 0; t < run->targets; t++) {
        if (status == CONGRU_OK)
            add_pattern(run, pipeline, run->plan->name[pipeline], 1, &pattern[t], &patterns[t]);
        congru_pattern_clear(&pattern[t]);
    }
    free(pattern);
    return status;
}

/* Whether a trial that is fitted on is of the class. */
static bool is_known(const split_run *run, size_t class)
{
    for (size_t i = 0; i < run->fold.train.count; i++)
        if (run->plan->set->label[run->fold.train.trial[i]] == (int32_t) class)
            return true;
    return false;
}

/* The probabilities of a target with all classes that were fitted equally frequent. */
static congru_status balance(const split_run *run, const target *own)
{
    const size_t classes = run->plan->set->classes, numbers = own->count * classes;
    double *p = run->probability + own->first * classes;
    congru_opinions_log(numbers, p);
    for (size_t k = 0; k < classes; k++) {
        if (is_known(run, k))
            continue;
        for (size_t i = 0; i < own->count; i++)
            p[i * classes + k] = -INFINITY;
    }
    congru_status status = congru_balance_classes(run->fold.context, own->count, classes, p);
    for (size_t i = 0; status == CONGRU_OK && i < numbers; i++)
        p[i] = congru_scalar_exp(p[i]);
    return status;
}

/* One pipeline, all targets: fold (subjects of the run). What targets share counts in the seconds of each. */
static congru_status run_targets(split_run *run, size_t pipeline, congru_fold *fold)
{
    congru_text *patterns = calloc(run->targets, sizeof *patterns);
    double seconds = 0;
    run->fitting = 0;
    congru_status status =
        patterns != NULL ? run_pipeline(run, pipeline, &seconds, patterns) : fail_memory(run);
    for (size_t t = 0; patterns != NULL && t < run->targets; t++) {
        congru_fold *own = &fold[run->target[t].place];
        if (status == CONGRU_OK && patterns[t].failed)
            status = congru_fail(run->fold.context, CONGRU_ERROR_MEMORY, "not enough memory for patterns");
        if (patterns[t].failed)
            congru_text_clear(&patterns[t]);
        own->pattern = patterns[t].data;
        own->seconds += seconds;
        own->aligning += run->aligned.seconds;
        own->fitting += run->fitting;
        if (status == CONGRU_OK && run->plan->options->method.balance)
            status = balance(run, &run->target[t]);
        if (status == CONGRU_OK)
            collect(run, &run->target[t], own);
    }
    free(patterns);
    return status;
}

/* fold (count, subjects), record (count) or NULL: what is common to all of them counts in each. */
static congru_status run_split(split_run *run, size_t count, const size_t *pipeline, size_t subjects,
                               congru_fold *fold, congru_record *record)
{
    congru_status status = CONGRU_OK;
    run->views = true;
    for (size_t i = 0; i < count; i++) {
        const congru_pipeline *own = &run->plan->pipeline[pipeline[i]];
        for (size_t b = 0; b < own->branches; b++)
            run->views = run->views && own->branch[b].classifier->views;
    }
    run->probability = calloc(run->rows * run->plan->set->classes, sizeof(double));
    run->calibrated = calloc(run->rows, sizeof *run->calibrated);
    if (run->probability == NULL || run->calibrated == NULL)
        status = fail_memory(run);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        run->fold.record = record != NULL ? &record[i] : NULL;
        status = run_targets(run, pipeline[i], fold + i * subjects);
    }
    for (size_t i = 0; i < run->opinions; i++) {
        free(run->opinion[i].log_probability);
        for (size_t t = 0; t < run->targets; t++)
            congru_pattern_clear(&run->opinion[i].pattern[t]);
        free(run->opinion[i].pattern);
        congru_record_clear(&run->opinion[i].record);
    }
    free(run->opinion);
    congru_fold_aligned_clear(&run->aligned);
    free(run->probability);
    free(run->calibrated);
    return status;
}

/* Fits once without the subjects, and asks about each. */
static congru_status run_part(congru_context *context, const congru_plan *plan, size_t part, size_t count,
                              const size_t *pipeline, size_t subjects, const int32_t *subject,
                              congru_fold *fold, congru_record *record)
{
    congru_split *split = calloc(subjects, sizeof *split);
    split_run run = {.plan = plan,
                     .part = (int32_t)part,
                     .target = calloc(subjects, sizeof *run.target),
                     .fold = {.context = context, .materials = &plan->materials, .options = plan->options}};
    congru_status status = split != NULL && run.target != NULL ? CONGRU_OK : fail_memory(&run);
    for (size_t s = 0; status == CONGRU_OK && s < subjects; s++) {
        status = congru_split_make(context, plan->set, plan->options, subject[s], part, &split[s]);
        if (status != CONGRU_OK || split[s].test == 0)
            continue;
        run.target[run.targets++] = (target){.place = s,
                                             .subject = subject[s],
                                             .first = run.rows,
                                             .count = split[s].test,
                                             .trial = split[s].test_trial};
        run.rows += split[s].test;
    }
    if (status == CONGRU_OK && run.targets > 0) {
        run.fold.train = (congru_fold_side){split[0].train, split[0].train_trial};
        run.calibration = split[0].calibration;
        status = run_split(&run, count, pipeline, subjects, fold, record);
    }
    for (size_t s = 0; split != NULL && s < subjects; s++)
        congru_split_clear(&split[s]);
    free(split);
    free(run.target);
    return status;
}

static congru_status finish(congru_context *context, const congru_set *set, congru_fold *fold)
{
    congru_fold_answer(fold, set->classes);
    return congru_fold_score(context, fold, set->classes);
}

congru_status congru_fold_run(congru_context *context, const congru_plan *plan, size_t count,
                              const size_t *pipeline, size_t subjects, const int32_t *subject,
                              congru_fold *fold, congru_record *record)
{
    const congru_set *set = plan->set;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < count * subjects; i++) {
        size_t own = 0;
        for (size_t t = 0; t < set->count; t++)
            own += set->subject[t] == subject[i % subjects];
        fold[i] = (congru_fold){.subject = subject[i % subjects], .session = -1};
        if (status == CONGRU_OK)
            status = congru_fold_reserve(context, &fold[i], own, set->classes);
    }
    for (size_t part = 0; status == CONGRU_OK && part < congru_split_parts(set, plan->options); part++)
        status = run_part(context, plan, part, count, pipeline, subjects, subject, fold, record);
    for (size_t i = 0; status == CONGRU_OK && i < count * subjects; i++)
        status = finish(context, set, &fold[i]);
    for (size_t i = 0; status != CONGRU_OK && i < count * subjects; i++)
        congru_fold_clear(&fold[i]);
    return status;
}
