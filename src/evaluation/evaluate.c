/* Runs pipelines over subjects, taking up what is done. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "dataset/set_check.h"
#include "dataset/set_products.h"
#include "evaluation/choice_file.h"
#include "evaluation/fold_jobs.h"
#include "evaluation/fold_run.h"
#include "evaluation/knowledge.h"
#include "evaluation/request_check.h"
#include "evaluation/results.h"
#include "evaluation/shared_run.h"

void congru_evaluation_options_init(congru_evaluation_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_evaluation_options){.folds = 5};
    congru_method_options_init(&options->method);
}

/* The covariances of the set itself, where a pipeline reads them. */
static congru_status check_covariances(congru_context *context, const congru_set *set)
{
    congru_progress progress = context->progress; /* counts folds, not matrices */
    context->progress = NULL;
    congru_status status = congru_set_check_rank(context, set, 0, NULL);
    context->progress = progress;
    return status;
}

/* That each option which is to be chosen is one of a pipeline of this run. */
static congru_status check_choices(const congru_evaluation *e)
{
    congru_option_values values;
    for (size_t i = 0; congru_choose_at(e->options->method.choose, i, &values); i++) {
        bool taken = false;
        for (size_t p = 0; p < e->pipelines; p++)
            taken = taken || (congru_jobs_asked(e, p) && congru_grid_takes(&e->pipeline[p], values.row));
        if (!taken)
            return congru_grid_fail_untaken(e->context, values.row);
    }
    return CONGRU_OK;
}

/* What the pipelines of this run read of the set; what it cannot give is told before anything is run. */
static congru_status begin_plan(congru_evaluation *e)
{
    CONGRU_TRY(congru_plan_begin(e->context, e->set, e->options, e->pipelines, e->pipeline,
                                 (const char(*)[CONGRU_PIPELINE_SIZE])e->name, &e->plan));
    CONGRU_TRY(check_choices(e));
    for (size_t p = 0; p < e->pipelines; p++)
        if (congru_pipeline_reads(&e->pipeline[p], CONGRU_NEEDS_COVARIANCES))
            return check_covariances(e->context, e->set);
    return CONGRU_OK;
}

static congru_status list_pipelines(congru_evaluation *e)
{
    size_t count;
    congru_status status = congru_pipeline_names(e->context, &e->name, &count);
    e->pipeline = calloc(count, sizeof *e->pipeline);
    e->folds = calloc(count, sizeof *e->folds);
    e->share = calloc(count, sizeof *e->share);
    if (status != CONGRU_OK || e->pipeline == NULL || e->folds == NULL || e->share == NULL)
        return congru_fail_memory(e->context, "%zu pipelines", count);
    e->pipelines = count;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        if (congru_jobs_asked(e, i))
            status = congru_pipeline_parse(e->context, e->name[i], &e->pipeline[i]);
        if (status == CONGRU_OK)
            status =
                congru_pipeline_adjust(e->context, &e->options->method, e->options->causal, &e->pipeline[i]);
    }
    for (size_t i = 0; status == CONGRU_OK && i < e->options->pipeline_count; i++)
        status = congru_pipeline_check(e->context, e->options->pipelines[i]);
    return status;
}

/* Moves the finished folds into the results, in the order of the registry. */
static congru_status gather_results(congru_evaluation *e, congru_results **results)
{
    congru_status status =
        congru_results_create(e->context, e->set, e->options->dataset, e->pipelines, e->jobs, results);
    if (status != CONGRU_OK)
        return status;
    congru_results *all = *results;
    for (size_t s = 0; s < e->set->subjects; s++)
        all->subject_sessions[s] = congru_set_sessions(e->set, (int32_t)s);
    for (size_t i = 0; status == CONGRU_OK && i < e->jobs; i++) {
        congru_wanted_fold *job = &e->job[i];
        if (!job->done)
            continue;
        if (all->pipelines == 0 || strcmp(all->pipeline[all->pipelines - 1], e->name[job->pipeline]) != 0)
            strcpy(all->pipeline[all->pipelines++], e->name[job->pipeline]);
        congru_fold *fold = &all->fold[all->folds++];
        *fold = job->fold;
        job->fold = (congru_fold){0};
        fold->pipeline = all->pipelines - 1;
        fold->session = congru_fold_session(e->set, fold);
        status = congru_fold_score(e->context, fold, all->classes);
    }
    if (status != CONGRU_OK)
        return status;
    congru_results_mark(all);
    const congru_seen seen = {.known = true,
                              .protocol = e->options->protocol,
                              .target = e->options->target,
                              .balance = e->options->method.balance};
    return congru_knowledge_find(e->context, &seen, all);
}

/* What the folder keeps; without one, what this run has chosen. */
static congru_status add_choices(congru_evaluation *e, congru_results *results)
{
    const bool tells = e->options->method.choose[0] != '\0';
    congru_status status = CONGRU_OK;
    if (e->options->folder != NULL)
        return congru_results_choices(e->context, e->options->folder, e->run.fingerprint, tells, NULL, results);
    for (size_t i = 0, p = 0; status == CONGRU_OK && i < e->pipelines && p < results->pipelines; i++) {
        const congru_grid *grid = &e->plan.grid[i];
        const congru_choice *choice = congru_plan_choice(&e->plan, i, 0);
        congru_text table = {0};
        congru_csv csv = {0};
        bool options;
        if (strcmp(e->name[i], results->pipeline[p]) != 0)
            continue;
        p++;
        if (!congru_grid_chooses(grid) || !congru_plan_learned(&e->plan, i))
            continue;
        congru_choice_table("", &e->pipeline[i], grid, congru_groups(e->set, e->options, grid), choice, &table);
        status = table.failed ? congru_fail_memory(e->context, "choices")
                              : congru_csv_parse(e->context, "choices", table.data, &csv);
        if (status == CONGRU_OK)
            status = congru_results_choose(e->context, &csv, p - 1, NULL, results, &options);
        if (status == CONGRU_OK && (options || tells))
            congru_results_note_choices(results, p - 1);
        congru_csv_clear(&csv);
        congru_text_clear(&table);
    }
    return status;
}

