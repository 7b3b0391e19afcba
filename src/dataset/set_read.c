/* Reads covariance sets and signal sets from .npz files. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "congru/spd.h"
#include "dataset/set_internal.h"

/* As for every symmetric input: of the largest entry. */
static const double asymmetry_allowed = 1e-6;

enum {
    PASSED = 4096,            /* numbers looked at between two words to the store */
    META_BYTES_MAX = 64 << 20 /* four for a character */
};

typedef struct set_reader {
    congru_context *context;
    const char *file;
    congru_npz *npz;
    congru_set *set;
    congru_values x, signals; /* as the file describes them */
} set_reader;

void congru_set_destroy(congru_set **set)
{
    if (set == NULL || *set == NULL)
        return;
    congru_set *s = *set;
    if (!s->borrowed) {
        congru_memory_give(s->covariance);
        congru_memory_give(s->signals);
    }
    free(s->label);
    free(s->subject);
    free(s->session);
    free(s->run);
    free(s->class_name);
    free(s->subject_name);
    free(s->channel_name);
    free(s->meta);
    free(s->signals_meta);
    free(s);
    *set = NULL;
}

static congru_status fail_missing(const set_reader *r, const char *what)
{
    return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                       "%s: no array '%s' in it (save a set with numpy.savez(file, X=covariances, y=labels, "
                       "subject=subjects))",
                       r->file, what);
}

/* ---- X and signals --------------------------------------------------------------------------------- */

static congru_status check_trials(const set_reader *r, const char *array, const congru_values *values)
{
    char shape[CONGRU_SHAPE_TEXT_SIZE];
    congru_set_shape_text(values, shape);
    if (values->kind != CONGRU_VALUES_REAL)
        return congru_fail(
            r->context, CONGRU_ERROR_UNSUPPORTED,
            "%s: %s: expected float64 or float32, found %s (epochs of integers are read by congru import)",
            r->file, array, values->kind == CONGRU_VALUES_INTEGER ? "integers" : "strings");
    if (values->dims != 3)
        return congru_fail(
            r->context, CONGRU_ERROR_FORMAT,
            "%s: %s: expected shape (trials, channels, channels) for covariances or (trials, channels, "
            "samples) for signals, found %s",
            r->file, array, shape);
    if (values->count == 0 || values->shape[0] > INT32_MAX)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: %s: shape %s has %s", r->file, array, shape,
                           values->count == 0 ? "no values" : "too many trials");
    if (values->shape[1] > CONGRU_DIMENSION_MAX)
        return congru_fail(r->context, CONGRU_ERROR_UNSUPPORTED, "%s: %s: %zu channels; at most %d are read",
                           r->file, array, values->shape[1], CONGRU_DIMENSION_MAX);
    if (r->set->count != 0 && (r->set->count != values->shape[0] || r->set->dimension != values->shape[1]))
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: %s: X has %s of %s, these have shape %s",
                           r->file, array, congru_count(r->set->count, "trial").text,
                           congru_count(r->set->dimension, "channel").text, shape);
    return CONGRU_OK;
}

static congru_status check_finite(const set_reader *r, const char *array, const congru_values *values)
{
    const size_t columns = values->shape[2], size = values->shape[1] * columns;
    for (size_t i = 0; i < values->count; i++) {
        if (!isfinite(values->real[i]))
            return congru_fail(r->context, CONGRU_ERROR_NOT_FINITE,
                               "%s: %s: trial %zu of %zu holds %s in row %zu, column %zu (leave the trial out)",
                               r->file, array, i / size + 1, values->shape[0],
                               isnan(values->real[i]) ? "NaN" : "infinity", i % size / columns + 1,
                               i % columns + 1);
        if (i % PASSED == PASSED - 1)
            congru_mapped_pass(PASSED * sizeof(double));
    }
    return CONGRU_OK;
}

