/* Finds the patterns of a model on the subjects it is fitted on. SPDX-License-Identifier: Apache-2.0 */
#include "decoder/model_patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluation/combine.h"

static const char text_name[] = "patterns";

void congru_model_looks_clear(congru_model_looks *looks)
{
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++) {
        free(looks->log_probability[b]);
        congru_pattern_clear(&looks->pattern[b]);
    }
    *looks = (congru_model_looks){0};
}

/* The trials fitted on, those of one subject after those of another. */
typedef struct subject_sides {
    size_t *first; /* (subjects + 1): where those of each begin */
    size_t *place; /* (trials) in the list of those fitted on */
    size_t *trial; /* (trials) */
} subject_sides;

static const char memory[] = "the patterns of a model";

/* {0} to begin with; the caller ends them, after a failure too. */
static congru_status begin_sides(congru_context *context, const congru_set *set, congru_trial_list train,
                                 subject_sides *sides)
{
    int32_t *subject;
    CONGRU_TRY(congru_allocate(context, &sides->first, set->subjects + 1, sizeof *sides->first, memory));
    CONGRU_TRY(congru_allocate(context, &sides->place, train.count, sizeof *sides->place, memory));
    CONGRU_TRY(congru_allocate(context, &sides->trial, train.count, sizeof *sides->trial, memory));
    CONGRU_TRY(congru_allocate(context, &subject, train.count, sizeof *subject, memory));
    for (size_t i = 0; i < train.count; i++)
        subject[i] = set->subject[train.trial[i]];
    congru_list_groups(train.count, subject, set->subjects, sides->first, sides->place);
    for (size_t i = 0; i < train.count; i++)
        sides->trial[i] = train.trial[sides->place[i]];
    free(subject);
    return CONGRU_OK;
}

static congru_trial_list side_of(const subject_sides *sides, size_t subject)
{
    const size_t first = sides->first[subject];
    return (congru_trial_list){sides->first[subject + 1] - first, sides->trial + first};
}

static void end_sides(subject_sides *sides)
{
    free(sides->first);
    free(sides->place);
    free(sides->trial);
}

/* sum += more; the first makes it what it is. */
static void add_pattern(congru_pattern *sum, congru_pattern *more, size_t numbers)
{
    if (sum->cells == 0) {
        *sum = *more;
        *more = (congru_pattern){0};
        return;
    }
    for (size_t i = 0; i < numbers; i++)
        sum->cell[0].share[i] += more->cell[0].share[i]; /* the numbers of all cells, one after another */
    sum->subjects += more->subjects;
}

/* One subject asked, and what the branch looked at then. */
static congru_status look_at_subject(const congru_executor *e, const congru_material *m,
                                     const congru_tensors *fitted, congru_trial_list test,
                                     congru_aligned *aligned, double *probability, congru_pattern *sum)
{
    const congru_set *set = e->materials->set;
    congru_pattern pattern = {0};
    CONGRU_TRY(congru_ask(e, m, fitted, test, aligned, probability));
    congru_opinions_log(test.count * set->classes, probability);
    if (!congru_branch_linear(m->branch))
        return CONGRU_OK;
    const congru_status status = congru_branch_look(e, m, fitted, test, aligned, probability, &pattern);
    if (status == CONGRU_OK)
        add_pattern(sum, &pattern, pattern.cells * set->classes * (1 + set->dimension));
    congru_pattern_clear(&pattern);
    return status;
}

congru_status congru_model_look(const congru_executor *e, const congru_material *m,
                                const congru_tensors *fitted, congru_trial_list train, congru_aligned *aligned,
                                size_t branch, congru_model_looks *looks)
{
    const congru_set *set = e->materials->set;
    const size_t classes = set->classes, numbers = train.count * classes;
    double *said, *own = NULL;
    subject_sides sides = {0};
    congru_status status;
    CONGRU_TRY(congru_allocate(e->context, &said, numbers, sizeof *said, memory));
    looks->log_probability[branch] = said;
    CONGRU_TRY_TO(done, congru_allocate(e->context, &own, numbers, sizeof *own, memory));
    CONGRU_TRY_TO(done, begin_sides(e->context, set, train, &sides));
    for (size_t s = 0; s < set->subjects; s++) {
        const congru_trial_list test = side_of(&sides, s);
        const size_t *place = sides.place + sides.first[s];
        if (test.count == 0)
            continue;
        CONGRU_TRY_TO(done, look_at_subject(e, m, fitted, test, aligned, own, &looks->pattern[branch]));
        for (size_t i = 0; i < test.count; i++)
            memcpy(said + place[i] * classes, own + i * classes, classes * sizeof *own);
    }
done:
    free(own);
    end_sides(&sides);
    return status;
}