static congru_status add_notes(congru_evaluation *e, congru_results *results)
{
    size_t count = 0;
    while (congru_context_note(e->context, count) != NULL)
        count++;
    results->note = calloc(count + results->pipelines + 3, sizeof *results->note);
    if (results->note == NULL)
        return congru_fail_memory(e->context, "%zu notes", count);
    for (; results->note_count < count; results->note_count++)
        strcpy(results->note[results->note_count], congru_context_note(e->context, results->note_count));
    if (e->options->method.balance)
        strcpy(results->note[results->note_count++], congru_balance_note);
    congru_text line = {0};
    congru_knowledge_note(results, &line);
    if (line.size > 0 && !line.failed)
        congru_format(results->note[results->note_count++], CONGRU_NOTE_SIZE, "%s", line.data);
    const bool failed = line.failed;
    congru_text_clear(&line);
    return failed ? congru_fail_memory(e->context, "%zu notes", count) : add_choices(e, results);
}

/* The results in memory and, by rank 0, in the folder. */
static congru_status finish(congru_evaluation *e, size_t resumed, congru_results **results)
{
    CONGRU_TRY(gather_results(e, results));
    CONGRU_TRY(add_notes(e, *results));
    (*results)->resumed = resumed;
    (*results)->trial_seconds = congru_set_trial_seconds(e->set);
    if (!congru_jobs_lead(e))
        return CONGRU_OK;
    CONGRU_TRY(congru_run_check(e->context, &e->run));
    if (e->options->folder != NULL)
        CONGRU_TRY(congru_results_write(e->context, *results, e->options->folder));
    return congru_run_check(e->context, &e->run);
}

/* All processes have begun; they end with the same status. The folds of one that was lost are there to be run again. */
static congru_status run_all(congru_evaluation *e, congru_status status, congru_results **results)
{
    congru_process_group *processes = e->options->processes;
    const bool leads = congru_jobs_lead(e);
    size_t resumed = 0;
    for (size_t i = 0; i < e->jobs; i++)
        resumed += e->job[i].wanted;
    resumed -= e->waiting;
    do {
        if (e->waiting > 0)
            status = congru_jobs_run(e, status);
        status = congru_share_end(e->context, processes, status);
        if (leads && status == CONGRU_OK)
            status = congru_jobs_collect(e);
        if (leads && status == CONGRU_OK && e->waiting == 0)
            status = finish(e, resumed, results);
        status = congru_share_waiting(e->context, processes, status, e->jobs, e->order, &e->waiting);
    } while (status == CONGRU_OK && e->waiting > 0);
    if (leads || status != CONGRU_OK)
        return status;
    CONGRU_TRY(congru_jobs_collect(e));
    if (e->waiting > 0)
        return congru_fail(e->context, CONGRU_ERROR_IO,
                           "%s: a fold is not there that another process has written (it must be the same "
                           "folder for all)",
                           e->options->folder);
    return finish(e, resumed, results);
}

/* Before anything is written: what is asked for makes sense. */
static congru_status check_all(congru_evaluation *e)
{
    const congru_evaluation_options *o = e->options;
    if (congru_process_group_shares(o->processes) && o->folder == NULL && !o->data_parallel)
        return congru_fail(e->context, CONGRU_ERROR_ARGUMENT,
                           "a run that processes share needs a results folder, in which they find each other's "
                           "folds");
    CONGRU_TRY(congru_request_check(e->context, e->set, e->options));
    CONGRU_TRY(congru_cohort_make(e->context, e->set, e->options, &e->member));
    CONGRU_TRY(list_pipelines(e));
    return begin_plan(e);
}

congru_status congru_evaluate(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, congru_results **results)
{
    if (context == NULL || set == NULL || options == NULL || results == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options or results given");
    *results = NULL;
    congru_evaluation e = {.context = context, .set = set, .options = options, .run.lock = -1};
    congru_status status = check_all(&e);
    const bool leads = congru_jobs_lead(&e);
    if (status == CONGRU_OK && leads)
        status = congru_run_open(context, set, options, e.member, &e.run);
    if (status == CONGRU_OK)
        status = congru_jobs_list(&e);
    status = congru_share_begin(context, set, options, status);
    status = congru_share_waiting(context, options->processes, status, e.jobs, e.order, &e.waiting);
    if (status == CONGRU_OK)
        status =
            run_all(&e, leads ? CONGRU_OK : congru_run_join(context, set, options, e.member, &e.run), results);
    if (status != CONGRU_OK)
        congru_results_destroy(results);
    congru_run_close(&e.run);
    for (size_t i = 0; i < e.jobs; i++)
        congru_fold_clear(&e.job[i].fold);
    congru_plan_clear(&e.plan);
    for (size_t i = 0; i < e.pipelines; i++)
        congru_pipeline_clear(&e.pipeline[i]);
    free(e.member);
    free(e.pipeline);
    free(e.folds);
    free(e.share);
    free(e.name);
    free(e.job);
    free(e.order);
    free(e.group);
    free(e.unit);
    return congru_evaluation_name_error(context, options, status);
}
