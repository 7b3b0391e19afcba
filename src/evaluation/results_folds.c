/* Puts finished folds together, and says what is missing. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/results_folds.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/folder.h"
#include "base/error.h"
#include "base/json_scan.h"
#include "base/number_text.h"
#include "evaluation/fold_file.h"
#include "evaluation/fold_run.h"
#include "evaluation/knowledge.h"
#include "evaluation/pipeline.h"
#include "evaluation/results.h"

/* ---- The files ------------------------------------------------------------------------------------------- */

/* The subject of "12.csv"; -1 for other names. */
static int32_t subject_of(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits < 9 && strcmp(name + digits, ".csv") == 0 ? (int32_t)strtol(name, NULL, 10)
                                                                          : -1;
}

static congru_status add_place(congru_context *context, congru_fold_list *list, const char *pipeline,
                               int32_t subject)
{
    CONGRU_TRY(congru_grow(context, &list->place, &list->room, list->count + 1, sizeof *list->place, "folds"));
    congru_fold_place *place = list->place;
    size_t at = list->count++;
    for (; at > 0 && strcmp(place[at - 1].pipeline, pipeline) == 0 && place[at - 1].subject > subject; at--)
        place[at] = place[at - 1];
    strcpy(place[at].pipeline, pipeline);
    place[at].subject = subject;
    return CONGRU_OK;
}

/* A folder that is there and cannot be read is a failure: results must not seem to be fewer than they are. */
static congru_status list_pipeline(congru_context *context, const char *folder, const char *pipeline,
                                   congru_fold_list *list)
{
    congru_text path = {0};
    congru_status status = CONGRU_OK;
    congru_text_add(&path, "%s/folds/%s", folder, pipeline);
    if (path.failed)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    errno = 0;
    DIR *directory = opendir(path.data);
    if (directory == NULL && (errno == ENOENT || errno == ENOTDIR))
        goto done;
    for (const struct dirent *entry; directory != NULL;) {
        errno = 0;
        entry = readdir(directory);
        if (entry == NULL)
            break;
        if (subject_of(entry->d_name) >= 0)
            CONGRU_TRY_TO(done, add_place(context, list, pipeline, subject_of(entry->d_name)));
    }
    if (errno != 0)
        status =
            congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read the folder: %s", path.data, strerror(errno));
done:
    if (directory != NULL)
        closedir(directory);
    congru_text_clear(&path);
    return status;
}

/* ---- Their folds ----------------------------------------------------------------------------------------- */

typedef struct folds_reader {
    congru_context *context;
    const char *folder;
    const congru_fold_list *list;
    congru_results *results;
    int32_t *subject; /* (subjects) index in the set of each of the results' */
    char fingerprint[CONGRU_FINGERPRINT_SIZE];
} folds_reader;

static congru_status fail_mixed(const folds_reader *r, const char *path)
{
    return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                       "%s: not of the same run as the folds before it (remove those of one run)", path);
}

/* The subjects of all folds, ascending, and the pipelines, as they come. */
static void list_names(folds_reader *r)
{
    congru_results *results = r->results;
    for (size_t i = 0; i < r->list->count; i++) {
        const congru_fold_place *place = &r->list->place[i];
        size_t at = 0, end = results->subjects;
        while (at < end && r->subject[at] < place->subject)
            at++;
        if (at == end || r->subject[at] != place->subject) {
            memmove(r->subject + at + 1, r->subject + at, (end - at) * sizeof *r->subject);
            r->subject[at] = place->subject;
            results->subjects++;
        }
        if (i == 0 || strcmp(place->pipeline, results->pipeline[results->pipelines - 1]) != 0)
            strcpy(results->pipeline[results->pipelines++], place->pipeline);
    }
}

