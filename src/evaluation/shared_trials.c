/* Pipelines on the trials that they share. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/knowledge.h"

/* The trials of one subject that a pipeline is scored on, ascending. */
typedef struct trial_list {
    size_t count;
    size_t *trial;
} trial_list;

static int compare_trials(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static bool is_of(const congru_fold *fold, size_t pipeline, size_t subject)
{
    return fold->pipeline == pipeline && (size_t)fold->subject == subject && fold->trial != NULL;
}

static bool take_list(const congru_results *results, size_t pipeline, size_t subject, trial_list *list)
{
    size_t count = 0;
    list->count = 0;
    for (size_t i = 0; i < results->folds; i++)
        count += is_of(&results->fold[i], pipeline, subject) ? results->fold[i].samples : 0;
    size_t *grown = realloc(list->trial, (count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    list->trial = grown;
    for (size_t i = 0; i < results->folds; i++)
        for (size_t k = 0; is_of(&results->fold[i], pipeline, subject) && k < results->fold[i].samples; k++)
            grown[list->count++] = results->fold[i].trial[k];
    qsort(grown, count, sizeof *grown, compare_trials);
    return true;
}

static bool is_same(const trial_list *a, const trial_list *b)
{
    return a->count == b->count && memcmp(a->trial, b->trial, a->count * sizeof *a->trial) == 0;
}

/* Whether the trial is among those of the list `other`, or, where there is none, of all that have any. */
static bool is_shared(const trial_list *list, size_t lists, size_t other, size_t trial)
{
    bool shared = true;
    for (size_t i = other < lists ? other : 0; shared && i < (other < lists ? other + 1 : lists); i++)
        shared = (list[i].count == 0 && other == lists) ||
                 bsearch(&trial, list[i].trial, list[i].count, sizeof trial, compare_trials) != NULL;
    return shared;
}

/* The mean over folds, as that of all trials is; a fold that shares all keeps its number to the bit. */
static void score_shared(const congru_results *results, const trial_list *list, size_t lists, size_t pipeline,
                         size_t other, size_t subject, double *accuracy, size_t *shared)
{
    double sum = 0;
    size_t folds = 0;
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        size_t count = 0, right = 0;
        for (size_t k = 0; is_of(fold, pipeline, subject) && k < fold->samples; k++) {
            const bool both = is_shared(list, lists, other, fold->trial[k]);
            count += both;
            right += both && fold->prediction[k] == fold->truth[k];
        }
        if (count == 0)
            continue;
        sum += count == fold->samples ? fold->accuracy : (double)right / (double)count;
        *shared += count;
        folds++;
    }
    *accuracy = folds > 0 ? sum / (double)folds : NAN;
}

/* One subject, where its pipelines differ. */
static void share_subject(const congru_results *results, const trial_list *list, size_t subject,
                          congru_scores *scores)
{
    const size_t columns = results->pipelines + 1;
    for (size_t p = 0; p < results->pipelines; p++)
        for (size_t other = 0; list[p].count > 0 && other < columns; other++) {
            const size_t place = (p * columns + other) * scores->subjects + subject;
            if (other < results->pipelines && is_same(&list[p], &list[other]))
                continue; /* all of them */
            scores->shared[place] = 0;
            score_shared(results, list, results->pipelines, p, other, subject, &scores->common[place],
                         &scores->shared[place]);
        }
}

/* As if all were shared. */
static congru_status begin_sharing(congru_context *context, congru_scores *scores)
{
    const size_t columns = scores->pipelines + 1, all = scores->pipelines * columns * scores->subjects;
    scores->common = malloc((all + 1) * sizeof *scores->common);
    scores->shared = calloc(all + 1, sizeof *scores->shared);
    if (scores->common == NULL || scores->shared == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for its scores", scores->name);
    for (size_t p = 0; p < scores->pipelines; p++)
        for (size_t i = 0; i < columns * scores->subjects; i++) {
            const size_t place = p * columns * scores->subjects + i, s = i % scores->subjects;
            const double trials = congru_scores_at(scores, CONGRU_SCORE_TRIALS, p, s);
            scores->common[place] = congru_scores_at(scores, CONGRU_SCORE_ACCURACY, p, s);
            scores->shared[place] = trials > 0 ? (size_t)trials : 0;
        }
    return CONGRU_OK;
}

congru_status congru_scores_share(congru_context *context, const congru_results *results, congru_scores *scores)
{
    trial_list *list = calloc(results->pipelines + 1, sizeof *list);
    congru_status status = list != NULL ? CONGRU_OK : congru_fail_memory(context, "trials of pipelines");
    for (size_t s = 0; status == CONGRU_OK && s < results->subjects; s++) {
        const trial_list *first = NULL;
        bool differ = false;
        for (size_t p = 0; status == CONGRU_OK && p < results->pipelines; p++) {
            if (!take_list(results, p, s, &list[p]))
                status = congru_fail_memory(context, "trials of pipelines");
            else if (first == NULL && list[p].count > 0)
                first = &list[p];
            differ = differ || (first != NULL && list[p].count > 0 && !is_same(first, &list[p]));
        }
        if (status == CONGRU_OK && differ && scores->common == NULL)
            status = begin_sharing(context, scores);
        if (status == CONGRU_OK && differ)
            share_subject(results, list, s, scores);
    }
    for (size_t p = 0; list != NULL && p < results->pipelines; p++)
        free(list[p].trial);
    free(list);
    return status;
}

congru_status congru_scored_common(congru_context *context, size_t count, const congru_scored *scored,
                                   double *accuracy, size_t *trials)
{
    trial_list *list = calloc(count + 1, sizeof *list);
    bool good = list != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = take_list(scored[i].results, scored[i].pipeline, scored[i].subject, &list[i]);
    for (size_t i = 0; good && i < count; i++) {
        *trials = 0;
        score_shared(scored[i].results, list, count, scored[i].pipeline, count, scored[i].subject, &accuracy[i],
                     trials);
    }
    for (size_t i = 0; list != NULL && i < count; i++)
        free(list[i].trial);
    free(list);
    return good ? CONGRU_OK : congru_fail_memory(context, "trials of pipelines");
}
