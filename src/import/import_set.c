/* Puts the trials of files into one set, with its meta data and summary. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "congru/version.h"
#include "import/import_internal.h"
#include "preprocess/preprocessing.h"

/* ---- The set ------------------------------------------------------------------------------------------- */

/* What differs from the first file in a way that an option can mend. */
static congru_status check_alike(congru_context *context, const import_file *first, const import_file *file,
                                 double first_rate)
{
    double rate = file->epochs->rate;
    if (file != first && file->epochs->covariances != first->covariances)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: holds %s, but %s holds %s (import them apart)",
                           file->path, file->epochs->covariances ? "covariances" : "signals", first->path,
                           first->covariances ? "covariances" : "signals");
    if (fabs(rate - first_rate) <= 1e-9 * first_rate || !(rate > 0 && first_rate > 0))
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       "%s: %g Hz, but %s has %g Hz (bring them to one rate: --resample %g)", file->path, rate,
                       first->path, first_rate, rate < first_rate ? rate : first_rate);
}

static congru_status append(congru_context *context, const congru_import *import, const import_file *file,
                            const congru_epochs *epochs, congru_set **set)
{
    const congru_preprocessing *p = &import->preprocessing;
    const congru_set_options options = {.estimator = p->estimator,
                                        .trace_normalise = p->trace_normalise,
                                        .keep_signals = import->keep_signals,
                                        .shrinkage = p->shrinkage};
    size_t before = *set != NULL ? (*set)->count : 0;
    if (epochs == NULL)
        return CONGRU_OK;
    congru_status status = congru_set_append(context, set, epochs, file->name.part[NAME_SUBJECT], &options);
    if (status != CONGRU_OK)
        return congru_import_name_file(context, file->path, status);
    status = congru_set_check_rank(context, *set, before, epochs);
    return congru_import_name_file(context, file->path, status);
}

/* The place of each class in the order in which the settings name them, so that labels do not depend on which
 * file comes first; classes they do not name follow as they came. */
static void rank_classes(const congru_import *import, const congru_set *set, int32_t *place)
{
    int32_t next = 0;
    for (size_t i = 0; i < set->classes; i++)
        place[i] = -1;
    for (size_t r = 0; r < import->rule_count; r++)
        for (size_t e = 0; e < import->rule[r].event_count; e++)
            for (size_t i = 0; i < set->classes; i++)
                if (place[i] < 0 && strcmp(import->rule[r].event[e].class_name, set->class_name[i]) == 0)
                    place[i] = next++;
    for (size_t i = 0; i < set->classes; i++)
        if (place[i] < 0)
            place[i] = next++;
}

static congru_status order_classes(congru_context *context, const congru_import *import, congru_set *set)
{
    int32_t *place = calloc(set->classes + 1, sizeof *place);
    char(*name)[CONGRU_LABEL_SIZE] = calloc(set->classes + 1, sizeof *name);
    congru_status status = CONGRU_OK;
    if (place == NULL || name == NULL) {
        status = congru_fail_memory(context, "%zu classes", set->classes);
    } else {
        rank_classes(import, set, place);
        memcpy(name, set->class_name, set->classes * sizeof *name);
        for (size_t i = 0; i < set->classes; i++)
            memcpy(set->class_name[place[i]], name[i], sizeof *name);
        for (size_t i = 0; i < set->count; i++)
            set->label[i] = place[set->label[i]];
    }
    free(name);
    free(place);
    return status;
}

/* An event that no file has is a slip of the one who named it; presets name those of several editions. */
static congru_status check_events(congru_context *context, const congru_import *import,
                                  const import_file *files, size_t count)
{
    uint64_t seen = 0;
    if (!import->events_chosen)
        return CONGRU_OK;
    for (size_t i = 0; i < count; i++)
        seen |= files[i].seen;
    for (size_t k = 0; k < import->rule[0].event_count && k < IMPORT_SEEN_MAX; k++)
        if (!(seen >> k & 1))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "%s: --events names '%s', which is in none of the files: it has %s",
                               files[0].path, import->rule[0].by_text[k].text, files[0].events);
    return CONGRU_OK;
}

/* The caller's callback hears of files, whatever parts the work on one of them has, and can stop it at each part. */
typedef struct file_progress {
    congru_progress caller;
    void *user;
    size_t done, total;
} file_progress;

static bool tell_files(void *user, size_t part, size_t parts)
{
    const file_progress *progress = user;
    (void)part;
    (void)parts;
    return progress->caller(progress->user, progress->done, progress->total);
}