/* part (branches): the mean over subjects. */
static congru_status find_parts(const congru_executor *e, congru_trial_list train, size_t branches,
                                const double *weight, const congru_model_looks *looks, double *part)
{
    const congru_set *set = e->materials->set;
    const size_t classes = set->classes, numbers = train.count * classes;
    const double *said[CONGRU_BRANCHES_MAX];
    double of_subject[CONGRU_BRANCHES_MAX], *own = NULL;
    subject_sides sides = {0};
    size_t subjects = 0;
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(e->context, &own, branches * numbers, sizeof *own, memory));
    CONGRU_TRY_TO(done, begin_sides(e->context, set, train, &sides));
    for (size_t b = 0; b < branches; b++) {
        part[b] = 0;
        said[b] = own + b * numbers;
    }
    for (size_t s = 0; s < set->subjects; s++) {
        const congru_trial_list test = side_of(&sides, s);
        const size_t *place = sides.place + sides.first[s];
        if (test.count == 0)
            continue;
        for (size_t b = 0; b < branches; b++)
            for (size_t i = 0; i < test.count; i++)
                memcpy(own + b * numbers + i * classes, looks->log_probability[b] + place[i] * classes,
                       classes * sizeof *own);
        CONGRU_TRY_TO(done, congru_branches_part(e, test, branches, said, weight, of_subject));
        subjects++;
        for (size_t b = 0; b < branches; b++)
            part[b] += of_subject[b];
    }
    for (size_t b = 0; b < branches; b++)
        part[b] /= subjects > 0 ? (double)subjects : 1;
done:
    free(own);
    end_sides(&sides);
    return status;
}

congru_status congru_model_keep_patterns(const congru_executor *e, congru_trial_list train,
                                         const double *weight, congru_model_looks *looks, congru_model *model)
{
    const congru_set *set = e->materials->set;
    const size_t branches = model->pipeline.branches;
    double part[CONGRU_BRANCHES_MAX];
    congru_text text = {0};
    CONGRU_TRY(find_parts(e, train, branches, weight, looks, part));
    for (size_t b = 0; b < branches; b++) {
        congru_pattern *pattern = &looks->pattern[b];
        const char *name = model->pipeline.branch[b].name;
        const size_t numbers = pattern->cells * set->classes * (1 + set->dimension);
        for (size_t i = 0; i < numbers; i++)
            pattern->cell[0].share[i] /= (double)pattern->subjects;
        snprintf(pattern->branch, sizeof pattern->branch, "%s", name[0] != '\0' ? name : model->name);
        if (pattern->cells > 0 && text.size == 0)
            congru_patterns_add_heading(&text, set->dimension,
                                        (const char(*)[CONGRU_LABEL_SIZE])set->channel_name);
        congru_patterns_add_rows(&text, model->name, part[b], pattern, set->classes,
                                 (const char(*)[CONGRU_LABEL_SIZE])set->class_name, set->dimension);
    }
    congru_status status = CONGRU_OK;
    if (text.failed)
        status = congru_fail_memory(e->context, memory);
    else if (text.size > 0)
        status = congru_texts_add(e->context, &model->texts, text_name, text.data);
    congru_text_clear(&text);
    return status;
}

congru_status congru_model_patterns(congru_context *context, const congru_model *model,
                                    congru_patterns **patterns)
{
    if (context == NULL || model == NULL || patterns == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model or patterns given");
    *patterns = NULL;
    const char *text = congru_texts_find(&model->texts, text_name);
    if (text != NULL)
        return congru_patterns_parse(context, "the model's patterns", text, patterns);
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       congru_pipeline_linear(&model->pipeline)
                           ? "the model holds no patterns, as models of older versions (train it again)"
                           : "pipeline '%s' is not linear, and has no forward pattern",
                       model->name);
}
