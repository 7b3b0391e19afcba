/* Judges what was looked at: brain activity, or too far from the subject's other windows. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "decoder/live.h"
#include "decoder/model_spread.h"

/* What is usual for the subject is no artefact: what one look in five is like, once all that are kept are there. An artefact
 * of five seconds is six looks at windows of three. */
enum { USUAL_PART = 5 };

/* A centre of so few windows may be that of artefacts, and gives way to a window nearer to other subjects. */
enum { YOUNG = 4 };

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
    if (rows > 1)
        block->beyond = fmax(congru_spread_bound(spread + CONGRU_SPREAD_COLUMNS), block->bound);
}

void congru_live_view_layout_looks(congru_arena *arena, const congru_decoder *d, congru_live_view *view)
{
    view->centre = congru_arena_take(arena, view->blocks * d->d * d->d, sizeof(double));
    view->distance = congru_arena_take(arena, 3 * view->blocks, sizeof(double));
    view->look = congru_arena_take(arena, view->blocks * CONGRU_LIVE_LOOKS, sizeof(double));
}

/* That distance, times what is between the sources' usual distance and their bound. */
static double usual_of(const congru_live_view *view, size_t b)
{
    const double *look = view->look + b * CONGRU_LIVE_LOOKS;
    double usual[CONGRU_LIVE_LOOKS] = {0};
    if (view->looks < CONGRU_LIVE_LOOKS)
        return 0;
    for (size_t i = 0; i < CONGRU_LIVE_LOOKS; i++) {
        size_t at = i;
        for (; at > 0 && usual[at - 1] > look[i]; at--)
            usual[at] = usual[at - 1];
        usual[at] = look[i];
    }
    return view->block[b].tail * usual[CONGRU_LIVE_LOOKS - 1 - CONGRU_LIVE_LOOKS / USUAL_PART];
}

/* A centre of n windows is off the subject's by one n-th of their spread. */
static bool is_far(const congru_live_view *view, const double *distance)
{
    const double more = view->centred > 0 ? sqrt(1 + 1 / (double)view->centred) : 1;
    bool far = false;
    for (size_t b = 0; b < view->blocks; b++) {
        const double bound = view->centred > 0 ? more * view->block[b].bound : view->block[b].beyond;
        far = far || distance[b] > fmax(bound, usual_of(view, b));
    }
    return far;
}

static congru_status measure(const congru_decoder *d, const congru_live_view *view, const double *from,
                             double *distance)
{
    return congru_spd_distance(d->context, CONGRU_METRIC_RIEMANN, view->blocks, d->d, view->latest,
                               view->blocks, from, distance);
}

static const double *prior_of(const congru_decoder *d, const congru_live_view *view, double *room)
{
    const size_t size = d->d * d->d;
    for (size_t b = 0; b < view->blocks; b++)
        memcpy(room + b * size, view->block[b].prior, size * sizeof *room);
    return room;
}

/* The centre of the subject's windows: the first, then a step to each. */
static congru_status move_centre(const congru_decoder *d, congru_live_view *view)
{
    const size_t size = view->blocks * d->d * d->d;
    const double most = 2 * CONGRU_LIVE_LOOKS, behind = fmin((double)view->centred, most);
    if (view->centred == 0) {
        memcpy(view->centre, view->latest, size * sizeof *view->centre);
        view->centred = 1;
        return CONGRU_OK;
    }
    CONGRU_TRY(congru_spd_geodesic(d->context, CONGRU_METRIC_RIEMANN, view->blocks, d->d, view->centre,
                                   view->blocks, view->latest, 1 / (behind + 1), view->aligned));
    memcpy(view->centre, view->aligned, size * sizeof *view->centre);
    view->centred++;
    return CONGRU_OK;
}

/* Whether the window is nearer to other subjects than what the young centre began with. */
static bool is_nearer(const congru_live_view *view, const double *to_prior)
{
    double window = 0, centre = 0;
    for (size_t b = 0; b < view->blocks; b++) {
        window += to_prior[b] * to_prior[b];
        centre += view->distance[b] * view->distance[b];
    }
    return window < centre;
}

static congru_status judge_view(const congru_decoder *d, congru_live_view *view, bool *extreme)
{
    double *to_prior = view->distance + view->blocks, *distance = view->distance + 2 * view->blocks;
    bool knows = false;
    for (size_t b = 0; b < view->blocks; b++)
        knows = knows || isfinite(view->block[b].bound);
    if (!knows)
        return CONGRU_OK;
    congru_status status = CONGRU_OK;
    if (view->centred <= YOUNG)
        status = measure(d, view, prior_of(d, view, view->aligned), to_prior);
    if (status == CONGRU_OK && view->centred > 0)
        status = measure(d, view, view->centre, distance);
    else if (status == CONGRU_OK)
        memcpy(distance, to_prior, view->blocks * sizeof *distance);
    if (status != CONGRU_OK) /* flat or equal channels: the question itself says so */
        return status == CONGRU_ERROR_MEMORY ? status : CONGRU_OK;
    bool far = is_far(view, distance);
    if (far && view->centred > 0 && view->centred <= YOUNG && is_nearer(view, to_prior)) {
        view->centred = view->looks = 0; /* what was learned so far was of artefacts */
        if (view->moves <= YOUNG)        /* and not in a session before */
            status = congru_live_view_rewind(d, view);
        far = false;
    }
    /* Windows that overlap by more than half are not kept twice. */
    const bool keeps = view->looks == 0 || d->count >= view->looked + congru_decoder_window(d) / 2;
    for (size_t b = 0; keeps && b < view->blocks; b++)
        view->look[b * CONGRU_LIVE_LOOKS + view->looks % CONGRU_LIVE_LOOKS] = distance[b];
    view->looked = keeps ? d->count : view->looked;
    view->looks += keeps;
    if (status == CONGRU_OK && keeps && !far && d->count >= d->clear) {
        if (view->centred == 0)
            memcpy(view->distance, to_prior, view->blocks * sizeof *view->distance);
        status = move_centre(d, view);
    }
    *extreme = *extreme || far;
    return status == CONGRU_ERROR_MEMORY ? status : CONGRU_OK;
}

congru_status congru_live_judge(congru_decoder *d)
{
    d->artefact = false;
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(judge_view(d, &d->view[v], &d->artefact));
    if (d->artefact)
        d->clear = d->count + congru_decoder_window(d) / 2;
    return CONGRU_OK;
}