static congru_status build_files(congru_context *context, const congru_import *import, import_file *files,
                                 size_t count, file_progress *progress, congru_set **set)
{
    import_pool *pool = NULL;
    const import_file *first = NULL;
    double first_rate = 0;
    congru_status status =
        congru_import_pool_start(context, import, files, count, (size_t)congru_context_threads(context), &pool);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        import_file *file = &files[i];
        progress->done = i;
        if (progress->caller != NULL && !tell_files(progress, 0, 1)) {
            status = congru_fail(context, CONGRU_ERROR_CANCELLED, "stopped");
            break;
        }
        congru_import_pool_wait(pool, i);
        status = file->status;
        if (status != CONGRU_OK) {
            congru_fail(context, status, "%s", file->error);
            break;
        }
        if (file->left_out)
            continue;
        if (first == NULL) {
            first = file;
            first_rate = file->epochs->rate;
        }
        status = check_alike(context, first, file, first_rate);
        if (status == CONGRU_OK)
            status = congru_import_check_amplitude(context, first, file);
        if (status == CONGRU_OK)
            status = append(context, import, file, file->epochs, set);
        if (status == CONGRU_OK)
            status = append(context, import, file, file->rest, set);
        file->subjects = file->epochs->subjects;
        file->covariances = file->epochs->covariances;
        file->trials = file->epochs->count + (file->rest != NULL ? file->rest->count : 0);
        congru_epochs_destroy(&file->epochs);
        congru_epochs_destroy(&file->rest);
    }
    congru_import_pool_stop(&pool);
    for (size_t i = 0; i < count; i++) {
        congru_epochs_destroy(&files[i].epochs);
        congru_epochs_destroy(&files[i].rest);
    }
    if (status == CONGRU_OK)
        status = first != NULL ? check_events(context, import, files, count)
                               : congru_import_fail_no_task(context, import, &files[0]);
    return status == CONGRU_OK ? order_classes(context, import, *set) : status;
}

static congru_status build(congru_context *context, const congru_import *import, import_file *files,
                           size_t count, congru_set **set)
{
    file_progress progress = {.caller = context->progress, .user = context->progress_user, .total = count};
    if (context->progress != NULL) {
        context->progress = tell_files;
        context->progress_user = &progress;
    }
    congru_status status = build_files(context, import, files, count, &progress, set);
    context->progress = progress.caller;
    context->progress_user = progress.user;
    return status;
}

/* ---- Runs without a task -------------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* Tells of the files that were left out, in one line, and moves the others together. */
static congru_status drop_left_out(congru_context *context, const congru_import *import, import_file *files,
                                   size_t *count)
{
    int32_t *run = malloc(*count * sizeof *run);
    congru_text line = {0};
    size_t out = 0, kept = 0;
    if (run == NULL)
        return congru_fail_memory(context, "%zu files", *count);
    for (size_t i = 0; i < *count; i++) {
        if (files[i].left_out)
            run[out++] = files[i].run;
        else
            files[kept++] = files[i];
    }
    *count = kept;
    qsort(run, out, sizeof *run, compare_runs);
    for (size_t i = 0; i < out; i++)
        if (i == 0 || run[i] != run[i - 1])
            congru_text_add(&line, "%s%d", i > 0 ? ", " : "", (int)run[i]);
    if (out > 0 && !line.failed)
        congru_note(context, "left out: %s of runs that have no task in %s (%s)",
                    congru_count(out, "file").text, congru_import_owner(import).text, line.data);
    congru_text_clear(&line);
    free(run);
    return CONGRU_OK;
}

/* ---- Events beside files -------------------------------------------------------------------------------- */

static bool is_table(const char *const *paths, size_t count, size_t index)
{
    const char *path = paths[index], *slash = strrchr(path, '/');
    if (strstr(slash != NULL ? slash : path, "_events.") == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        if (i != index && congru_import_is_table_of(path, paths[i]))
            return true;
    return false;
}

/* The files of the paths; the tables of events beside some of them are read with these. */
static size_t list_files(const char *const *paths, size_t count, import_file *files)
{
    size_t listed = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_table(paths, count, i))
            files[listed++].path = paths[i];
    return listed;
}

static void tell_own_events(congru_context *context, const import_file *files, size_t count)
{
    size_t own = 0;
    for (size_t i = 0; i < count; i++)
        own += files[i].own_events;
    if (own > 0)
        congru_note(context, "events of %s: from the table _events beside it", congru_count(own, "file").text);
}

/* ---- What is said of it -------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Versions, preprocessing and the names of the files, as JSON. What may differ between runs that give the same numbers,
 * such as the number of threads, is not in it. */
