/* Computes what folds share before the first of them begins. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/choice_file.h"
#include "evaluation/split.h"

static congru_status fail_memory(congru_context *context)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to plan the folds");
}

congru_status congru_plan_begin(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, size_t pipelines,
                                congru_pipeline *pipeline, const char (*name)[CONGRU_PIPELINE_SIZE],
                                congru_plan *plan)
{
    bool by_session = options->align_by_session || options->protocol == CONGRU_PROTOCOL_SESSIONS ||
                      options->protocol == CONGRU_PROTOCOL_SESSION_OUT;
    *plan = (congru_plan){
        .set = set, .options = options, .pipelines = pipelines, .pipeline = pipeline, .name = name};
    congru_status status = congru_materials_begin(context, set, by_session,
                                                  options->protocol != CONGRU_PROTOCOL_FOLDS, &plan->materials);
    const size_t groups = congru_groups(set, options, NULL);
    plan->grid = calloc(pipelines + 1, sizeof *plan->grid);
    plan->choice = calloc(pipelines * groups + 1, sizeof *plan->choice);
    plan->seconds = calloc(pipelines + 1, sizeof *plan->seconds);
    if (status == CONGRU_OK && (plan->grid == NULL || plan->choice == NULL || plan->seconds == NULL))
        status = fail_memory(context);
    for (size_t p = 0; status == CONGRU_OK && p < pipelines; p++) {
        status = congru_grid_make(context, options, &pipeline[p], &plan->materials, &plan->grid[p]);
        if (status != CONGRU_OK) {
            char text[CONGRU_ERROR_TEXT_SIZE];
            strcpy(text, congru_context_error(context));
            congru_fail(context, status, "pipeline '%s': %.900s", name[p], text);
        }
        for (size_t g = 0; status == CONGRU_OK && g < groups; g++)
            plan->choice[p * groups + g] = congru_choice_constant(&pipeline[p], &plan->grid[p]);
    }
    return status;
}

void congru_plan_clear(congru_plan *plan)
{
    for (size_t i = 0; i < plan->prefits; i++)
        congru_tensors_clear(&plan->prefit[i].model);
    for (size_t p = 0; plan->grid != NULL && p < plan->pipelines; p++)
        congru_grid_clear(&plan->grid[p]);
    free(plan->prefit);
    free(plan->grid);
    free(plan->choice);
    free(plan->seconds);
    congru_materials_clear(&plan->materials);
    *plan = (congru_plan){0};
}

static size_t groups_of(const congru_plan *plan, size_t pipeline)
{
    return congru_groups(plan->set, plan->options, &plan->grid[pipeline]);
}

/* Those of all groups of a pipeline. */
static congru_choice *choices_of(const congru_plan *plan, size_t pipeline)
{
    return &plan->choice[pipeline * congru_groups(plan->set, plan->options, NULL)];
}

const congru_choice *congru_plan_choice(const congru_plan *plan, size_t pipeline, int32_t subject)
{
    return choices_of(plan, pipeline) + (size_t)subject % groups_of(plan, pipeline);
}

const congru_tensors *congru_plan_model(const congru_plan *plan, size_t material, int32_t subject, double c)
{
    const int32_t leader = congru_split_leader(plan->options, subject);
    for (size_t i = 0; i < plan->prefits; i++)
        if (plan->prefit[i].material == material && plan->prefit[i].leader == leader && plan->prefit[i].c == c)
            return &plan->prefit[i].model;
    return NULL;
}

/* ---- Choosing ------------------------------------------------------------------------------------------ */

static bool waits(const congru_plan *plan, const bool *waiting, size_t pipeline)
{
    for (size_t s = 0; s < plan->set->subjects; s++)
        if (waiting[pipeline * plan->set->subjects + s])
            return true;
    return false;
}

static bool all_learned(size_t groups, const congru_choice *choice)
{
    bool learned = true;
    for (size_t g = 0; g < groups; g++)
        learned = learned && choice[g].learned;
    return learned;
}

bool congru_plan_learned(const congru_plan *plan, size_t pipeline)
{
    return all_learned(groups_of(plan, pipeline), choices_of(plan, pipeline));
}

/* Of a pipeline that has just been chosen for. */
static congru_status keep_choice(congru_context *context, congru_plan *plan, size_t pipeline,
                                 const congru_choice *choice)
{
    const size_t groups = groups_of(plan, pipeline);
    memcpy(choices_of(plan, pipeline), choice, groups * sizeof *choice);
    if (plan->folder == NULL || !all_learned(groups, choice))
        return CONGRU_OK;
    return congru_choice_write(context, plan->folder, plan->name[pipeline], plan->fingerprint,
                               &plan->pipeline[pipeline], &plan->grid[pipeline], groups, choice);
}

