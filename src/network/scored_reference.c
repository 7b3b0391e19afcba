/* References of matrices in the middle of a network: of the target's trials, and of the sources'. SPDX-License-Identifier: Apache-2.0 */
#include "network/scored_reference.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double epsilon = 1e-5; /* added to a dispersion */

congru_status congru_middle_begin(congru_context *context, size_t count, size_t d, congru_middle *m)
{
    *m = (congru_middle){.count = count, .d = d};
    m->matrix = congru_memory_take((count * (2 * d * d + 1) + 2 * (d + 1) * d) * sizeof(double));
    if (m->matrix == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu matrices", count);
    m->inverse = m->matrix + count * d * d;
    m->factor = m->inverse + (count + 1) * d * d;
    return CONGRU_OK;
}

void congru_middle_end(congru_middle *m)
{
    congru_memory_give(m->matrix);
    m->matrix = NULL;
}

/* ---- One reference ------------------------------------------------------------------------------------ */

/* logarithm (d, d) of the mean of `count` matrices, and *dispersion about it. */
static congru_status refer(congru_context *context, const congru_middle *m, size_t count, const double *matrix,
                           double *logarithm, double *dispersion)
{
    const size_t size = m->d * m->d;
    *dispersion = 1.0;
    if (!m->exact) {
        congru_status found =
            congru_spd_mean(context, CONGRU_METRIC_LOGEUCLID, count, m->d, matrix, NULL, logarithm, NULL);
        return found == CONGRU_OK ? congru_spd_log(context, 1, m->d, logarithm, logarithm) : found;
    }
    double *distance = congru_memory_take((count + size) * sizeof(double)), *mean;
    if (distance == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu distances", count);
    mean = distance + count;
    congru_status status =
        congru_spd_mean(context, CONGRU_METRIC_RIEMANN, count, m->d, matrix, NULL, mean, NULL);
    if (status == CONGRU_ERROR_NOT_CONVERGED) /* the best there is, which is near */
        status = CONGRU_OK;
    if (status == CONGRU_OK)
        status = congru_spd_distance(context, CONGRU_METRIC_RIEMANN, count, m->d, matrix, 1, mean, distance);
    if (status == CONGRU_OK)
        status = congru_spd_log(context, 1, m->d, mean, logarithm);
    *dispersion = 0.0;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        *dispersion += distance[i] * distance[i] / (double)count;
    congru_memory_give(distance);
    return status;
}

/* Reference k of `seen` matrices: its inverse root and factor, of what is kept too where they are few. */
static congru_status settle(congru_context *context, size_t seen, const double *logarithm, double dispersion,
                            const double *kept, size_t k, const congru_middle *m)
{
    const size_t size = m->d * m->d;
    const double share = congru_reference_share(seen);
    double *inverse = m->inverse + k * size;
    for (size_t e = 0; e < size; e++)
        inverse[e] = -0.5 * (share * logarithm[e] + (1.0 - share) * kept[e]);
    m->factor[k] = 1.0 / sqrt(share * dispersion + (1.0 - share) * kept[size] + epsilon);
    return congru_spd_exp(context, 1, m->d, inverse, inverse);
}

/* ---- Of a target ------------------------------------------------------------------------------------- */

/* The mean of `trials` matrices moves by 1/n of the way to one more, along the geodesic; *sum is of squared distances. */
static congru_status move(congru_context *context, const congru_middle *m, const double *matrix, double trials,
                          double *mean, double *sum)
{
    const congru_metric metric = m->exact ? CONGRU_METRIC_RIEMANN : CONGRU_METRIC_LOGEUCLID;
    double distance = 0.0;
    if (trials == 0.0)
        memcpy(mean, matrix, m->d * m->d * sizeof(double));
    congru_status status =
        congru_spd_geodesic(context, metric, 1, m->d, mean, 1, matrix, 1.0 / (trials + 1.0), mean);
    if (status == CONGRU_OK)
        status = congru_spd_distance(context, metric, 1, m->d, mean, 1, matrix, &distance);
    *sum += distance * distance;
    return status;
}

/* One for each trial, of the trials up to it. */
static congru_status follow(congru_context *context, const double *kept, congru_middle *m, double *logarithm)
{
    const size_t size = m->d * m->d;
    double *mean = m->inverse + m->count * size, sum = 0.0;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < m->count; i++) {
        status = move(context, m, m->matrix + i * size, (double)i, mean, &sum);
        if (status == CONGRU_OK)
            status = congru_spd_log(context, 1, m->d, mean, logarithm);
        if (status == CONGRU_OK)
            status = settle(context, i + 1, logarithm, sum / (double)(i + 1), kept, i, m);
    }
    return status;
}

/* The reference that `trials` matrices make, with what is kept. */
static congru_status settle_followed(congru_context *context, const double *number, const double *kept,
                                     const congru_middle *m, double *logarithm)
{
    congru_status status = CONGRU_OK;
    double dispersion = 1.0;
    if (number[0] > 0.0) {
        status = congru_spd_log(context, 1, m->d, number + 2, logarithm);
        dispersion = number[1] / number[0];
    }
    return status == CONGRU_OK ? settle(context, (size_t)number[0], logarithm, dispersion, kept, 0, m) : status;
}

/* The next trial of a subject that is followed: how many there were, the sum of squared distances, the mean. */
static congru_status follow_on(congru_context *context, congru_following *following, const double *kept,
                               const congru_middle *m, double *logarithm)
{
    const size_t size = m->d * m->d;
    double *number = congru_following_take(following, size + 2), *mean = m->inverse + size;
    if (number == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a reference");
    double sum = number[1];
    congru_status status = following->before ? CONGRU_OK : settle_followed(context, number, kept, m, logarithm);
    memcpy(mean, number + 2, size * sizeof(double));
    if (status == CONGRU_OK)
        status = move(context, m, m->matrix, number[0], mean, &sum);
    if (status != CONGRU_OK)
        return status;
    number[1] = sum;
    memcpy(number + 2, mean, size * sizeof(double));
    congru_following_count(following, 1, number);
    return following->before ? settle_followed(context, number, kept, m, logarithm) : CONGRU_OK;
}

congru_status congru_middle_refer(congru_context *context, const congru_target_trials *target,
                                  const double *kept, congru_middle *m)
{
    const size_t size = m->d * m->d;
    double *logarithm = m->factor + m->count, dispersion = 1.0;
    congru_status status = CONGRU_OK;
    m->references = target->online && kept != NULL ? m->count : 1;
    memset(logarithm, 0, size * sizeof(double));
    if (kept == NULL)
        return settle(context, CONGRU_TRIALS_FOR_A_REFERENCE, logarithm, dispersion, logarithm, 0, m);
    if (target->online)
        return follow(context, kept, m, logarithm);
    if (target->following != NULL)
        return follow_on(context, target->following, kept, m, logarithm);
    if (target->visible > 0)
        status = refer(context, m, target->visible, m->matrix, logarithm, &dispersion);
    if (target->visible > 0 && target->visible < CONGRU_TRIALS_FOR_A_REFERENCE)
        congru_note(
            context,
            "only %s of the target may be seen: the mean of its matrices is drawn to that of training (%d "
            "trials stand alone)",
            congru_count(target->visible, "trial").text, CONGRU_TRIALS_FOR_A_REFERENCE);
    return status == CONGRU_OK ? settle(context, target->visible, logarithm, dispersion, kept, 0, m) : status;
}

/* ---- Of the sources ---------------------------------------------------------------------------------- */

congru_status congru_middle_keep(congru_context *context, const congru_trials *trials, const congru_middle *m,
                                 double *kept)
{
    const size_t size = m->d * m->d;
    double *own = m->inverse, *logarithm = m->factor + m->count, dispersion, subjects = 0.0;
    congru_status status = CONGRU_OK;
    memset(kept, 0, (size + m->d) * sizeof(double));
    for (size_t s = 0; status == CONGRU_OK && s < trials->subjects; s++) {
        size_t count = 0;
        for (size_t i = 0; i < trials->count; i++)
            if ((size_t)trials->subject[i] == s)
                memcpy(own + count++ * size, m->matrix + i * size, size * sizeof(double));
        if (count == 0)
            continue;
        status = refer(context, m, count, own, logarithm, &dispersion);
        for (size_t e = 0; e < size; e++)
            kept[e] += logarithm[e];
        kept[size] += dispersion;
        subjects += 1.0;
    }
    for (size_t e = 0; e <= size; e++)
        kept[e] /= subjects;
    return status;
}