static congru_status describe(congru_context *context, const congru_import *import, const import_file *files,
                              size_t count, congru_set *set)
{
    congru_text text = {0};
    congru_preprocessing elsewhere; /* of covariances only what is declared of them is known */
    congru_preprocessing_init_raw(&elsewhere);
    memcpy(elsewhere.filtered, import->preprocessing.filtered, sizeof elsewhere.filtered);
    congru_text_add(&text, "{\"congru\": \"%s\", \"commit\": ", congru_version());
    congru_text_add_json(&text, congru_version_commit());
    congru_text_add(&text, ", \"compiler\": ");
    congru_text_add_json(&text, congru_version_compiler());
    if (import->preset != NULL) {
        congru_text_add(&text, ", \"preset\": ");
        congru_text_add_json(&text, base_name(import->preset));
    }
    if (!files[0].covariances)
        congru_preprocessing_write(&import->preprocessing, &text);
    else if (import->preprocessing.filtered[1] > 0)
        congru_preprocessing_write(&elsewhere, &text);
    congru_import_write_rules(import, &text);
    congru_text_add(&text, ", \"options\": ");
    congru_text_add_json(&text, import->given.size > 0 ? import->given.data : "");
    congru_text_add(&text, ", \"files\": [");
    for (size_t i = 0; i < count; i++) {
        congru_text_add(&text, "%s", i > 0 ? ", " : "");
        congru_text_add_json(&text, base_name(files[i].path));
    }
    congru_text_add(&text, "]}");
    if (text.failed || import->given.failed) {
        congru_text_clear(&text);
        return congru_fail_memory(context, "the meta data of %zu files", count);
    }
    free(set->meta);
    set->meta = text.data;
    return CONGRU_OK;
}

static congru_status summarise(congru_context *context, const congru_import *import, const import_file *files,
                               size_t count, congru_import_summary *summary)
{
    summary->file = calloc(count, sizeof *summary->file);
    if (summary->file == NULL)
        return congru_fail_memory(context, "a summary of %zu files", count);
    size_t own = 0; /* files that tell subjects apart themselves */
    summary->files = count;
    for (size_t i = 0; i < count; i++) {
        congru_imported_file *file = &summary->file[i];
        *file = (congru_imported_file){.path = files[i].path,
                                       .session = files[i].session,
                                       .run = files[i].run,
                                       .trials = files[i].trials,
                                       .report = files[i].report};
        snprintf(file->subject, sizeof file->subject, "%s",
                 files[i].subjects > 0 ? congru_count(files[i].subjects, "subject").text
                                       : files[i].name.part[NAME_SUBJECT]);
        own += files[i].subjects > 0;
    }
    if (own == count)
        snprintf(summary->subjects_from, sizeof summary->subjects_from, "by the array 'subject' of the files");
    if (files[0].covariances)
        snprintf(summary->preprocessing, sizeof summary->preprocessing, "covariances as they are");
    else
        congru_preprocessing_print(&import->preprocessing, summary->preprocessing);
    return CONGRU_OK;
}

void congru_import_summary_destroy(congru_import_summary **summary)
{
    if (summary == NULL || *summary == NULL)
        return;
    free((*summary)->file);
    free(*summary);
    *summary = NULL;
}

static congru_status check_arguments(congru_context *context, const congru_import *import,
                                     const char *const *paths, size_t count)
{
    bool named = import != NULL && paths != NULL && count > 0;
    for (size_t i = 0; named && i < count; i++)
        named = paths[i] != NULL;
    if (!named)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_import_run: an importer and paths are needed");
    return congru_preprocessing_check(context, &import->preprocessing);
}

congru_status congru_import_run(congru_context *context, const congru_import *import, const char *const *paths,
                                size_t count, congru_set **set, congru_import_summary **summary)
{
    if (context == NULL || set == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_import_run: context and set must not be NULL");
    *set = NULL;
    if (summary != NULL)
        *summary = NULL;
    congru_status status = check_arguments(context, import, paths, count);
    if (status != CONGRU_OK)
        return status;
    import_file *files = calloc(count, sizeof *files);
    congru_import_summary *made = calloc(1, sizeof *made);
    if (files == NULL || made == NULL)
        status = congru_fail_memory(context, "%zu files", count);
    if (status == CONGRU_OK) {
        count = list_files(paths, count, files);
        status = congru_import_files_identify(context, import, files, count, made->subjects_from,
                                              sizeof made->subjects_from);
    }
    congru_import own = *import;
    congru_text_set bad = {0};
    if (status == CONGRU_OK)
        status = congru_import_find_bad(context, import, files, count, &own, &bad);
    if (status == CONGRU_OK)
        status = build(context, &own, files, count, set);
    if (status == CONGRU_OK)
        status = drop_left_out(context, &own, files, &count);
    if (status == CONGRU_OK) {
        tell_own_events(context, files, count);
        congru_import_tell_quality(context, files, count);
        status = describe(context, &own, files, count, *set);
    }
    if (status == CONGRU_OK)
        status = summarise(context, &own, files, count, made);
    congru_import_clear_own(import, &own);
    congru_text_set_clear(&bad);
    free(files);
    if (status != CONGRU_OK)
        congru_set_destroy(set);
    if (status != CONGRU_OK || summary == NULL)
        congru_import_summary_destroy(&made);
    else
        *summary = made;
    return status;
}

const congru_preprocessing *congru_import_preprocessing(const congru_import *import)
{
    return import != NULL ? &import->preprocessing : NULL;
}
