/* The kernels of one instruction set, as its sources see each other. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LANES_TABLE_H
#define CONGRU_LANES_TABLE_H

#include "kernel/lanes.h"

#define KERNEL(type, name, arguments) type LANES(name) arguments;
#include "kernel/kernels.h"
#undef KERNEL

/* Declared in kernel/real.h. */
extern const congru_real_kernel LANES(real_table);
void LANES(real_elu)(size_t count, const congru_real *x, congru_real *y);
void LANES(real_elu_slope)(size_t count, congru_real kept, congru_real none, const congru_real *y,
                           congru_real *d);
void LANES(real_rectify)(size_t rows, size_t cols, const congru_real *bias, congru_real *y, size_t row);
void LANES(real_gate)(size_t count, const congru_real *y, const congru_real *d, congru_real *restrict g);
void LANES(real_add_rows)(size_t rows, size_t cols, const congru_real *x, size_t row, double *sum);
void LANES(real_gelu)(size_t count, const congru_real *x, congru_real *y, congru_real *slope);

#endif
