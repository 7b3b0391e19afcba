/* Every function of spd.h and every adjoint under one signature. SPDX-License-Identifier: Apache-2.0 */
#include "operation_table.h"

#include <stdlib.h>
#include <string.h>

#include "spd_samples.h"

static size_t other_dimension(size_t d)
{
    return d / 2 + 1;
}

/* ---- Operands ---------------------------------------------------------------------------------- */

static operands operands_alloc(size_t n, size_t d)
{
    size_t m = other_dimension(d);
    operands in = {.n = n, .d = d};
    in.a = sample_alloc(n * d * d);
    in.b = sample_alloc(n * d * d);
    in.s = sample_alloc(n * d * d);
    in.dy = sample_alloc(n * d * d);
    in.dz = sample_alloc(n * m * m);
    in.vectors = sample_alloc(n * congru_spd_tangent_size(d));
    in.weights = sample_alloc(n);
    in.shared = sample_alloc(2 * d * d);
    in.w = sample_alloc(d * m);
    return in;
}

void operands_free(operands *in)
{
    double *all[] = {in->a, in->b, in->s, in->dy, in->dz, in->vectors, in->weights, in->shared, in->w};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    memset(in, 0, sizeof *in);
}

static void scale_by(size_t count, double factor, double *x)
{
    for (size_t i = 0; i < count; i++)
        x[i] *= factor;
}

static void make_hard(congru_random *random, size_t d, size_t kind, double *c)
{
    double *values = sample_alloc(d);
    for (size_t i = 0; i < d; i++)
        values[i] = i % 2 == 0 ? 2.0 : 0.25;
    switch (kind % 8) {
    case 1:
        sample_spd(random, d, 1e8, c);
        break;
    case 2:
        memset(c, 0, d * d * sizeof *c);
        for (size_t i = 0; i < d; i++)
            c[i * d + i] = (double)(1 + (7 * i) % 5);
        break;
    case 3:
        dense_identity(d, c);
        break;
    case 4:
    case 5:
        sample_spd(random, d, 100.0, c);
        scale_by(d * d, kind % 8 == 4 ? 1e-100 : 1e100, c);
        break;
    case 6:
        sample_with_values(random, d, values, c);
        break;
    default:
        sample_spd(random, d, 1e4, c);
    }
    free(values);
}

static void make_symmetric(congru_random *random, size_t d, size_t kind, double *s)
{
    if (kind % 4 == 1)
        memset(s, 0, d * d * sizeof *s);
    else if (kind % 4 == 2)
        make_hard(random, d, 2, s);
    else
        sample_symmetric(random, d, kind % 4 == 0 ? 5.0 : 1e-8, s);
}

operands operands_make(congru_random *random, size_t n, size_t d, bool hard)
{
    operands in = operands_alloc(n, d);
    size_t m = other_dimension(d), dd = d * d;
    for (size_t i = 0; i < n; i++) {
        if (hard) {
            make_hard(random, d, i, in.a + i * dd);
            make_hard(random, d, i / 2 + 1, in.b + i * dd);
            make_symmetric(random, d, i, in.s + i * dd);
        } else {
            sample_spd(random, d, i % 3 == 0 ? 10.0 : 1e4, in.a + i * dd);
            sample_spd(random, d, 100.0, in.b + i * dd);
            sample_symmetric(random, d, 3.0, in.s + i * dd);
        }
        in.weights[i] = congru_random_uniform(random) + 0.1;
    }
    sample_normals(random, n * dd, in.dy);
    sample_normals(random, n * m * m, in.dz);
    sample_normals(random, n * congru_spd_tangent_size(d), in.vectors);
    sample_spd(random, d, 30.0, in.shared);
    sample_spd(random, d, 1e3, in.shared + dd);
    sample_normals(random, d * m, in.w);
    return in;
}

static void gather(size_t count, const size_t *order, size_t size, const double *from, double *to)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, from + order[i] * size, size * sizeof *to);
}

operands operands_gather(const operands *from, size_t count, const size_t *order)
{
    size_t d = from->d, m = other_dimension(d);
    operands in = operands_alloc(count, d);
    gather(count, order, d * d, from->a, in.a);
    gather(count, order, d * d, from->b, in.b);
    gather(count, order, d * d, from->s, in.s);
    gather(count, order, d * d, from->dy, in.dy);
    gather(count, order, m * m, from->dz, in.dz);
    gather(count, order, congru_spd_tangent_size(d), from->vectors, in.vectors);
    gather(count, order, 1, from->weights, in.weights);
    memcpy(in.shared, from->shared, 2 * d * d * sizeof *in.shared);
    memcpy(in.w, from->w, d * m * sizeof *in.w);
    return in;
}

