/* Sets: of arrays, of files, and back. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "native.h"

static const char capsule_name[] = "congru.set";

static void destroy(PyObject *capsule)
{
    congru_set *set = PyCapsule_GetPointer(capsule, capsule_name);
    PyObject *owner = PyCapsule_GetContext(capsule);
    congru_set_destroy(&set);
    Py_XDECREF(owner);
}

PyObject *set_wrap(congru_set *set, PyObject *owner)
{
    PyObject *capsule = PyCapsule_New(set, capsule_name, destroy);
    if (capsule == NULL) {
        congru_set_destroy(&set);
        return NULL;
    }
    if (owner != NULL) {
        Py_INCREF(owner);
        PyCapsule_SetContext(capsule, owner);
    }
    return capsule;
}

congru_set *set_of(PyObject *handle)
{
    return PyCapsule_GetPointer(handle, capsule_name);
}

/* ---- Of arrays --------------------------------------------------------------------------------- */

typedef struct set_parts {
    array covariance, signals, label, subject, session, run;
    congru_set from;
} set_parts;

static bool count_is(const array *a, const char *name, size_t count)
{
    if (a->capsule != NULL && a->count != count)
        PyErr_Format(PyExc_ValueError, "%s: %zu values where there are %zu trials", name, a->count, count);
    return a->capsule == NULL || a->count == count;
}

static bool open_arrays(set_parts *p, PyObject *const object[6])
{
    static const char *const names[] = {"y", "subject", "session", "run"};
    array *const per_trial[] = {&p->label, &p->subject, &p->session, &p->run};
    if (!array_open_optional(&p->covariance, object[0], "X", 'f', 8) ||
        !array_open_optional(&p->signals, object[1], "signals", 'f', 8))
        return false;
    const array *data = p->covariance.capsule != NULL ? &p->covariance : &p->signals;
    if (data->dims != 3 || (p->signals.capsule != NULL && p->signals.dims != 3) ||
        (p->covariance.capsule != NULL && data->shape[1] != data->shape[2]) ||
        (p->signals.capsule != NULL &&
         (data->shape[0] != p->signals.shape[0] || data->shape[1] != p->signals.shape[1]))) {
        PyErr_SetString(PyExc_ValueError,
                        "covariances (trials, channels, channels) or signals (trials, channels, "
                        "samples) or both of the same trials are needed");
        return false;
    }
    p->from.count = (size_t)data->shape[0];
    p->from.dimension = (size_t)data->shape[1];
    p->from.samples = p->signals.capsule != NULL ? (size_t)p->signals.shape[2] : 0;
    for (int i = 0; i < 4; i++)
        if (!array_open_optional(per_trial[i], object[2 + i], names[i], 'i', 4) ||
            !count_is(per_trial[i], names[i], p->from.count))
            return false;
    p->from.covariance = p->covariance.data;
    p->from.signals = p->signals.data;
    p->from.label = p->label.data;
    p->from.subject = p->subject.data;
    p->from.session = p->session.data;
    p->from.run = p->run.data;
    return true;
}

static bool open_names(set_parts *p, PyObject *classes, PyObject *subjects, PyObject *channels)
{
    size_t count = p->from.dimension;
    if (classes != Py_None && (p->from.class_name = labels_of(classes, &p->from.classes)) == NULL)
        return false;
    if (subjects != Py_None && (p->from.subject_name = labels_of(subjects, &p->from.subjects)) == NULL)
        return false;
    if (channels != Py_None && (p->from.channel_name = labels_of(channels, &count)) == NULL)
        return false;
    if (count != p->from.dimension)
        PyErr_Format(PyExc_ValueError, "channels: %zu names for %zu channels", count, p->from.dimension);
    return count == p->from.dimension;
}

static void close_parts(set_parts *p)
{
    array *const all[] = {&p->covariance, &p->signals, &p->label, &p->subject, &p->session, &p->run};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_close(all[i]);
    free(p->from.class_name);
    free(p->from.subject_name);
    free(p->from.channel_name);
}

