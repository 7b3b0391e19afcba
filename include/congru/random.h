/* Random numbers that are a function of (seed, stream, index). SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RANDOM_H
#define CONGRU_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A counter-based generator (Philox 4x32-10). A stream is named by a seed and three numbers of the
 * caller's choice (for example fold, purpose, step); two different names give unrelated numbers, the same
 * name gives the same numbers on every machine. It is a plain value: copy it, keep it on the stack. */
typedef struct congru_random {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    uint32_t used;
} congru_random;

CONGRU_API congru_random congru_random_stream(uint64_t seed, uint32_t a, uint32_t b, uint32_t c);

CONGRU_API uint64_t congru_random_bits(congru_random *random);

/* Uniform in [0, 1), a multiple of 2^-53. */
CONGRU_API double congru_random_uniform(congru_random *random);

/* Standard normal (Box-Muller on the library's own logarithm and cosine: the same bits everywhere). */
CONGRU_API double congru_random_normal(congru_random *random);

/* Uniform in {0, ..., n-1}, without bias; 0 when n is 0. */
CONGRU_API size_t congru_random_index(congru_random *random, size_t n);

#ifdef __cplusplus
}
#endif
#endif
