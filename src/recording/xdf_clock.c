/* The times of an XDF stream: clock offsets and jitter. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "recording/xdf.h"

/* The limits that pyxdf documents: a clock was reset where an offset comes later than usual and is another than usual,
 * by so many seconds and by so many median deviations; residuals up to `huber` seconds count as squares; a stream is
 * interrupted by a jump of `break_seconds` and `break_samples`. */
static const double reset_time_seconds = 5, reset_time_deviations = 5;
static const double reset_value_seconds = 1, reset_value_deviations = 10;
static const double huber = 1e-4;
static const double break_seconds = 1, break_samples = 500;

enum { STEPS_MAX = 300 };

static congru_status fail_memory(congru_context *context, size_t count)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu times", count);
}

/* ---- A robust line ------------------------------------------------------------------------------- */

/* value = level + slope (time - origin) */
typedef struct line {
    double origin, level, slope;
    double first, last; /* times that it is made of */
} line;

/* The line of least weighted squares. */
static void fit_weighted(const double *offset, const double *weight, size_t count, line *fit)
{
    double sum = 0, time = 0, value = 0, spread = 0, product = 0;
    for (size_t i = 0; i < count; i++) {
        sum += weight[i];
        time += weight[i] * (offset[2 * i] - fit->origin);
        value += weight[i] * offset[2 * i + 1];
    }
    time /= sum;
    value /= sum;
    for (size_t i = 0; i < count; i++) {
        double t = offset[2 * i] - fit->origin - time;
        spread += weight[i] * t * t;
        product += weight[i] * t * (offset[2 * i + 1] - value);
    }
    fit->slope = spread > 0 ? product / spread : 0;
    fit->level = value - fit->slope * time;
}

/* The line with the least sum of Huber's loss, by weighted squares until it stays. */
static void fit_robust(const double *offset, double *weight, size_t count, line *fit)
{
    *fit = (line){.origin = offset[0], .first = offset[0], .last = offset[2 * (count - 1)]};
    double span = fit->last - fit->first;
    for (size_t i = 0; i < count; i++)
        weight[i] = 1;
    fit_weighted(offset, weight, count, fit);
    for (int step = 0; step < STEPS_MAX; step++) {
        line before = *fit;
        for (size_t i = 0; i < count; i++) {
            double rest = fabs(offset[2 * i + 1] - fit->level - fit->slope * (offset[2 * i] - fit->origin));
            weight[i] = rest > huber ? huber / rest : 1;
        }
        fit_weighted(offset, weight, count, fit);
        if (fabs(fit->level - before.level) + fabs((fit->slope - before.slope) * span) < 1e-13)
            break;
    }
}

/* ---- Resets of a clock --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The median, and the median deviation from it; `value` is left in another order and changed. */
static void find_usual(double *value, size_t count, double *median, double *deviation)
{
    qsort(value, count, sizeof *value, compare);
    *median = (value[(count - 1) / 2] + value[count / 2]) / 2;
    for (size_t i = 0; i < count; i++)
        value[i] = fabs(value[i] - *median);
    qsort(value, count, sizeof *value, compare);
    *deviation = (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* The lines of all parts; `weight` and `work` have room for `count` numbers each, `fit` for as many lines. */
static size_t fit_parts(const double *offset, size_t count, double *weight, double *work, line *fit)
{
    double usual[2][2] = {{0}}; /* of time and value: median and deviation */
    for (size_t which = 0; which < 2 && count > 1; which++) {
        for (size_t i = 1; i < count; i++) {
            double step = offset[2 * i + which] - offset[2 * (i - 1) + which];
            work[i - 1] = which == 1 ? fabs(step) : step;
        }
        find_usual(work, count - 1, &usual[which][0], &usual[which][1]);
    }
    size_t parts = 0, first = 0;
    for (size_t i = 1; i <= count; i++) {
        bool reset = i == count;
        if (!reset) {
            double time = offset[2 * i] - offset[2 * (i - 1)], late = time - usual[0][0];
            double value = fabs(offset[2 * i + 1] - offset[2 * (i - 1) + 1]) - usual[1][0];
            reset = (time < 0 || (late > reset_time_seconds && late > reset_time_deviations * usual[0][1])) &&
                    value > reset_value_seconds && value > reset_value_deviations * usual[1][1];
        }
        if (reset) {
            fit_robust(offset + 2 * first, weight, i - first, &fit[parts++]);
            first = i;
        }
    }
    return parts;
}

static double distance(const line *fit, double time)
{
    return time < fit->first ? fit->first - time : time > fit->last ? time - fit->last : 0;
}

congru_status congru_xdf_synchronise(congru_context *context, const congru_xdf_stream *stream, double *time,
                                     size_t count)
{
    size_t offsets = stream->offsets, part = 0;
    if (offsets == 0)
        return CONGRU_OK;
    double *weight = malloc(offsets * sizeof *weight), *work = malloc(offsets * sizeof *work);
    line *fit = malloc(offsets * sizeof *fit);
    bool enough = weight != NULL && work != NULL && fit != NULL;
    size_t parts = enough ? fit_parts(stream->offset, offsets, weight, work, fit) : 0;
    double before = 0;
    for (size_t i = 0; i < count && enough; i++) {
        double own = time[i];
        /* Behind a jump the next part may be the nearer one. */
        while (i > 0 && fabs(own - before) > break_seconds && part + 1 < parts &&
               distance(&fit[part + 1], own) < distance(&fit[part], own))
            part++;
        double moved = own + fit[part].level + fit[part].slope * (own - fit[part].origin);
        time[i] = isfinite(moved) ? moved : own;
        before = own;
    }
    free(weight);
    free(work);
    free(fit);
    return enough ? CONGRU_OK : fail_memory(context, offsets);
}

/* ---- Jitter -------------------------------------------------------------------------------------- */

/* Times of samples first to first + count - 1 as start + step i, by least squares. */
static congru_xdf_segment fit_segment(const double *time, size_t first, size_t count, double rate)
{
    double middle = (double)(count - 1) / 2, mean = 0, spread = 0, product = 0, origin = time[first];
    for (size_t i = 0; i < count; i++)
        mean += time[first + i] - origin;
    mean /= (double)count;
    for (size_t i = 0; i < count; i++) {
        double place = (double)i - middle;
        spread += place * place;
        product += place * (time[first + i] - origin - mean);
    }
    double step = spread > 0 ? product / spread : 1 / rate;
    if (!(step > 0) || !isfinite(step)) /* times that stand still or go back are no clock */
        step = 1 / rate;
    return (congru_xdf_segment){first, count, origin + mean - step * middle, step};
}

congru_status congru_xdf_dejitter(congru_context *context, const double *time, size_t count, double rate,
                                  congru_xdf_segment **segment, size_t *segments)
{
    double jump = break_samples / rate > break_seconds ? break_samples / rate : break_seconds;
    size_t parts = 1, first = 0;
    for (size_t i = 1; i < count; i++)
        parts += fabs(time[i] - time[i - 1]) > jump;
    *segments = 0;
    *segment = malloc(parts * sizeof **segment);
    if (*segment == NULL)
        return fail_memory(context, count);
    for (size_t i = 1; i <= count; i++)
        if (i == count || fabs(time[i] - time[i - 1]) > jump) {
            (*segment)[(*segments)++] = fit_segment(time, first, i - first, rate);
            first = i;
        }
    return CONGRU_OK;
}
