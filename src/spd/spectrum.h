/* The eigen-decompositions kept between a forward and a backward call. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SPD_SPECTRUM_H
#define CONGRU_SPD_SPECTRUM_H

#include "spd/spectral.h"

struct congru_spectrum {
    const congru_kernel *kernel; /* whose lanes these are */
    size_t n, d;
    bool filled;              /* a forward call has succeeded ... */
    congru_function function; /* ... with this function */
    double *values;           /* (vectors, d) in lanes */
    double *z;                /* (vectors, d, d) in lanes */
};

/* CONGRU_ERROR_ARGUMENT unless the spectrum is for n matrices of dimension d and this context's kernel. */
congru_status congru_spectrum_check(congru_context *context, const congru_spectrum *spectrum, size_t n,
                                    size_t d);

/* Likewise, and filled by a forward call of this kind of function. */
congru_status congru_spectrum_check_filled(congru_context *context, const congru_spectrum *spectrum,
                                           congru_function_kind kind);

/* out = f(in) for plain symmetric matrices; `spectrum`, where not NULL, keeps the decompositions. */
congru_status congru_function_forward(congru_context *context, congru_function function, size_t n, size_t d,
                                      const double *in, double *out, congru_spectrum *spectrum);

/* out = f of the one matrix (n = 1) whose decomposition a forward call has left, evaluated again. */
congru_status congru_spectrum_evaluate(congru_context *context, const congru_spectrum *spectrum, double *out);

/* d_in += the adjoint, for plain matrices. */
congru_status congru_function_backward(congru_context *context, const congru_spectrum *spectrum,
                                       congru_function_kind kind, const double *d_out, double *d_in);

#endif
