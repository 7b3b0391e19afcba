/* Scores by pipeline and subject: folds are averaged here, and nowhere else. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "congru/statistics.h"
#include "statistics/points.h"

static congru_status fail_memory(congru_context *context, const char *name)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for its scores", name);
}

congru_status congru_scores_create(congru_context *context, const char *name, size_t classes,
                                   congru_scores **scores)
{
    if (name == NULL || scores == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_scores_create: no argument may be NULL");
    congru_scores *made = calloc(1, sizeof *made);
    *scores = made;
    if (made == NULL || (made->name = strdup(name)) == NULL) {
        congru_scores_destroy(scores);
        return fail_memory(context, name);
    }
    made->classes = classes;
    return CONGRU_OK;
}

void congru_scores_destroy(congru_scores **scores)
{
    if (scores == NULL || *scores == NULL)
        return;
    congru_scores *dying = *scores;
    for (size_t m = 0; m < CONGRU_SCORE_KINDS; m++) {
        free(dying->value[m]);
        free(dying->sum[m]);
    }
    free(dying->name);
    free(dying->pipeline);
    free(dying->subject);
    free(dying->few);
    free(dying->folds);
    free(dying->labels);
    free(dying->common);
    free(dying->shared);
    free(dying);
    *scores = NULL;
}

/* ---- Names ---- */

static size_t find(size_t count, char (*names)[CONGRU_SCORE_NAME_SIZE], const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], name, CONGRU_SCORE_NAME_SIZE - 1) == 0)
            return i;
    return SIZE_MAX;
}

/* Makes room for a row or a column more, which moves every number to its new place. */
static bool reshape(congru_scores *scores, size_t pipelines, size_t subjects)
{
    const size_t cells = pipelines * subjects;
    double *grown[2 * CONGRU_SCORE_KINDS] = {0};
    size_t *folds = calloc(cells + 1, sizeof *folds);
    bool done = folds != NULL;
    for (size_t m = 0; m < 2 * CONGRU_SCORE_KINDS; m++) {
        grown[m] = malloc((cells + 1) * sizeof **grown);
        done = done && grown[m] != NULL;
    }
    for (size_t m = 0; done && m < 2 * CONGRU_SCORE_KINDS; m++) {
        double **old = m < CONGRU_SCORE_KINDS ? &scores->value[m] : &scores->sum[m - CONGRU_SCORE_KINDS];
        for (size_t i = 0; i < cells; i++)
            grown[m][i] = m < CONGRU_SCORE_KINDS ? NAN : 0.0;
        for (size_t p = 0; p < scores->pipelines; p++)
            for (size_t s = 0; s < scores->subjects; s++) {
                grown[m][p * subjects + s] = (*old)[p * scores->subjects + s];
                folds[p * subjects + s] = scores->folds[p * scores->subjects + s];
            }
        free(*old);
        *old = grown[m];
        grown[m] = NULL;
    }
    for (size_t m = 0; m < 2 * CONGRU_SCORE_KINDS; m++)
        free(grown[m]);
    if (!done) {
        free(folds);
        return false;
    }
    free(scores->folds);
    free(scores->common);
    free(scores->shared);
    scores->common = NULL;
    scores->shared = NULL;
    scores->folds = folds;
    scores->pipelines = pipelines;
    scores->subjects = subjects;
    return true;
}

