/* Geometry of symmetric positive definite matrices, many at a time. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SPD_H
#define CONGRU_SPD_H

#include "congru/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Conventions
 *
 * A batch is n matrices of d x d doubles, row-major, one after another: (n, d, d). d is 1 to
 * CONGRU_DIMENSION_MAX, n at least 1. An output may be the same array as an input of the same size, but
 * must not overlap one otherwise.
 *
 * Inputs are looked at first: NaN or infinity is CONGRU_ERROR_NOT_FINITE; a matrix that differs from its
 * transpose by more than 1e-6 of its largest entry is CONGRU_ERROR_NOT_SYMMETRIC (smaller differences are
 * averaged away); where the logarithm, a root or a power needs it, an eigenvalue that is not positive, or is
 * below the rounding of the largest, is CONGRU_ERROR_NOT_POSITIVE. The error text names the matrix by its
 * number, counted from 1, the lowest if there are several. A result that overflows is CONGRU_ERROR_NOT_FINITE. A null
 * pointer, a size out of range, and a parameter that is not a finite number or is negative where it must not be,
 * are CONGRU_ERROR_ARGUMENT. After a failure the contents of the outputs are unspecified, except as said; a
 * success clears the error text.
 *
 * What is computed for a matrix depends on that matrix alone: not on the others in the batch, its
 * position, the number of threads or the instruction set.
 *
 * The cost of a matrix is of the order of d^3, and its work arrays hold 8 matrices of d x d side by side. At the
 * largest d, twice the electrodes of a dense cap of 256, the logarithm of one took 0.6 s. */
enum { CONGRU_DIMENSION_MAX = 512 };

typedef enum congru_metric {
    CONGRU_METRIC_RIEMANN,   /* affine-invariant */
    CONGRU_METRIC_LOGEUCLID, /* Euclidean between matrix logarithms */
    CONGRU_METRIC_EUCLID     /* Frobenius */
} congru_metric;

/* The number of entries of a tangent vector: d (d + 1) / 2. */
CONGRU_API size_t congru_spd_tangent_size(size_t d);

/* ---- Matrix functions -------------------------------------------------------------------------- */

/* values (n, d) ascending; vectors (n, d, d) with the eigenvectors in the columns, or NULL for values alone.
 * Any symmetric input. Each vector's largest component (the first of equals) is positive. */
CONGRU_API congru_status congru_spd_eigen(congru_context *context, size_t n, size_t d, const double *c,
                                          double *values, double *vectors);

CONGRU_API congru_status congru_spd_log(congru_context *context, size_t n, size_t d, const double *c,
                                        double *out);

/* Of any symmetric matrix. An eigenvalue above 709.78 overflows: CONGRU_ERROR_NOT_FINITE. */
CONGRU_API congru_status congru_spd_exp(congru_context *context, size_t n, size_t d, const double *s,
                                        double *out);

CONGRU_API congru_status congru_spd_sqrt(congru_context *context, size_t n, size_t d, const double *c,
                                         double *out);

CONGRU_API congru_status congru_spd_invsqrt(congru_context *context, size_t n, size_t d, const double *c,
                                            double *out);

CONGRU_API congru_status congru_spd_power(congru_context *context, size_t n, size_t d, const double *c,
                                          double p, double *out);

/* W^T C W for each C (n, d_in, d_in) with one W (d_in, d_out): (n, d_out, d_out). */
CONGRU_API congru_status congru_spd_congruence(congru_context *context, size_t n, size_t d_in, size_t d_out,
                                               const double *c, const double *w, double *out);

/* exp((log A + log B) / 2): the log-Euclidean midpoint. */
CONGRU_API congru_status congru_spd_merge(congru_context *context, size_t n, size_t d, const double *a,
                                          const double *b, double *out);

/* ---- Distances and geodesics ------------------------------------------------------------------- */

/* out[i] = distance(a[i], b[i]); b holds n matrices, or one (n_b = 1) that all are measured against. */
CONGRU_API congru_status congru_spd_distance(congru_context *context, congru_metric metric, size_t n, size_t d,
                                             const double *a, size_t n_b, const double *b, double *out);

/* out (n_a, n_b): every a against every b. Where b is a, of the same number, each pair is measured once: out is symmetric
 * to the bit, with zeros on its diagonal. */
CONGRU_API congru_status congru_spd_distance_pairwise(congru_context *context, congru_metric metric, size_t d,
                                                      size_t n_a, const double *a, size_t n_b, const double *b,
                                                      double *out);

/* The point a fraction t of the way from a[i] to b[i] (n_b = n or 1); t outside [0, 1] extrapolates. */
CONGRU_API congru_status congru_spd_geodesic(congru_context *context, congru_metric metric, size_t n, size_t d,
                                             const double *a, size_t n_b, const double *b, double t,
                                             double *out);

/* ---- Tangent space ----------------------------------------------------------------------------- */

/* base^1/2 log(base^-1/2 C base^-1/2) base^1/2 for each C, with one base (d, d). */
CONGRU_API congru_status congru_spd_log_map(congru_context *context, size_t n, size_t d, const double *base,
                                            const double *c, double *out);

/* base^1/2 exp(base^-1/2 Z base^-1/2) base^1/2 for each symmetric Z. */
CONGRU_API congru_status congru_spd_exp_map(congru_context *context, size_t n, size_t d, const double *base,
                                            const double *z, double *out);

/* The upper triangle, row by row, off-diagonals times sqrt 2, of log(base^-1/2 C base^-1/2):
 * out (n, d (d + 1) / 2). Its Euclidean norm is the affine-invariant distance from base to C.
 * base NULL stands for the identity. */
