/* Adds the trials of one subject to a set. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dataset/covariance.h"
#include "dataset/set_internal.h"
#include "spd/batch.h"

/* What a trial of the set has, with its size; grown together. */
static bool grow(void **array, size_t count, size_t size)
{
    if (count > PTRDIFF_MAX / size)
        return false;
    void *larger = realloc(*array, count > 0 ? count * size : size); /* of nothing it would free */
    if (larger == NULL)
        return false;
    *array = larger;
    return true;
}

/* The same for what may be large, `size` numbers each, of which `used` are there. */
static bool grow_numbers(double **array, size_t used, size_t count, size_t size)
{
    if (count > PTRDIFF_MAX / sizeof(double) / size)
        return false;
    double *larger = congru_memory_grow(*array, used * size * sizeof(double), count * size * sizeof(double));
    if (larger == NULL)
        return false;
    *array = larger;
    return true;
}

/* Room for `count` trials. What is there stays; on failure the set is as it was but for spare room. */
static bool grow_trials(congru_set *set, size_t count, bool covariances, bool signals)
{
    void *column[4] = {set->label, set->subject, set->session, set->run};
    bool grown = true;
    for (size_t i = 0; i < 4 && grown; i++)
        grown = grow(&column[i], count, sizeof(int32_t));
    set->label = column[0];
    set->subject = column[1];
    set->session = column[2];
    set->run = column[3];
    if (grown && covariances)
        grown = grow_numbers(&set->covariance, set->count, count, set->dimension * set->dimension);
    if (grown && signals)
        grown = grow_numbers(&set->signals, set->count, count, set->dimension * set->samples);
    return grown;
}

/* The index of a name in a table that has room for one more, where it is put if it is not there. */
static int32_t join_name(const char *name, char (*names)[CONGRU_LABEL_SIZE], size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return (int32_t)i;
    memset(names[*count], 0, CONGRU_LABEL_SIZE);
    memcpy(names[*count], name, strlen(name));
    return (int32_t)(*count)++;
}

/* ---- Does it fit? ---------------------------------------------------------------------------------- */

static congru_status check_epochs(congru_context *context, const congru_epochs *epochs, const char *subject)
{
    CONGRU_TRY(congru_check_shape(context, epochs->count, epochs->channels));
    if (strlen(subject) >= CONGRU_LABEL_SIZE || subject[0] == '\0')
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject '%.40s': a name of 1 to %d bytes is needed, this has %zu", subject,
                           CONGRU_LABEL_SIZE - 1, strlen(subject));
    for (size_t i = 0; i < epochs->count; i++)
        if (epochs->label[i] < 0 || (size_t)epochs->label[i] >= epochs->classes)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "subject %s: trial %zu has label %ld, of %s",
                               subject, epochs->number != NULL ? epochs->number[i] : i + 1,
                               (long)epochs->label[i], congru_count(epochs->classes, "class").text);
    return CONGRU_OK;
}

static congru_status check_channels(congru_context *context, const congru_set *set, const congru_epochs *epochs,
                                    const char *subject)
{
    if (set->dimension != epochs->channels)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject %s: %s where the set has %zu (choose the same with --channels)", subject,
                           congru_count(epochs->channels, "channel").text, set->dimension);
    for (size_t i = 0; i < set->dimension; i++) {
        const char *old = set->channel_name[i],
                   *new = epochs->channel_name != NULL ? epochs->channel_name[i] : "";
        if (old[0] != '\0' && new[0] != '\0' && !congru_channel_matches(new, old))
            return congru_fail(
                context, CONGRU_ERROR_ARGUMENT,
                "subject %s: channel %zu is %s where the set has %s (choose the same, in the same "
                "order, with --channels)",
                subject, i + 1, new, old);
    }
    return CONGRU_OK;
}

/* A set that was read from covariances alone does not know its window or rate; then nothing can differ. */
static congru_status check_fit(congru_context *context, const congru_set *set, const congru_epochs *epochs,
                               const char *subject, const congru_set_options *options)
{
    CONGRU_TRY(check_channels(context, set, epochs, subject));
    if (epochs->covariances && options->keep_signals)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "subject %s: holds no signals to keep", subject);
    if (set->samples != 0 && set->samples != epochs->samples)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject %s: windows of %s where the set has %zu (use the same --window)", subject,
                           congru_count(epochs->samples, "sample").text, set->samples);
    if (set->rate > 0.0 && epochs->rate > 0.0 && set->rate != epochs->rate)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject %s: %g samples per second where the set has %g (resample it)", subject,
                           epochs->rate, set->rate);
    if (set->covariance == NULL || (set->signals != NULL) != options->keep_signals)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "subject %s: the set was made %s signals and %s covariances; trials are appended to it alike",
            subject, set->signals != NULL ? "with" : "without", set->covariance != NULL ? "with" : "without");
    return CONGRU_OK;
}