/* A list of names with one more behind it. */
static bool append(char (**names)[CONGRU_SCORE_NAME_SIZE], size_t count, const char *name)
{
    char(*grown)[CONGRU_SCORE_NAME_SIZE] = realloc(*names, (count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    *names = grown;
    congru_format(grown[count], sizeof *grown, "%s", name);
    return true;
}

congru_status congru_scores_pipeline(congru_context *context, congru_scores *scores, const char *name,
                                     size_t *place)
{
    if (scores == NULL || name == NULL || place == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_scores_pipeline: no argument may be NULL");
    *place = find(scores->pipelines, scores->pipeline, name);
    if (*place != SIZE_MAX)
        return CONGRU_OK;
    *place = scores->pipelines;
    size_t *labels = realloc(scores->labels, (scores->pipelines + 1) * sizeof *labels);
    if (labels == NULL)
        return fail_memory(context, scores->name);
    scores->labels = labels;
    labels[scores->pipelines] = 0;
    return append(&scores->pipeline, scores->pipelines, name) &&
                   reshape(scores, scores->pipelines + 1, scores->subjects)
               ? CONGRU_OK
               : fail_memory(context, scores->name);
}

congru_status congru_scores_subject(congru_context *context, congru_scores *scores, const char *name,
                                    size_t *place)
{
    if (scores == NULL || name == NULL || place == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_scores_subject: no argument may be NULL");
    *place = find(scores->subjects, scores->subject, name);
    if (*place != SIZE_MAX)
        return CONGRU_OK;
    *place = scores->subjects;
    bool *few = realloc(scores->few, (scores->subjects + 1) * sizeof *few);
    if (few == NULL)
        return fail_memory(context, scores->name);
    scores->few = few;
    few[scores->subjects] = false;
    return append(&scores->subject, scores->subjects, name) &&
                   reshape(scores, scores->pipelines, scores->subjects + 1)
               ? CONGRU_OK
               : fail_memory(context, scores->name);
}

size_t congru_scores_find(const congru_scores *scores, const char *pipeline)
{
    return scores != NULL && pipeline != NULL ? find(scores->pipelines, scores->pipeline, pipeline) : SIZE_MAX;
}

/* ---- Numbers ---- */

void congru_scores_trial(congru_scores *scores, double seconds)
{
    if (scores == NULL || !(seconds > 0 && isfinite(seconds)))
        return;
    scores->trial_seconds = seconds;
    congru_format(scores->transfer, sizeof scores->transfer, "information transfer in bits/min, trials of %g s",
                  seconds);
}

congru_score_about congru_scores_describe(const congru_scores *scores, congru_score metric)
{
    const congru_score_about *about = congru_score_describe(metric);
    congru_score_about described = about != NULL ? *about : (congru_score_about){0};
    if (metric == CONGRU_SCORE_BITS && scores != NULL && scores->trial_seconds > 0) {
        described.name = "itr_per_minute";
        described.title = "bits/min";
        described.text = scores->transfer;
    }
    return described;
}

void congru_scores_add(congru_scores *scores, size_t pipeline, size_t subject,
                       const double value[CONGRU_SCORE_KINDS])
{
    if (scores == NULL || value == NULL || pipeline >= scores->pipelines || subject >= scores->subjects)
        return;
    const size_t cell = pipeline * scores->subjects + subject;
    const double folds = (double)++scores->folds[cell];
    for (size_t m = 0; m < CONGRU_SCORE_KINDS; m++) {
        scores->sum[m][cell] += value[m];
        scores->value[m][cell] = m == CONGRU_SCORE_TRIALS || m == CONGRU_SCORE_SECONDS
                                     ? scores->sum[m][cell]
                                     : scores->sum[m][cell] / folds;
    }
    const double accuracy = scores->value[CONGRU_SCORE_ACCURACY][cell];
    const double trials = scores->value[CONGRU_SCORE_TRIALS][cell];
    const double chance = trials > 0 ? congru_chance_level((size_t)trials, scores->classes, 0.95) : NAN;
    scores->value[CONGRU_SCORE_BITS][cell] = congru_transfer_bits(accuracy, scores->classes) *
                                             (scores->trial_seconds > 0 ? 60.0 / scores->trial_seconds : 1.0);
    scores->value[CONGRU_SCORE_CHANCE][cell] = chance;
    scores->value[CONGRU_SCORE_ABOVE][cell] = isnan(chance) ? NAN : accuracy > chance;
}

double congru_scores_at(const congru_scores *scores, congru_score metric, size_t pipeline, size_t subject)
{
    return scores != NULL && (size_t)metric < CONGRU_SCORE_KINDS && pipeline < scores->pipelines &&
                   subject < scores->subjects
               ? scores->value[metric][pipeline * scores->subjects + subject]
               : NAN;
}

congru_interval congru_scores_mean(const congru_scores *scores, size_t pipeline, congru_score metric)
{
    return scores != NULL && (size_t)metric < CONGRU_SCORE_KINDS && pipeline < scores->pipelines
               ? congru_interval_of(scores->subjects, scores->value[metric] + pipeline * scores->subjects, 0.95)
               : congru_interval_of(0, NULL, 0.95);
}

congru_status congru_scores_z(congru_context *context, const congru_scores *scores, double *z)
{
    if (scores == NULL || z == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_scores_z: no argument may be NULL");
    for (size_t p = 0; p < scores->pipelines; p++)
        z[p] = NAN;
    if (scores->pipelines < 2 || scores->subjects == 0)
        return CONGRU_OK;
    double *row = malloc(scores->pipelines * scores->subjects * sizeof *row);
    if (row == NULL)
        return fail_memory(context, scores->name);
    for (size_t s = 0; s < scores->subjects; s++)
        for (size_t p = 0; p < scores->pipelines; p++)
            row[s * scores->pipelines + p] = congru_scores_common(scores, p, scores->pipelines, s);
    congru_status status = congru_scores_normalise(context, scores->subjects, scores->pipelines, row, z);
    free(row);
    return status;
}

/* ---- On the trials that pipelines share ---- */

/* The place of numbers by subject in `common` and `shared`. */
static size_t find_common(const congru_scores *scores, size_t pipeline, size_t other)
{
    const size_t last = other < scores->pipelines ? other : scores->pipelines;
    return (pipeline * (scores->pipelines + 1) + last) * scores->subjects;
}

double congru_scores_common(const congru_scores *scores, size_t pipeline, size_t other, size_t subject)
{
    if (scores == NULL || scores->common == NULL || pipeline >= scores->pipelines ||
        subject >= scores->subjects)
        return congru_scores_at(scores, CONGRU_SCORE_ACCURACY, pipeline, subject);
    return scores->common[find_common(scores, pipeline, other) + subject];
}

size_t congru_scores_shared(const congru_scores *scores, size_t pipeline, size_t other)
{
    double count = 0;
    for (size_t s = 0; scores != NULL && pipeline < scores->pipelines && s < scores->subjects; s++) {
        const bool both =
            other >= scores->pipelines || !isnan(congru_scores_at(scores, CONGRU_SCORE_ACCURACY, other, s));
        const double own = congru_scores_at(scores, CONGRU_SCORE_TRIALS, pipeline, s);
        if (both && !isnan(own))
            count +=
                scores->shared != NULL ? (double)scores->shared[find_common(scores, pipeline, other) + s] : own;
    }
    return (size_t)count;
}

void congru_scores_mark(const congru_scores *scores, size_t pipeline, char text[CONGRU_MARK_SIZE])
{
    if (text == NULL)
        return;
    text[0] = '\0';
    if (scores != NULL && pipeline < scores->pipelines && scores->labels[pipeline] > 0)
        congru_format(text, CONGRU_MARK_SIZE, "%s", congru_count(scores->labels[pipeline], "label").text);
}

bool congru_scores_before(const congru_scores *scores, size_t a, size_t b)
{
    if (scores == NULL || a >= scores->pipelines || b >= scores->pipelines)
        return false;
    if (scores->labels[a] != scores->labels[b])
        return scores->labels[a] < scores->labels[b];
    return congru_scores_mean(scores, a, CONGRU_SCORE_ACCURACY).mean >
           congru_scores_mean(scores, b, CONGRU_SCORE_ACCURACY).mean;
}

congru_gain congru_scores_gain(const congru_scores *scores, size_t a, size_t b, double confidence)
{
    const size_t subjects = scores != NULL ? scores->subjects : 0;
    if (subjects == 0 || a >= scores->pipelines || b >= scores->pipelines)
        return congru_gain_of(0, NULL, NULL, confidence);
    if (scores->common != NULL)
        return congru_gain_of(subjects, scores->common + find_common(scores, a, b),
                              scores->common + find_common(scores, b, a), confidence);
    const double *accuracy = scores->value[CONGRU_SCORE_ACCURACY];
    return congru_gain_of(subjects, accuracy + a * subjects, accuracy + b * subjects, confidence);
}

/* Differences of subjects that have both pipelines; returns how many. */
static size_t subtract(const congru_scores *scores, size_t a, size_t b, double *difference)
{
    size_t count = 0;
    for (size_t s = 0; s < scores->subjects; s++) {
        difference[count] =
            congru_points_between(congru_scores_common(scores, a, b, s), congru_scores_common(scores, b, a, s));
        count += isnan(difference[count]) ? 0 : 1;
    }
    return count;
}

/* The scored trials of `pipeline` in subjects that `other` has. */
static size_t count_scored(const congru_scores *scores, size_t pipeline, size_t other)
{
    double count = 0;
    for (size_t s = 0; s < scores->subjects; s++) {
        const double own = congru_scores_at(scores, CONGRU_SCORE_TRIALS, pipeline, s);
        count += isnan(own) || isnan(congru_scores_at(scores, CONGRU_SCORE_ACCURACY, other, s)) ? 0 : own;
    }
    return (size_t)count;
}

/* What the pair shares in one table, and what either knows. */
static void add_knowledge(const congru_scores *scores, size_t a, size_t b, congru_comparison *comparison)
{
    const size_t shared = congru_scores_shared(scores, a, b);
    const size_t labels[] = {scores->labels[a], scores->labels[b]};
    comparison->trials += shared;
    comparison->left_out += count_scored(scores, a, b) + count_scored(scores, b, a) - 2 * shared;
    for (int k = 0; k < 2; k++)
        if (labels[k] > comparison->labels[k])
            comparison->labels[k] = labels[k];
}

congru_status congru_scores_compare(congru_context *context, size_t count, const congru_scores *const *scores,
                                    const char *a, const char *b, congru_comparison *comparison)
{
    if (count == 0 || scores == NULL || a == NULL || b == NULL || comparison == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_scores_compare: at least one table is needed, and no argument may be NULL");
    size_t room = 1, pairs = 0;
    for (size_t t = 0; t < count; t++)
        if (scores[t] == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "congru_scores_compare: table %zu of %zu is NULL", t, count);
    for (size_t t = 0; t < count; t++)
        room += scores[t]->subjects;
    double *difference = calloc(2 * room, sizeof *difference); /* and zeros, which they are compared with */
    if (difference == NULL)
        return fail_memory(context, scores[0]->name);
    *comparison = (congru_comparison){0};
    congru_comparison known = {0};
    for (size_t t = 0; t < count; t++) {
        const size_t first = congru_scores_find(scores[t], a), second = congru_scores_find(scores[t], b);
        if (first == SIZE_MAX || second == SIZE_MAX)
            continue;
        pairs += subtract(scores[t], first, second, difference + pairs);
        add_knowledge(scores[t], first, second, &known);
    }
    congru_status status = CONGRU_OK;
    if (pairs > 0) {
        status = congru_paired_compare(context, pairs, difference, difference + room, 0.95, comparison);
        comparison->trials = known.trials;
        comparison->left_out = known.left_out;
        memcpy(comparison->labels, known.labels, sizeof known.labels);
    }
    free(difference);
    return status;
}

/* ---- Several data sets ---- */

congru_status congru_scores_list_append(congru_context *context, congru_scores_list *list,
                                        congru_scores **scores)
{
    if (list == NULL || scores == NULL || *scores == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_scores_list_append: no list or no scores");
    congru_scores **grown = realloc(list->item, (list->count + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(context, (*scores)->name);
    list->item = grown;
    list->item[list->count++] = *scores;
    *scores = NULL;
    return CONGRU_OK;
}

congru_status congru_scores_list_find(congru_context *context, congru_scores_list *list, const char *name,
                                      size_t classes, congru_scores **scores)
{
    if (list == NULL || name == NULL || scores == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_scores_list_find: no argument may be NULL");
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i]->name, name) == 0) {
            *scores = list->item[i];
            return CONGRU_OK;
        }
    congru_scores *made = NULL;
    congru_status status = congru_scores_create(context, name, classes, &made);
    *scores = made;
    if (status == CONGRU_OK)
        status = congru_scores_list_append(context, list, &made);
    if (status != CONGRU_OK)
        congru_scores_destroy(&made);
    return status;
}

congru_status congru_scores_list_add(congru_context *context, congru_scores_list *list, const char *name,
                                     const char *subject, const char *pipeline, double accuracy)
{
    congru_scores *scores = NULL;
    size_t row, column;
    double value[CONGRU_SCORE_KINDS];
    CONGRU_TRY(congru_scores_list_find(context, list, name, 0, &scores));
    CONGRU_TRY(congru_scores_subject(context, scores, subject, &row));
    CONGRU_TRY(congru_scores_pipeline(context, scores, pipeline, &column));
    for (size_t m = 0; m < CONGRU_SCORE_KINDS; m++)
        value[m] = m == CONGRU_SCORE_ACCURACY ? accuracy : NAN;
    congru_scores_add(scores, column, row, value);
    return CONGRU_OK;
}

void congru_scores_list_clear(congru_scores_list *list)
{
    if (list == NULL)
        return;
    for (size_t i = 0; i < list->count; i++)
        congru_scores_destroy(&list->item[i]);
    free(list->item);
    *list = (congru_scores_list){0};
}
