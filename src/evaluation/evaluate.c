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
#include "evaluation/fold_wire.h"
#include "evaluation/knowledge.h"
#include "evaluation/process_group_round.h"
#include "evaluation/request_check.h"
#include "evaluation/results.h"

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
        return congru_fail(e->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu pipelines", count);
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
    if (congru_jobs_lead(e) && e->options->folder != NULL)
        return congru_results_choices(e->context, e->options->folder, tells, NULL, results);
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
        status = table.failed ? congru_fail(e->context, CONGRU_ERROR_MEMORY, "not enough memory for choices")
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
        return congru_fail(e->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu notes", count);
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
    return failed ? congru_fail(e->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu notes", count)
                  : add_choices(e, results);
}

/* What rank 0 tells the others at the end: how it went, and every fold there is. */
static void pack_results(const congru_evaluation *e, congru_bytes *bytes)
{
    size_t done = 0;
    for (size_t i = 0; i < e->jobs; i++)
        done += e->job[i].done;
    congru_bytes_add_count(bytes, done);
    for (size_t i = 0; i < e->jobs; i++)
        if (e->job[i].done) {
            congru_bytes_add_count(bytes, i);
            congru_fold_pack(&e->job[i].fold, e->set->classes, bytes);
        }
}

static congru_status take_results(congru_evaluation *e)
{
    congru_message message = CONGRU_MESSAGE_START;
    congru_parcel parcel;
    while (message != CONGRU_MESSAGE_END)
        if (!congru_process_group_await(e->options->processes, &message, &parcel))
            return congru_fail(e->context, CONGRU_ERROR_IO, "the process that hands out the work is gone");
    congru_status status = congru_parcel_status(&parcel, e->context);
    size_t done = status == CONGRU_OK ? congru_parcel_count(&parcel) : 0;
    for (size_t i = 0; status == CONGRU_OK && i < done; i++) {
        size_t place = congru_parcel_count(&parcel);
        congru_wanted_fold *job = &e->job[place < e->jobs ? place : 0];
        congru_fold_clear(&job->fold);
        status = congru_fold_unpack(e->context, &parcel, e->set->classes, &job->fold);
        job->done = status == CONGRU_OK;
    }
    return status;
}

/* The results in memory and, by rank 0, in the folder. */
static congru_status finish(congru_evaluation *e, congru_status status, congru_results **results)
{
    size_t wanted = 0;
    for (size_t i = 0; i < e->jobs; i++)
        wanted += e->job[i].wanted;
    if (status == CONGRU_OK)
        status = gather_results(e, results);
    if (status == CONGRU_OK)
        status = add_notes(e, *results);
    if (status == CONGRU_OK) {
        (*results)->resumed = wanted - e->waiting;
        (*results)->trial_seconds = congru_set_trial_seconds(e->set);
    }
    if (status == CONGRU_OK && congru_jobs_lead(e))
        status = congru_run_check(e->context, &e->run);
    if (status == CONGRU_OK && congru_jobs_lead(e) && e->options->folder != NULL)
        status = congru_results_write(e->context, *results, e->options->folder);
    if (status == CONGRU_OK && congru_jobs_lead(e))
        status = congru_run_check(e->context, &e->run);
    if (status != CONGRU_OK)
        congru_results_destroy(results);
    return status;
}

/* All processes have begun; they end with the same status. */
static congru_status run_all(congru_evaluation *e, congru_results **results)
{
    congru_process_group *processes = e->options->processes;
    congru_status status = e->waiting > 0 ? congru_jobs_run(e) : CONGRU_OK;
    congru_round_notes(e->context, processes);
    if (!congru_jobs_lead(e))
        return finish(e, take_results(e), results);
    congru_bytes folds = {0};
    if (status == CONGRU_OK && congru_process_group_shares(processes))
        pack_results(e, &folds);
    status = finish(e, status, results);
    if (congru_process_group_shares(processes)) {
        congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_END);
        congru_bytes_add_status(&bytes, status, e->context);
        congru_bytes_add(&bytes, folds.data, folds.size);
        congru_process_group_send_all(processes, &bytes);
    }
    congru_bytes_clear(&folds);
    return status;
}

/* Before anything is written: what is asked for makes sense. */
static congru_status check_all(congru_evaluation *e)
{
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
    congru_classes_lend(context, set->classes, (const char(*)[CONGRU_LABEL_SIZE])set->class_name);
    congru_status status = check_all(&e);
    if (status == CONGRU_OK && congru_jobs_lead(&e))
        status = congru_run_open(context, set, options, e.member, &e.run);
    if (status == CONGRU_OK)
        status = congru_jobs_list(&e);
    status = congru_round_open(context, set, options, status);
    status = congru_round_start(context, options->processes, status, e.jobs, e.order, &e.waiting);
    if (status == CONGRU_OK)
        status = run_all(&e, results);
    congru_classes_lend(context, 0, NULL);
    congru_run_close(&e.run);
    for (size_t i = 0; i < e.jobs; i++) {
        congru_fold_clear(&e.job[i].fold);
        congru_record_clear(&e.job[i].record);
    }
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
