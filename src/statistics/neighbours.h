/* Euclidean distances from one point to all others. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATISTICS_NEIGHBOURS_H
#define CONGRU_STATISTICS_NEIGHBOURS_H

#include "base/error.h"

/* Points by coordinate, so that the loop over points is one over neighbours in memory: (d, stride), zeros
 * behind the n-th. */
typedef struct congru_neighbours {
    size_t n, d, stride; /* stride is n up to a multiple of 8 */
    double *coordinate;
} congru_neighbours;

static inline size_t congru_neighbours_stride(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* From plain points (n, d); `coordinate` has room already. */
void congru_neighbours_arrange(const double *points, congru_neighbours *neighbours);

/* squares (stride): the squared distances from point `index`. */
void congru_neighbours_measure(const congru_neighbours *neighbours, size_t index, double *squares);

/* CONGRU_ERROR_NOT_FINITE naming the first of n rows of d numbers, called `what`, that holds NaN or
 * infinity. */
congru_status congru_neighbours_check(congru_context *context, const char *what, size_t n, size_t d,
                                      const double *rows);

#endif
