/* Means of sets of matrices. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "spd/spectrum.h"
#include "spd/view_load.h"

static const double default_tolerance = 1e-10;
static const int default_iterations_max = 200;
static const double step_min = 1e-6; /* below it no step lowers the gradient any more: rounding */

/* The weighted sum of the matrices, of their logarithms, or of log(E C E^T). */
typedef struct sum_job {
    size_t d;
    congru_view view;
    const double *weights; /* NULL: all 1 */
    bool logarithm;
    const double *e; /* plain (d, d), or NULL for the identity */
    double *parts;   /* (chunks of a window, d, d) */
    double *out;     /* (d, d) */
} sum_job;

/* Chunks whose sums are kept before they are added up. */
enum { WINDOW = 256 };

static congru_failure sum_task(void *user, const congru_chunk *chunk)
{
    const sum_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    const size_t d = job->d, size = d * d, vectors = chunk->vectors;
    congru_map_work w;
    congru_map_layout(chunk->arena, kernel, vectors, d, &w);
    const congru_view_work reading = {w.plain, w.z, w.b, w.spectral.first, w.spectral.check};
    congru_failure failure = congru_view_load(chunk, d, &job->view, w.a, &reading);
    if (failure.status != CONGRU_OK)
        return failure;
    double *x = w.a;
    if (job->e != NULL) {
        congru_spectral_congruence(kernel, vectors, d, d, w.a, congru_shared_transposed(job->e, d), w.b,
                                   w.spectral.first);
        x = w.b;
    }
    if (job->logarithm) {
        failure = congru_spectral_decompose(chunk, d, x, w.values, w.z, &w.spectral);
        if (failure.status == CONGRU_OK)
            failure = job->e != NULL ? congru_check_relative(chunk, d, w.values)
                                     : congru_check_positive(chunk, d, w.values);
        if (failure.status != CONGRU_OK)
            return failure;
        congru_spectral_forward(kernel, vectors, d, (congru_function){CONGRU_FUNCTION_LOG, 0, 0}, w.values, w.z,
                                x, &w.spectral);
    }
    kernel->unpack(vectors, chunk->count, d, d, x, w.plain);
    double *part = job->parts + chunk->block % WINDOW * size;
    memset(part, 0, size * sizeof(double));
    for (size_t m = 0; m < chunk->count; m++) {
        double weight = job->weights != NULL ? job->weights[chunk->first + m] : 1.0;
        for (size_t i = 0; i < size; i++)
            part[i] += weight * w.plain[m * size + i];
    }
    return congru_no_failure;
}

/* What the iteration keeps, in the context's shared arena. The mean M = F F^T, and E = F^-1; a step multiplies
 * F by exp(t J / 2), so that the tangent vectors of successive points are in one frame and can be compared. */
typedef struct mean_state {
    size_t n, d;
    double total; /* of the weights */
    sum_job sum;
    double *f, *e, *j;                /* where it is: factor, its inverse, mean tangent vector */
    double *f_next, *e_next, *j_next; /* where it tries to go */
    double *half;                     /* scratch */
    double step;                      /* the next along j */
} mean_state;

static void mean_layout(congru_arena *arena, mean_state *s)
{
    const size_t chunks = congru_chunk_count(s->n, s->d);
    double **matrices[] = {&s->f, &s->e, &s->j, &s->f_next, &s->e_next, &s->j_next, &s->half};
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        *matrices[k] = congru_arena_take(arena, s->d * s->d, sizeof(double));
    s->sum.parts = congru_arena_take(arena, (chunks < WINDOW ? chunks : WINDOW) * s->d * s->d, sizeof(double));
}

static void add_window(void *user, size_t first, size_t chunks)
{
    const sum_job *job = user;
    const size_t size = job->d * job->d;
    (void)first; /* a multiple of WINDOW: its sums are at the beginning */
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        for (size_t i = 0; i < size; i++)
            job->out[i] += job->parts[chunk * size + i];
    }
}

