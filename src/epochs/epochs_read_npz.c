/* Reads trials from an .npz. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/npz.h"
#include "base/mapped_memory.h"
#include "epochs/epochs_internal.h"

enum {
    TEXTS_MAX = 1 << 16, /* names of channels or classes */
    PASSED = 4096        /* numbers scaled between two words to the store */
};

typedef struct npz_job {
    congru_context *context;
    const char *file;
    congru_npz *npz;
    congru_epochs *epochs;
} npz_job;

/* Whether the array is a vector of as many entries as trials. */
static congru_status describe_vector(const npz_job *job, const char *array, size_t trials,
                                     congru_values *values)
{
    CONGRU_TRY(congru_npz_describe(job->context, job->npz, array, values));
    if ((values->dims != 1 || values->count != trials))
        CONGRU_TRY(congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: '%s' has %s in %s for %s", job->file,
                               array, congru_count(values->count, "value").text,
                               congru_count(values->dims, "dimension").text,
                               congru_count(trials, "trial").text));
    return congru_npz_check_names(job->context, job->npz, array, values);
}

/* All vectors that are there, before anything is read. */
static congru_status check_vectors(const npz_job *job, size_t trials)
{
    static const char *const vectors[] = {"y", "run", "session", "subject"};
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0] && status == CONGRU_OK; i++) {
        congru_values values;
        if (congru_npz_has(job->npz, vectors[i]))
            status = describe_vector(job, vectors[i], trials, &values);
    }
    return status;
}

static congru_status read_vector(const npz_job *job, const char *array, congru_values *values)
{
    CONGRU_TRY(describe_vector(job, array, job->epochs->count, values));
    return congru_npz_fill(job->context, job->npz, array, values);
}

/* One number, or *number as it is where there is no such array. */
static congru_status read_number(const npz_job *job, const char *array, double *number)
{
    congru_values values = {0};
    if (!congru_npz_has(job->npz, array))
        return CONGRU_OK;
    CONGRU_TRY(congru_npz_describe(job->context, job->npz, array, &values));
    if ((values.count != 1 || values.kind == CONGRU_VALUES_TEXT))
        CONGRU_TRY(
            congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: '%s' is not one number", job->file, array));
    CONGRU_TRY(congru_npz_fill(job->context, job->npz, array, &values));
    *number = values.kind == CONGRU_VALUES_REAL ? values.real[0] : (double)values.integer[0];
    congru_values_clear(&values);
    return CONGRU_OK;
}

/* Runs or sessions, where there are any. */
static congru_status read_groups(const npz_job *job, const char *array, int32_t *group)
{
    congru_values values;
    if (!congru_npz_has(job->npz, array))
        return CONGRU_OK;
    congru_status status = read_vector(job, array, &values);
    if (status != CONGRU_OK)
        return status;
    if (values.kind == CONGRU_VALUES_TEXT) {
        status = congru_epochs_number_texts(job->context, job->file, (const char *const *)values.text,
                                            values.count, group);
    } else {
        status = congru_values_make_integers(job->context, job->file, array, &values);
        for (size_t i = 0; i < job->epochs->count && status == CONGRU_OK; i++) {
            group[i] = (int32_t)values.integer[i];
            if (group[i] != values.integer[i])
                status =
                    congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: '%s' of trial %zu is %lld: too large",
                                job->file, array, i + 1, (long long)values.integer[i]);
        }
    }
    congru_values_clear(&values);
    return status;
}

/* A list of texts; empty where there is no such array. */
static congru_status read_texts(const npz_job *job, const char *array, congru_values *values)
{
    *values = (congru_values){0};
    if (!congru_npz_has(job->npz, array))
        return CONGRU_OK;
    CONGRU_TRY(congru_npz_describe(job->context, job->npz, array, values));
    if ((values->kind != CONGRU_VALUES_TEXT || values->dims != 1))
        CONGRU_TRY(congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: '%s' is not a list of texts", job->file,
                               array));
    if (values->count > TEXTS_MAX)
        CONGRU_TRY(congru_fail(job->context, CONGRU_ERROR_UNSUPPORTED,
                               "%s: '%s' has %zu texts; at most %d are read", job->file, array, values->count,
                               (int)TEXTS_MAX));
    CONGRU_TRY(congru_npz_check_names(job->context, job->npz, array, values));
    return congru_npz_fill(job->context, job->npz, array, values);
}

