/* Lists and runs the folds of a run. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluation/fold_file.h"
#include "evaluation/fold_run.h"
#include "evaluation/job_queue.h"
#include "evaluation/split.h"
#include "evaluation/workers.h"

bool congru_jobs_lead(const congru_evaluation *e)
{
    return congru_process_group_rank(e->options->processes) == 0;
}

bool congru_jobs_asked(const congru_evaluation *e, size_t pipeline)
{
    for (size_t i = 0; i < e->options->pipeline_count; i++)
        if (strcmp(e->options->pipelines[i], e->name[pipeline]) == 0)
            return true;
    return false;
}

static bool is_wanted(const congru_evaluation *e, size_t pipeline, int32_t subject)
{
    return congru_jobs_asked(e, pipeline) && e->member[subject].scored;
}

static bool has_branch(const congru_pipeline *pipeline, size_t material)
{
    for (size_t b = 0; b < pipeline->branches; b++)
        if (pipeline->branch[b].material == material)
            return true;
    return false;
}

/* What folds that are fitted without the same subjects share: a trained aligner, for all classifiers behind it, or a branch. */
static bool share_work(const congru_pipeline *a, const congru_pipeline *b)
{
    const congru_aligner *aligner = a->branch[0].aligner;
    bool shared = aligner == b->branch[0].aligner && aligner->network != NULL;
    for (size_t k = 0; !shared && k < a->branches; k++)
        shared = has_branch(b, a->branch[k].material);
    return shared;
}

/* Pipelines of this run that share work are one unit, and so are those that share work with one of it. */
static void join_units(congru_evaluation *e)
{
    for (size_t p = 0; p < e->pipelines; p++)
        e->unit[p] = p;
    for (size_t p = 0; p < e->pipelines; p++)
        for (size_t q = 0; congru_jobs_asked(e, p) && q < p; q++) {
            const size_t left = e->unit[q], right = e->unit[p];
            if (left == right || !congru_jobs_asked(e, q) || !share_work(&e->pipeline[p], &e->pipeline[q]))
                continue;
            for (size_t k = 0; k <= p; k++)
                if (e->unit[k] == left || e->unit[k] == right)
                    e->unit[k] = left < right ? left : right;
        }
}

/* That of the longest of a unit. */
static double cost_of(const congru_evaluation *e, size_t pipeline)
{
    double cost = 0;
    for (size_t p = 0; p < e->pipelines; p++)
        if (e->unit[p] == e->unit[pipeline])
            cost = fmax(cost, congru_pipeline_cost(&e->pipeline[p], &e->options->method));
    return cost;
}

static congru_status read_fold(const congru_evaluation *e, congru_wanted_fold *job)
{
    return congru_fold_read(e->context, e->options->folder, e->name[job->pipeline], e->run.fingerprint,
                            job->subject, e->set, &job->fold, &job->done);
}

congru_status congru_jobs_list(congru_evaluation *e)
{
    size_t all = e->pipelines * e->set->subjects;
    e->job = calloc(all, sizeof *e->job);
    e->order = calloc(all, sizeof *e->order);
    e->group = calloc(all + 1, sizeof *e->group);
    e->unit = calloc(e->pipelines + 1, sizeof *e->unit);
    if (e->unit == NULL || e->job == NULL || e->order == NULL || e->group == NULL)
        return congru_fail_memory(e->context, "%zu folds", all);
    size_t found = 0;
    e->jobs = all;
    join_units(e);
    for (size_t i = 0; i < all; i++) {
        congru_wanted_fold *job = &e->job[i];
        job->pipeline = i / e->set->subjects;
        job->subject = (int32_t)(i % e->set->subjects);
        job->wanted = is_wanted(e, job->pipeline, job->subject);
        job->cost = cost_of(e, job->pipeline);
        if (congru_jobs_lead(e) && e->options->folder != NULL)
            CONGRU_TRY(read_fold(e, job));
        found += job->done;
        if (job->wanted && !job->done)
            e->order[e->waiting++] = i;
    }
    return congru_jobs_lead(e) ? congru_run_begin(e->context, &e->run, found) : CONGRU_OK;
}

