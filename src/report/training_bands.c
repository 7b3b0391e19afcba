/* Training records of all subjects as curves with bands. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/report_internal.h"

enum { WITHIN_ACTION = 3, BETWEEN_ACTION, WITHIN_SUBJECT, BETWEEN_SUBJECT, ACTION_RATIO = 11, SUBJECT_RATIO };

static const struct {
    const char *name, *title;
} series_table[REPORT_SERIES] = {
    {"loss", "Loss"},
    {"cross_entropy", "Cross-entropy"},
    {"reconstruction", "Reconstruction"},
    {"within_action", "Scatter within classes"},
    {"between_action", "Scatter between classes"},
    {"within_subject", "Scatter within subjects"},
    {"between_subject", "Scatter between subjects"},
    {"gradient_norm", "Gradient norm"},
    {"eigen_least", "Least eigenvalue"},
    {"eigen_largest", "Largest eigenvalue"},
    {"rank", "Rank of the kept subspace"},
    {"action_ratio", "Fisher ratio of classes, W/B"},
    {"subject_ratio", "Fisher ratio of subjects, W/B"},
};

const char *congru_report_series(size_t index)
{
    return index < REPORT_SERIES ? series_table[index].name : NULL;
}

const char *congru_report_series_title(size_t index)
{
    return index < REPORT_SERIES ? series_table[index].title : NULL;
}

/* One file, its steps thinned. */
typedef struct report_record {
    char pipeline[CONGRU_PIPELINE_SIZE];
    size_t steps, points;
    double best_step;
    double *value; /* (REPORT_SERIES, points) */
} report_record;

typedef struct record_list {
    size_t count, room;
    report_record *record;
} record_list;

/* The step of a point: from the first to the last, evenly. */
static size_t step_of(size_t point, size_t points, size_t steps)
{
    return points > 1 ? (point * (steps - 1) + (points - 1) / 2) / (points - 1) : 0;
}

/* A series may be sparse, the rank is known every 100th step: a point without a number takes the last one
 * before it that belongs to no earlier point. */
static void thin(const congru_json *array, size_t steps, size_t points, double *out)
{
    const congru_json *value = array != NULL ? array->first : NULL;
    size_t point = 0;
    double last = NAN;
    for (size_t step = 0; step < steps && point < points; step++) {
        double number = congru_json_tree_number(value);
        last = isnan(number) ? last : number;
        if (step == step_of(point, points, steps)) {
            out[point++] = last;
            last = NAN;
        }
        value = value != NULL ? value->next : NULL;
    }
}

static congru_status fail_record(congru_context *context, const char *path, const char *what)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: %s; not a training record", path, what);
}

static congru_status take_record(congru_context *context, const char *path, const congru_json *root,
                                 report_record *record)
{
    const char *pipeline = congru_json_tree_string(congru_json_tree_member(root, "pipeline"), "");
    if (pipeline[0] == '\0' || strlen(pipeline) >= sizeof record->pipeline)
        return fail_record(context, path, "it names no pipeline");
    strcpy(record->pipeline, pipeline);
    record->best_step = congru_json_tree_number(congru_json_tree_member(root, "best_step"));
    record->steps = congru_json_length(congru_json_tree_member(root, "loss"));
    if (record->steps == 0)
        return fail_record(context, path, "it has no array \"loss\"");
    record->points = record->steps < REPORT_POINTS_MAX ? record->steps : REPORT_POINTS_MAX;
    record->value = calloc(REPORT_SERIES * record->points, sizeof *record->value);
    if (record->value == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
    size_t points = record->points;
    for (size_t s = 0; s < REPORT_SERIES_FILE; s++) {
        const congru_json *array = congru_json_tree_member(root, series_table[s].name);
        if (array != NULL && congru_json_length(array) != record->steps)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: \"%s\" has %s where \"loss\" has %zu", path,
                               series_table[s].name, congru_count(congru_json_length(array), "step").text,
                               record->steps);
        thin(array, record->steps, points, record->value + s * points);
    }
    for (size_t i = 0; i < points; i++) {
        double *at = record->value + i;
        double between = at[BETWEEN_ACTION * points], apart = at[BETWEEN_SUBJECT * points];
        at[ACTION_RATIO * points] = between > 0 ? at[WITHIN_ACTION * points] / between : NAN;
        at[SUBJECT_RATIO * points] = apart > 0 ? at[WITHIN_SUBJECT * points] / apart : NAN;
    }
    return CONGRU_OK;
}

