/* What a run is asked for, checked. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/request_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aligner/aligner.h"
#include "base/error.h"
#include "dataset/set_check.h"
#include "evaluation/materials.h"
#include "evaluation/split.h"

/* A target whose sources have trials of one class alone: found before any fold is run. Labelled trials of its own may have
 * others. */
static congru_status check_sources(congru_context *context, const congru_set *set,
                                   const congru_evaluation_options *options)
{
    const bool all = options->subjects == NULL || options->subject_count == 0;
    if (options->protocol != CONGRU_PROTOCOL_LOSO || options->calibration > 0 || options->calibration_most > 0)
        return CONGRU_OK;
    for (size_t i = 0; i < (all ? set->subjects : options->subject_count); i++) {
        const int32_t target = all ? (int32_t)i : options->subjects[i];
        int32_t first = -1;
        bool several = false;
        for (size_t t = 0; t < set->count && !several; t++) {
            if (set->label[t] < 0 ||
                congru_split_leader(options, set->subject[t]) == congru_split_leader(options, target))
                continue;
            several = first >= 0 && set->label[t] != first;
            first = set->label[t];
        }
        if (!several)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "subject '%s': the others have trials of one class alone, '%s'; nothing to tell "
                               "apart (name the subjects to score with --subjects)",
                               set->subject_name[target], first >= 0 ? set->class_name[first] : "");
    }
    return CONGRU_OK;
}

/* A fold of a subject scores one of its trials at least. */
static congru_status check_folds(congru_context *context, const congru_set *set,
                                 const congru_evaluation_options *options)
{
    const bool all = options->subjects == NULL || options->subject_count == 0;
    if (options->protocol != CONGRU_PROTOCOL_FOLDS)
        return CONGRU_OK;
    if (options->folds < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the number of folds is %d; at least 2 are needed",
                           options->folds);
    size_t *trials, least = SIZE_MAX, found = 0;
    CONGRU_TRY(congru_allocate(context, &trials, set->subjects, sizeof *trials, "%zu subjects", set->subjects));
    for (size_t i = 0; i < set->count; i++)
        trials[set->subject[i]]++;
    for (size_t k = 0; k < (all ? set->subjects : options->subject_count); k++) {
        const size_t subject = all ? k : (size_t)options->subjects[k];
        found = trials[subject] < least ? subject : found;
        least = trials[found];
    }
    free(trials);
    if (least >= 2 && least < (size_t)options->folds)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject '%s' has %zu trials for %d folds; --folds takes 2 to %zu",
                           set->subject_name[found], least, options->folds, least);
    return CONGRU_OK;
}

congru_status congru_request_check_subjects(congru_context *context, const congru_set *set)
{
    congru_domains sessions = {0};
    size_t *own, most = 0;
    congru_status status;
    if (set->subjects > CONGRU_EVALUATED_SUBJECTS_MAX)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "the set holds %zu subjects; at most %d are taken", set->subjects,
                           (int)CONGRU_EVALUATED_SUBJECTS_MAX);
    CONGRU_TRY(congru_allocate(context, &own, set->subjects, sizeof *own, "%zu subjects", set->subjects));
    CONGRU_TRY_TO(done, congru_domains_find(context, set, true, &sessions));
    for (size_t k = 0; k < sessions.count; k++)
        if (++own[sessions.subject[k]] > own[most])
            most = (size_t)sessions.subject[k];
    if (own[most] > CONGRU_EVALUATED_SESSIONS_MAX)
        status = congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                             "subject '%s' has %zu sessions; at most %d of a subject are taken",
                             set->subject_name[most], own[most], (int)CONGRU_EVALUATED_SESSIONS_MAX);
done:
    congru_domains_clear(&sessions);
    free(own);
    return status;
}

