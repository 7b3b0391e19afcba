/* Means and dispersions of a target's trials, all at once or one after the other, and of the sources'. SPDX-License-Identifier: Apache-2.0 */
#include "network/statistics.h"

#include <math.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "congru/spd.h"

/* So many trials of a target make a reference alone; of fewer it has that share, and that of training the rest. */
enum { ENOUGH = 16 };
static const double epsilon = 1e-5; /* added to a dispersion */

static bool of_norms(const congru_statistic *s)
{
    return s->kind == CONGRU_MEAN_NORM;
}

static congru_metric metric_of(const congru_statistic *s)
{
    return s->kind == CONGRU_MEAN_FRECHET ? CONGRU_METRIC_RIEMANN : CONGRU_METRIC_LOGEUCLID;
}

size_t congru_statistic_rows(congru_statistic_kind kind, size_t d)
{
    return kind == CONGRU_MEAN_LOGARITHM ? d : d + 1;
}

congru_status congru_statistic_begin(congru_context *context, congru_statistic_kind kind, size_t count,
                                     size_t d, congru_statistic *s)
{
    const size_t size = kind == CONGRU_MEAN_NORM ? 0 : d * d, tables = kind == CONGRU_MEAN_NORM        ? 0
                                                                       : kind == CONGRU_MEAN_LOGARITHM ? 3
                                                                                                       : 2;
    *s = (congru_statistic){.kind = kind, .count = count, .d = d};
    double *next = congru_memory_take((tables * count * size + 2 * count + 2 * (size + 2)) * sizeof *next);
    if (next == NULL)
        return congru_fail_memory(context, "statistics of %zu trials", count);
    s->value = next;
    next += of_norms(s) ? count : count * size;
    s->logarithm = kind == CONGRU_MEAN_LOGARITHM ? next : NULL;
    next += kind == CONGRU_MEAN_LOGARITHM ? count * size : 0;
    s->inverse = next;
    next += count * size;
    s->factor = next;
    s->scratch = next + count;
    return CONGRU_OK;
}

void congru_statistic_end(congru_statistic *s)
{
    congru_memory_give(s->value);
    s->value = NULL;
}

/* ---- Results ----------------------------------------------------------------------------------------- */

/* Result k by a mean of `seen` matrices and their dispersion, and by those of the sources where they are few. */
static congru_status blend(congru_context *context, size_t seen, const double *logarithm, double dispersion,
                           size_t k, const congru_statistic *s)
{
    const size_t size = s->d * s->d;
    const double share = seen < ENOUGH ? (double)seen / ENOUGH : 1.0;
    double *inverse = s->inverse + k * size;
    for (size_t e = 0; e < size; e++)
        inverse[e] = -0.5 * (share * logarithm[e] + (1.0 - share) * s->kept[e]);
    if (s->kind == CONGRU_MEAN_FRECHET)
        s->factor[k] = 1.0 / sqrt(share * dispersion + (1.0 - share) * s->kept[size] + epsilon);
    return congru_spd_exp(context, 1, s->d, inverse, inverse);
}

congru_status congru_statistic_identity(congru_context *context, congru_statistic *s)
{
    s->results = 1;
    s->kept = s->scratch;
    memset(s->scratch, 0, (s->d * s->d + 1) * sizeof(double));
    return blend(context, ENOUGH, s->scratch, 1.0, 0, s);
}

/* What trials leave behind is numbers: how many there are, then the sum of norms; or the sum of logarithms; or the sum of
 * squared distances from the mean, and the mean. The sums among them shrink where a subject's memory is full. */
static size_t count_numbers(const congru_statistic *s)
{
    return of_norms(s) ? 2 : s->d * s->d + (s->kind == CONGRU_MEAN_LOGARITHM ? 1 : 2);
}

static size_t count_sums(const congru_statistic *s)
{
    return s->kind == CONGRU_MEAN_LOGARITHM ? s->d * s->d : 1;
}

/* One more trial; who calls this counts it. A mean moves by 1/n of the way to it, along the geodesic. */
static congru_status add(congru_context *context, const congru_statistic *s, size_t trial, double *number)
{
    const size_t size = s->d * s->d;
    if (of_norms(s)) {
        number[1] += s->value[trial];
        return CONGRU_OK;
    }
    if (s->kind == CONGRU_MEAN_LOGARITHM) {
        for (size_t e = 0; e < size; e++)
            number[e + 1] += s->logarithm[trial * size + e];
        return CONGRU_OK;
    }
    const double *matrix = s->value + trial * size;
    double *mean = number + 2, distance = 0.0;
    if (number[0] == 0.0)
        memcpy(mean, matrix, size * sizeof *mean);
    CONGRU_TRY(
        congru_spd_geodesic(context, metric_of(s), 1, s->d, mean, 1, matrix, 1.0 / (number[0] + 1.0), mean));
    if (s->kind == CONGRU_MEAN_FRECHET)
        CONGRU_TRY(congru_spd_distance(context, metric_of(s), 1, s->d, mean, 1, matrix, &distance));
    number[1] += distance * distance;
    return CONGRU_OK;
}

/* Result k of the numbers. */
static congru_status settle(congru_context *context, const double *number, size_t k, congru_statistic *s)
{
    const size_t size = s->d * s->d;
    double dispersion = 1.0;
    if (of_norms(s)) {
        s->factor[k] = number[1] > 0.0 ? sqrt(number[1] / number[0]) : s->source;
        return CONGRU_OK;
    }
    memset(s->scratch, 0, size * sizeof(double));
    if (number[0] > 0.0 && s->kind == CONGRU_MEAN_LOGARITHM) {
        for (size_t e = 0; e < size; e++)
            s->scratch[e] = number[e + 1] / number[0];
    } else if (number[0] > 0.0) {
        CONGRU_TRY(congru_spd_log(context, 1, s->d, number + 2, s->scratch));
        dispersion = number[1] / number[0];
    }
    return blend(context, (size_t)number[0], s->scratch, dispersion, k, s);
}