static int32_t leader_of(const congru_evaluation *e, const congru_wanted_fold *job)
{
    return congru_split_leader(e->options, job->subject);
}

static bool share_fold(const congru_evaluation *e, const congru_wanted_fold *a, const congru_wanted_fold *b)
{
    return leader_of(e, a) == leader_of(e, b) && e->unit[a->pipeline] == e->unit[b->pipeline];
}

/* Those that take next to nothing first, so that a run that is interrupted has something to show; then the longest first, then by
 * unit and who is left out. */
static bool comes_before(const congru_evaluation *e, double quick, size_t left, size_t right)
{
    const congru_wanted_fold *a = &e->job[left], *b = &e->job[right];
    if ((a->cost < quick) != (b->cost < quick))
        return a->cost < quick;
    if (a->cost != b->cost)
        return a->cost > b->cost;
    if (e->unit[a->pipeline] != e->unit[b->pipeline])
        return e->unit[a->pipeline] < e->unit[b->pipeline];
    if (leader_of(e, a) != leader_of(e, b))
        return leader_of(e, a) < leader_of(e, b);
    return left < right;
}

/* Insertion, which is short enough for what there is to sort. */
static void sort_jobs(congru_evaluation *e)
{
    static const double part = 0.02; /* of the longest */
    double quick = 0;
    for (size_t i = 0; i < e->waiting; i++)
        quick = part * e->job[e->order[i]].cost > quick ? part * e->job[e->order[i]].cost : quick;
    for (size_t i = 1; i < e->waiting; i++) {
        size_t moved = e->order[i], at = i;
        for (; at > 0 && comes_before(e, quick, moved, e->order[at - 1]); at--)
            e->order[at] = e->order[at - 1];
        e->order[at] = moved;
    }
    e->groups = 0;
    for (size_t i = 0; i < e->waiting; i++)
        if (i == 0 || !share_fold(e, &e->job[e->order[i - 1]], &e->job[e->order[i]]))
            e->group[e->groups++] = i;
    e->group[e->groups] = e->waiting;
}

static congru_status save_fold(const congru_evaluation *e, congru_context *context,
                               const congru_wanted_fold *job, const congru_record *record)
{
    const char *folder = e->options->folder, *pipeline = e->name[job->pipeline],
               *subject = e->set->subject_name[job->subject];
    congru_status status = congru_run_check(context, &e->run);
    if (status == CONGRU_OK && record->steps > 0)
        status = congru_record_write(context, folder, pipeline, job->subject, subject, record);
    if (status == CONGRU_OK)
        status = congru_fold_write(context, folder, pipeline, e->run.fingerprint, e->set, &job->fold);
    if (status == CONGRU_ERROR_IO) /* of which a folder that is gone is the better explanation */
        congru_run_check(context, &e->run);
    return status;
}

static congru_status name_failure(const congru_evaluation *e, congru_context *context, congru_status status,
                                  const congru_wanted_fold *job)
{
    char text[CONGRU_ERROR_TEXT_SIZE];
    strcpy(text, congru_context_error(context));
    return congru_fail(context, status, "%s, subject '%s': %.850s", e->name[job->pipeline],
                       e->set->subject_name[job->subject], text);
}

/* The pipelines and subjects of a group's folds, each once, and the folds of all of the ones with all of the others. A run
 * that goes on may want fewer: the rest is not kept. */
typedef struct fold_grid {
    size_t pipelines, subjects;
    size_t *pipeline;      /* (pipelines) */
    int32_t *subject;      /* (subjects) */
    congru_fold *fold;     /* (pipelines, subjects) */
    congru_record *record; /* (pipelines) */
} fold_grid;

static void grid_find(const fold_grid *grid, const congru_wanted_fold *job, size_t *pipeline, size_t *subject)
{
    for (*pipeline = 0; *pipeline < grid->pipelines && grid->pipeline[*pipeline] != job->pipeline;
         ++*pipeline) {
    }
    for (*subject = 0; *subject < grid->subjects && grid->subject[*subject] != job->subject; ++*subject) {
    }
}

