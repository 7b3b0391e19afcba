/* Evaluations: runs, splits, results, comparisons. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "native.h"

static const char capsule_name[] = "congru.results";

static void destroy(PyObject *capsule)
{
    congru_results *results = PyCapsule_GetPointer(capsule, capsule_name);
    congru_results_destroy(&results);
}

PyObject *results_wrap(congru_results *results)
{
    PyObject *capsule = PyCapsule_New(results, capsule_name, destroy);
    if (capsule == NULL)
        congru_results_destroy(&results);
    return capsule;
}

static congru_results *results_of(PyObject *handle)
{
    return PyCapsule_GetPointer(handle, capsule_name);
}

static bool choice_of(const char *what, const char *name, const char *const *names, int *choice)
{
    for (*choice = 0; names[*choice] != NULL; ++*choice)
        if (strcmp(names[*choice], name) == 0)
            return true;
    PyErr_Format(PyExc_ValueError, "%s: no such choice as '%s'", what, name);
    return false;
}

static bool protocol_of(const char *name, congru_protocol *protocol)
{
    static const char *const names[] = {"loso", "folds", "sessions", "session-out", NULL};
    int choice;
    bool good = choice_of("protocol", name, names, &choice);
    *protocol = (congru_protocol)choice;
    return good;
}

bool target_of(const char *name, congru_target *target)
{
    const char *names[CONGRU_TARGET_COUNT + 1];
    int choice;
    for (int i = 0; i <= CONGRU_TARGET_COUNT; i++)
        names[i] = congru_target_name((congru_target)i);
    bool good = choice_of("target", name, names, &choice);
    *target = (congru_target)choice;
    return good;
}

/* How trials are parted: (protocol, folds, contiguous, calibration, most of calibration, groups). */
static bool split_of(PyObject *split, congru_evaluation_options *options)
{
    const char *protocol;
    int contiguous;
    if (!PyArg_ParseTuple(split, "sipiii", &protocol, &options->folds, &contiguous, &options->calibration,
                          &options->calibration_most, &options->groups) ||
        !protocol_of(protocol, &options->protocol))
        return false;
    options->contiguous = contiguous != 0;
    return true;
}

/* (set, split, pipelines, options, subjects or None, target, by session, dataset, folder or None, command or None, definitions
 * or None, threads, progress) */
static PyObject *evaluate(PyObject *self, PyObject *args)
{
    PyObject *handle, *split, *list, *pairs, *subjects, *folder, *watcher, *encoded = NULL;
    const char *target, *definitions;
    int by_session, threads;
    int32_t *subject = NULL;
    texts pipelines = {0};
    congru_evaluation_options options;
    congru_results *results = NULL;
    call c;
    (void)self;
    congru_evaluation_options_init(&options);
    if (!PyArg_ParseTuple(args, "OO!OOOspsOzziO", &handle, &PyTuple_Type, &split, &list, &pairs, &subjects,
                          &target, &by_session, &options.dataset, &folder, &options.command, &definitions,
                          &threads, &watcher))
        return NULL;
    const congru_set *set = set_of(handle);
    bool good = set != NULL && split_of(split, &options) && target_of(target, &options.target) &&
                (folder == Py_None || PyUnicode_FSConverter(folder, &encoded)) &&
                texts_open(&pipelines, list, "pipelines") && method_options_of(pairs, &options.method) &&
                indices_of(subjects, &subject, &options.subject_count) && call_begin(&c, threads, watcher);
    if (good) {
        options.pipelines = pipelines.item;
        options.pipeline_count = pipelines.count;
        options.subjects = subject;
        options.align_by_session = by_session != 0;
        options.folder = encoded != NULL ? PyBytes_AsString(encoded) : NULL;
        options.watch = call_watch;
        options.watch_user = &c;
        congru_status status = define_pipelines(&c, definitions);
        if (status == CONGRU_OK)
            status = congru_evaluate(c.context, set, &options, &results);
        good = call_end(&c, status);
    }
    free(subject);
    texts_clear(&pipelines);
    Py_XDECREF(encoded);
    if (good)
        return results_wrap(results);
    congru_results_destroy(&results);
    return NULL;
}