static congru_status add_record(congru_context *context, const char *path, record_list *list)
{
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        report_record *grown = realloc(list->record, room * sizeof *grown);
        if (grown == NULL)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
        list->record = grown;
        list->room = room;
    }
    report_record *record = &list->record[list->count++];
    *record = (report_record){0};
    congru_json_file *file;
    congru_status status = congru_json_read(context, path, &file);
    if (status == CONGRU_OK)
        status = take_record(context, path, congru_json_root(file), record);
    congru_json_destroy(&file);
    return status;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_record(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return entry->d_name[0] != '.' && size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

/* Files in the order of their names, so that sums are the same everywhere. */
static congru_status read_records(congru_context *context, const char *folder, record_list *list)
{
    congru_text path = {0};
    congru_text_add(&path, "%s/training", folder);
    struct dirent **entry = NULL;
    int count = path.failed ? -1 : scandir(path.data, &entry, is_record, compare_names);
    congru_status status = CONGRU_OK;
    if (count < 0 && (path.failed || errno != ENOENT))
        status = congru_fail(context, CONGRU_ERROR_IO, "%s/training: cannot read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        congru_text file = {0};
        congru_text_add(&file, "%s/%s", path.data, entry[i]->d_name);
        if (status == CONGRU_OK)
            status = file.failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder)
                                 : add_record(context, file.data, list);
        congru_text_clear(&file);
        free(entry[i]);
    }
    free(entry);
    congru_text_clear(&path);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which this part of the sorted numbers lies, between two of them by proportion. */
static double quantile(size_t count, const double *sorted, double part)
{
    double place = part * (double)(count - 1);
    size_t below = (size_t)place;
    double rest = place - (double)below;
    return below + 1 < count ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/* Mean, and the middle 80 % of the subjects, at one point of one series. `value` is sorted. */
static void sum_up_point(report_curves *curves, size_t series, size_t point, size_t count, double *value)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += value[i];
    qsort(value, count, sizeof *value, compare_numbers);
    curves->mean[series][point] = count > 0 ? sum / (double)count : NAN;
    curves->low[series][point] = count > 0 ? quantile(count, value, 0.1) : NAN;
    curves->high[series][point] = count > 0 ? quantile(count, value, 0.9) : NAN;
}

static congru_status reserve_curves(congru_context *context, report_curves *curves, const report_record *like)
{
    strcpy(curves->pipeline, like->pipeline);
    curves->points = like->points;
    curves->steps = like->steps;
    curves->step = calloc(like->points, sizeof *curves->step);
    double *room = calloc(3 * REPORT_SERIES * like->points, sizeof *room);
    curves->mean[0] = room;
    if (curves->step == NULL || room == NULL)
        return congru_fail_memory(context, "the training of %s", like->pipeline);
    for (size_t s = 0; s < REPORT_SERIES; s++) {
        curves->mean[s] = room + (3 * s) * like->points;
        curves->low[s] = curves->mean[s] + like->points;
        curves->high[s] = curves->low[s] + like->points;
    }
    for (size_t i = 0; i < like->points; i++)
        curves->step[i] = step_of(i, like->points, like->steps);
    return CONGRU_OK;
}

/* The records of the pipeline of the first of them; `value` has room for one number of each. */
static congru_status sum_up_pipeline(congru_context *context, const record_list *list, size_t first,
                                     report_curves *curves, double *value)
{
    congru_status status = reserve_curves(context, curves, &list->record[first]);
    for (size_t i = first; status == CONGRU_OK && i < list->count; i++) {
        const report_record *record = &list->record[i];
        if (strcmp(record->pipeline, curves->pipeline) != 0)
            continue;
        if (record->steps != curves->steps)
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "training of %s: %zu steps for one subject and %zu for another",
                               curves->pipeline, curves->steps, record->steps);
        curves->subjects++;
        curves->best_step += record->best_step;
    }
    if (status != CONGRU_OK)
        return status;
    curves->best_step /= (double)curves->subjects;
    for (size_t s = 0; s < REPORT_SERIES; s++)
        for (size_t point = 0; point < curves->points; point++) {
            size_t count = 0;
            for (size_t i = first; i < list->count; i++) {
                const report_record *record = &list->record[i];
                if (strcmp(record->pipeline, curves->pipeline) == 0 &&
                    !isnan(record->value[s * curves->points + point]))
                    value[count++] = record->value[s * curves->points + point];
            }
            sum_up_point(curves, s, point, count, value);
        }
    return CONGRU_OK;
}

static bool is_new(const report_run *run, const char *pipeline)
{
    for (size_t i = 0; i < run->curve_count; i++)
        if (strcmp(run->curves[i].pipeline, pipeline) == 0)
            return false;
    return true;
}

congru_status congru_report_training(congru_context *context, report_run *run)
{
    record_list list = {0};
    congru_status status = read_records(context, run->folder, &list);
    double *value = calloc(list.count + 1, sizeof *value);
    run->curves = calloc(list.count + 1, sizeof *run->curves);
    if (status == CONGRU_OK && (value == NULL || run->curves == NULL))
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", run->folder);
    for (size_t i = 0; status == CONGRU_OK && i < list.count; i++)
        if (is_new(run, list.record[i].pipeline)) {
            report_curves *curves = &run->curves[run->curve_count++];
            status = sum_up_pipeline(context, &list, i, curves, value);
        }
    for (size_t i = 0; i < list.count; i++)
        free(list.record[i].value);
    free(list.record);
    free(value);
    return status;
}

void congru_report_curves_clear(report_run *run)
{
    for (size_t i = 0; i < run->curve_count; i++) {
        free(run->curves[i].step);
        free(run->curves[i].mean[0]);
    }
    free(run->curves);
    run->curves = NULL;
    run->curve_count = 0;
}

size_t congru_report_curve(const congru_report *report, size_t run, const char *pipeline, const char *series,
                           const size_t **step, const double **mean)
{
    if (report == NULL || pipeline == NULL || series == NULL || step == NULL || mean == NULL)
        return 0;
    *step = NULL;
    *mean = NULL;
    for (size_t i = 0; run < report->runs && i < report->run[run].curve_count; i++) {
        const report_curves *curves = &report->run[run].curves[i];
        if (strcmp(curves->pipeline, pipeline) != 0)
            continue;
        for (size_t s = 0; s < REPORT_SERIES; s++)
            if (strcmp(series_table[s].name, series) == 0) {
                *step = curves->step;
                *mean = curves->mean[s];
                return curves->points;
            }
    }
    return 0;
}
