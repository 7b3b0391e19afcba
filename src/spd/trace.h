/* Matrices over their trace. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SPD_TRACE_H
#define CONGRU_SPD_TRACE_H

#include <stddef.h>

/* out_i = c_i / trace(c_i) for n matrices (d, d); out may be c. */
void congru_trace_divide(size_t n, size_t d, const double *c, double *out);

#endif
