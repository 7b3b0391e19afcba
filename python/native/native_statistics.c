/* Tests over subjects, metrics of predictions, patterns. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "native.h"

/* Two arrays of as many numbers. */
static bool open_pair(array *a, array *b, PyObject *first, PyObject *second)
{
    *a = *b = (array){0};
    if (!array_open(a, first, "a", 'f', 8) || !array_open(b, second, "b", 'f', 8))
        return false;
    if (a->count != b->count)
        PyErr_SetString(PyExc_ValueError, "a and b: as many numbers are needed");
    return a->count == b->count;
}

/* (a, b) -> (statistic, p, pairs that differ, exact) */
static PyObject *wilcoxon(PyObject *self, PyObject *args)
{
    PyObject *first, *second;
    array a, b;
    congru_wilcoxon found = {0};
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &first, &second))
        return NULL;
    const bool good = open_pair(&a, &b, first, second) && call_begin(&c, 1, NULL) &&
                      call_end(&c, congru_wilcoxon_test(c.context, a.count, a.data, b.data, &found));
    array_close(&a);
    array_close(&b);
    return good ? Py_BuildValue("ddni", found.statistic, congru_wilcoxon_p(&found), (Py_ssize_t)found.used,
                                (int)found.exact)
                : NULL;
}

/* (a, b, seed) -> p */
static PyObject *permutation(PyObject *self, PyObject *args)
{
    PyObject *first, *second;
    unsigned long long seed;
    double p = NAN;
    array a, b;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOK", &first, &second, &seed))
        return NULL;
    const bool good = open_pair(&a, &b, first, second) && call_begin(&c, 1, NULL) &&
                      call_end(&c, congru_permutation_test(c.context, seed, a.count, a.data, b.data, &p));
    array_close(&a);
    array_close(&b);
    return good ? PyFloat_FromDouble(p) : NULL;
}

/* (values, confidence) -> (count, mean, deviation, low, high) */
static PyObject *interval(PyObject *self, PyObject *args)
{
    PyObject *values;
    double confidence;
    array a;
    (void)self;
    if (!PyArg_ParseTuple(args, "Od", &values, &confidence) || !array_open(&a, values, "values", 'f', 8))
        return NULL;
    const congru_interval found = congru_interval_of(a.count, a.data, confidence);
    array_close(&a);
    return Py_BuildValue("ndddd", (Py_ssize_t)found.count, found.mean, found.deviation, found.low, found.high);
}

static PyObject *chance_level(PyObject *self, PyObject *args)
{
    Py_ssize_t trials, classes;
    double confidence;
    (void)self;
    if (!PyArg_ParseTuple(args, "nnd", &trials, &classes, &confidence))
        return NULL;
    return PyFloat_FromDouble(trials < 0 || classes < 0
                                  ? (double)NAN
                                  : congru_chance_level((size_t)trials, (size_t)classes, confidence));
}

static PyObject *transfer_bits(PyObject *self, PyObject *args)
{
    Py_ssize_t classes;
    double accuracy;
    (void)self;
    if (!PyArg_ParseTuple(args, "dn", &accuracy, &classes))
        return NULL;
    return PyFloat_FromDouble(classes < 0 ? (double)NAN : congru_transfer_bits(accuracy, (size_t)classes));
}

/* Names of metrics, (name, title, text) each. */
static PyObject *metric_names(PyObject *self, PyObject *args)
{
    const congru_score_about *about;
    (void)self;
    (void)args;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (about = congru_score_describe(i)) != NULL; i++) {
        PyObject *item = Py_BuildValue("sss", about->name, about->title, about->text);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* (truth, prediction, probability or None, classes, out (kinds), by class (classes, 4)) */
static PyObject *measure(PyObject *self, PyObject *args)
{
    PyObject *objects[5];
    Py_ssize_t classes;
    array truth = {0}, prediction = {0}, probability = {0}, out = {0}, each = {0};
    congru_class_metrics *by_class = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOnOO", &objects[0], &objects[1], &objects[2], &classes, &objects[3],
                          &objects[4]))
        return NULL;
    bool good = array_open(&truth, objects[0], "truth", 'i', 4) &&
                array_open(&prediction, objects[1], "prediction", 'i', 4) &&
                array_open_optional(&probability, objects[2], "probability", 'f', 8) &&
                array_open_written(&out, objects[3], "out", 'f', 8) &&
                array_open_written(&each, objects[4], "by_class", 'f', 8);
    const size_t kinds = classes > 0 ? (size_t)classes : 0;
    if (good &&
        (truth.count != prediction.count || out.count != CONGRU_SCORE_KINDS || each.count != 4 * kinds ||
         (probability.capsule != NULL && probability.count != truth.count * kinds))) {
        PyErr_SetString(PyExc_ValueError, "truth, prediction and probability: of other sizes");
        good = false;
    }
    by_class = good ? calloc(kinds + 1, sizeof *by_class) : NULL;
    if (good && by_class == NULL)
        PyErr_NoMemory();
    good = by_class != NULL && call_begin(&c, 1, NULL) &&
           call_end(&c, congru_metrics_measure(c.context, truth.count, kinds, truth.data, prediction.data,
                                               probability.data, out.data, by_class));
    for (size_t k = 0; good && k < kinds; k++) {
        const double row[] = {by_class[k].precision, by_class[k].recall, by_class[k].f1, by_class[k].auc};
        for (size_t i = 0; i < 4; i++)
            ((double *)each.data)[4 * k + i] = row[i];
    }
    free(by_class);
    array *const all[] = {&truth, &prediction, &probability, &out, &each};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_close(all[i]);
    return good ? none() : NULL;
}

