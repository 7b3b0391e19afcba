/* Results in memory: making, freeing, summing up. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/fold_run.h"

const char congru_balance_note[] = "class balance: transductive, target's classes assumed equally frequent";

congru_status congru_results_create(congru_context *context, const congru_set *set, const char *dataset,
                                    size_t pipelines, size_t folds, congru_results **results)
{
    congru_results *made = calloc(1, sizeof *made);
    *results = made;
    if (made != NULL) {
        made->subjects = set->subjects;
        made->classes = set->classes;
        made->channels = set->dimension;
        made->pipeline = calloc(pipelines + 1, sizeof *made->pipeline);
        made->fold = calloc(folds + 1, sizeof *made->fold);
        made->subject_name = calloc(set->subjects + 1, sizeof *made->subject_name);
        made->class_name = calloc(set->classes + 1, sizeof *made->class_name);
        made->subject_sessions = calloc(set->subjects + 1, sizeof *made->subject_sessions);
        made->subject_few = calloc(set->subjects + 1, sizeof *made->subject_few);
        made->dataset = strdup(dataset != NULL ? dataset : "");
    }
    if (made == NULL || made->pipeline == NULL || made->fold == NULL || made->subject_name == NULL ||
        made->class_name == NULL || made->subject_sessions == NULL || made->subject_few == NULL ||
        made->dataset == NULL) {
        congru_results_destroy(results);
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu results", folds);
    }
    memcpy(made->subject_name, set->subject_name, set->subjects * sizeof *made->subject_name);
    memcpy(made->class_name, set->class_name, set->classes * sizeof *made->class_name);
    return CONGRU_OK;
}

size_t congru_set_sessions(const congru_set *set, int32_t subject)
{
    size_t sessions = 0;
    for (size_t i = 0; i < set->count; i++) {
        bool is_new = set->subject[i] == subject;
        for (size_t j = i; is_new && j-- > 0;)
            is_new = set->subject[j] != subject || set->session[j] != set->session[i];
        sessions += is_new;
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
    free(dying->subject_name);
    free(dying->class_name);
    free(dying->subject_sessions);
    free(dying->subject_few);
    free(dying->dataset);
    free(dying->note);
    free(dying);
    *results = NULL;
}

/* Of one subject under one pipeline, its folds averaged. */
typedef struct subject_score {
    size_t folds;
    double accuracy, kappa, balanced, seconds;
} subject_score;

/* score (pipelines, subjects). */
static void average_folds(const congru_results *results, subject_score *score)
{
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        subject_score *own = &score[fold->pipeline * results->subjects + (size_t)fold->subject];
        own->folds++;
        own->accuracy += fold->accuracy;
        own->kappa += fold->kappa;
        own->balanced += fold->balanced;
        own->seconds += fold->seconds;
    }
    for (size_t i = 0; i < results->pipelines * results->subjects; i++) {
        double folds = score[i].folds > 0 ? (double)score[i].folds : 1;
        score[i].accuracy /= folds;
        score[i].kappa /= folds;
        score[i].balanced /= folds;
    }
}

static void summarise_pipeline(size_t subjects, const subject_score *score, congru_summary *summary)
{
    *summary = (congru_summary){.z = NAN};
    for (size_t s = 0; s < subjects; s++) {
        if (score[s].folds == 0)
            continue;
        summary->subjects++;
        summary->mean += score[s].accuracy;
        summary->kappa += score[s].kappa;
        summary->balanced += score[s].balanced;
        summary->seconds += score[s].seconds;
    }
    double count = (double)summary->subjects, squares = 0;
    summary->mean /= count;
    summary->kappa /= count;
    summary->balanced /= count;
    summary->seconds /= count;
    for (size_t s = 0; s < subjects; s++)
        if (score[s].folds > 0)
            squares += (score[s].accuracy - summary->mean) * (score[s].accuracy - summary->mean);
    summary->deviation = summary->subjects > 1 ? sqrt(squares / (count - 1)) : NAN;
}

/* Adds each pipeline's standardised accuracy for one subject to `sum`; false when the subject lacks a pipeline. A
 * subject on whom all pipelines are equal tells nothing: 0 for each. */
static bool standardise(const congru_results *results, size_t subject, const subject_score *score, double *sum)
{
    double mean = 0, squares = 0, count = (double)results->pipelines;
    for (size_t p = 0; p < results->pipelines; p++) {
        if (score[p * results->subjects + subject].folds == 0)
            return false;
        mean += score[p * results->subjects + subject].accuracy / count;
    }
    for (size_t p = 0; p < results->pipelines; p++) {
        double from_mean = score[p * results->subjects + subject].accuracy - mean;
        squares += from_mean * from_mean;
    }
    double deviation = sqrt(squares / count);
    for (size_t p = 0; deviation > 1e-12 && p < results->pipelines; p++)
        sum[p] += (score[p * results->subjects + subject].accuracy - mean) / deviation;
    return true;
}

congru_status congru_results_summarise(congru_context *context, const congru_results *results,
                                       congru_summary *summary)
{
    if (results == NULL || summary == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no results to summarise");
    subject_score *score = calloc(results->pipelines * results->subjects + 1, sizeof *score);
    double *sum = calloc(results->pipelines + 1, sizeof *sum);
    congru_status status = CONGRU_OK;
    if (score == NULL || sum == NULL) {
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu results", results->folds);
    } else {
        size_t complete = 0;
        average_folds(results, score);
        for (size_t p = 0; p < results->pipelines; p++)
            summarise_pipeline(results->subjects, score + p * results->subjects, &summary[p]);
        for (size_t s = 0; s < results->subjects; s++)
            complete += standardise(results, s, score, sum);
        for (size_t p = 0; results->pipelines > 1 && complete > 0 && p < results->pipelines; p++)
            summary[p].z = sum[p] / (double)complete;
    }
    free(score);
    free(sum);
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
            confusion[(size_t)fold->truth[k] * results->classes + (size_t)fold->answer[k]]++;
    }
    return CONGRU_OK;
}
