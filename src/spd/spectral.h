/* Functions of symmetric matrices through their eigenvalues, and their adjoints, in lanes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SPD_SPECTRAL_H
#define CONGRU_SPD_SPECTRAL_H

#include "base/arena.h"
#include "kernel/kernel.h"
#include "spd/batch.h"

/* Scratch of the functions below, for `vectors` vectors of dimension d. */
typedef struct congru_spectral_work {
    double *first, *second; /* (vectors, d, d) each */
    double *row;            /* (vectors, 3 d) */
    double *eigen;          /* kernel->eigen_work(d) */
    double *check;          /* (vectors, 2) */
} congru_spectral_work;

/* Run twice over an arena: measure, then place. */
void congru_spectral_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                            congru_spectral_work *work);

/* values (vectors, d) and z (vectors, d, d) of the symmetric `a`, which is kept. z NULL: values alone. */
congru_failure congru_spectral_decompose(const congru_chunk *chunk, size_t d, const double *a, double *values,
                                         double *z, const congru_spectral_work *work);

/* out (vectors, d, d) = z f(values) z^T. `out` may be work->first or second's caller's own; not z. */
void congru_spectral_forward(const congru_kernel *kernel, size_t vectors, size_t d, congru_function function,
                             const double *values, const double *z, double *out,
                             const congru_spectral_work *work);

/* Given d_out, symmetric, d_a (vectors, d, d) = z (K o (z^T d_out z)) z^T, with K the divided differences.
 * d_a is not d_out. */
void congru_spectral_backward(const congru_kernel *kernel, size_t vectors, size_t d, congru_function function,
                              const double *values, const double *z, const double *d_out, double *d_a,
                              const congru_spectral_work *work);

/* y = w^T x w for symmetric x (d_in) and an operand w (d_in, d_out), with scratch (vectors, d_in, d_out). */
void congru_spectral_congruence(const congru_kernel *kernel, size_t vectors, size_t d_in, size_t d_out,
                                const double *x, congru_operand w, double *y, double *scratch);

/* What a task that takes matrices, maps them and gives others works with. */
typedef struct congru_map_work {
    congru_spectral_work spectral;
    double *a, *b, *z, *plain; /* (vectors, d, d) each */
    double *values;            /* (vectors, d) */
} congru_map_work;

/* Run twice, as above. */
void congru_map_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                       congru_map_work *work);

/* An arena piece of `vectors` vectors of `size` elements. */
double *congru_take_lanes(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t size);

#endif
