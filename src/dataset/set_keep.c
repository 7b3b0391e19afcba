/* Takes the trials of some classes or sessions out of a set. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mapped_memory.h"
#include "congru/dataset.h"
#include "dataset/set_check.h"

static congru_status fail_class(congru_context *context, const congru_set *set, const char *name)
{
    char known[512] = "";
    for (size_t k = 0; k < set->classes; k++) {
        size_t size = strlen(known);
        snprintf(known + size, sizeof known - size, "%s%s", k > 0 ? ", " : "", set->class_name[k]);
    }
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no class '%s' in the set (%s)", name, known);
}

/* place[k]: the new label of class k, or -1. */
static congru_status find_places(congru_context *context, const congru_set *set, const char *const *names,
                                 size_t count, int32_t *place)
{
    for (size_t k = 0; k < set->classes; k++)
        place[k] = -1;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < set->classes && strcmp(set->class_name[k], names[i]) != 0)
            k++;
        if (k == set->classes)
            return fail_class(context, set, names[i]);
        if (place[k] >= 0)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "class '%s' is named twice", names[i]);
        place[k] = (int32_t)i;
    }
    return CONGRU_OK;
}

/* Over those that are not kept. */
static void move_trial(congru_set *set, size_t from, size_t to)
{
    size_t size = set->dimension * set->dimension, samples = set->dimension * set->samples;
    if (set->covariance != NULL)
        memmove(set->covariance + to * size, set->covariance + from * size, size * sizeof *set->covariance);
    if (set->signals != NULL)
        memmove(set->signals + to * samples, set->signals + from * samples, samples * sizeof *set->signals);
    congru_mapped_pass(2 * (size + samples) * sizeof *set->covariance);
    set->label[to] = set->label[from];
    set->subject[to] = set->subject[from];
    set->session[to] = set->session[from];
    set->run[to] = set->run[from];
}

/* Numbers the subjects that have trials anew, in their old order. `number` (subjects) is scratch. */
static void drop_empty_subjects(congru_set *set, int32_t *number)
{
    size_t kept = 0;
    for (size_t s = 0; s < set->subjects; s++)
        number[s] = -1;
    for (size_t i = 0; i < set->count; i++)
        number[set->subject[i]] = 0;
    for (size_t s = 0; s < set->subjects; s++) {
        if (number[s] < 0)
            continue;
        number[s] = (int32_t)kept;
        memmove(set->subject_name[kept++], set->subject_name[s], sizeof set->subject_name[s]);
    }
    for (size_t i = 0; i < set->count; i++)
        set->subject[i] = number[set->subject[i]];
    set->subjects = kept;
}

static void keep(congru_set *set, const char *const *names, size_t count, const int32_t *place)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (place[set->label[i]] < 0)
            continue;
        set->label[i] = place[set->label[i]];
        move_trial(set, i, kept++);
    }
    set->count = kept;
    set->classes = count;
    for (size_t k = 0; k < count; k++)
        snprintf(set->class_name[k], sizeof set->class_name[k], "%s", names[k]);
}

congru_status congru_set_keep_classes(congru_context *context, congru_set *set, const char *const *names,
                                      size_t count)
{
    if (set == NULL || names == NULL || count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no classes to keep are named");
    for (size_t i = 0; i < count; i++)
        if (names[i] == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "class %zu of %zu to keep is NULL", i + 1,
                               count);
    CONGRU_TRY(congru_set_check(context, set));
    int32_t *place = calloc(set->classes + 1, sizeof *place);
    int32_t *number = calloc(set->subjects + 1, sizeof *number);
    congru_status status = place != NULL && number != NULL ? find_places(context, set, names, count, place)
                                                           : congru_fail_memory(context, "the classes");
    if (status == CONGRU_OK) {
        keep(set, names, count, place);
        drop_empty_subjects(set, number);
    }
    free(place);
    free(number);
    return status;
}

/* Every session that is asked for must be there, of one subject at least. */
static congru_status check_sessions(congru_context *context, const congru_set *set, const int32_t *sessions,
                                    size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t i = 0;
        while (i < set->count && set->session[i] != sessions[k])
            i++;
        if (i == set->count)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no session %d in the set",
                               (int)sessions[k]);
    }
    return CONGRU_OK;
}

congru_status congru_set_keep_sessions(congru_context *context, congru_set *set, const int32_t *sessions,
                                       size_t count)
{
    if (set == NULL || sessions == NULL || count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no sessions to keep are given");
    CONGRU_TRY(congru_set_check(context, set));
    CONGRU_TRY(check_sessions(context, set, sessions, count));
    int32_t *number = calloc(set->subjects + 1, sizeof *number);
    if (number == NULL)
        return congru_fail_memory(context, "the subjects");
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t k = 0;
        while (k < count && sessions[k] != set->session[i])
            k++;
        if (k < count)
            move_trial(set, i, kept++);
    }
    set->count = kept;
    drop_empty_subjects(set, number);
    free(number);
    return CONGRU_OK;
}
