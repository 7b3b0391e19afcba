/* Geometry: batches of matrices in and out. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "native.h"

/* Whether an array is (n, d, d) with these sizes, 0 standing for any; ValueError otherwise. The Python side has shaped
 * them already: this is what keeps a mistake there from being a fault here. */
static bool is_batch(const array *a, const char *name, size_t n, size_t d)
{
    bool good = a->dims == 3 && a->shape[1] == a->shape[2] && (n == 0 || (size_t)a->shape[0] == n) &&
                (d == 0 || (size_t)a->shape[1] == d);
    if (!good)
        PyErr_Format(PyExc_ValueError, "%s: matrices of other sizes", name);
    return good;
}

static bool has_count(const array *a, const char *name, size_t count)
{
    if (a->count != count)
        PyErr_Format(PyExc_ValueError, "%s: %zu numbers where %zu are needed", name, a->count, count);
    return a->count == count;
}

/* Two arrays that are read, the second of which may be None, and one that is written to. */
typedef struct operands {
    array a, b, out;
    size_t n, d;
} operands;

static bool open_operands(operands *o, PyObject *a, PyObject *b, PyObject *out)
{
    *o = (operands){0};
    if (!array_open(&o->a, a, "matrices", 'f', 8) || !array_open_optional(&o->b, b, "matrices", 'f', 8) ||
        !array_open_written(&o->out, out, "out", 'f', 8))
        return false;
    o->n = o->a.dims > 0 ? (size_t)o->a.shape[0] : 0;
    o->d = o->a.dims > 1 ? (size_t)o->a.shape[1] : 0;
    return true;
}

static PyObject *close_operands(operands *o, bool good)
{
    array_close(&o->a);
    array_close(&o->b);
    array_close(&o->out);
    return good ? none() : NULL;
}

typedef congru_status (*matrix_function)(congru_context *, size_t, size_t, const double *, double *);

static const matrix_function matrix_functions[] = {congru_spd_log, congru_spd_exp, congru_spd_sqrt,
                                                   congru_spd_invsqrt};
enum { POWER = 4 };

static PyObject *matrix(PyObject *self, PyObject *args)
{
    PyObject *a, *out;
    int which;
    double p;
    operands o = {0};
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "iOOd", &which, &a, &out, &p))
        return NULL;
    if (which < 0 || which > POWER) {
        PyErr_Format(PyExc_TypeError, "matrix: there is no function %d of matrices", which);
        return NULL;
    }
    bool good = open_operands(&o, a, Py_None, out) && is_batch(&o.a, "matrices", 0, 0) &&
                is_batch(&o.out, "out", o.n, o.d) && call_begin(&c, 0, NULL);
    if (good) {
        congru_status status = which == POWER
                                   ? congru_spd_power(c.context, o.n, o.d, o.a.data, p, o.out.data)
                                   : matrix_functions[which](c.context, o.n, o.d, o.a.data, o.out.data);
        good = call_end(&c, status);
    }
    return close_operands(&o, good);
}

/* metric, A, B, out: one distance for each matrix of A, or one for each pair. */
static PyObject *measure(PyObject *args, bool pairwise)
{
    PyObject *a, *b, *out;
    int metric;
    operands o;
    call c;
    if (!PyArg_ParseTuple(args, "iOOO", &metric, &a, &b, &out))
        return NULL;
    bool good = open_operands(&o, a, b, out) && is_batch(&o.a, pairwise ? "X" : "A", 0, 0) &&
                is_batch(&o.b, pairwise ? "Y" : "B", 0, o.d) &&
                has_count(&o.out, "out", pairwise ? o.n * (size_t)o.b.shape[0] : o.n) &&
                call_begin(&c, 0, NULL);
    if (good) {
        const size_t m = (size_t)o.b.shape[0];
        good = call_end(&c, pairwise ? congru_spd_distance_pairwise(c.context, (congru_metric)metric, o.d, o.n,
                                                                    o.a.data, m, o.b.data, o.out.data)
                                     : congru_spd_distance(c.context, (congru_metric)metric, o.n, o.d, o.a.data,
                                                           m, o.b.data, o.out.data));
    }
    return close_operands(&o, good);
}

static PyObject *distance(PyObject *self, PyObject *args)
{
    (void)self;
    return measure(args, false);
}

static PyObject *distance_pairwise(PyObject *self, PyObject *args)
{
    (void)self;
    return measure(args, true);
}

