/* Reads results.csv and predictions.csv back. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array/csv.h"
#include "array/source.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluation/cohort.h"
#include "evaluation/fold_run.h"
#include "evaluation/results.h"
#include "evaluation/results_folds.h"

/* The columns of results.csv, by place in `headings`; the first NEEDED must be there. */
enum {
    SCORE,
    TIME,
    SAMPLES,
    SUBJECT,
    SESSION,
    PIPELINE,
    DATASET,
    KAPPA,
    BALANCED,
    TRAIN,
    CALIBRATION,
    CHANNELS,
    SESSIONS,
    COLUMNS,
    NEEDED = KAPPA
};
static const char *const headings[COLUMNS] = {
    "score",       "time",     "samples",   "subject",           "session",
    "pipeline",    "dataset",  "kappa",     "balanced_accuracy", "train",
    "calibration", "channels", "n_sessions"};

typedef struct results_reader {
    congru_context *context;
    congru_results *results;
    congru_csv scores, answers;
    congru_fold_list list; /* folds as files of their own */
    size_t column[COLUMNS];
} results_reader;

static congru_status fail_memory(results_reader *r)
{
    return congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->scores.path);
}

/* The place of a name among `count`, added when it is new; SIZE_MAX when it is too long. */
static size_t find_name(char *names, size_t size, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names + i * size, name) == 0)
            return i;
    if (strlen(name) >= size)
        return SIZE_MAX;
    strcpy(names + *count * size, name);
    return (*count)++;
}

static congru_status find_columns(results_reader *r)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        r->column[i] = congru_csv_column(&r->scores, headings[i]);
        if (i < NEEDED && r->column[i] == SIZE_MAX)
            return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: has no column '%s'; not a results file",
                               r->scores.path, headings[i]);
    }
    return r->scores.rows > 0
               ? CONGRU_OK
               : congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: holds no results", r->scores.path);
}

static congru_status number(results_reader *r, size_t row, size_t which, double *value)
{
    *value = 0;
    return r->column[which] != SIZE_MAX
               ? congru_csv_number(r->context, &r->scores, row, r->column[which], value)
               : CONGRU_OK;
}

/* A number from `low` to `high`: what is outside is no score, and sums of such would leave the range of a double. */
static congru_status score(results_reader *r, size_t row, size_t which, double low, double high, double *value)
{
    congru_status status = number(r, row, which, value);
    if (status == CONGRU_OK && !(*value >= low && *value <= high))
        status = congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: row %zu: %s is %g, expected %g to %g",
                             r->scores.path, row + 1, headings[which], *value, low, high);
    return status;
}

static congru_status count(results_reader *r, size_t row, size_t which, size_t *value)
{
    *value = 0;
    return r->column[which] != SIZE_MAX ? congru_csv_count(r->context, &r->scores, row, r->column[which], value)
                                        : CONGRU_OK;
}

static congru_status read_names(results_reader *r, size_t row, congru_fold *fold)
{
    congru_results *results = r->results;
    const char *subject = congru_csv_field(&r->scores, row, r->column[SUBJECT]);
    const char *pipeline = congru_csv_field(&r->scores, row, r->column[PIPELINE]);
    const char *session = congru_csv_field(&r->scores, row, r->column[SESSION]);
    fold->pipeline =
        find_name(results->pipeline[0], sizeof results->pipeline[0], &results->pipelines, pipeline);
    size_t place =
        find_name(results->subject_name[0], sizeof results->subject_name[0], &results->subjects, subject);
    if (fold->pipeline == SIZE_MAX || place == SIZE_MAX)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: row %zu: too long a name", r->scores.path,
                           row + 1);
    fold->subject = (int32_t)place;
    size_t digits = strspn(session, "0123456789");
    fold->session =
        digits > 0 && digits < 9 && session[digits] == '\0' ? (int32_t)strtol(session, NULL, 10) : -1;
    return CONGRU_OK;
}

static congru_status read_score(results_reader *r, size_t row)
{
    congru_results *results = r->results;
    congru_fold *fold = &results->fold[row];
    congru_status status = read_names(r, row, fold);
    fold->aligning = fold->fitting = NAN; /* folds have them, this table does not */
    if (status == CONGRU_OK)
        status = score(r, row, SCORE, 0, 1, &fold->accuracy);
    if (status == CONGRU_OK)
        status = score(r, row, TIME, 0, 1e12, &fold->seconds);
    if (status == CONGRU_OK)
        status = score(r, row, KAPPA, -1, 1, &fold->kappa);
    if (status == CONGRU_OK)
        status = score(r, row, BALANCED, 0, 1, &fold->balanced);
    if (status == CONGRU_OK)
        status = count(r, row, SAMPLES, &fold->samples);
    if (status == CONGRU_OK)
        status = count(r, row, TRAIN, &fold->train);
    if (status == CONGRU_OK)
        status = count(r, row, CALIBRATION, &fold->calibration);
    if (status == CONGRU_OK)
        status = count(r, row, CHANNELS, &results->channels);
    if (status == CONGRU_OK)
        status = count(r, row, SESSIONS, &results->subject_sessions[fold->subject]);
    results->folds = status == CONGRU_OK ? row + 1 : results->folds;
    return status;
}