/* (X, signals, y, subject, session, run, classes, subjects, channels, rate, start, meta, signals_meta, owner). Arrays of
 * numbers are borrowed, and `owner` keeps them. */
static PyObject *set_create(PyObject *self, PyObject *args)
{
    PyObject *object[6], *classes, *subjects, *channels, *owner;
    const char *meta, *signals_meta;
    set_parts p = {0};
    congru_set *set = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOddzzO", &object[0], &object[1], &object[2], &object[3], &object[4],
                          &object[5], &classes, &subjects, &channels, &p.from.rate, &p.from.start, &meta,
                          &signals_meta, &owner))
        return NULL;
    p.from.meta = (char *)(uintptr_t)meta; /* read alone */
    p.from.signals_meta = (char *)(uintptr_t)signals_meta;
    bool good =
        open_arrays(&p, object) && open_names(&p, classes, subjects, channels) && call_begin(&c, 0, NULL);
    if (good)
        good = call_end(&c, congru_set_create_borrowing(c.context, &p.from, &set));
    close_parts(&p);
    return good ? set_wrap(set, owner) : NULL;
}

/* ---- What it holds ----------------------------------------------------------------------------- */

static PyObject *address(const void *data)
{
    return data != NULL ? PyLong_FromVoidPtr((void *)(uintptr_t)data) : none();
}

static PyObject *text_or_none(const char *text)
{
    return text != NULL ? text_of(text) : none();
}

/* Arrays are addresses in the set's memory, for __array_interface__ of an object that keeps the set. */
static PyObject *set_fields(PyObject *self, PyObject *handle)
{
    const congru_set *s = set_of(handle);
    (void)self;
    PyObject *d = s != NULL ? PyDict_New() : NULL;
    if (d == NULL)
        return NULL;
    bool good =
        put(d, "count", PyLong_FromSize_t(s->count)) && put(d, "dimension", PyLong_FromSize_t(s->dimension)) &&
        put(d, "samples", PyLong_FromSize_t(s->samples)) && put(d, "covariance", address(s->covariance)) &&
        put(d, "signals", address(s->signals)) && put(d, "label", address(s->label)) &&
        put(d, "subject", address(s->subject)) && put(d, "session", address(s->session)) &&
        put(d, "run", address(s->run)) &&
        put(d, "classes", labels_list(s->classes, (const char(*)[CONGRU_LABEL_SIZE])s->class_name)) &&
        put(d, "subjects", labels_list(s->subjects, (const char(*)[CONGRU_LABEL_SIZE])s->subject_name)) &&
        put(d, "channels", labels_list(s->dimension, (const char(*)[CONGRU_LABEL_SIZE])s->channel_name)) &&
        put(d, "rate", PyFloat_FromDouble(s->rate)) && put(d, "start", PyFloat_FromDouble(s->start)) &&
        put(d, "meta", text_or_none(s->meta)) && put(d, "signals_meta", text_or_none(s->signals_meta));
    if (!good)
        Py_CLEAR(d);
    return d;
}

/* What its trials went through, in words. */
static PyObject *set_describe(PyObject *self, PyObject *handle)
{
    const congru_set *set = set_of(handle);
    congru_preprocessing p;
    char line[CONGRU_PREPROCESSING_LINE_SIZE] = "";
    call c;
    (void)self;
    if (set == NULL || !call_begin(&c, 0, NULL))
        return NULL;
    congru_status status = congru_set_preprocessing(c.context, set, &p);
    if (status == CONGRU_OK) {
        congru_preprocessing_print(&p, line);
        congru_preprocessing_clear(&p);
    }
    return call_end(&c, status) ? text_of(line) : NULL;
}

/* ---- Files ------------------------------------------------------------------------------------- */

static PyObject *set_read(PyObject *self, PyObject *args)
{
    PyObject *path;
    congru_set *set = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    bool good =
        call_begin(&c, 0, NULL) && call_end(&c, congru_set_read(c.context, PyBytes_AsString(path), &set));
    Py_DECREF(path);
    return good ? set_wrap(set, NULL) : NULL;
}

