/* run.json, and whether a run may be taken up. SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* flock */
#include "evaluation/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array/file_write.h"
#include "array/folder.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/json_scan.h"
#include "base/process_group.h"
#include "congru/version.h"
#include "dataset/set_products.h"
#include "evaluation/fold_file.h"
#include "evaluation/pipeline.h"

static const char settings_begin[] = "\"settings\": {\n", settings_end[] = "\n},\n";

enum { FILES_NAMED = 12 };

/* "congru import 'S01.edf' 'S02.edf' --band '8:30' --output 'set.npz'", of a set whose meta data say so; of more than
 * FILES_NAMED files the first and their number. */
static void add_import(const congru_set *set, const congru_evaluation_options *options, congru_text *text)
{
    const char *meta = set->signals_meta != NULL ? set->signals_meta : set->meta;
    congru_text files = {0}, given = {0}, line = {0};
    char key[64], name[256];
    size_t count = 0;
    bool known = false;
    if (meta == NULL)
        return;
    congru_scan json = congru_scan_start(meta, strlen(meta));
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);) {
        if (strcmp(key, "options") == 0)
            known = congru_scan_string_add(&json, &given);
        else if (strcmp(key, "files") != 0)
            congru_scan_skip(&json);
        else
            for (bool any = congru_scan_array(&json); congru_scan_element(&json, &any); count++)
                if (congru_scan_string(&json, name, sizeof name) && count < FILES_NAMED)
                    congru_text_add(&files, " '%s'", name);
    }
    if (congru_scan_end(&json) && known && count > 0) {
        congru_text_add(&line, "congru import%s", files.data);
        if (count > FILES_NAMED)
            congru_text_add(&line, " ... (%zu files in all)", count);
        congru_text_add(&line, "%s", given.size > 0 ? given.data : "");
        if (options->file != NULL)
            congru_text_add(&line, " --output '%s'", options->file);
        congru_text_add(text, ",\n\"import\": ");
        congru_text_add_json(text, line.size > 0 ? line.data : "");
    }
    text->failed = text->failed || line.failed || files.failed || given.failed;
    congru_text_clear(&files);
    congru_text_clear(&given);
    congru_text_clear(&line);
}

/* The bands and windows of pipelines that have their own. */
static void add_signals(congru_context *context, const congru_set *set,
                        const congru_evaluation_options *options, congru_text *text)
{
    size_t shown = 0;
    for (size_t i = 0; i < options->pipeline_count; i++) {
        congru_text seen = {0};
        congru_pipeline_signals_text(context, set, options, options->pipelines[i], &seen);
        if (seen.size > 0) {
            congru_text_add(text, shown++ > 0 ? ", " : ",\n\"signals\": {");
            congru_text_add_json(text, options->pipelines[i]);
            congru_text_add(text, ": ");
            congru_text_add_json(text, seen.data);
        }
        text->failed = text->failed || seen.failed;
        congru_text_clear(&seen);
    }
    congru_text_add(text, shown > 0 ? "}" : "");
}

