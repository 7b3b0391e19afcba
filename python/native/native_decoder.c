/* The decoder of a stream. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "native.h"

static const char capsule_name[] = "congru.decoder";

/* The capsule's context is that of the model, which the decoder points to. */
static void destroy(PyObject *capsule)
{
    congru_decoder *decoder = PyCapsule_GetPointer(capsule, capsule_name);
    PyObject *model = PyCapsule_GetContext(capsule);
    congru_decoder_destroy(&decoder);
    Py_XDECREF(model);
}

static congru_decoder *decoder_of(PyObject *handle)
{
    return PyCapsule_GetPointer(handle, capsule_name);
}

/* (model, rate, sampling, channels or None, scale, window, adaptation, adapt_every, prior_weight, memory) */
static PyObject *decoder_create(PyObject *self, PyObject *args)
{
    PyObject *handle, *channel_list;
    int adaptation;
    texts channels = {0};
    congru_decoder_options options;
    congru_decoder *decoder = NULL;
    call c;
    (void)self;
    congru_decoder_options_init(&options);
    if (!PyArg_ParseTuple(args, "OddOddiddd", &handle, &options.rate, &options.sampling, &channel_list,
                          &options.scale, &options.window, &adaptation, &options.adapt_every,
                          &options.prior_weight, &options.memory))
        return NULL;
    const congru_model *model = model_of(handle);
    bool good = model != NULL && (channel_list == Py_None || texts_open(&channels, channel_list, "channels")) &&
                call_begin(&c, 1, NULL);
    if (good) {
        options.adaptation = (congru_adaptation)adaptation;
        options.channels = channel_list != Py_None ? channels.item : NULL;
        options.channel_count = channels.count;
        good = call_end(&c, congru_decoder_create(c.context, model, &options, &decoder));
    }
    texts_clear(&channels);
    PyObject *capsule = good ? PyCapsule_New(decoder, capsule_name, destroy) : NULL;
    if (capsule == NULL) {
        congru_decoder_destroy(&decoder);
        return NULL;
    }
    Py_INCREF(handle);
    PyCapsule_SetContext(capsule, handle);
    return capsule;
}

/* (sample, time, status, prediction, flat, reason, [probabilities] or None, cue or None) */
static PyObject *decision_of(const congru_decision *d, size_t classes)
{
    PyObject *probability = d->probability != NULL ? PyList_New((Py_ssize_t)classes) : none();
    for (size_t k = 0; probability != NULL && d->probability != NULL && k < classes; k++) {
        PyObject *number = PyFloat_FromDouble(d->probability[k]);
        if (number == NULL || PyList_SetItem(probability, (Py_ssize_t)k, number) != 0)
            Py_CLEAR(probability);
    }
    if (probability == NULL)
        return NULL;
    return Py_BuildValue("KdsiisNN", (unsigned long long)d->sample, d->time, congru_status_name(d->status),
                         (int)d->prediction, (int)d->flat,
                         d->status == CONGRU_OK ? "" : congru_status_text(d->status), probability,
                         d->cued ? PyLong_FromUnsignedLongLong(d->cue) : none());
}

/* Pushes up to the next decision, the GIL released. */
static congru_status push_some(congru_decoder *decoder, const array *frames, bool single, size_t done,
                               size_t left, size_t width, size_t *taken, congru_decision *decision)
{
    congru_status status;
    PyThreadState *thread = PyEval_SaveThread();
    if (single)
        status = congru_decoder_push_float(decoder, left, (const float *)frames->data + done * width, taken,
                                           decision);
    else
        status =
            congru_decoder_push(decoder, left, (const double *)frames->data + done * width, taken, decision);
    PyEval_RestoreThread(thread);
    return status;
}

