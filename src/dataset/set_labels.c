/* Labels, subjects, sessions and runs: whatever numbers or texts a file has, as indices. SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/set_internal.h"

/* More distinct labels than this are not classes but a measurement, given by mistake. */
enum { CLASSES_MAX = 1024 };

typedef struct key {
    int64_t number;
    const char *text; /* NULL for numbers */
    size_t index;     /* of the trial */
} key;

/* The distinct values of an array. */
typedef struct groups {
    int32_t *id;    // (count): which of them a trial has
    size_t *member; // (count): for each of them, the first trial that has it
    size_t count;
} groups;

static congru_status fail_memory(congru_context *context, const char *file)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", file);
}

static void free_groups(groups *g)
{
    free(g->id);
    free(g->member);
    *g = (groups){0};
}

static int compare_values(const key *x, const key *y)
{
    if (x->text != NULL)
        return strcmp(x->text, y->text);
    return (x->number > y->number) - (x->number < y->number);
}

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    int order = compare_values(x, y);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* Numbers the values in order of size. */
static void number_sorted(const key *keys, size_t count, groups *g)
{
    g->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_values(&keys[i - 1], &keys[i]) != 0)
            g->member[g->count++] = keys[i].index;
        g->id[keys[i].index] = (int32_t)g->count - 1;
    }
}

/* Numbers them again in the order in which trials show them first. */
static congru_status number_by_appearance(congru_context *context, const char *file, size_t count, groups *g)
{
    int32_t *appeared = malloc(g->count * sizeof *appeared);
    if (appeared == NULL)
        return fail_memory(context, file);
    int32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        size_t sorted = (size_t)g->id[i];
        /* Keys of equal value are in order of their index, so a group's member is the first of its trials. */
        if (g->member[sorted] == i)
            appeared[sorted] = next++;
        g->id[i] = appeared[sorted];
    }
    for (size_t i = count; i-- > 0;)
        g->member[g->id[i]] = i;
    free(appeared);
    return CONGRU_OK;
}

static congru_status group_values(congru_context *context, const char *file, const congru_values *values,
                                  bool by_appearance, groups *g)
{
    size_t count = values->count;
    key *keys = malloc(count * sizeof *keys);
    g->id = malloc(count * sizeof *g->id);
    g->member = malloc(count * sizeof *g->member);
    if (keys == NULL || g->id == NULL || g->member == NULL) {
        free(keys);
        free_groups(g);
        return fail_memory(context, file);
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = values->kind == CONGRU_VALUES_TEXT ? (key){0, values->text[i], i}
                                                     : (key){values->integer[i], NULL, i};
    qsort(keys, count, sizeof *keys, compare_keys);
    number_sorted(keys, count, g);
    free(keys);
    congru_status status = by_appearance ? number_by_appearance(context, file, count, g) : CONGRU_OK;
    if (status != CONGRU_OK)
        free_groups(g);
    return status;
}

void congru_set_shape_text(const congru_values *values, char text[CONGRU_SHAPE_TEXT_SIZE])
{
    size_t end = (size_t)snprintf(text, CONGRU_SHAPE_TEXT_SIZE, "(");
    for (size_t i = 0; i < values->dims && end < CONGRU_SHAPE_TEXT_SIZE; i++)
        end += (size_t)snprintf(text + end, CONGRU_SHAPE_TEXT_SIZE - end, i == 0 ? "%zu" : ", %zu",
                                values->shape[i]);
    if (end < CONGRU_SHAPE_TEXT_SIZE)
        snprintf(text + end, CONGRU_SHAPE_TEXT_SIZE - end, values->dims == 1 ? ",)" : ")");
}

congru_status congru_set_check_length(congru_context *context, const char *file, const char *array,
                                      const congru_values *values, size_t count, const char *of_what)
{
    char shape[CONGRU_SHAPE_TEXT_SIZE];
    if (values->dims == 1 && values->count == count)
        return CONGRU_OK;
    congru_set_shape_text(values, shape);
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s: %s: expected one value for each of %zu %s, found shape %s", file, array, count,
                       of_what, shape);
}

congru_status congru_set_copy_name(congru_context *context, const char *file, const char *what,
                                   const char *name, char entry[CONGRU_LABEL_SIZE])
{
    size_t length = strlen(name);
    if (length >= CONGRU_LABEL_SIZE)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: %s: a name of %zu bytes, '%.40s...'; at most %d are kept (shorten it)", file,
                           what, length, name, CONGRU_LABEL_SIZE - 1);
    memset(entry, 0, CONGRU_LABEL_SIZE);
    memcpy(entry, name, length + 1);
    return CONGRU_OK;
}

/* Whether the array has one value for each trial. */
static congru_status describe_column(congru_context *context, const char *file, congru_npz *npz,
                                     const char *array, size_t count, congru_values *values)
{
    CONGRU_TRY(congru_npz_describe(context, npz, array, values));
    CONGRU_TRY(congru_set_check_length(context, file, array, values, count, "trials"));
    return congru_npz_check_names(context, npz, array, values);
}