/* (pipelines, subjects, place of pipeline (n), place of subject (n), values (n, kinds), classes, out (pipelines, subjects,
 * kinds)): folds put together, subject by subject. */
static PyObject *scores(PyObject *self, PyObject *args)
{
    PyObject *objects[4];
    Py_ssize_t pipelines, subjects, classes;
    array pipeline = {0}, subject = {0}, value = {0}, out = {0};
    congru_scores *made = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "nnOOOnO", &pipelines, &subjects, &objects[0], &objects[1], &objects[2],
                          &classes, &objects[3]))
        return NULL;
    bool good = array_open(&pipeline, objects[0], "pipeline", 'i', 4) &&
                array_open(&subject, objects[1], "subject", 'i', 4) &&
                array_open(&value, objects[2], "value", 'f', 8) &&
                array_open_written(&out, objects[3], "out", 'f', 8);
    const int32_t *p = pipeline.data, *s = subject.data;
    bool fits = good && pipelines >= 0 && subjects >= 0 && classes >= 0 && subject.count == pipeline.count &&
                value.count == pipeline.count * CONGRU_SCORE_KINDS &&
                out.count == (size_t)pipelines * (size_t)subjects * CONGRU_SCORE_KINDS;
    for (size_t i = 0; fits && i < pipeline.count; i++)
        fits = p[i] >= 0 && p[i] < pipelines && s[i] >= 0 && s[i] < subjects;
    if (good && !fits)
        PyErr_SetString(PyExc_ValueError, "scores: of other sizes");
    good = good && fits && call_begin(&c, 1, NULL);
    if (good) {
        congru_status status = congru_scores_create(c.context, "", (size_t)classes, &made);
        char name[32];
        size_t place;
        for (Py_ssize_t i = 0; status == CONGRU_OK && i < pipelines; i++) {
            PyOS_snprintf(name, sizeof name, "%zd", i);
            status = congru_scores_pipeline(c.context, made, name, &place);
        }
        for (Py_ssize_t i = 0; status == CONGRU_OK && i < subjects; i++) {
            PyOS_snprintf(name, sizeof name, "%zd", i);
            status = congru_scores_subject(c.context, made, name, &place);
        }
        for (size_t i = 0; status == CONGRU_OK && i < pipeline.count; i++)
            congru_scores_add(made, (size_t)p[i], (size_t)s[i],
                              (const double *)value.data + i * CONGRU_SCORE_KINDS);
        for (size_t i = 0; status == CONGRU_OK && i < out.count; i++) {
            const size_t cell = i / CONGRU_SCORE_KINDS, kind = i % CONGRU_SCORE_KINDS;
            ((double *)out.data)[i] =
                congru_scores_at(made, (congru_score)kind, cell / (size_t)subjects, cell % (size_t)subjects);
        }
        congru_scores_destroy(&made);
        good = call_end(&c, status);
    }
    array *const all[] = {&pipeline, &subject, &value, &out};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_close(all[i]);
    return good ? none() : NULL;
}

/* Patterns as the JSON that says what tables and sentences do, and as the text of patterns.csv; takes them. */
static PyObject *patterns_of(call *c, congru_status status, congru_patterns *patterns, size_t count)
{
    char *json = NULL, *csv = NULL;
    if (status == CONGRU_OK)
        status = congru_patterns_json(c->context, patterns, count, &json);
    if (status == CONGRU_OK)
        status = congru_patterns_csv(c->context, patterns, count, &csv);
    congru_patterns_destroy(&patterns);
    PyObject *pair = call_end(c, status) ? Py_BuildValue("NN", text_of(json), text_of(csv)) : NULL;
    congru_report_text_destroy(&json);
    congru_report_text_destroy(&csv);
    return pair;
}

static PyObject *model_patterns(PyObject *self, PyObject *handle)
{
    const congru_model *model = model_of(handle);
    congru_patterns *patterns = NULL;
    call c;
    (void)self;
    if (model == NULL || !call_begin(&c, 1, NULL))
        return NULL;
    congru_status status = congru_model_patterns(c.context, model, &patterns);
    return patterns_of(&c, status, patterns, patterns != NULL ? patterns->count : 0);
}

static PyObject *folder_patterns(PyObject *self, PyObject *args)
{
    const char *folder;
    congru_patterns *patterns = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &folder) || !call_begin(&c, 1, NULL))
        return NULL;
    congru_status status = congru_patterns_read(c.context, folder, &patterns);
    return patterns_of(&c, status, patterns, patterns != NULL ? patterns->count : 0);
}

PyMethodDef statistics_methods[] = {
    {"wilcoxon", wilcoxon, METH_VARARGS, "Wilcoxon's signed-rank test."},
    {"permutation", permutation, METH_VARARGS, "Signs by chance."},
    {"interval", interval, METH_VARARGS, "A mean and its interval."},
    {"chance_level", chance_level, METH_VARARGS, "What guessing exceeds rarely."},
    {"transfer_bits", transfer_bits, METH_VARARGS, "Bits a trial."},
    {"metric_names", metric_names, METH_NOARGS, "The metrics there are."},
    {"measure", measure, METH_VARARGS, "Metrics of predictions."},
    {"scores", scores, METH_VARARGS, "Metrics of folds, subject by subject."},
    {"model_patterns", model_patterns, METH_O, "Forward patterns of a model."},
    {"folder_patterns", folder_patterns, METH_VARARGS, "Forward patterns of a results folder."},
    {NULL, NULL, 0, NULL},
};