static void grid_add(fold_grid *grid, const congru_wanted_fold *job)
{
    size_t p, s;
    grid_find(grid, job, &p, &s);
    if (p == grid->pipelines)
        grid->pipeline[grid->pipelines++] = job->pipeline;
    if (s == grid->subjects)
        grid->subject[grid->subjects++] = job->subject;
}

static congru_status grid_make(const congru_evaluation *e, congru_context *context, size_t count,
                               const size_t *member, fold_grid *grid)
{
    *grid = (fold_grid){.pipeline = calloc(count, sizeof *grid->pipeline),
                        .subject = calloc(count, sizeof *grid->subject)};
    for (size_t i = 0; grid->pipeline != NULL && grid->subject != NULL && i < count; i++)
        grid_add(grid, &e->job[member[i]]);
    grid->fold = calloc(grid->pipelines * grid->subjects + 1, sizeof *grid->fold);
    grid->record = calloc(grid->pipelines + 1, sizeof *grid->record);
    if (grid->pipeline == NULL || grid->subject == NULL || grid->fold == NULL || grid->record == NULL)
        return congru_fail_memory(context, "%zu folds", count);
    return CONGRU_OK;
}

static void grid_clear(fold_grid *grid)
{
    for (size_t i = 0; grid->fold != NULL && i < grid->pipelines * grid->subjects; i++)
        congru_fold_clear(&grid->fold[i]);
    for (size_t p = 0; grid->record != NULL && p < grid->pipelines; p++)
        congru_record_clear(&grid->record[p]);
    free(grid->record);
    free(grid->pipeline);
    free(grid->subject);
    free(grid->fold);
}

/* Jobs that all processes run are written by one. */
static bool keeps_files(const congru_evaluation *e)
{
    return e->options->folder != NULL && (congru_jobs_lead(e) || !e->options->data_parallel);
}

static congru_status run_group(void *user, size_t index, congru_context *context)
{
    congru_evaluation *e = user;
    const size_t *member = e->order + e->group[index];
    size_t count = e->group[index + 1] - e->group[index];
    fold_grid grid;
    /* Of a step that is shared each process watches its part. */
    const bool keeps = keeps_files(e),
               records = e->options->folder != NULL && e->options->method.network.record;
    congru_status status = grid_make(e, context, count, member, &grid);
    if (status == CONGRU_OK)
        status = congru_fold_run(context, &e->plan, grid.pipelines, grid.pipeline, grid.subjects, grid.subject,
                                 grid.fold, records ? grid.record : NULL);
    bool ran = status == CONGRU_OK;
    for (size_t i = 0; ran && i < count; i++) {
        congru_wanted_fold *job = &e->job[member[i]];
        size_t p, s;
        grid_find(&grid, job, &p, &s);
        congru_fold *made = &grid.fold[p * grid.subjects + s];
        job->fold = *made; /* theirs to free now, saved or not */
        *made = (congru_fold){0};
        job->fold.seconds += e->share[job->pipeline];
        job->fold.aligning += e->share[job->pipeline];
        if (status == CONGRU_OK && keeps)
            status = save_fold(e, context, job, &grid.record[p]);
        job->done = status == CONGRU_OK;
    }
    grid_clear(&grid);
    return status != CONGRU_OK ? name_failure(e, context, status, &e->job[member[0]]) : CONGRU_OK;
}

congru_status congru_jobs_collect(congru_evaluation *e)
{
    e->waiting = 0;
    for (size_t i = 0; i < e->jobs; i++) {
        congru_wanted_fold *job = &e->job[i];
        if (!job->done && e->options->folder != NULL)
            CONGRU_TRY(read_fold(e, job));
        if (job->wanted && !job->done)
            e->order[e->waiting++] = i;
    }
    return CONGRU_OK;
}

