/* Writes and reads finished folds. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/fold_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/csv.h"
#include "array/file_write.h"
#include "array/folder.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluation/fold_run.h"
#include "evaluation/results.h"

/* Beside the fold's own file, where its pipeline has patterns. */
#define PATTERN_ENDING ".pattern.csv"

enum { OF_SIZE = CONGRU_PIPELINE_SIZE + 16 }; /* "PIPELINE/SUBJECT", what a fold's digest is of */

static const char again[] = "remove the file to run the fold again";

congru_status congru_folder_write(congru_context *context, const char *folder, const char *below,
                                  const char *file, congru_text *text)
{
    char name[2 * CONGRU_PIPELINE_SIZE + 64];
    snprintf(name, sizeof name, "%s/%s", below, file);
    congru_status status = congru_folder_make(context, folder, below);
    if (status == CONGRU_OK)
        status = congru_file_write_text(context, folder, name, text);
    congru_text_clear(text);
    return status;
}

static void add_rows(congru_text *text, size_t classes, const congru_fold *fold)
{
    for (size_t i = 0; i < fold->samples; i++) {
        congru_text_add(text, "%zu,%d,%d", fold->trial[i], (int)fold->truth[i], (int)fold->prediction[i]);
        for (size_t k = 0; k < classes; k++)
            congru_text_add(text, ",%.17g", fold->probability[i * classes + k]);
        congru_text_add(text, "\n");
    }
}

/* How many trials each part has, "0:20 1:20 2:19"; nothing where the first has all: trials come part by part. */
static void add_parts(congru_text *text, const congru_fold *fold)
{
    const char *between = "";
    for (size_t first = 0, end; fold->samples > 0 && fold->part[fold->samples - 1] > 0 && first < fold->samples;
         first = end) {
        for (end = first; end < fold->samples && fold->part[end] == fold->part[first]; end++)
            ;
        congru_text_add(text, "%s%d:%zu", between, (int)fold->part[first], end - first);
        between = " ";
    }
}

/* The row's fields behind the fifth, which have nothing to say. */
static void add_blanks(congru_text *text, size_t classes)
{
    for (size_t k = 2; k < classes; k++)
        congru_text_add(text, ",");
    congru_text_add(text, "\n");
}

/* Before the fold itself, so that a fold that is there has its pattern. */
static congru_status write_pattern(congru_context *context, const char *folder, const char *below,
                                   const congru_fold *fold)
{
    congru_text text = {0};
    char file[32];
    snprintf(file, sizeof file, "%d" PATTERN_ENDING, (int)fold->subject);
    congru_text_add_bytes(&text, fold->pattern, strlen(fold->pattern));
    return congru_folder_write(context, folder, below, file, &text);
}

/* That which the fold was written with; a fold alone, or with another pattern, is no finished one. */
static congru_status read_pattern(congru_context *context, const char *folder, const char *pipeline,
                                  const congru_fold_about *about, congru_fold *fold)
{
    char digits[CONGRU_DIGEST_SIZE];
    const int subject = (int)fold->subject;
    CONGRU_TRY(congru_folder_text(context, folder, CONGRU_CSV_SIZE_MAX, "a pattern", &fold->pattern,
                                  "folds/%s/%d" PATTERN_ENDING, pipeline, subject));
    congru_text_digest(fold->pattern, digits);
    if (strcmp(digits, about->pattern) == 0)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s/folds/%s/%d" PATTERN_ENDING ": %s (remove %s/folds/%s/%d.csv to run the fold again)",
                       folder, pipeline, subject,
                       fold->pattern != NULL ? "not the pattern of the fold beside it" : "missing", folder,
                       pipeline, subject);
}

/* What describes the fold as a whole is in its last rows: a file that was cut by whatever means does not have them.
 * A fold can be read without its set, so that the results of a run that was interrupted can be looked at. */