static congru_status read_scores(results_reader *r)
{
    congru_results *results = r->results;
    size_t rows = r->scores.rows;
    results->fold = calloc(rows, sizeof *results->fold);
    results->pipeline = calloc(rows + 1, sizeof *results->pipeline);
    results->subject_name = calloc(rows + 1, sizeof *results->subject_name);
    results->subject_sessions = calloc(rows + 1, sizeof *results->subject_sessions);
    results->subject_few = calloc(rows + 1, sizeof *results->subject_few);
    results->dataset = strdup(congru_csv_field(&r->scores, 0, r->column[DATASET]));
    if (results->fold == NULL || results->pipeline == NULL || results->subject_name == NULL ||
        results->subject_sessions == NULL || results->subject_few == NULL || results->dataset == NULL)
        return fail_memory(r);
    congru_status status = CONGRU_OK;
    for (size_t row = 0; status == CONGRU_OK && row < rows; row++)
        status = read_score(r, row);
    /* Without predictions the fold holds no trials, whatever their number was. */
    for (size_t i = 0; r->answers.field == NULL && i < results->folds; i++)
        results->fold[i].samples = 0;
    return status;
}

enum { A_SUBJECT, A_TRIAL, A_PIPELINE, A_TRUTH, A_ANSWER, A_FOLD, A_COLUMNS };

/* Classes are the columns "p_NAME", in their order. */
static congru_status read_classes(results_reader *r, size_t column[A_COLUMNS], size_t *first)
{
    static const char *const names[A_COLUMNS] = {"subject", "trial", "pipeline", "y_true", "y_pred", "fold"};
    congru_results *results = r->results;
    for (size_t i = 0; i < A_COLUMNS; i++) {
        column[i] = congru_csv_column(&r->answers, names[i]);
        if (column[i] == SIZE_MAX && i != A_FOLD) /* which files of older versions and other programs lack */
            return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: has no column '%s'", r->answers.path,
                               names[i]);
    }
    results->class_name = calloc(r->answers.columns, sizeof *results->class_name);
    if (results->class_name == NULL)
        return fail_memory(r);
    *first = r->answers.columns;
    for (size_t i = 0; i < r->answers.columns; i++) {
        const char *heading = r->answers.field[i];
        if (strncmp(heading, "p_", 2) != 0 || strlen(heading + 2) >= sizeof results->class_name[0])
            continue;
        *first = i < *first ? i : *first;
        if (i != *first + results->classes)
            return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: the columns p_... are not side by side",
                               r->answers.path);
        strcpy(results->class_name[results->classes++], heading + 2);
    }
    return results->classes > 0
               ? CONGRU_OK
               : congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: has no columns p_CLASS", r->answers.path);
}

static congru_status fail_row(results_reader *r, size_t row, const char *what)
{
    return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: row %zu: %s", r->answers.path, row + 1, what);
}

static bool find_class(const congru_results *results, const char *name, int32_t *label)
{
    for (size_t k = 0; k < results->classes; k++)
        if (strcmp(results->class_name[k], name) == 0) {
            *label = (int32_t)k;
            return true;
        }
    return false;
}

/* Rows of a fold come one after another, folds in the order of results.csv. */
static congru_status read_answer(results_reader *r, const size_t *column, size_t first, size_t row,
                                 congru_fold *fold, size_t place)
{
    congru_results *results = r->results;
    const char *subject = congru_csv_field(&r->answers, row, column[A_SUBJECT]);
    const char *pipeline = congru_csv_field(&r->answers, row, column[A_PIPELINE]);
    if (strcmp(subject, results->subject_name[fold->subject]) != 0 ||
        strcmp(pipeline, results->pipeline[fold->pipeline]) != 0)
        return fail_row(r, row, "not in the order of results.csv");
    if (!find_class(results, congru_csv_field(&r->answers, row, column[A_TRUTH]), &fold->truth[place]) ||
        !find_class(results, congru_csv_field(&r->answers, row, column[A_ANSWER]), &fold->prediction[place]))
        return fail_row(r, row, "a class that has no column");
    size_t part = 0;
    congru_status status = congru_csv_count(r->context, &r->answers, row, column[A_TRIAL], &fold->trial[place]);
    if (status == CONGRU_OK && column[A_FOLD] != SIZE_MAX)
        status = congru_csv_count(r->context, &r->answers, row, column[A_FOLD], &part);
    if (status == CONGRU_OK && part > INT32_MAX)
        status = fail_row(r, row, "no such fold");
    fold->part[place] = (int32_t)part;
    for (size_t k = 0; status == CONGRU_OK && k < results->classes; k++)
        status = congru_csv_number(r->context, &r->answers, row, first + k,
                                   &fold->probability[place * results->classes + k]);
    return status;
}

