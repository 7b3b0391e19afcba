/* Describes recordings, trials, covariance sets, models and arrays. SPDX-License-Identifier: Apache-2.0 */
#include "congru/describe.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"
#include "base/number_text.h"
#include "congru/model.h"
#include "congru/npy.h"
#include "congru/spd.h"
#include "report/describe_trials.h"

enum { LINE_SIZE = 4096 };

/* A description on its way. A failed allocation stays in `failed`. */
typedef struct describing {
    congru_context *context;
    const char *path;
    congru_description *made;
    size_t room;
    bool failed;
} describing;

/* Adds a line; the text is the description's from now on. */
static void add_text(describing *d, const char *key, congru_text *text)
{
    congru_description *made = d->made;
    if (made->count == d->room) {
        const size_t room = 2 * d->room + 8;
        congru_description_line *grown = realloc(made->line, room * sizeof *grown);
        if (grown != NULL) {
            made->line = grown;
            d->room = room;
        }
    }
    if (text->failed || text->data == NULL || made->count == d->room) {
        congru_text_clear(text);
        d->failed = true;
        return;
    }
    made->line[made->count++] = (congru_description_line){key, text->data};
}

static void add_line(describing *d, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_line(describing *d, const char *key, const char *format, ...)
{
    char line[LINE_SIZE];
    congru_text text = {0};
    va_list values;
    va_start(values, format);
    congru_format_list(line, sizeof line, format, values);
    va_end(values);
    congru_text_add(&text, "%s", line);
    add_text(d, key, &text);
}

static void set_title(describing *d, const char *title)
{
    congru_format(d->made->title, sizeof d->made->title, "%s", title);
}

/* The names, where they are known. */
static void add_channels(describing *d, const char (*name)[CONGRU_LABEL_SIZE], size_t count)
{
    congru_text text = {0};
    const bool named = count > 0 && name[0][0] != '\0';
    congru_text_add(&text, named ? "%zu:" : "%zu", count);
    for (size_t i = 0; named && i < count; i++)
        congru_text_add(&text, " %s", name[i]);
    add_text(d, "channels", &text);
}

static congru_status finish(const describing *d)
{
    return !d->failed && !d->made->table.failed
               ? CONGRU_OK
               : congru_fail(d->context, CONGRU_ERROR_MEMORY, "%s: not enough memory to describe it", d->path);
}

/* ---- Recordings ------------------------------------------------------------------------------------------ */

static bool alike(const congru_channel *a, const congru_channel *b)
{
    return a->type == b->type && strcmp(a->unit, b->unit) == 0 && a->rate == b->rate;
}

/* The channels of one type, unit and rate in one line: "EEG, uV: Fz Cz". */
static void add_channel_kinds(describing *d, const congru_recording *recording)
{
    static const char *const types[] = {
        [CONGRU_CHANNEL_EEG] = "EEG", [CONGRU_CHANNEL_EOG] = "EOG",           [CONGRU_CHANNEL_EMG] = "EMG",
        [CONGRU_CHANNEL_ECG] = "ECG", [CONGRU_CHANNEL_STIMULUS] = "stimulus", [CONGRU_CHANNEL_OTHER] = "other",
    };
    for (size_t i = 0; i < recording->channels; i++) {
        const congru_channel *first = &recording->channel[i];
        size_t before = 0;
        while (before < i && !alike(first, &recording->channel[before]))
            before++;
        if (before < i)
            continue; /* in a line already */
        congru_text text = {0};
        congru_text_add(&text, "%s", types[first->type]);
        if (first->unit[0] != '\0')
            congru_text_add(&text, ", %s", first->unit);
        if (first->rate != recording->rate)
            congru_text_add(&text, ", %g Hz", first->rate);
        congru_text_add(&text, ":");
        for (size_t j = i; j < recording->channels; j++)
            if (alike(first, &recording->channel[j]))
                congru_text_add(&text, " %s", recording->channel[j].name);
        add_text(d, NULL, &text);
    }
}

static void add_events(describing *d, const congru_recording *recording)
{
    congru_table *table = &d->made->table;
    congru_event_kind *kinds = NULL;
    size_t count = 0;
    if (!congru_event_kinds(recording, &kinds, &count)) {
        d->failed = true;
        return;
    }
    if (count > 0)
        congru_table_headings(table, 4, (const char *const[]){"code", "text", "count", "seconds"});
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].code >= 0)
            congru_table_format_text(table, "%d", (int)kinds[i].code);
        else
            congru_table_text(table, "-");
        congru_table_format_text(table, "%s", kinds[i].text != NULL ? kinds[i].text : "");
        congru_table_format_text(table, "%zu", kinds[i].count);
        if (recording->rate > 0)
            congru_table_format_text(table, "%.3g", kinds[i].seconds);
        else
            congru_table_text(table, "-");
    }
    free(kinds);
}

