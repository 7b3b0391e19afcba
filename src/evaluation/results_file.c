/* results.csv and predictions.csv, written and read. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array/csv.h"
#include "array/file_write.h"
#include "array/folder.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluation/cohort.h"
#include "evaluation/fold_run.h"
#include "evaluation/patterns.h"
#include "evaluation/results.h"
#include "evaluation/results_folds.h"

/* ---- Writing --------------------------------------------------------------------------------------------- */

static void add_result(congru_text *text, const congru_results *results, const congru_fold *fold)
{
    congru_text_add(text, "%.17g,%.6f,%zu,", fold->accuracy, fold->seconds, fold->samples);
    congru_text_add_csv(text, results->subject_name[fold->subject]);
    if (fold->session >= 0)
        congru_text_add(text, ",%d", (int)fold->session);
    else
        congru_text_add(text, ",all");
    congru_text_add(text, ",%zu,%zu,", results->channels, results->subject_sessions[fold->subject]);
    congru_text_add_csv(text, results->dataset);
    congru_text_add(text, ",%s,%.17g,%.17g,%zu,%zu\n", results->pipeline[fold->pipeline], fold->kappa,
                    fold->balanced, fold->train, fold->calibration);
}

void congru_predictions_add_heading(congru_text *text, size_t classes,
                                    const char (*class_name)[CONGRU_LABEL_SIZE])
{
    congru_text_add(text, "dataset,subject,trial,pipeline,y_true,y_pred");
    congru_text_add_classes(text, classes, class_name);
    congru_text_add(text, ",fold\n");
}

void congru_predictions_add_row(congru_text *text, const char *dataset, const char *subject, size_t trial,
                                const char *pipeline, const char *truth, const char *prediction, size_t classes,
                                const double *probability, int32_t part)
{
    congru_text_add_csv(text, dataset);
    congru_text_add(text, ",");
    congru_text_add_csv(text, subject);
    congru_text_add(text, ",%zu,%s,", trial, pipeline);
    congru_text_add_csv(text, truth);
    congru_text_add(text, ",");
    congru_text_add_csv(text, prediction);
    for (size_t k = 0; k < classes; k++)
        congru_text_add(text, ",%.17g", probability[k]);
    congru_text_add(text, ",%d\n", (int)part);
}

static void add_predictions(congru_text *text, const congru_results *results, const congru_fold *fold)
{
    for (size_t i = 0; i < fold->samples; i++)
        congru_predictions_add_row(text, results->dataset, results->subject_name[fold->subject], fold->trial[i],
                                   results->pipeline[fold->pipeline], results->class_name[fold->truth[i]],
                                   results->class_name[fold->prediction[i]], results->classes,
                                   fold->probability + i * results->classes, fold->part[i]);
}

void congru_text_add_classes(congru_text *text, size_t classes, const char (*class_name)[CONGRU_LABEL_SIZE])
{
    for (size_t k = 0; k < classes; k++) {
        congru_text name = {0};
        congru_text_add(&name, "p_%s", class_name[k]);
        congru_text_add(text, ",");
        congru_text_add_csv(text, name.data != NULL ? name.data : "");
        text->failed = text->failed || name.failed;
        congru_text_clear(&name);
    }
}

/* FOLDER/patterns.csv: of every pipeline that has patterns, their means over folds. */
static congru_status write_patterns(congru_context *context, const congru_results *results, const char *folder)
{
    const char **text;
    congru_text table = {0};
    congru_status status = CONGRU_OK;
    CONGRU_TRY(congru_allocate(context, &text, results->folds, sizeof *text, "patterns"));
    for (size_t p = 0; status == CONGRU_OK && p < results->pipelines; p++) {
        congru_patterns *mean = NULL;
        size_t texts = 0;
        for (size_t i = 0; i < results->folds; i++)
            if (results->fold[i].pipeline == p && results->fold[i].pattern != NULL)
                text[texts++] = results->fold[i].pattern;
        if (texts > 0)
            status = congru_patterns_average(context, results->pipeline[p], texts, text, &mean);
        if (mean != NULL)
            congru_patterns_add(&table, mean, mean->count);
        congru_patterns_destroy(&mean);
    }
    if (status == CONGRU_OK && table.failed)
        status = congru_fail_memory(context, "patterns");
    if (status == CONGRU_OK && table.size > 0)
        status = congru_file_write_text(context, folder, CONGRU_PATTERNS_FILE, &table);
    congru_text_clear(&table);
    free(text);
    return status;
}

