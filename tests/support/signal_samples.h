/* Signals that tests of filters and their oracle make alike. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_SIGNAL_SAMPLES_H
#define CONGRU_TESTS_SIGNAL_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A random walk in multiples of 2^-24, so that every sample is exact: as in tests/oracle/oracle_signal.py. */
static inline void samples_walk(uint64_t seed, size_t samples, double *out)
{
    uint64_t state = seed;
    double at = 0;
    for (size_t i = 0; i < samples; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at += (double)(state >> 40) / 16777216.0 - 0.5;
        out[i] = 8 * at + 30;
    }
}

/* (channels, samples), channel c the walk of seed + c; the caller frees it. */
static inline double *samples_signal(uint64_t seed, size_t channels, size_t samples)
{
    double *signal = malloc(channels * samples * sizeof *signal);
    for (size_t c = 0; signal != NULL && c < channels; c++)
        samples_walk(seed + c, samples, signal + c * samples);
    return signal;
}

static inline double *samples_copy(size_t count, const double *from)
{
    double *copy = malloc(count * sizeof *copy);
    if (copy != NULL)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* Bit for bit, any NaN being equal to any other. */
static inline bool samples_equal(size_t count, const double *a, const double *b)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(a[i] != a[i] && b[i] != b[i]))
            return false;
    }
    return true;
}

#endif
