/* Whitening by the log-Euclidean mean of the batch itself, and its adjoint. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/workspace.h"
#include "spd/spectrum.h"

/* Y_i = P C_i P with P = exp(-L/2) and L the mean of log C_i. */

typedef struct whiten_work {
    double *logs; /* (n, d, d): logarithms, or their derivatives */
    double *mean; /* (d, d): L, or its derivative */
    double *p;    /* (d, d): P, or its derivative */
} whiten_work;

static void whiten_layout(congru_arena *arena, size_t n, size_t d, whiten_work *w)
{
    w->logs = congru_arena_take(arena, n * d * d, sizeof(double));
    w->mean = congru_arena_take(arena, d * d, sizeof(double));
    w->p = congru_arena_take(arena, d * d, sizeof(double));
}

static congru_status whiten_begin(congru_context *context, size_t n, size_t d, whiten_work *w)
{
    congru_arena measure = {0};
    whiten_layout(&measure, n, d, w);
    if (congru_arena_reserve(&context->composed, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory to whiten %zu matrices", n);
    whiten_layout(&context->composed, n, d, w);
    return congru_workspace_check(context, &context->composed);
}

congru_status congru_spd_whiten_forward(congru_context *context, size_t n, size_t d, const double *c,
                                        double floor, double *out, double *reference,
                                        congru_spectrum *spectra[2])
{
    whiten_work w;
    const size_t size = d * d;
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(
        congru_check_argument(context, spectra != NULL && out != NULL, "an output and two spectra are needed"));
    CONGRU_TRY(whiten_begin(context, n, d, &w));
    CONGRU_TRY(congru_spd_log_forward(context, n, d, c, 0.0, floor, w.logs, spectra[0]));
    memset(w.mean, 0, size * sizeof(double));
    for (size_t m = 0; m < n; m++) {
        for (size_t i = 0; i < size; i++)
            w.mean[i] += w.logs[m * size + i];
    }
    for (size_t i = 0; i < size; i++)
        w.mean[i] /= (double)n;
    CONGRU_TRY(congru_spd_exp_forward(context, 1, d, w.mean, -0.5, w.p, spectra[1]));
    if (reference != NULL)
        CONGRU_TRY(congru_spd_exp(context, 1, d, w.mean, reference));
    return congru_spd_congruence(context, n, d, d, c, w.p, out);
}

/* The derivative reaches C_i directly, and through P and L: dL = adjoint of exp(dP), and each log C_i gets
 * dL/n. */
congru_status congru_spd_whiten_backward(congru_context *context, size_t n, size_t d, const double *c,
                                         congru_spectrum *const spectra[2], const double *d_out, double *d_c)
{
    whiten_work w;
    const size_t size = d * d;
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, spectra != NULL && c != NULL && d_out != NULL && d_c != NULL,
                                     "the matrices, two spectra and both derivatives are needed"));
    CONGRU_TRY(congru_spectrum_check_filled(context, spectra[0], CONGRU_FUNCTION_LOG));
    CONGRU_TRY(congru_spectrum_check(context, spectra[0], n, d));
    CONGRU_TRY(congru_spectrum_check_filled(context, spectra[1], CONGRU_FUNCTION_EXP));
    CONGRU_TRY(congru_spectrum_check(context, spectra[1], 1, d));
    CONGRU_TRY(whiten_begin(context, n, d, &w));
    CONGRU_TRY(congru_spectrum_evaluate(context, spectra[1], w.p));
    double *d_p = w.logs; /* until the derivatives of the logarithms take its place */
    memset(d_p, 0, size * sizeof(double));
    congru_status status = congru_spd_congruence_backward(context, n, d, d, c, w.p, d_out, d_c, d_p);
    memset(w.mean, 0, size * sizeof(double));
    if (status == CONGRU_OK)
        status = congru_spd_exp_backward(context, spectra[1], d_p, w.mean);
    if (status != CONGRU_OK)
        return status;
    for (size_t m = 0; m < n; m++) {
        for (size_t i = 0; i < size; i++)
            w.logs[m * size + i] = w.mean[i] / (double)n;
    }
    return congru_spd_log_backward(context, spectra[0], w.logs, d_c);
}
