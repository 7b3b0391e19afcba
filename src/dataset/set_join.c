/* Sets made of arrays, and of other sets. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dataset/set_internal.h"
#include "preprocess/preprocessing.h"

/* ---- Of arrays ----------------------------------------------------------------------------------------- */

static congru_status check_column(congru_context *context, const char *what, const int32_t *column,
                                  size_t count, size_t names)
{
    for (size_t i = 0; column != NULL && i < count; i++)
        if (column[i] < 0 || (size_t)column[i] >= names)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s %ld of trial %zu: there are %zu", what,
                               (long)column[i], i + 1, names);
    return CONGRU_OK;
}

static congru_status check_numbers(congru_context *context, const char *what, size_t each, size_t count,
                                   const double *number)
{
    for (size_t i = 0; number != NULL && i < count * each; i++)
        if (!isfinite(number[i]))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE, "trial %zu: its %s is not finite",
                               i / each + 1, what);
    return CONGRU_OK;
}

/* Whether the sizes of the arrays, and of the names, are numbers. */
static congru_status check_sizes(congru_context *context, const congru_set *from)
{
    const size_t d = from->dimension, tables = from->classes > from->subjects ? from->classes : from->subjects;
    CONGRU_TRY(congru_check_count(context, d, d));
    CONGRU_TRY(congru_check_count(context, d, from->samples));
    CONGRU_TRY(congru_check_count(context, from->count, d * (d > from->samples ? d : from->samples)));
    return congru_check_count(context, tables, CONGRU_LABEL_SIZE);
}

