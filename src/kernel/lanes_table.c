/* The table of one instruction set's kernels. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

const congru_kernel LANES(table);
const congru_kernel LANES(table) = {
    .name = LANES_NAME,
    .width = VEC_WIDTH,
#define KERNEL(type, name, arguments) .name = LANES(name),
#include "kernel/kernels.h"
#undef KERNEL
    .real = &LANES(real_table),
};
