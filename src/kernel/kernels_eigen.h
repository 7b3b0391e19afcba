/* Eigenvalues, factors, and functions of eigenvalues. SPDX-License-Identifier: Apache-2.0 */
/* A part of the list in kernel/kernels.h. */

/* Averages each matrix with its transpose. For each of the vectors * width lanes: largest |entry| (NaN where an entry
 * is not finite) and largest |a_ij - a_ji|. */
KERNEL(void, symmetrise, (size_t vectors, size_t d, double *a, double *largest, double *asymmetry))

/* Eigen-decomposition of symmetric matrices, the lower triangle being read: values (d), unordered, and eigenvectors
 * (d, d) in the columns of `z`, or values alone when z is NULL. `a` is destroyed. `work` holds eigen_work(d) doubles.
 * Returns false when a lane did not converge, as happens with NaN. */
KERNEL(bool, eigen, (size_t vectors, size_t d, double *a, double *values, double *z, double *work))
KERNEL(size_t, eigen_work, (size_t d))

/* Lower Cholesky factor, in place, zeros above the diagonal; NaN from the first pivot that is not positive. */
KERNEL(void, cholesky, (size_t vectors, size_t d, double *a))

/* X = L^-1 B for lower triangular L and B (d, cols), in place. Shared L: one plain factor for all lanes. */
KERNEL(void, solve_lower, (size_t vectors, size_t d, size_t cols, congru_operand l, double *b))

/* out[i] = f(in[i]) over `count` doubles, a multiple of width. */
KERNEL(void, map, (congru_function function, size_t count, const double *in, double *out))

/* scaled (d, d) = z with column k times values[k]. */
KERNEL(void, scale_columns, (size_t vectors, size_t d, const double *z, const double *values, double *scaled))

/* loewner (d, d): the divided differences (f(x_i) - f(x_j))/(x_i - x_j), f'(x_i) where equal, accurate for equal,
 * nearly equal and clamped eigenvalues alike. `work` holds 3 * d * width doubles. */
KERNEL(void, loewner,
       (congru_function function, size_t vectors, size_t d, const double *values, double *loewner,
        double *work))

/* Adds a number to the diagonal of each (d, d). */
KERNEL(void, add_diagonal, (size_t vectors, size_t d, double number, double *a))
