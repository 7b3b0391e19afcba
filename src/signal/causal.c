/* Filtering forward, block by block. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "signal/channel_lanes.h"
#include "signal/iir.h"
#include "signal/stretches.h"

typedef struct causal {
    congru_context *context;
    const congru_iir *filter;
    size_t channels, samples;
    double *signal;
    double *remembered; /* (channels, sections, 2), or NULL */
} causal;

/* What one thread needs for one set of channels. */
typedef struct causal_work {
    const causal *job;
    congru_channel_set set;
    double *state; /* (sections, 2, width) */
} causal_work;

static void layout(congru_arena *arena, causal_work *w, size_t sections, size_t width)
{
    w->state = congru_arena_take(arena, sections * 2 * width, sizeof(double));
}

/* A stretch at the start goes on from what is remembered; after a gap a channel starts from rest. */
static void filter_stretch(void *user, size_t row, size_t rows, congru_stretch stretch)
{
    causal_work *w = user;
    const causal *job = w->job;
    const size_t width = job->context->kernel->width, states = 2 * job->filter->sections;
    double *x[CONGRU_GROUP], *remembered = job->remembered;
    if (remembered != NULL)
        remembered += (w->set.first + row) * states;
    memset(w->state, 0, states * width * sizeof(double));
    for (size_t r = 0; r < rows; r++) {
        x[r] = w->set.row[row + r] + stretch.first;
        for (size_t k = 0; remembered != NULL && stretch.first == 0 && k < states; k++)
            w->state[k * width + r] = remembered[r * states + k];
    }
    job->context->kernel->filter(job->filter->sections, job->filter->section, rows, x, stretch.count, false,
                                 w->state);
    if (remembered == NULL || stretch.first + stretch.count < job->samples)
        return;
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < states; k++)
            remembered[r * states + k] = w->state[k * width + r];
    }
}

static void filter_set(void *user, size_t part, congru_arena *arena)
{
    const causal *job = user;
    const size_t states = 2 * job->filter->sections;
    causal_work w = {.job = job};
    layout(arena, &w, job->filter->sections, job->context->kernel->width);
    w.set = congru_channel_set_at(job->context, part, job->channels, job->samples, job->signal);
    bool rests[CONGRU_GROUP] = {false};
    for (size_t r = 0; r < w.set.count; r++)
        rests[r] = !isfinite(w.set.row[r][job->samples - 1]);
    congru_channel_set_filter(&w.set, job->samples, filter_stretch, &w);
    for (size_t r = 0; r < w.set.count; r++)
        if (rests[r] && job->remembered != NULL)
            memset(job->remembered + (w.set.first + r) * states, 0, states * sizeof(double));
}

congru_status congru_signal_filter_causal(congru_context *context, const congru_iir *filter, size_t channels,
                                          size_t samples, double *signal, double *state)
{
    congru_status status = congru_signal_check(context, channels, samples, signal);
    if (status == CONGRU_OK)
        status = congru_iir_check(context, filter);
    if (status != CONGRU_OK || filter->sections == 0)
        return status;
    causal job = {context, filter, channels, samples, signal, state};
    congru_arena measure = {0};
    causal_work w;
    layout(&measure, &w, filter->sections, context->kernel->width);
    return congru_parts_run(context, congru_channel_sets(context, channels), measure.used, filter_set, &job);
}
