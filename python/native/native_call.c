/* Calls of the library: a pool of contexts, the GIL, signals, exceptions. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "native.h"

/* A context is of one thread at a time, and keeps its threads and its scratch memory: those that no call has wait here.
 * The pool is under the GIL. A process that was forked has none of the threads: contexts of another process stay unused. */
typedef struct pool_slot {
    congru_context *context;
    call *user;
    int threads; /* as asked for */
    pid_t process;
    struct pool_slot *next;
} pool_slot;

enum { IDLE_MAX = 16 };

static const double look_seconds = 0.05;
static pool_slot *idle;
static size_t idle_count;
static int threads_default;

PyObject *none(void)
{
    Py_INCREF(Py_None);
    return Py_None;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- What is said ------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What is said otherwise here, as a whole; no longer than twice what it stands for. */
typedef struct phrase {
    const char *command, *python;
} phrase;

static const phrase phrases[] = {
    {" with -o", ""}, /* "name another folder with -o": its argument is called so */
    {"'congru presets'", "congru.presets()"},
    {"import it with --rate, or save it as 'fs'", "give fs, or rate to congru.read"},
    {"import the set with --rate", "give fs, or rate to congru.read"},
    {"import it with --start, or with --window all", "give tmin, or to congru.read start or window='all'"},
    {"import it anew with --keep-signals", "read it with keep_signals=True"},
    {"import the set with --like the model", "read it with like=model"},
    {"--events CODE=NAME,... or --preset", "events={CODE: NAME} or preset"},
};

/* The phrase that the text begins with, or NULL. */
static const phrase *phrase_at(const char *text)
{
    for (size_t k = 0; k < sizeof phrases / sizeof phrases[0]; k++) {
        const size_t length = strlen(phrases[k].command);
        if (strncmp(text, phrases[k].command, length) == 0 && !is_word(text[length]))
            return &phrases[k];
    }
    return NULL;
}

/* The library speaks of options and commands, which are arguments and functions here: "(give --rpa-labels 0)" becomes
 * "(give rpa_labels 0)", "'congru loso'" becomes "'congru.loso'". */
static PyObject *spoken_text(const char *text)
{
    static const char *const functions[] = {"loso", "within", "train", "synth", "reproduce", "ablate"};
    const size_t size = strlen(text);
    char *said = malloc(2 * size + 1);
    size_t out = 0;
    if (said == NULL)
        return PyErr_NoMemory();
    for (size_t i = 0; i < size;) {
        const phrase *whole = phrase_at(text + i);
        if (whole != NULL) {
            const size_t length = strlen(whole->python);
            memcpy(said + out, whole->python, length);
            out += length;
            i += strlen(whole->command);
            continue;
        }
        const bool begins = i == 0 || (!is_word(text[i - 1]) && strchr("-/.", text[i - 1]) == NULL);
        if (begins && strncmp(text + i, "--", 2) == 0 && is_word(text[i + 2])) {
            for (i += 2; is_word(text[i]) || (text[i] == '-' && is_word(text[i + 1])); i++)
                said[out++] = (char)(text[i] == '-' ? '_' : text[i]);
            continue;
        }
        if (begins && strncmp(text + i, "congru ", 7) == 0)
            for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
                const size_t length = strlen(functions[k]);
                if (strncmp(text + i + 7, functions[k], length) == 0 && !is_word(text[i + 7 + length])) {
                    memcpy(said + out, "congru.", 7);
                    out += 7;
                    i += 7;
                    break;
                }
            }
        said[out++] = text[i++];
    }
    said[out] = '\0';
    PyObject *message = text_of(said);
    free(said);
    return message;
}

static PyObject *spoken(PyObject *self, PyObject *args)
{
    const char *text;
    (void)self;
    return PyArg_ParseTuple(args, "s", &text) ? spoken_text(text) : NULL;
}

/* ---- Exceptions -------------------------------------------------------------------------------- */

/* The class of a status by errors.py, as the interpreter that asks has it: each has classes of its own. NULL with an
 * exception. */
static PyObject *class_of(congru_status status)
{
    PyObject *errors = PyImport_ImportModule("congru.errors");
    PyObject *classes = errors != NULL ? PyObject_GetAttrString(errors, "CLASSES") : NULL;
    PyObject *class = NULL;
    if (classes != NULL) {
        class = PyMapping_GetItemString(classes, congru_status_name(status));
        if (class == NULL && PyErr_ExceptionMatches(PyExc_KeyError)) {
            PyErr_Clear();
            class = PyObject_GetAttrString(errors, "ArgumentError");
        }
    }
    Py_XDECREF(classes);
    Py_XDECREF(errors);
    return class;
}

void raise_status(congru_status status, const char *text)
{
    PyObject *class = class_of(status);
    if (class == NULL)
        return;
    if (text == NULL || text[0] == '\0')
        text = congru_status_text(status);
    PyObject *message = spoken_text(text);
    PyObject *error = message != NULL ? PyObject_CallFunctionObjArgs(class, message, NULL) : NULL;
    PyObject *name = PyUnicode_FromString(congru_status_name(status));
    if (error != NULL && name != NULL && PyObject_SetAttrString(error, "status", name) == 0)
        PyErr_SetObject(class, error);
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_XDECREF(message);
    Py_DECREF(class);
}

/* ---- Signals ----------------------------------------------------------------------------------- */