/* The classes are the headings "p_NAME" of the first fold, and those of the others must be the same. */
static congru_status take_classes(folds_reader *r, const congru_csv *csv)
{
    congru_results *results = r->results;
    const size_t classes = csv->columns - 3;
    const bool first = results->class_name == NULL;
    if (first)
        CONGRU_TRY(congru_allocate(r->context, &results->class_name, classes, sizeof *results->class_name,
                                   "%zu classes", classes));
    results->classes = first ? classes : results->classes;
    if (classes != results->classes)
        return fail_mixed(r, csv->path);
    for (size_t k = 0; k < classes; k++) {
        const char *heading = csv->field[3 + k];
        if (strncmp(heading, "p_", 2) != 0 || strlen(heading + 2) >= sizeof results->class_name[0])
            return fail_mixed(r, csv->path);
        if (first)
            strcpy(results->class_name[k], heading + 2);
        else if (strcmp(results->class_name[k], heading + 2) != 0)
            return fail_mixed(r, csv->path);
    }
    return CONGRU_OK;
}

static congru_status take_fold(folds_reader *r, congru_csv *csv, const congru_fold_place *place)
{
    congru_results *results = r->results;
    congru_fold *fold = &results->fold[results->folds++];
    congru_fold_about about;
    bool found;
    CONGRU_TRY(
        congru_fold_load(r->context, r->folder, place->pipeline, place->subject, csv, fold, &about, &found));
    if (!found)
        return congru_fail(r->context, CONGRU_ERROR_IO, "%s/folds/%s/%d.csv: was removed while it was read",
                           r->folder, place->pipeline, (int)place->subject);
    CONGRU_TRY(take_classes(r, csv));
    if (results->folds == 1)
        strcpy(r->fingerprint, about.fingerprint);
    if (strcmp(r->fingerprint, about.fingerprint) != 0)
        return fail_mixed(r, csv->path);
    size_t subject = 0;
    while (r->subject[subject] != place->subject)
        subject++;
    while (strcmp(results->pipeline[fold->pipeline], place->pipeline) != 0)
        fold->pipeline++;
    fold->subject = (int32_t)subject;
    strcpy(results->subject_name[subject], about.subject_name);
    results->subject_sessions[subject] = about.sessions;
    results->channels = about.channels;
    return fold->samples > 0 ? congru_fold_score(r->context, fold, results->classes) : fail_mixed(r, csv->path);
}

congru_status congru_fold_list_read(congru_context *context, const char *folder, const congru_fold_list *list,
                                    congru_results **results)
{
    const size_t room = list->count;
    folds_reader r = {.context = context, .folder = folder, .list = list};
    congru_status status;
    CONGRU_TRY_TO(done, congru_results_reserve(context, "", room, room, room, &r.results));
    CONGRU_TRY_TO(done, congru_allocate(context, &r.subject, room + 1, sizeof *r.subject, "%zu folds", room));
    list_names(&r);
    for (size_t i = 0; status == CONGRU_OK && i < list->count; i++) {
        congru_csv csv = {0};
        status = take_fold(&r, &csv, &list->place[i]);
        congru_csv_clear(&csv);
    }
done:
    free(r.subject);
    if (status != CONGRU_OK)
        congru_results_destroy(&r.results);
    *results = r.results;
    return status;
}

/* ---- What the run was to make ---------------------------------------------------------------------------- */

/* Names out of run.json. */
typedef struct name_list {
    size_t count, room;
    char (*name)[CONGRU_LABEL_SIZE];
} name_list;

typedef struct run_plan {
    congru_context *context;
    name_list pipelines, scored, unscored;
    congru_text dataset;
    double trial_seconds;
    congru_seen seen;
    bool chooses;
    congru_status status; /* of keeping names */
} run_plan;

static void clear_plan(run_plan *plan)
{
    free(plan->pipelines.name);
    free(plan->scored.name);
    free(plan->unscored.name);
    congru_text_clear(&plan->dataset);
    *plan = (run_plan){.context = plan->context};
}

