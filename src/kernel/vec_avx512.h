/* The vector layer over AVX-512 F, DQ: eight lanes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_VEC_AVX512_H
#define CONGRU_VEC_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEC_WIDTH 8
#define VEC_TILE_ROWS 4 /* 24 sums, 4 + 1 operands of 32 registers */
#define VEC_TILE_COLUMNS 6
#define VEC_TILE_REFLECT 4 /* rows the reduction takes at a time */
#define VEC_TILE_ROTATE 11 /* rows of eigenvectors rotated at a time */
#define VEC_SIDE_BY_SIDE 4 /* vectors carried through the QL iteration together */

typedef __m512d vec;
typedef __mmask8 mask;

static inline vec v_load(const double *p) { return _mm512_load_pd(p); }
static inline void v_store(double *p, vec a) { _mm512_store_pd(p, a); }
static inline vec v_load_unaligned(const double *p) { return _mm512_loadu_pd(p); }
static inline void v_store_unaligned(double *p, vec a) { _mm512_storeu_pd(p, a); }
static inline vec v_set(double x) { return _mm512_set1_pd(x); }
static inline vec v_add(vec a, vec b) { return _mm512_add_pd(a, b); }
static inline vec v_sub(vec a, vec b) { return _mm512_sub_pd(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm512_mul_pd(a, b); }
static inline vec v_div(vec a, vec b) { return _mm512_div_pd(a, b); }
static inline vec v_sqrt(vec a) { return _mm512_sqrt_pd(a); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_pd(a, b, c); }
static inline vec v_fms(vec a, vec b, vec c) { return _mm512_fmsub_pd(a, b, c); }
static inline vec v_fnma(vec a, vec b, vec c) { return _mm512_fnmadd_pd(a, b, c); }
static inline vec v_abs(vec a) { return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a); }
static inline vec v_neg(vec a) { return _mm512_xor_pd(_mm512_set1_pd(-0.0), a); }
static inline vec v_copysign(vec size, vec sign)
{
    vec sign_bit = _mm512_set1_pd(-0.0);
    return _mm512_or_pd(_mm512_andnot_pd(sign_bit, size), _mm512_and_pd(sign_bit, sign));
}

static inline mask v_lt(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline mask v_le(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
static inline mask v_eq(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
static inline vec v_select(mask m, vec yes, vec no) { return _mm512_mask_blend_pd(m, no, yes); }
static inline mask m_and(mask a, mask b) { return (mask)(a & b); }
static inline mask m_or(mask a, mask b) { return (mask)(a | b); }
static inline mask m_and_not(mask a, mask b) { return (mask)(a & ~b); }
static inline bool m_any(mask a) { return a != 0; }
static inline bool m_all(mask a) { return a == 0xff; }

static inline __m512i v_bits(vec a) { return _mm512_castpd_si512(a); }
static inline vec v_lane_pattern(uint64_t bits) { return _mm512_castsi512_pd(_mm512_set1_epi64((long long)bits)); }
static inline vec v_bits_and(vec a, uint64_t b)
{
    return _mm512_castsi512_pd(_mm512_and_si512(v_bits(a), _mm512_set1_epi64((long long)b)));
}
static inline vec v_bits_or(vec a, uint64_t b)
{
    return _mm512_castsi512_pd(_mm512_or_si512(v_bits(a), _mm512_set1_epi64((long long)b)));
}
static inline vec v_bits_sub(vec a, vec b) { return _mm512_castsi512_pd(_mm512_sub_epi64(v_bits(a), v_bits(b))); }
static inline vec v_bits_left(vec a, int n) { return _mm512_castsi512_pd(_mm512_slli_epi64(v_bits(a), (unsigned)n)); }
static inline vec v_bits_right(vec a, int n) { return _mm512_castsi512_pd(_mm512_srli_epi64(v_bits(a), (unsigned)n)); }

static inline vec v_gather(const double *vectors, vec index)
{
    __m256i first = _mm256_slli_epi32(_mm512_cvttpd_epi32(index), 3);
    return _mm512_i32gather_pd(_mm256_add_epi32(first, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), vectors, 8);
}

static inline double v_largest(vec a) { return _mm512_reduce_max_pd(a); }

static inline void v_transpose(vec rows[VEC_WIDTH])
{
    vec pairs[8], quads[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_pd(rows[i], rows[i + 1]);     /* columns 0 2 4 6 of rows i, i+1 */
        pairs[i + 1] = _mm512_unpackhi_pd(rows[i], rows[i + 1]); /* columns 1 3 5 7 */
    }
    for (int i = 0; i < 8; i += 4) {
        for (int odd = 0; odd < 2; odd++) {
            quads[i + odd] = _mm512_shuffle_f64x2(pairs[i + odd], pairs[i + 2 + odd], 0x88);     /* columns 0 4 */
            quads[i + 2 + odd] = _mm512_shuffle_f64x2(pairs[i + odd], pairs[i + 2 + odd], 0xdd); /* columns 2 6 */
        }
    }
    for (int c = 0; c < 4; c++) {
        rows[c] = _mm512_shuffle_f64x2(quads[c], quads[c + 4], 0x88);
        rows[c + 4] = _mm512_shuffle_f64x2(quads[c], quads[c + 4], 0xdd);
    }
}

#endif