static void describe_recording(describing *d, const congru_recording *recording)
{
    d->made->kind = CONGRU_FILE_RECORDING; /* whatever its first bytes were taken for */
    const double seconds = (double)recording->samples / recording->rate;
    const double minutes = floor(seconds / 60);
    const congru_counted samples = congru_count(recording->samples, "sample");
    set_title(d, recording->format);
    if (recording->rate > 0)
        add_line(d, "rate", "%g Hz", recording->rate);
    else
        add_line(d, "rate", "unknown (congru import needs --rate HZ)");
    if (!(recording->rate > 0))
        add_line(d, "length", "%s", samples.text);
    else if (seconds < 60 || !(minutes < 1e9))
        add_line(d, "length", "%s, %.6g s", samples.text, seconds);
    else
        add_line(d, "length", "%s, %.0f min %.5g s", samples.text, minutes, seconds - 60 * minutes);
    add_line(d, "channels", "%zu", recording->channels);
    add_channel_kinds(d, recording);
    add_line(d, "events", "%zu", recording->events);
    add_events(d, recording);
}

/* ---- Trials and sets ------------------------------------------------------------------------------------- */

static void describe_epochs(describing *d, const congru_epochs *epochs)
{
    d->made->kind = CONGRU_FILE_TRIALS; /* whatever its first bytes were taken for */
    const congru_counted samples = congru_count(epochs->samples, "sample");
    const trial_columns trials = {.count = epochs->count,
                                  .heading = {"session", "run"},
                                  .first = epochs->session,
                                  .second = epochs->run,
                                  .label = epochs->label,
                                  .classes = epochs->classes,
                                  .class_name = (const char(*)[CONGRU_LABEL_SIZE])epochs->class_name};
    d->made->kind = CONGRU_FILE_TRIALS;
    set_title(d, "trials");
    if (epochs->rate > 0)
        add_line(d, "rate", "%g Hz", epochs->rate);
    if (isnan(epochs->start) || !(epochs->rate > 0))
        add_line(d, "window", "%s, at an unknown time from the cue", samples.text);
    else
        add_line(d, "window", "%s, %g to %g s after the cue", samples.text, epochs->start,
                 epochs->start + (double)epochs->samples / epochs->rate);
    add_channels(d, (const char(*)[CONGRU_LABEL_SIZE])epochs->channel_name, epochs->channels);
    add_line(d, "trials", "%zu", epochs->count);
    d->failed = !congru_describe_trials(&trials, &d->made->table) || d->failed;
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The largest eigenvalue over the smallest, for the least, the middle and the greatest of the trials. */
static congru_status add_conditions(describing *d, const congru_set *set)
{
    const size_t n = set->count, dimension = set->dimension;
    double *values = calloc(n * dimension + 1, sizeof *values);
    if (values == NULL)
        return congru_fail(d->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu trials", d->path, n);
    congru_status status = congru_spd_eigen(d->context, n, dimension, set->covariance, values, NULL);
    size_t finite = 0;
    for (size_t i = 0; status == CONGRU_OK && i < n; i++) {
        double least = values[i * dimension], greatest = values[i * dimension + dimension - 1];
        values[i] = least > 0 ? greatest / least : (double)INFINITY;
    }
    if (status == CONGRU_OK) {
        qsort(values, n, sizeof *values, compare_numbers);
        while (finite < n && isfinite(values[finite]))
            finite++;
        if (finite == n)
            add_line(d, "condition", "%.3g to %.3g, median %.3g", values[0], values[n - 1], values[n / 2]);
        else
            add_line(d, "condition", "infinite in %s: an eigenvalue is not positive, or tiny",
                     congru_count(n - finite, "trial").text);
    }
    free(values);
    return status == CONGRU_OK
               ? CONGRU_OK
               : congru_fail(d->context, status, "%s: %s", d->path, congru_context_error(d->context));
}

static congru_status describe_set(describing *d, const congru_set *set)
{
    congru_preprocessing p;
    char line[CONGRU_PREPROCESSING_LINE_SIZE];
    const trial_columns trials = {.count = set->count,
                                  .heading = {"subject", "session"},
                                  .first = set->subject,
                                  .second = set->session,
                                  .first_name = (const char(*)[CONGRU_LABEL_SIZE])set->subject_name,
                                  .label = set->label,
                                  .classes = set->classes,
                                  .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name};
    congru_status status = congru_set_preprocessing(d->context, set, &p);
    if (status != CONGRU_OK)
        return congru_fail(d->context, status, "%s: %s", d->path, congru_context_error(d->context));
    d->made->kind = CONGRU_FILE_SET;
    set_title(d, set->covariance != NULL ? "covariance set" : "signal set");
    if (set->covariance != NULL)
        add_line(d, "covariances", "%zu of %zu x %zu", set->count, set->dimension, set->dimension);
    if (set->signals != NULL)
        add_line(d, "signals", "%zu of %zu x %zu samples", set->count, set->dimension, set->samples);
    if (set->rate > 0)
        add_line(d, "rate", "%g Hz", set->rate);
    congru_preprocessing_print(&p, line);
    add_line(d, "prepared", "%s", p.known ? line : "not described");
    congru_preprocessing_clear(&p);
    add_channels(d, (const char(*)[CONGRU_LABEL_SIZE])set->channel_name, set->dimension);
    if (set->covariance != NULL && set->count > 0)
        status = add_conditions(d, set);
    add_line(d, "trials", "%zu of %s", set->count, congru_count(set->subjects, "subject").text);
    d->failed = !congru_describe_trials(&trials, &d->made->table) || d->failed;
    return status;
}

/* ---- Models and arrays ----------------------------------------------------------------------------------- */

/* In place of a text that a model does not have. */
static const char absent[] = "unknown";

static const char *text_of(const congru_model *model, const char *wanted)
{
    const char *name, *text;
    for (size_t i = 0; congru_model_text(model, i, &name, &text); i++)
        if (strcmp(name, wanted) == 0)
            return text;
    return absent;
}

/* "3, 4" */
static const char *shape_text(size_t dims, const size_t *shape, char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < dims; i++)
        used += (size_t)congru_format(text + used, 256 - used, "%s%zu", i > 0 ? ", " : "", shape[i]);
    return text;
}

static void add_tensors(describing *d, const congru_model *model)
{
    congru_table *table = &d->made->table;
    congru_model_tensor tensor;
    char shape[256];
    congru_table_headings(table, 2, (const char *const[]){"tensor", "shape, or value"});
    for (size_t i = 0; congru_model_tensor_at(model, i, &tensor); i++) {
        congru_table_text(table, tensor.name);
        if (tensor.dims == 0)
            congru_table_format_text(table, "%.6g", tensor.data[0]);
        else
            congru_table_format_text(table, "(%s)", shape_text(tensor.dims, tensor.shape, shape));
    }
}

static void describe_model(describing *d, const congru_model *model)
{
    const congru_preprocessing *p = congru_model_preprocessing(model);
    char line[CONGRU_PREPROCESSING_LINE_SIZE];
    congru_text classes = {0};
    set_title(d, "model");
    add_line(d, "pipeline", "%s", congru_model_pipeline(model));
    congru_text_add(&classes, "%zu:", congru_model_classes(model));
    for (size_t k = 0; k < congru_model_classes(model); k++)
        congru_text_add(&classes, " %s", congru_model_class(model, k));
    add_text(d, "classes", &classes);
    add_line(d, "subjects", "%s", text_of(model, "subjects"));
    add_channels(d, (const char(*)[CONGRU_LABEL_SIZE])p->channel_name, p->channels);
    if (p->rate > 0)
        add_line(d, "rate", "%g Hz", p->rate);
    if (p->samples > 0)
        add_line(d, "trials", "of %s", congru_count(p->samples, "sample").text);
    congru_preprocessing_print(p, line);
    add_line(d, "prepared", "%s", p->known ? line : "not described");
    add_line(d, "recipe", "%s", text_of(model, "recipe"));
    if (strcmp(text_of(model, "chosen"), absent) != 0)
        add_line(d, "chosen", "%s", text_of(model, "chosen"));
    add_line(d, "seed", "%s", text_of(model, "seed"));
    add_line(d, "made by", "congru %s (%s)", text_of(model, "version"), text_of(model, "commit"));
    add_tensors(d, model);
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* `otherwise` is said of a file that holds no trials either; NULL: what the reader of trials says. */
static congru_status read_epochs(describing *d, const char *otherwise)
{
    congru_epochs *epochs = NULL;
    congru_status status = congru_epochs_read(d->context, d->path, &epochs);
    if (status == CONGRU_ERROR_KIND && otherwise != NULL)
        return congru_fail(d->context, status, "%s", otherwise);
    if (status == CONGRU_OK)
        describe_epochs(d, epochs);
    congru_epochs_destroy(&epochs);
    return status;
}

/* Only a set names its subjects. */
static congru_status read_zip(describing *d)
{
    char said[CONGRU_ERROR_TEXT_SIZE];
    congru_set *set = NULL;
    congru_status status = congru_set_read(d->context, d->path, &set);
    if (status == CONGRU_OK)
        status = describe_set(d, set);
    else if (status != CONGRU_ERROR_IO && status != CONGRU_ERROR_MEMORY) {
        congru_format(said, sizeof said, "%s", congru_context_error(d->context));
        return read_epochs(d, said);
    }
    congru_set_destroy(&set);
    return status;
}

static congru_status read_recording(describing *d, const char *stream)
{
    char said[CONGRU_ERROR_TEXT_SIZE];
    congru_recording *recording = NULL;
    const congru_recording_options wanted = {.header_only = true, .stream = stream};
    congru_status status = congru_recording_read(d->context, d->path, &wanted, &recording);
    if (status == CONGRU_ERROR_KIND && congru_epochs_recognises(d->path)) { /* some kinds hold either */
        congru_format(said, sizeof said, "%s", congru_context_error(d->context));
        return read_epochs(d, said);
    }
    if (status == CONGRU_OK)
        describe_recording(d, recording);
    congru_recording_destroy(&recording);
    return status;
}

static congru_status read_model(describing *d)
{
    congru_model *model = NULL;
    congru_status status = congru_model_load(d->context, d->path, &model);
    if (status == CONGRU_OK)
        describe_model(d, model);
    congru_model_destroy(&model);
    return status;
}

static congru_status read_array(describing *d)
{
    congru_array array;
    char shape[256];
    CONGRU_TRY(congru_npy_read(d->context, d->path, &array));
    set_title(d, "array");
    add_line(d, "shape", "(%s%s)", shape_text(array.dims, array.shape, shape), array.dims == 1 ? "," : "");
    congru_array_clear(&array);
    return CONGRU_OK;
}

/* A folder of results is no file, but it is known who prints it. */
static congru_status refuse_results(congru_context *context, const char *folder)
{
    static const char *const files[] = {"results.csv", "run.json"};
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < sizeof files / sizeof files[0]; i++) {
        congru_text path = {0};
        bool exists = false;
        congru_text_add(&path, "%s/%s", folder, files[i]);
        if (!path.failed && congru_source_exists(context, path.data, &exists) == CONGRU_OK && exists)
            status = congru_fail(context, CONGRU_ERROR_KIND,
                                 "%s: is a results folder ('congru show' prints it)", folder);
        congru_text_clear(&path);
    }
    return status;
}

congru_status congru_describe(congru_context *context, const char *path, const char *stream,
                              congru_description **description)
{
    if (description != NULL)
        *description = NULL;
    if (context == NULL || path == NULL || description == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a context, a path and where to put it are needed");
    describing d = {.context = context, .path = path, .made = calloc(1, sizeof *d.made)};
    if (d.made == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to describe it", path);
    congru_status status = refuse_results(context, path);
    if (status == CONGRU_OK)
        status = congru_file_kind_of(context, path, &d.made->kind);
    if (status == CONGRU_OK && d.made->kind == CONGRU_FILE_ARRAY)
        status = read_array(&d);
    else if (status == CONGRU_OK && d.made->kind == CONGRU_FILE_MODEL)
        status = read_model(&d);
    else if (status == CONGRU_OK && (d.made->kind == CONGRU_FILE_SET || d.made->kind == CONGRU_FILE_TRIALS))
        status = read_zip(&d);
    else if (status == CONGRU_OK) /* what is none of these is for the recording reader to explain */
        status = read_recording(&d, stream);
    if (status == CONGRU_OK)
        status = finish(&d);
    if (status != CONGRU_OK)
        congru_description_destroy(&d.made);
    *description = d.made;
    return status;
}

void congru_description_destroy(congru_description **description)
{
    if (description == NULL || *description == NULL)
        return;
    for (size_t i = 0; i < (*description)->count; i++)
        free((*description)->line[i].text);
    free((*description)->line);
    congru_table_clear(&(*description)->table);
    free(*description);
    *description = NULL;
}