/* ---- One matrix at a time ---------------------------------------------------------------------- */

#define RUNNER(name) \
    static congru_status name(congru_context *context, const operands *in, double *const out[OPERATION_OUTPUTS])

RUNNER(run_eigen)
{
    return congru_spd_eigen(context, in->n, in->d, in->s, out[0], out[1]);
}

RUNNER(run_eigen_positive)
{
    return congru_spd_eigen(context, in->n, in->d, in->a, out[0], out[1]);
}

RUNNER(run_eigenvalues)
{
    return congru_spd_eigen(context, in->n, in->d, in->a, out[0], NULL);
}

RUNNER(run_log)
{
    return congru_spd_log(context, in->n, in->d, in->a, out[0]);
}

RUNNER(run_exp)
{
    return congru_spd_exp(context, in->n, in->d, in->s, out[0]);
}

RUNNER(run_roots)
{
    congru_status status = congru_spd_sqrt(context, in->n, in->d, in->a, out[0]);
    if (status == CONGRU_OK)
        status = congru_spd_invsqrt(context, in->n, in->d, in->a, out[1]);
    return status;
}

RUNNER(run_power)
{
    return congru_spd_power(context, in->n, in->d, in->a, 0.3, out[0]);
}

RUNNER(run_congruence)
{
    return congru_spd_congruence(context, in->n, in->d, other_dimension(in->d), in->s, in->w, out[0]);
}

RUNNER(run_merge)
{
    return congru_spd_merge(context, in->n, in->d, in->a, in->b, out[0]);
}

/* In all three metrics. */
RUNNER(run_distance)
{
    congru_status status = CONGRU_OK;
    for (int metric = 0; metric < 3 && status == CONGRU_OK; metric++)
        status =
            congru_spd_distance(context, (congru_metric)metric, in->n, in->d, in->a, in->n, in->b, out[metric]);
    return status;
}

RUNNER(run_distance_shared)
{
    congru_status status = CONGRU_OK;
    for (int metric = 0; metric < 3 && status == CONGRU_OK; metric++)
        status = congru_spd_distance(context, (congru_metric)metric, in->n, in->d, in->a, 1, in->shared,
                                     out[metric]);
    return status;
}

RUNNER(run_pairwise)
{
    congru_status status = CONGRU_OK;
    for (int metric = 0; metric < 3 && status == CONGRU_OK; metric++)
        status = congru_spd_distance_pairwise(context, (congru_metric)metric, in->d, in->n, in->a, 2,
                                              in->shared, out[metric]);
    return status;
}

RUNNER(run_geodesic)
{
    congru_status status = CONGRU_OK;
    for (int metric = 0; metric < 3 && status == CONGRU_OK; metric++)
        status = congru_spd_geodesic(context, (congru_metric)metric, in->n, in->d, in->a, in->n, in->b, 0.3,
                                     out[metric]);
    return status;
}

RUNNER(run_geodesic_shared)
{
    congru_status status = CONGRU_OK;
    for (int metric = 0; metric < 3 && status == CONGRU_OK; metric++)
        status = congru_spd_geodesic(context, (congru_metric)metric, in->n, in->d, in->a, 1, in->shared, 0.7,
                                     out[metric]);
    return status;
}

RUNNER(run_maps)
{
    congru_status status = congru_spd_log_map(context, in->n, in->d, in->shared, in->a, out[0]);
    if (status == CONGRU_OK)
        status = congru_spd_exp_map(context, in->n, in->d, in->shared, in->s, out[1]);
    return status;
}

RUNNER(run_tangent)
{
    congru_status status = congru_spd_tangent(context, in->n, in->d, in->shared, in->a, out[0]);
    if (status == CONGRU_OK)
        status = congru_spd_tangent(context, in->n, in->d, NULL, in->a, out[1]);
    return status;
}

RUNNER(run_untangent)
{
    congru_status status = congru_spd_untangent(context, in->n, in->d, in->shared, in->vectors, out[0]);
    if (status == CONGRU_OK)
        status = congru_spd_untangent(context, in->n, in->d, NULL, in->vectors, out[1]);
    return status;
}

/* ---- Adjoints ---------------------------------------------------------------------------------- */

