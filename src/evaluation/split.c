/* Leave-one-subject-out, folds inside a subject, session to session. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/split.h"

#include <stdlib.h>

#include "base/error.h"
#include "congru/random.h"
#include "evaluation/results.h"

enum { PURPOSE_FOLDS = 0x666f6c64 };

size_t congru_split_parts(const congru_set *set, const congru_evaluation_options *options)
{
    size_t parts = options->protocol == CONGRU_PROTOCOL_FOLDS ? (size_t)options->folds : 1;
    for (size_t s = 0; options->protocol == CONGRU_PROTOCOL_SESSION_OUT && s < set->subjects; s++) {
        const size_t sessions = congru_set_sessions(set, (int32_t)s);
        parts = sessions > parts ? sessions : parts;
    }
    return parts;
}

int32_t congru_split_leader(const congru_evaluation_options *options, int32_t subject)
{
    return options->protocol == CONGRU_PROTOCOL_LOSO && options->groups > 0 ? subject % options->groups
                                                                            : subject;
}

congru_status congru_groups_check(congru_context *context, const congru_set *set,
                                  const congru_evaluation_options *options)
{
    if (options->groups == 0)
        return CONGRU_OK;
    if (options->protocol != CONGRU_PROTOCOL_LOSO)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "groups of subjects (--groups) are left out by 'congru loso' alone");
    if (options->groups < 2 || options->groups > CONGRU_SUBJECT_GROUPS_MAX ||
        (size_t)options->groups > set->subjects)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "%d group%s of %zu subjects; --groups takes 2 to %zu, or 0 for each subject by itself",
            options->groups, options->groups == 1 ? "" : "s", set->subjects,
            set->subjects < CONGRU_SUBJECT_GROUPS_MAX ? set->subjects : (size_t)CONGRU_SUBJECT_GROUPS_MAX);
    if (options->calibration > 0 || options->calibration_most > 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "--calibration fits for each subject by itself: it does not go with --groups");
    return CONGRU_OK;
}

void congru_split_clear(congru_split *split)
{
    free(split->train_trial);
    free(split->test_trial);
    *split = (congru_split){0};
}

/* The part each of the subject's trials of one class belongs to: a shuffled order, dealt out in turn. */
static void deal_class(const congru_set *set, const congru_evaluation_options *options, int32_t subject,
                       int32_t label, size_t *order, int32_t *part)
{
    congru_random random =
        congru_random_stream(options->method.seed, (uint32_t)subject, PURPOSE_FOLDS, (uint32_t)label);
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->subject[i] == subject && set->label[i] == label)
            order[count++] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = congru_random_index(&random, i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < count; i++)
        part[order[i]] = (int32_t)(i % (size_t)options->folds);
}

static congru_status deal(congru_context *context, const congru_set *set,
                          const congru_evaluation_options *options, int32_t subject, int32_t *part)
{
    size_t *order = malloc(set->count * sizeof *order);
    if (order == NULL)
        return congru_fail_memory(context, "%zu trials", set->count);
    for (size_t k = 0; k < set->classes; k++)
        deal_class(set, options, subject, (int32_t)k, order, part);
    free(order);
    return CONGRU_OK;
}

/* Blocks of a subject's trials in the order of the set, as equal as can be. */
static void cut_blocks(const congru_set *set, const congru_evaluation_options *options, int32_t subject,
                       int32_t *part)
{
    size_t count = 0, place = 0;
    for (size_t i = 0; i < set->count; i++)
        count += set->subject[i] == subject;
    for (size_t i = 0; i < set->count; i++)
        if (set->subject[i] == subject)
            part[i] = (int32_t)(place++ * (size_t)options->folds / count);
}

/* The session of the subject at `index` in the order of their first trials; -1 where it has fewer. */
static int32_t session_at(const congru_set *set, int32_t subject, size_t index)
{
    int32_t seen[CONGRU_EVALUATED_SESSIONS_MAX];
    size_t sessions = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (set->subject[i] != subject)
            continue;
        size_t k = 0;
        while (k < sessions && seen[k] != set->session[i])
            k++;
        if (k == sessions && k == index)
            return set->session[i];
        if (k == sessions && k < CONGRU_EVALUATED_SESSIONS_MAX)
            seen[sessions++] = set->session[i];
    }
    return -1;
}

