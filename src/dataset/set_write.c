/* Writes sets as .npz files that numpy opens. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/npz.h"
#include "congru/dataset.h"

typedef struct set_writer {
    congru_context *context;
    const char *path;
    const congru_set *set;
    congru_npz_writer *npz;
} set_writer;

static congru_status fail_set(const set_writer *w, const char *what)
{
    return congru_fail(w->context, CONGRU_ERROR_ARGUMENT, "%s: cannot write: %s", w->path, what);
}

static bool indices_below(const int32_t *index, size_t count, size_t limit)
{
    for (size_t i = 0; i < count; i++)
        if (index[i] < 0 || (size_t)index[i] >= limit)
            return false;
    return true;
}

/* What a set made by hand may lack; one that was read or appended to lacks nothing. */
static congru_status check_set(const set_writer *w)
{
    const congru_set *set = w->set;
    if (set->count == 0 || set->dimension == 0)
        return fail_set(w, "the set has no trials");
    if (set->covariance == NULL && set->signals == NULL)
        return fail_set(w, "the set has neither covariances nor signals");
    if (set->label == NULL || set->subject == NULL || set->session == NULL || set->run == NULL)
        return fail_set(w, "the set lacks labels, subjects, sessions or runs");
    if (set->class_name == NULL || set->subject_name == NULL)
        return fail_set(w, "the set lacks the names of its classes or subjects");
    if (!indices_below(set->label, set->count, set->classes))
        return fail_set(w, "a label is not the index of a class");
    if (!indices_below(set->subject, set->count, set->subjects))
        return fail_set(w, "a subject is not the index of a name");
    return CONGRU_OK;
}

static congru_status add_numbers(const set_writer *w, const char *array, const int32_t *numbers)
{
    int64_t *wide = malloc(w->set->count * sizeof *wide);
    if (wide == NULL)
        return congru_fail(w->context, CONGRU_ERROR_MEMORY, "%s: cannot write: not enough memory", w->path);
    for (size_t i = 0; i < w->set->count; i++)
        wide[i] = numbers[i];
    congru_status status = congru_npz_add_integer(w->context, w->npz, array, 1, &w->set->count, wide);
    free(wide);
    return status;
}

/* `count` names: those of the table, or those the indices choose from it. */
static congru_status add_names(const set_writer *w, const char *array, size_t count, const int32_t *index,
                               const char (*names)[CONGRU_LABEL_SIZE])
{
    const char **texts = malloc((count > 0 ? count : 1) * sizeof *texts);
    if (texts == NULL)
        return congru_fail(w->context, CONGRU_ERROR_MEMORY, "%s: cannot write: not enough memory", w->path);
    for (size_t i = 0; i < count; i++)
        texts[i] = names[index != NULL ? (size_t)index[i] : i];
    congru_status status = congru_npz_add_text(w->context, w->npz, array, 1, &count, texts);
    free(texts);
    return status;
}

static bool has_channel_names(const congru_set *set)
{
    if (set->channel_name == NULL)
        return false;
    for (size_t i = 0; i < set->dimension; i++)
        if (set->channel_name[i][0] != '\0')
            return true;
    return false;
}

/* The large arrays first, where they are aligned and other programs can map them. */
static congru_status add_trials(const set_writer *w)
{
    const congru_set *set = w->set;
    const size_t covariances[3] = {set->count, set->dimension, set->dimension};
    const size_t signals[3] = {set->count, set->dimension, set->samples};
    congru_status status = CONGRU_OK;
    if (set->covariance != NULL)
        status = congru_npz_add_real(w->context, w->npz, "X", 3, covariances, set->covariance, false);
    if (status == CONGRU_OK && set->signals != NULL)
        status = congru_npz_add_real(w->context, w->npz, "signals", 3, signals, set->signals, false);
    return status;
}

static congru_status add_columns(const set_writer *w)
{
    const congru_set *set = w->set;
    CONGRU_TRY(add_numbers(w, "y", set->label));
    CONGRU_TRY(
        add_names(w, "subject", set->count, set->subject, (const char(*)[CONGRU_LABEL_SIZE])set->subject_name));
    CONGRU_TRY(add_numbers(w, "session", set->session));
    return add_numbers(w, "run", set->run);
}

static congru_status add_rest(const set_writer *w)
{
    const congru_set *set = w->set;
    CONGRU_TRY(add_names(w, "classes", set->classes, NULL, (const char(*)[CONGRU_LABEL_SIZE])set->class_name));
    if (has_channel_names(set))
        CONGRU_TRY(add_names(w, "channels", set->dimension, NULL,
                             (const char(*)[CONGRU_LABEL_SIZE])set->channel_name));
    if (set->rate > 0.0)
        CONGRU_TRY(congru_npz_add_real(w->context, w->npz, "fs", 0, NULL, &set->rate, false));
    if (set->signals != NULL && isfinite(set->start))
        CONGRU_TRY(congru_npz_add_real(w->context, w->npz, "tmin", 0, NULL, &set->start, false));
    if (set->meta != NULL)
        CONGRU_TRY(congru_npz_add_text(w->context, w->npz, "meta", 0, NULL, (const char *const[]){set->meta}));
    if (set->signals_meta != NULL)
        CONGRU_TRY(congru_npz_add_text(w->context, w->npz, "signals_meta", 0, NULL,
                                       (const char *const[]){set->signals_meta}));
    return CONGRU_OK;
}

congru_status congru_set_write(congru_context *context, const char *path, const congru_set *set)
{
    if (path == NULL || set == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_write: path and set must not be NULL");
    set_writer w = {.context = context, .path = path, .set = set};
    CONGRU_TRY(check_set(&w));
    CONGRU_TRY(congru_npz_create(context, path, &w.npz));
    congru_status status = add_trials(&w);
    if (status == CONGRU_OK)
        status = add_columns(&w);
    if (status == CONGRU_OK)
        status = add_rest(&w);
    if (status == CONGRU_OK)
        return congru_npz_commit(context, &w.npz);
    congru_npz_abandon(&w.npz);
    return status;
}
