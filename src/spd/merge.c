/* The log-Euclidean merge of two batches, and its adjoint. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/workspace.h"
#include "spd/spectrum.h"

congru_status congru_spd_merge(congru_context *context, size_t n, size_t d, const double *a, const double *b,
                               double *out)
{
    return congru_spd_geodesic(context, CONGRU_METRIC_LOGEUCLID, n, d, a, n, b, 0.5, out);
}

/* `count` plain batches from the context's shared arena. */
static congru_status take_batches(congru_context *context, size_t n, size_t d, int count, double **batches)
{
    congru_arena measure = {0};
    for (int k = 0; k < count; k++)
        congru_arena_take(&measure, n * d * d, sizeof(double));
    if (congru_arena_reserve(&context->shared, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory to merge %zu matrices", n);
    for (int k = 0; k < count; k++)
        batches[k] = congru_arena_take(&context->shared, n * d * d, sizeof(double));
    return congru_workspace_check(context, &context->shared);
}

congru_status congru_spd_merge_forward(congru_context *context, size_t n, size_t d, const double *a,
                                       const double *b, double floor, double *out, congru_spectrum *spectra[3])
{
    double *logs[2];
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, spectra != NULL, "three spectra are needed"));
    CONGRU_TRY(take_batches(context, n, d, 2, logs));
    CONGRU_TRY(congru_spd_log_forward(context, n, d, a, 0.0, floor, logs[0], spectra[0]));
    CONGRU_TRY(congru_spd_log_forward(context, n, d, b, 0.0, floor, logs[1], spectra[1]));
    for (size_t i = 0; i < n * d * d; i++)
        logs[0][i] = 0.5 * (logs[0][i] + logs[1][i]);
    return congru_spd_exp_forward(context, n, d, logs[0], 1.0, out, spectra[2]);
}

congru_status congru_spd_merge_backward(congru_context *context, congru_spectrum *const spectra[3],
                                        const double *d_out, double *d_a, double *d_b)
{
    CONGRU_TRY(congru_check_argument(context, spectra != NULL, "three spectra are needed"));
    CONGRU_TRY(congru_spectrum_check_filled(context, spectra[2], CONGRU_FUNCTION_EXP));
    const size_t n = spectra[2]->n, d = spectra[2]->d;
    double *d_log;
    CONGRU_TRY(take_batches(context, n, d, 1, &d_log));
    memset(d_log, 0, n * d * d * sizeof(double));
    congru_status status = congru_spd_exp_backward(context, spectra[2], d_out, d_log);
    for (size_t i = 0; i < n * d * d; i++)
        d_log[i] *= 0.5;
    if (status == CONGRU_OK)
        status = congru_spd_log_backward(context, spectra[0], d_log, d_a);
    return status == CONGRU_OK ? congru_spd_log_backward(context, spectra[1], d_log, d_b) : status;
}
