/* What methods, pipelines, options and presets there are. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "native.h"

static bool append(PyObject *list, PyObject *item)
{
    bool good = item != NULL && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return good;
}

static PyObject *choices_of(const char *const *choices)
{
    if (choices == NULL)
        return none();
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && choices[i] != NULL; i++)
        if (!append(list, PyUnicode_FromString(choices[i])))
            Py_CLEAR(list);
    return list;
}

static PyObject *option_of(const congru_method_option *row)
{
    static const char *const kinds[] = {
        [CONGRU_OPTION_SWITCH] = "switch",       [CONGRU_OPTION_INTEGER] = "integer",
        [CONGRU_OPTION_NUMBER] = "number",       [CONGRU_OPTION_NUMBER_OR_AUTO] = "number or auto",
        [CONGRU_OPTION_CHOICE] = "choice",       [CONGRU_OPTION_WIDTHS] = "widths",
        [CONGRU_OPTION_SEED] = "seed",           [CONGRU_OPTION_RECIPE] = "recipe",
        [CONGRU_OPTION_SHORTHAND] = "shorthand", [CONGRU_OPTION_RANGE] = "range",
        [CONGRU_OPTION_CHOOSE] = "choose",
    };
    return Py_BuildValue("{s:s,s:s,s:z,s:s,s:d,s:d,s:N}", "name", row->option.name, "kind", kinds[row->kind],
                         "default", row->standard, "help", row->option.help, "least", row->least, "most",
                         row->most, "choices", choices_of(row->choices));
}

/* All rows, or those that a pipeline uses. */
static PyObject *method_options(PyObject *self, PyObject *args)
{
    const char *pipeline;
    const congru_method_option *row;
    (void)self;
    if (!PyArg_ParseTuple(args, "z", &pipeline))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL; i++) {
        row = pipeline != NULL ? congru_pipeline_option(pipeline, i) : congru_method_option_at(i);
        if (row == NULL)
            break;
        if (!append(list, option_of(row)))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *names_with_summaries(const char *(*name)(size_t), const char *(*summary)(size_t))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && name(i) != NULL; i++)
        if (!append(list, Py_BuildValue("ss", name(i), summary(i))))
            Py_CLEAR(list);
    return list;
}

static PyObject *aligners(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return names_with_summaries(congru_aligner_name, congru_aligner_summary);
}

static PyObject *classifiers(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return names_with_summaries(congru_classifier_name, congru_classifier_summary);
}

static PyObject *pipelines(PyObject *self, PyObject *args)
{
    int classical;
    char name[CONGRU_PIPELINE_SIZE];
    (void)self;
    if (!PyArg_ParseTuple(args, "p", &classical))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && congru_pipeline_at(i, classical != 0, name); i++)
        if (!append(list, PyUnicode_FromString(name)))
            Py_CLEAR(list);
    return list;
}

/* Those that are built in and have branches: "motor", ... */
static PyObject *defined(PyObject *self, PyObject *args)
{
    char name[CONGRU_PIPELINE_SIZE];
    call c;
    (void)self;
    (void)args;
    if (!call_begin(&c, 0, NULL) || !call_end(&c, CONGRU_OK))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && congru_pipeline_defined(NULL, i, name); i++)
        if (!append(list, PyUnicode_FromString(name)))
            Py_CLEAR(list);
    return list;
}

static PyObject *pipeline_describe(PyObject *self, PyObject *args)
{
    const char *name;
    congru_pipeline_description d = {0};
    char text[4096] = "";
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &name) || !call_begin(&c, 0, NULL))
        return NULL;
    congru_status status = congru_pipeline_describe(c.context, name, &d);
    if (status == CONGRU_OK)
        status = congru_pipeline_explain(c.context, name, text, sizeof text);
    if (!call_end(&c, status))
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:z,s:N,s:N,s:N,s:N,s:n,s:N}", "aligner", d.aligner, "classifier",
                         d.classifier, "network", d.network, "end_to_end", PyBool_FromLong(d.end_to_end),
                         "target_labels", PyBool_FromLong(d.target_labels), "needs_signals",
                         PyBool_FromLong(d.needs_signals), "embeds", PyBool_FromLong(d.embeds), "branches",
                         (Py_ssize_t)d.branches, "text", text_of(text));
}

