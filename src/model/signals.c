/* Reads signals where they are. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/trials.h"

/* Samples that are summed side by side: a constant, for which the compiler takes vectors. */
enum { STRETCH = 32 };

static void mix_stretch(size_t n, const double *weight, const double *x, size_t samples, double *out)
{
    double sum[STRETCH] = {0};
    for (size_t j = 0; j < n; j++, x += samples)
        for (size_t t = 0; t < STRETCH; t++)
            sum[t] += weight[j] * x[t];
    memcpy(out, sum, sizeof sum);
}

void congru_signals_read(const congru_signals *signals, size_t index, double *out)
{
    const size_t n = signals->channels, samples = signals->samples,
                 place = signals->place != NULL ? signals->place[index] : index;
    const double *x = signals->plain + place * n * samples;
    if (signals->root == NULL) {
        memcpy(out, x, n * samples * sizeof *out);
        return;
    }
    const double *root = signals->root + (size_t)signals->owner[place] * n * n;
    for (size_t i = 0; i < n; i++, root += n, out += samples) {
        size_t t = 0;
        for (; t + STRETCH <= samples; t += STRETCH)
            mix_stretch(n, root, x + t, samples, out + t);
        for (; t < samples; t++) {
            double sum = 0.0;
            for (size_t j = 0; j < n; j++)
                sum += root[j] * x[j * samples + t];
            out[t] = sum;
        }
    }
}