/* (decoder, frames (n, channels), single precision, classes) -> decisions. One thread at a time: decoder.py has the lock. */
static PyObject *decoder_push(PyObject *self, PyObject *args)
{
    PyObject *handle, *object;
    int single;
    Py_ssize_t classes;
    array frames;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOpn", &handle, &object, &single, &classes))
        return NULL;
    congru_decoder *decoder = decoder_of(handle);
    if (decoder == NULL || !array_open(&frames, object, "frames", 'f', single ? 4 : 8))
        return NULL;
    const size_t width = congru_decoder_channels(decoder);
    PyObject *list = NULL;
    if (frames.dims != 2 || (size_t)frames.shape[1] != width)
        PyErr_Format(PyExc_ValueError, "frames: (frames, %zu channels) are needed", width);
    else
        list = PyList_New(0);
    size_t count = list != NULL ? (size_t)frames.shape[0] : 0;
    for (size_t done = 0, taken = 0; list != NULL && done < count; done += taken) {
        congru_decision decision = {0};
        congru_status status =
            push_some(decoder, &frames, single != 0, done, count - done, width, &taken, &decision);
        PyObject *item = status == CONGRU_OK && decision.due ? decision_of(&decision, (size_t)classes) : NULL;
        if (status != CONGRU_OK)
            raise_status(status, NULL);
        if (status != CONGRU_OK || (decision.due && (item == NULL || PyList_Append(list, item) != 0)))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    array_close(&frames);
    return list;
}

static PyObject *decoder_decide(PyObject *self, PyObject *args)
{
    PyObject *handle;
    Py_ssize_t classes;
    congru_decision decision = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "On", &handle, &classes))
        return NULL;
    congru_decoder *decoder = decoder_of(handle);
    if (decoder == NULL)
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    congru_status status = congru_decoder_decide(decoder, &decision);
    PyEval_RestoreThread(thread);
    if (status != CONGRU_OK) {
        raise_status(status, NULL);
        return NULL;
    }
    return decision.due ? decision_of(&decision, (size_t)classes) : none();
}

/* (decoder, cue) -> frames after which its trial is whole */
static PyObject *decoder_mark(PyObject *self, PyObject *args)
{
    PyObject *handle;
    unsigned long long cue;
    (void)self;
    if (!PyArg_ParseTuple(args, "OK", &handle, &cue))
        return NULL;
    congru_decoder *decoder = decoder_of(handle);
    if (decoder == NULL)
        return NULL;
    const congru_status status = congru_decoder_mark(decoder, cue);
    if (status != CONGRU_OK) {
        raise_status(status,
                     "the cue cannot be marked: too many wait, or the model does not know where cues are");
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(congru_decoder_cue_due(decoder, cue));
}

static PyObject *decoder_decide_cue(PyObject *self, PyObject *args)
{
    PyObject *handle;
    unsigned long long cue;
    Py_ssize_t classes;
    congru_decision decision = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "OKn", &handle, &cue, &classes))
        return NULL;
    congru_decoder *decoder = decoder_of(handle);
    if (decoder == NULL)
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    congru_status status = congru_decoder_decide_cue(decoder, cue, &decision);
    PyEval_RestoreThread(thread);
    if (status != CONGRU_OK) {
        raise_status(status, NULL);
        return NULL;
    }
    return decision.due ? decision_of(&decision, (size_t)classes) : none();
}

static PyObject *decoder_reset(PyObject *self, PyObject *handle)
{
    congru_decoder *decoder = decoder_of(handle);
    (void)self;
    if (decoder == NULL)
        return NULL;
    congru_decoder_reset(decoder);
    return none();
}

static PyObject *decoder_rewind(PyObject *self, PyObject *handle)
{
    congru_decoder *decoder = decoder_of(handle);
    (void)self;
    if (decoder == NULL)
        return NULL;
    congru_decoder_rewind(decoder);
    return none();
}

/* (decoder, frames (n, channels)) -> windows that were learned of */
static PyObject *decoder_rest(PyObject *self, PyObject *args)
{
    PyObject *handle, *object;
    array frames;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &handle, &object))
        return NULL;
    congru_decoder *decoder = decoder_of(handle);
    if (decoder == NULL || !array_open(&frames, object, "frames", 'f', 8))
        return NULL;
    const size_t width = congru_decoder_channels(decoder);
    const bool fits = frames.dims == 2 && (size_t)frames.shape[1] == width;
    size_t windows = 0;
    congru_status status = CONGRU_OK;
    if (fits) {
        PyThreadState *thread = PyEval_SaveThread();
        status = congru_decoder_rest(decoder, (size_t)frames.shape[0], frames.data, &windows);
        PyEval_RestoreThread(thread);
        if (status != CONGRU_OK)
            raise_status(status, NULL);
    } else {
        PyErr_Format(PyExc_ValueError, "frames: (frames, %zu channels) are needed", width);
    }
    array_close(&frames);
    return fits && status == CONGRU_OK ? PyLong_FromSize_t(windows) : NULL;
}