/* Makes `count` spectra of (n, d), the last of (last_n, d). */
static congru_status make_spectra(congru_context *context, const operands *in, size_t count, size_t last_n,
                                  congru_spectrum *spectra[3])
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < count && status == CONGRU_OK; i++)
        status = congru_spectrum_create(context, i + 1 == count ? last_n : in->n, in->d, &spectra[i]);
    return status;
}

static congru_status free_spectra(congru_status status, congru_spectrum *spectra[3])
{
    for (size_t i = 0; i < 3; i++)
        congru_spectrum_destroy(&spectra[i]);
    return status;
}

static congru_status log_pair(congru_context *context, const operands *in, double jitter, double floor,
                              double *const out[OPERATION_OUTPUTS])
{
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    congru_status status = make_spectra(context, in, 1, in->n, spectra);
    if (status == CONGRU_OK)
        status = congru_spd_log_forward(context, in->n, in->d, in->a, jitter, floor, out[0], spectra[0]);
    if (status == CONGRU_OK)
        status = congru_spd_log_backward(context, spectra[0], in->dy, out[1]);
    return free_spectra(status, spectra);
}

RUNNER(run_log_adjoint)
{
    return log_pair(context, in, 0.0, 0.0, out);
}

RUNNER(run_log_adjoint_floored)
{
    return log_pair(context, in, 1e-4, 0.3, out);
}

RUNNER(run_exp_adjoint)
{
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    congru_status status = make_spectra(context, in, 1, in->n, spectra);
    if (status == CONGRU_OK)
        status = congru_spd_exp_forward(context, in->n, in->d, in->s, 0.7, out[0], spectra[0]);
    if (status == CONGRU_OK)
        status = congru_spd_exp_backward(context, spectra[0], in->dy, out[1]);
    return free_spectra(status, spectra);
}

RUNNER(run_power_adjoint)
{
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    congru_status status = make_spectra(context, in, 1, in->n, spectra);
    if (status == CONGRU_OK)
        status = congru_spd_power_forward(context, in->n, in->d, in->a, -0.4, out[0], spectra[0]);
    if (status == CONGRU_OK)
        status = congru_spd_power_backward(context, spectra[0], in->dy, out[1]);
    return free_spectra(status, spectra);
}

RUNNER(run_merge_adjoint)
{
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    congru_status status = make_spectra(context, in, 3, in->n, spectra);
    if (status == CONGRU_OK)
        status = congru_spd_merge_forward(context, in->n, in->d, in->a, in->b, 1e-5, out[0], spectra);
    if (status == CONGRU_OK)
        status = congru_spd_merge_backward(context, spectra, in->dy, out[1], out[2]);
    return free_spectra(status, spectra);
}

RUNNER(run_congruence_adjoint)
{
    size_t m = other_dimension(in->d);
    congru_status status = congru_spd_congruence_forward(context, in->n, in->d, m, in->a, in->w, 1e-4, out[0]);
    if (status == CONGRU_OK)
        status = congru_spd_congruence_backward(context, in->n, in->d, m, in->a, in->w, in->dz, out[1], NULL);
    return status;
}

/* ---- Over the whole batch ---------------------------------------------------------------------- */

RUNNER(run_weight_adjoint)
{
    size_t m = other_dimension(in->d);
    return congru_spd_congruence_backward(context, in->n, in->d, m, in->a, in->w, in->dz, out[1], out[0]);
}

RUNNER(run_rotation)
{
    congru_status status = congru_rotation_forward(context, in->d, in->dy, out[0]);
    if (status == CONGRU_OK)
        status = congru_rotation_backward(context, in->d, in->dy, in->shared, out[1]);
    return status;
}

RUNNER(run_whiten_adjoint)
{
    congru_spectrum *spectra[3] = {NULL, NULL, NULL};
    congru_status status = make_spectra(context, in, 2, 1, spectra);
    if (status == CONGRU_OK)
        status = congru_spd_whiten_forward(context, in->n, in->d, in->a, 1e-5, out[0], out[1], spectra);
    if (status == CONGRU_OK)
        status = congru_spd_whiten_backward(context, in->n, in->d, in->a, spectra, in->dy, out[2]);
    return free_spectra(status, spectra);
}

