/* Computes what folds share before the first of them begins. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/choice_file.h"
#include "evaluation/split.h"

static const char memory[] = "the plan of the folds";

/* What a pipeline may choose from, and what it reads: what the set cannot give is told with its name. */
static congru_status list_pipeline(congru_context *context, congru_plan *plan, size_t pipeline)
{
    const congru_status status = congru_grid_make(context, plan->options, &plan->pipeline[pipeline],
                                                  &plan->materials, &plan->grid[pipeline]);
    char text[CONGRU_ERROR_TEXT_SIZE];
    if (status == CONGRU_OK)
        return CONGRU_OK;
    strcpy(text, congru_context_error(context));
    return congru_fail(context, status, "pipeline '%s': %.900s", plan->name[pipeline], text);
}

congru_status congru_plan_begin(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, size_t pipelines,
                                congru_pipeline *pipeline, const char (*name)[CONGRU_PIPELINE_SIZE],
                                congru_plan *plan)
{
    const bool by_session = options->align_by_session || options->protocol == CONGRU_PROTOCOL_SESSIONS ||
                            options->protocol == CONGRU_PROTOCOL_SESSION_OUT;
    const size_t groups = congru_groups(set, options, NULL);
    *plan = (congru_plan){
        .set = set, .options = options, .pipelines = pipelines, .pipeline = pipeline, .name = name};
    CONGRU_TRY(congru_materials_begin(context, set, by_session, options->protocol != CONGRU_PROTOCOL_FOLDS,
                                      &plan->materials));
    CONGRU_TRY(congru_allocate(context, &plan->grid, pipelines, sizeof *plan->grid, memory));
    CONGRU_TRY(congru_allocate(context, &plan->choice, pipelines * groups, sizeof *plan->choice, memory));
    CONGRU_TRY(congru_allocate(context, &plan->seconds, pipelines, sizeof *plan->seconds, memory));
    for (size_t p = 0; p < pipelines; p++) {
        CONGRU_TRY(list_pipeline(context, plan, p));
        for (size_t g = 0; g < groups; g++)
            plan->choice[p * groups + g] = congru_choice_constant(&pipeline[p], &plan->grid[p]);
    }
    return CONGRU_OK;
}

void congru_plan_clear(congru_plan *plan)
{
    for (size_t i = 0; i < plan->fits; i++)
        congru_tensors_clear(&plan->fit[i].fitted);
    for (size_t p = 0; plan->grid != NULL && p < plan->pipelines; p++)
        congru_grid_clear(&plan->grid[p]);
    free(plan->fit);
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
    for (size_t i = 0; i < plan->fits; i++)
        if (plan->fit[i].material == material && plan->fit[i].leader == leader && plan->fit[i].c == c)
            return &plan->fit[i].fitted;
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
        learned &= choice[g].learned;
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
    *chooses = waits(plan, waiting, pipeline) && congru_grid_chooses(&plan->grid[pipeline]);
    if (*chooses && plan->folder != NULL)
        CONGRU_TRY(congru_choice_read(context, plan->folder, plan->name[pipeline], plan->fingerprint,
                                      &plan->pipeline[pipeline], &plan->grid[pipeline],
                                      groups_of(plan, pipeline), choices_of(plan, pipeline), &found));
    *chooses = *chooses && !found;
    return CONGRU_OK;
}

/* Of the pipelines that choose with so many groups. Every group is shut out once, whatever waits, so that a run that goes on
 * takes the same fits. */
static congru_status choose_with(const congru_workers *workers, size_t groups, const bool *chooses,
                                 congru_plan *plan)
{
    congru_context *context = workers->caller;
    const size_t pipelines = plan->pipelines;
    congru_chosen_for *list = NULL;
    congru_choice *choice = NULL;
    size_t *place = NULL, count = 0;
    uint64_t shut[CONGRU_SUBJECT_GROUPS_MAX];
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &list, pipelines, sizeof *list, memory));
    CONGRU_TRY_TO(done, congru_allocate(context, &choice, pipelines * groups, sizeof *choice, memory));
    CONGRU_TRY_TO(done, congru_allocate(context, &place, pipelines, sizeof *place, memory));
    for (size_t g = 0; g < groups; g++)
        shut[g] = UINT64_C(1) << g;
    for (size_t p = 0; p < pipelines; p++)
        if (chooses[p] && groups_of(plan, p) == groups) {
            place[count] = p;
            list[count++] = (congru_chosen_for){&plan->pipeline[p], &plan->grid[p]};
        }
    const double start = congru_seconds();
    if (count > 0)
        CONGRU_TRY_TO(done, congru_choices_make(workers, &plan->materials, plan->options, groups, count, list,
                                                groups, shut, choice));
    const double seconds = congru_seconds() - start;
    for (size_t i = 0; i < count; i++) {
        plan->seconds[place[i]] += seconds;
        CONGRU_TRY_TO(done, keep_choice(context, plan, place[i], &choice[i * groups]));
    }
done:
    free(list);
    free(choice);
    free(place);
    return status;
}