congru_status congru_results_write(congru_context *context, const congru_results *results, const char *folder)
{
    congru_text text = {0};
    congru_predictions_add_heading(&text, results->classes,
                                   (const char(*)[CONGRU_LABEL_SIZE])results->class_name);
    for (size_t i = 0; i < results->folds; i++)
        add_predictions(&text, results, &results->fold[i]);
    CONGRU_TRY(congru_file_write_text(context, folder, "predictions.csv", &text));
    congru_text_add(&text, "score,time,samples,subject,session,channels,n_sessions,dataset,pipeline,kappa,"
                           "balanced_accuracy,train,calibration\n");
    for (size_t i = 0; i < results->folds; i++)
        add_result(&text, results, &results->fold[i]);
    CONGRU_TRY(congru_file_write_text(context, folder, "results.csv", &text));
    return write_patterns(context, results, folder);
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

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
    CONGRU_TRY(number(r, row, which, value));
    if (!(*value >= low && *value <= high))
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: row %zu: %s is %g, expected %g to %g",
                           r->scores.path, row + 1, headings[which], *value, low, high);
    return CONGRU_OK;
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
    fold->aligning = fold->fitting = NAN; /* folds have them, this table does not */
    CONGRU_TRY(read_names(r, row, fold));
    CONGRU_TRY(score(r, row, SCORE, 0, 1, &fold->accuracy));
    CONGRU_TRY(score(r, row, TIME, 0, 1e12, &fold->seconds));
    CONGRU_TRY(score(r, row, KAPPA, -1, 1, &fold->kappa));
    CONGRU_TRY(score(r, row, BALANCED, 0, 1, &fold->balanced));
    CONGRU_TRY(count(r, row, SAMPLES, &fold->samples));
    CONGRU_TRY(count(r, row, TRAIN, &fold->train));
    CONGRU_TRY(count(r, row, CALIBRATION, &fold->calibration));
    CONGRU_TRY(count(r, row, CHANNELS, &results->channels));
    CONGRU_TRY(count(r, row, SESSIONS, &results->subject_sessions[fold->subject]));
    results->folds = row + 1;
    return CONGRU_OK;
}

static congru_status read_scores(results_reader *r)
{
    const size_t rows = r->scores.rows;
    CONGRU_TRY(congru_results_reserve(r->context, congru_csv_field(&r->scores, 0, r->column[DATASET]), rows,
                                      rows, rows, &r->results));
    for (size_t row = 0; row < rows; row++)
        CONGRU_TRY(read_score(r, row));
    /* Without predictions the fold holds no trials, whatever their number was. */
    for (size_t i = 0; r->answers.field == NULL && i < r->results->folds; i++)
        r->results->fold[i].samples = 0;
    return CONGRU_OK;
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
    CONGRU_TRY(congru_allocate(r->context, &results->class_name, r->answers.columns,
                               sizeof *results->class_name, "%zu classes", r->answers.columns));
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
    CONGRU_TRY(congru_csv_count(r->context, &r->answers, row, column[A_TRIAL], &fold->trial[place]));
    if (column[A_FOLD] != SIZE_MAX)
        CONGRU_TRY(congru_csv_count(r->context, &r->answers, row, column[A_FOLD], &part));
    if (part > INT32_MAX)
        return fail_row(r, row, "no such fold");
    fold->part[place] = (int32_t)part;
    for (size_t k = 0; k < results->classes; k++)
        CONGRU_TRY(congru_csv_number(r->context, &r->answers, row, first + k,
                                     &fold->probability[place * results->classes + k]));
    return CONGRU_OK;
}

static congru_status read_answers(results_reader *r)
{
    size_t column[A_COLUMNS], first = 0, row = 0;
    congru_results *results = r->results;
    CONGRU_TRY(read_classes(r, column, &first));
    for (size_t i = 0; i < results->folds; i++) {
        congru_fold *fold = &results->fold[i];
        const size_t samples = fold->samples;
        if (samples > r->answers.rows - row)
            return fail_row(r, r->answers.rows, "fewer rows than results.csv says");
        CONGRU_TRY(congru_fold_reserve(r->context, fold, samples, results->classes));
        for (size_t k = 0; k < samples; k++)
            CONGRU_TRY(read_answer(r, column, first, row++, fold, k));
    }
    return row == r->answers.rows ? CONGRU_OK : fail_row(r, row, "more rows than results.csv says");
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
    struct stat about;
    bool exists;
    CONGRU_TRY(congru_fold_list_make(r->context, folder, &r->list));
    CONGRU_TRY(congru_folder_table(r->context, folder, &r->scores, &exists, "results.csv"));
    if (!exists && r->list.count > 0)
        return CONGRU_OK;
    if (!exists && stat(folder, &about) == 0 && S_ISDIR(about.st_mode))
        return fail_without_results(r, folder);
    if (!exists && stat(folder, &about) == 0)
        return congru_fail(r->context, CONGRU_ERROR_KIND,
                           "%s: is a file, and no results folder ('congru info' describes it)", folder);
    if (!exists)
        return congru_fail(r->context, CONGRU_ERROR_IO, "%s/results.csv: cannot open: %s", folder,
                           strerror(ENOENT));
    return congru_folder_table(r->context, folder, &r->answers, &exists, "predictions.csv");
}

/* A run that was interrupted has finished folds that are not in results.csv, or no such file. */
static congru_status read_folder(results_reader *r, const char *folder)
{
    CONGRU_TRY(open_files(r, folder));
    const bool from_folds = r->list.count > r->scores.rows;
    if (from_folds) {
        CONGRU_TRY(congru_fold_list_read(r->context, folder, &r->list, &r->results));
    } else {
        CONGRU_TRY(find_columns(r));
        CONGRU_TRY(read_scores(r));
        if (r->answers.field != NULL)
            CONGRU_TRY(read_answers(r));
    }
    congru_results_mark(r->results);
    return congru_results_complete(r->context, folder, from_folds, &r->list, r->results);
}

congru_status congru_results_read(congru_context *context, const char *folder, congru_results **results)
{
    if (context == NULL || folder == NULL || results == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no folder or results given");
    results_reader reader = {.context = context};
    const congru_status status = read_folder(&reader, folder);
    free(reader.list.place);
    congru_csv_clear(&reader.scores);
    congru_csv_clear(&reader.answers);
    if (status != CONGRU_OK)
        congru_results_destroy(&reader.results);
    *results = reader.results;
    return status;
}
