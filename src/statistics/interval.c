/* Means over subjects and how sure they are; how p is printed. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "congru/statistics.h"

static const congru_interval unknown = {.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};

/* From the squares of deviations from the mean: no cancellation. */
static void spread(congru_interval *interval, double squares, double confidence)
{
    double n = (double)interval->count;
    interval->deviation = sqrt(squares / (n - 1));
    double reach = congru_student_quantile(0.5 + 0.5 * confidence, n - 1) * interval->deviation / sqrt(n);
    interval->low = interval->mean - reach;
    interval->high = interval->mean + reach;
}

congru_interval congru_interval_of(size_t n, const double *value, double confidence)
{
    congru_interval interval = unknown;
    double sum = 0, squares = 0;
    n = value != NULL && !congru_too_many(n, 1) ? n : 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i])) {
            sum += value[i];
            interval.count++;
        }
    if (interval.count > 0)
        interval.mean = sum / (double)interval.count;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            squares += (value[i] - interval.mean) * (value[i] - interval.mean);
    if (interval.count > 1)
        spread(&interval, squares, confidence);
    return interval;
}

/* The differences are made twice instead of kept, so that nothing is allocated. */
congru_gain congru_gain_of(size_t n, const double *a, const double *b, double confidence)
{
    congru_gain gain = {.interval = unknown, .effect = NAN};
    double sum = 0, squares = 0;
    n = a != NULL && b != NULL && !congru_too_many(n, 1) ? n : 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i]))
            continue;
        sum += a[i] - b[i];
        gain.interval.count++;
        gain.wins += a[i] > b[i];
        gain.losses += a[i] < b[i];
    }
    if (gain.interval.count > 0)
        gain.interval.mean = sum / (double)gain.interval.count;
    for (size_t i = 0; i < n; i++)
        if (!isnan(a[i]) && !isnan(b[i]))
            squares += (a[i] - b[i] - gain.interval.mean) * (a[i] - b[i] - gain.interval.mean);
    if (gain.interval.count > 1)
        spread(&gain.interval, squares, confidence);
    if (gain.interval.deviation > 0)
        gain.effect = gain.interval.mean / gain.interval.deviation;
    return gain;
}

void congru_p_text(double p, char text[CONGRU_P_TEXT_SIZE])
{
    if (text == NULL)
        return;
    if (isnan(p))
        strcpy(text, "-");
    else
        congru_format(text, CONGRU_P_TEXT_SIZE, p < 0.0005 ? "%.0e" : "%.3f", p);
}
