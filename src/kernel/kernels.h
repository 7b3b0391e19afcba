/* All kernels, each listed once: KERNEL(type, name, (arguments)). SPDX-License-Identifier: Apache-2.0 */

/* The including file defines KERNEL. The members of congru_kernel, the declarations of each instruction set's functions
 * and its table are made of it. A new kernel is one entry in the list of its domain, with what it computes, and one
 * function LANES(name) in a lanes_*.c. */
#include "kernel/kernels_product.h"

#include "kernel/kernels_eigen.h"

#include "kernel/kernels_signal.h"

#include "kernel/kernels_network.h"
