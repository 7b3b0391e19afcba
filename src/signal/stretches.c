/* Finding the stretches between missing samples. SPDX-License-Identifier: Apache-2.0 */
#include "signal/stretches.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The exponent of infinity and NaN is all ones: adding one to it carries into the sign bit. Kept to operations
 * that compilers make vectors of, since every sample of a recording passes here. */
static bool all_finite(const double *signal, size_t count)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &signal[i], sizeof bits);
        carry |= (bits & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
    }
    return carry >> 63 == 0;
}

bool congru_stretch_next(const double *signal, size_t samples, size_t from, congru_stretch *stretch)
{
    enum { LEAP = 256 };
    while (from < samples && !isfinite(signal[from]))
        from++;
    size_t end = from;
    while (samples - end >= LEAP && all_finite(signal + end, LEAP))
        end += LEAP;
    while (end < samples && isfinite(signal[end]))
        end++;
    *stretch = (congru_stretch){from, end - from};
    return end > from;
}

/* Whether all rows have the same next stretch, or none has any. */
static bool next_agrees(size_t rows, const double *const *row, size_t samples, size_t from,
                        congru_stretch *common)
{
    congru_stretch_next(row[0], samples, from, common);
    for (size_t r = 1; r < rows; r++) {
        congru_stretch own;
        congru_stretch_next(row[r], samples, from, &own);
        if (own.first != common->first || own.count != common->count)
            return false;
    }
    return true;
}

bool congru_stretches_visit(size_t rows, const double *const *row, size_t samples, congru_stretch_task task,
                            void *user)
{
    size_t from = 0;
    congru_stretch stretch;
    bool missing = false;
    while (next_agrees(rows, row, samples, from, &stretch)) {
        if (stretch.count == 0)
            return missing || from < samples;
        missing = missing || stretch.count < samples;
        from = stretch.first + stretch.count;
        task(user, 0, rows, stretch);
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t own = from; congru_stretch_next(row[r], samples, own, &stretch);) {
            own = stretch.first + stretch.count;
            task(user, r, 1, stretch);
        }
    }
    return true;
}

void congru_stretches_mark(double *signal, size_t samples)
{
    for (size_t i = 0; i < samples; i++) {
        if (!isfinite(signal[i]))
            signal[i] = NAN;
    }
}