/* Whether a pipeline whose folds wait is still to be chosen for: not where the folder has it. */
static congru_status still_to_choose(congru_context *context, const bool *waiting, congru_plan *plan,
                                     size_t pipeline, bool *chooses)
{
    bool found = false;
    congru_status status = CONGRU_OK;
    *chooses = waits(plan, waiting, pipeline) && congru_grid_chooses(&plan->grid[pipeline]);
    if (*chooses && plan->folder != NULL)
        status = congru_choice_read(context, plan->folder, plan->name[pipeline], plan->fingerprint,
                                    &plan->pipeline[pipeline], &plan->grid[pipeline], groups_of(plan, pipeline),
                                    choices_of(plan, pipeline), &found);
    *chooses = *chooses && !found;
    return status;
}

/* Of the pipelines that choose with so many groups. Every group is shut out once, whatever waits, so that a run that goes on
 * takes the same fits. */
static congru_status choose_with(const congru_workers *workers, size_t groups, const bool *chooses,
                                 congru_plan *plan)
{
    congru_chosen_for *list = calloc(plan->pipelines + 1, sizeof *list);
    congru_choice *choice = calloc(plan->pipelines * groups + 1, sizeof *choice);
    size_t *place = calloc(plan->pipelines + 1, sizeof *place), count = 0;
    uint64_t shut[CONGRU_SUBJECT_GROUPS_MAX];
    congru_status status =
        list != NULL && choice != NULL && place != NULL ? CONGRU_OK : fail_memory(workers->caller);
    for (size_t g = 0; g < groups; g++)
        shut[g] = UINT64_C(1) << g;
    for (size_t p = 0; status == CONGRU_OK && p < plan->pipelines; p++) {
        if (!chooses[p] || groups_of(plan, p) != groups)
            continue;
        place[count] = p;
        list[count++] = (congru_chosen_for){&plan->pipeline[p], &plan->grid[p]};
    }
    double start = congru_seconds();
    if (status == CONGRU_OK && count > 0)
        status = congru_choices_make(workers, &plan->materials, plan->options, groups, count, list, groups,
                                     shut, choice);
    const double seconds = congru_seconds() - start;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        plan->seconds[place[i]] += seconds;
        status = keep_choice(workers->caller, plan, place[i], &choice[i * groups]);
    }
    free(list);
    free(choice);
    free(place);
    return status;
}

static congru_status make_choices(const congru_workers *workers, const bool *waiting, congru_plan *plan)
{
    bool *chooses = calloc(plan->pipelines + 1, sizeof *chooses);
    congru_status status = chooses != NULL ? CONGRU_OK : fail_memory(workers->caller);
    for (size_t p = 0; status == CONGRU_OK && p < plan->pipelines; p++)
        status = still_to_choose(workers->caller, waiting, plan, p, &chooses[p]);
    for (size_t groups = 1; status == CONGRU_OK && groups <= CONGRU_SUBJECT_GROUPS_MAX; groups++)
        for (size_t p = 0; status == CONGRU_OK && p < plan->pipelines; p++)
            if (chooses[p] && groups_of(plan, p) == groups) {
                status = choose_with(workers, groups, chooses, plan);
                break;
            }
    free(chooses);
    return status;
}

/* ---- Fits made together --------------------------------------------------------------------------------- */

congru_status congru_plan_fit(congru_context *context, const congru_materials *materials, size_t material,
                              double c, size_t count, const bool *used, congru_tensors *model)
{
    const congru_material *m = &materials->material[material];
    const congru_set *set = materials->set;
    const congru_features rows = {.plain = m->feature, .size = m->features};
    const congru_trials trials = {.count = set->count,
                                  .d = set->dimension,
                                  .label = set->label,
                                  .subject = set->subject,
                                  .classes = set->classes,
                                  .subjects = set->subjects,
                                  .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name,
                                  .features = &rows};
    return m->branch->classifier->fit_folds(m->branch->classifier, context, &trials, 1, &c, count, used, NULL,
                                            model);
}

bool congru_plan_fits_together(const congru_material *material)
{
    return material->branch->blocks > 0 && material->feature != NULL &&
           material->branch->classifier->fit_folds != NULL;
}

