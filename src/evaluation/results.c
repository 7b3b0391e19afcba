/* Results in memory: making, freeing, summing up. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/results.h"
#include "evaluation/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/statistics.h"
#include "evaluation/fold_run.h"
#include "evaluation/knowledge.h"

const char congru_balance_note[] = "class balance: transductive, target's classes assumed equally frequent";

congru_status congru_results_reserve(congru_context *context, const char *dataset, size_t pipelines,
                                     size_t subjects, size_t folds, congru_results **results)
{
    static const char what[] = "%zu results";
    congru_results *r;
    CONGRU_TRY(congru_allocate(context, results, 1, sizeof **results, what, folds));
    r = *results;
    CONGRU_TRY(congru_allocate(context, &r->pipeline, pipelines, sizeof *r->pipeline, what, folds));
    CONGRU_TRY(congru_allocate(context, &r->fold, folds, sizeof *r->fold, what, folds));
    CONGRU_TRY(congru_allocate(context, &r->subject_name, subjects, sizeof *r->subject_name, what, folds));
    CONGRU_TRY(congru_allocate(context, &r->subject_sessions, subjects, sizeof(size_t), what, folds));
    CONGRU_TRY(congru_allocate(context, &r->subject_few, subjects, sizeof(bool), what, folds));
    r->dataset = strdup(dataset);
    return r->dataset != NULL ? CONGRU_OK : congru_fail_memory(context, what, folds);
}

congru_status congru_results_create(congru_context *context, const congru_set *set, const char *dataset,
                                    size_t pipelines, size_t folds, congru_results **results)
{
    CONGRU_TRY(congru_results_reserve(context, dataset != NULL ? dataset : "", pipelines, set->subjects, folds,
                                      results));
    congru_results *made = *results;
    CONGRU_TRY(congru_allocate(context, &made->class_name, set->classes, sizeof *made->class_name,
                               "%zu classes", set->classes));
    made->subjects = set->subjects;
    made->classes = set->classes;
    made->channels = set->dimension;
    memcpy(made->subject_name, set->subject_name, set->subjects * sizeof *made->subject_name);
    memcpy(made->class_name, set->class_name, set->classes * sizeof *made->class_name);
    return CONGRU_OK;
}

size_t congru_set_sessions(const congru_set *set, int32_t subject)
{
    int32_t seen[CONGRU_EVALUATED_SESSIONS_MAX];
    size_t sessions = 0, last = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (set->subject[i] != subject || (sessions > 0 && seen[last] == set->session[i]))
            continue;
        for (last = 0; last < sessions && seen[last] != set->session[i];)
            last++;
        if (last == sessions && sessions < CONGRU_EVALUATED_SESSIONS_MAX)
            seen[sessions++] = set->session[i];
    }
    return sessions;
}

int32_t congru_fold_session(const congru_set *set, const congru_fold *fold)
{
    for (size_t i = 1; i < fold->samples; i++)
        if (set->session[fold->trial[i]] != set->session[fold->trial[0]])
            return -1;
    return fold->samples > 0 ? set->session[fold->trial[0]] : -1;
}

void congru_results_destroy(congru_results **results)
{
    if (results == NULL || *results == NULL)
        return;
    congru_results *dying = *results;
    for (size_t i = 0; dying->fold != NULL && i < dying->folds; i++)
        congru_fold_clear(&dying->fold[i]);
    free(dying->fold);
    free(dying->pipeline);
    free(dying->knowledge);
    free(dying->subject_name);
    free(dying->class_name);
    free(dying->subject_sessions);
    free(dying->subject_few);
    free(dying->dataset);
    free(dying->note);
    free(dying);
    *results = NULL;
}

/* What the fold says of itself, and what its predictions tell beyond that. */
static congru_status measure_fold(congru_context *context, const congru_results *results,
                                  const congru_fold *fold, double value[CONGRU_SCORE_KINDS])
{
    for (size_t m = 0; m < CONGRU_SCORE_KINDS; m++)
        value[m] = NAN;
    if (fold->samples > 0 && fold->truth != NULL)
        CONGRU_TRY(congru_metrics_measure(context, fold->samples, results->classes, fold->truth,
                                          fold->prediction, fold->probability, value, NULL));
    value[CONGRU_SCORE_ACCURACY] = fold->accuracy;
    value[CONGRU_SCORE_KAPPA] = fold->kappa;
    value[CONGRU_SCORE_BALANCED] = fold->balanced;
    value[CONGRU_SCORE_SECONDS] = fold->seconds;
    value[CONGRU_SCORE_TRIALS] = (double)fold->samples;
    return CONGRU_OK;
}

/* Its pipelines, subjects and folds. */
static congru_status fill_scores(congru_context *context, const congru_results *results, congru_scores *scores)
{
    size_t place;
    congru_scores_trial(scores, results->trial_seconds);
    for (size_t p = 0; p < results->pipelines; p++)
        CONGRU_TRY(congru_scores_pipeline(context, scores, results->pipeline[p], &place));
    for (size_t s = 0; s < results->subjects; s++) {
        CONGRU_TRY(congru_scores_subject(context, scores, results->subject_name[s], &place));
        scores->few[place] = results->subject_few[s];
    }
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        double value[CONGRU_SCORE_KINDS];
        CONGRU_TRY(measure_fold(context, results, fold, value));
        congru_scores_add(scores, fold->pipeline, (size_t)fold->subject, value);
    }
    for (size_t p = 0; results->knowledge != NULL && p < results->pipelines; p++)
        scores->labels[p] = results->knowledge[p].labels;
    return congru_scores_share(context, results, scores);
}

