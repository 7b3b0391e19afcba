/* Arrays and texts of Python as the library takes them, and back. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "native.h"

/* The array interface in C, version 3, as NumPy's documentation describes it: what the capsule of __array_struct__ points
 * to. It is how arrays are reached without NumPy's headers, and in the limited API, which has no buffers before 3.11. */
typedef struct array_interface {
    int two; /* is 2 */
    int nd;
    char typekind;
    int itemsize;
    int flags;
    intptr_t *shape;
    /* cppcheck-suppress unusedStructMember ; the protocol has it, and C order needs no strides */
    intptr_t *strides;
    void *data;
    /* cppcheck-suppress unusedStructMember ; likewise, of structured arrays */
    PyObject *descr;
} array_interface;

enum { FLAG_C_ORDER = 0x1, FLAG_ALIGNED = 0x100, FLAG_NATIVE = 0x200, FLAG_WRITEABLE = 0x400 };

static bool open_with(array *a, PyObject *object, const char *name, char kind, int size, int flags)
{
    *a = (array){0};
    PyObject *capsule = PyObject_GetAttrString(object, "__array_struct__");
    const array_interface *found = capsule != NULL ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    if (found == NULL || found->two != 2) {
        PyErr_Format(PyExc_TypeError, "%s: an array of NumPy is needed", name);
        Py_XDECREF(capsule);
        return false;
    }
    if (found->typekind != kind || found->itemsize != size || (found->flags & flags) != flags) {
        PyErr_Format(PyExc_ValueError, "%s: an array of '%c%d' in C order and native bytes is needed", name,
                     kind, size);
        Py_DECREF(capsule);
        return false;
    }
    *a = (array){.capsule = capsule, .dims = found->nd, .shape = found->shape, .data = found->data, .count = 1};
    for (int i = 0; i < found->nd; i++)
        a->count *= (size_t)found->shape[i];
    return true;
}

bool array_open(array *a, PyObject *object, const char *name, char kind, int size)
{
    return open_with(a, object, name, kind, size, FLAG_C_ORDER | FLAG_ALIGNED | FLAG_NATIVE);
}

bool array_open_optional(array *a, PyObject *object, const char *name, char kind, int size)
{
    *a = (array){0};
    return object == Py_None || array_open(a, object, name, kind, size);
}

bool array_open_written(array *a, PyObject *object, const char *name, char kind, int size)
{
    return open_with(a, object, name, kind, size, FLAG_C_ORDER | FLAG_ALIGNED | FLAG_NATIVE | FLAG_WRITEABLE);
}

void array_close(array *a)
{
    Py_XDECREF(a->capsule);
    *a = (array){0};
}

/* ---- Texts ------------------------------------------------------------------------------------- */

bool texts_open(texts *t, PyObject *sequence, const char *name)
{
    *t = (texts){0};
    Py_ssize_t count = PySequence_Size(sequence);
    if (count < 0)
        return false;
    t->item = calloc((size_t)count + 1, sizeof *t->item);
    t->keep = calloc((size_t)count + 1, sizeof *t->keep);
    for (Py_ssize_t i = 0; t->item != NULL && t->keep != NULL && i < count; i++) {
        PyObject *object = PySequence_GetItem(sequence, i);
        if (object != NULL && !PyUnicode_Check(object))
            PyErr_Format(PyExc_TypeError, "%s: texts are needed", name);
        /* File names that are no UTF-8 keep their bytes. */
        t->keep[i] = object != NULL && PyUnicode_Check(object)
                         ? PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape")
                         : NULL;
        Py_XDECREF(object);
        t->item[i] = t->keep[i] != NULL ? PyBytes_AsString(t->keep[i]) : NULL;
        if (t->item[i] == NULL) {
            texts_clear(t);
            return false;
        }
        if (strlen(t->item[i]) != (size_t)PyBytes_Size(t->keep[i])) {
            PyErr_Format(PyExc_ValueError, "%s: a text holds a zero byte", name);
            texts_clear(t);
            return false;
        }
        t->count++;
    }
    if (t->item != NULL && t->keep != NULL)
        return true;
    texts_clear(t);
    PyErr_NoMemory();
    return false;
}

void texts_clear(texts *t)
{
    for (size_t i = 0; t->keep != NULL && t->keep[i] != NULL; i++)
        Py_DECREF(t->keep[i]);
    free(t->keep);
    free(t->item);
    *t = (texts){0};
}

char (*labels_of(PyObject *sequence, size_t *count))[CONGRU_LABEL_SIZE]
{
    texts t;
    if (!texts_open(&t, sequence, "names"))
        return NULL;
    char(*label)[CONGRU_LABEL_SIZE] = calloc(t.count + 1, sizeof *label);
    if (label == NULL)
        PyErr_NoMemory();
    for (size_t i = 0; label != NULL && i < t.count; i++) {
        size_t size = strlen(t.item[i]);
        if (size >= CONGRU_LABEL_SIZE) {
            PyErr_Format(PyExc_ValueError, "the name '%s' has %zu bytes; %d are the most", t.item[i], size,
                         (int)CONGRU_LABEL_SIZE - 1);
            free(label);
            label = NULL;
        } else {
            memcpy(label[i], t.item[i], size);
        }
    }
    *count = t.count;
    texts_clear(&t);
    return label;
}

PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *labels_list(size_t count, const char (*label)[CONGRU_LABEL_SIZE])
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *text = text_of(label[i]);
        if (text == NULL || PyList_SetItem(list, (Py_ssize_t)i, text) != 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *bytes_of(const void *data, size_t size)
{
    return data != NULL ? PyByteArray_FromStringAndSize(data, (Py_ssize_t)size) : none();
}

bool put(PyObject *dictionary, const char *key, PyObject *value)
{
    bool good = value != NULL && PyDict_SetItemString(dictionary, key, value) == 0;
    Py_XDECREF(value);
    return good;
}

bool indices_of(PyObject *sequence, int32_t **index, size_t *count)
{
    *index = NULL;
    *count = 0;
    if (sequence == Py_None)
        return true;
    Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0)
        return false;
    int32_t *made = calloc((size_t)size + 1, sizeof *made);
    if (made == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *object = PySequence_GetItem(sequence, i);
        long number = object != NULL ? PyLong_AsLong(object) : -1;
        Py_XDECREF(object);
        if (PyErr_Occurred()) {
            free(made);
            return false;
        }
        made[i] = (int32_t)number;
    }
    *index = made;
    *count = (size_t)size;
    return true;
}
