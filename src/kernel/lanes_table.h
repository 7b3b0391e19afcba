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
                           const congru_real *d_y, congru_real *d_x);
void LANES(real_rectify)(size_t rows, size_t cols, const congru_real *bias, congru_real *y, size_t row);
void LANES(real_gate)(size_t rows, size_t cols, const congru_real *y, const congru_real *d, congru_real *g,
                      double *sum);
void LANES(real_add_rows)(size_t rows, size_t cols, const congru_real *x, size_t row, double *sum);
void LANES(real_gelu)(size_t count, const congru_real *x, congru_real *y, congru_real *slope);
void LANES(real_multiply)(size_t count, const congru_real *a, const congru_real *b, congru_real *y);
void LANES(real_add)(size_t count, const congru_real *a, const congru_real *b, congru_real *y);
void LANES(real_stretch)(size_t rows, size_t cols, const congru_real *scale, const congru_real *shift,
                         const congru_real *x, congru_real *y);
void LANES(real_tally)(size_t rows, size_t cols, const congru_real *a, const congru_real *b, double *sum,
                       double *product);
void LANES(real_soften)(size_t rows, size_t cols, double scale, congru_real *p);
void LANES(real_unsoften)(size_t rows, size_t cols, double scale, double kept, const congru_real *p,
                          congru_real *d);
void LANES(real_draw)(const uint32_t key[2], const uint32_t counter[4], uint64_t least, congru_real kept,
                      size_t count, congru_real *out);
void LANES(real_shift)(size_t rows, size_t cols, const congru_real *bias, congru_real *y);
void LANES(real_collect)(size_t rows, size_t cols, const congru_real *x, size_t row, double *sum);
void LANES(real_pool)(size_t rows, size_t cols, size_t window, size_t stride, congru_real scale,
                      const congru_real *x, congru_real *y);
void LANES(real_largest)(size_t rows, size_t cols, size_t window, size_t stride, const congru_real *x,
                         congru_real *y);
void LANES(real_give_largest)(size_t rows, size_t cols, size_t window, size_t stride, const congru_real *x,
                              const congru_real *y, const congru_real *d_y, congru_real *d_x);
void LANES(real_tile_windows)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *x,
                              size_t line, congru_real *v, size_t plane);
void LANES(real_tile_pixels)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *m,
                             size_t plane, const congru_real *bias, congru_real *y, size_t line);
void LANES(real_tile_spread)(size_t tiles, size_t step, size_t high, size_t wide, const congru_real *y,
                             size_t line, congru_real *m, size_t plane);
void LANES(real_leave)(size_t count, const congru_real *mask, congru_real *p);
void LANES(real_keep)(size_t count, congru_real kept, const congru_real *p, congru_real *a);

#endif
