/* Reads results folders and sums them up. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array/file_write.h"
#include "base/error.h"
#include "report/report_internal.h"

static congru_status fail_memory(congru_context *context, const char *folder)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
}

double congru_report_mean(const report_run *run, size_t pipeline, congru_score metric)
{
    return congru_scores_mean(run->scores, pipeline, metric).mean;
}

/* Best first among those that looked at as many labels, fewest before; equals stay in the order of the file. */
static void sort_pipelines(report_run *run)
{
    for (size_t i = 0; i < run->results->pipelines; i++) {
        size_t place = i;
        for (; place > 0 && congru_scores_before(run->scores, i, run->order[place - 1]); place--)
            run->order[place] = run->order[place - 1];
        run->order[place] = i;
    }
}

static congru_status sum_up(congru_context *context, report_run *run)
{
    size_t pipelines = run->results->pipelines;
    run->z = calloc(pipelines + 1, sizeof *run->z);
    run->mean = calloc(pipelines + 1, sizeof *run->mean);
    run->order = calloc(pipelines + 1, sizeof *run->order);
    if (run->z == NULL || run->mean == NULL || run->order == NULL)
        return fail_memory(context, run->folder);
    CONGRU_TRY(congru_results_scores(context, run->results, &run->scores));
    CONGRU_TRY(congru_scores_z(context, run->scores, run->z));
    run->accuracy = run->scores->value[CONGRU_SCORE_ACCURACY];
    for (size_t p = 0; p < pipelines; p++)
        run->mean[p] = congru_scores_mean(run->scores, p, CONGRU_SCORE_ACCURACY);
    sort_pipelines(run);
    run->chance = run->results->classes > 0 ? 1 / (double)run->results->classes : NAN;
    return CONGRU_OK;
}

/* Where the run's files are: the folder itself, or that of the curve's first number when it holds no results. */
static congru_status find_files(congru_context *context, report_run *run)
{
    struct stat about;
    congru_text path = {0};
    congru_text_add(&path, "%s/results.csv", run->given);
    bool own = !path.failed && stat(path.data, &about) == 0;
    congru_text_clear(&path);
    congru_text_add(&path, "%s/folds", run->given);
    own = own || (!path.failed && stat(path.data, &about) == 0);
    congru_text_clear(&path);
    CONGRU_TRY(congru_curve_read(context, run->given, &run->curve));
    run->folder = strdup(!own && run->curve != NULL ? run->curve->folder[0] : run->given);
    return run->folder == NULL ? fail_memory(context, run->given) : CONGRU_OK;
}

static congru_status read_folder(congru_context *context, const char *folder, report_run *run)
{
    struct stat about;
    run->given = strdup(folder);
    if (run->given == NULL)
        return fail_memory(context, folder);
    if (stat(folder, &about) != 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", folder, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: not a results folder (name the folder, not a file in it)", folder);
    CONGRU_TRY(find_files(context, run));
    CONGRU_TRY(congru_results_read(context, run->folder, &run->results));
    CONGRU_TRY(sum_up(context, run));
    CONGRU_TRY(congru_report_test_pairs(context, run));
    CONGRU_TRY(congru_report_optional(context, run));
    return congru_report_training(context, run);
}

/* The last part of the folder's name; the whole where that would name two runs. */
static congru_status label_runs(congru_context *context, congru_report *report)
{
    for (size_t i = 0; i < report->runs; i++) {
        char *name = strdup(report->run[i].given);
        if (name == NULL)
            return fail_memory(context, report->run[i].given);
        for (size_t size = strlen(name); size > 1 && name[size - 1] == '/'; size--)
            name[size - 1] = '\0';
        char *slash = strrchr(name, '/');
        report->run[i].label = strdup(slash != NULL && slash[1] != '\0' ? slash + 1 : name);
        free(name);
        if (report->run[i].label == NULL)
            return fail_memory(context, report->run[i].given);
    }
    for (size_t i = 0; i < report->runs; i++)
        for (size_t k = 0; k < report->runs; k++) {
            if (i == k || strcmp(report->run[i].label, report->run[k].label) != 0)
                continue;
            for (size_t which = i;; which = k) {
                free(report->run[which].label);
                report->run[which].label = strdup(report->run[which].given);
                if (report->run[which].label == NULL)
                    return fail_memory(context, report->run[which].given);
                if (which == k)
                    break;
            }
        }
    return CONGRU_OK;
}

congru_status congru_report_create(congru_context *context, const char *const *folders, size_t count,
                                   congru_report **report)
{
    if (context == NULL || report == NULL || folders == NULL || count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no results folder given");
    for (size_t i = 0; i < count; i++)
        if (folders[i] == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "results folder %zu of %zu is NULL", i + 1,
                               count);
    congru_report *made = calloc(1, sizeof *made);
    *report = made;
    if (made != NULL)
        made->run = calloc(count, sizeof *made->run);
    if (made == NULL || made->run == NULL) {
        congru_report_destroy(report);
        return fail_memory(context, folders[0]);
    }
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        made->runs = i + 1;
        status = read_folder(context, folders[i], &made->run[i]);
    }
    known_columns known = {0};
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        congru_known_include(&known, made->run[i].scores);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        made->run[i].known = known;
    if (status == CONGRU_OK)
        status = label_runs(context, made);
    if (status == CONGRU_OK)
        status = congru_report_compare(context, made);
    if (status != CONGRU_OK)
        congru_report_destroy(report);
    return status;
}

static void clear_run(report_run *run)
{
    congru_results_destroy(&run->results);
    congru_json_destroy(&run->run);
    congru_json_destroy(&run->geometry);
    congru_json_destroy(&run->patterns);
    congru_patterns_destroy(&run->looks);
    congru_json_destroy(&run->ablation);
    congru_json_destroy(&run->statistics);
    congru_report_curves_clear(run);
    congru_curve_destroy(&run->curve);
    free(run->given);
    free(run->folder);
    free(run->label);
    congru_scores_destroy(&run->scores);
    free(run->z);
    free(run->pair_p);
    free(run->pair_holm);
    free(run->mean);
    free(run->order);
}

void congru_report_destroy(congru_report **report)
{
    if (report == NULL || *report == NULL)
        return;
    for (size_t i = 0; i < (*report)->runs; i++)
        clear_run(&(*report)->run[i]);
    free((*report)->run);
    free((*report)->comparison);
    free(*report);
    *report = NULL;
}

void congru_report_text_destroy(char **text)
{
    if (text == NULL)
        return;
    free(*text);
    *text = NULL;
}

congru_status congru_report_hand_over(congru_context *context, congru_text *text, char **out)
{
    *out = NULL;
    if (text->failed || text->data == NULL) {
        congru_text_clear(text);
        return congru_fail_memory(context, "the report");
    }
    *out = text->data;
    *text = (congru_text){0};
    return CONGRU_OK;
}

congru_status congru_report_write(congru_context *context, const char *path, const void *bytes, size_t size)
{
    if (context == NULL || path == NULL || bytes == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no path or bytes given");
    return congru_file_write(context, path, &(congru_file_piece){bytes, size}, 1);
}