/* Few passes: what is compared is their bits, whether or not they have arrived. */
static congru_status run_one_mean(congru_context *context, congru_metric metric, const operands *in,
                                  const double *weights, const double *start, double *mean, double *norm)
{
    congru_mean_options options = {.weights = weights, .start = start, .iterations_max = 5};
    congru_mean_info info = {0};
    congru_status status = congru_spd_mean(context, metric, in->n, in->d, in->a, &options, mean, &info);
    if (norm != NULL)
        *norm = info.tangent_norm + info.iterations;
    return status == CONGRU_ERROR_NOT_CONVERGED ? CONGRU_OK : status;
}

RUNNER(run_riemann_mean)
{
    congru_status status = run_one_mean(context, CONGRU_METRIC_RIEMANN, in, NULL, NULL, out[0], out[2]);
    if (status == CONGRU_OK)
        status = run_one_mean(context, CONGRU_METRIC_RIEMANN, in, in->weights, in->shared, out[1], NULL);
    return status;
}

RUNNER(run_closed_means)
{
    congru_status status = run_one_mean(context, CONGRU_METRIC_LOGEUCLID, in, in->weights, NULL, out[0], NULL);
    if (status == CONGRU_OK)
        status = run_one_mean(context, CONGRU_METRIC_EUCLID, in, in->weights, NULL, out[1], NULL);
    return status;
}

/* ---- The table --------------------------------------------------------------------------------- */

const operation OPERATIONS[] = {
    {"eigen", false, {VALUES, SQUARE}, run_eigen},
    {"eigen of positive", false, {VALUES, SQUARE}, run_eigen_positive},
    {"eigenvalues", false, {VALUES}, run_eigenvalues},
    {"log", false, {SQUARE}, run_log},
    {"exp", false, {SQUARE}, run_exp},
    {"sqrt and invsqrt", false, {SQUARE, SQUARE}, run_roots},
    {"power", false, {SQUARE}, run_power},
    {"congruence", false, {OTHER_SQUARE}, run_congruence},
    {"merge", false, {SQUARE}, run_merge},
    {"distance", false, {ONE, ONE, ONE}, run_distance},
    {"distance to one", false, {ONE, ONE, ONE}, run_distance_shared},
    {"distance pairwise", false, {TWO, TWO, TWO}, run_pairwise},
    {"geodesic", false, {SQUARE, SQUARE, SQUARE}, run_geodesic},
    {"geodesic to one", false, {SQUARE, SQUARE, SQUARE}, run_geodesic_shared},
    {"log_map and exp_map", false, {SQUARE, SQUARE}, run_maps},
    {"tangent", false, {TANGENT, TANGENT}, run_tangent},
    {"untangent", false, {SQUARE, SQUARE}, run_untangent},
    {"log adjoint", false, {SQUARE, SQUARE}, run_log_adjoint},
    {"log adjoint, floored", false, {SQUARE, SQUARE}, run_log_adjoint_floored},
    {"exp adjoint", false, {SQUARE, SQUARE}, run_exp_adjoint},
    {"power adjoint", false, {SQUARE, SQUARE}, run_power_adjoint},
    {"merge adjoint", false, {SQUARE, SQUARE, SQUARE}, run_merge_adjoint},
    {"congruence adjoint", false, {OTHER_SQUARE, SQUARE}, run_congruence_adjoint},
    {"congruence adjoint by W", true, {WEIGHT, SQUARE}, run_weight_adjoint},
    {"rotation", true, {SQUARE, SQUARE}, run_rotation},
    {"whiten adjoint", true, {SQUARE, SQUARE, SQUARE}, run_whiten_adjoint},
    {"affine-invariant mean", true, {SQUARE, SQUARE, ONE}, run_riemann_mean},
    {"closed-form means", true, {SQUARE, SQUARE}, run_closed_means},
};
const size_t OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;

size_t operation_size(const operation *op, size_t output, size_t d)
{
    size_t m = other_dimension(d);
    const size_t sizes[] = {0, 1, 2, d, d * d, m * m, congru_spd_tangent_size(d), d * m};
    return sizes[op->sizes[output]];
}

congru_status operation_run(const operation *op, congru_context *context, const operands *in,
                            double *out[OPERATION_OUTPUTS])
{
    for (size_t k = 0; k < OPERATION_OUTPUTS; k++)
        out[k] = sample_alloc(in->n * operation_size(op, k, in->d));
    return op->run(context, in, out);
}

void operation_free(double *out[OPERATION_OUTPUTS])
{
    for (size_t k = 0; k < OPERATION_OUTPUTS; k++)
        free(out[k]);
}
