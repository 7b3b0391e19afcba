/* Differences of accuracies in points, inside the library. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATISTICS_POINTS_H
#define CONGRU_STATISTICS_POINTS_H

#include <math.h>

/* 100 a - 100 b, rounded to a multiple of 2^-30, so that differences which are equal in counts of trials are ties. */
static inline double congru_points_between(double a, double b)
{
    const double grid = 1073741824.0;
    return round((100 * a - 100 * b) * grid) / grid;
}

#endif