/* (set, split, seed, subject, part) -> bytearray of int8: 1 scored, 0 fitted on, -1 neither. */
static PyObject *evaluation_split(PyObject *self, PyObject *args)
{
    PyObject *handle, *split;
    unsigned long long seed;
    int subject;
    Py_ssize_t part;
    congru_evaluation_options options;
    call c;
    (void)self;
    congru_evaluation_options_init(&options);
    if (!PyArg_ParseTuple(args, "OO!Kin", &handle, &PyTuple_Type, &split, &seed, &subject, &part))
        return NULL;
    const congru_set *set = set_of(handle);
    if (set == NULL || !split_of(split, &options))
        return NULL;
    options.method.seed = seed;
    PyObject *side = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)set->count);
    int8_t *to = side != NULL ? (int8_t *)PyByteArray_AsString(side) : NULL;
    if (to == NULL || !call_begin(&c, 0, NULL) ||
        !call_end(&c, congru_evaluation_split(c.context, set, &options, (int32_t)subject, (size_t)part, to)))
        Py_CLEAR(side);
    return side;
}

static PyObject *results_read(PyObject *self, PyObject *args)
{
    PyObject *path;
    congru_results *results = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    bool good = call_begin(&c, 0, NULL) &&
                call_end(&c, congru_results_read(c.context, PyBytes_AsString(path), &results));
    Py_DECREF(path);
    return good ? results_wrap(results) : NULL;
}