/* out = the weighted mean of what the sum job describes; chunks are added in order. */
static congru_status mean_pass(congru_context *context, mean_state *s, const double *e, double *out)
{
    const size_t size = s->d * s->d;
    s->sum.e = e;
    s->sum.out = out;
    memset(out, 0, size * sizeof(double));
    congru_arena measure = {0};
    congru_map_layout(&measure, context->kernel, congru_chunk_vectors(context, s->d), s->d,
                      &(congru_map_work){0});
    CONGRU_TRY(
        congru_batch_run_windows(context, s->n, s->d, measure.used, sum_task, WINDOW, add_window, &s->sum));
    for (size_t i = 0; i < size; i++)
        out[i] /= s->total;
    return CONGRU_OK;
}

static double inner_product(size_t count, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* out = a b, plain. */
static void multiply(size_t d, const double *a, const double *b, double *out)
{
    memset(out, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < d; k++) {
            for (size_t j = 0; j < d; j++)
                out[i * d + j] += a[i * d + k] * b[k * d + j];
        }
    }
}

/* out = exp(scale * x), plain. */
static congru_status exponential(congru_context *context, size_t d, const double *x, double scale, double *out)
{
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_EXP, scale, 0}, 1, d, x, out,
                                   NULL);
}

/* The next point, a step t along the mean tangent vector, and the mean tangent vector there. */
static congru_status try_step(congru_context *context, mean_state *s, double t)
{
    congru_status status = exponential(context, s->d, s->j, 0.5 * t, s->half);
    multiply(s->d, s->f, s->half, s->f_next);
    if (status == CONGRU_OK)
        status = exponential(context, s->d, s->j, -0.5 * t, s->half);
    multiply(s->d, s->half, s->e, s->e_next);
    return status == CONGRU_OK ? mean_pass(context, s, s->e_next, s->j_next) : status;
}

static void accept_step(mean_state *s)
{
    double *f = s->f, *e = s->e, *j = s->j;
    s->f = s->f_next;
    s->e = s->e_next;
    s->j = s->j_next;
    s->f_next = f;
    s->e_next = e;
    s->j_next = j;
}

/* The factor to begin with: of the start given, or of the log-Euclidean mean, whose logarithm, the mean tangent vector at
 * the identity, is left in s->half. */
static congru_status begin(congru_context *context, mean_state *s, const double *start)
{
    congru_status status;
    if (start != NULL) {
        status = congru_spd_sqrt(context, 1, s->d, start, s->f);
        return status == CONGRU_OK ? congru_spd_invsqrt(context, 1, s->d, start, s->e) : status;
    }
    status = mean_pass(context, s, NULL, s->half);
    if (status == CONGRU_OK)
        status = exponential(context, s->d, s->half, 0.5, s->f);
    return status == CONGRU_OK ? exponential(context, s->d, s->half, -0.5, s->e) : status;
}

/* After a step t from where the mean tangent vector was J to where it is `next`: t |J|^2 / (J . (J - next)), the step
 * that would have ended at its zero; at most 1. */
static double next_step(size_t size, double t, const double *j, const double *next)
{
    double squares = inner_product(size, j, j), turned = squares - inner_product(size, j, next);
    double best = t * squares / turned;
    return turned > 0.0 && best < 1.0 ? best : 1.0;
}

/* Steepest descent of the sum of squared distances, whose gradient at M is the mean tangent vector J (turned
 * round) and whose curvature is at least 1. A step of 1 is right for a set in one place and oscillates for ever
 * on a dispersed one. After a step the change of J tells the curvature along it, and so the step that is tried
 * next (Barzilai and Borwein); the log-Euclidean mean is itself a step of 1 from the identity. A step that does not
 * lower |J| is taken back and halved. */
static congru_status descend(congru_context *context, mean_state *s, bool from_identity, double tolerance,
                             int iterations_max, congru_mean_info *info)
{
    const size_t size = s->d * s->d;
    congru_status status = mean_pass(context, s, s->e, s->j);
    double norm = sqrt(inner_product(size, s->j, s->j));
    s->step = from_identity ? next_step(size, 1.0, s->half, s->j) : 1.0;
    info->iterations++;
    while (status == CONGRU_OK && norm > tolerance && info->iterations < iterations_max && s->step > step_min) {
        status = try_step(context, s, s->step);
        info->iterations++;
        if (status != CONGRU_OK)
            break;
        double norm_next = sqrt(inner_product(size, s->j_next, s->j_next));
        if (!(norm_next < norm)) {
            s->step *= 0.5;
            continue;
        }
        s->step = next_step(size, s->step, s->j, s->j_next);
        norm = norm_next;
        accept_step(s);
    }
    info->tangent_norm = norm;
    info->converged = norm <= tolerance;
    return status;
}