CONGRU_API congru_status congru_spd_tangent(congru_context *context, size_t n, size_t d, const double *base,
                                            const double *c, double *out);

/* The inverse of congru_spd_tangent. */
CONGRU_API congru_status congru_spd_untangent(congru_context *context, size_t n, size_t d, const double *base,
                                              const double *vectors, double *out);

/* ---- Means ------------------------------------------------------------------------------------- */

typedef struct congru_mean_options {
    const double *weights; /* n non-negative numbers, not all zero; NULL: equal. Need not sum to 1. */
    const double *start; /* (d, d), where the affine-invariant iteration begins; NULL: the log-Euclidean mean */
    double tolerance;    /* on the Frobenius norm of the mean tangent vector; 0: 1e-10 */
    int iterations_max;  /* 0: 200 */
} congru_mean_options;

typedef struct congru_mean_info {
    int iterations; /* evaluations of the mean tangent vector; 1 for a mean in closed form */
    double
        tangent_norm; /* Frobenius norm of the mean tangent vector where it was last evaluated, which is one step
                            before the result when converged; 0 in closed form */
    bool converged;
} congru_mean_info;

/* The (weighted) mean of n matrices: out (d, d), which may be options->start. `options` and `info` may be NULL. When
 * the iteration stops short of its tolerance the call returns CONGRU_ERROR_NOT_CONVERGED with the best mean found in
 * `out` and its tangent norm in `info`. */
CONGRU_API congru_status congru_spd_mean(congru_context *context, congru_metric metric, size_t n, size_t d,
                                         const double *c, const congru_mean_options *options, double *out,
                                         congru_mean_info *info);

/* ---- With their adjoints ----------------------------------------------------------------------- *
 *
 * A `_forward` keeps what its `_backward` needs. Given the derivative dY of a scalar with respect to an
 * output, `_backward` adds the derivative with respect to each input to dX (so zero it first; dX is not dY).
 * Derivatives with respect to symmetric matrices are symmetric; dY is symmetrised. */

/* The eigen-decompositions of one batch, kept between a forward and its backward call. */
typedef struct congru_spectrum congru_spectrum;

CONGRU_API congru_status congru_spectrum_create(congru_context *context, size_t n, size_t d,
                                                congru_spectrum **spectrum);
CONGRU_API void congru_spectrum_destroy(congru_spectrum **spectrum);

/* log(max(eigenvalue + jitter, floor)); its derivative is that of the logarithm from the floor on, and 0 below.
 * With floor and jitter 0, eigenvalues that are not positive are refused; with floor 0 alone, sums that are not
 * positive give CONGRU_ERROR_NOT_FINITE. */
CONGRU_API congru_status congru_spd_log_forward(congru_context *context, size_t n, size_t d, const double *c,
                                                double jitter, double floor, double *out,
                                                congru_spectrum *spectrum);
CONGRU_API congru_status congru_spd_log_backward(congru_context *context, const congru_spectrum *spectrum,
                                                 const double *d_out, double *d_c);

/* exp(scale * S). */
CONGRU_API congru_status congru_spd_exp_forward(congru_context *context, size_t n, size_t d, const double *s,
                                                double scale, double *out, congru_spectrum *spectrum);
CONGRU_API congru_status congru_spd_exp_backward(congru_context *context, const congru_spectrum *spectrum,
                                                 const double *d_out, double *d_s);

CONGRU_API congru_status congru_spd_power_forward(congru_context *context, size_t n, size_t d, const double *c,
                                                  double p, double *out, congru_spectrum *spectrum);
CONGRU_API congru_status congru_spd_power_backward(congru_context *context, const congru_spectrum *spectrum,
                                                   const double *d_out, double *d_c);

/* W^T C W + epsilon I. d_c and d_w may each be NULL. */
CONGRU_API congru_status congru_spd_congruence_forward(congru_context *context, size_t n, size_t d_in,
                                                       size_t d_out, const double *c, const double *w,
                                                       double epsilon, double *out);
CONGRU_API congru_status congru_spd_congruence_backward(congru_context *context, size_t n, size_t d_in,
                                                        size_t d_out, const double *c, const double *w,
                                                        const double *d_y, double *d_c, double *d_w);

/* exp((log A + log B) / 2), logarithms floored at `floor` as above. Three spectra: of A, B and the result. */
CONGRU_API congru_status congru_spd_merge_forward(congru_context *context, size_t n, size_t d, const double *a,
                                                  const double *b, double floor, double *out,
                                                  congru_spectrum *spectra[3]);
CONGRU_API congru_status congru_spd_merge_backward(congru_context *context, congru_spectrum *const spectra[3],
                                                   const double *d_out, double *d_a, double *d_b);

/* R = exp(A - A^T), a rotation, for any square A (d, d). */
CONGRU_API congru_status congru_rotation_forward(congru_context *context, size_t d, const double *a, double *r);
CONGRU_API congru_status congru_rotation_backward(congru_context *context, size_t d, const double *a,
                                                  const double *d_r, double *d_a);

/* Y_i = M^-1/2 C_i M^-1/2 with M = exp(mean of log C_i), logarithms floored at `floor`: the reference is made
 * of the batch, and the adjoint goes through it. reference (d, d) may be NULL. Two spectra: of the batch
 * (n, d) and of the reference (1, d). */
CONGRU_API congru_status congru_spd_whiten_forward(congru_context *context, size_t n, size_t d, const double *c,
                                                   double floor, double *out, double *reference,
                                                   congru_spectrum *spectra[2]);
CONGRU_API congru_status congru_spd_whiten_backward(congru_context *context, size_t n, size_t d,
                                                    const double *c, congru_spectrum *const spectra[2],
                                                    const double *d_out, double *d_c);

#ifdef __cplusplus
}
#endif
#endif