congru_status congru_fold_write(congru_context *context, const char *folder, const char *pipeline,
                                const char *fingerprint, const congru_set *set, const congru_fold *fold)
{
    congru_text text = {0};
    char below[CONGRU_PIPELINE_SIZE + 8], file[32], pattern[CONGRU_DIGEST_SIZE], of[OF_SIZE];
    congru_text_add(&text, "trial,y_true,y_pred");
    congru_text_add_classes(&text, set->classes, (const char(*)[CONGRU_LABEL_SIZE])set->class_name);
    congru_text_add(&text, "\n");
    add_rows(&text, set->classes, fold);
    congru_text_add(&text, "times,%.6f,%.6f,", fold->aligning, fold->fitting);
    add_parts(&text, fold);
    congru_text_digest(fold->pattern, pattern);
    congru_text_add(&text, ",%s", pattern);
    add_blanks(&text, set->classes);
    congru_text_add(&text, "subject,");
    congru_text_add_csv(&text, set->subject_name[fold->subject]);
    congru_text_add(&text, ",%zu,%zu,%d", congru_set_sessions(set, fold->subject), set->dimension,
                    (int)congru_fold_session(set, fold));
    add_blanks(&text, set->classes);
    congru_text_add(&text, "end,%zu,%zu,%.6f,%s", fold->train, fold->calibration, fold->seconds, fingerprint);
    add_blanks(&text, set->classes);
    snprintf(below, sizeof below, "folds/%s", pipeline);
    snprintf(file, sizeof file, "%d.csv", (int)fold->subject);
    snprintf(of, sizeof of, "%s/%d", pipeline, (int)fold->subject);
    congru_status status;
    CONGRU_TRY_TO(done, congru_table_digest_add(context, of, &text));
    if (fold->pattern != NULL)
        CONGRU_TRY_TO(done, write_pattern(context, folder, below, fold));
    status = congru_folder_write(context, folder, below, file, &text);
done:
    congru_text_clear(&text);
    return status;
}

static congru_status fail_fold(congru_context *context, const congru_csv *csv)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: not a finished fold of this set", csv->path);
}

static congru_status parse_row(congru_context *context, const congru_csv *csv, size_t row, size_t classes,
                               congru_fold *fold)
{
    size_t truth, prediction;
    CONGRU_TRY(congru_csv_count(context, csv, row, 0, &fold->trial[row]));
    CONGRU_TRY(congru_csv_count(context, csv, row, 1, &truth));
    CONGRU_TRY(congru_csv_count(context, csv, row, 2, &prediction));
    for (size_t k = 0; k < classes; k++)
        CONGRU_TRY(congru_csv_number(context, csv, row, 3 + k, &fold->probability[row * classes + k]));
    for (size_t k = 0; truth < classes && prediction < classes && k < classes; k++)
        if (fold->probability[row * classes + k] > fold->probability[row * classes + prediction])
            prediction = classes;
    if (truth >= classes || prediction >= classes)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: row %zu: not a prediction of its probabilities",
                           csv->path, row + 1);
    fold->truth[row] = (int32_t)truth;
    fold->prediction[row] = (int32_t)prediction;
    return CONGRU_OK;
}

/* What add_parts has written. */
static congru_status parse_parts(congru_context *context, const congru_csv *csv, size_t row, congru_fold *fold)
{
    const char *text = congru_csv_field(csv, row, 3);
    size_t place = 0;
    while (*text != '\0') {
        char *end;
        const unsigned long part = strtoul(text, &end, 10);
        if (end == text || *end != ':' || part > INT32_MAX)
            return fail_fold(context, csv);
        text = end + 1;
        unsigned long count = strtoul(text, &end, 10);
        if (end == text || count > fold->samples - place || (*end != ' ' && *end != '\0'))
            return fail_fold(context, csv);
        for (; count > 0; count--)
            fold->part[place++] = (int32_t)part;
        text = end + (*end == ' ');
    }
    return place == 0 || place == fold->samples ? CONGRU_OK : fail_fold(context, csv);
}

/* The last two rows, of which `row` is the first. */
static congru_status parse_about(congru_context *context, const congru_csv *csv, size_t row, congru_fold *fold,
                                 congru_fold_about *about)
{
    const char *name = congru_csv_field(csv, row, 1), *session = congru_csv_field(csv, row, 4);
    const char *fingerprint = congru_csv_field(csv, row + 1, 4);
    if (strlen(name) >= sizeof about->subject_name || strlen(fingerprint) >= sizeof about->fingerprint)
        return fail_fold(context, csv);
    strcpy(about->subject_name, name);
    strcpy(about->fingerprint, fingerprint);
    fold->session = session[0] == '-' ? -1 : (int32_t)strtol(session, NULL, 10);
    CONGRU_TRY(congru_csv_count(context, csv, row, 2, &about->sessions));
    CONGRU_TRY(congru_csv_count(context, csv, row, 3, &about->channels));
    CONGRU_TRY(congru_csv_count(context, csv, row + 1, 1, &fold->train));
    CONGRU_TRY(congru_csv_count(context, csv, row + 1, 2, &fold->calibration));
    return congru_csv_number(context, csv, row + 1, 3, &fold->seconds);
}

