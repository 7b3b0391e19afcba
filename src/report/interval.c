/* Means over subjects and how sure they are. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/report_internal.h"

/* The 97.5 % point of Student's t: a table where the expansion in 1/freedom is not yet exact to four digits. */
static double student(size_t freedom)
{
    static const double few[] = {NAN,     12.7062, 4.30265, 3.18245, 2.77645, 2.57058,
                                 2.44691, 2.36462, 2.306,   2.26216, 2.22814};
    if (freedom < sizeof few / sizeof few[0])
        return few[freedom];
    double z = 1.959963984540054, z2 = z * z, n = (double)freedom;
    double first = z * (z2 + 1) / 4, second = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + first / n + second / (n * n) + third / (n * n * n);
}

report_interval congru_report_interval(size_t count, const double *value)
{
    report_interval interval = {.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i])) {
            sum += value[i];
            interval.count++;
        }
    if (interval.count == 0)
        return interval;
    double n = (double)interval.count;
    interval.mean = sum / n;
    if (interval.count < 2)
        return interval;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            squares += (value[i] - interval.mean) * (value[i] - interval.mean);
    interval.deviation = sqrt(squares / (n - 1));
    double reach = student(interval.count - 1) * interval.deviation / sqrt(n);
    interval.low = interval.mean - reach;
    interval.high = interval.mean + reach;
    return interval;
}

/* The differences are made twice instead of kept, so that nothing is allocated. */
report_pair congru_report_pair(size_t count, const double *a, const double *b)
{
    report_pair pair = {.gain = {.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN}, .effect = NAN};
    report_interval *gain = &pair.gain;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(a[i]) || isnan(b[i]))
            continue;
        sum += a[i] - b[i];
        gain->count++;
        pair.wins += a[i] > b[i];
        pair.losses += a[i] < b[i];
    }
    if (gain->count == 0)
        return pair;
    double n = (double)gain->count;
    gain->mean = sum / n;
    if (gain->count < 2)
        return pair;
    for (size_t i = 0; i < count; i++)
        if (!isnan(a[i]) && !isnan(b[i]))
            squares += (a[i] - b[i] - gain->mean) * (a[i] - b[i] - gain->mean);
    gain->deviation = sqrt(squares / (n - 1));
    double reach = student(gain->count - 1) * gain->deviation / sqrt(n);
    gain->low = gain->mean - reach;
    gain->high = gain->mean + reach;
    if (gain->deviation > 0)
        pair.effect = gain->mean / gain->deviation;
    return pair;
}