static congru_status read_answers(results_reader *r)
{
    size_t column[A_COLUMNS], first = 0, row = 0;
    congru_results *results = r->results;
    congru_status status = read_classes(r, column, &first);
    for (size_t i = 0; status == CONGRU_OK && i < results->folds; i++) {
        congru_fold *fold = &results->fold[i];
        size_t samples = fold->samples;
        fold->samples = 0;
        if (samples > r->answers.rows - row)
            return fail_row(r, r->answers.rows, "fewer rows than results.csv says");
        status = congru_fold_reserve(r->context, fold, samples, results->classes);
        for (size_t k = 0; status == CONGRU_OK && k < samples; k++)
            status = read_answer(r, column, first, row++, fold, k);
        fold->samples = status == CONGRU_OK ? samples : 0;
    }
    if (status == CONGRU_OK && row != r->answers.rows)
        status = fail_row(r, row, "more rows than results.csv says");
    return status;
}

static congru_status fail_without_results(const results_reader *r, const char *folder)
{
    congru_text path = {0};
    struct stat about;
    congru_text_add(&path, "%s/curve.csv", folder);
    const bool curve = !path.failed && stat(path.data, &about) == 0;
    congru_text_clear(&path);
    if (curve)
        return congru_fail(r->context, CONGRU_ERROR_IO,
                           "%s: holds a learning curve, of runs in calibration-0 and others (name one of them; "
                           "'congru report' takes the folder)",
                           folder);
    return congru_fail(r->context, CONGRU_ERROR_IO,
                       "%s: holds no results.csv (a run that was not finished? run its command again)", folder);
}

static congru_status open_files(results_reader *r, const char *folder)
{
    congru_text path = {0};
    struct stat about;
    bool exists = false;
    congru_status status = congru_fold_list_make(r->context, folder, &r->list);
    if (status != CONGRU_OK)
        return status;
    congru_text_add(&path, "%s/results.csv", folder);
    status = path.failed ? congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder)
                         : congru_source_exists(r->context, path.data, &exists);
    if (status == CONGRU_OK && !exists && r->list.count > 0) {
        congru_text_clear(&path);
        return CONGRU_OK;
    }
    if (status == CONGRU_OK && !exists && stat(folder, &about) == 0 && S_ISDIR(about.st_mode))
        status = fail_without_results(r, folder);
    else if (status == CONGRU_OK && !exists && stat(folder, &about) == 0)
        status = congru_fail(r->context, CONGRU_ERROR_KIND,
                             "%s: is a file, and no results folder ('congru info' describes it)", folder);
    if (status == CONGRU_OK)
        status = congru_csv_read(r->context, path.data, &r->scores);
    congru_text_clear(&path);
    congru_text_add(&path, "%s/predictions.csv", folder);
    if (status == CONGRU_OK && path.failed)
        status = congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    if (status == CONGRU_OK)
        status = congru_source_exists(r->context, path.data, &exists);
    if (status == CONGRU_OK && exists)
        status = congru_csv_read(r->context, path.data, &r->answers);
    congru_text_clear(&path);
    return status;
}

static congru_status read_tables(results_reader *r)
{
    congru_status status = find_columns(r);
    if (status == CONGRU_OK)
        status = read_scores(r);
    return status == CONGRU_OK && r->answers.field != NULL ? read_answers(r) : status;
}

congru_status congru_results_read(congru_context *context, const char *folder, congru_results **results)
{
    if (context == NULL || folder == NULL || results == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no folder or results given");
    *results = NULL;
    results_reader reader = {.context = context, .results = calloc(1, sizeof *reader.results)};
    congru_status status = reader.results != NULL
                               ? open_files(&reader, folder)
                               : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    /* A run that was interrupted has finished folds that are not in results.csv, or no such file. */
    bool from_folds = reader.list.count > reader.scores.rows;
    if (status == CONGRU_OK && from_folds) {
        congru_results_destroy(&reader.results);
        status = congru_fold_list_read(context, folder, &reader.list, &reader.results);
    } else if (status == CONGRU_OK) {
        status = read_tables(&reader);
    }
    if (status == CONGRU_OK) {
        congru_results_mark(reader.results);
        status = congru_results_complete(context, folder, from_folds, &reader.list, reader.results);
    }
    free(reader.list.place);
    congru_csv_clear(&reader.scores);
    congru_csv_clear(&reader.answers);
    if (status != CONGRU_OK)
        congru_results_destroy(&reader.results);
    *results = reader.results;
    return status;
}
