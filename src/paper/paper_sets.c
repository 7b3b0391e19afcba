/* Runs pipelines on sets and shows them beside the paper's. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "paper/paper_sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/number_text.h"
#include "paper/paper_changes.h"
#include "paper/paper_printed.h"
#include "paper/paper_tables.h"

enum { REMARK_SIZE = CONGRU_PAPER_NAME_SIZE + 640 };

void congru_paper_set_name(const congru_paper_open *open, char name[CONGRU_PAPER_NAME_SIZE])
{
    const char *known = congru_paper_dataset(open->dataset);
    congru_paper_facts paper;
    if (known == NULL || !congru_paper_facts_read(known, &paper))
        snprintf(name, CONGRU_PAPER_NAME_SIZE, "%s", open->dataset);
    else if (open->set->classes == paper.classes)
        snprintf(name, CONGRU_PAPER_NAME_SIZE, "%s", known);
    else
        snprintf(name, CONGRU_PAPER_NAME_SIZE, "%s (%zu classes)", known, open->set->classes);
}

void congru_paper_count_trials(const congru_set *set, size_t *least, size_t *most)
{
    *least = set->count;
    *most = 0;
    for (size_t s = 0; s < set->subjects; s++) {
        size_t own = 0;
        for (size_t i = 0; i < set->count; i++)
            own += (size_t)set->subject[i] == s;
        *least = own < *least ? own : *least;
        *most = own > *most ? own : *most;
    }
}

static void describe_range(char text[48], size_t least, size_t most)
{
    if (least == most)
        snprintf(text, 48, "%zu", least);
    else
        snprintf(text, 48, "%zu to %zu", least, most);
}

/* "; 89 trials of a subject where the paper has 288" */
static void add_difference(char *line, size_t size, bool differs, const char *ours, const char *what,
                           const char *paper)
{
    size_t used = strlen(line);
    if (differs)
        snprintf(line + used, size - used, "%s%s %s where the paper has %s", used > 0 ? ", " : "", ours, what,
                 paper);
}

/* "" where it does not differ, or where there is none. */
static void describe_remark(const congru_paper_open *open, char remark[REMARK_SIZE])
{
    const congru_set *set = open->set;
    char line[512] = "", name[CONGRU_PAPER_NAME_SIZE], ours[48], theirs[48];
    const char *known = congru_paper_dataset(open->dataset);
    congru_paper_facts paper;
    size_t least, most;
    remark[0] = '\0';
    if (known == NULL || !congru_paper_facts_read(known, &paper))
        return;
    congru_paper_count_trials(set, &least, &most);
    describe_range(ours, set->classes, set->classes);
    describe_range(theirs, paper.classes, paper.classes);
    add_difference(line, sizeof line, set->classes != paper.classes, ours, "classes", theirs);
    describe_range(ours, set->subjects, set->subjects);
    describe_range(theirs, paper.subjects, paper.subjects);
    add_difference(line, sizeof line, set->subjects != paper.subjects, ours, "subjects", theirs);
    describe_range(ours, set->dimension, set->dimension);
    describe_range(theirs, paper.channels, paper.channels);
    add_difference(line, sizeof line, set->dimension != paper.channels, ours, "channels", theirs);
    describe_range(ours, least, most);
    describe_range(theirs, paper.trials_least, paper.trials_most);
    add_difference(line, sizeof line, least < paper.trials_least || most > paper.trials_most, ours,
                   "trials of a subject", theirs);
    if (line[0] == '\0')
        return;
    congru_paper_set_name(open, name);
    snprintf(remark, REMARK_SIZE, "%s: %s%s; the whole set is what 'congru presets %s' names", name, line,
             set->classes != paper.classes ? "; it is not compared with the paper's" : "", known);
}

congru_status congru_paper_set_absent(const congru_paper_job *job, const char *dataset)
{
    return congru_paper_say(job, CONGRU_PAPER_LINE, false,
                            "%s: data not given; its files are those that 'congru presets %s' names", dataset,
                            dataset);
}

/* What was changed of the networks, where something was. */
static congru_status remark_steps(const congru_paper_job *job)
{
    congru_text changes = {0};
    congru_status status = CONGRU_OK;
    congru_paper_method_changes(job, CONGRU_USES_NETWORK, &changes);
    if (changes.failed)
        status = congru_paper_no_memory(job);
    else if (changes.size > 0)
        status = congru_paper_say(job, CONGRU_PAPER_NOTE, true, "networks: %s", changes.data);
    congru_text_clear(&changes);
    return status;
}

