/* Filtering forward and backward, with the ends padded. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "signal/channel_lanes.h"
#include "signal/iir.h"
#include "signal/stretches.h"

typedef struct zero_phase {
    congru_context *context;
    const congru_iir *filter;
    double settled[CONGRU_SECTIONS_MAX][2]; /* the states that a constant input of 1 settles to */
    size_t edge;                            /* samples of padding at each end */
    size_t channels, samples;
    double *signal;
} zero_phase;

/* What one thread needs for one set of channels. */
typedef struct zero_phase_work {
    const zero_phase *job;
    congru_channel_set set;
    double *state;          /* (sections, 2, width) */
    double *before, *after; /* (width, edge): the padding */
} zero_phase_work;

static void layout(congru_arena *arena, zero_phase_work *w, size_t sections, size_t edge, size_t width)
{
    w->state = congru_arena_take(arena, sections * 2 * width, sizeof(double));
    w->before = congru_arena_take(arena, width * edge, sizeof(double));
    w->after = congru_arena_take(arena, width * edge, sizeof(double));
}

/* Three times the length of the filter written as one quotient of polynomials, common zeros and poles at the
 * origin not counted. */
static size_t padding_length(const congru_iir *filter)
{
    size_t no_b2 = 0, no_a2 = 0;
    for (size_t k = 0; k < filter->sections; k++) {
        no_b2 += filter->section[k][2] == 0.0;
        no_a2 += filter->section[k][5] == 0.0;
    }
    return 3 * (2 * filter->sections + 1 - (no_b2 < no_a2 ? no_b2 : no_a2));
}

/* For a constant input u a section settles where y = b0 u + s1, s1 = b1 u - a1 y + s2, s2 = b2 u - a2 y. The
 * next section's input is this one's output. */
static void settle(const congru_iir *filter, double settled[][2])
{
    double input = 1.0;
    for (size_t k = 0; k < filter->sections; k++) {
        const double *c = filter->section[k];
        double below = 1.0 + c[4] + c[5];
        double s1 = (c[1] - c[4] * c[0] + (c[2] - c[5] * c[0])) / below;
        settled[k][0] = input * s1;
        settled[k][1] = input * (c[2] - c[5] * c[0] - c[5] * s1);
        input *= (c[0] + c[1] + c[2]) / below;
    }
}

/* Point reflection in the first sample and in the last. */
static void extend(size_t edge, size_t count, const double *x, double *before, double *after)
{
    double first = 2.0 * x[0], last = 2.0 * x[count - 1];
    for (size_t i = 0; i < edge; i++) {
        before[i] = first - x[edge - i];
        after[i] = last - x[count - 2 - i];
    }
}

/* Every lane's state as settled on its own constant; lanes without a row rest. */
static void start(const zero_phase_work *w, size_t rows, const double *constant)
{
    const size_t width = w->job->context->kernel->width;
    for (size_t k = 0; k < 2 * w->job->filter->sections; k++) {
        for (size_t r = 0; r < width; r++)
            w->state[k * width + r] = r < rows ? w->job->settled[k / 2][k % 2] * constant[r] : 0.0;
    }
}

static void filter_stretch(void *user, size_t row, size_t rows, congru_stretch stretch)
{
    zero_phase_work *w = user;
    const congru_iir *filter = w->job->filter;
    const congru_kernel *kernel = w->job->context->kernel;
    const size_t edge = w->job->edge;
    double *x[CONGRU_GROUP], *before[CONGRU_GROUP], *after[CONGRU_GROUP], constant[CONGRU_GROUP];
    for (size_t r = 0; r < rows; r++) {
        x[r] = w->set.row[row + r] + stretch.first;
        before[r] = w->before + r * edge;
        after[r] = w->after + r * edge;
        if (stretch.count > edge) {
            extend(edge, stretch.count, x[r], before[r], after[r]);
            constant[r] = before[r][0];
            continue;
        }
        for (size_t i = 0; i < stretch.count; i++)
            x[r][i] = NAN;
    }
    if (stretch.count <= edge)
        return;
    start(w, rows, constant);
    kernel->filter(filter->sections, filter->section, rows, before, edge, false, w->state);
    kernel->filter(filter->sections, filter->section, rows, x, stretch.count, false, w->state);
    kernel->filter(filter->sections, filter->section, rows, after, edge, false, w->state);
    for (size_t r = 0; r < rows; r++)
        constant[r] = after[r][edge - 1];
    start(w, rows, constant);
    kernel->filter(filter->sections, filter->section, rows, after, edge, true, w->state);
    kernel->filter(filter->sections, filter->section, rows, x, stretch.count, true, w->state);
}

static void filter_set(void *user, size_t part, congru_arena *arena)
{
    const zero_phase *job = user;
    zero_phase_work w = {.job = job};
    layout(arena, &w, job->filter->sections, job->edge, job->context->kernel->width);
    w.set = congru_channel_set_at(job->context, part, job->channels, job->samples, job->signal);
    congru_channel_set_filter(&w.set, job->samples, filter_stretch, &w);
}

congru_status congru_signal_filter_zero_phase(congru_context *context, const congru_iir *filter,
                                              size_t channels, size_t samples, double *signal)
{
    congru_status status = congru_signal_check(context, channels, samples, signal);
    if (status == CONGRU_OK)
        status = congru_iir_check(context, filter);
    if (status != CONGRU_OK || filter->sections == 0)
        return status;
    zero_phase job = {.context = context, .filter = filter, .edge = padding_length(filter)};
    job.channels = channels;
    job.samples = samples;
    job.signal = signal;
    settle(filter, job.settled);
    congru_arena measure = {0};
    zero_phase_work w;
    layout(&measure, &w, filter->sections, job.edge, context->kernel->width);
    return congru_parts_run(context, congru_channel_sets(context, channels), measure.used, filter_set, &job);
}