/* One that is longer than any name of this version is left out. */
static void add_name(run_plan *plan, name_list *list, const congru_text *name)
{
    if (plan->status != CONGRU_OK || name->data == NULL || name->size >= sizeof list->name[0])
        return;
    plan->status =
        congru_grow(plan->context, &list->name, &list->room, list->count + 1, sizeof *list->name, "names");
    if (plan->status == CONGRU_OK)
        strcpy(list->name[list->count++], name->data);
}

static void scan_names(congru_scan *json, run_plan *plan, name_list *list)
{
    for (bool first = congru_scan_array(json); congru_scan_element(json, &first);) {
        congru_text text = {0};
        congru_text_add(&text, "%s", "");
        if (congru_scan_string_add(json, &text))
            add_name(plan, list, &text);
        congru_text_clear(&text);
    }
}

/* [{"subject": NAME, ..., "scored": false}, ...] */
static void scan_few(congru_scan *json, run_plan *plan)
{
    char key[32];
    for (bool first = congru_scan_array(json); congru_scan_element(json, &first);) {
        congru_text text = {0};
        bool scored = true;
        for (bool begins = congru_scan_object(json); congru_scan_member(json, &begins, key, sizeof key);) {
            if (strcmp(key, "subject") == 0)
                congru_scan_string_add(json, &text);
            else if (strcmp(key, "scored") == 0)
                congru_scan_boolean(json, &scored);
            else
                congru_scan_skip(json);
        }
        if (!json->failed && !scored)
            add_name(plan, &plan->unscored, &text);
        congru_text_clear(&text);
    }
}

/* What was to be seen of target subjects; a name that this version does not know leaves it not known. */
static void take_target(const char *name, congru_seen *seen)
{
    for (int target = 0; congru_target_name((congru_target)target) != NULL; target++)
        if (strcmp(name, congru_target_name((congru_target)target)) == 0) {
            seen->target = (congru_target)target;
            seen->known = true;
        }
}

static void scan_setting(congru_scan *json, const char *key, run_plan *plan)
{
    const congru_method_option *row = congru_method_option_find(key);
    congru_text text = {0};
    plan->chooses = plan->chooses || (row != NULL && row->kind == CONGRU_OPTION_CHOOSE);
    if (strcmp(key, "dataset") == 0)
        congru_scan_string_add(json, &plan->dataset);
    else if (strcmp(key, "balance") == 0)
        congru_scan_boolean(json, &plan->seen.balance);
    else if (strcmp(key, "target") == 0 && congru_scan_string_add(json, &text) && text.data != NULL)
        take_target(text.data, &plan->seen);
    else if (strcmp(key, "protocol") == 0 && congru_scan_string_add(json, &text) && text.data != NULL)
        plan->seen.protocol = strcmp(text.data, "folds") == 0 ? CONGRU_PROTOCOL_FOLDS : plan->seen.protocol;
    else if (!json->failed)
        congru_scan_skip(json);
    congru_text_clear(&text);
}

static void scan_plan(congru_scan *json, run_plan *plan)
{
    char key[64];
    for (bool first = congru_scan_object(json); congru_scan_member(json, &first, key, sizeof key);) {
        if (strcmp(key, "settings") == 0)
            for (bool any = congru_scan_object(json); congru_scan_member(json, &any, key, sizeof key);)
                scan_setting(json, key, plan);
        else if (strcmp(key, "pipelines") == 0)
            scan_names(json, plan, &plan->pipelines);
        else if (strcmp(key, "scored") == 0)
            scan_names(json, plan, &plan->scored);
        else if (strcmp(key, "few_trials") == 0)
            scan_few(json, plan);
        else if (strcmp(key, "trial_seconds") == 0)
            congru_scan_number(json, &plan->trial_seconds);
        else
            congru_scan_skip(json);
    }
}

/* A run.json that is missing, or is not what congru wrote, leaves the plan empty: it is not needed to show results. */
static congru_status read_plan(congru_context *context, const char *folder, run_plan *plan)
{
    enum { RUN_SIZE_MAX = 1 << 22 };
    char *text;
    *plan = (run_plan){.context = context};
    CONGRU_TRY(congru_folder_text(context, folder, RUN_SIZE_MAX, "a run.json", &text, "run.json"));
    if (text == NULL)
        return CONGRU_OK;
    congru_scan json = congru_scan_start(text, strlen(text));
    json.lenient = true;
    scan_plan(&json, plan);
    const congru_status status = plan->status;
    if (!congru_scan_end(&json))
        clear_plan(plan);
    free(text);
    return status;
}