congru_status congru_paper_set_remark(const congru_paper_open *open)
{
    char remark[REMARK_SIZE];
    describe_remark(open, remark);
    CONGRU_TRY(remark[0] != '\0' ? congru_paper_say(open->job, CONGRU_PAPER_NOTE, true, "%s", remark)
                                 : CONGRU_OK);
    return remark_steps(open->job);
}

congru_status congru_paper_runs_remark(const congru_paper_runs *runs)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < runs->remarks.notes; i++)
        status = congru_paper_say(runs->job, CONGRU_PAPER_NOTE, true, "%s", runs->remarks.note[i]);
    return status == CONGRU_OK && runs->scores.count > 0 ? remark_steps(runs->job) : status;
}

/* ---- Running ---- */

static bool exists(const congru_paper_job *job, const char *pipeline)
{
    return congru_pipeline_check(job->context, pipeline) == CONGRU_OK;
}

/* Those of the experiment's own that exist; a set of covariances alone does not hold up what needs no more than those. */
static void drop_others(congru_paper_open *open)
{
    congru_pipeline_description about;
    size_t count = 0;
    for (size_t i = 0; i < open->names.count; i++)
        if (congru_pipeline_describe(open->job->context, open->names.item[i], &about) == CONGRU_OK &&
            (open->set->signals != NULL || !about.needs_signals))
            open->names.item[count++] = open->names.item[i];
    open->names.count = count;
    open->options.pipeline_count = count;
}

static bool add_fold(congru_paper_runs *runs, const char *dataset, const char *subject, const char *pipeline,
                     const congru_fold *fold)
{
    return congru_score_list_add(&runs->scores, dataset, subject, pipeline, 100 * fold->accuracy) &&
           congru_score_list_add(&runs->aligning, dataset, subject, pipeline, fold->aligning) &&
           congru_score_list_add(&runs->fitting, dataset, subject, pipeline, fold->fitting) &&
           congru_score_list_add(&runs->predicting, dataset, subject, pipeline,
                                 fold->seconds - fold->aligning - fold->fitting);
}

/* The scores say what the results do of labels that pipelines looked at. */
static bool add_labels(congru_paper_runs *runs, const char *dataset, const congru_results *results)
{
    congru_scores *scores = NULL;
    if (congru_scores_list_find(NULL, &runs->scores, dataset, 0, &scores) != CONGRU_OK)
        return false;
    for (size_t p = 0; p < results->pipelines; p++) {
        const size_t place = congru_scores_find(scores, results->pipeline[p]);
        if (place != SIZE_MAX)
            scores->labels[place] = results->knowledge[p].labels;
    }
    return true;
}

/* Once, however many runs there are of it. */
static void add_once(congru_table *notes, const char *note)
{
    for (size_t i = 0; i < notes->notes; i++)
        if (strcmp(notes->note[i], note) == 0)
            return;
    congru_table_note(notes, note);
}

/* How the set differs from the paper's: as a sentence under the tables, and in few words for verdicts. */
static congru_status add_differences(congru_paper_runs *runs, const congru_paper_open *open,
                                     const char *dataset)
{
    char remark[REMARK_SIZE], named[CONGRU_PAPER_NAME_SIZE + REMARK_SIZE];
    congru_text changes = {0};
    describe_remark(open, remark);
    if (remark[0] != '\0')
        add_once(&runs->remarks, remark);
    congru_paper_set_changes(open, &changes);
    if (changes.size > 0 && !changes.failed) {
        snprintf(named, sizeof named, "%s\n%s", dataset, changes.data);
        add_once(&runs->changes, named);
    }
    const bool failed = changes.failed;
    congru_text_clear(&changes);
    return failed ? congru_paper_no_memory(runs->job) : CONGRU_OK;
}

/* The band and window that networks on signals have, which are not those of the set's covariances. */
static congru_status add_signals(congru_paper_runs *runs, const congru_paper_open *open, const char *dataset)
{
    char seen[REMARK_SIZE], remark[REMARK_SIZE + CONGRU_PAPER_NAME_SIZE + 32];
    congru_status status =
        congru_evaluation_signals(runs->job->context, open->set, &open->options, seen, sizeof seen);
    if (status != CONGRU_OK || seen[0] == '\0')
        return status;
    snprintf(remark, sizeof remark, "%s: signals of %s", dataset, seen);
    add_once(&runs->remarks, remark);
    return CONGRU_OK;
}