static PyObject *set_write(PyObject *self, PyObject *args)
{
    PyObject *path, *handle;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&", &handle, PyUnicode_FSConverter, &path))
        return NULL;
    const congru_set *set = set_of(handle);
    bool good = set != NULL && call_begin(&c, 0, NULL) &&
                call_end(&c, congru_set_write(c.context, PyBytes_AsString(path), set));
    Py_DECREF(path);
    return good ? none() : NULL;
}

static PyObject *summary_list(const congru_import_summary *summary)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < summary->files; i++) {
        const congru_imported_file *f = &summary->file[i];
        PyObject *row =
            Py_BuildValue("{s:s,s:s,s:i,s:i,s:n,s:n,s:n,s:n,s:n}", "path", f->path, "subject", f->subject,
                          "session", (int)f->session, "run", (int)f->run, "trials", (Py_ssize_t)f->trials,
                          "found", (Py_ssize_t)f->report.found, "outside", (Py_ssize_t)f->report.outside, "gap",
                          (Py_ssize_t)f->report.gap, "rejected", (Py_ssize_t)f->report.rejected);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* How files become trials: a preset or what a model was fitted on, then options by name. */
static congru_status settle_import(call *c, congru_import *import, const char *preset, const congru_model *like,
                                   const texts *names, const texts *values)
{
    congru_status status = CONGRU_OK;
    const char *name, *text, *meta = NULL;
    if (preset != NULL)
        status = congru_import_preset(c->context, import, preset);
    for (size_t i = 0; like != NULL && congru_model_text(like, i, &name, &text); i++)
        if (strcmp(name, "preprocessing") == 0)
            meta = text;
    if (like != NULL && status == CONGRU_OK)
        status = congru_import_like(c->context, import, congru_model_preprocessing(like), meta);
    for (size_t i = 0; status == CONGRU_OK && i < names->count; i++)
        status = congru_import_set(c->context, import, names->item[i], values->item[i]);
    return status;
}

/* (paths, preset or None, model or None, names, values, threads, progress) -> (set, files). */
static PyObject *import_files(PyObject *self, PyObject *args)
{
    PyObject *path_list, *name_list, *value_list, *like, *watcher, *result = NULL;
    const char *preset;
    int threads;
    texts paths = {0}, names = {0}, values = {0};
    congru_set *set = NULL;
    congru_import *import = NULL;
    congru_import_summary *summary = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OzOOOiO", &path_list, &preset, &like, &name_list, &value_list, &threads,
                          &watcher))
        return NULL;
    congru_model *model = like != Py_None ? model_of(like) : NULL;
    bool good = (like == Py_None || model != NULL) && texts_open(&paths, path_list, "files") &&
                texts_open(&names, name_list, "options") && texts_open(&values, value_list, "options") &&
                names.count == values.count && call_begin(&c, threads, watcher);
    if (good) {
        congru_status status = congru_import_create(c.context, &import);
        if (status == CONGRU_OK)
            status = settle_import(&c, import, preset, model, &names, &values);
        if (status == CONGRU_OK)
            status = congru_import_run(c.context, import, paths.item, paths.count, &set, &summary);
        congru_import_destroy(&import);
        good = call_end(&c, status);
    }
    PyObject *files = good ? summary_list(summary) : NULL;
    PyObject *handle = files != NULL ? set_wrap(set, NULL) : NULL;
    if (handle != NULL)
        result = Py_BuildValue("NN", handle, files);
    else
        Py_XDECREF(files);
    congru_import_summary_destroy(&summary);
    texts_clear(&paths);
    texts_clear(&names);
    texts_clear(&values);
    return result;
}

/* ---- Other sets of a set ----------------------------------------------------------------------- */

enum { MODE_PREPROCESS, MODE_ESTIMATE, MODE_LIKE };