static bool is_listed(const congru_fold_list *list, const char *pipeline)
{
    bool listed = false;
    for (size_t i = 0; i < list->count && !listed; i++)
        listed = strcmp(list->place[i].pipeline, pipeline) == 0;
    return listed;
}

/* A name that run.json has, of a pipeline that this context may not know; as a folder's, which is not left by it. */
static bool is_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL &&
           strlen(name) < CONGRU_PIPELINE_SIZE;
}

congru_status congru_fold_list_make(congru_context *context, const char *folder, congru_fold_list *list)
{
    run_plan plan;
    char(*name)[CONGRU_PIPELINE_SIZE] = NULL;
    size_t count;
    congru_status status;
    *list = (congru_fold_list){0};
    CONGRU_TRY_TO(done, read_plan(context, folder, &plan));
    CONGRU_TRY_TO(done, congru_pipeline_names(context, &name, &count));
    for (size_t i = 0; i < count; i++)
        CONGRU_TRY_TO(done, list_pipeline(context, folder, name[i], list));
    for (size_t i = 0; i < plan.pipelines.count; i++)
        if (is_name(plan.pipelines.name[i]) && !is_listed(list, plan.pipelines.name[i]))
            CONGRU_TRY_TO(done, list_pipeline(context, folder, plan.pipelines.name[i], list));
done:
    free(name);
    clear_plan(&plan);
    if (status != CONGRU_OK) {
        free(list->place);
        *list = (congru_fold_list){0};
    }
    return status;
}

/* ---- Notes ----------------------------------------------------------------------------------------------- */

static bool is_there(const congru_results *results, const char *pipeline, const char *subject)
{
    for (size_t i = 0; i < results->folds; i++)
        if (strcmp(results->pipeline[results->fold[i].pipeline], pipeline) == 0 &&
            strcmp(results->subject_name[results->fold[i].subject], subject) == 0)
            return true;
    return false;
}

/* One more of `named` names, of which so many are told. */
static void add_to(congru_text *text, size_t named, size_t most, const char *name)
{
    if (named < most)
        congru_text_add(text, "%s%s", named > 0 ? ", " : "", name);
}

static void add_more(congru_text *text, size_t named, size_t most)
{
    if (named > most)
        congru_text_add(text, " and %zu more", named - most);
}

/* Of the plan's folds those that are missing are counted, and the first are named. */
static void find_missing(const run_plan *plan, congru_results *results, congru_text *text)
{
    enum { NAMED_MOST = 3 };
    char one[96];
    for (size_t p = 0; p < plan->pipelines.count; p++)
        for (size_t s = 0; s < plan->scored.count; s++)
            if (!is_there(results, plan->pipelines.name[p], plan->scored.name[s])) {
                snprintf(one, sizeof one, "%.40s of %.40s", plan->pipelines.name[p], plan->scored.name[s]);
                add_to(text, results->missing++, NAMED_MOST, one);
            }
    add_more(text, results->missing, NAMED_MOST);
}

/* A note of the results and, where something is wrong with the folder, of the context. Clears both texts. */
static void note(congru_context *context, const char *folder, congru_results *results, const char *what,
                 congru_text *names)
{
    if (names->size > 0 && !names->failed) {
        char *line = results->note[results->note_count++];
        congru_format(line, CONGRU_NOTE_SIZE, "%s%s", what, names->data);
        if (folder != NULL)
            congru_note(context, "%s: %s", folder, line);
    }
    congru_text_clear(names);
}