static congru_status run_open(congru_paper_runs *runs, congru_paper_open *open)
{
    char dataset[CONGRU_PAPER_NAME_SIZE];
    congru_results *results = NULL;
    if (runs->job->request->run.pipelines == NULL)
        drop_others(open);
    congru_paper_set_name(open, dataset);
    if (open->set->signals == NULL)
        congru_table_note(&runs->bare, dataset);
    congru_status status = add_differences(runs, open, dataset);
    if (status == CONGRU_OK)
        status = add_signals(runs, open, dataset);
    if (status == CONGRU_OK)
        status = congru_paper_evaluate(runs->job, open->set, &open->options, &results);
    for (size_t i = 0; status == CONGRU_OK && i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        if (!add_fold(runs, dataset, results->subject_name[fold->subject], results->pipeline[fold->pipeline],
                      fold))
            status = congru_paper_no_memory(runs->job);
    }
    if (status == CONGRU_OK && !add_labels(runs, dataset, results))
        status = congru_paper_no_memory(runs->job);
    if (status == CONGRU_OK)
        status = congru_paper_runs_keep_ridges(runs, results, dataset, open->options.method.c, "");
    if (status == CONGRU_OK)
        status = congru_paper_runs_common(runs, results, dataset, open->set->count);
    if (status == CONGRU_OK && (runs->remarks.failed || runs->changes.failed || runs->bare.failed))
        status = congru_paper_no_memory(runs->job);
    congru_results_destroy(&results);
    return status;
}

congru_status congru_paper_runs_add(congru_paper_runs *runs, size_t which, const congru_method_options *method,
                                    const char *pipelines, congru_protocol protocol, const char *suffix)
{
    char folder[CONGRU_PAPER_PATH_SIZE];
    congru_paper_open open;
    congru_status status = congru_paper_set_open(runs->job, which, method, pipelines, &open);
    if (status == CONGRU_OK)
        status = congru_paper_folder(runs->job, open.about->name, suffix, folder);
    open.options.folder = folder;
    open.options.protocol = protocol;
    if (status == CONGRU_OK)
        status = run_open(runs, &open);
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_paper_runs_all(congru_paper_runs *runs, const char *pipelines, congru_protocol protocol,
                                    const char *suffix)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < runs->job->request->set_count; i++)
        status = congru_paper_runs_add(runs, i, NULL, pipelines, protocol, suffix);
    return status;
}

void congru_paper_runs_clear(congru_paper_runs *runs)
{
    congru_scores_list_clear(&runs->scores);
    congru_scores_list_clear(&runs->aligning);
    congru_scores_list_clear(&runs->fitting);
    congru_scores_list_clear(&runs->predicting);
    congru_table_clear(&runs->remarks);
    congru_table_clear(&runs->bare);
    congru_table_clear(&runs->changes);
    congru_table_clear(&runs->ridges);
}

/* ---- Results that are there ---- */

congru_status congru_paper_results_find(const congru_paper_job *job, const char *dataset, const char *suffix,
                                        congru_results **results)
{
    congru_paper_facts paper;
    *results = NULL;
    for (size_t i = 0; i <= CONGRU_PAPER_OTHER_NAMES; i++) {
        const char *name = congru_paper_dataset_name(dataset, i);
        char path[CONGRU_PAPER_PATH_SIZE];
        struct stat about;
        if (name == NULL ||
            snprintf(path, sizeof path, "%s/%s%s", job->request->folder, name, suffix) >= (int)sizeof path ||
            stat(path, &about) != 0)
            continue;
        congru_status status = congru_results_read(job->context, path, results);
        if (status != CONGRU_OK || !congru_paper_facts_read(dataset, &paper) ||
            (*results)->classes == paper.classes)
            return status;
        congru_results_destroy(results);
    }
    return CONGRU_OK;
}

