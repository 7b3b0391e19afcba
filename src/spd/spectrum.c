/* Functions of plain matrices with their adjoints, and the spectra between. SPDX-License-Identifier: Apache-2.0 */
#include "spd/spectrum.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/workspace.h"

static double *allocate_lanes(const congru_kernel *kernel, size_t vectors, size_t size)
{
    if (vectors > SIZE_MAX / 2 / sizeof(double) / kernel->width / size)
        return NULL;
    size_t bytes = congru_lane_doubles(kernel, vectors, size) * sizeof(double);
    return congru_memory_take(bytes);
}

congru_status congru_spectrum_create(congru_context *context, size_t n, size_t d, congru_spectrum **spectrum)
{
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, spectrum != NULL, "no place for the spectrum was given"));
    *spectrum = congru_memory_take(sizeof **spectrum);
    if (*spectrum == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a spectrum");
    congru_spectrum *made = *spectrum;
    *made = (congru_spectrum){.kernel = context->kernel, .n = n, .d = d};
    size_t vectors = congru_kernel_vectors(context->kernel, n);
    made->values = allocate_lanes(context->kernel, vectors, d);
    made->z = allocate_lanes(context->kernel, vectors, d * d);
    if (made->values == NULL || made->z == NULL) {
        congru_spectrum_destroy(spectrum);
        return congru_fail(context, CONGRU_ERROR_MEMORY,
                           "no memory for the spectra of %zu matrices of %zu x %zu", n, d, d);
    }
    return CONGRU_OK;
}

void congru_spectrum_destroy(congru_spectrum **spectrum)
{
    if (spectrum == NULL || *spectrum == NULL)
        return;
    congru_memory_give((*spectrum)->values);
    congru_memory_give((*spectrum)->z);
    congru_memory_give(*spectrum);
    *spectrum = NULL;
}

congru_status congru_spectrum_check(congru_context *context, const congru_spectrum *spectrum, size_t n,
                                    size_t d)
{
    if (spectrum == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no spectrum was given");
    if (spectrum->n != n || spectrum->d != d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the spectrum is for %zu matrices of %zu x %zu, the call for %zu of %zu x %zu",
                           spectrum->n, spectrum->d, spectrum->d, n, d, d);
    if (spectrum->kernel != context->kernel)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the spectrum was made in a context with cpu %s, this one is %s",
                           spectrum->kernel->name, context->kernel->name);
    return CONGRU_OK;
}

congru_status congru_spectrum_check_filled(congru_context *context, const congru_spectrum *spectrum,
                                           congru_function_kind kind)
{
    if (context == NULL || spectrum == NULL)
        return congru_check_argument(context, false, "no spectrum was given");
    context->error[0] = '\0';
    if (!spectrum->filled || spectrum->function.kind != kind)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the spectrum does not come from the forward call of this function");
    return congru_spectrum_check(context, spectrum, spectrum->n, spectrum->d);
}

typedef struct forward_job {
    congru_function function;
    size_t d;
    const double *in;
    double *out;
    congru_spectrum *spectrum;
} forward_job;

typedef struct forward_work {
    congru_spectral_work spectral;
    double *a, *values, *z;
} forward_work;

static void forward_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors,
                           const forward_job *job, forward_work *w)
{
    congru_spectral_layout(arena, kernel, vectors, job->d, &w->spectral);
    w->a = congru_take_lanes(arena, kernel, vectors, job->d * job->d);
    if (job->spectrum == NULL) {
        w->values = congru_take_lanes(arena, kernel, vectors, job->d);
        w->z = congru_take_lanes(arena, kernel, vectors, job->d * job->d);
    }
}

/* Whether the function is defined at the eigenvalues. */
static congru_failure check_domain(const forward_job *job, const congru_chunk *chunk, const double *values)
{
    bool anything_goes =
        job->function.kind == CONGRU_FUNCTION_EXP ||
        (job->function.kind == CONGRU_FUNCTION_LOG && (job->function.b > 0 || job->function.a > 0));
    return anything_goes ? congru_no_failure : congru_check_positive(chunk, job->d, values);
}

static congru_failure forward_task(void *user, const congru_chunk *chunk)
{
    forward_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    const size_t d = job->d;
    forward_work w;
    forward_layout(chunk->arena, kernel, chunk->vectors, job, &w);
    if (job->spectrum != NULL) {
        w.values = job->spectrum->values + congru_lane_offset(chunk, d);
        w.z = job->spectrum->z + congru_lane_offset(chunk, d * d);
    }
    congru_failure failure = congru_load_symmetric(chunk, d, job->in, false, w.a, w.spectral.check);
    if (failure.status == CONGRU_OK)
        failure = congru_spectral_decompose(chunk, d, w.a, w.values, w.z, &w.spectral);
    if (failure.status == CONGRU_OK)
        failure = check_domain(job, chunk, w.values);
    if (failure.status != CONGRU_OK)
        return failure;
    congru_spectral_forward(kernel, chunk->vectors, d, job->function, w.values, w.z, w.a, &w.spectral);
    kernel->unpack(chunk->vectors, chunk->count, d, d, w.a, job->out + chunk->first * d * d);
    return congru_check_finite(chunk, d * d, w.a);
}

