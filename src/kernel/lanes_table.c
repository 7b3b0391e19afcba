/* The table of one instruction set's kernels. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

const congru_kernel LANES(table);
const congru_kernel LANES(table) = {
    .name = LANES_NAME,
    .width = VEC_WIDTH,
    .pack = LANES(pack),
    .unpack = LANES(unpack),
    .symmetrise = LANES(symmetrise),
    .eigen = LANES(eigen),
    .eigen_work = LANES(eigen_work),
    .product = LANES(product),
    .cholesky = LANES(cholesky),
    .solve_lower = LANES(solve_lower),
    .map = LANES(map),
    .scale_columns = LANES(scale_columns),
    .loewner = LANES(loewner),
    .multiply = LANES(multiply),
    .combine = LANES(combine),
    .add_diagonal = LANES(add_diagonal),
    .sum_squares = LANES(sum_squares),
    .filter = LANES(filter),
    .weigh = LANES(weigh),
    .centre = LANES(centre),
    .gram = LANES(gram),
    .power_squares = LANES(power_squares),
    .logistic = LANES(logistic),
};
