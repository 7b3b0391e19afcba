/* The vector layer over AVX2 and FMA: four lanes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_VEC_AVX2_H
#define CONGRU_VEC_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEC_WIDTH 4
#define VEC_TILE_ROWS 3 /* 12 sums, 3 + 1 operands: all 16 registers */
#define VEC_TILE_COLUMNS 4
#define VEC_TILE_REFLECT 2 /* rows the reduction takes at a time */
#define VEC_TILE_ROTATE 5 /* rows of eigenvectors rotated at a time */
#define VEC_SIDE_BY_SIDE 3 /* vectors carried through the QL iteration together */

typedef __m256d vec;
typedef __m256d mask;

static inline vec v_load(const double *p) { return _mm256_load_pd(p); }
static inline void v_store(double *p, vec a) { _mm256_store_pd(p, a); }
static inline vec v_load_unaligned(const double *p) { return _mm256_loadu_pd(p); }
static inline void v_store_unaligned(double *p, vec a) { _mm256_storeu_pd(p, a); }
static inline vec v_set(double x) { return _mm256_set1_pd(x); }
static inline vec v_add(vec a, vec b) { return _mm256_add_pd(a, b); }
static inline vec v_sub(vec a, vec b) { return _mm256_sub_pd(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm256_mul_pd(a, b); }
static inline vec v_div(vec a, vec b) { return _mm256_div_pd(a, b); }
static inline vec v_sqrt(vec a) { return _mm256_sqrt_pd(a); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }
static inline vec v_fms(vec a, vec b, vec c) { return _mm256_fmsub_pd(a, b, c); }
static inline vec v_fnma(vec a, vec b, vec c) { return _mm256_fnmadd_pd(a, b, c); }
static inline vec v_abs(vec a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline vec v_neg(vec a) { return _mm256_xor_pd(_mm256_set1_pd(-0.0), a); }
static inline vec v_copysign(vec size, vec sign)
{
    vec sign_bit = _mm256_set1_pd(-0.0);
    return _mm256_or_pd(_mm256_andnot_pd(sign_bit, size), _mm256_and_pd(sign_bit, sign));
}

static inline mask v_lt(vec a, vec b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline mask v_le(vec a, vec b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline mask v_eq(vec a, vec b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
static inline vec v_select(mask m, vec yes, vec no) { return _mm256_blendv_pd(no, yes, m); }
static inline mask m_and(mask a, mask b) { return _mm256_and_pd(a, b); }
static inline mask m_or(mask a, mask b) { return _mm256_or_pd(a, b); }
static inline mask m_and_not(mask a, mask b) { return _mm256_andnot_pd(b, a); }
static inline bool m_any(mask a) { return _mm256_movemask_pd(a) != 0; }
static inline bool m_all(mask a) { return _mm256_movemask_pd(a) == 15; }

static inline __m256i v_bits(vec a) { return _mm256_castpd_si256(a); }
static inline vec v_lane_pattern(uint64_t bits) { return _mm256_castsi256_pd(_mm256_set1_epi64x((long long)bits)); }
static inline vec v_bits_and(vec a, uint64_t b)
{
    return _mm256_castsi256_pd(_mm256_and_si256(v_bits(a), _mm256_set1_epi64x((long long)b)));
}
static inline vec v_bits_or(vec a, uint64_t b)
{
    return _mm256_castsi256_pd(_mm256_or_si256(v_bits(a), _mm256_set1_epi64x((long long)b)));
}
static inline vec v_bits_sub(vec a, vec b) { return _mm256_castsi256_pd(_mm256_sub_epi64(v_bits(a), v_bits(b))); }
static inline vec v_bits_left(vec a, int n) { return _mm256_castsi256_pd(_mm256_slli_epi64(v_bits(a), n)); }
static inline vec v_bits_right(vec a, int n) { return _mm256_castsi256_pd(_mm256_srli_epi64(v_bits(a), n)); }

static inline vec v_gather(const double *vectors, vec index)
{
    /* Four loads: the gather instruction is slower than that on many processors. */
    __m128i first = _mm_slli_epi32(_mm256_cvttpd_epi32(index), 2);
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(first), high = (uint64_t)_mm_extract_epi64(first, 1);
    return _mm256_setr_pd(vectors[(uint32_t)low], vectors[(low >> 32) + 1], vectors[(uint32_t)high + 2],
                          vectors[(high >> 32) + 3]);
}

static inline double v_largest(vec a)
{
    __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

static inline void v_transpose(vec rows[VEC_WIDTH])
{
    vec low01 = _mm256_unpacklo_pd(rows[0], rows[1]);
    vec high01 = _mm256_unpackhi_pd(rows[0], rows[1]);
    vec low23 = _mm256_unpacklo_pd(rows[2], rows[3]);
    vec high23 = _mm256_unpackhi_pd(rows[2], rows[3]);
    rows[0] = _mm256_permute2f128_pd(low01, low23, 0x20);
    rows[1] = _mm256_permute2f128_pd(high01, high23, 0x20);
    rows[2] = _mm256_permute2f128_pd(low01, low23, 0x31);
    rows[3] = _mm256_permute2f128_pd(high01, high23, 0x31);
}

#endif
