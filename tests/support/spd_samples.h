/* Test matrices, and the plain dense algebra to judge results by. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_SPD_SAMPLES_H
#define CONGRU_TESTS_SPD_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/random.h"
#include "congru/spd.h"

/* Checks the status of a call; the context's error text goes into the message, and a failure must have one. */
void spd_expect(const congru_context *context, congru_status status, congru_status expected, const char *file,
                int line);

/* ---- Makers: every matrix is d x d, row-major and, where symmetric, symmetric to the bit ---------- */

/* `count` zeroed doubles; never NULL (a test without memory ends). Release with free(). */
double *sample_alloc(size_t count);

void sample_normals(congru_random *random, size_t count, double *out);

/* Uniform over O(d): normals made orthonormal. */
void sample_orthogonal(congru_random *random, size_t d, double *q);

/* Normals, symmetrised, scaled to the given Frobenius norm. */
void sample_symmetric(congru_random *random, size_t d, double norm, double *s);

/* Q diag(values) Q^T with a random Q; `values` may repeat, lie close together or be negative. */
void sample_with_values(congru_random *random, size_t d, const double *values, double *c);

/* Eigenvalues log-spaced from condition^-1/2 to condition^1/2; d = 1 gives 1. */
void sample_log_spaced(size_t d, double condition, double *values);
void sample_spd(congru_random *random, size_t d, double condition, double *c);

/* c1 of the given condition and c2 = G M G^T with G G^T = c1 and log-eigenvalues of M in [-1, 1]: however
 * ill-conditioned both are, their affine-invariant distance, returned, stays well determined. */
double sample_pair(congru_random *random, size_t d, double condition, double *c1, double *c2);

/* n matrices like one subject's trials: G exp(S_i) G^T with a mean G G^T of condition 1e3 and small S_i. */
void sample_eeg(congru_random *random, size_t n, size_t d, double *c);

/* n matrices with log-eigenvalues uniform over [-spread/2, spread/2], each in its own orientation. */
void sample_dispersed(congru_random *random, size_t n, size_t d, double spread, double *c);

/* ---- Dense algebra, written out plainly: nothing here calls the library ---------------------------- */

void dense_identity(size_t d, double *out);
void dense_transpose(size_t rows, size_t columns, const double *a, double *out);

/* out (n, m) = a (n, k) b (k, m); out must not be a or b. */
void dense_product(size_t n, size_t k, size_t m, const double *a, const double *b, double *out);

/* out (m, m) = w^T c w with w (d, m), symmetric to the bit. */
void dense_congruence(size_t d, size_t m, const double *c, const double *w, double *out);

double dense_norm(size_t count, const double *a);
double dense_dot(size_t count, const double *a, const double *b);
double dense_difference(size_t count, const double *a, const double *b); /* the norm of a - b */
double dense_trace(size_t d, const double *a);
double dense_determinant(size_t d, const double *a);
bool dense_finite(size_t count, const double *a);

/* Symmetric eigen-decomposition by cyclic Jacobi: slow, and as independent of QL as can be.
 * Ascending values; vectors in the columns. */
void dense_eigen(size_t d, const double *c, double *values, double *vectors);

/* V f(values) V^T by dense_eigen. */
void dense_function(size_t d, const double *c, double (*f)(double), double *out);

/* One over the square root, for dense_function. */
double dense_invsqrt(double x);

#endif
