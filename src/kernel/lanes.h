/* What every per-instruction-set source includes: its vector header and its name suffix. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LANES_H
#define CONGRU_LANES_H

#include <math.h>
#include <stdalign.h>

/* The build compiles each lanes_*.c once per instruction set, with one of these defined. LANES(x) names
 * the instance: congru_lanes_x_avx2. */
#if defined(CONGRU_LANES_EMULATED) /* AVX-512 in portable C, for tests/kernel/kernel_emulated.c */
#include "kernel/vec_avx512.h"
#define LANES(name) congru_emulated_##name
#define LANES_NAME "emulated"
#elif defined(CONGRU_LANES_AVX512)
#include "kernel/vec_avx512.h"
#define LANES(name) congru_lanes_##name##_avx512
#define LANES_NAME "avx512"
#elif defined(CONGRU_LANES_AVX2)
#include "kernel/vec_avx2.h"
#define LANES(name) congru_lanes_##name##_avx2
#define LANES_NAME "avx2"
#elif defined(CONGRU_LANES_NEON)
#include "kernel/vec_neon.h"
#define LANES(name) congru_lanes_##name##_neon
#define LANES_NAME "neon"
#else
#include "base/vec_scalar.h"
#define LANES(name) congru_lanes_##name##_base
#define LANES_NAME "base"
#endif

#include "base/elementary.h"
#include "kernel/kernel.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The vector at an index of an array of vectors. */
#define AT(array, index) ((array) + (size_t)(index)*VEC_WIDTH)

static inline size_t lanes_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

#endif