/* What the branches of a waiting fold read: as it is chosen, once that is done. */
static const size_t *materials_of(const congru_evaluation *e, size_t fold)
{
    const congru_wanted_fold *job = &e->job[e->order[fold]];
    return congru_plan_choice(&e->plan, job->pipeline, job->subject)->material;
}

/* Whether a fold of the group before this one trains it too: then it is had already. */
static bool had_branch(const congru_evaluation *e, size_t first, size_t fold, size_t material)
{
    for (size_t i = first; i < fold; i++)
        for (size_t b = 0; b < e->pipeline[e->job[e->order[i]].pipeline].branches; b++)
            if (materials_of(e, i)[b] == material)
                return true;
    return false;
}

/* Steps of the networks that one part of a group's folds trains, in their order: 0, 1, ..., with the pipeline; 0 after the
 * last. Where several classifiers stand behind one aligner, it is trained for the first of them. */
static size_t steps_at(const congru_evaluation *e, size_t group, size_t index, size_t *pipeline)
{
    const size_t first = e->group[group];
    for (size_t i = first; i < e->group[group + 1]; i++) {
        const congru_pipeline *p = &e->pipeline[e->job[e->order[i]].pipeline];
        *pipeline = e->job[e->order[i]].pipeline;
        for (size_t b = 0; b < p->branches; b++) {
            const size_t material = materials_of(e, i)[b];
            const bool aligned = i > first && p->branch[b].aligner->network != NULL &&
                                 congru_aligned_alike(&e->plan.materials.material[materials_of(e, i - 1)[0]],
                                                      &e->plan.materials.material[material]);
            size_t steps;
            if (had_branch(e, first, i, material))
                continue;
            for (size_t k = aligned ? 1 : 0;
                 (steps = congru_material_steps(&e->plan.materials.material[material], k)) > 0; k++)
                if (index-- == 0)
                    return steps;
        }
    }
    return 0;
}

static size_t trainings_of(const congru_evaluation *e, size_t group)
{
    size_t count = 0, pipeline;
    while (steps_at(e, group, count, &pipeline) > 0)
        count++;
    return count;
}

static size_t group_steps(void *user, size_t index, size_t training)
{
    const congru_evaluation *e = user;
    const size_t trainings = trainings_of(e, index);
    size_t pipeline;
    if (trainings == 0 || training / trainings >= congru_split_parts(e->set, e->options))
        return 0;
    return steps_at(e, index, training % trainings, &pipeline);
}

/* Steps of what is trained, or what folds without networks are expected to cost, and one for everything else of each. */
static double group_cost(void *user, size_t index)
{
    const congru_evaluation *e = user;
    double trained = 0;
    for (size_t k = 0, steps; (steps = group_steps(user, index, k)) > 0; k++)
        trained += (double)steps;
    return (trained > 0 ? trained : e->job[e->order[e->group[index]]].cost) +
           (double)(e->group[index + 1] - e->group[index]) - 1.0;
}

/* Whether one of a pipeline's variants reads it. */
static bool may_read(const congru_evaluation *e, size_t pipeline, size_t material)
{
    const congru_grid *grid = &e->plan.grid[pipeline];
    for (size_t v = 0; v < grid->variants; v++)
        for (size_t b = 0; b < grid->branches; b++)
            if (grid->variant[v].material[b] == material)
                return true;
    return false;
}

/* Networks that are trained to choose come before the folds, and count as theirs do. */
static void watch_choice(void *user, const congru_stop *stop)
{
    const congru_evaluation *e = user;
    const size_t taken = atomic_load(&stop->taken);
    size_t p = 0;
    while (p < e->pipelines && (e->folds[p] == 0 || !may_read(e, p, stop->material)))
        p++;
    if (stop->steps > 0 && p < e->pipelines)
        e->options->watch(e->options->watch_user, (double)taken / ((double)stop->steps + e->cost), e->name[p],
                          taken, stop->steps);
}

