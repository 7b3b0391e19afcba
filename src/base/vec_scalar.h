/* The vector layer with one lane, in portable C: the path every machine has. SPDX-License-Identifier: Apache-2.0
 *
 * Every vector header defines the same names: a type `vec` of VEC_WIDTH doubles, a type `mask`, and the
 * operations below with the same meaning to the bit. `fma` must round once; C's fma does, in software
 * where the machine has no instruction for it. */
#ifndef CONGRU_VEC_SCALAR_H
#define CONGRU_VEC_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VEC_WIDTH 1
#define VEC_TILE_ROWS 2 /* register tile of the matrix product */
#define VEC_TILE_COLUMNS 4
#define VEC_TILE_REFLECT 2 /* rows the reduction takes at a time */
#define VEC_TILE_ROTATE 4 /* rows of eigenvectors rotated at a time */
#define VEC_SIDE_BY_SIDE 2 /* vectors carried through the QL iteration together */

typedef double vec;
typedef bool mask;

static inline vec v_load(const double *p) { return *p; }
static inline void v_store(double *p, vec a) { *p = a; }
static inline vec v_load_unaligned(const double *p) { return *p; }
static inline void v_store_unaligned(double *p, vec a) { *p = a; }
static inline vec v_set(double x) { return x; }
static inline vec v_add(vec a, vec b) { return a + b; }
static inline vec v_sub(vec a, vec b) { return a - b; }
static inline vec v_mul(vec a, vec b) { return a * b; }
static inline vec v_div(vec a, vec b) { return a / b; }
static inline vec v_sqrt(vec a) { return sqrt(a); }
static inline vec v_fma(vec a, vec b, vec c) { return fma(a, b, c); }   /* a b + c */
static inline vec v_fms(vec a, vec b, vec c) { return fma(a, b, -c); }  /* a b - c */
static inline vec v_fnma(vec a, vec b, vec c) { return fma(-a, b, c); } /* c - a b */
static inline vec v_abs(vec a) { return fabs(a); }
static inline vec v_neg(vec a) { return -a; }
static inline vec v_copysign(vec size, vec sign) { return copysign(size, sign); }

/* Comparisons are false for NaN. */
static inline mask v_lt(vec a, vec b) { return a < b; }
static inline mask v_le(vec a, vec b) { return a <= b; }
static inline mask v_eq(vec a, vec b) { return a == b; }
static inline vec v_select(mask m, vec yes, vec no) { return m ? yes : no; }
static inline mask m_and(mask a, mask b) { return a && b; }
static inline mask m_or(mask a, mask b) { return a || b; }
static inline mask m_and_not(mask a, mask b) { return a && !b; }
static inline bool m_any(mask a) { return a; }
static inline bool m_all(mask a) { return a; }

/* Each lane as a 64-bit integer. */
static inline uint64_t v_lane_bits(vec a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
static inline vec v_lane_from_bits(uint64_t bits)
{
    vec a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
static inline vec v_lane_pattern(uint64_t bits) { return v_lane_from_bits(bits); }
static inline vec v_bits_and(vec a, uint64_t b) { return v_lane_from_bits(v_lane_bits(a) & b); }
static inline vec v_bits_or(vec a, uint64_t b) { return v_lane_from_bits(v_lane_bits(a) | b); }
static inline vec v_bits_sub(vec a, vec b) { return v_lane_from_bits(v_lane_bits(a) - v_lane_bits(b)); }
static inline vec v_bits_left(vec a, int n) { return v_lane_from_bits(v_lane_bits(a) << n); }
static inline vec v_bits_right(vec a, int n) { return v_lane_from_bits(v_lane_bits(a) >> n); }

/* Lane j of the result is lane j of the vector stored at index j, a whole number held as a double. */
static inline vec v_gather(const double *vectors, vec index) { return vectors[(size_t)index]; }

/* The largest of the lanes; none is NaN. */
static inline double v_largest(vec a) { return a; }

/* Rows become columns, in place. */
static inline void v_transpose(vec rows[VEC_WIDTH]) { (void)rows; }

#endif
