/* The common average reference. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "signal/channel_lanes.h"

enum { SPAN = 512 }; /* samples that one part takes: their sums stay in the first-level cache */

typedef struct reference {
    size_t channels, samples;
    double *signal;
} reference;

static void subtract_mean(void *user, size_t part, congru_arena *arena)
{
    (void)arena;
    const reference *job = user;
    size_t first = part * SPAN, count = job->samples - first < SPAN ? job->samples - first : SPAN;
    double mean[SPAN] = {0};
    for (size_t c = 0; c < job->channels; c++) {
        const double *x = job->signal + c * job->samples + first;
        for (size_t i = 0; i < count; i++)
            mean[i] += x[i];
    }
    for (size_t i = 0; i < count; i++)
        mean[i] = isfinite(mean[i]) ? mean[i] / (double)job->channels : NAN;
    for (size_t c = 0; c < job->channels; c++) {
        double *x = job->signal + c * job->samples + first;
        for (size_t i = 0; i < count; i++)
            x[i] -= mean[i];
    }
}

congru_status congru_signal_average_reference(congru_context *context, size_t channels, size_t samples,
                                              double *signal)
{
    CONGRU_TRY(congru_signal_check(context, channels, samples, signal));
    reference job = {channels, samples, signal};
    return congru_parts_run(context, (samples + SPAN - 1) / SPAN, 0, subtract_mean, &job);
}
