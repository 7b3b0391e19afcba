/* Vectors of reals on each instruction set, for lanes_real.c. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_VEC_REAL_H
#define CONGRU_VEC_REAL_H

#include "kernel/lanes.h"
#include "kernel/real.h"

/* REAL_TILE: how many vectors of columns a register tile has at most. r_where: a where y > 0, else b. r_widen:
 * VEC_WIDTH reals as doubles; r_narrow: back. */
#if defined(CONGRU_REAL_DOUBLE)
typedef vec rvec;
#define REAL_WIDTH VEC_WIDTH
static inline rvec r_load(const congru_real *p) { return v_load_unaligned(p); }
static inline void r_store(congru_real *p, rvec a) { v_store_unaligned(p, a); }
static inline rvec r_set(congru_real x) { return v_set(x); }
static inline rvec r_fma(rvec a, rvec b, rvec c) { return v_fma(a, b, c); }
static inline rvec r_add(rvec a, rvec b) { return v_add(a, b); }
static inline rvec r_sub(rvec a, rvec b) { return v_sub(a, b); }
static inline rvec r_mul(rvec a, rvec b) { return v_mul(a, b); }
static inline rvec r_where(rvec y, rvec a, rvec b) { return v_select(v_lt(v_set(0.0), y), a, b); }
static inline vec r_widen(const congru_real *p) { return v_load_unaligned(p); }
static inline void r_narrow(congru_real *p, vec a) { v_store_unaligned(p, a); }
#elif defined(CONGRU_LANES_EMULATED) || defined(CONGRU_LANES_AVX512)
typedef __m512 rvec;
#define REAL_WIDTH 16
static inline rvec r_load(const congru_real *p) { return _mm512_loadu_ps(p); }
static inline void r_store(congru_real *p, rvec a) { _mm512_storeu_ps(p, a); }
static inline rvec r_set(congru_real x) { return _mm512_set1_ps(x); }
static inline rvec r_fma(rvec a, rvec b, rvec c) { return _mm512_fmadd_ps(a, b, c); }
static inline rvec r_add(rvec a, rvec b) { return _mm512_add_ps(a, b); }
static inline rvec r_sub(rvec a, rvec b) { return _mm512_sub_ps(a, b); }
static inline rvec r_mul(rvec a, rvec b) { return _mm512_mul_ps(a, b); }
static inline rvec r_where(rvec y, rvec a, rvec b) { return _mm512_mask_mov_ps(b, _mm512_cmp_ps_mask(y, _mm512_setzero_ps(), _CMP_GT_OQ), a); }
static inline vec r_widen(const congru_real *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline void r_narrow(congru_real *p, vec a) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(a)); }
#elif defined(CONGRU_LANES_AVX2)
typedef __m256 rvec;
#define REAL_WIDTH 8
static inline rvec r_load(const congru_real *p) { return _mm256_loadu_ps(p); }
static inline void r_store(congru_real *p, rvec a) { _mm256_storeu_ps(p, a); }
static inline rvec r_set(congru_real x) { return _mm256_set1_ps(x); }
static inline rvec r_fma(rvec a, rvec b, rvec c) { return _mm256_fmadd_ps(a, b, c); }
static inline rvec r_add(rvec a, rvec b) { return _mm256_add_ps(a, b); }
static inline rvec r_sub(rvec a, rvec b) { return _mm256_sub_ps(a, b); }
static inline rvec r_mul(rvec a, rvec b) { return _mm256_mul_ps(a, b); }
static inline rvec r_where(rvec y, rvec a, rvec b) { return _mm256_blendv_ps(b, a, _mm256_cmp_ps(y, _mm256_setzero_ps(), _CMP_GT_OQ)); }
static inline vec r_widen(const congru_real *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline void r_narrow(congru_real *p, vec a) { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)); }
#elif defined(CONGRU_LANES_NEON)
typedef float32x4_t rvec;
#define REAL_WIDTH 4
static inline rvec r_load(const congru_real *p) { return vld1q_f32(p); }
static inline void r_store(congru_real *p, rvec a) { vst1q_f32(p, a); }
static inline rvec r_set(congru_real x) { return vdupq_n_f32(x); }
static inline rvec r_fma(rvec a, rvec b, rvec c) { return vfmaq_f32(c, a, b); }
static inline rvec r_add(rvec a, rvec b) { return vaddq_f32(a, b); }
static inline rvec r_sub(rvec a, rvec b) { return vsubq_f32(a, b); }
static inline rvec r_mul(rvec a, rvec b) { return vmulq_f32(a, b); }
static inline rvec r_where(rvec y, rvec a, rvec b) { return vbslq_f32(vcgtq_f32(y, vdupq_n_f32(0)), a, b); }
static inline vec r_widen(const congru_real *p) { return vcvt_f64_f32(vld1_f32(p)); }
static inline void r_narrow(congru_real *p, vec a) { vst1_f32(p, vcvt_f32_f64(a)); }
#else
typedef float rvec;
#define REAL_WIDTH 1
static inline rvec r_load(const congru_real *p) { return *p; }
static inline void r_store(congru_real *p, rvec a) { *p = a; }
static inline rvec r_set(congru_real x) { return x; }
static inline rvec r_fma(rvec a, rvec b, rvec c) { return fmaf(a, b, c); }
static inline rvec r_add(rvec a, rvec b) { return a + b; }
static inline rvec r_sub(rvec a, rvec b) { return a - b; }
static inline rvec r_mul(rvec a, rvec b) { return a * b; }
static inline rvec r_where(rvec y, rvec a, rvec b) { return y > 0 ? a : b; }
static inline vec r_widen(const congru_real *p) { return *p; }
static inline void r_narrow(congru_real *p, vec a) { *p = (congru_real)a; }
#endif

