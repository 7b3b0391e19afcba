/* Cuts the trial of a cue out of the last frames. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "decoder/live.h"

/* A variance below this part of the largest is none, as for trials (congru_covariance_check_rank). */
static const double flat_below = 1e-10;

uint64_t congru_live_trial_due(const congru_decoder *d, uint64_t cue)
{
    const double end = d->trial.able ? d->trial.onset + (double)d->trial.samples : d->end;
    if (end >= 0)
        return cue + (uint64_t)end;
    return cue > (uint64_t)-end ? cue - (uint64_t)-end : 0;
}

void congru_live_trial_push(congru_decoder *d, size_t count, const double *chunk)
{
    for (size_t t = 0; t < count; t++) {
        double *frame = d->trial.ring + (size_t)((d->count + t) % d->trial.room) * d->d;
        for (size_t i = 0; i < d->d; i++)
            frame[i] = chunk[i * count + t];
    }
}

/* The variance of x times its samples; sums in four chains, as each waits for itself. */
static double variance_of(size_t samples, const double *x)
{
    enum { CHAINS = 4 };
    double sum[CHAINS] = {0}, square[CHAINS] = {0};
    for (size_t t = 0; t < samples; t++)
        sum[t % CHAINS] += x[t];
    const double mean = (sum[0] + sum[1] + sum[2] + sum[3]) / (double)samples;
    for (size_t t = 0; t < samples; t++)
        square[t % CHAINS] += (x[t] - mean) * (x[t] - mean);
    return square[0] + square[1] + square[2] + square[3];
}

/* The first channel whose variance is nothing beside the largest; -1 where there is none. */
static int32_t find_flat(const congru_live_trial *trial, size_t channels)
{
    double most = 0;
    for (size_t i = 0; i < channels; i++) {
        trial->variance[i] = variance_of(trial->samples, trial->signal + i * trial->samples);
        most = fmax(most, trial->variance[i]);
    }
    for (size_t i = 0; i < channels; i++)
        if (!(trial->variance[i] > flat_below * most))
            return (int32_t)i;
    return -1;
}

/* Products that share their filters are made together, as for a set. */
static congru_status make_products(congru_decoder *d)
{
    congru_materials *m = &d->materials;
    congru_product *list[CONGRU_BRANCHES_MAX * CONGRU_BLOCKS_MAX];
    for (size_t i = 0; i < m->products; i++) {
        size_t count = 0;
        if (m->leader[i] != i)
            continue;
        for (size_t k = i; k < m->products; k++)
            if (m->leader[k] == i)
                list[count++] = m->product[k];
        CONGRU_TRY(congru_product_make(d->context, &d->trial.set, 0, 1, count, list));
    }
    return CONGRU_OK;
}

congru_status congru_live_trial_cut(congru_decoder *d, uint64_t cue, int32_t *flat)
{
    congru_live_trial *trial = &d->trial;
    const double first = (double)cue + trial->onset;
    const uint64_t kept = d->count < trial->room ? d->count : trial->room;
    *flat = -1;
    if (!(first >= (double)(d->count - kept) && first + (double)trial->samples <= (double)d->count))
        return CONGRU_ERROR_NOT_FINITE;
    for (size_t t = 0; t < trial->samples; t++) {
        const double *frame = trial->ring + (size_t)(((uint64_t)first + t) % trial->room) * d->d;
        for (size_t i = 0; i < d->d; i++) {
            if (!isfinite(frame[i]))
                return CONGRU_ERROR_NOT_FINITE;
            trial->signal[i * trial->samples + t] = frame[i];
        }
    }
    *flat = find_flat(trial, d->d);
    if (*flat >= 0)
        return CONGRU_ERROR_NOT_POSITIVE;
    CONGRU_TRY(make_products(d));
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(congru_live_view_look_at_trial(d, &d->view[v]));
    return CONGRU_OK;
}
