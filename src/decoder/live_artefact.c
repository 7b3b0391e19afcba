/* Judges what was looked at: brain activity, or too far from the reference. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "decoder/live.h"
#include "decoder/model_spread.h"

/* What goes on for so many windows, and so many looks, is no artefact but how the subject is. */
enum { CONGRU_ARTEFACT_WINDOWS = 10 };

void congru_live_block_bound(const congru_decoder *d, const double *spread, size_t rows,
                             congru_live_block *block)
{
    const double trial = (double)d->model->preprocessing.samples * d->sampling / d->model->preprocessing.rate;
    block->bound = rows > 0 ? congru_spread_bound(spread) : (double)INFINITY;
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
    for (size_t b = 0; b < view->blocks; b++) {
        view->shift[b] = shift != NULL ? shift[b] : view->block[b].beyond;
        view->nearest[b] = (double)INFINITY;
    }
}

/* Along geodesics of logarithms a distance shrinks as its share does; means of the matrices themselves keep a large one. */
static bool shrinks_alike(const congru_live_view *view)
{
    const congru_metric metric = view->alone.aligner->recentring->metric(&view->method);
    return metric == CONGRU_METRIC_RIEMANN || metric == CONGRU_METRIC_LOGEUCLID;
}

/* What is left of a distance between the reference at the start and the subject's; and what it was, of what is left. */
static double left_of(const congru_live_view *view, double distance)
{
    if (!isfinite(distance) || shrinks_alike(view))
        return view->share > 0 ? view->share * distance : 0;
    return congru_scalar_log(1 + view->share * (congru_scalar_exp(fmin(distance, 500)) - 1));
}

static double whole_of(const congru_live_view *view, double left)
{
    if (!(view->share > 0))
        return (double)INFINITY;
    if (shrinks_alike(view))
        return left / view->share;
    return congru_scalar_log(1 + (congru_scalar_exp(fmin(left, 500)) - 1) / view->share);
}

/* The distance from the reference at which a window of the block is an artefact. What the reference's beginning adds is one
 * side of a right triangle by what is known of subjects. By this subject's own windows, of which the nearest is the least
 * disturbed, it is at most that one's distance, whatever the angle. */
static double limit_of(const congru_live_view *view, size_t b)
{
    const double bound = view->block[b].bound, shift = left_of(view, view->shift[b]);
    return fmin(sqrt(bound * bound + shift * shift), bound + left_of(view, view->nearest[b]));
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
    for (size_t b = 0; b < view->blocks; b++) {
        view->nearest[b] = fmin(view->nearest[b], whole_of(view, distance[b]));
        *extreme = *extreme || distance[b] > limit_of(view, b);
    }
    return CONGRU_OK;
}

congru_status congru_live_judge(congru_decoder *d)
{
    const size_t length = congru_decoder_window(d);
    congru_status status = CONGRU_OK;
    d->artefact = false;
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++)
        status = judge_view(d, &d->view[v], &d->artefact);
    if (!d->artefact) {
        d->artefact_looks = 0;
        return status;
    }
    if (d->artefact_looks++ == 0)
        d->artefact_from = d->count;
    d->artefact = d->artefact_looks <= CONGRU_ARTEFACT_WINDOWS ||
                  d->count < d->artefact_from + CONGRU_ARTEFACT_WINDOWS * (uint64_t)length;
    return status;
}
