/* The kernels of one instruction set, as its sources see each other. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LANES_TABLE_H
#define CONGRU_LANES_TABLE_H

#include "kernel/lanes.h"

/* What each does is said in kernel.h. */
void LANES(pack)(size_t vectors, size_t n, size_t rows, size_t cols, const double *plain, double *lanes);
void LANES(unpack)(size_t vectors, size_t n, size_t rows, size_t cols, const double *lanes, double *plain);
void LANES(symmetrise)(size_t vectors, size_t d, double *a, double *largest, double *asymmetry);
bool LANES(eigen)(size_t vectors, size_t d, double *a, double *values, double *z, double *work);
size_t LANES(eigen_work)(size_t d);
void LANES(product)(size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a, congru_operand b,
                    congru_product_mode mode, double *c);
void LANES(cholesky)(size_t vectors, size_t d, double *a);
void LANES(solve_lower)(size_t vectors, size_t d, size_t cols, congru_operand l, double *b);
void LANES(map)(congru_function function, size_t count, const double *in, double *out);
void LANES(scale_columns)(size_t vectors, size_t d, const double *z, const double *values, double *scaled);
void LANES(loewner)(congru_function function, size_t vectors, size_t d, const double *values, double *loewner,
                    double *work);
void LANES(multiply)(size_t count, const double *x, double *y);
void LANES(combine)(size_t count, double alpha, const double *x, double beta, double *y);
void LANES(add_diagonal)(size_t vectors, size_t d, double number, double *a);
void LANES(sum_squares)(size_t vectors, size_t count, const double *x, double *out);
void LANES(filter)(size_t sections, const double (*section)[6], size_t rows, double *const *row, size_t samples,
                   bool backward, double *state);
void LANES(weigh)(size_t taps, const double *weights, const double *lanes, double *out);
void LANES(centre)(size_t rows, size_t samples, size_t stride, bool subtract, const double *plain, double *out);
void LANES(gram)(size_t rows, size_t stride, const double *x, double *out);
double LANES(power_squares)(size_t rows, size_t stride, const double *x);
void LANES(gather)(size_t vectors, size_t size, const double *plain, const size_t *index, double *lanes);
void LANES(spread)(size_t vectors, size_t size, const double *plain, double *lanes);
void LANES(triangle)(size_t vectors, size_t d, size_t stride, const double *s, double *row);
void LANES(untriangle)(size_t vectors, size_t d, size_t stride, const double *row, double *s);
void LANES(dots)(size_t vectors, size_t count, const double *x, const double *y, double *out);
void LANES(column_dots)(size_t vectors, size_t rows, size_t cols, const double *w, const double *x,
                        double *out);
void LANES(add_columns)(size_t vectors, size_t rows, size_t cols, const double *x, const double *g,
                        double *chains);
void LANES(add_product)(size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a,
                        congru_operand b, double *chains);
void LANES(add_lanes)(size_t vectors, size_t size, const double *x, double *chains);
void LANES(fold)(size_t size, const double *chains, double *sum);
void LANES(dense)(size_t rows, size_t cols, size_t inner, congru_operand a, const double *b, bool add,
                  double *c);
double LANES(logistic)(const congru_logistic_block *block, const double *w, double *work, double *gradient);

/* Declared in kernel/real.h. */
extern const congru_real_kernel LANES(real_table);

#endif
