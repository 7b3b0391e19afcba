/* From the labels, groups and names that files give to those of epochs. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"
#include "recording/reader.h"

enum { CLASSES_MAX = 1000 };

static congru_status fail_memory(congru_context *context, const char *file, size_t count)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu labels", file, count);
}

static congru_status make_classes(congru_context *context, const char *file, size_t classes,
                                  congru_epochs *epochs)
{
    if (classes > CLASSES_MAX)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: %zu classes; at most %d are read (is y the labels?)", file, classes,
                           (int)CLASSES_MAX);
    epochs->class_name = calloc(classes + 1, sizeof *epochs->class_name);
    if (epochs->class_name == NULL)
        return fail_memory(context, file, classes);
    epochs->classes = classes;
    return CONGRU_OK;
}

static congru_status name_classes(congru_context *context, const char *file, const char *const *names,
                                  size_t count, congru_epochs *epochs)
{
    congru_status status = make_classes(context, file, count, epochs);
    for (size_t k = 0; k < count && status == CONGRU_OK; k++)
        congru_reader_copy_label(epochs->class_name[k], sizeof epochs->class_name[k], names[k],
                                 strlen(names[k]));
    return status;
}

/* ---- Whole numbers ------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static congru_status label_by_names(congru_context *context, const char *file, const int64_t *value,
                                    const char *const *names, size_t name_count, congru_epochs *epochs)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < epochs->count; i++) {
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    int64_t base = least >= 1 && most == (int64_t)name_count ? 1 : 0;
    for (size_t i = 0; i < epochs->count; i++) {
        if (value[i] < base || value[i] >= (int64_t)name_count + base)
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "%s: trial %zu has label %lld: expected 0 to %zu, with %s", file, i + 1,
                               (long long)value[i], name_count > 0 ? name_count - 1 : 0,
                               congru_count(name_count, "class name").text);
        epochs->label[i] = (int32_t)(value[i] - base);
    }
    return name_classes(context, file, names, name_count, epochs);
}

congru_status congru_epochs_label_numbers(congru_context *context, const char *file, const int64_t *value,
                                          const char *const *names, size_t name_count, congru_epochs *epochs)
{
    if (names != NULL)
        return label_by_names(context, file, value, names, name_count, epochs);
    int64_t *sorted = malloc((epochs->count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return fail_memory(context, file, epochs->count);
    memcpy(sorted, value, epochs->count * sizeof *sorted);
    qsort(sorted, epochs->count, sizeof *sorted, compare_numbers);
    size_t classes = 0;
    for (size_t i = 0; i < epochs->count; i++)
        if (classes == 0 || sorted[i] != sorted[classes - 1])
            sorted[classes++] = sorted[i];
    congru_status status = make_classes(context, file, classes, epochs);
    for (size_t k = 0; k < classes && status == CONGRU_OK; k++)
        snprintf(epochs->class_name[k], sizeof epochs->class_name[k], "%lld", (long long)sorted[k]);
    for (size_t i = 0; i < epochs->count && status == CONGRU_OK; i++) {
        const int64_t *found = bsearch(&value[i], sorted, classes, sizeof *sorted, compare_numbers);
        epochs->label[i] = (int32_t)(found - sorted);
    }
    free(sorted);
    return status;
}

/* ---- Texts --------------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The texts there are, each once, in order; allocated. */
static const char **distinct_texts(const char *const *value, size_t count, size_t *distinct)
{
    const char **sorted = malloc((count + 1) * sizeof *sorted);
    *distinct = 0;
    if (sorted == NULL)
        return NULL;
    memcpy(sorted, value, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (size_t i = 0; i < count; i++)
        if (*distinct == 0 || strcmp(sorted[i], sorted[*distinct - 1]) != 0)
            sorted[(*distinct)++] = sorted[i];
    return sorted;
}

congru_status congru_epochs_number_texts(congru_context *context, const char *file, const char *const *value,
                                         size_t count, int32_t *number)
{
    size_t distinct;
    const char **sorted = distinct_texts(value, count, &distinct);
    if (sorted == NULL)
        return fail_memory(context, file, count);
    for (size_t i = 0; i < count; i++) {
        const char **found = bsearch(&value[i], sorted, distinct, sizeof *sorted, compare_texts);
        number[i] = (int32_t)(found - sorted);
    }
    free(sorted);
    return CONGRU_OK;
}

congru_status congru_epochs_label_texts(congru_context *context, const char *file, const char *const *value,
                                        const char *const *names, size_t name_count, congru_epochs *epochs)
{
    if (names == NULL) {
        size_t distinct;
        const char **sorted = distinct_texts(value, epochs->count, &distinct);
        if (sorted == NULL)
            return fail_memory(context, file, epochs->count);
        congru_status status = congru_epochs_number_texts(context, file, value, epochs->count, epochs->label);
        if (status == CONGRU_OK)
            status = name_classes(context, file, sorted, distinct, epochs);
        free(sorted);
        return status;
    }
    congru_status status = name_classes(context, file, names, name_count, epochs);
    for (size_t i = 0; i < epochs->count && status == CONGRU_OK; i++) {
        size_t k = 0;
        while (k < name_count && strcmp(names[k], value[i]) != 0)
            k++;
        epochs->label[i] = (int32_t)k;
        if (k == name_count)
            status =
                congru_fail(context, CONGRU_ERROR_FORMAT,
                            "%s: trial %zu has label '%.80s', which is no class name", file, i + 1, value[i]);
    }
    return status;
}

/* ---- Channels ------------------------------------------------------------------------------------ */

congru_status congru_epochs_name_channels(congru_context *context, const char *file, const char *const *names,
                                          size_t count, congru_epochs *epochs)
{
    if (count != epochs->channels)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: %s for %s", file,
                           congru_count(count, "channel name").text,
                           congru_count(epochs->channels, "channel").text);
    for (size_t k = 0; k < count; k++)
        congru_reader_copy_label(epochs->channel_name[k], sizeof epochs->channel_name[k], names[k],
                                 strlen(names[k]));
    return CONGRU_OK;
}

bool congru_epochs_are_covariances(const double *data, size_t count, size_t n)
{
    for (size_t m = 0; m < count; m++, data += n * n)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++)
                if (data[i * n + k] != data[k * n + i])
                    return false;
    return count > 0;
}