congru_status congru_function_forward(congru_context *context, congru_function function, size_t n, size_t d,
                                      const double *in, double *out, congru_spectrum *spectrum)
{
    congru_status status = congru_check_shape(context, n, d);
    if (status == CONGRU_OK)
        status = congru_check_argument(context, in != NULL && out != NULL, "no input or no output was given");
    if (status == CONGRU_OK && spectrum != NULL) {
        status = congru_spectrum_check(context, spectrum, n, d);
        spectrum->filled = false;
    }
    if (status != CONGRU_OK)
        return status;
    forward_job job = {function, d, in, out, spectrum};
    congru_arena measure = {0};
    forward_layout(&measure, context->kernel, congru_chunk_vectors(context, d), &job, &(forward_work){0});
    status = congru_batch_run(context, n, d, measure.used, forward_task, &job);
    if (status == CONGRU_OK && spectrum != NULL) {
        spectrum->filled = true;
        spectrum->function = function;
    }
    return status;
}

congru_status congru_spectrum_evaluate(congru_context *context, const congru_spectrum *spectrum, double *out)
{
    const congru_kernel *kernel = context->kernel;
    congru_arena measure = {0};
    congru_spectral_work work;
    congru_spectral_layout(&measure, kernel, 1, spectrum->d, &work);
    congru_take_lanes(&measure, kernel, 1, spectrum->d * spectrum->d);
    if (congru_arena_reserve(&context->shared, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a workspace of %zu bytes",
                           measure.used);
    congru_spectral_layout(&context->shared, kernel, 1, spectrum->d, &work);
    double *lanes = congru_take_lanes(&context->shared, kernel, 1, spectrum->d * spectrum->d);
    congru_spectral_forward(kernel, 1, spectrum->d, spectrum->function, spectrum->values, spectrum->z, lanes,
                            &work);
    kernel->unpack(1, 1, spectrum->d, spectrum->d, lanes, out);
    return congru_workspace_check(context, &context->shared);
}

typedef struct backward_job {
    const congru_spectrum *spectrum;
    const double *d_out;
    double *d_in;
} backward_job;

typedef struct backward_work {
    congru_spectral_work spectral;
    double *d_out, *d_in;
} backward_work;

static void backward_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                            backward_work *w)
{
    congru_spectral_layout(arena, kernel, vectors, d, &w->spectral);
    w->d_out = congru_take_lanes(arena, kernel, vectors, d * d);
    w->d_in = congru_take_lanes(arena, kernel, vectors, d * d);
}

static congru_failure backward_task(void *user, const congru_chunk *chunk)
{
    backward_job *job = user;
    const congru_kernel *kernel = chunk->kernel;
    const congru_spectrum *s = job->spectrum;
    const size_t d = s->d, size = d * d;
    backward_work w;
    backward_layout(chunk->arena, kernel, chunk->vectors, d, &w);
    kernel->pack(chunk->vectors, chunk->count, d, d, job->d_out + chunk->first * size, w.d_out);
    kernel->symmetrise(chunk->vectors, d, w.d_out, w.spectral.check,
                       w.spectral.check + chunk->vectors * kernel->width);
    congru_spectral_backward(kernel, chunk->vectors, d, s->function, s->values + congru_lane_offset(chunk, d),
                             s->z + congru_lane_offset(chunk, size), w.d_out, w.d_in, &w.spectral);
    /* Added in lanes, so that the plain matrices are read and written once. */
    kernel->pack(chunk->vectors, chunk->count, d, d, job->d_in + chunk->first * size, w.d_out);
    kernel->combine(congru_lane_doubles(kernel, chunk->vectors, size), 1.0, w.d_in, 1.0, w.d_out);
    kernel->unpack(chunk->vectors, chunk->count, d, d, w.d_out, job->d_in + chunk->first * size);
    return congru_no_failure;
}

congru_status congru_function_backward(congru_context *context, const congru_spectrum *spectrum,
                                       congru_function_kind kind, const double *d_out, double *d_in)
{
    CONGRU_TRY(congru_spectrum_check_filled(context, spectrum, kind));
    CONGRU_TRY(congru_check_argument(context, d_out != NULL && d_in != NULL,
                                     "no derivative of the output or the input was given"));
    backward_job job = {spectrum, d_out, d_in};
    congru_arena measure = {0};
    backward_layout(&measure, context->kernel, congru_chunk_vectors(context, spectrum->d), spectrum->d,
                    &(backward_work){0});
    return congru_batch_run(context, spectrum->n, spectrum->d, measure.used, backward_task, &job);
}