static congru_status parse_fold(congru_context *context, const char *of, congru_csv *csv, congru_fold *fold,
                                congru_fold_about *about)
{
    *about = (congru_fold_about){0};
    CONGRU_TRY(congru_table_digest_check(context, of, csv, &about->whole));
    if (csv->rows < 1 || csv->columns < 5 || strcmp(congru_csv_field(csv, csv->rows - 1, 0), "end") != 0)
        return fail_fold(context, csv);
    if (csv->rows < 2 || strcmp(congru_csv_field(csv, csv->rows - 2, 0), "subject") != 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: does not say what settings it was made with, as folds of older versions (name "
                           "another folder with -o, or remove this one)",
                           csv->path);
    /* Folds of older versions do not say how their time is divided. */
    bool timed = csv->rows >= 3 && strcmp(congru_csv_field(csv, csv->rows - 3, 0), "times") == 0;
    size_t samples = csv->rows - 2 - timed, classes = csv->columns - 3;
    CONGRU_TRY(congru_fold_reserve(context, fold, samples, classes));
    fold->aligning = fold->fitting = NAN;
    if (timed) {
        CONGRU_TRY(congru_csv_number(context, csv, samples, 1, &fold->aligning));
        CONGRU_TRY(congru_csv_number(context, csv, samples, 2, &fold->fitting));
        snprintf(about->pattern, sizeof about->pattern, "%.16s", congru_csv_field(csv, samples, 4));
    }
    fold->samples = samples;
    if (timed)
        CONGRU_TRY(parse_parts(context, csv, samples, fold));
    for (size_t row = 0; row < samples; row++)
        CONGRU_TRY(parse_row(context, csv, row, classes, fold));
    return parse_about(context, csv, csv->rows - 2, fold, about);
}

congru_status congru_fold_load(congru_context *context, const char *folder, const char *pipeline,
                               int32_t subject, congru_csv *csv, congru_fold *fold, congru_fold_about *about,
                               bool *found)
{
    char of[OF_SIZE];
    snprintf(of, sizeof of, "%s/%d", pipeline, (int)subject);
    congru_status status = congru_folder_table(context, folder, csv, found, "folds/%s.csv", of);
    if (status == CONGRU_OK && *found)
        status = parse_fold(context, of, csv, fold, about);
    return status == CONGRU_ERROR_FORMAT ? congru_fail_more(context, status, again) : status;
}

/* The fold of this run, of this subject, about trials as they are in the set. */
static congru_status check_fold(congru_context *context, const congru_csv *csv, const char *fingerprint,
                                const congru_set *set, const congru_fold *fold, const congru_fold_about *about)
{
    if (strcmp(about->fingerprint, fingerprint) != 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: made with other settings or from other data than this run has (name another "
                           "folder with -o, or remove this one)",
                           csv->path);
    if (!about->whole)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: has no digest, as folds of congru 0.2 and before (name another folder with -o, or "
            "remove the file to run the fold again)",
            csv->path);
    bool fits =
        csv->columns == 3 + set->classes && strcmp(about->subject_name, set->subject_name[fold->subject]) == 0;
    for (size_t i = 0; fits && i < fold->samples; i++)
        fits = fold->trial[i] < set->count && set->subject[fold->trial[i]] == fold->subject &&
               set->label[fold->trial[i]] == fold->truth[i];
    return fits ? CONGRU_OK : congru_fail_more(context, fail_fold(context, csv), again);
}

congru_status congru_fold_read(congru_context *context, const char *folder, const char *pipeline,
                               const char *fingerprint, int32_t subject, const congru_set *set,
                               congru_fold *fold, bool *found)
{
    congru_csv csv = {0};
    congru_fold_about about;
    congru_status status;
    *fold = (congru_fold){.subject = subject};
    CONGRU_TRY_TO(done, congru_fold_load(context, folder, pipeline, subject, &csv, fold, &about, found));
    if (!*found)
        goto done;
    CONGRU_TRY_TO(done, check_fold(context, &csv, fingerprint, set, fold, &about));
    status = read_pattern(context, folder, pipeline, &about, fold);
done:
    congru_csv_clear(&csv);
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
            congru_text_add_number(&text, record->value[series][step], 17);
        }
        congru_text_add(&text, "]");
    }
    congru_text_add(&text, "\n}\n");
    snprintf(name, sizeof name, "%s-%d.json", pipeline, (int)subject);
    return congru_folder_write(context, folder, "training", name, &text);
}