static congru_status riemann_mean(congru_context *context, mean_state *s, const congru_mean_options *options,
                                  double *out, congru_mean_info *info)
{
    double tolerance = options->tolerance > 0 ? options->tolerance : default_tolerance;
    int iterations_max = options->iterations_max > 0 ? options->iterations_max : default_iterations_max;
    congru_status status = begin(context, s, options->start);
    if (status == CONGRU_OK)
        status = descend(context, s, options->start == NULL, tolerance, iterations_max, info);
    /* One more step costs no evaluation, and takes most of what is left of the error. */
    if (status == CONGRU_OK && info->converged) {
        status = exponential(context, s->d, s->j, 0.5 * s->step, s->half);
        multiply(s->d, s->f, s->half, s->f_next);
        accept_step(s);
    }
    if (status != CONGRU_OK)
        return status;
    for (size_t i = 0; i < s->d; i++) {
        for (size_t j = 0; j <= i; j++)
            out[i * s->d + j] = out[j * s->d + i] = inner_product(s->d, s->f + i * s->d, s->f + j * s->d);
    }
    if (info->converged)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_NOT_CONVERGED,
        "the affine-invariant mean stopped at a tangent norm of %.3g after %d iterations, short of %.3g",
        info->tangent_norm, info->iterations, tolerance);
}

static congru_status check_options(congru_context *context, congru_metric metric, size_t n,
                                   const congru_mean_options *options, double *total)
{
    if (metric < CONGRU_METRIC_RIEMANN || metric > CONGRU_METRIC_EUCLID)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "metric %d is not one of congru_metric",
                           (int)metric);
    if (!(options->tolerance >= 0) || !isfinite(options->tolerance) || options->iterations_max < 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the tolerance or the number of iterations is negative");
    *total = (double)n;
    if (options->weights == NULL)
        return CONGRU_OK;
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(options->weights[i] >= 0) || !isfinite(options->weights[i]))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "weight %zu of %zu is %g: weights are finite and not negative", i, n,
                               options->weights[i]);
        *total += options->weights[i];
    }
    if (!(*total > 0) || !isfinite(*total))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the weights add up to %g: the sum must be positive and finite", *total);
    return CONGRU_OK;
}

congru_status congru_view_mean(congru_context *context, congru_metric metric, size_t n, size_t d,
                               const congru_view *view, const congru_mean_options *options, double *out,
                               congru_mean_info *info)
{
    const congru_mean_options none = {0};
    congru_mean_info own = {0};
    mean_state s = {.n = n, .d = d};
    options = options != NULL ? options : &none;
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(
        congru_check_argument(context, view->plain != NULL && out != NULL, "no input or no output was given"));
    CONGRU_TRY(check_options(context, metric, n, options, &s.total));
    congru_arena measure = {0};
    mean_layout(&measure, &s);
    if (congru_arena_reserve(&context->shared, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the mean of %zu matrices", n);
    mean_layout(&context->shared, &s);
    congru_status status = congru_workspace_check(context, &context->shared);
    if (status != CONGRU_OK)
        return status;
    s.sum.d = d;
    s.sum.view = *view;
    s.sum.weights = options->weights;
    s.sum.logarithm = metric != CONGRU_METRIC_EUCLID;
    if (metric == CONGRU_METRIC_RIEMANN) {
        status = riemann_mean(context, &s, options, out, &own);
    } else {
        status = mean_pass(context, &s, NULL, s.half);
        if (status == CONGRU_OK && metric == CONGRU_METRIC_LOGEUCLID)
            status = exponential(context, d, s.half, 1.0, out);
        else if (status == CONGRU_OK)
            memcpy(out, s.half, d * d * sizeof(double));
        own = (congru_mean_info){1, 0.0, status == CONGRU_OK};
    }
    if (info != NULL)
        *info = own;
    return status;
}

congru_status congru_spd_mean(congru_context *context, congru_metric metric, size_t n, size_t d,
                              const double *c, const congru_mean_options *options, double *out,
                              congru_mean_info *info)
{
    return congru_view_mean(context, metric, n, d, &(congru_view){.plain = c}, options, out, info);
}