static congru_status read_labels(const npz_job *job)
{
    congru_values y = {0}, classes = {0};
    if (!congru_npz_has(job->npz, "y"))
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s: no labels: expected an array 'y' (save y=labels)", job->file);
    congru_status status = read_vector(job, "y", &y);
    if (status == CONGRU_OK)
        status = read_texts(job, "classes", &classes);
    const char *const *names = (const char *const *)classes.text;
    if (status == CONGRU_OK && y.kind == CONGRU_VALUES_TEXT) {
        status = congru_epochs_label_texts(job->context, job->file, (const char *const *)y.text, names,
                                           classes.count, job->epochs);
    } else if (status == CONGRU_OK) {
        status = congru_values_make_integers(job->context, job->file, "y", &y);
        if (status == CONGRU_OK)
            status = congru_epochs_label_numbers(job->context, job->file, y.integer, names, classes.count,
                                                 job->epochs);
    }
    congru_values_clear(&y);
    congru_values_clear(&classes);
    return status;
}

/* Both are eight bytes, so that a large set need not be in memory twice. */
static double *scale_in_place(congru_values *values, double scale)
{
    _Static_assert(sizeof(double) == sizeof(int64_t), "integers are turned into doubles where they are");
    void *place = values->kind == CONGRU_VALUES_INTEGER ? (void *)values->integer : (void *)values->real;
    for (size_t i = 0; i < values->count; i++) {
        double real = values->kind == CONGRU_VALUES_INTEGER ? (double)values->integer[i] : values->real[i];
        real *= scale;
        memcpy((char *)place + i * sizeof real, &real, sizeof real);
        if (i % PASSED == PASSED - 1)
            congru_mapped_pass(PASSED * sizeof real);
    }
    values->integer = NULL;
    values->real = NULL;
    return place;
}

/* The shape of the samples; that of the vectors goes with it. */
static congru_status describe_samples(const npz_job *job, const char *array, congru_values *x)
{
    if (!congru_npz_has(job->npz, array))
        return congru_fail(job->context, CONGRU_ERROR_KIND,
                           "%s: holds no trials: expected an array 'X' or "
                           "'signals' of (trials, channels, samples)",
                           job->file);
    CONGRU_TRY(congru_npz_describe(job->context, job->npz, array, x));
    if ((x->kind == CONGRU_VALUES_TEXT || x->dims != 3 || x->count == 0))
        CONGRU_TRY(congru_fail(
            job->context, CONGRU_ERROR_FORMAT,
            "%s: '%s' has %zu dimensions and %zu values: expected numbers (trials, channels, samples)",
            job->file, array, x->dims, x->count));
    return check_vectors(job, x->shape[0]);
}

static congru_status read_samples(npz_job *job)
{
    congru_values x = {0};
    double scale = 1, rate = (double)NAN;
    const char *array = congru_npz_has(job->npz, "signals") ? "signals" : "X"; /* X are then covariances */
    congru_status status = describe_samples(job, array, &x);
    if (status == CONGRU_OK)
        status = read_number(job, "scale", &scale);
    if (status == CONGRU_OK)
        status = read_number(job, "fs", &rate);
    if (status == CONGRU_OK)
        status = congru_npz_fill(job->context, job->npz, array, &x);
    if (status != CONGRU_OK)
        return status;
    bool covariances = x.kind == CONGRU_VALUES_REAL && x.shape[1] == x.shape[2] &&
                       congru_epochs_are_covariances(x.real, x.shape[0], x.shape[1]);
    if (!covariances && (!(rate > 0) || !isfinite(rate)))
        status =
            congru_fail(job->context, CONGRU_ERROR_FORMAT,
                        "%s: no sampling rate: expected a positive number 'fs' (save fs=250.0)", job->file);
    else if (!isfinite(scale))
        status = congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: 'scale' is not finite", job->file);
    if (status == CONGRU_OK)
        status =
            congru_epochs_create(job->context, job->file, x.shape[0], x.shape[1], x.shape[2], &job->epochs);
    if (status == CONGRU_OK) {
        job->epochs->rate = rate;
        job->epochs->covariances = covariances;
        job->epochs->data = scale_in_place(&x, scale);
    }
    congru_values_clear(&x);
    return status;
}

