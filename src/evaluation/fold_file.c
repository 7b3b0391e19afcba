/* Writes and reads finished folds. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/fold_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array/csv.h"
#include "array/file_write.h"
#include "array/source.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluation/fold_run.h"

static congru_status make_one(congru_context *context, const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return CONGRU_OK;
    int cause = errno;
    if (cause == EEXIST) {
        if (stat(path, &about) != 0)
            cause = errno;
        else if (S_ISDIR(about.st_mode))
            return CONGRU_OK;
        else
            cause = ENOTDIR;
    }
    return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot make the folder: %s", path, strerror(cause));
}

congru_status congru_folder_make(congru_context *context, const char *folder, const char *name)
{
    congru_text path = {0};
    congru_text_add(&path, "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    if (path.failed || path.data == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    congru_status status = CONGRU_OK;
    for (char *slash = strchr(path.data + 1, '/'); status == CONGRU_OK && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_one(context, path.data);
        *slash = '/';
    }
    if (status == CONGRU_OK)
        status = make_one(context, path.data);
    congru_text_clear(&path);
    return status;
}

static void add_rows(congru_text *text, size_t classes, const congru_fold *fold)
{
    for (size_t i = 0; i < fold->samples; i++) {
        congru_text_add(text, "%zu,%d,%d", fold->trial[i], (int)fold->truth[i], (int)fold->answer[i]);
        for (size_t k = 0; k < classes; k++)
            congru_text_add(text, ",%.17g", fold->probability[i * classes + k]);
        congru_text_add(text, "\n");
    }
}

/* What describes the fold as a whole is its last row: a file that was cut by whatever means does not have it. */
congru_status congru_fold_write(congru_context *context, const char *folder, const char *pipeline,
                                size_t classes, const congru_fold *fold)
{
    congru_text text = {0}, name = {0};
    congru_text_add(&text, "trial,y_true,y_pred");
    for (size_t k = 0; k < classes; k++)
        congru_text_add(&text, ",p%zu", k);
    congru_text_add(&text, "\n");
    add_rows(&text, classes, fold);
    congru_text_add(&text, "end,%zu,%zu,%.6f", fold->train, fold->calibration, fold->seconds);
    for (size_t k = 1; k < classes; k++)
        congru_text_add(&text, ",");
    congru_text_add(&text, "\n");
    congru_text_add(&name, "folds/%s", pipeline);
    congru_status status = name.failed ? CONGRU_OK : congru_folder_make(context, folder, name.data);
    congru_text_add(&name, "/%d.csv", (int)fold->subject);
    if (name.failed)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to write a fold", folder);
    if (status == CONGRU_OK)
        status = congru_file_write_text(context, folder, name.data, &text);
    congru_text_clear(&text);
    congru_text_clear(&name);
    return status;
}

static congru_status fail_fold(congru_context *context, const congru_csv *csv)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s: not a finished fold of this set (remove the file to run the fold again)",
                       csv->path);
}

static congru_status read_row(congru_context *context, const congru_csv *csv, size_t row, const congru_set *set,
                              congru_fold *fold)
{
    size_t truth, answer;
    congru_status status = congru_csv_count(context, csv, row, 0, &fold->trial[row]);
    if (status == CONGRU_OK)
        status = congru_csv_count(context, csv, row, 1, &truth);
    if (status == CONGRU_OK)
        status = congru_csv_count(context, csv, row, 2, &answer);
    for (size_t k = 0; status == CONGRU_OK && k < set->classes; k++)
        status = congru_csv_number(context, csv, row, 3 + k, &fold->probability[row * set->classes + k]);
    if (status != CONGRU_OK)
        return status;
    size_t trial = fold->trial[row];
    if (trial >= set->count || set->subject[trial] != fold->subject || truth != (size_t)set->label[trial] ||
        answer >= set->classes)
        return fail_fold(context, csv);
    fold->truth[row] = (int32_t)truth;
    fold->answer[row] = (int32_t)answer;
    return CONGRU_OK;
}

static congru_status read_fold(congru_context *context, const congru_csv *csv, const congru_set *set,
                               congru_fold *fold)
{
    size_t last = csv->rows - 1;
    if (csv->rows == 0 || csv->columns != 3 + set->classes ||
        strcmp(congru_csv_field(csv, last, 0), "end") != 0)
        return fail_fold(context, csv);
    congru_status status = congru_fold_reserve(context, fold, last, set->classes);
    fold->samples = last;
    for (size_t row = 0; status == CONGRU_OK && row < last; row++)
        status = read_row(context, csv, row, set, fold);
    if (status == CONGRU_OK)
        status = congru_csv_count(context, csv, last, 1, &fold->train);
    if (status == CONGRU_OK)
        status = congru_csv_count(context, csv, last, 2, &fold->calibration);
    if (status == CONGRU_OK)
        status = congru_csv_number(context, csv, last, 3, &fold->seconds);
    return status;
}

congru_status congru_fold_read(congru_context *context, const char *folder, const char *pipeline,
                               int32_t subject, const congru_set *set, congru_fold *fold, bool *found)
{
    congru_text path = {0};
    congru_csv csv = {0};
    *fold = (congru_fold){.subject = subject};
    congru_text_add(&path, "%s/folds/%s/%d.csv", folder, pipeline, (int)subject);
    if (path.failed)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    congru_status status = congru_source_exists(context, path.data, found);
    if (*found)
        status = congru_csv_read(context, path.data, &csv);
    if (*found && status == CONGRU_OK)
        status = read_fold(context, &csv, set, fold);
    congru_csv_clear(&csv);
    congru_text_clear(&path);
    if (status != CONGRU_OK)
        congru_fold_clear(fold);
    return status;
}

congru_status congru_record_write(congru_context *context, const char *folder, const char *pipeline,
                                  int32_t subject, const char *subject_name, const congru_record *record)
{
    congru_text text = {0};
    char name[CONGRU_PIPELINE_SIZE + 32];
    congru_text_add(&text, "{\n\"pipeline\": ");
    congru_text_add_json(&text, pipeline);
    congru_text_add(&text, ",\n\"subject\": ");
    congru_text_add_json(&text, subject_name);
    congru_text_add(&text, ",\n\"best_step\": %zu", record->best_step);
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++) {
        congru_text_add(&text, ",\n\"%s\": [", congru_series_name((congru_series)series));
        for (size_t step = 0; step < record->steps; step++) {
            congru_text_add(&text, step > 0 ? ", " : "");
            congru_text_add_number(&text, record->value[series][step]);
        }
        congru_text_add(&text, "]");
    }
    congru_text_add(&text, "\n}\n");
    snprintf(name, sizeof name, "training/%s-%d.json", pipeline, (int)subject);
    congru_status status = congru_folder_make(context, folder, "training");
    if (status == CONGRU_OK)
        status = congru_file_write_text(context, folder, name, &text);
    congru_text_clear(&text);
    return status;
}
