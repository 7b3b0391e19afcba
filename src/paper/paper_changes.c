/* How what is run differs from the paper, and runs by which claims compare like with like. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/paper_changes.h"
#include "paper/paper_tables.h"

enum { RIDGES = 2 };

/* ---- Changes in words ---- */

void congru_paper_next_change(congru_text *text)
{
    if (text->size > 0)
        congru_text_add(text, ", ");
}

/* "89", or "67 to 89". */
static void add_range(congru_text *text, size_t least, size_t most)
{
    congru_text_add(text, "%zu", least);
    if (least < most)
        congru_text_add(text, " to %zu", most);
}

void congru_paper_set_changes(const congru_paper_open *open, congru_text *text)
{
    const congru_set *set = open->set;
    const size_t scored = open->options.subjects != NULL ? open->options.subject_count : set->subjects;
    const char *known = congru_paper_dataset(open->dataset);
    congru_paper_facts paper;
    size_t least, most;
    if (known == NULL || !congru_paper_facts_read(known, &paper) || set->classes != paper.classes)
        return; /* there is nothing to differ from */
    congru_paper_count_trials(set, &least, &most);
    if (scored != paper.subjects) {
        congru_paper_next_change(text);
        congru_text_add(text, "%zu of %zu subjects", scored, paper.subjects);
    }
    if (set->dimension != paper.channels) {
        congru_paper_next_change(text);
        congru_text_add(text, "%zu of %zu channels", set->dimension, paper.channels);
    }
    if (least >= paper.trials_least && most <= paper.trials_most)
        return;
    congru_paper_next_change(text);
    add_range(text, least, most);
    congru_text_add(text, " of ");
    add_range(text, paper.trials_least, paper.trials_most);
    congru_text_add(text, " trials");
}

void congru_paper_place_changes(const char *dataset, congru_text *text)
{
    const char *paper = congru_paper_dataset_at(0);
    if (strcmp(dataset, paper) == 0)
        return;
    congru_paper_next_change(text);
    congru_text_add(text, "on %s, the paper on %s", dataset, paper);
}

unsigned congru_paper_uses(const congru_paper_job *job, const char *pipelines)
{
    const congru_method_options *asked = &job->request->run.method;
    congru_names names = {0};
    unsigned uses = 0;
    congru_names_split(&names, pipelines);
    for (size_t i = 0; i < names.count; i++) {
        congru_pipeline_description about;
        if (congru_pipeline_describe(job->context, names.item[i], &about) != CONGRU_OK)
            continue;
        if (about.network != NULL)
            uses |= CONGRU_USES_NETWORK;
        if (about.target_labels)
            uses |= CONGRU_USES_LABELS;
        if (congru_pipeline_among(names.item[i], congru_method_option_find("C")->users) && asked->c != 0)
            uses |= CONGRU_USES_RIDGE;
    }
    return uses;
}

void congru_paper_method_changes(const congru_paper_job *job, unsigned uses, congru_text *text)
{
    const congru_method_options *asked = &job->request->run.method;
    congru_method_options own;
    char recipe[CONGRU_OPTION_TEXT_SIZE];
    congru_method_options_init(&own);
    congru_pipeline_settle("ddct-unet-e2e", &own);
    if ((uses & CONGRU_USES_NETWORK) != 0 && asked->network.epochs > 0) {
        congru_paper_next_change(text);
        congru_text_add(text, "%d epochs for %d steps", asked->network.epochs, own.network.steps);
    } else if ((uses & CONGRU_USES_NETWORK) != 0 && asked->network.steps != CONGRU_OWN &&
               asked->network.steps != own.network.steps) {
        congru_paper_next_change(text);
        congru_text_add(text, "%d of %d steps", asked->network.steps, own.network.steps);
    }
    if ((uses & CONGRU_USES_NETWORK) != 0 && asked->network.recipe != CONGRU_RECIPE_PRINTED &&
        congru_method_options_get(asked, "recipe", recipe)) {
        congru_paper_next_change(text);
        congru_text_add(text, "recipe %s", recipe);
    }
    if ((uses & CONGRU_USES_RIDGE) != 0) {
        congru_paper_next_change(text);
        congru_text_add(text, "C = %.6g, not chosen, for other ridges", asked->c);
    }
    if ((uses & CONGRU_USES_LABELS) == 0)
        return;
    congru_paper_next_change(text);
    if (asked->rpa_labels > 0)
        congru_text_add(text, "rpa rotated by %s of each class of the target",
                        congru_count((size_t)asked->rpa_labels, "labelled trial").text);
    else
        congru_text_add(text, "rpa without the rotation, which needs labels of the target");
}

