/* What the parts of congru._native share: calls of the library, arrays, handles. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NATIVE_H
#define CONGRU_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "congru/congru.h"

/* ---- Calls ------------------------------------------------------------------------------------- */

/* A call of the library: a context of its own from the pool, and the GIL released until call_end.
 *
 *     call c;
 *     if (!call_begin(&c, 0, NULL))
 *         return NULL;
 *     return call_end(&c, congru_spd_log(c.context, ...)) ? none() : NULL;
 */
typedef struct call {
    congru_context *context;
    struct pool_slot *slot;
    PyThreadState *thread;
    PyObject *progress;             /* borrowed; NULL: nobody asks */
    double next;                    /* when signals are looked at again, in seconds */
    double part;                    /* of the work, as an evaluation tells it; NaN otherwise */
    char pipeline[64];              /* and what runs */
    PyObject *kind, *value, *trace; /* the exception that stopped it */
    bool spoiled;                   /* the context is not for others to use */
} call;

/* `threads` 0 is the default of the package. `progress` is a callable or None or NULL. */
bool call_begin(call *c, int threads, PyObject *progress);

/* Takes the GIL back and gives the context to the next call. False with an exception set unless the status is CONGRU_OK;
 * what methods had to note becomes warnings. */
bool call_end(call *c, congru_status status);

/* For congru_evaluation_options.watch, with the call as its user. */
void call_watch(void *user, double part, const char *pipeline, size_t step, size_t steps);

/* A failure that is no call's, in the class of the status. */
void raise_status(congru_status status, const char *text);

PyObject *none(void);

/* ---- Arrays ------------------------------------------------------------------------------------ */

/* An array of NumPy through its array interface (__array_struct__): C order, native bytes, no copy. */
typedef struct array {
    PyObject *capsule;
    int dims;
    const intptr_t *shape;
    void *data;
    size_t count; /* of all its elements */
} array;

/* `kind` is 'f' or 'i', `size` that of an element in bytes. Opens None as {0} where `optional`. False with TypeError or
 * ValueError that begins with `name`. */
bool array_open(array *a, PyObject *object, const char *name, char kind, int size);
bool array_open_optional(array *a, PyObject *object, const char *name, char kind, int size);
bool array_open_written(array *a, PyObject *object, const char *name, char kind, int size);
void array_close(array *a);

/* ---- Texts ------------------------------------------------------------------------------------- */

/* Strings of a Python sequence; `keep` owns their bytes. Freed by texts_clear. */
typedef struct texts {
    size_t count;
    const char **item; /* ended by NULL */
    PyObject **keep;
} texts;

bool texts_open(texts *t, PyObject *sequence, const char *name);
void texts_clear(texts *t);

/* Names of CONGRU_LABEL_SIZE bytes one after another, to be freed; NULL with an exception set. */
char (*labels_of(PyObject *sequence, size_t *count))[CONGRU_LABEL_SIZE];

/* Back: a list of str. */
PyObject *labels_list(size_t count, const char (*label)[CONGRU_LABEL_SIZE]);

/* str of bytes that should be UTF-8; others are replaced. */
PyObject *text_of(const char *text);

/* A bytearray that holds a copy, for numpy.frombuffer; None of NULL. */
PyObject *bytes_of(const void *data, size_t size);

/* Puts a value into a dictionary and lets go of it; false with an exception set, also where `value` is NULL. */
bool put(PyObject *dictionary, const char *key, PyObject *value);

/* Numbers of subjects of a sequence, to be freed; NULL and *count 0 for None. False with an exception set. */
bool indices_of(PyObject *sequence, int32_t **index, size_t *count);

/* ---- Handles ----------------------------------------------------------------------------------- */

/* A capsule around an object of the library; `owner`, which may be NULL, lives as long. Takes the object: it is destroyed
 * on failure too. */
PyObject *set_wrap(congru_set *set, PyObject *owner);
PyObject *model_wrap(congru_model *model);
PyObject *results_wrap(congru_results *results);

/* NULL with TypeError for anything else. */
congru_set *set_of(PyObject *handle);
congru_model *model_of(PyObject *handle);

/* Options of methods, a sequence of (name, text). */
bool method_options_of(PyObject *pairs, congru_method_options *options);

/* "full", "50p", ...; ValueError for another name. */
bool target_of(const char *name, congru_target *target);

/* Pipelines that are defined for this call alone; `definitions` NULL defines none. */
congru_status define_pipelines(call *c, const char *definitions);

/* ---- The functions of each part, ended by {NULL} ------------------------------------------------ */

extern PyMethodDef geometry_methods[], set_methods[], method_methods[], model_methods[], evaluation_methods[],
    report_methods[], paper_methods[], decoder_methods[], statistics_methods[], call_methods[];

#endif