/* ---- Of a target ------------------------------------------------------------------------------------- */

/* The logarithm (d, d) of the mean of `count` matrices, and *dispersion about it. */
static congru_status mean_of(congru_context *context, const congru_statistic *s, size_t count,
                             const double *matrix, double *logarithm, double *dispersion)
{
    const size_t size = s->d * s->d;
    *dispersion = 1.0;
    if (s->kind != CONGRU_MEAN_FRECHET) {
        CONGRU_TRY(congru_spd_mean(context, metric_of(s), count, s->d, matrix, NULL, logarithm, NULL));
        return congru_spd_log(context, 1, s->d, logarithm, logarithm);
    }
    double *mean = congru_memory_take((count + size) * sizeof *mean), *distance;
    if (mean == NULL)
        return congru_fail_memory(context, "%zu distances", count);
    distance = mean + size;
    congru_status status = congru_spd_mean(context, metric_of(s), count, s->d, matrix, NULL, mean, NULL);
    if (status != CONGRU_ERROR_NOT_CONVERGED) /* the best there is, which is near */
        CONGRU_TRY_TO(done, status);
    CONGRU_TRY_TO(done, congru_spd_distance(context, metric_of(s), count, s->d, matrix, 1, mean, distance));
    CONGRU_TRY_TO(done, congru_spd_log(context, 1, s->d, mean, logarithm));
    *dispersion = 0.0;
    for (size_t i = 0; i < count; i++)
        *dispersion += distance[i] * distance[i] / (double)count;
done:
    congru_memory_give(mean);
    return status;
}

/* One result, of the trials that may be seen. */
static congru_status see(congru_context *context, size_t visible, double *number, congru_statistic *s)
{
    if (!of_norms(s) && visible > 0 && visible < ENOUGH)
        congru_note(context,
                    "only %s of the target subject may be seen: the reference is drawn to that of training (%d "
                    "trials stand alone)",
                    congru_count(visible, "trial").text, ENOUGH);
    if (s->kind == CONGRU_MEAN_LOGEUCLID || s->kind == CONGRU_MEAN_FRECHET) {
        double dispersion = 1.0;
        memset(s->scratch, 0, s->d * s->d * sizeof(double));
        if (visible > 0)
            CONGRU_TRY(mean_of(context, s, visible, s->value, s->scratch, &dispersion));
        return blend(context, visible, s->scratch, dispersion, 0, s);
    }
    for (size_t i = 0; i < visible; i++)
        CONGRU_TRY(add(context, s, i, number));
    number[0] = (double)visible;
    return settle(context, number, 0, s);
}

congru_status congru_statistic_of_target(congru_context *context, const congru_target_trials *target,
                                         congru_statistic *s)
{
    congru_following *following = target->following;
    double *number =
        following != NULL ? congru_following_take(following, count_numbers(s)) : s->scratch + s->d * s->d;
    s->results = target->online ? s->count : 1;
    if (number == NULL)
        return congru_fail_memory(context, "statistics of a subject");
    if (following != NULL) {
        if (!following->before)
            CONGRU_TRY(settle(context, number, 0, s));
        CONGRU_TRY(add(context, s, 0, number));
        congru_following_count(following, count_sums(s), number);
        return following->before ? settle(context, number, 0, s) : CONGRU_OK;
    }
    memset(number, 0, count_numbers(s) * sizeof *number);
    if (!target->online)
        return see(context, target->visible, number, s);
    for (size_t i = 0; i < s->count; i++) {
        CONGRU_TRY(add(context, s, i, number));
        number[0] = (double)(i + 1);
        CONGRU_TRY(settle(context, number, i, s));
    }
    return CONGRU_OK;
}

/* ---- Of the sources ---------------------------------------------------------------------------------- */

congru_status congru_statistic_of_sources(congru_context *context, const congru_trials *trials,
                                          const congru_statistic *s, double *kept)
{
    const size_t size = s->d * s->d;
    double *own = s->inverse, dispersion, subjects = 0.0;
    memset(kept, 0, congru_statistic_rows(s->kind, s->d) * s->d * sizeof *kept);
    for (size_t i = 0; i < trials->count && s->kind == CONGRU_MEAN_LOGARITHM; i++) {
        congru_mapped_pass(size * sizeof *kept);
        for (size_t e = 0; e < size; e++)
            kept[e] += s->logarithm[i * size + e] / (double)trials->count;
    }
    for (size_t k = 0; k < trials->subjects && s->kind != CONGRU_MEAN_LOGARITHM; k++) {
        size_t count = 0;
        for (size_t i = 0; i < trials->count; i++)
            if ((size_t)trials->subject[i] == k)
                memcpy(own + count++ * size, s->value + i * size, size * sizeof *own);
        if (count == 0)
            continue;
        CONGRU_TRY(mean_of(context, s, count, own, s->scratch, &dispersion));
        for (size_t e = 0; e < size; e++)
            kept[e] += s->scratch[e];
        kept[size] += dispersion;
        subjects += 1.0;
    }
    for (size_t e = 0; e <= size && subjects > 0.0; e++)
        kept[e] /= subjects;
    return CONGRU_OK;
}