congru_status congru_paper_runs_found(congru_paper_runs *runs)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && congru_paper_dataset_at(i) != NULL; i++) {
        const char *dataset = congru_paper_dataset_at(i);
        congru_results *results = NULL;
        if (congru_paper_runs_have(runs, dataset))
            continue;
        status = congru_paper_results_find(runs->job, dataset, "", &results);
        for (size_t f = 0; status == CONGRU_OK && results != NULL && f < results->folds; f++) {
            const congru_fold *fold = &results->fold[f];
            if (!add_fold(runs, dataset, results->subject_name[fold->subject],
                          results->pipeline[fold->pipeline], fold))
                status = congru_paper_no_memory(runs->job);
        }
        congru_results_destroy(&results);
    }
    return status;
}

/* ---- Showing ---- */

void congru_paper_cell_number(congru_table *table, double mean, double deviation)
{
    if (isnan(mean))
        congru_table_format_text(table, "-");
    else if (isnan(deviation))
        congru_table_format_text(table, "%.2f", mean);
    else
        congru_table_format_text(table, "%6.2f ± %5.2f", mean, deviation);
}

void congru_paper_cell_difference(congru_table *table, double ours, double paper)
{
    if (isnan(ours - paper))
        congru_table_format_text(table, "-");
    else
        congru_table_format_text(table, "%+.2f", ours - paper);
}

static congru_status show_dataset(const congru_paper_runs *runs, const char *dataset, const char *file,
                                  const char *pipelines)
{
    congru_table table = {0};
    congru_names names = {0};
    const bool given = congru_paper_runs_have(runs, dataset);
    congru_names_split(&names, pipelines);
    congru_table_headings(&table, given ? 6 : 3,
                          (const char *const[]){dataset, "paper", "mark", "ours", "difference", "C"});
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.item[i];
        double deviation, mean = congru_score_list_mean(&runs->scores, dataset, name, NULL, &deviation);
        double paper = congru_paper_number(file, "mean", dataset, name);
        congru_table_format_text(&table, "%s", name);
        congru_paper_cell_number(&table, paper, congru_paper_number(file, "deviation", dataset, name));
        congru_paper_cell_mark(&table, file, "mark", dataset, name);
        if (!given)
            continue;
        if (isnan(mean) && !exists(runs->job, name))
            congru_table_format_text(&table, "no such method");
        else
            congru_paper_cell_number(&table, mean, deviation);
        congru_paper_cell_difference(&table, mean, paper);
        congru_table_text(&table, congru_paper_runs_ridge(runs, dataset, name));
    }
    congru_status status = congru_paper_table(runs->job, true, &table, NULL);
    return status == CONGRU_OK && !given ? congru_paper_set_absent(runs->job, dataset) : status;
}

bool congru_paper_runs_have(const congru_paper_runs *runs, const char *dataset)
{
    for (size_t t = 0; t < runs->scores.count; t++)
        if (strcmp(runs->scores.item[t]->name, dataset) == 0)
            return true;
    return false;
}

bool congru_paper_runs_lack_signals(const congru_paper_runs *runs, const char *dataset)
{
    for (size_t i = 0; i < runs->bare.notes; i++)
        if (strcmp(runs->bare.note[i], dataset) == 0)
            return true;
    return false;
}

congru_status congru_paper_runs_show(const congru_paper_runs *runs, const char *file, const char *pipelines)
{
    CONGRU_TRY(congru_paper_runs_remark(runs));
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        CONGRU_TRY(show_dataset(runs, congru_paper_dataset_at(i), file, pipelines));
    for (size_t t = 0; t < runs->scores.count; t++)
        if (congru_paper_dataset(runs->scores.item[t]->name) == NULL)
            CONGRU_TRY(show_dataset(runs, runs->scores.item[t]->name, file, pipelines));
    return CONGRU_OK;
}

congru_status congru_paper_each_set(const congru_paper_job *job,
                                    congru_status (*one)(const congru_paper_job *job, size_t which),
                                    congru_status (*none)(const congru_paper_job *job))
{
    congru_status status = CONGRU_OK;
    if (job->request->set_count == 0)
        status = none != NULL ? none(job) : congru_paper_set_absent(job, congru_paper_dataset_at(0));
    for (size_t i = 0; status == CONGRU_OK && i < job->request->set_count; i++)
        status = one(job, i);
    return status;
}

congru_status congru_paper_printed_scores(const congru_paper_job *job, const char *file,
                                          congru_scores_list *tables)
{
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read(file, i, &row) > 0; i++)
        if (!congru_score_list_add(tables, row.field[0], row.field[1], row.field[2],
                                   congru_number_read(row.field[3], NULL)))
            return congru_paper_no_memory(job);
    return CONGRU_OK;
}