static congru_status check_symmetric(const set_reader *r, const congru_values *values)
{
    const size_t d = values->shape[1];
    for (size_t m = 0; m < values->shape[0]; m++) {
        const double *c = values->real + m * d * d;
        double largest = 0.0, asymmetry = 0.0;
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++) {
                double low = fabs(c[i * d + j]), high = fabs(c[j * d + i]),
                       gap = fabs(c[i * d + j] - c[j * d + i]);
                largest = low > largest ? low : largest;
                largest = high > largest ? high : largest;
                asymmetry = gap > asymmetry ? gap : asymmetry;
            }
        }
        if (!(asymmetry <= asymmetry_allowed * largest))
            return congru_fail(
                r->context, CONGRU_ERROR_NOT_SYMMETRIC,
                "%s: X: trial %zu of %zu is not symmetric: it differs from its transpose by %.3g where "
                "its largest entry is %.3g (signals belong in an array 'signals')",
                r->file, m + 1, values->shape[0], asymmetry, largest);
        congru_mapped_pass(d * d * sizeof(double));
    }
    return CONGRU_OK;
}

/* The shape of X or of signals, as the file says it; what it has of the set's size goes there. */
static congru_status describe_trials(set_reader *r, const char *array, congru_values *values)
{
    CONGRU_TRY(congru_npz_describe(r->context, r->npz, array, values));
    CONGRU_TRY(check_trials(r, array, values));
    r->set->count = values->shape[0];
    r->set->dimension = values->shape[1];
    return CONGRU_OK;
}

/* Reads X or signals, whose shape is known, and hands its numbers to the set. */
static congru_status read_trials(const set_reader *r, const char *array, const congru_values *described,
                                 bool covariances)
{
    congru_values values = *described;
    congru_set *set = r->set;
    CONGRU_TRY(congru_npz_fill(r->context, r->npz, array, &values));
    congru_status status = check_finite(r, array, &values);
    if (status == CONGRU_OK && covariances)
        status = check_symmetric(r, &values);
    if (status == CONGRU_OK) {
        *(covariances ? &set->covariance : &set->signals) = values.real;
        if (!covariances)
            set->samples = values.shape[2];
        values.real = NULL;
    }
    congru_values_clear(&values);
    return status;
}

/* ---- What may be absent ---------------------------------------------------------------------------- */

/* The description of an array of strings, which the caller fills. */
static congru_status describe_text(const set_reader *r, const char *array, const char *expected,
                                   congru_values *values)
{
    CONGRU_TRY(congru_npz_describe(r->context, r->npz, array, values));
    if (values->kind != CONGRU_VALUES_TEXT)
        CONGRU_TRY(
            congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: %s: expected %s", r->file, array, expected));
    return CONGRU_OK;
}

static congru_status read_channels(const set_reader *r)
{
    congru_set *set = r->set;
    set->channel_name = calloc(set->dimension, sizeof *set->channel_name);
    if (set->channel_name == NULL)
        return congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->file);
    /* "ch_names" is what MNE calls them. */
    const char *array = congru_npz_has(r->npz, "channels") ? "channels" : "ch_names";
    if (!congru_npz_has(r->npz, array))
        return CONGRU_OK;
    congru_values values = {0};
    congru_status status = describe_text(r, array, "strings", &values);
    if (status == CONGRU_OK)
        status = congru_set_check_length(r->context, r->file, array, &values, set->dimension, "channels");
    if (status == CONGRU_OK)
        status = congru_npz_check_names(r->context, r->npz, array, &values);
    if (status == CONGRU_OK)
        status = congru_npz_fill(r->context, r->npz, array, &values);
    for (size_t i = 0; i < set->dimension && status == CONGRU_OK; i++)
        status = congru_set_copy_name(r->context, r->file, "channels", values.text[i], set->channel_name[i]);
    congru_values_clear(&values);
    return status;
}

/* One number, *number as it is where there is no such array; NaN is a number that is not known. */
static congru_status read_number(const set_reader *r, const char *array, double *number)
{
    congru_values values;
    if (!congru_npz_has(r->npz, array))
        return CONGRU_OK;
    CONGRU_TRY(congru_npz_describe(r->context, r->npz, array, &values));
    if (values.count == 1 && values.kind != CONGRU_VALUES_TEXT)
        CONGRU_TRY(congru_npz_fill(r->context, r->npz, array, &values));
    double found = (double)INFINITY;
    if (values.real != NULL)
        found = values.real[0];
    else if (values.integer != NULL)
        found = (double)values.integer[0];
    congru_values_clear(&values);
    if (isinf(found))
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: %s: expected one number", r->file, array);
    *number = found;
    return CONGRU_OK;
}

