/* Reads trials from a MATLAB file: an array of (samples, channels, trials) and its labels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/mat.h"
#include "epochs/epochs_internal.h"
#include "recording/eeglab.h"

/* Where the arrays are: the variables of the file, or the fields of one struct. */
typedef struct mat_scope {
    const congru_mat *mat;
    const congru_mat_value *structure; /* NULL: the file */
} mat_scope;

typedef struct mat_trials {
    congru_context *context;
    const char *file;
    congru_mat *mat;
    mat_scope scope;
    const char *data_name;
    const congru_mat_value *data, *label;
    char wanted_name[sizeof(((congru_mat_value *)NULL)->field[0])]; /* of the data in the outline */
    size_t wanted_count, trials;                                    /* likewise */
    bool covariances;
} mat_trials;

static const congru_mat_value *scope_get(const mat_scope *scope, size_t index, const char **name)
{
    *name = NULL;
    if (scope->structure == NULL) {
        *name = congru_mat_variable(scope->mat, index);
        return congru_mat_value_at(scope->mat, index);
    }
    if (index >= scope->structure->fields)
        return NULL;
    *name = scope->structure->field[index];
    return &scope->structure->element[index];
}

static const congru_mat_value *scope_find(const mat_scope *scope, const char *const *names)
{
    for (; *names != NULL; names++) {
        const congru_mat_value *found = scope->structure == NULL
                                            ? congru_mat_find(scope->mat, *names)
                                            : congru_mat_field(scope->structure, 0, *names);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* ---- Finding the arrays -------------------------------------------------------------------------- */

static bool is_trials(const congru_mat_value *value)
{
    return value->kind == CONGRU_MAT_NUMERIC && value->dims == 3 && value->count > 0;
}

/* A row or a column of as many entries as there are trials. */
static bool is_labels(const mat_trials *job, const congru_mat_value *value)
{
    size_t trials = job->data->shape[2];
    return value->kind == CONGRU_MAT_NUMERIC && value->count == trials && value->dims == 2 &&
           (value->shape[0] == trials || value->shape[1] == trials);
}

/* The array of trials in a scope; *count is how many there might be. */
static const congru_mat_value *find_trials(const mat_scope *scope, const char **name, size_t *count)
{
    const congru_mat_value *found = NULL, *value;
    const char *candidate;
    *count = 0;
    for (size_t i = 0; (value = scope_get(scope, i, &candidate)) != NULL; i++)
        if (is_trials(value)) {
            bool usual = strcmp(candidate, "data") == 0 || strcmp(candidate, "X") == 0;
            if (found == NULL || usual) {
                found = value;
                *name = candidate;
            }
            *count = usual ? 1 : *count + 1;
            if (usual)
                break;
        }
    return found;
}

static congru_status fail_no_trials(const mat_trials *job)
{
    char list[400] = "";
    size_t used = 0;
    const char *name;
    for (size_t i = 0; (name = congru_mat_variable(job->mat, i)) != NULL; i++) {
        const congru_mat_value *value = congru_mat_value_at(job->mat, i);
        const congru_mat_value *run =
            value->kind == CONGRU_MAT_CELL && value->count > 0 ? &value->element[0] : value;
        if (congru_mat_field(run, 0, "X") != NULL)
            return congru_fail(
                job->context, CONGRU_ERROR_KIND,
                "%s: holds a recording, not trials: '%s' is made of runs (read it as a recording)", job->file,
                name);
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", name);
    }
    return congru_fail(
        job->context, CONGRU_ERROR_KIND,
        "%s: holds no trials: expected an array of (samples, channels, trials) and its labels, found %s",
        job->file, list[0] != '\0' ? list : "no variable");
}

/* Sets scope, data and its name: of the file's own variables, else of the first struct that has any. */
static congru_status find_data(mat_trials *job)
{
    size_t count = 0;
    const congru_mat_value *value;
    job->scope = (mat_scope){.mat = job->mat};
    job->data = find_trials(&job->scope, &job->data_name, &count);
    for (size_t i = 0; job->data == NULL && (value = congru_mat_value_at(job->mat, i)) != NULL; i++) {
        if (value->kind != CONGRU_MAT_STRUCT || value->count != 1)
            continue;
        job->scope.structure = value;
        job->data = find_trials(&job->scope, &job->data_name, &count);
    }
    if (job->data == NULL)
        return fail_no_trials(job);
    if (count > 1)
        return congru_fail(
            job->context, CONGRU_ERROR_FORMAT,
            "%s: %zu arrays of three dimensions and none of them named 'data' (name the trials so)", job->file,
            count);
    return CONGRU_OK;
}

/* 22 x 22 x 576 symmetric matrices are no signals; 22 x 750 x 288 is another order of dimensions. */
static congru_status check_data(mat_trials *job)
{
    const size_t *shape = job->data->shape;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a file without trials was refused before. */
    if (shape[0] == shape[1] && job->data->number != NULL &&
        congru_epochs_are_covariances(job->data->number, shape[2], shape[0]))
        job->covariances = true;
    if (shape[0] < shape[1])
        return congru_fail(
            job->context, CONGRU_ERROR_FORMAT,
            "%s: '%s' is %zu x %zu x %zu, with fewer samples than channels: expected (samples, channels, "
            "trials) (permute its dimensions)",
            job->file, job->data_name, shape[0], shape[1], shape[2]);
    return CONGRU_OK;
}

static congru_status find_labels(mat_trials *job)
{
    static const char *const usual[] = {"label", "labels", "y", "Y", "classlabel", NULL};
    size_t count = 0;
    const char *name;
    const congru_mat_value *value = scope_find(&job->scope, usual);
    if (value != NULL && is_labels(job, value)) {
        job->label = value;
        return CONGRU_OK;
    }
    for (size_t i = 0; (value = scope_get(&job->scope, i, &name)) != NULL; i++)
        if (is_labels(job, value)) {
            job->label = value;
            count++;
        }
    if (count == 1)
        return CONGRU_OK;
    return congru_fail(
        job->context, CONGRU_ERROR_FORMAT,
        "%s: no labels: expected 'label', 'labels' or 'y' with %zu entries, one for each trial of '%s'",
        job->file, job->data->shape[2], job->data_name);
}

/* ---- Taking them over ---------------------------------------------------------------------------- */

/* The texts of a cell, or NULL; allocated, its texts the file's. */
static const char **cell_texts(const congru_mat_value *cell)
{
    if (cell == NULL || cell->kind != CONGRU_MAT_CELL || cell->count == 0)
        return NULL;
    for (size_t i = 0; i < cell->count; i++)
        if (cell->element[i].kind != CONGRU_MAT_TEXT || cell->element[i].text == NULL)
            return NULL;
    const char **texts = malloc(cell->count * sizeof *texts);
    for (size_t i = 0; i < cell->count && texts != NULL; i++)
        texts[i] = cell->element[i].text;
    return texts;
}

static congru_status take_labels(const mat_trials *job, congru_epochs *epochs)
{
    static const char *const classes_names[] = {"classes", "class_names", NULL};
    int64_t *value = malloc((epochs->count + 1) * sizeof *value);
    if (value == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for labels", job->file);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < epochs->count && status == CONGRU_OK; i++) {
        double label = job->label->number[i];
        if (!(fabs(label) < 9e15) || floor(label) != label)
            status =
                congru_fail(job->context, CONGRU_ERROR_FORMAT,
                            "%s: trial %zu has label %g: expected a whole number", job->file, i + 1, label);
        else
            value[i] = (int64_t)label;
    }
    const congru_mat_value *classes = scope_find(&job->scope, classes_names);
    const char **names = cell_texts(classes);
    if (status == CONGRU_OK)
        status = congru_epochs_label_numbers(job->context, job->file, value, names,
                                             names != NULL ? classes->count : 0, epochs);
    free(names);
    free(value);
    return status;
}

/* What is optional. A .mat often says neither the sampling rate nor when a trial begins: both are then unknown,
 * as what needs them says. */
static congru_status take_details(const mat_trials *job, congru_epochs *epochs)
{
    static const char *const rates[] = {"fs", "Fs", "sfreq", "srate", NULL}, *const starts[] = {"tmin", NULL};
    static const char *const channels[] = {"ch_names", "channels", "channel_names", "chanList", "clab", NULL};
    const congru_mat_value *rate = scope_find(&job->scope, rates), *start = scope_find(&job->scope, starts);
    if (rate != NULL && (rate->kind != CONGRU_MAT_NUMERIC || rate->count != 1 || !(rate->number[0] > 0) ||
                         !isfinite(rate->number[0])))
        return congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: its sampling rate is not a positive number",
                           job->file);
    if (rate != NULL)
        epochs->rate = rate->number[0];
    if (start != NULL && start->kind == CONGRU_MAT_NUMERIC && start->count == 1 && isfinite(start->number[0]))
        epochs->start = start->number[0];
    const congru_mat_value *names = scope_find(&job->scope, channels);
    const char **texts = cell_texts(names);
    congru_status status = CONGRU_OK;
    if (texts != NULL)
        status = congru_epochs_name_channels(job->context, job->file, texts, names->count, epochs);
    free(texts);
    return status;
}

/* The trials themselves, and what is no larger than their labels. */
static bool is_wanted(const char *name, const congru_mat_value *value, const void *user)
{
    const mat_trials *job = user;
    if (value->kind == CONGRU_MAT_TEXT)
        return value->count <= CONGRU_MAT_TEXT_WANTED;
    return value->count <= job->trials ||
           (is_trials(value) && value->count == job->wanted_count && strcmp(name, job->wanted_name) == 0);
}

/* Among what was read. */
static congru_status find_arrays(mat_trials *job)
{
    CONGRU_TRY(find_data(job));
    CONGRU_TRY(check_data(job));
    return find_labels(job);
}

/* Of a file whose outline was read, and goes: numbers are read when all shapes go together. */
static congru_status take_arrays(mat_trials *job, const congru_source *source, congru_epochs **epochs)
{
    CONGRU_TRY(find_arrays(job));
    snprintf(job->wanted_name, sizeof job->wanted_name, "%s", job->data_name);
    job->wanted_count = job->data->count;
    job->trials = job->data->shape[2];
    congru_mat_free(&job->mat);
    CONGRU_TRY(congru_mat_read(job->context, source, is_wanted, job, &job->mat));
    CONGRU_TRY(find_arrays(job));
    CONGRU_TRY(congru_epochs_create(job->context, job->file, job->data->shape[2], job->data->shape[1],
                                    job->data->shape[0], epochs));
    CONGRU_TRY(take_labels(job, *epochs));
    CONGRU_TRY(take_details(job, *epochs));
    (*epochs)->data = congru_mat_detach(job->mat, job->data);
    (*epochs)->covariances = job->covariances;
    return CONGRU_OK;
}

congru_status congru_epochs_read_mat(congru_context *context, const congru_source *source,
                                     congru_epochs **epochs)
{
    mat_trials job = {.context = context, .file = source->name};
    *epochs = NULL;
    congru_status status = congru_eeglab_variables(context, source, &job.mat);
    if (status == CONGRU_OK)
        status = congru_eeglab_recognises(job.mat)
                     ? congru_epochs_read_eeglab(context, source, job.mat, NULL, epochs)
                     : take_arrays(&job, source, epochs);
    if (status != CONGRU_OK)
        congru_epochs_destroy(epochs);
    congru_mat_free(&job.mat);
    return status;
}