static PyObject *geodesic(PyObject *self, PyObject *args)
{
    PyObject *a, *b, *out;
    int metric;
    double t;
    operands o;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "iOOdO", &metric, &a, &b, &t, &out))
        return NULL;
    bool good = open_operands(&o, a, b, out) && is_batch(&o.a, "A", 0, 0) && is_batch(&o.b, "B", 0, o.d) &&
                is_batch(&o.out, "out", o.n, o.d) && call_begin(&c, 0, NULL);
    if (good)
        good = call_end(&c, congru_spd_geodesic(c.context, (congru_metric)metric, o.n, o.d, o.a.data,
                                                (size_t)o.b.shape[0], o.b.data, t, o.out.data));
    return close_operands(&o, good);
}

static PyObject *tangent(PyObject *self, PyObject *args)
{
    PyObject *a, *base, *out;
    operands o;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &a, &base, &out))
        return NULL;
    bool good = open_operands(&o, a, base, out) && is_batch(&o.a, "X", 0, 0) &&
                (o.b.capsule == NULL || has_count(&o.b, "Cref", o.d * o.d)) &&
                has_count(&o.out, "out", o.n * congru_spd_tangent_size(o.d)) && call_begin(&c, 0, NULL);
    if (good)
        good = call_end(&c, congru_spd_tangent(c.context, o.n, o.d, o.b.data, o.a.data, o.out.data));
    return close_operands(&o, good);
}

static PyObject *untangent(PyObject *self, PyObject *args)
{
    PyObject *vectors, *base, *out;
    operands o;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &vectors, &base, &out))
        return NULL;
    bool good = open_operands(&o, vectors, base, out) && is_batch(&o.out, "out", 0, 0);
    const size_t n = good ? (size_t)o.out.shape[0] : 0, d = good ? (size_t)o.out.shape[1] : 0;
    good = good && (o.b.capsule == NULL || has_count(&o.b, "Cref", d * d)) &&
           has_count(&o.a, "X", n * congru_spd_tangent_size(d)) && call_begin(&c, 0, NULL);
    if (good)
        good = call_end(&c, congru_spd_untangent(c.context, n, d, o.b.data, o.a.data, o.out.data));
    return close_operands(&o, good);
}

/* (metric, matrices, weights or None, out, start or None, tolerance, iterations) -> (iterations, norm, converged). */
static PyObject *mean(PyObject *self, PyObject *args)
{
    PyObject *a, *weights, *out, *start;
    int metric;
    operands o;
    array first = {0};
    congru_mean_options options = {0};
    congru_mean_info info = {0};
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "iOOOOdi", &metric, &a, &weights, &out, &start, &options.tolerance,
                          &options.iterations_max))
        return NULL;
    bool good = open_operands(&o, a, weights, out) && array_open_optional(&first, start, "init", 'f', 8) &&
                is_batch(&o.a, "X", 0, 0) && has_count(&o.out, "out", o.d * o.d) &&
                (o.b.capsule == NULL || has_count(&o.b, "sample_weight", o.n)) &&
                (first.capsule == NULL || has_count(&first, "init", o.d * o.d)) && call_begin(&c, 0, NULL);
    if (good) {
        options.weights = o.b.data;
        options.start = first.data;
        congru_status status =
            congru_spd_mean(c.context, (congru_metric)metric, o.n, o.d, o.a.data, &options, o.out.data, &info);
        /* The best mean found is there: the caller is told how good it is. */
        good = call_end(&c, status == CONGRU_ERROR_NOT_CONVERGED ? CONGRU_OK : status);
    }
    array_close(&first);
    PyObject *closed = close_operands(&o, good);
    Py_XDECREF(closed);
    return closed != NULL
               ? Py_BuildValue("idN", info.iterations, info.tangent_norm, PyBool_FromLong(info.converged))
               : NULL;
}

static PyObject *covariances(PyObject *self, PyObject *args)
{
    PyObject *signals, *out;
    int estimator, trace;
    operands o;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "ipOO", &estimator, &trace, &signals, &out))
        return NULL;
    bool good = open_operands(&o, signals, Py_None, out);
    if (good && o.a.dims != 3) {
        PyErr_SetString(PyExc_ValueError, "X: signals (trials, channels, samples) are needed");
        good = false;
    }
    good = good && is_batch(&o.out, "out", o.n, o.d) && call_begin(&c, 0, NULL);
    if (good)
        good = call_end(&c, congru_covariance(c.context, (congru_estimator)estimator, trace != 0, o.n, o.d,
                                              (size_t)o.a.shape[2], o.a.data, o.out.data));
    return close_operands(&o, good);
}