/* With the GIL: whether to go on. */
static bool ask(call *c, size_t done, size_t total)
{
    if (PyErr_CheckSignals() != 0)
        return false;
    if (c->progress == NULL)
        return true;
    PyObject *said =
        PyObject_CallFunction(c->progress, "nnds", (Py_ssize_t)done, (Py_ssize_t)total, c->part, c->pipeline);
    bool goes_on = said != NULL && said != Py_False;
    Py_XDECREF(said);
    return goes_on;
}

/* The library calls it from the thread that called it, between pieces of work. */
static bool progress(void *user, size_t done, size_t total)
{
    call *c = ((pool_slot *)user)->user;
    double now = seconds();
    if (c == NULL || now < c->next)
        return c == NULL || c->kind == NULL;
    PyEval_RestoreThread(c->thread);
    bool goes_on = ask(c, done, total);
    if (!goes_on && PyErr_Occurred() && c->kind == NULL)
        PyErr_Fetch(&c->kind, &c->value, &c->trace);
    c->thread = PyEval_SaveThread();
    c->next = seconds() + look_seconds;
    return goes_on;
}

void call_watch(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    call *c = user;
    (void)step;
    (void)steps;
    c->part = part;
    snprintf(c->pipeline, sizeof c->pipeline, "%s", pipeline != NULL ? pipeline : "");
}

/* ---- The pool ---------------------------------------------------------------------------------- */

static pool_slot *take_idle(int threads)
{
    const pid_t process = getpid();
    for (pool_slot **at = &idle; *at != NULL; at = &(*at)->next) {
        pool_slot *found = *at;
        if (found->threads == threads && found->process == process) {
            *at = found->next;
            idle_count--;
            return found;
        }
    }
    return NULL;
}

static pool_slot *make_slot(int threads)
{
    pool_slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    slot->threads = threads;
    slot->process = getpid();
    congru_context_options options = {.threads = threads, .progress = progress, .progress_user = slot};
    congru_status status = congru_context_create(&slot->context, &options);
    if (status == CONGRU_OK)
        return slot;
    const char *cpu = getenv("CONGRU_CPU");
    free(slot);
    if (status == CONGRU_ERROR_CPU && cpu != NULL)
        PyErr_Format(PyExc_RuntimeError, "CONGRU_CPU=%s: this machine or this build does not have it", cpu);
    else
        raise_status(status, status == CONGRU_ERROR_ARGUMENT ? "threads: a number from 0 to 1024" : NULL);
    return NULL;
}

static void free_slot(pool_slot *slot)
{
    congru_context_destroy(&slot->context);
    free(slot);
}

bool call_begin(call *c, int threads, PyObject *progress_)
{
    *c = (call){.part = NAN};
    threads = threads != 0 ? threads : threads_default;
    c->slot = take_idle(threads);
    if (c->slot == NULL)
        c->slot = make_slot(threads);
    if (c->slot == NULL)
        return false;
    c->context = c->slot->context;
    c->progress = progress_ != Py_None ? progress_ : NULL;
    c->next = seconds() + look_seconds;
    c->slot->user = c;
    c->thread = PyEval_SaveThread();
    return true;
}

static bool warn_of_notes(const call *c)
{
    const char *note;
    bool good = true;
    for (size_t i = 0; good && (note = congru_context_note(c->context, i)) != NULL; i++) {
        PyObject *message = spoken_text(note),
                 *bytes = message != NULL ? PyUnicode_AsUTF8String(message) : NULL;
        good = bytes != NULL && PyErr_WarnEx(PyExc_RuntimeWarning, PyBytes_AsString(bytes), 2) == 0;
        Py_XDECREF(bytes);
        Py_XDECREF(message);
    }
    return good;
}

bool call_end(call *c, congru_status status)
{
    PyEval_RestoreThread(c->thread);
    bool good = status == CONGRU_OK;
    if (c->kind != NULL)
        PyErr_Restore(c->kind, c->value, c->trace);
    else if (!good)
        raise_status(status, congru_context_error(c->context));
    good = good && c->kind == NULL && warn_of_notes(c);
    c->slot->user = NULL;
    /* Notes are kept once for the life of a context: another call is to hear of them again. */
    if (c->spoiled || idle_count >= IDLE_MAX || congru_context_note(c->context, 0) != NULL) {
        free_slot(c->slot);
    } else {
        c->slot->next = idle;
        idle = c->slot;
        idle_count++;
    }
    return good;
}

static PyObject *set_threads(PyObject *self, PyObject *args)
{
    int threads;
    (void)self;
    if (!PyArg_ParseTuple(args, "i", &threads))
        return NULL;
    if (threads < 0 || threads > CONGRU_THREADS_MAX) {
        PyErr_Format(PyExc_ValueError, "threads: a number from 0 to %d, not %d", (int)CONGRU_THREADS_MAX,
                     threads);
        return NULL;
    }
    threads_default = threads;
    return none();
}

static PyObject *versions(PyObject *self, PyObject *args)
{
    call c;
    (void)self;
    (void)args;
    if (!call_begin(&c, 0, NULL))
        return NULL;
    const char *cpu = congru_context_cpu(c.context);
    int threads = congru_context_threads(c.context);
    if (!call_end(&c, CONGRU_OK))
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:i}", "version", congru_version(), "commit",
                         congru_version_commit(), "compiler", congru_version_compiler(), "cpu", cpu, "threads",
                         threads);
}

PyMethodDef call_methods[] = {
    {"spoken", spoken, METH_VARARGS, "A text of the library with arguments and functions of Python."},
    {"set_threads", set_threads, METH_VARARGS, "How many threads a call has; 0: one for each processor."},
    {"versions", versions, METH_NOARGS, "Version, commit, compiler, instruction set and threads."},
    {NULL, NULL, 0, NULL},
};
