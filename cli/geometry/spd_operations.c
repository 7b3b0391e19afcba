/* The operations of congru spd: a function and a table entry each. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "spd_job.h"
#include "terminal.h"

static int finish(spd_job *job, congru_status status)
{
    return status == CONGRU_OK ? EXIT_DONE : spd_job_fail(job, status);
}

/* Makes room for `rows` results of `columns` each, before their shape is known. */
static int make_room(spd_job *job, size_t rows, size_t columns)
{
    job->result = columns <= SIZE_MAX / sizeof(double) ? calloc(rows, columns * sizeof(double)) : NULL;
    if (job->result == NULL)
        return terminal_fail(EXIT_FAILED, "%s: not enough memory for a result of %zu x %zu numbers",
                             job->inputs[0].file, rows, columns);
    return EXIT_DONE;
}

/* The shape of a result for each matrix of the first input: `dims` lengths, which follow a leading n unless
 * the input is a single matrix. */
static void shape_by_input(spd_job *job, size_t dims, size_t first, size_t second)
{
    size_t lead = 0;
    if (!job->inputs[0].single)
        job->result_shape[lead++] = job->inputs[0].n;
    job->result_shape[lead] = first;
    if (dims > 1)
        job->result_shape[lead + 1] = second;
    job->result_dims = lead + dims;
}

static int make_matrices(spd_job *job)
{
    size_t n = job->inputs[0].n, d = job->inputs[0].d;
    shape_by_input(job, 2, d, d);
    return make_room(job, n, d * d);
}

typedef congru_status matrix_function(congru_context *context, size_t n, size_t d, const double *c,
                                      double *out);

static int run_function(spd_job *job, matrix_function *function)
{
    int code = make_matrices(job);
    if (code != EXIT_DONE)
        return code;
    const matrix_set *c = &job->inputs[0];
    return finish(job, function(job->context, c->n, c->d, c->array.data, job->result));
}

typedef congru_status base_map(congru_context *context, size_t n, size_t d, const double *base,
                               const double *in, double *out);

static int run_map(spd_job *job, base_map *map)
{
    int code = make_matrices(job);
    if (code != EXIT_DONE)
        return code;
    const matrix_set *c = &job->inputs[0];
    return finish(job, map(job->context, c->n, c->d, job->base.array.data, c->array.data, job->result));
}

static int run_log(spd_job *job)
{
    return job->base.file != NULL ? run_map(job, congru_spd_log_map) : run_function(job, congru_spd_log);
}

static int run_exp(spd_job *job)
{
    return job->base.file != NULL ? run_map(job, congru_spd_exp_map) : run_function(job, congru_spd_exp);
}

static int run_sqrt(spd_job *job)
{
    return run_function(job, congru_spd_sqrt);
}

static int run_invsqrt(spd_job *job)
{
    return run_function(job, congru_spd_invsqrt);
}

static int run_power(spd_job *job)
{
    int code = make_matrices(job);
    if (code != EXIT_DONE)
        return code;
    const matrix_set *c = &job->inputs[0];
    return finish(job, congru_spd_power(job->context, c->n, c->d, c->array.data, job->p, job->result));
}

static int run_tangent(spd_job *job)
{
    const matrix_set *c = &job->inputs[0];
    size_t m = congru_spd_tangent_size(c->d);
    shape_by_input(job, 1, m, 0);
    int code = make_room(job, c->n, m);
    if (code != EXIT_DONE)
        return code;
    return finish(
        job, congru_spd_tangent(job->context, c->n, c->d, job->base.array.data, c->array.data, job->result));
}

static int run_untangent(spd_job *job)
{
    return run_map(job, congru_spd_untangent);
}

/* Both inputs hold matrices of one size; and unless every one meets every other, the second holds as many as
 * the first or a single one. */
static int check_pair(const matrix_set *a, const matrix_set *b, bool pairwise)
{
    if (a->d != b->d)
        return terminal_fail(EXIT_FAILED, "%s: matrices of %zu x %zu, but those of %s are %zu x %zu", b->file,
                             b->d, b->d, a->file, a->d, a->d);
    if (!pairwise && b->n != 1 && b->n != a->n)
        return terminal_fail(EXIT_FAILED,
                             "%s: %s, but %s has %zu (the second file has as many as the first, or one)",
                             b->file, congru_count(b->n, "matrix").text, a->file, a->n);
    return EXIT_DONE;
}