/* Lists the fits that waiting folds need and can share. */
static congru_status list_prefits(congru_context *context, const bool *waiting, congru_plan *plan)
{
    const size_t subjects = plan->set->subjects;
    for (size_t p = 0; p < plan->pipelines; p++)
        for (size_t s = 0; s < subjects; s++)
            for (size_t b = 0; waiting[p * subjects + s] && b < plan->pipeline[p].branches; b++) {
                const congru_choice *choice = congru_plan_choice(plan, p, (int32_t)s);
                const size_t material = choice->material[b];
                const double c = choice->c[b];
                if (!congru_plan_fits_together(&plan->materials.material[material]) ||
                    congru_plan_model(plan, material, (int32_t)s, c) != NULL)
                    continue;
                congru_prefit *grown = realloc(plan->prefit, (plan->prefits + 1) * sizeof *grown);
                if (grown == NULL)
                    return fail_memory(context);
                plan->prefit = grown;
                plan->prefit[plan->prefits++] = (congru_prefit){
                    .material = material, .leader = congru_split_leader(plan->options, (int32_t)s), .c = c};
            }
    return CONGRU_OK;
}

/* All fits of one material and C, from `first` on in the list. */
static congru_status make_prefits(congru_context *context, congru_plan *plan, size_t first, bool *made)
{
    const congru_set *set = plan->set;
    size_t *place = calloc(plan->prefits, sizeof *place), count = 0;
    bool *used = NULL;
    congru_tensors *model = calloc(plan->prefits, sizeof *model);
    for (size_t i = first; place != NULL && i < plan->prefits; i++)
        if (plan->prefit[i].material == plan->prefit[first].material &&
            plan->prefit[i].c == plan->prefit[first].c)
            place[count++] = i;
    used = malloc((count * set->count + 1) * sizeof *used);
    congru_status status = place != NULL && used != NULL && model != NULL ? CONGRU_OK : fail_memory(context);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        for (size_t t = 0; t < set->count; t++)
            used[i * set->count + t] =
                congru_split_leader(plan->options, set->subject[t]) != plan->prefit[place[i]].leader;
    if (status == CONGRU_OK)
        status = congru_plan_fit(context, &plan->materials, plan->prefit[first].material, plan->prefit[first].c,
                                 count, used, model);
    for (size_t i = 0; model != NULL && i < count; i++) {
        plan->prefit[place[i]].model = model[i];
        made[place[i]] = true;
    }
    free(place);
    free(used);
    free(model);
    return status;
}

static congru_status run_prefits(const congru_workers *workers, const bool *waiting, congru_plan *plan)
{
    const congru_evaluation_options *options = plan->options;
    if (options->protocol != CONGRU_PROTOCOL_LOSO || options->target != CONGRU_TARGET_FULL ||
        options->calibration > 0) /* fits without the subject are not what its fold needs */
        return CONGRU_OK;
    congru_status status = list_prefits(workers->caller, waiting, plan);
    bool *made = calloc(plan->prefits + 1, sizeof *made);
    if (status == CONGRU_OK && made == NULL)
        status = fail_memory(workers->caller);
    for (size_t i = 0; status == CONGRU_OK && i < plan->prefits; i++) {
        if (made[i])
            continue;
        double start = congru_seconds();
        status = make_prefits(workers->caller, plan, i, made);
        const double seconds = congru_seconds() - start;
        for (size_t p = 0; p < plan->pipelines; p++)
            for (size_t b = 0; b < plan->pipeline[p].branches; b++)
                if (choices_of(plan, p)->material[b] == plan->prefit[i].material)
                    plan->seconds[p] += seconds;
    }
    free(made);
    return status;
}

congru_status congru_plan_make(const congru_workers *workers, const bool *waiting, congru_plan *plan)
{
    congru_status status = congru_materials_make(workers, &plan->materials);
    if (status == CONGRU_OK)
        status = make_choices(workers, waiting, plan);
    return status == CONGRU_OK ? run_prefits(workers, waiting, plan) : status;
}

congru_status congru_pipeline_suits(congru_context *context, const congru_set *set, const char *name)
{
    congru_pipeline pipeline;
    congru_plan plan = {0};
    congru_evaluation_options options;
    char names[1][CONGRU_PIPELINE_SIZE];
    if (set == NULL || name == NULL || strlen(name) >= CONGRU_PIPELINE_SIZE)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set or pipeline given");
    strcpy(names[0], name);
    congru_evaluation_options_init(&options);
    congru_status status = congru_pipeline_parse(context, name, &pipeline);
    if (status == CONGRU_OK)
        status = congru_plan_begin(context, set, &options, 1, &pipeline,
                                   (const char(*)[CONGRU_PIPELINE_SIZE])names, &plan);
    congru_plan_clear(&plan);
    congru_pipeline_clear(&pipeline);
    return status;
}
