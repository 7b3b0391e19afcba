/* Reports of results folders. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "native.h"


typedef congru_status (*report_part)(call *c, const congru_report *report, const void *wanted, char **text);

/* Text of a report of these folders. */
static PyObject *render(PyObject *folders, report_part part, const void *wanted)
{
    texts paths;
    congru_report *report = NULL;
    char *text = NULL;
    call c;
    if (!texts_open(&paths, folders, "folders"))
        return NULL;
    bool good = call_begin(&c, 0, NULL);
    if (good) {
        congru_status status = congru_report_create(c.context, paths.item, paths.count, &report);
        if (status == CONGRU_OK)
            status = part(&c, report, wanted, &text);
        congru_report_destroy(&report);
        good = call_end(&c, status);
    }
    PyObject *result = good ? text_of(text) : NULL;
    congru_report_text_destroy(&text);
    texts_clear(&paths);
    return result;
}

static congru_status page_part(call *c, const congru_report *report, const void *wanted, char **text)
{
    (void)wanted;
    return congru_report_page(c->context, report, text);
}

static PyObject *report_html(PyObject *self, PyObject *args)
{
    PyObject *folders;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &folders))
        return NULL;
    return render(folders, page_part, NULL);
}

typedef struct wanted_part {
    const char *name;
    congru_table_format format;
    congru_report_choice choice;
} wanted_part;

static congru_status table_part(call *c, const congru_report *report, const void *wanted, char **text)
{
    const wanted_part *w = wanted;
    return congru_report_table(c->context, report, w->name, &w->choice, w->format, text);
}

static congru_status figure_part(call *c, const congru_report *report, const void *wanted, char **text)
{
    const wanted_part *w = wanted;
    congru_drawing *drawing = NULL;
    congru_status status = congru_report_figure(c->context, report, w->name, &w->choice, &drawing);
    if (status == CONGRU_OK)
        status = congru_drawing_svg(c->context, drawing, text);
    congru_drawing_destroy(&drawing);
    return status;
}

/* (folders, name, format, pipeline or None) */
static PyObject *report_table(PyObject *self, PyObject *args)
{
    static const char *const formats[] = {
        [CONGRU_TABLE_CSV] = "csv", [CONGRU_TABLE_LATEX] = "latex", [CONGRU_TABLE_HTML] = "html"};
    PyObject *folders;
    const char *format;
    wanted_part wanted = {0};
    int found = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "Ossz", &folders, &wanted.name, &format, &wanted.choice.pipeline))
        return NULL;
    while (found < 3 && strcmp(formats[found], format) != 0)
        found++;
    if (found == 3) {
        PyErr_Format(PyExc_ValueError, "format '%s': 'csv', 'latex' or 'html'", format);
        return NULL;
    }
    wanted.format = (congru_table_format)found;
    return render(folders, table_part, &wanted);
}

/* (folders, name, pipeline or None) */
static PyObject *report_figure(PyObject *self, PyObject *args)
{
    PyObject *folders;
    wanted_part wanted = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "Osz", &folders, &wanted.name, &wanted.choice.pipeline))
        return NULL;
    return render(folders, figure_part, &wanted);
}

/* (path, bytes): under its name whole or not at all. */
static PyObject *file_write(PyObject *self, PyObject *args)
{
    PyObject *path;
    const char *bytes;
    Py_ssize_t size;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&y#", PyUnicode_FSConverter, &path, &bytes, &size))
        return NULL;
    bool good = call_begin(&c, 0, NULL) &&
                call_end(&c, congru_report_write(c.context, PyBytes_AsString(path), bytes, (size_t)size));
    Py_DECREF(path);
    return good ? none() : NULL;
}

PyMethodDef report_methods[] = {
    {"file_write", file_write, METH_VARARGS, "A file that is there whole or not at all."},
    {"report_html", report_html, METH_VARARGS, "The page."},
    {"report_table", report_table, METH_VARARGS, "One table."},
    {"report_figure", report_figure, METH_VARARGS, "One figure, as SVG."},
    {NULL, NULL, 0, NULL},
};
