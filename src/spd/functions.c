/* Matrix functions: eigenvalues, logarithm, exponential, powers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>

#include "spd/spectrum.h"

typedef struct eigen_job {
    size_t d;
    const double *c;
    double *values, *vectors;
} eigen_job;

typedef struct eigen_work {
    congru_spectral_work spectral;
    double *a, *values, *z;
} eigen_work;

static void eigen_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, const eigen_job *job,
                         eigen_work *w)
{
    congru_spectral_layout(arena, kernel, vectors, job->d, &w->spectral);
    w->a = congru_take_lanes(arena, kernel, vectors, job->d * job->d);
    w->values = congru_take_lanes(arena, kernel, vectors, job->d);
    w->z = job->vectors != NULL ? congru_take_lanes(arena, kernel, vectors, job->d * job->d) : NULL;
}

/* The order that makes one lane's values ascend. */
static void sort_order(size_t d, size_t width, const double *values, size_t *order)
{
    for (size_t i = 0; i < d; i++) {
        size_t place = i;
        for (; place > 0 && values[i * width] < values[order[place - 1] * width]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

/* Column `from` of one lane into column `to` of a plain matrix, its largest component positive. */
static void store_vector(size_t d, size_t width, const double *z, size_t from, size_t to, double *plain)
{
    double largest = 0.0;
    for (size_t i = 0; i < d; i++) {
        double x = z[(i * d + from) * width];
        largest = fabs(x) > fabs(largest) ? x : largest;
    }
    for (size_t i = 0; i < d; i++) {
        double x = z[(i * d + from) * width];
        plain[i * d + to] = largest < 0.0 ? 0.0 - x : x;
    }
}

static congru_failure eigen_task(void *user, const congru_chunk *chunk)
{
    const eigen_job *job = user;
    const size_t d = job->d, width = chunk->kernel->width;
    eigen_work w;
    eigen_layout(chunk->arena, chunk->kernel, chunk->vectors, job, &w);
    congru_failure failure = congru_load_symmetric(chunk, d, job->c, false, w.a, w.spectral.check);
    if (failure.status == CONGRU_OK)
        failure = congru_spectral_decompose(chunk, d, w.a, w.values, w.z, &w.spectral);
    if (failure.status != CONGRU_OK)
        return failure;
    for (size_t m = 0; m < chunk->count; m++) {
        size_t order[CONGRU_DIMENSION_MAX], matrix = chunk->first + m;
        const double *values = w.values + (m / width) * d * width + m % width;
        sort_order(d, width, values, order);
        for (size_t i = 0; i < d; i++)
            job->values[matrix * d + i] = values[order[i] * width];
        for (size_t i = 0; i < d && w.z != NULL; i++)
            store_vector(d, width, w.z + (m / width) * d * d * width + m % width, order[i], i,
                         job->vectors + matrix * d * d);
    }
    return congru_no_failure;
}

congru_status congru_spd_eigen(congru_context *context, size_t n, size_t d, const double *c, double *values,
                               double *vectors)
{
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, c != NULL && values != NULL, "no input or no output was given"));
    eigen_job job = {d, c, values, vectors};
    congru_arena measure = {0};
    eigen_layout(&measure, context->kernel, congru_chunk_vectors(context, d), &job, &(eigen_work){0});
    return congru_batch_run(context, n, d, measure.used, eigen_task, &job);
}

congru_status congru_spd_log(congru_context *context, size_t n, size_t d, const double *c, double *out)
{
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_LOG, 0, 0}, n, d, c, out, NULL);
}

congru_status congru_spd_exp(congru_context *context, size_t n, size_t d, const double *s, double *out)
{
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_EXP, 1, 0}, n, d, s, out, NULL);
}

congru_status congru_spd_sqrt(congru_context *context, size_t n, size_t d, const double *c, double *out)
{
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_SQRT, 0, 0}, n, d, c, out, NULL);
}

congru_status congru_spd_invsqrt(congru_context *context, size_t n, size_t d, const double *c, double *out)
{
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_INVSQRT, 0, 0}, n, d, c, out,
                                   NULL);
}

congru_status congru_spd_power(congru_context *context, size_t n, size_t d, const double *c, double p,
                               double *out)
{
    CONGRU_TRY(congru_check_argument(context, isfinite(p), "the exponent is not a finite number"));
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_POWER, p, 0}, n, d, c, out, NULL);
}

congru_status congru_spd_log_forward(congru_context *context, size_t n, size_t d, const double *c,
                                     double jitter, double floor, double *out, congru_spectrum *spectrum)
{
    bool valid = spectrum != NULL && isfinite(jitter) && jitter >= 0 && isfinite(floor) && floor >= 0;
    CONGRU_TRY(congru_check_argument(context, valid,
                                     "a spectrum, and a jitter and a floor of at least 0, are needed"));
    congru_function log = {CONGRU_FUNCTION_LOG, jitter, floor};
    return congru_function_forward(context, log, n, d, c, out, spectrum);
}

congru_status congru_spd_log_backward(congru_context *context, const congru_spectrum *spectrum,
                                      const double *d_out, double *d_c)
{
    return congru_function_backward(context, spectrum, CONGRU_FUNCTION_LOG, d_out, d_c);
}

congru_status congru_spd_exp_forward(congru_context *context, size_t n, size_t d, const double *s, double scale,
                                     double *out, congru_spectrum *spectrum)
{
    CONGRU_TRY(congru_check_argument(context, spectrum != NULL && isfinite(scale),
                                     "a spectrum and a finite scale are needed"));
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_EXP, scale, 0}, n, d, s, out,
                                   spectrum);
}

congru_status congru_spd_exp_backward(congru_context *context, const congru_spectrum *spectrum,
                                      const double *d_out, double *d_s)
{
    return congru_function_backward(context, spectrum, CONGRU_FUNCTION_EXP, d_out, d_s);
}

congru_status congru_spd_power_forward(congru_context *context, size_t n, size_t d, const double *c, double p,
                                       double *out, congru_spectrum *spectrum)
{
    CONGRU_TRY(congru_check_argument(context, spectrum != NULL && isfinite(p),
                                     "a spectrum and a finite exponent are needed"));
    return congru_function_forward(context, (congru_function){CONGRU_FUNCTION_POWER, p, 0}, n, d, c, out,
                                   spectrum);
}

congru_status congru_spd_power_backward(congru_context *context, const congru_spectrum *spectrum,
                                        const double *d_out, double *d_c)
{
    return congru_function_backward(context, spectrum, CONGRU_FUNCTION_POWER, d_out, d_c);
}