static congru_status read_times(const set_reader *r)
{
    r->set->start = (double)NAN;
    CONGRU_TRY(read_number(r, "fs", &r->set->rate));
    if (!(r->set->rate >= 0.0))
        CONGRU_TRY(congru_fail(r->context, CONGRU_ERROR_FORMAT,
                               "%s: fs: expected one number of samples per second", r->file));
    return read_number(r, "tmin", &r->set->start);
}

static congru_status read_meta(const set_reader *r, const char *array, char **text)
{
    if (!congru_npz_has(r->npz, array))
        return CONGRU_OK;
    congru_values values;
    CONGRU_TRY(describe_text(r, array, "one string", &values));
    if (values.count != 1)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: %s: expected one string", r->file, array);
    if (values.text_bytes > META_BYTES_MAX)
        return congru_fail(r->context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: %s: a string of %zu bytes; at most %d MiB are read", r->file, array,
                           values.text_bytes, META_BYTES_MAX >> 20);
    congru_status status = congru_npz_fill(r->context, r->npz, array, &values);
    if (status != CONGRU_OK)
        return status;
    *text = strdup(values.text[0]);
    if (*text == NULL)
        status = congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->file);
    congru_values_clear(&values);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------------- */

/* Which arrays there are, and whether their shapes go together: nothing is read before. */
static congru_status check_arrays(set_reader *r, bool has_x, bool has_signals)
{
    if (!has_x && !has_signals)
        return fail_missing(r, "X");
    if (!congru_npz_has(r->npz, "subject"))
        return fail_missing(r, "subject");
    CONGRU_TRY(has_x ? describe_trials(r, "X", &r->x) : CONGRU_OK);
    if (has_signals)
        CONGRU_TRY(describe_trials(r, "signals", &r->signals));
    if (has_signals && has_x && r->x.shape[1] != r->x.shape[2])
        CONGRU_TRY(congru_fail(r->context, CONGRU_ERROR_FORMAT,
                               "%s: X holds signals, and so does 'signals' (leave one out)", r->file));
    return congru_set_check_columns(r->context, r->file, r->npz, r->set->count);
}

static congru_status read_arrays(set_reader *r)
{
    bool has_x = congru_npz_has(r->npz, "X"), has_signals = congru_npz_has(r->npz, "signals");
    CONGRU_TRY(check_arrays(r, has_x, has_signals));
    if (has_x)
        CONGRU_TRY(read_trials(r, "X", &r->x, r->x.shape[1] == r->x.shape[2]));
    if (has_signals)
        CONGRU_TRY(read_trials(r, "signals", &r->signals, false));
    CONGRU_TRY(congru_set_read_labels(r->context, r->file, r->npz, r->set));
    CONGRU_TRY(read_channels(r));
    CONGRU_TRY(read_times(r));
    CONGRU_TRY(read_meta(r, "meta", &r->set->meta));
    return read_meta(r, "signals_meta", &r->set->signals_meta);
}

/* Makes the set of an open file, and closes that. */
static congru_status read_set(congru_context *context, const char *file, congru_npz *npz, congru_set **set)
{
    set_reader r = {.context = context, .file = file, .npz = npz, .set = calloc(1, sizeof **set)};
    congru_status status;
    if (r.set == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", file);
    else
        status = read_arrays(&r);
    if (status == CONGRU_OK)
        status = congru_npz_check(context, npz);
    congru_npz_close(&npz);
    if (status != CONGRU_OK)
        congru_set_destroy(&r.set);
    *set = r.set;
    return status;
}

congru_status congru_set_parse(congru_context *context, const char *name, const void *bytes, size_t size,
                               congru_set **set)
{
    congru_npz *npz;
    *set = NULL;
    CONGRU_TRY(congru_npz_open_memory(context, name, bytes, size, &npz));
    return read_set(context, name, npz, set);
}

congru_status congru_set_read(congru_context *context, const char *path, congru_set **set)
{
    if (set != NULL)
        *set = NULL;
    if (path == NULL || set == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_read: path and set must not be NULL");
    congru_npz *npz;
    CONGRU_TRY(congru_npz_open(context, path, &npz));
    return read_set(context, path, npz, set);
}