/* run.json; the settings are one to a line, for a reader. */
static void describe(congru_context *context, const congru_set *set, const congru_evaluation_options *options,
                     const congru_member *member, congru_run_folder *run)
{
    congru_text *text = &run->text, settings = {0};
    congru_settings_text(context, set, options, &settings);
    if (!settings.failed)
        congru_settings_fingerprint(&settings, run->fingerprint);
    congru_text_add(text, "{\n%s", settings_begin);
    congru_text_add_bytes(text, settings.data, settings.size);
    text->failed = text->failed || settings.failed;
    congru_text_clear(&settings);
    congru_text_add(text, "%s\"program\": {\"name\": \"congru\", \"version\": ", settings_end);
    congru_text_add_json(text, congru_version());
    congru_text_add(text, ", \"commit\": ");
    congru_text_add_json(text, congru_version_commit());
    congru_text_add(text, ", \"compiler\": ");
    congru_text_add_json(text, congru_version_compiler());
    congru_text_add(text, ", \"cpu\": ");
    congru_text_add_json(text, congru_context_cpu(context));
    congru_text_add(text,
                    "},\n\"threads\": %d,\n\"processes\": %d,\n\"command\": ", congru_context_threads(context),
                    congru_process_group_size(options->processes));
    congru_text_add_json(text, options->command != NULL ? options->command : "");
    add_import(set, options, text);
    congru_text_add(text, ",\n\"pipelines\": [");
    for (size_t i = 0; i < options->pipeline_count; i++) {
        congru_text_add(text, i > 0 ? ", " : "");
        congru_text_add_json(text, options->pipelines[i]);
    }
    congru_text_add(text, "]");
    add_signals(context, set, options, text);
    congru_text_add(text, ",\n\"channels\": [");
    for (size_t i = 0; i < set->dimension; i++) {
        congru_text_add(text, i > 0 ? ", " : "");
        congru_text_add_json(text, set->channel_name[i]);
    }
    congru_text_add(text, "],\n");
    const double seconds = congru_set_trial_seconds(set);
    if (seconds > 0) {
        congru_text_add(text, "\"trial_seconds\": ");
        congru_text_add_number(text, seconds, 9);
        congru_text_add(text, ",\n");
    }
    congru_text_add(text, "\"fingerprint\": \"%s\"", run->fingerprint);
    congru_cohort_text(set, member, text);
    congru_text_add(text, "\n}\n");
}

/* Compares the settings of two run.json. */
static congru_status compare(congru_context *context, const char *folder, const char *there, const char *here)
{
    const char *old = strstr(there, settings_begin), *now = strstr(here, settings_begin);
    const char *old_end = old != NULL ? strstr(old, settings_end) : NULL;
    if (old_end == NULL)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s/run.json: not of a congru run (name another folder)", folder);
    const char *now_end = strstr(now, settings_end);
    old = strchr(old, '{');
    now = strchr(now, '{');
    return congru_settings_compare(context, folder, old, (size_t)(old_end - old) + 2, now,
                                   (size_t)(now_end - now) + 2);
}

/* Drafts are named ".congru-PID-N.tmp" by the writer; with the lock held nobody is writing one. */
static void remove_drafts(const char *folder, const char *name)
{
    congru_text path = {0};
    congru_text_add(&path, "%s/%s", folder, name);
    DIR *directory = path.failed ? NULL : opendir(path.data);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        size_t size = strlen(entry->d_name);
        if (strncmp(entry->d_name, ".congru-", 8) == 0 && size > 4 &&
            strcmp(entry->d_name + size - 4, ".tmp") == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
        else if (strcmp(name, "folds") == 0 && entry->d_name[0] != '.') {
            congru_text below = {0};
            congru_text_add(&below, "folds/%s", entry->d_name);
            if (!below.failed)
                remove_drafts(folder, below.data);
            congru_text_clear(&below);
        }
    }
    if (directory != NULL)
        closedir(directory);
    congru_text_clear(&path);
}

static congru_status open_folder(congru_context *context, congru_run_folder *run)
{
    run->lock = congru_descriptor_open(run->path, O_RDONLY | O_DIRECTORY, 0);
    return run->lock >= 0
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", run->path, strerror(errno));
}