/* path -> [(number, results), ...], of a folder of congru_curve_evaluate's kind. */
static PyObject *curve_read(PyObject *self, PyObject *args)
{
    PyObject *path;
    congru_curve *curve = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    bool good =
        call_begin(&c, 0, NULL) && call_end(&c, congru_curve_read(c.context, PyBytes_AsString(path), &curve));
    Py_DECREF(path);
    PyObject *list = good ? PyList_New(0) : NULL;
    for (size_t i = 0; list != NULL && curve != NULL && i < curve->count; i++) {
        congru_results *results = curve->results[i];
        curve->results[i] = NULL; /* the capsule's from here */
        PyObject *item = Py_BuildValue("(iN)", curve->number[i], results_wrap(results));
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    congru_curve_destroy(&curve);
    return list;
}

/* ---- What results hold ------------------------------------------------------------------------- */

static PyObject *fold_dict(const congru_results *r, const congru_fold *f)
{
    PyObject *d = Py_BuildValue("{s:n,s:i,s:i,s:d,s:d,s:d,s:d,s:n,s:n,s:n,s:z}", "pipeline",
                                (Py_ssize_t)f->pipeline, "subject", (int)f->subject, "session", (int)f->session,
                                "accuracy", f->accuracy, "kappa", f->kappa, "balanced", f->balanced, "seconds",
                                f->seconds, "train", (Py_ssize_t)f->train, "samples", (Py_ssize_t)f->samples,
                                "calibration", (Py_ssize_t)f->calibration, "chosen", f->chosen);
    if (d == NULL)
        return NULL;
    bool good =
        put(d, "trial", bytes_of(f->trial, f->samples * sizeof *f->trial)) &&
        put(d, "part", bytes_of(f->part, f->samples * sizeof *f->part)) &&
        put(d, "truth", bytes_of(f->truth, f->samples * sizeof *f->truth)) &&
        put(d, "prediction", bytes_of(f->prediction, f->samples * sizeof *f->prediction)) &&
        put(d, "probability", bytes_of(f->probability, f->samples * r->classes * sizeof *f->probability));
    if (!good)
        Py_CLEAR(d);
    return d;
}

static PyObject *folds_list(const congru_results *r)
{
    PyObject *list = PyList_New((Py_ssize_t)r->folds);
    for (size_t i = 0; list != NULL && i < r->folds; i++) {
        PyObject *fold = fold_dict(r, &r->fold[i]);
        if (fold == NULL || PyList_SetItem(list, (Py_ssize_t)i, fold) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *texts_list(size_t count, const char *first, size_t size)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *text = text_of(first + i * size);
        if (text == NULL || PyList_SetItem(list, (Py_ssize_t)i, text) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *sizes_list(size_t count, const size_t *size)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *number = PyLong_FromSize_t(size[i]);
        if (number == NULL || PyList_SetItem(list, (Py_ssize_t)i, number) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* {PIPELINE: {"labels": ..., "text": ...}} */
static PyObject *knowledge_of(const congru_results *r)
{
    PyObject *all = PyDict_New();
    for (size_t p = 0; all != NULL && p < r->pipelines; p++) {
        char text[CONGRU_KNOWLEDGE_SIZE];
        congru_knowledge_text(&r->knowledge[p], text);
        PyObject *own = Py_BuildValue("{s:n,s:s}", "labels", (Py_ssize_t)r->knowledge[p].labels, "text", text);
        if (own == NULL || !put(all, r->pipeline[p], own))
            Py_CLEAR(all);
    }
    return all;
}

/* (labels): of a decoder that is not the library's. */
static PyObject *own_knowledge(PyObject *self, PyObject *args)
{
    Py_ssize_t labels;
    char text[CONGRU_KNOWLEDGE_SIZE];
    (void)self;
    if (!PyArg_ParseTuple(args, "n", &labels))
        return NULL;
    congru_knowledge_text(&(congru_knowledge){.labels = (size_t)labels}, text);
    return Py_BuildValue("{s:n,s:s}", "labels", labels, "text", text);
}

static PyObject *results_fields(PyObject *self, PyObject *handle)
{
    const congru_results *r = results_of(handle);
    (void)self;
    PyObject *d = r != NULL ? PyDict_New() : NULL;
    if (d == NULL)
        return NULL;
    bool good =
        put(d, "pipelines", texts_list(r->pipelines, (const char *)r->pipeline, CONGRU_PIPELINE_SIZE)) &&
        put(d, "subjects", labels_list(r->subjects, (const char(*)[CONGRU_LABEL_SIZE])r->subject_name)) &&
        put(d, "classes", labels_list(r->classes, (const char(*)[CONGRU_LABEL_SIZE])r->class_name)) &&
        put(d, "sessions", sizes_list(r->subjects, r->subject_sessions)) &&
        put(d, "dataset", text_of(r->dataset != NULL ? r->dataset : "")) &&
        put(d, "channels", PyLong_FromSize_t(r->channels)) &&
        put(d, "trial", PyFloat_FromDouble(r->trial_seconds)) &&
        put(d, "resumed", PyLong_FromSize_t(r->resumed)) && put(d, "missing", PyLong_FromSize_t(r->missing)) &&
        put(d, "notes", texts_list(r->note_count, (const char *)r->note, CONGRU_NOTE_SIZE)) &&
        put(d, "knowledge", knowledge_of(r)) && put(d, "folds", folds_list(r));
    if (!good)
        Py_CLEAR(d);
    return d;
}

/* ---- Statistics -------------------------------------------------------------------------------- */

/* (a, b, confidence): scores of two methods on the same subjects. */
static PyObject *compare(PyObject *self, PyObject *args)
{
    PyObject *object_a, *object_b;
    double confidence;
    array a = {0}, b = {0};
    congru_comparison r;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOd", &object_a, &object_b, &confidence))
        return NULL;
    bool good = array_open(&a, object_a, "scores", 'f', 8) && array_open(&b, object_b, "scores", 'f', 8);
    if (good && a.count != b.count) {
        PyErr_SetString(PyExc_ValueError, "scores: as many of the one as of the other are needed");
        good = false;
    }
    if (good && call_begin(&c, 0, NULL))
        good = call_end(&c, congru_paired_compare(c.context, a.count, a.data, b.data, confidence, &r));
    else
        good = false;
    array_close(&a);
    array_close(&b);
    if (!good)
        return NULL;
    return Py_BuildValue("{s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "subjects", (Py_ssize_t)r.count, "gain",
                         r.gain, "deviation", r.deviation, "effect", r.effect, "low", r.interval[0], "high",
                         r.interval[1], "improved", r.improved, "p_wilcoxon", congru_wilcoxon_p(&r.wilcoxon),
                         "p_permutation", r.permutation);
}

/* p-values, in place. */
static PyObject *holm(PyObject *self, PyObject *args)
{
    PyObject *object;
    array p;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &object) || !array_open_written(&p, object, "p", 'f', 8))
        return NULL;
    bool good =
        call_begin(&c, 0, NULL) && call_end(&c, congru_holm_correct(c.context, p.count, p.data, p.data));
    array_close(&p);
    return good ? none() : NULL;
}

PyMethodDef evaluation_methods[] = {
    {"evaluate", evaluate, METH_VARARGS, "Runs pipelines on a set."},
    {"evaluation_split", evaluation_split, METH_VARARGS, "Which trials are fitted on and scored."},
    {"results_read", results_read, METH_VARARGS, "A results folder."},
    {"curve_read", curve_read, METH_VARARGS, "The results folders of a learning curve."},
    {"results_fields", results_fields, METH_O, "What results hold."},
    {"own_knowledge", own_knowledge, METH_VARARGS, "What a decoder of another program was let see."},
    {"compare", compare, METH_VARARGS, "One method against another, subject by subject."},
    {"holm", holm, METH_VARARGS, "Holm's correction."},
    {NULL, NULL, 0, NULL},
};