static bool is_used(const char *name, unsigned uses)
{
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        if (strcmp(name, congru_paper_dataset_at(i)) == 0)
            return (uses >> i & 1) != 0;
    return false;
}

void congru_paper_runs_changed(const congru_paper_runs *runs, unsigned uses, const char *dataset,
                               congru_text *text)
{
    for (size_t i = 0; i < runs->scores.count; i++) {
        const char *name = runs->scores.item[i]->name;
        const size_t size = strlen(name);
        if (dataset != NULL ? strcmp(dataset, name) != 0 : !is_used(name, uses))
            continue;
        for (size_t k = 0; k < runs->changes.notes; k++)
            if (strncmp(runs->changes.note[k], name, size) == 0 && runs->changes.note[k][size] == '\n') {
                congru_paper_next_change(text);
                congru_text_add(text, "%s%s%s", runs->changes.note[k] + size + 1,
                                runs->scores.count > 1 ? " of " : "", runs->scores.count > 1 ? name : "");
            }
    }
    congru_paper_method_changes(runs->job, uses, text);
}

/* ---- Ridges ---- */

static const struct {
    double c;
    const char *name, *suffix;
} ridges[RIDGES] = {{0, " (C auto)", "-C-auto"}, {1, " (C 1)", "-C-1"}};

bool congru_paper_has_ridge(const char *pipeline)
{
    return congru_pipeline_among(pipeline, "tslr");
}

void congru_paper_ridge(const congru_paper_job *job, const char *pipeline, bool plain,
                        char name[CONGRU_SCORE_NAME_SIZE])
{
    const bool own = !congru_paper_has_ridge(pipeline) || job->request->run.method.c == ridges[plain].c;
    snprintf(name, CONGRU_SCORE_NAME_SIZE, "%.40s%s", pipeline, own ? "" : ridges[plain].name);
}

void congru_paper_ridge_rows(const congru_paper_runs *runs, const char *pipelines, char list[CONGRU_NAMES_SIZE])
{
    congru_names names = {0};
    size_t used = (size_t)snprintf(list, CONGRU_NAMES_SIZE, "%s", pipelines);
    congru_names_split(&names, pipelines);
    for (size_t k = 0; k < RIDGES; k++)
        for (size_t i = 0; i < names.count; i++) {
            char name[CONGRU_SCORE_NAME_SIZE];
            bool scored = false;
            congru_paper_ridge(runs->job, names.item[i], k == 1, name);
            for (size_t t = 0; strcmp(name, names.item[i]) != 0 && t < runs->scores.count; t++)
                scored = scored || congru_scores_find(runs->scores.item[t], name) != SIZE_MAX;
            if (scored && used < CONGRU_NAMES_SIZE)
                used += (size_t)snprintf(list + used, CONGRU_NAMES_SIZE - used, ",%s", name);
        }
}

const char *congru_paper_c(const congru_paper_job *job, char text[CONGRU_OPTION_TEXT_SIZE])
{
    const double c = job->request->run.method.c;
    if (c == 0)
        return "chosen on source subjects";
    congru_format(text, CONGRU_OPTION_TEXT_SIZE, "%.6g, given", c);
    return text;
}

/* C of what a fold chose, "C 0.1" among others with commas between; NaN where that has none. */
static double find_chosen(const char *chosen)
{
    for (const char *at = chosen; at != NULL; at = strchr(at, ',')) {
        at += strspn(at, ", ");
        if (strncmp(at, "C ", 2) == 0)
            return congru_number_read(at + 2, NULL);
    }
    return NAN;
}

