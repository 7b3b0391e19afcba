/* Reads signals where they are. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/trials.h"

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
    memset(out, 0, n * samples * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t t = 0; t < samples; t++)
                out[i * samples + t] += root[i * n + j] * x[j * samples + t];
}