static congru_status check_set(congru_context *context, const congru_set *set,
                               const congru_evaluation_options *options)
{
    if (set->count == 0 || set->label == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the set holds no labelled trials");
    CONGRU_TRY(congru_set_check(context, set));
    CONGRU_TRY(congru_request_check_subjects(context, set));
    if (options->protocol == CONGRU_PROTOCOL_LOSO && set->subjects < 2)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "the set holds one subject; leaving one out takes at least two (see 'congru within')");
    if (set->classes < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the set holds one class, '%s'; nothing to tell apart",
                           set->classes > 0 ? set->class_name[0] : "");
    if (options->pipeline_count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline given");
    for (size_t i = 0; i < options->subject_count && options->subjects != NULL; i++)
        if (options->subjects[i] < 0 || (size_t)options->subjects[i] >= set->subjects)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no subject %d",
                               (int)options->subjects[i]);
    CONGRU_TRY(check_folds(context, set, options));
    CONGRU_TRY(congru_groups_check(context, set, options));
    return check_sources(context, set, options);
}

/* What all trials of the target make known without labels is no secret to trials of it that are fitted on. */
static congru_status check_calibration(congru_context *context, const congru_evaluation_options *options)
{
    if (options->calibration < 0 || options->calibration_most < 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the number of labelled target trials is below 0");
    if (options->calibration == 0 && options->calibration_most == 0)
        return CONGRU_OK;
    if (options->protocol != CONGRU_PROTOCOL_LOSO || options->target != CONGRU_TARGET_FULL)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "labelled trials of the target subject (--calibration) need 'congru loso' with --target full");
    return CONGRU_OK;
}

/* A pipeline that takes labels by itself goes neither with trials that all are fitted on, nor with a target that is not to
 * be seen. */
static congru_status check_labels(congru_context *context, const congru_evaluation_options *options)
{
    const bool calibrated = options->calibration > 0 || options->calibration_most > 0;
    const bool unseen = options->target == CONGRU_TARGET_NONE && options->protocol != CONGRU_PROTOCOL_FOLDS;
    for (size_t i = 0; i < options->pipeline_count && (calibrated || unseen); i++) {
        congru_pipeline_description about;
        if (congru_pipeline_describe(context, options->pipelines[i], &about) != CONGRU_OK)
            continue;
        const size_t labels = congru_aligner_labels(congru_aligner_find(about.aligner), &options->method);
        if (labels > 0 && calibrated)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "pipeline '%s' takes labelled trials of the target subject by itself "
                               "(--rpa-labels): it does not go with --calibration",
                               options->pipelines[i]);
        if (labels > 0)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "pipeline '%s' takes %s of each class of the target subject (--rpa-labels), of "
                               "whom --target none lets nothing be seen",
                               options->pipelines[i], congru_count(labels, "labelled trial").text);
    }
    return CONGRU_OK;
}

/* Balance depends on trials that come later, and on how many there are. */
static congru_status check_balance(congru_context *context, const congru_evaluation_options *options)
{
    if (!options->method.balance ||
        (options->protocol == CONGRU_PROTOCOL_LOSO && options->target == CONGRU_TARGET_FULL))
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       "--balance looks at all trials of a target subject at once: it needs 'congru loso' with "
                       "--target full");
}

congru_status congru_request_check(congru_context *context, const congru_set *set,
                                   const congru_evaluation_options *options)
{
    CONGRU_TRY(check_set(context, set, options));
    CONGRU_TRY(congru_method_options_check(context, &options->method));
    CONGRU_TRY(check_balance(context, options));
    CONGRU_TRY(check_calibration(context, options));
    return check_labels(context, options);
}

congru_status congru_evaluation_name_error(congru_context *context, const congru_evaluation_options *options,
                                           congru_status status)
{
    char text[CONGRU_ERROR_TEXT_SIZE];
    const char *const known[] = {"process ", options->folder, options->file};
    if (status == CONGRU_OK || options->file == NULL)
        return status;
    snprintf(text, sizeof text, "%s", congru_context_error(context));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] != NULL && strncmp(text, known[i], strlen(known[i])) == 0)
            return status;
    return congru_fail(context, status, "%s: %s", options->file, text);
}