congru_status congru_set_check_columns(congru_context *context, const char *file, congru_npz *npz, size_t count)
{
    static const char *const columns[] = {"y", "subject", "session", "run"};
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0] && status == CONGRU_OK; i++) {
        congru_values values;
        if (congru_npz_has(npz, columns[i]))
            status = describe_column(context, file, npz, columns[i], count, &values);
    }
    return status;
}

/* The array of one value for each trial, as integers or texts. */
static congru_status read_column(congru_context *context, const char *file, congru_npz *npz, const char *array,
                                 size_t count, congru_values *values)
{
    CONGRU_TRY(describe_column(context, file, npz, array, count, values));
    congru_status status = congru_npz_fill(context, npz, array, values);
    if (status == CONGRU_OK)
        status = congru_values_make_integers(context, file, array, values);
    if (status != CONGRU_OK)
        congru_values_clear(values);
    return status;
}

/* Names for the groups: the texts themselves, or the numbers in digits. */
static congru_status name_groups(congru_context *context, const char *file, const char *array,
                                 const congru_values *values, const groups *g,
                                 char (**names)[CONGRU_LABEL_SIZE])
{
    *names = calloc(g->count, sizeof **names);
    if (*names == NULL)
        return fail_memory(context, file);
    for (size_t i = 0; i < g->count; i++) {
        char digits[24];
        const char *name = digits;
        if (values->kind == CONGRU_VALUES_TEXT)
            name = values->text[g->member[i]];
        else
            snprintf(digits, sizeof digits, "%" PRId64, values->integer[g->member[i]]);
        congru_status status = congru_set_copy_name(context, file, array, name, (*names)[i]);
        if (status != CONGRU_OK)
            return status;
    }
    return CONGRU_OK;
}

/* ---- Classes --------------------------------------------------------------------------------------- */

static congru_status read_classes(congru_context *context, const char *file, congru_npz *npz, congru_set *set)
{
    congru_values values;
    CONGRU_TRY(congru_npz_describe(context, npz, "classes", &values));
    if (values.kind != CONGRU_VALUES_TEXT || values.dims != 1 || values.count == 0 ||
        values.count > CLASSES_MAX)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: classes: expected a line of 1 to %d strings",
                           file, CLASSES_MAX);
    CONGRU_TRY(congru_npz_check_names(context, npz, "classes", &values));
    CONGRU_TRY(congru_npz_fill(context, npz, "classes", &values));
    set->class_name = calloc(values.count, sizeof *set->class_name);
    set->classes = set->class_name != NULL ? values.count : 0;
    congru_status status = set->class_name != NULL ? CONGRU_OK : fail_memory(context, file);
    for (size_t i = 0; i < set->classes && status == CONGRU_OK; i++) {
        status = congru_set_copy_name(context, file, "classes", values.text[i], set->class_name[i]);
        for (size_t k = 0; k < i && status == CONGRU_OK; k++)
            if (strcmp(set->class_name[i], set->class_name[k]) == 0)
                status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: classes: '%s' is there twice", file,
                                     set->class_name[i]);
    }
    congru_values_clear(&values);
    return status;
}

/* Which of the named classes each group is: by its text; by its number where every number is an index of
 * `classes`; else by its rank, where there are as many names as numbers. */
static congru_status match_classes(congru_context *context, const char *file, const congru_values *y,
                                   const groups *g, const congru_set *set, int32_t *class_of)
{
    bool indices = y->kind == CONGRU_VALUES_INTEGER;
    for (size_t i = 0; i < g->count && indices; i++) {
        int64_t label = y->integer[g->member[i]];
        indices = label >= 0 && label < (int64_t)set->classes;
    }
    if (y->kind == CONGRU_VALUES_INTEGER && !indices && g->count != set->classes)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT, "%s: classes: %s for %s in y, which are not indices of them either",
            file, congru_count(set->classes, "name").text, congru_count(g->count, "distinct label").text);
    for (size_t i = 0; i < g->count; i++) {
        size_t k = indices ? (size_t)y->integer[g->member[i]] : i;
        if (y->kind == CONGRU_VALUES_TEXT) {
            for (k = 0; k < set->classes && strcmp(set->class_name[k], y->text[g->member[i]]) != 0;)
                k++;
            if (k == set->classes)
                return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: y: '%.40s' is not among the classes",
                                   file, y->text[g->member[i]]);
        }
        class_of[i] = (int32_t)k;
    }
    return CONGRU_OK;
}

