/* Euclidean alignment: signals whitened by the mean of their second moments. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "aligner/recentre.h"
#include "base/memory.h"
#include "spd/batch.h"

/* Of the mean towards a multiple of the identity: few trials of many channels have a mean of low rank nearly. */
static const double shrinkage = 0.01;

/* Rows of a trial whose products with one row are summed side by side, as each sum waits for itself. */
enum { TOGETHER = 4 };

/* sum_k = the sum over t of x_t and row k; there are `rows`, of which the last stands in for those that are missing. */
static void multiply_rows(size_t samples, const double *x, const double *row, size_t rows, double sum[TOGETHER])
{
    const double *r0 = row, *r1 = row + (rows > 1 ? 1 : rows - 1) * samples,
                 *r2 = row + (rows > 2 ? 2 : rows - 1) * samples,
                 *r3 = row + (rows > 3 ? 3 : rows - 1) * samples;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (size_t t = 0; t < samples; t++) {
        s0 += x[t] * r0[t];
        s1 += x[t] * r1[t];
        s2 += x[t] * r2[t];
        s3 += x[t] * r3[t];
    }
    sum[0] = s0;
    sum[1] = s1;
    sum[2] = s2;
    sum[3] = s3;
}

/* X X^T / T of each trial, shrunk: moment (count, d, d). x (d, samples) is scratch. */
static void find_moments(const congru_signals *signals, size_t count, double *x, double *moment)
{
    const size_t d = signals->channels, samples = signals->samples;
    for (size_t i = 0; i < count; i++, moment += d * d) {
        double trace = 0, product[TOGETHER] = {0};
        congru_signals_read(signals, i, x);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b <= a; b++) {
                if (b % TOGETHER == 0)
                    multiply_rows(samples, x + a * samples, x + b * samples, a + 1 - b, product);
                const double sum = product[b % TOGETHER];
                moment[a * d + b] = moment[b * d + a] = (1 - shrinkage) * sum / (double)samples;
                trace += a == b ? sum / (double)samples : 0;
            }
        for (size_t a = 0; a < d; a++)
            moment[a * (d + 1)] += shrinkage * trace / (double)d;
    }
}

static congru_status check_signals(congru_context *context, const congru_signals *signals, size_t d)
{
    return congru_check_argument(
        context, signals != NULL && signals->plain != NULL && signals->channels == d && signals->samples > 0,
        "alignment of signals: none were given");
}

/* The moments in memory of their own, which the caller gives back. */
static congru_status take_moments(congru_context *context, const congru_signals *signals, size_t count,
                                  double **moment)
{
    const size_t d = signals->channels;
    *moment = congru_memory_take(count * d * d * sizeof(double));
    double *x = congru_memory_take(d * signals->samples * sizeof(double));
    congru_status status = CONGRU_OK;
    if (*moment == NULL || x == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to align %zu trials", count);
    else
        find_moments(signals, count, x, *moment);
    congru_memory_give(x);
    return status;
}

static congru_status ea_references(congru_context *context, const congru_method_options *options,
                                   const congru_trials *trials, double *reference)
{
    (void)options;
    double *moment = NULL;
    congru_status status = check_signals(context, trials->signals, trials->d);
    if (status == CONGRU_OK)
        status = take_moments(context, trials->signals, trials->count, &moment);
    congru_trials moments = *trials;
    moments.covariance = moment;
    moments.view = NULL;
    if (status == CONGRU_OK)
        status = congru_recentre_references(context, CONGRU_METRIC_EUCLID, &moments, reference);
    congru_memory_give(moment);
    return status;
}

static congru_status ea_target(congru_context *context, const congru_method_options *options,
                               const congru_target_trials *target, const double *prior, double *out)
{
    (void)options;
    double *moment = NULL;
    congru_status status = check_signals(context, target->signals, target->d);
    if (status == CONGRU_OK)
        status = take_moments(context, target->signals, target->count, &moment);
    congru_target_trials moments = *target;
    moments.covariance = moment;
    if (status == CONGRU_OK)
        status = congru_recentre_target(context, CONGRU_METRIC_EUCLID, &moments, prior, out);
    congru_memory_give(moment);
    return status;
}

static congru_status ea_move(congru_context *context, const congru_method_options *options, size_t count,
                             size_t d, const double *reference, const double *covariance, double part,
                             double *out)
{
    (void)options;
    return congru_spd_geodesic(context, CONGRU_METRIC_EUCLID, count, d, reference, count, covariance, part,
                               out);
}

static congru_status ea_moment(congru_context *context, const congru_signals *signals, double *out)
{
    double *x = congru_memory_take(signals->channels * signals->samples * sizeof *x);
    if (x == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to align a trial");
    find_moments(signals, 1, x, out);
    congru_memory_give(x);
    return CONGRU_OK;
}

const congru_recentring congru_recentring_ea = {
    .of = CONGRU_NEEDS_SIGNALS,
    .references = ea_references,
    .target = ea_target,
    .move = ea_move,
    .moment = ea_moment,
};
