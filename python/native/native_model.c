/* Models: fitted, saved, asked, taken apart. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "native.h"

static const char capsule_name[] = "congru.model";

static void destroy(PyObject *capsule)
{
    congru_model *model = PyCapsule_GetPointer(capsule, capsule_name);
    congru_model_destroy(&model);
}

PyObject *model_wrap(congru_model *model)
{
    PyObject *capsule = PyCapsule_New(model, capsule_name, destroy);
    if (capsule == NULL)
        congru_model_destroy(&model);
    return capsule;
}

congru_model *model_of(PyObject *handle)
{
    return PyCapsule_GetPointer(handle, capsule_name);
}

/* (set, pipeline, options, without, by session, definitions or None, threads, progress) */
static PyObject *model_fit(PyObject *self, PyObject *args)
{
    PyObject *handle, *pairs, *without, *watcher;
    const char *pipeline, *definitions;
    int by_session, threads;
    int32_t *subject = NULL;
    congru_model_options options;
    congru_model *model = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OsOOpziO", &handle, &pipeline, &pairs, &without, &by_session, &definitions,
                          &threads, &watcher))
        return NULL;
    congru_model_options_init(&options);
    congru_set *set = set_of(handle);
    bool good = set != NULL && method_options_of(pairs, &options.method) &&
                indices_of(without, &subject, &options.without_count) && call_begin(&c, threads, watcher);
    if (good) {
        options.pipeline = pipeline;
        options.without = subject;
        options.align_by_session = by_session != 0;
        options.watch = call_watch;
        options.watch_user = &c;
        congru_status status = define_pipelines(&c, definitions);
        if (status == CONGRU_OK)
            status = congru_model_fit(c.context, set, &options, &model);
        good = call_end(&c, status);
    }
    free(subject);
    if (good)
        return model_wrap(model);
    congru_model_destroy(&model);
    return NULL;
}

static PyObject *model_load(PyObject *self, PyObject *args)
{
    PyObject *path;
    congru_model *model = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    bool good =
        call_begin(&c, 0, NULL) && call_end(&c, congru_model_load(c.context, PyBytes_AsString(path), &model));
    Py_DECREF(path);
    return good ? model_wrap(model) : NULL;
}

static PyObject *file_kind(PyObject *self, PyObject *args)
{
    static const char *const names[] = {
        [CONGRU_FILE_UNKNOWN] = "unknown", [CONGRU_FILE_RECORDING] = "recording",
        [CONGRU_FILE_TRIALS] = "trials",   [CONGRU_FILE_SET] = "set",
        [CONGRU_FILE_ARRAY] = "array",     [CONGRU_FILE_MODEL] = "model"};
    PyObject *path;
    congru_file_kind kind = CONGRU_FILE_UNKNOWN;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    bool good =
        call_begin(&c, 0, NULL) && call_end(&c, congru_file_kind_of(c.context, PyBytes_AsString(path), &kind));
    Py_DECREF(path);
    return good ? PyUnicode_FromString(names[kind]) : NULL;
}

static PyObject *model_save(PyObject *self, PyObject *args)
{
    PyObject *path, *handle;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&", &handle, PyUnicode_FSConverter, &path))
        return NULL;
    const congru_model *model = model_of(handle);
    bool good = model != NULL && call_begin(&c, 0, NULL) &&
                call_end(&c, congru_model_save(c.context, model, PyBytes_AsString(path)));
    Py_DECREF(path);
    return good ? none() : NULL;
}

static PyObject *model_pack(PyObject *self, PyObject *handle)
{
    const congru_model *model = model_of(handle);
    size_t size = 0;
    call c;
    (void)self;
    if (model == NULL || !call_begin(&c, 0, NULL) ||
        !call_end(&c, congru_model_pack(c.context, model, NULL, 0, &size)))
        return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    char *to = bytes != NULL ? PyBytes_AsString(bytes) : NULL;
    if (to == NULL || !call_begin(&c, 0, NULL) ||
        !call_end(&c, congru_model_pack(c.context, model, to, size, &size)))
        Py_CLEAR(bytes);
    return bytes;
}

static PyObject *model_parse(PyObject *self, PyObject *args)
{
    const char *bytes;
    Py_ssize_t size;
    congru_model *model = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size) || !call_begin(&c, 0, NULL) ||
        !call_end(&c, congru_model_parse(c.context, "model", bytes, (size_t)size, &model)))
        return NULL;
    return model_wrap(model);
}

static PyObject *texts_of_model(const congru_model *model)
{
    const char *name, *text;
    PyObject *d = PyDict_New();
    for (size_t i = 0; d != NULL && congru_model_text(model, i, &name, &text); i++)
        if (!put(d, name, text_of(text)))
            Py_CLEAR(d);
    return d;
}