static congru_status change(call *c, congru_set *set, int mode, const congru_model *like, const texts *names,
                            const texts *values)
{
    congru_preprocessing p;
    congru_status status = CONGRU_OK;
    if (mode == MODE_LIKE)
        return congru_model_prepare(c->context, like, set, 1);
    congru_preprocessing_init_raw(&p);
    for (size_t i = 0; status == CONGRU_OK && i < names->count; i++)
        status = congru_preprocessing_set(c->context, &p, names->item[i], names->item[i], values->item[i]);
    if (status == CONGRU_OK)
        status = mode == MODE_ESTIMATE ? congru_set_estimate(c->context, set, &p)
                                       : congru_set_preprocess(c->context, set, &p);
    congru_preprocessing_clear(&p);
    return status;
}

/* (set, mode, model or None, names, values) -> a set with the trials after that; arrays that do not change are shared. */
static PyObject *set_preprocess(PyObject *self, PyObject *args)
{
    PyObject *handle, *like, *name_list, *value_list;
    int mode;
    texts names = {0}, values = {0};
    congru_set *changed = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OiOOO", &handle, &mode, &like, &name_list, &value_list))
        return NULL;
    congru_set *set = set_of(handle);
    congru_model *model = like != Py_None ? model_of(like) : NULL;
    bool good = set != NULL && (mode != MODE_LIKE || model != NULL) &&
                texts_open(&names, name_list, "options") && texts_open(&values, value_list, "options") &&
                names.count == values.count && call_begin(&c, 0, NULL);
    if (good) {
        congru_status status = congru_set_create_borrowing(c.context, set, &changed);
        if (status == CONGRU_OK)
            status = change(&c, changed, mode, model, &names, &values);
        good = call_end(&c, status);
    }
    texts_clear(&names);
    texts_clear(&values);
    if (good)
        return set_wrap(changed, handle);
    congru_set_destroy(&changed);
    return NULL;
}

/* (stage, subjects, trials, channels, samples, rate, slow, seed) */
static PyObject *synth(PyObject *self, PyObject *args)
{
    const char *stage;
    Py_ssize_t subjects, trials, channels, samples;
    double rate, slow;
    unsigned long long seed;
    congru_synth_options options;
    congru_set *set = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "snnnnddK", &stage, &subjects, &trials, &channels, &samples, &rate, &slow,
                          &seed))
        return NULL;
    congru_synth_options_init(&options);
    int found = 0;
    while (found < CONGRU_SYNTH_STAGES &&
           strcmp(congru_synth_stage_name((congru_synth_stage)found), stage) != 0)
        found++;
    if (found == CONGRU_SYNTH_STAGES || subjects < 0 || trials < 0 || channels < 0 || samples < 0) {
        PyErr_Format(PyExc_ValueError,
                     "stage '%s': shift, dispersion, orientation, distortion or fusion; sizes "
                     "are not negative",
                     stage);
        return NULL;
    }
    options.stage = (congru_synth_stage)found;
    options.subjects = (size_t)subjects;
    options.trials = (size_t)trials;
    options.channels = (size_t)channels;
    options.samples = (size_t)samples;
    options.rate = rate;
    options.slow = slow;
    options.seed = seed;
    if (!call_begin(&c, 0, NULL) || !call_end(&c, congru_synth(c.context, &options, &set)))
        return NULL;
    return set_wrap(set, NULL);
}

PyMethodDef set_methods[] = {
    {"set_create", set_create, METH_VARARGS, "A set of arrays."},
    {"set_fields", set_fields, METH_O, "What a set holds."},
    {"set_describe", set_describe, METH_O, "What its trials went through."},
    {"set_read", set_read, METH_VARARGS, "A set of an .npz."},
    {"set_write", set_write, METH_VARARGS, "An .npz of a set."},
    {"import_files", import_files, METH_VARARGS, "A set of recordings and files of trials."},
    {"set_preprocess", set_preprocess, METH_VARARGS,
     "A set with its signals filtered, cut, or made covariances."},
    {"synth", synth, METH_VARARGS, "A made-up set."},
    {NULL, NULL, 0, NULL},
};
