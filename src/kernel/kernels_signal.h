/* Filters and covariances of signals. SPDX-License-Identifier: Apache-2.0 */
/* A part of the list in kernel/kernels.h. */

/* Second-order sections (b0 b1 b2 a0 a1 a2, a0 = 1) over `rows` signals of `samples`, at most width of them, plain
 * and in place, from the first sample to the last or backward. state (sections, 2, width), aligned, is what the
 * sections remember, and goes on where it was. Per section, with each fma and product rounded once: y = fma(b0, x,
 * s1), s1 = fma(-a1, y, fma(b1, x, s2)), s2 = fma(-a2, y, b2 x). */
KERNEL(void, filter,
       (size_t sections, const double (*section)[6], size_t rows, double *const *row, size_t samples,
        bool backward, double *state))

/* out (width) = the sum over t of weights[t] times lanes (taps, width): four chains of fma, tap t in chain t % 4,
 * then added as (0 + 1) + (2 + 3). */
KERNEL(void, weigh, (size_t taps, const double *weights, const double *lanes, double *out))

/* Signals with time in the lanes. Rows of `stride` samples, a multiple of CONGRU_GROUP, aligned, zeros at their end;
 * sums over time are 8 chains, sample t in chain t % 8, added as ((0+4)+(2+6))+((1+5)+(3+7)). centre: out (rows,
 * stride) is plain (rows, samples), each row less its mean where `subtract`. gram: out (rows, rows) = X X^T.
 * power_squares: the sum over time of (the sum over rows of x^2)^2. */
KERNEL(void, centre,
       (size_t rows, size_t samples, size_t stride, bool subtract, const double *plain, double *out))
KERNEL(void, gram, (size_t rows, size_t stride, const double *x, double *out))
KERNEL(double, power_squares, (size_t rows, size_t stride, const double *x))