/* Words: WORD_WIDTH whole numbers of 64 bits. w_product multiplies their lower halves. */
#if defined(CONGRU_LANES_AVX512)
typedef __m512i words;
#define WORD_WIDTH 8
static inline words w_load(const uint64_t *p) { return _mm512_loadu_si512(p); }
static inline void w_store(uint64_t *p, words a) { _mm512_storeu_si512(p, a); }
static inline words w_set(uint64_t x) { return _mm512_set1_epi64((long long)x); }
static inline words w_product(words a, words b) { return _mm512_mul_epu32(a, b); }
static inline words w_xor(words a, words b) { return _mm512_xor_si512(a, b); }
static inline words w_high(words a) { return _mm512_srli_epi64(a, 32); }
#elif defined(CONGRU_LANES_AVX2)
typedef __m256i words;
#define WORD_WIDTH 4
static inline words w_load(const uint64_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void w_store(uint64_t *p, words a) { _mm256_storeu_si256((__m256i *)p, a); }
static inline words w_set(uint64_t x) { return _mm256_set1_epi64x((long long)x); }
static inline words w_product(words a, words b) { return _mm256_mul_epu32(a, b); }
static inline words w_xor(words a, words b) { return _mm256_xor_si256(a, b); }
static inline words w_high(words a) { return _mm256_srli_epi64(a, 32); }
#else
typedef uint64_t words;
#define WORD_WIDTH 1
static inline words w_load(const uint64_t *p) { return *p; }
static inline void w_store(uint64_t *p, words a) { *p = a; }
static inline words w_set(uint64_t x) { return x; }
static inline words w_product(words a, words b) { return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu); }
static inline words w_xor(words a, words b) { return a ^ b; }
static inline words w_high(words a) { return a >> 32; }
#endif

/* Rows of a tile of 1, 2, 3 or 4 vectors: as many sums as there are registers for. */
#if defined(CONGRU_LANES_AVX2)
#define REAL_TILE 3
#define REAL_ROWS(vectors) ((vectors) == 1 ? 8 : (vectors) == 2 ? 6 : 4)
#elif defined(CONGRU_LANES_AVX512) || defined(CONGRU_LANES_NEON) || defined(CONGRU_LANES_EMULATED)
#define REAL_TILE 4
#define REAL_ROWS(vectors) ((vectors) <= 2 ? 12 : (vectors) == 3 ? 8 : 6)
#else
#define REAL_TILE 2
#define REAL_ROWS(vectors) 2
#endif

#endif