static congru_status label_trials(congru_context *context, const char *file, congru_npz *npz,
                                  const congru_values *y, groups *g, congru_set *set)
{
    int32_t class_of[CLASSES_MAX];
    if (g->count > CLASSES_MAX)
        return congru_fail(
            context, CONGRU_ERROR_UNSUPPORTED,
            "%s: y: %zu distinct values; at most %d classes are possible (is it really the labels?)", file,
            g->count, CLASSES_MAX);
    congru_status status;
    if (congru_npz_has(npz, "classes")) {
        status = read_classes(context, file, npz, set);
        if (status == CONGRU_OK)
            status = match_classes(context, file, y, g, set, class_of);
    } else {
        status = name_groups(context, file, "y", y, g, &set->class_name);
        set->classes = g->count;
        for (size_t i = 0; i < g->count; i++)
            class_of[i] = (int32_t)i;
    }
    if (status != CONGRU_OK)
        return status;
    for (size_t i = 0; i < set->count; i++)
        g->id[i] = class_of[g->id[i]];
    set->label = g->id;
    g->id = NULL;
    return CONGRU_OK;
}

/* ---- The columns ----------------------------------------------------------------------------------- */

/* Without labels all trials are of one class, which no model knows. */
static congru_status name_unlabelled(congru_context *context, const char *file, congru_set *set)
{
    set->label = calloc(set->count, sizeof *set->label);
    set->class_name = calloc(1, sizeof *set->class_name);
    if (set->label == NULL || set->class_name == NULL)
        return fail_memory(context, file);
    strcpy(set->class_name[0], "unlabelled");
    set->classes = 1;
    return CONGRU_OK;
}

static congru_status read_y(congru_context *context, const char *file, congru_npz *npz, congru_set *set)
{
    congru_values y;
    groups g = {0};
    if (!congru_npz_has(npz, "y"))
        return name_unlabelled(context, file, set);
    CONGRU_TRY(read_column(context, file, npz, "y", set->count, &y));
    congru_status status = group_values(context, file, &y, false, &g);
    if (status == CONGRU_OK)
        status = label_trials(context, file, npz, &y, &g, set);
    free_groups(&g);
    congru_values_clear(&y);
    return status;
}

static congru_status read_subject(congru_context *context, const char *file, congru_npz *npz, congru_set *set)
{
    congru_values subject;
    groups g = {0};
    CONGRU_TRY(read_column(context, file, npz, "subject", set->count, &subject));
    congru_status status = group_values(context, file, &subject, true, &g);
    if (status == CONGRU_OK)
        status = name_groups(context, file, "subject", &subject, &g, &set->subject_name);
    if (status == CONGRU_OK) {
        set->subjects = g.count;
        set->subject = g.id;
        g.id = NULL;
    }
    free_groups(&g);
    congru_values_clear(&subject);
    return status;
}

/* Sessions and runs: numbers as they are, texts numbered in order of appearance, zeros where there are none. */
static congru_status read_numbers(congru_context *context, const char *file, congru_npz *npz, const char *array,
                                  size_t count, int32_t **numbers)
{
    if (!congru_npz_has(npz, array)) {
        *numbers = calloc(count, sizeof **numbers);
        return *numbers != NULL ? CONGRU_OK : fail_memory(context, file);
    }
    congru_values values;
    groups g = {0};
    CONGRU_TRY(read_column(context, file, npz, array, count, &values));
    congru_status status = group_values(context, file, &values, true, &g);
    for (size_t i = 0; i < count && status == CONGRU_OK && values.kind == CONGRU_VALUES_INTEGER; i++) {
        if (values.integer[i] < INT32_MIN || values.integer[i] > INT32_MAX)
            status = congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                                 "%s: %s: %" PRId64 " at trial %zu does not fit 32 bits", file, array,
                                 values.integer[i], i + 1);
        else
            g.id[i] = (int32_t)values.integer[i];
    }
    if (status == CONGRU_OK) {
        *numbers = g.id;
        g.id = NULL;
    }
    free_groups(&g);
    congru_values_clear(&values);
    return status;
}

congru_status congru_set_read_labels(congru_context *context, const char *file, congru_npz *npz,
                                     congru_set *set)
{
    CONGRU_TRY(read_y(context, file, npz, set));
    CONGRU_TRY(read_subject(context, file, npz, set));
    CONGRU_TRY(read_numbers(context, file, npz, "session", set->count, &set->session));
    return read_numbers(context, file, npz, "run", set->count, &set->run);
}

congru_status congru_set_find_subjects(congru_context *context, const congru_set *set, const char *file,
                                       size_t count, const char *const *names, int32_t *subject)
{
    if (set == NULL || file == NULL || names == NULL || subject == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_find_subjects: no argument may be NULL");
    for (size_t i = 0; i < count; i++) {
        size_t s = 0;
        if (names[i] == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_find_subjects: name %zu is NULL", i);
        while (s < set->subjects && strcmp(set->subject_name[s], names[i]) != 0)
            s++;
        if (s == set->subjects)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "%s: has no subject '%s' (its first is '%s'; 'congru info' lists them)", file,
                               names[i], set->subjects > 0 ? set->subject_name[0] : "");
        subject[i] = (int32_t)s;
    }
    return CONGRU_OK;
}