static PyObject *classes_of_model(const congru_model *model)
{
    const char *name;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (name = congru_model_class(model, i)) != NULL; i++) {
        PyObject *text = text_of(name);
        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *model_fields(PyObject *self, PyObject *handle)
{
    const congru_model *model = model_of(handle);
    char line[CONGRU_PREPROCESSING_LINE_SIZE];
    (void)self;
    PyObject *d = model != NULL ? PyDict_New() : NULL;
    if (d == NULL)
        return NULL;
    const congru_preprocessing *p = congru_model_preprocessing(model);
    congru_preprocessing_print(p, line);
    bool good =
        put(d, "pipeline", PyUnicode_FromString(congru_model_pipeline(model))) &&
        put(d, "classes", classes_of_model(model)) && put(d, "texts", texts_of_model(model)) &&
        put(d, "channels", labels_list(p->channels, (const char(*)[CONGRU_LABEL_SIZE])p->channel_name)) &&
        put(d, "rate", PyFloat_FromDouble(p->rate)) && put(d, "samples", PyLong_FromSize_t(p->samples)) &&
        put(d, "preprocessing", text_of(line)) &&
        put(d, "needs_signals", PyBool_FromLong(congru_model_needs_signals(model)));
    if (!good)
        Py_CLEAR(d);
    return d;
}

/* [(name, shape, bytes)] */
static PyObject *model_tensors(PyObject *self, PyObject *handle)
{
    const congru_model *model = model_of(handle);
    congru_model_tensor tensor;
    (void)self;
    PyObject *list = model != NULL ? PyList_New(0) : NULL;
    for (size_t i = 0; list != NULL && congru_model_tensor_at(model, i, &tensor); i++) {
        size_t count = 1;
        PyObject *shape = PyTuple_New((Py_ssize_t)tensor.dims);
        for (size_t k = 0; shape != NULL && k < tensor.dims; k++) {
            count *= tensor.shape[k];
            PyObject *length = PyLong_FromSize_t(tensor.shape[k]);
            if (length == NULL || PyTuple_SetItem(shape, (Py_ssize_t)k, length) != 0)
                Py_CLEAR(shape);
        }
        PyObject *row = shape != NULL ? Py_BuildValue("sNN", tensor.name, shape,
                                                      bytes_of(tensor.data, count * sizeof *tensor.data))
                                      : NULL;
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *predictions_dict(const congru_predictions *p)
{
    PyObject *d = PyDict_New();
    if (d == NULL)
        return NULL;
    bool good =
        put(d, "count", PyLong_FromSize_t(p->count)) && put(d, "classes", PyLong_FromSize_t(p->classes)) &&
        put(d, "dimension", PyLong_FromSize_t(p->dimension)) &&
        put(d, "calibration", PyLong_FromSize_t(p->calibration)) &&
        put(d, "trial", bytes_of(p->trial, p->count * sizeof *p->trial)) &&
        put(d, "prediction", bytes_of(p->prediction, p->count * sizeof *p->prediction)) &&
        put(d, "truth", bytes_of(p->truth, p->count * sizeof *p->truth)) &&
        put(d, "probability", bytes_of(p->probability, p->count * p->classes * sizeof *p->probability)) &&
        put(d, "aligned", bytes_of(p->aligned, p->count * p->dimension * p->dimension * sizeof *p->aligned));
    if (!good)
        Py_CLEAR(d);
    return d;
}

/* (model, set, subjects or None, target, by session, ignore labels, keep aligned, threads) */
static PyObject *model_predict(PyObject *self, PyObject *args)
{
    PyObject *handle, *set_handle, *subjects, *result = NULL;
    const char *target;
    int by_session, ignore_labels, keep_aligned, threads;
    int32_t *subject = NULL;
    congru_prediction_options options = {0};
    congru_predictions *predictions = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOspppi", &handle, &set_handle, &subjects, &target, &by_session,
                          &ignore_labels, &keep_aligned, &threads))
        return NULL;
    const congru_model *model = model_of(handle);
    const congru_set *set = model != NULL ? set_of(set_handle) : NULL;
    bool good = set != NULL && target_of(target, &options.target) &&
                indices_of(subjects, &subject, &options.subject_count) && call_begin(&c, threads, NULL);
    if (good) {
        options.subjects = subject;
        options.align_by_session = by_session != 0;
        options.ignore_labels = ignore_labels != 0;
        options.keep_aligned = keep_aligned != 0;
        good = call_end(&c, congru_model_predict(c.context, model, set, &options, &predictions));
    }
    if (good)
        result = predictions_dict(predictions);
    congru_predictions_destroy(&predictions);
    free(subject);
    return result;
}

PyMethodDef model_methods[] = {
    {"model_fit", model_fit, METH_VARARGS, "A pipeline fitted on a set."},
    {"model_load", model_load, METH_VARARGS, "A model of a .safetensors file."},
    {"file_kind", file_kind, METH_VARARGS,
     "What a file holds: 'recording', 'trials', 'set', 'array', 'model' or 'unknown'."},
    {"model_save", model_save, METH_VARARGS, "A .safetensors file of a model."},
    {"model_pack", model_pack, METH_O, "The bytes of that file."},
    {"model_parse", model_parse, METH_VARARGS, "A model of these bytes."},
    {"model_fields", model_fields, METH_O, "What a model is."},
    {"model_tensors", model_tensors, METH_O, "Its tensors."},
    {"model_predict", model_predict, METH_VARARGS, "What it decides about the trials of a set."},
    {NULL, NULL, 0, NULL},
};