static void watch_group(void *user, double part, size_t index, size_t training, size_t step)
{
    const congru_evaluation *e = user;
    const size_t trainings = index < e->groups ? trainings_of(e, index) : 0;
    size_t pipeline = index < e->groups ? e->job[e->order[e->group[index]]].pipeline : 0;
    const double before = (double)e->choice_steps;
    if (trainings > 0)
        steps_at(e, index, training % trainings, &pipeline);
    e->options->watch(e->options->watch_user, (before + part * e->cost) / (before + e->cost),
                      index < e->groups ? e->name[pipeline] : NULL, step,
                      step > 0 ? group_steps(user, index, training) : 0);
}

/* What every waiting fold's pipeline reads, made by the workers; and each fold's share of the time,
 * as if its pipeline were run alone. */
static congru_status make_plan(congru_evaluation *e, const congru_workers *workers)
{
    const congru_materials *m = &e->plan.materials;
    bool *waiting = calloc(e->jobs + 1, sizeof *waiting);
    if (waiting == NULL)
        return congru_fail_memory(e->context, "%zu folds", e->jobs);
    for (size_t i = 0; i < e->waiting; i++)
        waiting[e->order[i]] = true;
    e->plan.folder = e->options->folder;
    e->plan.fingerprint = e->run.fingerprint;
    congru_status status = congru_plan_make(workers, waiting, &e->plan);
    free(waiting);
    for (size_t p = 0; status == CONGRU_OK && p < e->pipelines; p++)
        e->share[p] = e->folds[p] > 0 ? e->plan.seconds[p] / (double)e->folds[p] : 0;
    for (size_t p = 0; status == CONGRU_OK && p < e->pipelines; p++)
        for (size_t b = 0; e->folds[p] > 0 && b < e->pipeline[p].branches; b++)
            e->share[p] += m->material[e->pipeline[p].branch[b].material].seconds / (double)e->folds[p];
    return status;
}

static void count_cost(congru_evaluation *e)
{
    e->cost = 0;
    for (size_t i = 0; i < e->groups; i++)
        e->cost += group_cost(e, i);
}

/* What folds need before they are run; not again when those of a lost process are. */
static congru_status prepare(congru_evaluation *e, const congru_workers *workers, bool together)
{
    if (e->prepared)
        return CONGRU_OK;
    workers->stop->folds = e->groups;
    workers->stop->watch = e->options->watch != NULL ? watch_choice : NULL;
    workers->stop->watch_user = e;
    congru_status status = make_plan(e, workers);
    e->prepared = status == CONGRU_OK;
    e->choice_steps = workers->stop->steps;
    count_cost(e); /* steps may be what was chosen */
    workers->stop->watch = NULL;
    for (size_t m = 0; together && m < e->plan.materials.materials; m++)
        e->plan.materials.material[m].method.network.processes = e->options->processes;
    return status;
}

congru_status congru_jobs_run(congru_evaluation *e, congru_status ready)
{
    const bool together = e->options->data_parallel && congru_process_group_shares(e->options->processes);
    const size_t share = (size_t)congru_process_group_size(e->options->processes);
    congru_workers workers;
    for (size_t i = 0; !e->prepared && i < e->waiting; i++)
        e->folds[e->job[e->order[i]].pipeline]++;
    sort_jobs(e);
    count_cost(e);
    const congru_queue_work work = {.jobs = e->groups,
                                    .user = e,
                                    .run = run_group,
                                    .cost = group_cost,
                                    .watch = e->options->watch != NULL ? watch_group : NULL,
                                    .steps = group_steps};
    const congru_progress progress = e->context->progress;
    congru_status status =
        congru_workers_start(e->context, together ? 1 : (e->groups + share - 1) / share, &workers);
    if (status != CONGRU_OK) /* the others are to be told all the same */
        workers = (congru_workers){
            .caller = e->context, .progress = progress, .progress_user = e->context->progress_user};
    status = ready != CONGRU_OK ? ready : status;
    if (status == CONGRU_OK)
        status = prepare(e, &workers, together);
    status = (together ? congru_queue_run_together : congru_queue_run)(&workers, e->options->processes, status,
                                                                       &work);
    congru_workers_end(&workers);
    return status;
}