static int run_distance_pairwise(spd_job *job)
{
    const matrix_set *a = &job->inputs[0];
    const matrix_set *b = job->inputs[1].file != NULL ? &job->inputs[1] : a;
    int code = check_pair(a, b, true);
    if (code == EXIT_DONE)
        code = make_room(job, a->n, b->n);
    if (code != EXIT_DONE)
        return code;
    job->result_dims = 2;
    job->result_shape[0] = a->n;
    job->result_shape[1] = b->n;
    return finish(job, congru_spd_distance_pairwise(job->context, job->metric, a->d, a->n, a->array.data, b->n,
                                                    b->array.data, job->result));
}

static int run_distance(spd_job *job)
{
    if (job->pairwise)
        return run_distance_pairwise(job);
    const matrix_set *a = &job->inputs[0], *b = &job->inputs[1];
    int code = check_pair(a, b, false);
    if (code == EXIT_DONE)
        code = make_room(job, a->n, 1);
    if (code != EXIT_DONE)
        return code;
    job->result_dims = a->single ? 0 : 1;
    job->result_shape[0] = a->n;
    return finish(job, congru_spd_distance(job->context, job->metric, a->n, a->d, a->array.data, b->n,
                                           b->array.data, job->result));
}

static int run_geodesic(spd_job *job)
{
    const matrix_set *a = &job->inputs[0], *b = &job->inputs[1];
    int code = check_pair(a, b, false);
    if (code == EXIT_DONE)
        code = make_matrices(job);
    if (code != EXIT_DONE)
        return code;
    return finish(job, congru_spd_geodesic(job->context, job->metric, a->n, a->d, a->array.data, b->n,
                                           b->array.data, job->t, job->result));
}

static int run_mean(spd_job *job)
{
    const matrix_set *c = &job->inputs[0];
    int code = make_room(job, c->d, c->d);
    if (code != EXIT_DONE)
        return code;
    job->result_dims = 2;
    job->result_shape[0] = job->result_shape[1] = c->d;
    congru_mean_options options = {.weights = job->weights.data, .tolerance = job->tolerance};
    return finish(job, congru_spd_mean(job->context, job->metric, c->n, c->d, c->array.data, &options,
                                       job->result, &job->mean));
}

const spd_operation spd_operations[] = {
    {"mean", "IN: the mean of all its matrices, one matrix.", 1, 1, ROLE_POSITIVE, "metric weights tolerance",
     "output", run_mean},
    {"distance",
     "IN IN2: from each matrix of IN to the matrix of IN2 in the same place, or to the only one there. With "
     "--pairwise, from every matrix of IN to every one of IN2, or of IN itself. Without -o the distances are "
     "printed, one to a line, pairwise one row to a line.",
     2, 2, ROLE_POSITIVE, "metric pairwise", "", run_distance},
    {"log", "IN: the matrix logarithm; with --base, the logarithmic map at that point.", 1, 1, ROLE_POSITIVE,
     "base", "output", run_log},
    {"exp", "IN: the exponential of symmetric matrices; with --base, the exponential map at that point.", 1, 1,
     ROLE_SYMMETRIC, "base", "output", run_exp},
    {"sqrt", "IN: the square root.", 1, 1, ROLE_POSITIVE, "", "output", run_sqrt},
    {"invsqrt", "IN: the inverse of the square root.", 1, 1, ROLE_POSITIVE, "", "output", run_invsqrt},
    {"power", "IN --p P: the power P.", 1, 1, ROLE_POSITIVE, "p", "output p", run_power},
    {"geodesic",
     "IN IN2 --t T: the point a fraction T of the way from each matrix of IN to the matrix of IN2 in the same "
     "place, or to the only one there.",
     2, 2, ROLE_POSITIVE, "metric t", "output t", run_geodesic},
    {"tangent",
     "IN: tangent vectors at the base point, (n, d(d+1)/2): the upper triangle row by row, what is off the "
     "diagonal times the square root of 2.",
     1, 1, ROLE_POSITIVE, "base", "output", run_tangent},
    {"untangent", "IN: from tangent vectors back to matrices.", 1, 1, ROLE_VECTORS, "base", "output",
     run_untangent},
    {.name = NULL},
};