congru_status congru_results_scores(congru_context *context, const congru_results *results,
                                    congru_scores **scores)
{
    if (results == NULL || scores == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no results to make scores of");
    CONGRU_TRY(congru_scores_create(context, results->dataset, results->classes, scores));
    const congru_status status = fill_scores(context, results, *scores);
    if (status != CONGRU_OK)
        congru_scores_destroy(scores);
    return status;
}

congru_status congru_results_summarise(congru_context *context, const congru_results *results,
                                       congru_summary *summary)
{
    congru_scores *scores = NULL;
    double *z;
    congru_status status;
    if (results == NULL || summary == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no results to summarise");
    CONGRU_TRY(congru_allocate(context, &z, results->pipelines, sizeof *z, "%zu results", results->folds));
    CONGRU_TRY_TO(done, congru_results_scores(context, results, &scores));
    CONGRU_TRY_TO(done, congru_scores_z(context, scores, z));
    for (size_t p = 0; p < results->pipelines; p++) {
        congru_interval accuracy = congru_scores_mean(scores, p, CONGRU_SCORE_ACCURACY);
        summary[p] = (congru_summary){
            .subjects = accuracy.count,
            .mean = accuracy.mean,
            .deviation = accuracy.deviation,
            .z = z[p],
            .kappa = congru_scores_mean(scores, p, CONGRU_SCORE_KAPPA).mean,
            .balanced = congru_scores_mean(scores, p, CONGRU_SCORE_BALANCED).mean,
            .seconds = congru_scores_mean(scores, p, CONGRU_SCORE_SECONDS).mean,
        };
    }
done:
    congru_scores_destroy(&scores);
    free(z);
    return status;
}

congru_status congru_results_confusion(congru_context *context, const congru_results *results, size_t pipeline,
                                       int32_t subject, size_t *confusion)
{
    if (results == NULL || confusion == NULL || pipeline >= results->pipelines)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no such pipeline in the results");
    memset(confusion, 0, results->classes * results->classes * sizeof *confusion);
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        if (fold->pipeline != pipeline || (subject >= 0 && fold->subject != subject))
            continue;
        for (size_t k = 0; fold->truth != NULL && k < fold->samples; k++)
            confusion[(size_t)fold->truth[k] * results->classes + (size_t)fold->prediction[k]]++;
    }
    return CONGRU_OK;
}

/* A fold has its predictions, or none where the folder has no file of them. */
static bool predicted(const congru_fold *fold, size_t pipeline)
{
    return fold->pipeline == pipeline && fold->truth != NULL && fold->samples > 0;
}

congru_status congru_results_classes(congru_context *context, const congru_results *results, size_t pipeline,
                                     congru_class_metrics *by_class)
{
    if (results == NULL || by_class == NULL || pipeline >= results->pipelines)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no such pipeline in the results");
    if (results->classes == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the results hold no predictions, which classes need");
    const size_t classes = results->classes;
    size_t n = 0, used = 0;
    for (size_t i = 0; i < results->folds; i++)
        n += predicted(&results->fold[i], pipeline) ? results->fold[i].samples : 0;
    int32_t *truth = NULL;
    double *probability = NULL, value[CONGRU_SCORE_KINDS];
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &truth, 2 * n, sizeof *truth, "%zu predictions", n));
    CONGRU_TRY_TO(
        done, congru_allocate(context, &probability, n * classes, sizeof *probability, "%zu predictions", n));
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        if (!predicted(fold, pipeline))
            continue;
        memcpy(truth + used, fold->truth, fold->samples * sizeof *truth);
        memcpy(truth + n + used, fold->prediction, fold->samples * sizeof *truth);
        memcpy(probability + used * classes, fold->probability, fold->samples * classes * sizeof *probability);
        used += fold->samples;
    }
    status = congru_metrics_measure(context, n, classes, truth, truth + n, probability, value, by_class);
done:
    free(truth);
    free(probability);
    return status;
}

/* ---- Folds ----------------------------------------------------------------------------------------------- */

void congru_fold_answer(congru_fold *fold, size_t classes)
{
    for (size_t i = 0; i < fold->samples; i++) {
        const double *row = fold->probability + i * classes;
        size_t best = 0;
        for (size_t k = 1; k < classes; k++)
            if (row[k] > row[best])
                best = k;
        fold->prediction[i] = (int32_t)best;
    }
}

congru_status congru_fold_score(congru_context *context, congru_fold *fold, size_t classes)
{
    double value[CONGRU_SCORE_KINDS];
    CONGRU_TRY(congru_metrics_measure(context, fold->samples, classes, fold->truth, fold->prediction, NULL,
                                      value, NULL));
    fold->accuracy = value[CONGRU_SCORE_ACCURACY];
    fold->kappa = value[CONGRU_SCORE_KAPPA];
    fold->balanced = value[CONGRU_SCORE_BALANCED];
    return CONGRU_OK;
}
