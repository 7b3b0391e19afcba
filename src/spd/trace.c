/* Divides matrices by their trace. SPDX-License-Identifier: Apache-2.0 */
#include "spd/trace.h"

#include "base/mapped_memory.h"

void congru_trace_divide(size_t n, size_t d, const double *c, double *out)
{
    const size_t size = d * d;
    for (size_t m = 0; m < n; m++, c += size, out += size) {
        double trace = 0.0;
        for (size_t i = 0; i < d; i++)
            trace += c[i * (d + 1)];
        for (size_t e = 0; e < size; e++)
            out[e] = c[e] / trace;
        congru_mapped_pass(2 * size * sizeof(double));
    }
}
