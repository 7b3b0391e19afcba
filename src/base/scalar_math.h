/* The library's own log, exp, cosine, sine and tangent of one number. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SCALAR_MATH_H
#define CONGRU_SCALAR_MATH_H

/* Use these, not libm's, wherever the value reaches a result: they give the same bits on every machine. */
double congru_scalar_log(double x);
double congru_scalar_exp(double x);

/* Cosine, sine and tangent of 2 pi u, for u in [0, 1]. Near a zero they are accurate relative to it. */
double congru_scalar_cos_2pi(double u);
double congru_scalar_sin_2pi(double u);
double congru_scalar_tan_2pi(double u);

#endif