congru_status congru_paper_runs_keep_ridges(congru_paper_runs *runs, const congru_results *results,
                                            const char *dataset, double c, const char *suffix)
{
    for (size_t p = 0; p < results->pipelines; p++) {
        congru_text note = {0};
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < results->folds; i++) {
            const double own = c > 0 ? c : find_chosen(results->fold[i].chosen);
            if (results->fold[i].pipeline != p || isnan(own))
                continue;
            least = fmin(least, own);
            most = fmax(most, own);
        }
        if (!congru_paper_has_ridge(results->pipeline[p]) || most == 0)
            continue;
        congru_text_add(&note, "%s\n%s%s\n%.3g", dataset, results->pipeline[p], suffix, least);
        if (least < most)
            congru_text_add(&note, " to %.3g", most);
        congru_text_add(&note, c > 0 ? ", given" : ", chosen");
        if (!note.failed)
            congru_table_note(&runs->ridges, note.data);
        const bool failed = note.failed || runs->ridges.failed;
        congru_text_clear(&note);
        if (failed)
            return congru_paper_no_memory(runs->job);
    }
    return CONGRU_OK;
}

const char *congru_paper_runs_ridge(const congru_paper_runs *runs, const char *dataset, const char *name)
{
    char key[CONGRU_PAPER_NAME_SIZE + CONGRU_SCORE_NAME_SIZE + 2];
    const int size = snprintf(key, sizeof key, "%s\n%s\n", dataset, name);
    for (size_t i = 0; i < runs->ridges.notes; i++)
        if (strncmp(runs->ridges.note[i], key, (size_t)size) == 0)
            return runs->ridges.note[i] + size;
    return "";
}

congru_status congru_paper_runs_tell_ridges(const congru_paper_runs *runs, const char *where)
{
    congru_text text = {0};
    for (size_t i = 0; i < runs->ridges.notes; i++) {
        const char *dataset = runs->ridges.note[i], *name = dataset + strcspn(dataset, "\n") + 1,
                   *value = name + strcspn(name, "\n") + 1;
        congru_text_add(&text, "%s%.*s %s", i > 0 ? "; " : "", (int)(value - name - 1), name, value);
        if (runs->scores.count > 1)
            congru_text_add(&text, " on %.*s", (int)(name - dataset - 1), dataset);
    }
    congru_status status = text.failed ? congru_paper_no_memory(runs->job) : CONGRU_OK;
    if (status == CONGRU_OK && text.size > 0)
        status = congru_paper_say(runs->job, CONGRU_PAPER_NOTE, true, "C of ridges%s: %s", where, text.data);
    congru_text_clear(&text);
    return status;
}

static bool is_asked(const congru_paper_request *request, const char *pipeline)
{
    for (size_t i = 0; i < request->run.pipeline_count; i++)
        if (strcmp(request->run.pipelines[i], pipeline) == 0)
            return true;
    return request->run.pipelines == NULL;
}