/* ---- Appending ------------------------------------------------------------------------------------- */

static congru_set *create_set(const congru_epochs *epochs)
{
    congru_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    set->dimension = epochs->channels;
    set->samples = epochs->covariances ? 0 : epochs->samples;
    set->rate = epochs->rate > 0 ? epochs->rate : 0;
    set->start = epochs->start;
    set->channel_name = calloc(epochs->channels, sizeof *set->channel_name);
    if (set->channel_name == NULL)
        congru_set_destroy(&set);
    else if (epochs->channel_name != NULL)
        memcpy(set->channel_name, epochs->channel_name, epochs->channels * sizeof *set->channel_name);
    return set;
}

static bool grow_names(congru_set *set, const congru_epochs *epochs)
{
    void *subjects = set->subject_name, *classes = set->class_name;
    bool grown = grow(&subjects, set->subjects + 1 + epochs->subjects, sizeof *set->subject_name);
    set->subject_name = subjects;
    grown = grown && grow(&classes, set->classes + epochs->classes, sizeof *set->class_name);
    set->class_name = classes;
    return grown;
}

/* Everything that can fail is behind us: the trials become part of the set. */
static void take_trials(congru_set *set, const congru_epochs *epochs, const char *subject)
{
    const size_t first = set->count;
    int32_t who = epochs->subject == NULL ? join_name(subject, set->subject_name, &set->subjects) : 0;
    /* Classes join in the order of the epochs, also those without a trial, so that indices do not depend on
     * which class came first in the recording. */
    for (size_t k = 0; k < epochs->classes; k++) {
        int32_t joined = join_name(epochs->class_name[k], set->class_name, &set->classes);
        for (size_t i = 0; i < epochs->count; i++)
            if ((size_t)epochs->label[i] == k)
                set->label[first + i] = joined;
    }
    for (size_t i = 0; i < epochs->count; i++) {
        set->subject[first + i] = epochs->subject == NULL ? who
                                                          : join_name(epochs->subject_name[epochs->subject[i]],
                                                                      set->subject_name, &set->subjects);
        set->session[first + i] = epochs->session != NULL ? epochs->session[i] : 0;
        set->run[first + i] = epochs->run != NULL ? epochs->run[i] : 0;
    }
    if (set->signals != NULL)
        memcpy(set->signals + first * set->dimension * set->samples, epochs->data,
               epochs->count * set->dimension * set->samples * sizeof *set->signals);
    set->count += epochs->count;
}

static congru_status append(congru_context *context, congru_set *set, const congru_epochs *epochs,
                            const char *subject, const congru_set_options *options)
{
    if (epochs->count > (size_t)INT32_MAX - set->count || !grow_names(set, epochs) ||
        !grow_trials(set, set->count + epochs->count, true, options->keep_signals))
        return congru_fail(context, CONGRU_ERROR_MEMORY, "subject %s: not enough memory for %zu more trials",
                           subject, epochs->count);
    double *covariance = set->covariance + set->count * set->dimension * set->dimension;
    congru_status status = CONGRU_OK;
    if (epochs->covariances)
        memcpy(covariance, epochs->data,
               epochs->count * set->dimension * set->dimension * sizeof *set->covariance);
    else
        status = congru_covariance_numbered(context, options->estimator, options->trace_normalise,
                                            epochs->count, epochs->channels, epochs->samples, epochs->data,
                                            epochs->number, covariance);
    if (status != CONGRU_OK)
        return status;
    if (!epochs->covariances)
        congru_covariance_shrink(options->shrinkage, epochs->count, set->dimension, covariance);
    take_trials(set, epochs, subject);
    return CONGRU_OK;
}

congru_status congru_set_append(congru_context *context, congru_set **set, const congru_epochs *epochs,
                                const char *subject, const congru_set_options *options)
{
    if (context == NULL || set == NULL || epochs == NULL || subject == NULL || options == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_set_append: context, set, epochs, subject and options must not be NULL");
    CONGRU_TRY(check_epochs(context, epochs, subject));
    if (*set != NULL)
        CONGRU_TRY(check_fit(context, *set, epochs, subject, options));
    congru_set *target = *set != NULL ? *set : create_set(epochs);
    if (target == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "subject %s: not enough memory", subject);
    congru_status status = append(context, target, epochs, subject, options);
    if (status != CONGRU_OK && *set == NULL)
        congru_set_destroy(&target);
    *set = target;
    return status;
}