/* (metric, matrices, subjects, subject (n) int32, reference (subjects, d, d), out): see congru_alignment_recentre. */
static PyObject *recentre(PyObject *self, PyObject *args)
{
    PyObject *a, *subject, *reference, *out;
    int metric;
    Py_ssize_t subjects;
    operands o;
    array who = {0}, where = {0};
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "iOnOOO", &metric, &a, &subjects, &subject, &reference, &out))
        return NULL;
    bool good = open_operands(&o, a, Py_None, out) && array_open(&who, subject, "groups", 'i', 4) &&
                array_open_written(&where, reference, "reference", 'f', 8) && is_batch(&o.a, "X", 0, 0) &&
                is_batch(&o.out, "out", o.n, o.d) && has_count(&who, "groups", o.n) &&
                is_batch(&where, "reference", (size_t)subjects, o.d) && call_begin(&c, 0, NULL);
    if (good)
        good = call_end(&c, congru_alignment_recentre(c.context, (congru_metric)metric, o.n, o.d, o.a.data,
                                                      (size_t)subjects, who.data, where.data, o.out.data));
    array_close(&who);
    array_close(&where);
    return close_operands(&o, good);
}

/* (recentred matrices, label (n) int32 or -1, dispersion, source matrices (k, d, d), source label (k) int32, classes, seed, out):
 * the last two steps of Riemannian Procrustes analysis; without a label the last is left out. */
static PyObject *procrustes(PyObject *self, PyObject *args)
{
    PyObject *a, *label, *source, *source_label, *out;
    double dispersion, *rotation = NULL;
    Py_ssize_t classes;
    unsigned long long seed;
    operands o;
    array own = {0}, theirs = {0};
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOdOOnKO", &a, &label, &dispersion, &source, &source_label, &classes, &seed,
                          &out))
        return NULL;
    bool good = open_operands(&o, a, source, out) && array_open(&own, label, "y", 'i', 4) &&
                array_open(&theirs, source_label, "labels", 'i', 4) && is_batch(&o.a, "X", 0, 0) &&
                is_batch(&o.b, "means", 0, o.d) && is_batch(&o.out, "out", o.n, o.d) &&
                has_count(&own, "y", o.n) && has_count(&theirs, "labels", (size_t)o.b.shape[0]);
    rotation = good ? PyMem_Malloc(o.d * o.d * sizeof *rotation) : NULL;
    if (good && rotation == NULL)
        PyErr_NoMemory();
    good = rotation != NULL && classes > 0 && call_begin(&c, 0, NULL);
    if (good) {
        bool labelled = false;
        for (size_t i = 0; i < o.n; i++)
            labelled = labelled || ((const int32_t *)own.data)[i] >= 0;
        congru_status status =
            congru_alignment_scale(c.context, o.n, o.d, o.a.data, dispersion, NULL, o.out.data);
        if (status == CONGRU_OK && labelled)
            status = congru_alignment_rotation(c.context, o.d, (size_t)classes, theirs.count, o.b.data,
                                               theirs.data, o.n, o.out.data, own.data, seed, rotation);
        if (status == CONGRU_OK && labelled)
            status = congru_spd_congruence(c.context, o.n, o.d, o.d, o.out.data, rotation, o.out.data);
        good = call_end(&c, status);
    }
    PyMem_Free(rotation);
    array_close(&own);
    array_close(&theirs);
    return close_operands(&o, good);
}

PyMethodDef geometry_methods[] = {
    {"matrix", matrix, METH_VARARGS, "Logarithm, exponential, roots and powers of matrices."},
    {"distance", distance, METH_VARARGS, "Distances of pairs."},
    {"distance_pairwise", distance_pairwise, METH_VARARGS, "Distances of all pairs."},
    {"geodesic", geodesic, METH_VARARGS, "Points between matrices."},
    {"tangent", tangent, METH_VARARGS, "Tangent vectors of matrices."},
    {"untangent", untangent, METH_VARARGS, "Matrices of tangent vectors."},
    {"mean", mean, METH_VARARGS, "The mean of matrices."},
    {"covariances", covariances, METH_VARARGS, "Covariances of signals."},
    {"recentre", recentre, METH_VARARGS, "Each subject's mean moved to the identity."},
    {"procrustes", procrustes, METH_VARARGS, "Recentred trials scaled and rotated."},
    {NULL, NULL, 0, NULL},
};