static congru_status take_lock(congru_context *context, congru_run_folder *run)
{
    CONGRU_TRY(open_folder(context, run));
    if (flock(run->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return congru_fail(context, CONGRU_ERROR_IO,
                           "%s: another run is writing to it (wait for it, or name another folder with -o)",
                           run->path);
    return CONGRU_OK;
}

/* A file that is there and cannot be read may be another run's: only one that is missing is none. */
static congru_status compare_run(congru_context *context, congru_run_folder *run)
{
    enum { RUN_SIZE_MAX = 1 << 22 };
    char *there;
    CONGRU_TRY(congru_folder_text(context, run->path, RUN_SIZE_MAX, "a run.json", &there, "run.json"));
    run->unnamed = there == NULL;
    const congru_status status = there != NULL ? compare(context, run->path, there, run->text.data) : CONGRU_OK;
    free(there);
    return status;
}

/* What the run is, against what the folder says. */
static congru_status describe_and_compare(congru_context *context, const congru_set *set,
                                          const congru_evaluation_options *options, const congru_member *member,
                                          congru_run_folder *run)
{
    describe(context, set, options, member, run);
    return run->text.failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", run->path)
                            : compare_run(context, run);
}

congru_status congru_run_open(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, const congru_member *member,
                              congru_run_folder *run)
{
    congru_status status;
    *run = (congru_run_folder){.path = options->folder, .lock = -1};
    if (run->path == NULL)
        return CONGRU_OK;
    CONGRU_TRY_TO(failed, congru_folder_make(context, run->path, ""));
    CONGRU_TRY_TO(failed, take_lock(context, run));
    CONGRU_TRY_TO(failed, describe_and_compare(context, set, options, member, run));
    return CONGRU_OK;
failed:
    congru_run_close(run);
    return status;
}

congru_status congru_run_join(congru_context *context, const congru_set *set,
                              const congru_evaluation_options *options, const congru_member *member,
                              congru_run_folder *run)
{
    char error[CONGRU_ERROR_TEXT_SIZE];
    *run = (congru_run_folder){.path = options->folder, .lock = -1};
    if (run->path == NULL)
        return CONGRU_OK;
    congru_status status = open_folder(context, run);
    if (status == CONGRU_OK)
        status = describe_and_compare(context, set, options, member, run);
    if (status == CONGRU_OK && run->unnamed)
        status = congru_fail(context, CONGRU_ERROR_IO,
                             "%s: has no run.json of the first process (it must be the same folder for all)",
                             run->path);
    if (status == CONGRU_OK)
        return CONGRU_OK;
    strcpy(error, congru_context_error(context));
    congru_run_close(run);
    return congru_fail(context, status, "process %d of %d: %s",
                       congru_process_group_rank(options->processes) + 1,
                       congru_process_group_size(options->processes), error);
}

congru_status congru_run_begin(congru_context *context, congru_run_folder *run, size_t found)
{
    static const char *const made[] = {"results.csv",   "predictions.csv", "training",      "geometry.json",
                                       "patterns.json", "patterns.csv",    "ablation.json", "statistics.json"};
    if (run->path == NULL)
        return CONGRU_OK;
    for (size_t i = 0; run->unnamed && found == 0 && i < sizeof made / sizeof made[0]; i++) {
        bool exists;
        CONGRU_TRY(congru_folder_look(context, run->path, &exists, "%s", made[i]));
        if (exists)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "%s: holds %s, and no run.json that says what it was made with (name another "
                               "folder with -o, or remove it)",
                               run->path, made[i]);
    }
    CONGRU_TRY(congru_file_write_text(context, run->path, "run.json", &run->text));
    remove_drafts(run->path, ".");
    remove_drafts(run->path, "choices");
    remove_drafts(run->path, "training");
    remove_drafts(run->path, "folds");
    return CONGRU_OK;
}

congru_status congru_run_check(congru_context *context, const congru_run_folder *run)
{
    struct stat now, then;
    bool exists = false;
    if (run->path == NULL)
        return CONGRU_OK;
    bool known = fstat(run->lock, &then) == 0 && stat(run->path, &now) == 0;
    if (!known && errno != ENOENT && errno != ENOTDIR)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", run->path, strerror(errno));
    bool same = known && now.st_ino == then.st_ino && now.st_dev == then.st_dev;
    if (same)
        CONGRU_TRY(congru_folder_look(context, run->path, &exists, "run.json"));
    return exists ? CONGRU_OK
                  : congru_fail(context, CONGRU_ERROR_IO,
                                "%s: was removed or replaced during the run (run the same command again)",
                                run->path);
}

void congru_run_close(congru_run_folder *run)
{
    if (run->lock >= 0)
        close(run->lock);
    congru_text_clear(&run->text);
    run->lock = -1;
}