/* The first trials of each class of the subject are fitted on, those up to the most of a curve are neither. */
static void calibrate(const congru_set *set, const congru_evaluation_options *options, int32_t subject,
                      int32_t *side)
{
    const size_t used = (size_t)options->calibration, most = (size_t)options->calibration_most;
    for (size_t k = 0; k < set->classes; k++) {
        size_t seen = 0;
        for (size_t i = 0; i < set->count && seen < (most > used ? most : used); i++)
            if (set->subject[i] == subject && set->label[i] == (int32_t)k)
                side[i] = seen++ < used ? 0 : -1;
    }
}

/* part[i]: 0 train, 1 test, -1 neither. */
static congru_status mark(congru_context *context, const congru_set *set,
                          const congru_evaluation_options *options, int32_t subject, size_t part, int32_t *side)
{
    const bool each = options->protocol == CONGRU_PROTOCOL_SESSION_OUT;
    const int32_t session = session_at(set, subject, each ? part : 0);
    if (options->protocol == CONGRU_PROTOCOL_FOLDS && options->contiguous) {
        cut_blocks(set, options, subject, side);
    } else if (options->protocol == CONGRU_PROTOCOL_FOLDS) {
        CONGRU_TRY(deal(context, set, options, subject, side));
    }
    for (size_t i = 0; i < set->count; i++) {
        bool own = set->subject[i] == subject;
        if (options->protocol == CONGRU_PROTOCOL_LOSO)
            side[i] =
                own ? 1
                    : -(congru_split_leader(options, set->subject[i]) == congru_split_leader(options, subject));
        else if (!own)
            side[i] = -1;
        else if (options->protocol == CONGRU_PROTOCOL_FOLDS)
            side[i] = side[i] == (int32_t)part;
        else
            side[i] = (set->session[i] == session) == each;
    }
    if (options->protocol == CONGRU_PROTOCOL_LOSO)
        calibrate(set, options, subject, side);
    return CONGRU_OK;
}

static congru_status fill(congru_context *context, const congru_set *set, int32_t subject, const int32_t *side,
                          bool calibrated, bool may_be_empty, congru_split *split)
{
    split->train_trial = malloc(set->count * sizeof *split->train_trial);
    split->test_trial = malloc(set->count * sizeof *split->test_trial);
    if (split->train_trial == NULL || split->test_trial == NULL)
        return congru_fail_memory(context, "%zu trials", set->count);
    for (size_t i = 0; i < set->count; i++) {
        if (side[i] == 0) {
            split->train_trial[split->train++] = i;
            split->calibration += calibrated && set->subject[i] == subject;
        }
        if (side[i] == 1)
            split->test_trial[split->test++] = i;
    }
    if (split->train == 0 || (split->test == 0 && !may_be_empty))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject '%s': %s to fit on and %zu to score; both are needed "
                           "(fewer folds, or a set with more subjects or sessions)",
                           set->subject_name[subject], congru_count(split->train, "trial").text, split->test);
    return CONGRU_OK;
}

congru_status congru_split_make(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, int32_t subject, size_t part,
                                congru_split *split)
{
    *split = (congru_split){0};
    int32_t *side = calloc(set->count, sizeof *side);
    if (side == NULL)
        return congru_fail_memory(context, "%zu trials", set->count);
    congru_status status = mark(context, set, options, subject, part, side);
    if (status == CONGRU_OK)
        status = fill(context, set, subject, side, options->protocol == CONGRU_PROTOCOL_LOSO, part > 0, split);
    free(side);
    if (status != CONGRU_OK)
        congru_split_clear(split);
    return status;
}

congru_status congru_evaluation_split(congru_context *context, const congru_set *set,
                                      const congru_evaluation_options *options, int32_t subject, size_t part,
                                      int8_t *side)
{
    if (context == NULL || set == NULL || options == NULL || side == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options or place for the split given");
    if ((unsigned)options->protocol > CONGRU_PROTOCOL_SESSION_OUT || options->folds < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "protocol %d with %d folds: no such protocol",
                           (int)options->protocol, options->folds);
    congru_status asked = congru_groups_check(context, set, options);
    if (asked != CONGRU_OK)
        return asked;
    if (subject < 0 || (size_t)subject >= set->subjects || part >= congru_split_parts(set, options))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT, "part %zu of subject %d where there are %s and %zu parts of each",
            part, (int)subject, congru_count(set->subjects, "subject").text, congru_split_parts(set, options));
    congru_split split = {0};
    CONGRU_TRY(congru_split_make(context, set, options, subject, part, &split));
    for (size_t i = 0; i < set->count; i++)
        side[i] = -1;
    for (size_t i = 0; i < split.train; i++)
        side[split.train_trial[i]] = 0;
    for (size_t i = 0; i < split.test; i++)
        side[split.test_trial[i]] = 1;
    congru_split_clear(&split);
    return CONGRU_OK;
}