static congru_status make_choices(const congru_workers *workers, const bool *waiting, congru_plan *plan)
{
    bool *chooses;
    congru_status status = CONGRU_OK;
    CONGRU_TRY(congru_allocate(workers->caller, &chooses, plan->pipelines, sizeof *chooses, memory));
    for (size_t p = 0; p < plan->pipelines; p++)
        CONGRU_TRY_TO(done, still_to_choose(workers->caller, waiting, plan, p, &chooses[p]));
    for (size_t groups = 1; groups <= CONGRU_SUBJECT_GROUPS_MAX; groups++)
        CONGRU_TRY_TO(done, choose_with(workers, groups, chooses, plan));
done:
    free(chooses);
    return status;
}

/* ---- Fits that folds share ------------------------------------------------------------------------------- */

/* One of them is listed, unless it is there. */
static congru_status want_fit(congru_context *context, congru_plan *plan, size_t material, int32_t subject,
                              double c)
{
    if (!congru_fits_together(&plan->materials.material[material]) ||
        congru_plan_model(plan, material, subject, c) != NULL)
        return CONGRU_OK;
    CONGRU_TRY(congru_grow(context, &plan->fit, &plan->fit_room, plan->fits + 1, sizeof *plan->fit, memory));
    plan->fit[plan->fits++] = (congru_shared_fit){
        .material = material, .leader = congru_split_leader(plan->options, subject), .c = c};
    return CONGRU_OK;
}

/* Those of one material and C, from `first` on in the list, are made at once. */
static congru_status make_alike(congru_context *context, congru_plan *plan, size_t first)
{
    const congru_set *set = plan->set;
    const congru_shared_fit *like = &plan->fit[first];
    congru_tensors *fitted = NULL;
    const int8_t **list = NULL;
    size_t count = 0;
    int8_t *side = NULL;
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &fitted, plan->fits, sizeof *fitted, memory));
    CONGRU_TRY_TO(done, congru_allocate(context, &list, plan->fits, sizeof *list, memory));
    CONGRU_TRY_TO(done, congru_allocate(context, &side, plan->fits * set->count, sizeof *side, memory));
    for (size_t i = first; i < plan->fits; i++) {
        int8_t *own = side + count * set->count;
        if (plan->fit[i].material != like->material || plan->fit[i].c != like->c)
            continue;
        for (size_t t = 0; t < set->count; t++)
            own[t] = congru_split_leader(plan->options, set->subject[t]) == plan->fit[i].leader
                         ? CONGRU_SIDE_ASKED
                         : CONGRU_SIDE_FITTED;
        list[count++] = own;
    }
    status = congru_fit_together(context, &plan->materials, &plan->materials.material[like->material], 1,
                                 &like->c, count, list, NULL, fitted);
    for (size_t i = first, k = 0; i < plan->fits; i++)
        if (plan->fit[i].material == like->material && plan->fit[i].c == like->c) {
            plan->fit[i].fitted = fitted[k++];
            plan->fit[i].made = true;
        }
done:
    free(fitted);
    free(list);
    free(side);
    return status;
}

/* The fits of waiting folds that are those of other folds too; not where fits without the subject are not what its fold
 * needs. */
static congru_status make_fits(const congru_workers *workers, const bool *waiting, congru_plan *plan)
{
    const congru_evaluation_options *options = plan->options;
    const size_t subjects = plan->set->subjects;
    if (options->protocol != CONGRU_PROTOCOL_LOSO || options->target != CONGRU_TARGET_FULL ||
        options->calibration > 0)
        return CONGRU_OK;
    for (size_t p = 0; p < plan->pipelines; p++)
        for (size_t s = 0; s < subjects; s++)
            for (size_t b = 0; waiting[p * subjects + s] && b < plan->pipeline[p].branches; b++) {
                const congru_choice *choice = congru_plan_choice(plan, p, (int32_t)s);
                CONGRU_TRY(want_fit(workers->caller, plan, choice->material[b], (int32_t)s, choice->c[b]));
            }
    for (size_t i = 0; i < plan->fits; i++) {
        if (plan->fit[i].made)
            continue;
        const double start = congru_seconds();
        CONGRU_TRY(make_alike(workers->caller, plan, i));
        const double seconds = congru_seconds() - start;
        for (size_t p = 0; p < plan->pipelines; p++)
            for (size_t b = 0; b < plan->pipeline[p].branches; b++)
                plan->seconds[p] += choices_of(plan, p)->material[b] == plan->fit[i].material ? seconds : 0;
    }
    return CONGRU_OK;
}

congru_status congru_plan_make(const congru_workers *workers, const bool *waiting, congru_plan *plan)
{
    CONGRU_TRY(congru_materials_make(workers, &plan->materials));
    CONGRU_TRY(make_choices(workers, waiting, plan));
    return make_fits(workers, waiting, plan);
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
    CONGRU_TRY(congru_pipeline_parse(context, name, &pipeline));
    const congru_status status = congru_plan_begin(context, set, &options, 1, &pipeline,
                                                   (const char(*)[CONGRU_PIPELINE_SIZE])names, &plan);
    congru_plan_clear(&plan);
    congru_pipeline_clear(&pipeline);
    return status;
}
