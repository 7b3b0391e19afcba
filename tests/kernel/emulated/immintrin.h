/* Stands before the compiler's own: AVX-512 in portable C, for machines without it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_EMULATED_IMMINTRIN_H
#define CONGRU_TESTS_EMULATED_IMMINTRIN_H

#include <math.h>
#include <stdint.h>

#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

/* SIMDe's fused operations round twice where the machine lacks them; these round once. */
static inline simde__m512d emulated_fma(simde__m512d a, simde__m512d b, simde__m512d c, double sign_ab,
                                        double sign_c)
{
    simde__m512d_private x = simde__m512d_to_private(a), y = simde__m512d_to_private(b),
                         z = simde__m512d_to_private(c);
    for (int i = 0; i < 8; i++)
        z.f64[i] = fma(sign_ab * x.f64[i], y.f64[i], sign_c * z.f64[i]);
    return simde__m512d_from_private(z);
}

/* What SIMDe does not have, from the definitions of the instructions. */
static inline __m256i emulated_cvttpd_epi32(simde__m512d a)
{
    simde__m512d_private x = simde__m512d_to_private(a);
    int32_t out[8];
    for (int i = 0; i < 8; i++)
        out[i] = (int32_t)x.f64[i];
    return _mm256_loadu_si256((const __m256i *)out);
}

static inline simde__m512d emulated_gather(__m256i index, const double *base)
{
    int32_t at[8];
    simde__m512d_private out;
    _mm256_storeu_si256((__m256i *)at, index);
    for (int i = 0; i < 8; i++)
        out.f64[i] = base[at[i]];
    return simde__m512d_from_private(out);
}

/* Each 128-bit quarter of the result is one chosen by two bits: two from a, two from b. */
static inline simde__m512d emulated_shuffle(simde__m512d a, simde__m512d b, int choice)
{
    simde__m512d_private x = simde__m512d_to_private(a), y = simde__m512d_to_private(b), out;
    for (int quarter = 0; quarter < 4; quarter++) {
        int from = (choice >> (2 * quarter)) & 3;
        for (int i = 0; i < 2; i++)
            out.f64[2 * quarter + i] = quarter < 2 ? x.f64[2 * from + i] : y.f64[2 * from + i];
    }
    return simde__m512d_from_private(out);
}

static inline simde__m512 emulated_fma_single(simde__m512 a, simde__m512 b, simde__m512 c)
{
    simde__m512_private x = simde__m512_to_private(a), y = simde__m512_to_private(b),
                        z = simde__m512_to_private(c);
    for (int i = 0; i < 16; i++)
        z.f32[i] = fmaf(x.f32[i], y.f32[i], z.f32[i]);
    return simde__m512_from_private(z);
}

static inline simde__m512d emulated_widen(__m256 a)
{
    float from[8];
    simde__m512d_private out;
    _mm256_storeu_ps(from, a);
    for (int i = 0; i < 8; i++)
        out.f64[i] = from[i];
    return simde__m512d_from_private(out);
}

static inline __m256 emulated_narrow(simde__m512d a)
{
    float out[8];
    simde__m512d_private x = simde__m512d_to_private(a);
    for (int i = 0; i < 8; i++)
        out[i] = (float)x.f64[i];
    return _mm256_loadu_ps(out);
}

static inline double emulated_reduce_max(simde__m512d a)
{
    simde__m512d_private x = simde__m512d_to_private(a);
    double largest = x.f64[0];
    for (int i = 1; i < 8; i++)
        largest = x.f64[i] > largest ? x.f64[i] : largest;
    return largest;
}

#undef _mm512_cvttpd_epi32
#undef _mm512_i32gather_pd
#undef _mm512_shuffle_f64x2
#undef _mm512_reduce_max_pd
#define _mm512_cvttpd_epi32(a) emulated_cvttpd_epi32(a)
#define _mm512_i32gather_pd(index, base, scale) emulated_gather(index, base)
#define _mm512_shuffle_f64x2(a, b, choice) emulated_shuffle(a, b, choice)
#define _mm512_reduce_max_pd(a) emulated_reduce_max(a)

#undef _mm512_fmadd_ps
#undef _mm512_cvtps_pd
#define _mm512_fmadd_ps(a, b, c) emulated_fma_single(a, b, c)
#define _mm512_cvtps_pd(a) emulated_widen(a)
#undef _mm512_cvtpd_ps
#define _mm512_cvtpd_ps(a) emulated_narrow(a)

#undef _mm512_fmadd_pd
#undef _mm512_fmsub_pd
#undef _mm512_fnmadd_pd
#define _mm512_fmadd_pd(a, b, c) emulated_fma(a, b, c, 1.0, 1.0)
#define _mm512_fmsub_pd(a, b, c) emulated_fma(a, b, c, 1.0, -1.0)
#define _mm512_fnmadd_pd(a, b, c) emulated_fma(a, b, c, -1.0, 1.0)

#endif
