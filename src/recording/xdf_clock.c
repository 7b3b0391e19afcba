/* The times of an XDF stream: clock offsets and jitter. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "recording/xdf.h"

/* What is unusual of a step between two clock offsets, in its time or its value: so many seconds, and so many median
 * deviations, from the median step. */
typedef struct limit {
    double seconds, deviations;
} limit;

/* The values that pyxdf documents as its defaults, with its names for them. */
static const limit reset_time = {5, 5}; /* clock_reset_threshold_seconds, clock_reset_threshold_stds */
static const limit reset_value = {
    1, 10};                       /* clock_reset_threshold_offset_seconds, clock_reset_threshold_offset_stds */
static const double huber = 1e-4; /* winsor_threshold: residuals up to it, in seconds, count as squares */
static const double break_seconds = 1;   /* jitter_break_threshold_seconds */
static const double break_samples = 500; /* jitter_break_threshold_samples */

enum { STEPS_MAX = 300 };

static congru_status fail_memory(congru_context *context, size_t count)
{
    return congru_fail_memory(context, "%zu times", count);
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

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, compare);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* The step to offset i from the one before it: of its time (0) or its value (1). */
static double step_to(const double *offset, size_t i, size_t which)
{
    return offset[2 * i + which] - offset[2 * (i - 1) + which];
}

/* Which steps to offsets 1 to count - 1 are unusual is added to `unusual`; `work` has room for as many numbers. */
static void count_unusual(const double *offset, size_t count, size_t which, limit most, double *work,
                          unsigned char *unusual)
{
    for (size_t i = 1; i < count; i++)
        work[i - 1] = step_to(offset, i, which);
    double usual = median(work, count - 1);
    for (size_t i = 1; i < count; i++)
        work[i - 1] = fabs(step_to(offset, i, which) - usual);
    double deviation = median(work, count - 1);
    for (size_t i = 1; i < count; i++) {
        double off = fabs(step_to(offset, i, which) - usual);
        if (off > most.seconds && off > most.deviations * deviation)
            unusual[i]++;
    }
}

/* The lines of all parts; `weight`, `work` and `unusual` have room for `count` numbers each, `fit` for as many lines. A
 * clock was reset where its time goes back, and where a step is unusual in time and in value. */
static size_t fit_parts(const double *offset, size_t count, double *weight, double *work,
                        unsigned char *unusual, line *fit)
{
    size_t parts = 0, first = 0;
    if (count > 1) {
        count_unusual(offset, count, 0, reset_time, work, unusual);
        count_unusual(offset, count, 1, reset_value, work, unusual);
    }
    for (size_t i = 1; i <= count; i++)
        if (i == count || step_to(offset, i, 0) < 0 || unusual[i] == 2) {
            fit_robust(offset + 2 * first, weight, i - first, &fit[parts++]);
            first = i;
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
    unsigned char *unusual = calloc(offsets, sizeof *unusual);
    line *fit = malloc(offsets * sizeof *fit);
    bool enough = weight != NULL && work != NULL && unusual != NULL && fit != NULL;
    size_t parts = enough ? fit_parts(stream->offset, offsets, weight, work, unusual, fit) : 0;
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
    free(unusual);
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