static PyObject *preprocessing_options(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < CONGRU_PREPROCESSING_OPTIONS; i++) {
        const congru_option *o = &congru_preprocessing_options[i];
        if (!append(list, Py_BuildValue("szsN", o->name, o->argument, o->help,
                                        PyBool_FromLong(i < CONGRU_PREPROCESSING_TRIAL_OPTIONS))))
            Py_CLEAR(list);
    }
    for (int i = 0; list != NULL && i < CONGRU_IMPORT_OPTIONS; i++) {
        const congru_option *o = &congru_import_options[i];
        if (!append(list, Py_BuildValue("szsN", o->name, o->argument, o->help, PyBool_FromLong(false))))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *presets(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && congru_preset_name(i) != NULL; i++)
        if (!append(list, PyUnicode_FromString(congru_preset_name(i))))
            Py_CLEAR(list);
    return list;
}

/* What a recipe says of how covariances are made: (option, value). */
static PyObject *recipe_preprocessing(PyObject *self, PyObject *args)
{
    PyObject *pairs;
    congru_method_options options;
    const congru_recipe_value *value;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &pairs) || !method_options_of(pairs, &options))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (value = congru_recipe_at(options.network.recipe, i)) != NULL; i++)
        if (congru_method_option_find(value->option) == NULL &&
            !append(list, Py_BuildValue("ss", value->option, value->value)))
            Py_CLEAR(list);
    return list;
}

bool method_options_of(PyObject *pairs, congru_method_options *options)
{
    call c;
    congru_method_options_init(options);
    Py_ssize_t count = PySequence_Size(pairs);
    for (Py_ssize_t i = 0; i < count; i++) {
        texts pair;
        PyObject *item = PySequence_GetItem(pairs, i);
        bool good = item != NULL && texts_open(&pair, item, "options");
        Py_XDECREF(item);
        if (!good)
            return false;
        if (pair.count != 2) {
            PyErr_SetString(PyExc_ValueError, "options: pairs of a name and a text are needed");
            good = false;
        } else if (!call_begin(&c, 0, NULL)) {
            good = false;
        } else {
            char where[64];
            size_t size = 0;
            for (; pair.item[0][size] != '\0' && size + 1 < sizeof where; size++)
                where[size] = pair.item[0][size] == '-' ? '_' : pair.item[0][size]; /* as Python has its name */
            where[size] = '\0';
            good =
                call_end(&c, congru_method_options_set(c.context, options, where, pair.item[0], pair.item[1]));
        }
        texts_clear(&pair);
        if (!good)
            return false;
    }
    return count >= 0;
}

congru_status define_pipelines(call *c, const char *definitions)
{
    if (definitions == NULL)
        return CONGRU_OK;
    c->spoiled = true;
    return congru_pipeline_define(c->context, "definitions", definitions);
}

PyMethodDef method_methods[] = {
    {"method_options", method_options, METH_VARARGS, "The options of methods."},
    {"aligners", aligners, METH_NOARGS, "Aligners with their summaries."},
    {"classifiers", classifiers, METH_NOARGS, "Classifiers with their summaries."},
    {"pipelines", pipelines, METH_VARARGS, "Pipelines of an aligner and a classifier."},
    {"defined", defined, METH_NOARGS, "Pipelines of branches."},
    {"pipeline_describe", pipeline_describe, METH_VARARGS, "What a pipeline is made of."},
    {"preprocessing_options", preprocessing_options, METH_NOARGS, "The options of preprocessing and import."},
    {"presets", presets, METH_NOARGS, "The presets of data sets."},
    {"recipe_preprocessing", recipe_preprocessing, METH_VARARGS, "What a recipe says of covariances."},
    {NULL, NULL, 0, NULL},
};
