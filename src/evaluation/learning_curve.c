/* Learning curves: runs on more and more labelled target trials. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "congru/evaluation.h"

/* The folder of one number, which is what is left of its name. */
static const char prefix[] = CONGRU_CURVE_FOLDER;

static congru_status name_folder(congru_context *context, const char *folder, int number, char **name)
{
    congru_text path = {0};
    congru_text_add(&path, "%s/%s%d", folder, prefix, number);
    *name = path.data;
    return path.failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder) : CONGRU_OK;
}

/* How far the whole curve is, told to the caller of one of its runs. */
typedef struct curve_watch {
    const congru_evaluation_options *options;
    double done, all;
} curve_watch;

static void watch_part(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    const curve_watch *watch = user;
    watch->options->watch(watch->options->watch_user, (watch->done + part) / watch->all, pipeline, step, steps);
}

static congru_status evaluate_number(congru_context *context, const congru_set *set,
                                     const congru_evaluation_options *options, curve_watch *watch,
                                     congru_curve *curve, size_t index, int most)
{
    congru_evaluation_options own = *options;
    if (options->folder != NULL)
        CONGRU_TRY(name_folder(context, options->folder, curve->number[index], &curve->folder[index]));
    own.folder = curve->folder[index];
    own.calibration = curve->number[index];
    own.calibration_most = most;
    watch->done = (double)index;
    if (options->watch != NULL) {
        own.watch = watch_part;
        own.watch_user = watch;
    }
    CONGRU_TRY(congru_evaluate(context, set, &own, &curve->results[index]));
    return congru_results_scores(context, curve->results[index], &curve->scores[index]);
}

static bool ascending(size_t count, const int *number)
{
    for (size_t i = 0; i < count; i++)
        if (number[i] < 0 || (i > 0 && number[i] <= number[i - 1]))
            return false;
    return true;
}

congru_status congru_curve_evaluate(congru_context *context, const congru_set *set,
                                    const congru_evaluation_options *options, size_t count, const int *number,
                                    congru_curve **curve)
{
    if (context == NULL || set == NULL || options == NULL || number == NULL || curve == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_curve_evaluate: no argument may be NULL");
    *curve = NULL;
    if (count == 0 || count > CONGRU_CURVE_MAX || !ascending(count, number))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a learning curve takes 1 to %d numbers of trials, not negative and ascending",
                           (int)CONGRU_CURVE_MAX);
    congru_curve *made;
    CONGRU_TRY(congru_allocate(context, &made, 1, sizeof *made, "a learning curve"));
    curve_watch watch = {.options = options, .all = (double)count};
    congru_status status = CONGRU_OK;
    made->count = count;
    memcpy(made->number, number, count * sizeof *number);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = evaluate_number(context, set, options, &watch, made, i, number[count - 1]);
    if (status == CONGRU_OK)
        *curve = made;
    else
        congru_curve_destroy(&made);
    return status;
}

/* The number of a folder's name, -1 for one that is none of a curve's. */
static int number_of(const char *name)
{
    int number = -1;
    char again[32];
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || strlen(name) >= sizeof again)
        return -1;
    number = atoi(name + sizeof prefix - 1);
    snprintf(again, sizeof again, "%s%d", prefix, number);
    return strcmp(again, name) == 0 && number >= 0 ? number : -1;
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The numbers that a folder has; more than fit are counted only. */
static congru_status list_numbers(congru_context *context, const char *folder, congru_curve *curve)
{
    DIR *list = opendir(folder);
    if (list == NULL)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        const int number = number_of(entry->d_name);
        if (number >= 0 && curve->count < CONGRU_CURVE_MAX)
            curve->number[curve->count] = number;
        curve->count += number >= 0;
    }
    closedir(list);
    if (curve->count > CONGRU_CURVE_MAX) {
        const size_t found = curve->count;
        curve->count = 0;
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: holds %zu folders %sNUMBER, more than %d", folder,
                           found, prefix, (int)CONGRU_CURVE_MAX);
    }
    qsort(curve->number, curve->count, sizeof curve->number[0], compare);
    return CONGRU_OK;
}

static congru_status read_number(congru_context *context, const char *folder, congru_curve *curve, size_t index)
{
    CONGRU_TRY(name_folder(context, folder, curve->number[index], &curve->folder[index]));
    CONGRU_TRY(congru_results_read(context, curve->folder[index], &curve->results[index]));
    return congru_results_scores(context, curve->results[index], &curve->scores[index]);
}

congru_status congru_curve_read(congru_context *context, const char *folder, congru_curve **curve)
{
    if (context == NULL || folder == NULL || curve == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_curve_read: no argument may be NULL");
    *curve = NULL;
    congru_curve *made;
    CONGRU_TRY(congru_allocate(context, &made, 1, sizeof *made, "a learning curve"));
    congru_status status = list_numbers(context, folder, made);
    for (size_t i = 0; status == CONGRU_OK && i < made->count; i++)
        status = read_number(context, folder, made, i);
    if (status == CONGRU_OK && made->count > 0)
        *curve = made;
    else
        congru_curve_destroy(&made);
    return status;
}

void congru_curve_destroy(congru_curve **curve)
{
    if (curve == NULL || *curve == NULL)
        return;
    for (size_t i = 0; i < (*curve)->count; i++) {
        free((*curve)->folder[i]);
        congru_results_destroy(&(*curve)->results[i]);
        congru_scores_destroy(&(*curve)->scores[i]);
    }
    free(*curve);
    *curve = NULL;
}

congru_interval congru_curve_mean(const congru_curve *curve, size_t index, const char *pipeline,
                                  congru_score metric)
{
    const size_t place = curve != NULL && index < curve->count && pipeline != NULL
                             ? congru_scores_find(curve->scores[index], pipeline)
                             : SIZE_MAX;
    return place != SIZE_MAX ? congru_scores_mean(curve->scores[index], place, metric)
                             : congru_interval_of(0, NULL, 0.95);
}