static void add_notes(congru_context *context, const char *folder, const run_plan *plan,
                      congru_results *results)
{
    enum { NAMED_MOST = 5 };
    const size_t all = plan->pipelines.count * plan->scored.count;
    congru_text names = {0};
    char what[128], one[32];
    size_t few = 0;
    find_missing(plan, results, &names);
    snprintf(what, sizeof what, "not finished, %zu of %zu folds are there (its command goes on); missing: ",
             all - results->missing, all);
    note(context, folder, results, what, &names);
    for (size_t i = 0; i < plan->unscored.count; i++) {
        snprintf(one, sizeof one, "%.30s", plan->unscored.name[i]);
        add_to(&names, i, NAMED_MOST, one);
    }
    add_more(&names, plan->unscored.count, NAMED_MOST);
    note(context, folder, results, "not scored, without trials both to fit on and to score: ", &names);
    for (size_t s = 0; s < results->subjects; s++)
        if (results->subject_few[s]) {
            snprintf(one, sizeof one, "%.30s", results->subject_name[s]);
            add_to(&names, few++, NAMED_MOST, one);
        }
    add_more(&names, few, NAMED_MOST);
    note(context, folder, results,
         "few trials or a class without any, so that scores say little (marked *): ", &names);
    if (plan->seen.balance)
        congru_text_add(&names, "%s", congru_balance_note);
    note(context, folder, results, "", &names);
    congru_knowledge_note(results,
                          &names); /* nothing is wrong with the folder, of which the context would warn */
    note(context, NULL, results, "", &names);
}

/* The subjects of folds by their index in the set, as the files of folds are named; -1 where there are others than these. */
static congru_status place_folds(congru_context *context, const congru_fold_list *list,
                                 const congru_results *results, int32_t **place)
{
    CONGRU_TRY(congru_allocate(context, place, results->folds, sizeof **place, "%zu folds", results->folds));
    for (size_t i = 0, own = 0; i < results->folds; i++) {
        const char *pipeline = results->pipeline[results->fold[i].pipeline];
        size_t folds = 0, files = 0;
        own = i > 0 && results->fold[i].pipeline == results->fold[i - 1].pipeline ? own + 1 : 0;
        for (size_t k = 0; k < results->folds; k++)
            folds += results->fold[k].pipeline == results->fold[i].pipeline;
        (*place)[i] = -1;
        for (size_t k = 0; k < list->count; k++)
            if (strcmp(list->place[k].pipeline, pipeline) == 0 && files++ == own)
                (*place)[i] = list->place[k].subject;
        (*place)[i] = files == folds ? (*place)[i] : -1;
    }
    return CONGRU_OK;
}

congru_status congru_results_complete(congru_context *context, const char *folder, bool from_folds,
                                      const congru_fold_list *list, congru_results *results)
{
    enum { NOTES_MOST = 6 };
    run_plan plan;
    int32_t *place = NULL;
    congru_text line = {0};
    congru_status status;
    CONGRU_TRY_TO(done, read_plan(context, folder, &plan));
    CONGRU_TRY_TO(done, congru_allocate(context, &results->note, NOTES_MOST + results->pipelines,
                                        sizeof *results->note, "notes"));
    if (results->dataset[0] == '\0' && plan.dataset.data != NULL) {
        free(results->dataset);
        results->dataset = plan.dataset.data;
        plan.dataset = (congru_text){0};
    }
    if (from_folds && plan.scored.count == 0)
        congru_text_add(&line, "no results.csv and no run.json: %zu finished folds, of how many is not known",
                        results->folds);
    note(context, folder, results, "", &line);
    results->trial_seconds = plan.trial_seconds > 0 && isfinite(plan.trial_seconds) ? plan.trial_seconds : 0.0;
    CONGRU_TRY_TO(done, congru_knowledge_find(context, &plan.seen, results));
    add_notes(context, folder, &plan, results);
    CONGRU_TRY_TO(done, place_folds(context, list, results, &place));
    status = congru_results_choices(context, folder, NULL, plan.chooses, place, results);
done:
    free(place);
    clear_plan(&plan);
    return status;
}
