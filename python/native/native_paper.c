/* The experiments of the paper. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "native.h"

/* [(name, what it shows, whether it takes sets)] */
static PyObject *paper_experiments(PyObject *self, PyObject *unused)
{
    const congru_paper_experiment *about;
    PyObject *list = PyList_New(0);
    (void)self, (void)unused;
    for (size_t i = 0; list != NULL && (about = congru_paper_experiment_at(i)) != NULL; i++) {
        PyObject *row = Py_BuildValue("(ssN)", about->name, about->text, PyBool_FromLong(about->takes_sets));
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* A table in one format; NULL with an exception set. */
static PyObject *table_text(const congru_table *table, congru_table_format format)
{
    char *text = NULL;
    congru_status status = congru_table_print(NULL, table, format, NULL, &text);
    PyObject *made = NULL;
    if (status == CONGRU_OK)
        made = text_of(text);
    else
        raise_status(status, "a table cannot be written");
    congru_report_text_destroy(&text);
    return made;
}

static PyObject *block_dict(const congru_paper_block *block)
{
    static const char *const kinds[] = {"line", "text", "note", "table", "claim"};
    static const char *const verdicts[] = {"not judged", "holds", "does not hold"};
    PyObject *d = PyDict_New();
    bool good = d != NULL && put(d, "kind", text_of(kinds[block->kind])) &&
                put(d, "apart", PyBool_FromLong(block->apart));
    if (good && block->text != NULL)
        good = put(d, "text", text_of(block->text));
    if (good && block->kind == CONGRU_PAPER_TABLE)
        good = put(d, "json", table_text(&block->table, CONGRU_TABLE_JSON)) &&
               (block->text != NULL || put(d, "text", table_text(&block->table, CONGRU_TABLE_TEXT)));
    if (good && block->kind == CONGRU_PAPER_CLAIM)
        good = put(d, "claim", text_of(block->claim)) && put(d, "verdict", text_of(verdicts[block->verdict])) &&
               put(d, "printed", text_of(verdicts[block->printed]));
    if (!good)
        Py_CLEAR(d);
    return d;
}

static PyObject *blocks_list(const congru_paper_result *result)
{
    PyObject *list = PyList_New((Py_ssize_t)result->count);
    for (size_t i = 0; list != NULL && i < result->count; i++) {
        PyObject *block = block_dict(&result->block[i]);
        if (block == NULL || PyList_SetItem(list, (Py_ssize_t)i, block) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Sets of a sequence of handles, with their names; to be freed. */
static congru_paper_set *sets_of(PyObject *handles, const texts *names)
{
    congru_paper_set *sets = calloc(names->count + 1, sizeof *sets);
    if (sets == NULL)
        return (congru_paper_set *)PyErr_NoMemory();
    for (size_t i = 0; i < names->count; i++) {
        PyObject *handle = PySequence_GetItem(handles, (Py_ssize_t)i);
        sets[i].name = names->item[i];
        sets[i].set = handle != NULL ? set_of(handle) : NULL;
        Py_XDECREF(handle); /* the caller's sequence has it */
        if (sets[i].set == NULL) {
            free(sets);
            return NULL;
        }
    }
    return sets;
}

/* (experiment or None for the parts of networks, sets, their names, folder, pipelines or None, options, subjects or None,
 * target, by session, first seed, last seed, trials, command, threads, progress) -> blocks */
static PyObject *paper_run(PyObject *self, PyObject *args)
{
    PyObject *handles, *set_names, *folder, *list, *pairs, *subject_names, *watcher, *made = NULL,
                                                                                     *encoded = NULL;
    const char *target;
    int by_session, threads;
    texts names = {0}, pipelines = {0}, subjects = {0};
    congru_paper_request request;
    congru_paper_result *result = NULL;
    congru_paper_set *sets = NULL;
    call c;
    (void)self;
    congru_paper_request_init(&request);
    if (!PyArg_ParseTuple(args, "zOOOOOOspiiiziO", &request.experiment, &handles, &set_names, &folder, &list,
                          &pairs, &subject_names, &target, &by_session, &request.seeds[0], &request.seeds[1],
                          &request.trials, &request.run.command, &threads, &watcher))
        return NULL;
    bool good = texts_open(&names, set_names, "names") && (sets = sets_of(handles, &names)) != NULL &&
                PyUnicode_FSConverter(folder, &encoded) &&
                (list == Py_None || texts_open(&pipelines, list, "pipelines")) &&
                (subject_names == Py_None || texts_open(&subjects, subject_names, "subjects")) &&
                target_of(target, &request.run.target) && method_options_of(pairs, &request.run.method) &&
                call_begin(&c, threads, watcher);
    if (good) {
        request.sets = sets;
        request.set_count = names.count;
        request.folder = PyBytes_AsString(encoded);
        request.subjects = subjects.item;
        request.subject_count = subjects.count;
        request.run.pipelines = pipelines.item;
        request.run.pipeline_count = pipelines.count;
        request.run.align_by_session = by_session != 0;
        request.run.watch = call_watch;
        request.run.watch_user = &c;
        good = call_end(&c, request.experiment != NULL ? congru_paper_run(c.context, &request, &result)
                                                       : congru_ablate(c.context, &request, &result));
    }
    if (good)
        made = blocks_list(result);
    congru_paper_result_destroy(&result);
    texts_clear(&names);
    texts_clear(&pipelines);
    texts_clear(&subjects);
    free(sets);
    Py_XDECREF(encoded);
    return made;
}

PyMethodDef paper_methods[] = {
    {"paper_experiments", paper_experiments, METH_NOARGS, "The experiments by name."},
    {"paper_run", paper_run, METH_VARARGS, "Runs one."},
    {NULL, NULL, 0, NULL},
};