static congru_status run_ridge(congru_paper_runs *runs, size_t which, size_t ridge, const char *pipelines)
{
    char folder[CONGRU_PAPER_PATH_SIZE], dataset[CONGRU_PAPER_NAME_SIZE], name[CONGRU_SCORE_NAME_SIZE];
    congru_method_options method = runs->job->request->run.method;
    congru_results *results = NULL;
    congru_paper_open open;
    method.c = ridges[ridge].c;
    congru_status status = congru_paper_set_open(runs->job, which, &method, pipelines, &open);
    /* The ridges alone, also where the request has pipelines of its own. */
    congru_names_split(&open.names, pipelines);
    open.options.pipelines = open.names.item;
    open.options.pipeline_count = open.names.count;
    if (status == CONGRU_OK)
        status = congru_paper_folder(runs->job, open.about->name, ridges[ridge].suffix, folder);
    open.options.folder = folder;
    if (status == CONGRU_OK)
        status = congru_paper_evaluate(runs->job, open.set, &open.options, &results);
    if (status == CONGRU_OK) {
        congru_paper_set_name(&open, dataset);
        status = congru_paper_runs_keep_ridges(runs, results, dataset, method.c, ridges[ridge].name);
    }
    for (size_t i = 0; status == CONGRU_OK && i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        congru_paper_ridge(runs->job, results->pipeline[fold->pipeline], ridge == 1, name);
        if (!congru_score_list_add(&runs->scores, dataset, results->subject_name[fold->subject], name,
                                   100 * fold->accuracy))
            status = congru_paper_no_memory(runs->job);
    }
    congru_results_destroy(&results);
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_paper_runs_ridges(congru_paper_runs *runs, const char *pipelines)
{
    const congru_paper_request *request = runs->job->request;
    char list[CONGRU_NAMES_SIZE] = "";
    congru_names names = {0};
    congru_status status = CONGRU_OK;
    congru_names_split(&names, pipelines);
    for (size_t i = 0, used = 0; i < names.count; i++)
        if (congru_paper_has_ridge(names.item[i]) && is_asked(request, names.item[i]) && used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? "," : "", names.item[i]);
    for (size_t i = 0; status == CONGRU_OK && list[0] != '\0' && i < request->set_count; i++)
        for (size_t k = 0; status == CONGRU_OK && k < RIDGES; k++)
            if (request->run.method.c != ridges[k].c)
                status = run_ridge(runs, i, k, list);
    return status;
}

/* ---- Pipelines that are scored on fewer trials ---- */

static size_t count_scored(const congru_results *results, size_t pipeline)
{
    size_t count = 0;
    for (size_t i = 0; i < results->folds; i++)
        count += results->fold[i].pipeline == pipeline ? results->fold[i].samples : 0;
    return count;
}

/* Marks the trials that a pipeline is scored on, of `trials`. */
static void mark_scored(const congru_results *results, size_t pipeline, bool *scored)
{
    for (size_t i = 0; i < results->folds; i++)
        for (size_t k = 0; results->fold[i].pipeline == pipeline && results->fold[i].trial != NULL &&
                           k < results->fold[i].samples;
             k++)
            scored[results->fold[i].trial[k]] = true;
}

void congru_paper_common_name(const char *pipeline, const char *few, char name[CONGRU_SCORE_NAME_SIZE])
{
    snprintf(name, CONGRU_SCORE_NAME_SIZE, "%.28s on %.28s", pipeline, few);
}

static bool add_common(congru_paper_runs *runs, const congru_results *results, const char *dataset,
                       const char *few, const bool *scored)
{
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        char name[CONGRU_SCORE_NAME_SIZE];
        size_t right = 0, count = 0;
        for (size_t k = 0; fold->trial != NULL && k < fold->samples; k++) {
            count += scored[fold->trial[k]];
            right += scored[fold->trial[k]] && fold->prediction[k] == fold->truth[k];
        }
        congru_paper_common_name(results->pipeline[fold->pipeline], few, name);
        if (count > 0 && !congru_score_list_add(&runs->scores, dataset, results->subject_name[fold->subject],
                                                name, 100 * (double)right / (double)count))
            return false;
    }
    return true;
}

congru_status congru_paper_runs_common(congru_paper_runs *runs, const congru_results *results,
                                       const char *dataset, size_t trials)
{
    size_t most = 0;
    bool *scored = malloc(trials + 1), good = scored != NULL;
    for (size_t p = 0; p < results->pipelines; p++)
        most = count_scored(results, p) > most ? count_scored(results, p) : most;
    for (size_t p = 0; good && p < results->pipelines; p++) {
        const size_t own = count_scored(results, p);
        congru_text remark = {0};
        if (own == 0 || own == most)
            continue;
        memset(scored, 0, trials);
        mark_scored(results, p, scored);
        good = add_common(runs, results, dataset, results->pipeline[p], scored);
        congru_text_add(&remark,
                        "%s: %s is scored on %zu trials where others have %zu: its row is not to be compared "
                        "with theirs, and claims compare on its trials",
                        dataset, results->pipeline[p], own, most);
        good = good && !remark.failed;
        if (good)
            congru_table_note(&runs->remarks, remark.data);
        congru_text_clear(&remark);
    }
    free(scored);
    return good ? CONGRU_OK : congru_paper_no_memory(runs->job);
}
