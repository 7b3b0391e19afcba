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

static bool begin_sides(const congru_fold_case *fold, subject_sides *sides)
{
    const congru_set *set = fold->materials->set;
    const size_t count = fold->train.count;
    int32_t *subject = calloc(count + 1, sizeof *subject);
    *sides = (subject_sides){.first = calloc(set->subjects + 1, sizeof *sides->first),
                             .place = malloc((count + 1) * sizeof *sides->place),
                             .trial = malloc((count + 1) * sizeof *sides->trial)};
    const bool room = subject != NULL && sides->first != NULL && sides->place != NULL && sides->trial != NULL;
    for (size_t i = 0; room && i < count; i++)
        subject[i] = set->subject[fold->train.trial[i]];
    if (room)
        congru_list_groups(count, subject, set->subjects, sides->first, sides->place);
    for (size_t i = 0; room && i < count; i++)
        sides->trial[i] = fold->train.trial[sides->place[i]];
    free(subject);
    return room;
}

static congru_fold_side side_of(const subject_sides *sides, size_t subject)
{
    const size_t first = sides->first[subject];
    return (congru_fold_side){sides->first[subject + 1] - first, sides->trial + first};
}

static void end_sides(subject_sides *sides)
{
    free(sides->first);
    free(sides->place);
    free(sides->trial);
}

static congru_status fail_memory(const congru_fold_case *fold)
{
    return congru_fail(fold->context, CONGRU_ERROR_MEMORY, "not enough memory for the patterns of a model");
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
static congru_status look_at_subject(const congru_fold_case *fold, const congru_material *material,
                                     const congru_method_options *method, congru_fold_aligned *aligned,
                                     const congru_tensors *tensors, congru_fold_side side, double *probability,
                                     congru_pattern *pattern)
{
    const size_t classes = fold->materials->set->classes;
    congru_fold_case own = *fold;
    own.test = side;
    for (size_t b = 0; b < material->blocks; b++)
        congru_fold_target_clear(&aligned->target[b]);
    congru_status status = congru_branch_ask(&own, material, method, aligned, tensors, false, probability);
    if (status != CONGRU_OK)
        return status;
    congru_opinions_log(side.count * classes, probability);
    return congru_branch_linear(material->branch)
               ? congru_branch_look(&own, material, method, aligned, tensors, probability, pattern)
               : CONGRU_OK;
}

congru_status congru_model_look(const congru_fold_case *fold, const congru_material *material,
                                const congru_method_options *method, congru_fold_aligned *aligned,
                                const congru_tensors *tensors, size_t branch, congru_model_looks *looks)
{
    const congru_set *set = fold->materials->set;
    const size_t classes = set->classes;
    double *probability = malloc((fold->train.count + 1) * classes * sizeof *probability);
    subject_sides sides;
    bool room = begin_sides(fold, &sides);
    looks->log_probability[branch] = malloc((fold->train.count + 1) * classes * sizeof *probability);
    congru_status status =
        room && probability != NULL && looks->log_probability[branch] != NULL ? CONGRU_OK : fail_memory(fold);
    for (size_t s = 0; status == CONGRU_OK && s < set->subjects; s++) {
        congru_pattern pattern = {0};
        const congru_fold_side side = side_of(&sides, s);
        const size_t *place = sides.place + sides.first[s];
        if (side.count == 0)
            continue;
        status = look_at_subject(fold, material, method, aligned, tensors, side, probability, &pattern);
        for (size_t i = 0; status == CONGRU_OK && i < side.count; i++)
            memcpy(looks->log_probability[branch] + place[i] * classes, probability + i * classes,
                   classes * sizeof *probability);
        if (status == CONGRU_OK && pattern.cells > 0)
            add_pattern(&looks->pattern[branch], &pattern, pattern.cells * classes * (1 + set->dimension));
        congru_pattern_clear(&pattern);
    }
    free(probability);
    end_sides(&sides);
    return status;
}

/* part (branches): the mean over subjects. */
static congru_status find_parts(const congru_fold_case *fold, size_t branches, const double *weight,
                                const congru_model_looks *looks, double *part)
{
    const congru_set *set = fold->materials->set;
    const size_t classes = set->classes;
    double *own[CONGRU_BRANCHES_MAX] = {0}, of_subject[CONGRU_BRANCHES_MAX];
    subject_sides sides;
    size_t subjects = 0;
    congru_status status = begin_sides(fold, &sides) ? CONGRU_OK : fail_memory(fold);
    for (size_t b = 0; b < branches; b++) {
        part[b] = 0;
        own[b] = malloc((fold->train.count + 1) * classes * sizeof **own);
        if (own[b] == NULL)
            status = fail_memory(fold);
    }
    for (size_t s = 0; status == CONGRU_OK && s < set->subjects; s++) {
        congru_fold_case one = *fold;
        const size_t *place = sides.place + sides.first[s];
        one.test = side_of(&sides, s);
        if (one.test.count == 0)
            continue;
        for (size_t b = 0; b < branches; b++)
            for (size_t i = 0; i < one.test.count; i++)
                memcpy(own[b] + i * classes, looks->log_probability[b] + place[i] * classes,
                       classes * sizeof **own);
        status = congru_branches_part(&one, branches, (const double *const *)own, weight, of_subject);
        subjects++;
        for (size_t b = 0; b < branches; b++)
            part[b] += of_subject[b];
    }
    for (size_t b = 0; b < branches; b++) {
        part[b] /= subjects > 0 ? (double)subjects : 1;
        free(own[b]);
    }
    end_sides(&sides);
    return status;
}

congru_status congru_model_keep_patterns(const congru_fold_case *fold, const double *weight,
                                         congru_model_looks *looks, congru_model *model)
{
    const congru_set *set = fold->materials->set;
    const size_t branches = model->pipeline.branches;
    double part[CONGRU_BRANCHES_MAX];
    congru_text text = {0};
    congru_status status = find_parts(fold, branches, weight, looks, part);
    for (size_t b = 0; status == CONGRU_OK && b < branches; b++) {
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
    if (status == CONGRU_OK && text.failed)
        status = fail_memory(fold);
    if (status == CONGRU_OK && text.size > 0)
        status = congru_texts_add(fold->context, &model->texts, text_name, text.data);
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
    bool linear = false;
    for (size_t b = 0; b < model->pipeline.branches; b++)
        linear = linear || congru_branch_linear(&model->pipeline.branch[b]);
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       linear ? "the model holds no patterns, as models of older versions (train it again)"
                              : "pipeline '%s' is not linear, and has no forward pattern",
                       model->name);
}