static congru_status check_arrays(congru_context *context, const congru_set *from)
{
    const size_t d = from->dimension;
    if (from->count == 0 || d == 0 || (from->covariance == NULL && from->signals == NULL) ||
        (from->signals != NULL && from->samples == 0) || from->count > INT32_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a set needs trials, channels, and covariances or signals with their samples");
    if (!(from->rate >= 0 && isfinite(from->rate)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a rate of %g Hz", from->rate);
    CONGRU_TRY(check_sizes(context, from));
    CONGRU_TRY(
        check_column(context, "label", from->label, from->count, from->class_name != NULL ? from->classes : 0));
    CONGRU_TRY(check_column(context, "subject", from->subject, from->count,
                            from->subject_name != NULL ? from->subjects : 0));
    CONGRU_TRY(check_numbers(context, "covariance", d * d, from->count, from->covariance));
    return check_numbers(context, "signal", d * from->samples, from->count, from->signals);
}

/* A copy, or zeros where there is nothing to copy. */
static bool copy_column(const int32_t *from, size_t count, int32_t **to)
{
    *to = calloc(count, sizeof **to);
    if (*to != NULL && from != NULL)
        memcpy(*to, from, count * sizeof **to);
    return *to != NULL;
}

/* A copy of names, or one name where there are none. */
static bool copy_names(const char (*from)[CONGRU_LABEL_SIZE], const char *otherwise, size_t *count,
                       char (**to)[CONGRU_LABEL_SIZE])
{
    if (from == NULL)
        *count = 1;
    *to = calloc(*count, sizeof **to);
    if (*to != NULL && from != NULL)
        memcpy(*to, from, *count * sizeof **to);
    else if (*to != NULL)
        snprintf(**to, sizeof **to, "%s", otherwise);
    return *to != NULL;
}

static bool copy_numbers(const double *from, size_t count, double **to)
{
    if (from == NULL)
        return true;
    *to = congru_memory_take(count * sizeof **to);
    if (*to != NULL)
        memcpy(*to, from, count * sizeof **to);
    return *to != NULL;
}

static bool copy_text(const char *from, char **to)
{
    size_t size = from != NULL ? strlen(from) + 1 : 0;
    *to = from != NULL ? malloc(size) : NULL;
    if (*to != NULL)
        memcpy(*to, from, size);
    return *to != NULL || from == NULL;
}

static bool copy_all(const congru_set *from, bool borrow, congru_set *to)
{
    size_t channels = from->dimension;
    bool done =
        copy_column(from->label, from->count, &to->label) &&
        copy_column(from->subject, from->count, &to->subject) &&
        copy_column(from->session, from->count, &to->session) &&
        copy_column(from->run, from->count, &to->run) &&
        copy_names((const char(*)[CONGRU_LABEL_SIZE])from->class_name, "unlabelled", &to->classes,
                   &to->class_name) &&
        copy_names((const char(*)[CONGRU_LABEL_SIZE])from->subject_name, "1", &to->subjects, &to->subject_name);
    to->channel_name = calloc(channels, sizeof *to->channel_name);
    if (!done || to->channel_name == NULL)
        return false;
    if (from->channel_name != NULL)
        memcpy(to->channel_name, from->channel_name, channels * sizeof *to->channel_name);
    if (!copy_text(from->meta, &to->meta) || !copy_text(from->signals_meta, &to->signals_meta))
        return false;
    if (borrow) {
        to->covariance = from->covariance;
        to->signals = from->signals;
        return true;
    }
    return copy_numbers(from->covariance, from->count * channels * channels, &to->covariance) &&
           copy_numbers(from->signals, from->count * channels * from->samples, &to->signals);
}

static congru_status create(congru_context *context, const congru_set *from, bool borrow, congru_set **set)
{
    if (from == NULL || set == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_create: from and set must not be NULL");
    *set = NULL;
    CONGRU_TRY(check_arrays(context, from));
    congru_set *made = calloc(1, sizeof *made);
    if (made != NULL)
        *made = (congru_set){.count = from->count,
                             .dimension = from->dimension,
                             .samples = from->samples,
                             .classes = from->classes,
                             .subjects = from->subjects,
                             .rate = from->rate,
                             .start = from->start,
                             .borrowed = borrow};
    if (made == NULL || !copy_all(from, borrow, made)) {
        congru_set_destroy(&made);
        return congru_fail_memory(context, "a set of %zu trials", from->count);
    }
    *set = made;
    return CONGRU_OK;
}

congru_status congru_set_create_copying(congru_context *context, const congru_set *from, congru_set **set)
{
    return create(context, from, false, set);
}

congru_status congru_set_create_borrowing(congru_context *context, const congru_set *from, congru_set **set)
{
    return create(context, from, true, set);
}

/* ---- Of sets ------------------------------------------------------------------------------------------- */

static congru_status check_alike(congru_context *context, const congru_set *set, const congru_set *other)
{
    congru_preprocessing own, added = {0};
    char text[700];
    if ((set->covariance == NULL) != (other->covariance == NULL) ||
        (set->signals == NULL) != (other->signals == NULL) ||
        (set->signals != NULL && set->samples != other->samples))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "one set holds covariances or signals that the other does not, or of another length");
    CONGRU_TRY(congru_set_preprocessing(context, set, &own));
    congru_status status = congru_set_preprocessing(context, other, &added);
    if (own.rest != added.rest) /* the rest has its window before the cue */
        memcpy(added.window, own.window, sizeof added.window);
    if (status == CONGRU_OK && congru_preprocessing_differs(&own, "the set", &added, text, sizeof text))
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s", text);
    congru_preprocessing_clear(&own);
    congru_preprocessing_clear(&added);
    return status;
}

/* Where each name of `other` is among the names, which grow by those that are new; false without memory. */
static bool join_names(char (**names)[CONGRU_LABEL_SIZE], size_t *count, const char (*other)[CONGRU_LABEL_SIZE],
                       size_t others, int32_t *place)
{
    void *larger = realloc(*names, (*count + others) * sizeof **names);
    if (larger == NULL)
        return false;
    *names = larger;
    for (size_t k = 0; k < others; k++) {
        size_t at = 0;
        while (at < *count && strcmp((*names)[at], other[k]) != 0)
            at++;
        if (at == *count)
            memcpy((*names)[(*count)++], other[k], sizeof **names);
        place[k] = (int32_t)at;
    }
    return true;
}

static bool join_column(int32_t **column, size_t count, const int32_t *other, size_t others,
                        const int32_t *place)
{
    int32_t *larger = realloc(*column, (count + others) * sizeof *larger);
    if (larger == NULL)
        return false;
    *column = larger;
    for (size_t i = 0; i < others; i++)
        larger[count + i] = place != NULL ? place[other[i]] : other[i];
    return true;
}

static bool join_numbers(double **numbers, size_t count, const double *other, size_t others)
{
    if (*numbers == NULL)
        return true;
    double *larger = congru_memory_take((count + others) * sizeof *larger);
    if (larger == NULL)
        return false;
    memcpy(larger, *numbers, count * sizeof *larger);
    memcpy(larger + count, other, others * sizeof *larger);
    congru_memory_give(*numbers);
    *numbers = larger;
    return true;
}

/* Whether an array of the one is the other's, which growing it would move away. */
static bool share(const congru_set *set, const congru_set *other)
{
    return set->label == other->label || set->subject == other->subject || set->session == other->session ||
           set->run == other->run || set->class_name == other->class_name ||
           set->subject_name == other->subject_name ||
           (set->covariance != NULL && set->covariance == other->covariance) ||
           (set->signals != NULL && set->signals == other->signals);
}

congru_status congru_set_join(congru_context *context, congru_set *set, const congru_set *other)
{
    if (context == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_join: context must not be NULL");
    if (set == NULL || other == NULL || set->borrowed)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_set_join: two sets are needed, of which the first owns its arrays");
    if (share(set, other))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_set_join: a set is not joined to itself, or to one that shares its arrays");
    CONGRU_TRY(check_alike(context, set, other));
    const size_t n = set->count, more = other->count, d = set->dimension;
    int32_t *of_class = calloc(other->classes + 1, sizeof *of_class);
    int32_t *of_subject = calloc(other->subjects + 1, sizeof *of_subject);
    bool done =
        of_class != NULL && of_subject != NULL &&
        join_names(&set->class_name, &set->classes, (const char(*)[CONGRU_LABEL_SIZE])other->class_name,
                   other->classes, of_class) &&
        join_names(&set->subject_name, &set->subjects, (const char(*)[CONGRU_LABEL_SIZE])other->subject_name,
                   other->subjects, of_subject) &&
        join_column(&set->label, n, other->label, more, of_class) &&
        join_column(&set->subject, n, other->subject, more, of_subject) &&
        join_column(&set->session, n, other->session, more, NULL) &&
        join_column(&set->run, n, other->run, more, NULL) &&
        join_numbers(&set->covariance, n * d * d, other->covariance, more * d * d) &&
        join_numbers(&set->signals, n * d * set->samples, other->signals, more * d * set->samples);
    free(of_class);
    free(of_subject);
    if (!done)
        return congru_fail_memory(context, "%zu more trials", more);
    set->count += more;
    return CONGRU_OK;
}