static congru_status read_names(const npz_job *job)
{
    congru_values names;
    congru_status status =
        read_texts(job, congru_npz_has(job->npz, "ch_names") ? "ch_names" : "channels", &names);
    if (status == CONGRU_OK && names.text != NULL)
        status = congru_epochs_name_channels(job->context, job->file, (const char *const *)names.text,
                                             names.count, job->epochs);
    congru_values_clear(&names);
    return status;
}

/* Where a name is among those there are, to which it is added if it is new; false when it is too long. */
static bool find_subject(congru_epochs *epochs, const char *name, size_t trial)
{
    size_t at = 0;
    if (strlen(name) >= CONGRU_LABEL_SIZE || name[0] == '\0')
        return false;
    /* Most trials are of the subject of the trial before. */
    if (trial > 0 && strcmp(epochs->subject_name[epochs->subject[trial - 1]], name) == 0)
        at = (size_t)epochs->subject[trial - 1];
    else
        while (at < epochs->subjects && strcmp(epochs->subject_name[at], name) != 0)
            at++;
    if (at == epochs->subjects)
        snprintf(epochs->subject_name[epochs->subjects++], CONGRU_LABEL_SIZE, "%s", name);
    epochs->subject[trial] = (int32_t)at;
    return true;
}

/* Whose each trial is, where the file says: numbers or texts. */
static congru_status read_subjects(const npz_job *job)
{
    congru_values values;
    congru_epochs *epochs = job->epochs;
    char number[32];
    if (!congru_npz_has(job->npz, "subject"))
        return CONGRU_OK;
    congru_status status = read_vector(job, "subject", &values);
    if (status == CONGRU_OK && values.kind != CONGRU_VALUES_TEXT)
        status = congru_values_make_integers(job->context, job->file, "subject", &values);
    if (status != CONGRU_OK) {
        congru_values_clear(&values);
        return status;
    }
    epochs->subject = calloc(epochs->count + 1, sizeof *epochs->subject);
    epochs->subject_name = calloc(epochs->count + 1, sizeof *epochs->subject_name);
    if (epochs->subject == NULL || epochs->subject_name == NULL)
        status =
            congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for subjects", job->file);
    for (size_t i = 0; status == CONGRU_OK && i < epochs->count; i++) {
        if (values.kind != CONGRU_VALUES_TEXT)
            snprintf(number, sizeof number, "%lld", (long long)values.integer[i]);
        if (!find_subject(epochs, values.kind == CONGRU_VALUES_TEXT ? values.text[i] : number, i))
            status = congru_fail(job->context, CONGRU_ERROR_FORMAT,
                                 "%s: subject of trial %zu: a name of 1 to %d bytes is needed", job->file,
                                 i + 1, CONGRU_LABEL_SIZE - 1);
    }
    congru_values_clear(&values);
    return status;
}

congru_status congru_epochs_read_npz(congru_context *context, const char *path, congru_epochs **epochs)
{
    npz_job job = {.context = context, .file = path};
    CONGRU_TRY(congru_npz_open(context, path, &job.npz));
    congru_status status = read_samples(&job);
    if (status == CONGRU_OK)
        status = read_number(&job, "tmin", &job.epochs->start);
    if (status == CONGRU_OK && isinf(job.epochs->start))
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: 'tmin' is infinite", path);
    if (status == CONGRU_OK)
        status = read_labels(&job);
    if (status == CONGRU_OK)
        status = read_names(&job);
    if (status == CONGRU_OK)
        status = read_groups(&job, "run", job.epochs->run);
    if (status == CONGRU_OK)
        status = read_groups(&job, "session", job.epochs->session);
    if (status == CONGRU_OK)
        status = read_subjects(&job);
    if (status == CONGRU_OK)
        status = congru_npz_check(context, job.npz);
    congru_npz_close(&job.npz);
    if (status != CONGRU_OK)
        congru_epochs_destroy(&job.epochs);
    *epochs = job.epochs;
    return status;
}
