/* Euclidean distances from one point to all others. SPDX-License-Identifier: Apache-2.0 */
#include "statistics/neighbours.h"

#include <math.h>
#include <string.h>

void congru_neighbours_arrange(const double *points, congru_neighbours *neighbours)
{
    const size_t n = neighbours->n, d = neighbours->d, stride = neighbours->stride;
    memset(neighbours->coordinate, 0, d * stride * sizeof *neighbours->coordinate);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            neighbours->coordinate[k * stride + i] = points[i * d + k];
}

/* Each sum runs over the coordinates in order, whatever the compiler does with the loop over points. */
void congru_neighbours_measure(const congru_neighbours *neighbours, size_t index, double *restrict squares)
{
    const size_t stride = neighbours->stride;
    memset(squares, 0, stride * sizeof *squares);
    for (size_t k = 0; k < neighbours->d; k++) {
        const double *restrict row = neighbours->coordinate + k * stride;
        const double mine = row[index];
        for (size_t j = 0; j < stride; j++) {
            double difference = mine - row[j];
            squares[j] += difference * difference;
        }
    }
}

congru_status congru_neighbours_check(congru_context *context, const char *what, size_t n, size_t d,
                                      const double *rows)
{
    for (size_t i = 0; i < n * d; i++)
        if (!isfinite(rows[i]))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE, "%s %zu of %zu holds NaN or infinity", what,
                               i / d, n);
    return CONGRU_OK;
}
