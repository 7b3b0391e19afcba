/* Puts finished folds together, and says what is missing. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/results_folds.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"
#include "base/json_scan.h"
#include "base/number_text.h"
#include "evaluation/fold_file.h"
#include "evaluation/fold_run.h"
#include "evaluation/knowledge.h"
#include "evaluation/pipeline.h"
#include "evaluation/results.h"
#include "evaluation/scoring.h"

static congru_status fail_memory(congru_context *context, const char *folder)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
}

/* ---- The files ------------------------------------------------------------------------------------------- */

/* The subject of "12.csv"; -1 for other names. */
static int32_t subject_of(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits < 9 && strcmp(name + digits, ".csv") == 0 ? (int32_t)strtol(name, NULL, 10)
                                                                          : -1;
}

static bool add_place(congru_fold_list *list, const char *pipeline, int32_t subject)
{
    congru_fold_place *grown = realloc(list->place, (list->count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    size_t at = list->count++;
    list->place = grown;
    for (; at > 0 && strcmp(grown[at - 1].pipeline, pipeline) == 0 && grown[at - 1].subject > subject; at--)
        grown[at] = grown[at - 1];
    strcpy(grown[at].pipeline, pipeline);
    grown[at].subject = subject;
    return true;
}

/* A folder that is there and cannot be read is a failure: results must not seem to be fewer than they are. */
static congru_status list_pipeline(congru_context *context, const char *folder, const char *pipeline,
                                   congru_fold_list *list)
{
    congru_text path = {0};
    congru_text_add(&path, "%s/folds/%s", folder, pipeline);
    if (path.failed)
        return fail_memory(context, folder);
    errno = 0;
    DIR *directory = opendir(path.data);
    int cause = directory != NULL || errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    bool room = true;
    for (struct dirent *entry; directory != NULL && room;) {
        errno = 0;
        entry = readdir(directory);
        if (entry == NULL) {
            cause = errno;
            break;
        }
        int32_t subject = subject_of(entry->d_name);
        room = subject < 0 || add_place(list, pipeline, subject);
    }
    congru_status status = CONGRU_OK;
    if (!room)
        status = fail_memory(context, folder);
    else if (cause != 0)
        status =
            congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read the folder: %s", path.data, strerror(cause));
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
static congru_status list_names(folds_reader *r)
{
    congru_results *results = r->results;
    const size_t room = r->list->count + 1;
    results->fold = calloc(room, sizeof *results->fold);
    results->pipeline = calloc(room, sizeof *results->pipeline);
    results->subject_name = calloc(room, sizeof *results->subject_name);
    results->subject_sessions = calloc(room, sizeof *results->subject_sessions);
    results->subject_few = calloc(room, sizeof *results->subject_few);
    results->dataset = strdup("");
    r->subject = calloc(room, sizeof *r->subject);
    if (results->fold == NULL || results->pipeline == NULL || results->subject_name == NULL ||
        results->subject_sessions == NULL || results->subject_few == NULL || results->dataset == NULL ||
        r->subject == NULL)
        return fail_memory(r->context, r->folder);
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
    return CONGRU_OK;
}

/* The classes are the headings "p_NAME" of the first fold, and those of the others must be the same. */
static congru_status take_classes(folds_reader *r, const congru_csv *csv)
{
    congru_results *results = r->results;
    const size_t classes = csv->columns - 3;
    bool first = results->class_name == NULL;
    if (first)
        results->class_name = calloc(classes + 1, sizeof *results->class_name);
    if (results->class_name == NULL)
        return fail_memory(r->context, r->folder);
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
    congru_status status =
        congru_fold_load(r->context, r->folder, place->pipeline, place->subject, csv, fold, &about);
    if (status == CONGRU_OK)
        status = take_classes(r, csv);
    if (status != CONGRU_OK)
        return status;
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
    folds_reader reader = {
        .context = context, .folder = folder, .list = list, .results = calloc(1, sizeof *reader.results)};
    congru_status status = reader.results != NULL ? list_names(&reader) : fail_memory(context, folder);
    for (size_t i = 0; status == CONGRU_OK && i < list->count; i++) {
        congru_csv csv = {0};
        status = take_fold(&reader, &csv, &list->place[i]);
        congru_csv_clear(&csv);
    }
    free(reader.subject);
    if (status != CONGRU_OK)
        congru_results_destroy(&reader.results);
    *results = reader.results;
    return status;
}

/* ---- What the run was to make ---------------------------------------------------------------------------- */

/* Names out of run.json; each is freed, and the list. */
typedef struct name_list {
    size_t count;
    char **name;
} name_list;

typedef struct run_plan {
    name_list pipelines, scored, unscored;
    congru_text dataset;
    double trial_seconds;
    congru_seen seen;
    bool chooses;
    bool failed; /* without memory */
} run_plan;

static void add_name(run_plan *plan, name_list *list, congru_text *text)
{
    char **grown = realloc(list->name, (list->count + 1) * sizeof *grown);
    if (grown == NULL || text->failed || text->data == NULL) {
        plan->failed = true;
        list->name = grown != NULL ? grown : list->name;
        congru_text_clear(text);
        return;
    }
    list->name = grown;
    list->name[list->count++] = text->data;
}

static void scan_names(congru_scan *json, run_plan *plan, name_list *list)
{
    for (bool first = congru_scan_array(json); congru_scan_element(json, &first);) {
        congru_text text = {0};
        congru_text_add(&text, "%s", "");
        if (congru_scan_string_add(json, &text))
            add_name(plan, list, &text);
        else
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
        if (!json->failed && !scored && text.data != NULL)
            add_name(plan, &plan->unscored, &text);
        else
            congru_text_clear(&text);
    }
}

/* What was to be seen of target subjects; a name that this version does not know leaves it not known. */
static void scan_target(congru_scan *json, congru_seen *seen)
{
    congru_text name = {0};
    congru_scan_string_add(json, &name);
    for (int target = 0; name.data != NULL && congru_target_name((congru_target)target) != NULL; target++)
        if (strcmp(name.data, congru_target_name((congru_target)target)) == 0) {
            seen->target = (congru_target)target;
            seen->known = true;
        }
    congru_text_clear(&name);
}

static void scan_protocol(congru_scan *json, congru_seen *seen)
{
    congru_text name = {0};
    congru_scan_string_add(json, &name);
    if (name.data != NULL && strcmp(name.data, "folds") == 0)
        seen->protocol = CONGRU_PROTOCOL_FOLDS;
    congru_text_clear(&name);
}

/* Of the options of methods, whether something was to be chosen. */
static void scan_option(congru_scan *json, const char *key, run_plan *plan)
{
    const congru_method_option *row = congru_method_option_find(key);
    plan->chooses = plan->chooses || (row != NULL && row->kind == CONGRU_OPTION_CHOOSE);
    congru_scan_skip(json);
}

static void scan_settings(congru_scan *json, run_plan *plan)
{
    char key[64];
    for (bool first = congru_scan_object(json); congru_scan_member(json, &first, key, sizeof key);)
        if (strcmp(key, "dataset") == 0)
            congru_scan_string_add(json, &plan->dataset);
        else if (strcmp(key, "balance") == 0)
            congru_scan_boolean(json, &plan->seen.balance);
        else if (strcmp(key, "target") == 0)
            scan_target(json, &plan->seen);
        else if (strcmp(key, "protocol") == 0)
            scan_protocol(json, &plan->seen);
        else
            scan_option(json, key, plan);
}

static void scan_plan(congru_scan *json, run_plan *plan)
{
    char key[64];
    for (bool first = congru_scan_object(json); congru_scan_member(json, &first, key, sizeof key);) {
        if (strcmp(key, "settings") == 0)
            scan_settings(json, plan);
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

static void clear_names(name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
    *list = (name_list){0};
}

static void clear_plan(run_plan *plan)
{
    clear_names(&plan->pipelines);
    clear_names(&plan->scored);
    clear_names(&plan->unscored);
    congru_text_clear(&plan->dataset);
    plan->trial_seconds = 0.0;
    plan->seen = (congru_seen){0};
    plan->chooses = false;
}

/* A run.json that is missing, or is not what congru wrote, leaves the plan empty: it is not needed to show results. */
static congru_status read_plan(congru_context *context, const char *folder, run_plan *plan)
{
    enum { RUN_SIZE_MAX = 1 << 22 };
    congru_text path = {0};
    char *text = NULL;
    size_t size;
    bool exists = false;
    congru_text_add(&path, "%s/run.json", folder);
    congru_status status =
        path.failed ? fail_memory(context, folder) : congru_source_exists(context, path.data, &exists);
    if (status == CONGRU_OK && exists)
        status = congru_source_text(context, path.data, RUN_SIZE_MAX, "a run.json", &text, &size);
    if (status == CONGRU_OK && exists) {
        congru_scan json = congru_scan_start(text, size);
        json.lenient = true;
        scan_plan(&json, plan);
        if (!congru_scan_end(&json))
            clear_plan(plan);
    }
    free(text);
    congru_text_clear(&path);
    return status == CONGRU_OK && plan->failed ? fail_memory(context, folder) : status;
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
    run_plan plan = {0};
    char(*name)[CONGRU_PIPELINE_SIZE];
    size_t count;
    *list = (congru_fold_list){0};
    congru_status status = read_plan(context, folder, &plan);
    if (congru_pipeline_names(context, &name, &count) != CONGRU_OK)
        status = fail_memory(context, folder);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = list_pipeline(context, folder, name[i], list);
    for (size_t i = 0; status == CONGRU_OK && i < plan.pipelines.count; i++) {
        const char *of_run = plan.pipelines.name[i];
        if (is_name(of_run) && !is_listed(list, of_run))
            status = list_pipeline(context, folder, of_run, list);
    }
    free(name);
    clear_plan(&plan);
    if (status != CONGRU_OK) {
        free(list->place);
        *list = (congru_fold_list){0};
    }
    return status;
}

static bool is_there(const congru_results *results, const char *pipeline, const char *subject)
{
    for (size_t i = 0; i < results->folds; i++)
        if (strcmp(results->pipeline[results->fold[i].pipeline], pipeline) == 0 &&
            strcmp(results->subject_name[results->fold[i].subject], subject) == 0)
            return true;
    return false;
}

/* Of the plan's folds those that are missing are counted, and the first are named. */
static void find_missing(const run_plan *plan, congru_results *results, congru_text *text)
{
    enum { NAMED_MOST = 3 };
    for (size_t p = 0; p < plan->pipelines.count; p++)
        for (size_t s = 0; s < plan->scored.count; s++) {
            if (is_there(results, plan->pipelines.name[p], plan->scored.name[s]))
                continue;
            if (results->missing++ < NAMED_MOST)
                congru_text_add(text, "%s%.40s of %.40s", text->size > 0 ? ", " : "", plan->pipelines.name[p],
                                plan->scored.name[s]);
        }
    if (results->missing > NAMED_MOST)
        congru_text_add(text, " and %zu more", results->missing - NAMED_MOST);
}

static void list_unscored(const run_plan *plan, congru_text *text)
{
    enum { NAMED_MOST = 5 };
    for (size_t i = 0; i < plan->unscored.count && i < NAMED_MOST; i++)
        congru_text_add(text, "%s%.30s", i > 0 ? ", " : "", plan->unscored.name[i]);
    if (plan->unscored.count > NAMED_MOST)
        congru_text_add(text, " and %zu more", plan->unscored.count - NAMED_MOST);
}

static void list_few(const congru_results *results, congru_text *text)
{
    enum { NAMED_MOST = 5 };
    size_t few = 0;
    for (size_t s = 0; s < results->subjects; s++)
        if (results->subject_few[s] && few++ < NAMED_MOST)
            congru_text_add(text, "%s%.30s", few > 1 ? ", " : "", results->subject_name[s]);
    if (few > NAMED_MOST)
        congru_text_add(text, " and %zu more", few - NAMED_MOST);
}

static bool keep_note(congru_results *results, const congru_text *text)
{
    if (text->size == 0 || text->failed)
        return false;
    congru_format(results->note[results->note_count++], CONGRU_NOTE_SIZE, "%s", text->data);
    return true;
}

static void note(congru_context *context, const char *folder, congru_results *results, const congru_text *text)
{
    if (keep_note(results, text))
        congru_note(context, "%s: %s", folder, text->data);
}

static void add_notes(congru_context *context, const char *folder, const run_plan *plan,
                      congru_results *results)
{
    congru_text names = {0}, line = {0};
    find_missing(plan, results, &names);
    size_t all = plan->pipelines.count * plan->scored.count;
    if (names.size > 0)
        congru_text_add(&line, "not finished, %zu of %zu folds are there (its command goes on); missing: %s",
                        all - results->missing, all, names.data);
    note(context, folder, results, &line);
    congru_text_clear(&names);
    congru_text_clear(&line);
    list_unscored(plan, &names);
    if (names.size > 0)
        congru_text_add(&line, "not scored, without trials both to fit on and to score: %s", names.data);
    note(context, folder, results, &line);
    congru_text_clear(&names);
    congru_text_clear(&line);
    list_few(results, &names);
    if (names.size > 0)
        congru_text_add(&line, "few trials or a class without any, so that scores say little (marked *): %s",
                        names.data);
    note(context, folder, results, &line);
    congru_text_clear(&names);
    congru_text_clear(&line);
    if (plan->seen.balance)
        congru_text_add(&line, "%s", congru_balance_note);
    note(context, folder, results, &line);
    congru_text_clear(&line);
    /* It is told with the results: nothing is wrong with the folder, of which the context would warn. */
    congru_knowledge_note(results, &line);
    keep_note(results, &line);
    congru_text_clear(&line);
}

/* The subjects of folds by their index in the set, as the files of folds are named; -1 where there are others than these. */
static congru_status place_folds(congru_context *context, const char *folder, const congru_fold_list *list,
                                 const congru_results *results, int32_t **place)
{
    *place = malloc((results->folds + 1) * sizeof **place);
    if (*place == NULL)
        return fail_memory(context, folder);
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
    run_plan plan = {0};
    congru_status status = read_plan(context, folder, &plan);
    int32_t *place = NULL;
    results->note = calloc(NOTES_MOST + results->pipelines, sizeof *results->note);
    if (status == CONGRU_OK && results->note == NULL)
        status = fail_memory(context, folder);
    if (status == CONGRU_OK && results->dataset[0] == '\0' && plan.dataset.data != NULL) {
        free(results->dataset);
        results->dataset = plan.dataset.data;
        plan.dataset = (congru_text){0};
    }
    if (status == CONGRU_OK && from_folds && plan.scored.count == 0) {
        congru_text line = {0};
        congru_text_add(&line, "no results.csv and no run.json: %zu finished folds, of how many is not known",
                        results->folds);
        note(context, folder, results, &line);
        congru_text_clear(&line);
    }
    if (status == CONGRU_OK)
        status = congru_knowledge_find(context, &plan.seen, results);
    if (status == CONGRU_OK) {
        add_notes(context, folder, &plan, results);
        status = place_folds(context, folder, list, results, &place);
    }
    if (status == CONGRU_OK)
        status = congru_results_choices(context, folder, NULL, plan.chooses, place, results);
    free(place);
    results->trial_seconds = plan.trial_seconds > 0 && isfinite(plan.trial_seconds) ? plan.trial_seconds : 0.0;
    clear_plan(&plan);
    return status;
}
