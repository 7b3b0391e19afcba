/* The vector layer over AArch64 NEON: two lanes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_VEC_NEON_H
#define CONGRU_VEC_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEC_WIDTH 2
#define VEC_TILE_ROWS 4 /* 24 sums, 4 + 1 operands of 32 registers */
#define VEC_TILE_COLUMNS 6
#define VEC_TILE_REFLECT 4 /* rows the reduction takes at a time */
#define VEC_TILE_ROTATE 11 /* rows of eigenvectors rotated at a time */
#define VEC_SIDE_BY_SIDE 4 /* vectors carried through the QL iteration together */

typedef float64x2_t vec;
typedef uint64x2_t mask;

static inline vec v_load(const double *p) { return vld1q_f64(p); }
static inline void v_store(double *p, vec a) { vst1q_f64(p, a); }
static inline vec v_load_unaligned(const double *p) { return vld1q_f64(p); }
static inline void v_store_unaligned(double *p, vec a) { vst1q_f64(p, a); }
static inline vec v_set(double x) { return vdupq_n_f64(x); }
static inline vec v_add(vec a, vec b) { return vaddq_f64(a, b); }
static inline vec v_sub(vec a, vec b) { return vsubq_f64(a, b); }
static inline vec v_mul(vec a, vec b) { return vmulq_f64(a, b); }
static inline vec v_div(vec a, vec b) { return vdivq_f64(a, b); }
static inline vec v_sqrt(vec a) { return vsqrtq_f64(a); }
static inline vec v_fma(vec a, vec b, vec c) { return vfmaq_f64(c, a, b); }
static inline vec v_fms(vec a, vec b, vec c) { return vfmaq_f64(vnegq_f64(c), a, b); }
static inline vec v_fnma(vec a, vec b, vec c) { return vfmsq_f64(c, a, b); }
static inline vec v_abs(vec a) { return vabsq_f64(a); }
static inline vec v_neg(vec a) { return vnegq_f64(a); }
static inline vec v_copysign(vec size, vec sign)
{
    return vbslq_f64(vdupq_n_u64(UINT64_C(1) << 63), sign, size);
}

static inline mask v_lt(vec a, vec b) { return vcltq_f64(a, b); }
static inline mask v_le(vec a, vec b) { return vcleq_f64(a, b); }
static inline mask v_eq(vec a, vec b) { return vceqq_f64(a, b); }
static inline vec v_select(mask m, vec yes, vec no) { return vbslq_f64(m, yes, no); }
static inline mask m_and(mask a, mask b) { return vandq_u64(a, b); }
static inline mask m_or(mask a, mask b) { return vorrq_u64(a, b); }
static inline mask m_and_not(mask a, mask b) { return vbicq_u64(a, b); }
static inline bool m_any(mask a) { return (vgetq_lane_u64(a, 0) | vgetq_lane_u64(a, 1)) != 0; }
static inline bool m_all(mask a) { return (vgetq_lane_u64(a, 0) & vgetq_lane_u64(a, 1)) != 0; }

static inline uint64x2_t v_bits(vec a) { return vreinterpretq_u64_f64(a); }
static inline vec v_lane_pattern(uint64_t bits) { return vreinterpretq_f64_u64(vdupq_n_u64(bits)); }
static inline vec v_bits_and(vec a, uint64_t b) { return vreinterpretq_f64_u64(vandq_u64(v_bits(a), vdupq_n_u64(b))); }
static inline vec v_bits_or(vec a, uint64_t b) { return vreinterpretq_f64_u64(vorrq_u64(v_bits(a), vdupq_n_u64(b))); }
static inline vec v_bits_sub(vec a, vec b) { return vreinterpretq_f64_u64(vsubq_u64(v_bits(a), v_bits(b))); }
static inline vec v_bits_left(vec a, int n)
{
    return vreinterpretq_f64_u64(vshlq_u64(v_bits(a), vdupq_n_s64(n)));
}
static inline vec v_bits_right(vec a, int n)
{
    return vreinterpretq_f64_u64(vshlq_u64(v_bits(a), vdupq_n_s64(-n)));
}

static inline vec v_gather(const double *vectors, vec index)
{
    size_t first = 2 * (size_t)vgetq_lane_f64(index, 0), second = 2 * (size_t)vgetq_lane_f64(index, 1);
    return vcombine_f64(vld1_f64(vectors + first), vld1_f64(vectors + second + 1));
}

static inline double v_largest(vec a) { return vmaxvq_f64(a); }

static inline void v_transpose(vec rows[VEC_WIDTH])
{
    vec even = vtrn1q_f64(rows[0], rows[1]);
    rows[1] = vtrn2q_f64(rows[0], rows[1]);
    rows[0] = even;
}

#endif
