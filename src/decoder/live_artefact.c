/* Judges what was looked at: brain activity, or too far from the reference. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "decoder/live.h"
#include "decoder/model_spread.h"

/* What is usual for the subject is no artefact. It is known from so many looks on, and what one look in three is like is
 * usual: an artefact of five seconds is six looks at windows of three. */
enum { USUAL_LEAST = 24, USUAL_PART = 3 };

void congru_live_block_bound(const congru_decoder *d, const double *spread, size_t rows,
                             congru_live_block *block)
{
    const double trial = (double)d->model->preprocessing.samples * d->sampling / d->model->preprocessing.rate;
    block->bound = rows > 0 ? congru_spread_bound(spread) : (double)INFINITY;
    block->tail = rows > 0 ? block->bound / congru_scalar_exp(spread[0]) : 1;
    /* Covariances of shorter windows than the trials' are known less well. */
    if (rows > 0 && block->product == NULL && block->length > 0 && (double)block->length < trial)
        block->bound *= sqrt(trial / (double)block->length);
    block->beyond = (double)INFINITY;
    if (rows > 1) {
        const double most = fmax(congru_spread_bound(spread + CONGRU_SPREAD_COLUMNS), block->bound);
        block->beyond = sqrt(most * most - block->bound * block->bound);
    }
}

void congru_live_view_begin_at(congru_live_view *view, const double *shift)
{
    view->share = 1;
    for (size_t b = 0; b < view->blocks; b++)
        view->shift[b] = shift != NULL ? shift[b] : view->block[b].beyond;
}

/* What is left of a distance between the reference at the start and the subject's. Along geodesics of logarithms it shrinks
 * as its share does; means of the matrices themselves keep a large one. */
static double left_of(const congru_live_view *view, double distance)
{
    const congru_metric metric = view->alone.aligner->recentring->metric(&view->method);
    if (!(view->share > 0))
        return 0;
    if (!isfinite(distance) || metric == CONGRU_METRIC_RIEMANN || metric == CONGRU_METRIC_LOGEUCLID)
        return view->share * distance;
    return congru_scalar_log(1 + view->share * (congru_scalar_exp(fmin(distance, 500)) - 1));
}

/* The distance from the reference at which a window of the block is an artefact, by the sources: what the reference's beginning
 * adds is one side of a right triangle. Or by what this subject's windows have been, where that is more. */
static double limit_of(const congru_live_view *view, size_t b)
{
    const double bound = view->block[b].bound, shift = left_of(view, view->shift[b]);
    const double limit = sqrt(bound * bound + shift * shift);
    const size_t looks = view->looks < CONGRU_LIVE_LOOKS ? view->looks : CONGRU_LIVE_LOOKS;
    double usual[CONGRU_LIVE_LOOKS];
    if (looks < USUAL_LEAST)
        return limit;
    for (size_t i = 0; i < looks; i++) {
        size_t at = i;
        for (; at > 0 && usual[at - 1] > view->look[b][i]; at--)
            usual[at] = usual[at - 1];
        usual[at] = view->look[b][i];
    }
    return fmax(limit, view->block[b].tail * usual[looks - 1 - looks / USUAL_PART]);
}

static congru_status judge_view(const congru_decoder *d, congru_live_view *view, bool *extreme)
{
    double distance[CONGRU_BLOCKS_MAX];
    bool knows = false;
    for (size_t b = 0; b < view->blocks; b++)
        knows = knows || isfinite(view->block[b].bound);
    if (!knows)
        return CONGRU_OK;
    const congru_status status = congru_spd_distance(d->context, CONGRU_METRIC_RIEMANN, view->blocks, d->d,
                                                     view->latest, view->blocks, view->reference, distance);
    if (status != CONGRU_OK) /* flat or equal channels: the question itself says so */
        return status == CONGRU_ERROR_MEMORY ? status : CONGRU_OK;
    /* Windows that overlap by more than half are not kept twice: an artefact of some seconds is a few of these looks. */
    const bool keeps = view->looks == 0 || d->count >= view->looked + congru_decoder_window(d) / 2;
    for (size_t b = 0; keeps && b < view->blocks; b++)
        view->look[b][view->looks % CONGRU_LIVE_LOOKS] = distance[b];
    if (keeps)
        view->looked = d->count;
    view->looks += keeps;
    for (size_t b = 0; b < view->blocks; b++) {
        if (!isfinite(view->shift[b])) /* of one source subject: the first window tells */
            view->shift[b] = distance[b];
        *extreme = *extreme || distance[b] > limit_of(view, b);
    }
    return CONGRU_OK;
}

congru_status congru_live_judge(congru_decoder *d)
{
    congru_status status = CONGRU_OK;
    d->artefact = false;
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++)
        status = judge_view(d, &d->view[v], &d->artefact);
    return status;
}
