/* The kernels of one instruction set, as its sources see each other. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LANES_TABLE_H
#define CONGRU_LANES_TABLE_H

#include "kernel/lanes.h"

#define KERNEL(type, name, arguments) type LANES(name) arguments;
#include "kernel/kernels.h"
#undef KERNEL

/* Declared in kernel/real.h. */
extern const congru_real_kernel LANES(real_table);

#endif