/* (decoder, path), with congru_decoder_state_save or _load */
static PyObject *with_state(PyObject *args,
                            congru_status (*act)(congru_context *, congru_decoder *, const char *))
{
    PyObject *handle, *path;
    call c;
    if (!PyArg_ParseTuple(args, "OO&", &handle, PyUnicode_FSConverter, &path))
        return NULL;
    congru_decoder *decoder = decoder_of(handle);
    const bool good = decoder != NULL && call_begin(&c, 0, NULL) &&
                      call_end(&c, act(c.context, decoder, PyBytes_AsString(path)));
    Py_DECREF(path);
    return good ? none() : NULL;
}

static PyObject *decoder_state_save(PyObject *self, PyObject *args)
{
    (void)self;
    return with_state(args, congru_decoder_state_save);
}

static PyObject *decoder_state_load(PyObject *self, PyObject *args)
{
    (void)self;
    return with_state(args, congru_decoder_state_load);
}

static PyObject *decoder_fields(PyObject *self, PyObject *handle)
{
    const congru_decoder *decoder = decoder_of(handle);
    (void)self;
    if (decoder == NULL)
        return NULL;
    return Py_BuildValue("{s:n,s:n,s:d,s:K,s:n}", "channels", (Py_ssize_t)congru_decoder_channels(decoder),
                         "window", (Py_ssize_t)congru_decoder_window(decoder), "sampling",
                         congru_decoder_sampling(decoder), "position",
                         (unsigned long long)congru_decoder_position(decoder), "windows",
                         (Py_ssize_t)congru_decoder_reference(decoder, NULL));
}

static PyObject *decoder_reference(PyObject *self, PyObject *args)
{
    PyObject *handle, *out;
    array a;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &handle, &out))
        return NULL;
    const congru_decoder *decoder = decoder_of(handle);
    if (decoder == NULL || !array_open_written(&a, out, "reference", 'f', 8))
        return NULL;
    /* As many channels as the model has, however many a frame has. */
    const size_t d = congru_model_preprocessing(model_of(PyCapsule_GetContext(handle)))->channels;
    const bool fits = a.count == d * d;
    const size_t moved = fits ? congru_decoder_reference(decoder, a.data) : 0;
    array_close(&a);
    if (!fits)
        PyErr_Format(PyExc_ValueError, "reference: (%zu, %zu) is needed", d, d);
    return fits ? PyLong_FromSize_t(moved) : NULL;
}

PyMethodDef decoder_methods[] = {
    {"decoder_create", decoder_create, METH_VARARGS, "A decoder of a model."},
    {"decoder_push", decoder_push, METH_VARARGS, "Frames in, decisions out."},
    {"decoder_decide", decoder_decide, METH_VARARGS, "A decision now."},
    {"decoder_mark", decoder_mark, METH_VARARGS, "A cue is at this frame."},
    {"decoder_decide_cue", decoder_decide_cue, METH_VARARGS, "A decision about the trial of a cue."},
    {"decoder_reset", decoder_reset, METH_O, "A new recording."},
    {"decoder_rewind", decoder_rewind, METH_O, "The stream begins anew, the subject stays."},
    {"decoder_rest", decoder_rest, METH_VARARGS, "Frames of the subject at rest."},
    {"decoder_state_save", decoder_state_save, METH_VARARGS, "What is learned, to a file."},
    {"decoder_state_load", decoder_state_load, METH_VARARGS, "What was learned, from a file."},
    {"decoder_fields", decoder_fields, METH_O, "Its sizes and where it is."},
    {"decoder_reference", decoder_reference, METH_VARARGS, "The reference as it is."},
    {NULL, NULL, 0, NULL},
};
