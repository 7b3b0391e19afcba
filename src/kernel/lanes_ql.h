/* Implicit QL iteration on symmetric tridiagonal matrices, in lanes. SPDX-License-Identifier: Apache-2.0
 *
 * Each lane is at its own place of its own iteration: it works on rows [low, high] of its matrix while its
 * neighbours work on theirs, and a sweep covers the union of these ranges. So no lane waits for another to
 * converge, and none feels another: above its own range a lane is held back by masks, and below it all
 * off-diagonals are exactly zero, where a step is exactly the identity.
 *
 * A step is a chain of about ten dependent operations, a square root and a division among them. Several
 * vectors are carried through it side by side to fill the gaps. The rotations are only recorded here;
 * applying them to the eigenvectors is a separate pass that runs at the speed of the multipliers. */
#ifndef CONGRU_LANES_QL_H
#define CONGRU_LANES_QL_H

#include "kernel/lanes.h"

enum {
    QL_ROTATIONS_MIN =
        768,              /* recorded before they are applied: a few sweeps at large d, all of them at d = 22 */
    QL_SWEEPS_MAX = 1024, /* likewise */
    ROTATE_ROWS_MAX = 12, /* no VEC_TILE_ROTATE is larger */
    QL_SWEEPS_PER_ROW = 30 /* then the lane is given up as not converging (2 is usual) */
};

/* An off-diagonal is negligible below this fraction of its two neighbours on the diagonal, or below the
 * smallest number that matters when the matrix is scaled to 1. */
static const double ql_epsilon = 0x1p-53;
static const double ql_tiny = 1e-100;

/* Added to the size of a rotation's first component: far below anything that counts. */
static const double ql_angle = 1e-150;

/* Rotations high-1 .. low of one sweep start at `first` in the record. */
typedef struct ql_sweep {
    size_t high, low, first;
} ql_sweep;

/* One vector of tridiagonal matrices and its rotations, as half-angle tangent and sine. */
typedef struct ql_lane {
    double *diagonal, *off;                             /* (d), (d) */
    double *tangent, *sine;                             /* (capacity) */
    alignas(64) double low[VEC_WIDTH], high[VEC_WIDTH]; /* as whole numbers; low = d - 1 when done */
    alignas(64) double shift[VEC_WIDTH];                /* where the bulge starts */
    size_t sweeps;
    ql_sweep sweep[QL_SWEEPS_MAX];
} ql_lane;

ALWAYS_INLINE mask ql_negligible(vec off, vec above, vec below)
{
    return v_le(v_abs(off), v_fma(v_add(v_abs(above), v_abs(below)), v_set(ql_epsilon), v_set(ql_tiny)));
}

/* From `low` on: the first off-diagonal that counts, and the next one after it that does not. Those that do not
 * are made zero. */
static void ql_find_block(size_t d, ql_lane *q)
{
    vec low = v_load(q->low), high = v_set((double)(d - 1));
    vec none = v_set(-1.0), begin = none, end = none;
    for (size_t i = 0; i + 1 < d; i++) {
        vec index = v_set((double)i), off = v_load(AT(q->off, i));
        mask negligible = ql_negligible(off, v_load(AT(q->diagonal, i)), v_load(AT(q->diagonal, i + 1)));
        mask begun = v_le(v_set(0.0), begin);
        v_store(AT(q->off, i), v_select(m_and(negligible, v_le(low, index)), v_set(0.0), off));
        end = v_select(m_and(m_and(begun, negligible), v_eq(end, none)), index, end);
        begin = v_select(m_and_not(m_and_not(v_le(low, index), begun), negligible), index, begin);
    }
    v_store(q->low, v_select(v_eq(begin, none), high, begin));
    v_store(q->high, v_select(v_eq(end, none), high, end));
}

/* Steps past eigenvalues that have converged: their off-diagonals become zero. */
static void ql_deflate(size_t d, ql_lane *q, mask converged)
{
    alignas(64) double passed[VEC_WIDTH];
    vec low = v_load(q->low);
    v_store(passed, v_select(converged, low, v_set(-1.0)));
    for (size_t lane = 0; lane < VEC_WIDTH; lane++) {
        if (passed[lane] >= 0.0)
            AT(q->off, (size_t)passed[lane])[lane] = 0.0;
    }
    low = v_select(converged, v_add(low, v_set(1.0)), low);
    v_store(q->low, low);
    if (m_any(m_and(converged, v_le(v_load(q->high), low))))
        ql_find_block(d, q);
}

/* Deflates, and computes the shift: the eigenvalue of the leading 2 x 2 that is nearer its corner. */
static void ql_prepare(size_t d, ql_lane *q)
{
    const vec last = v_set((double)(d - 1)), one = v_set(1.0);
    vec low = v_load(q->low);
    mask working = v_lt(low, last);
    vec corner = v_select(working, low, v_sub(last, one));
    vec off = v_gather(q->off, corner);
    vec d0 = v_gather(q->diagonal, corner), d1 = v_gather(AT(q->diagonal, 1), corner);
    mask converged = m_and(working, ql_negligible(off, d0, d1));
    if (m_any(converged)) {
        ql_deflate(d, q, converged);
        low = v_load(q->low);
        working = v_lt(low, last);
        corner = v_select(working, low, v_sub(last, one));
        off = v_gather(q->off, corner);
        d0 = v_gather(q->diagonal, corner);
        d1 = v_gather(AT(q->diagonal, 1), corner);
    }
    vec g = v_div(v_sub(d1, d0), v_add(off, off));
    vec r = v_sqrt(v_fma(g, g, one));
    vec end = v_gather(q->diagonal, v_load(q->high));
    vec shift = v_add(v_sub(end, d0), v_div(off, v_add(g, v_copysign(r, g))));
    v_store(q->shift, v_select(working, shift, one));
}

/* What one vector carries down a sweep. `diagonal` is the entry just above the place of work and `above` the size of
 * the one before it; `split` marks lanes in which an off-diagonal inside the block has become negligible. */
typedef struct ql_bulge {
    vec g, c, s, diagonal, above;
    mask split;
} ql_bulge;

/* Where in a sweep a step is: some lanes may not have begun; all are at work; some may have nothing left. */
typedef enum ql_place { QL_BEGINNING, QL_MIDDLE, QL_ENDING } ql_place;

/* One step: the rotation of rows i and i+1. */
ALWAYS_INLINE void ql_step(const ql_place place, size_t i, ql_lane *q, ql_bulge *b, vec low, vec high,
                           size_t slot)
{
    const vec one = v_set(1.0), zero = v_set(0.0);
    vec off_i = v_load(AT(q->off, i)), diagonal_i = v_load(AT(q->diagonal, i)), g = b->g, c = b->c, s = b->s;
    vec index = v_set((double)i);
    mask begun = v_eq(zero, zero), first = v_lt(zero, zero);
    if (place == QL_BEGINNING) {
        begun = v_lt(index, high);
        first = v_eq(v_add(index, one), high);
        g = v_select(first, v_load(q->shift), g);
        c = v_select(first, one, c);
        s = v_select(first, one, s);
    }
    vec f = v_mul(s, off_i), e = v_mul(c, off_i);
    /* Never quite 0, so that there is always an angle; and where f is 0, the cosine is exactly 1. */
    vec g_sure = v_add(g, v_copysign(v_set(ql_angle), g));
    vec r =
        v_copysign(v_sqrt(v_fma(g_sure, g_sure, v_mul(f, f))), g_sure); /* the sign makes the cosine positive */
    vec tangent = v_div(f, v_add(r, g_sure));
    c = v_div(g_sure, r);
    s = v_fma(tangent, c, tangent);

    vec off_new = v_fma(c, g, v_mul(s, f));
    vec turn = v_fma(v_sub(diagonal_i, b->diagonal), s, v_mul(v_add(c, c), e));
    vec step = v_mul(s, turn);
    vec diagonal_new = v_add(b->diagonal, step), diagonal_next = v_sub(diagonal_i, step), sine = s;
    g = v_fms(c, turn, e);
    if (place == QL_BEGINNING) {
        off_new = v_select(begun, v_select(first, zero, off_new), v_load(AT(q->off, i + 1)));
        diagonal_new = v_select(begun, diagonal_new, b->diagonal);
        diagonal_next = v_select(begun, diagonal_next, diagonal_i);
        tangent = v_select(begun, tangent, zero);
        sine = v_select(begun, sine, zero);
    }
    v_store(AT(q->diagonal, i + 1), diagonal_new);
    v_store(AT(q->off, i + 1), off_new);
    v_store(AT(q->tangent, slot), tangent);
    v_store(AT(q->sine, slot), sine);

    vec size = v_abs(diagonal_new);
    mask split = v_le(v_abs(off_new), v_fma(v_add(size, b->above), v_set(ql_epsilon), v_set(ql_tiny)));
    if (place == QL_BEGINNING)
        split = m_and(split, m_and_not(begun, first));
    if (place != QL_MIDDLE)
        split = m_and(split, v_le(low, index));
    *b = (ql_bulge){g, c, s, diagonal_next, size, m_or(b->split, split)};
}

typedef struct ql_range {
    double high, low;               /* where any lane works; high < low: none does */
    double common_high, common_low; /* where every lane is at work, and none begins */
} ql_range;

/* Finished lanes leave the range alone, but end the common part. */
static ql_range ql_find_range(size_t d, const ql_lane *q)
{
    vec low = v_load(q->low), high = v_load(q->high);
    mask working = v_lt(low, v_set((double)(d - 1)));
    return (ql_range){v_largest(v_select(working, high, v_set(-1.0))),
                      -v_largest(v_neg(v_select(working, low, v_set((double)d)))), -v_largest(v_neg(high)),
                      v_largest(low)};
}

static ql_range ql_join_ranges(ql_range a, ql_range b)
{
    return (ql_range){a.high > b.high ? a.high : b.high, a.low < b.low ? a.low : b.low,
                      a.common_high < b.common_high ? a.common_high : b.common_high,
                      a.common_low > b.common_low ? a.common_low : b.common_low};
}

/* One sweep of `count` vectors from high to low. */
ALWAYS_INLINE void ql_sweep_down(const int count, size_t d, ql_lane *q, const ql_range *range, size_t slot)
{
    ql_bulge bulge[VEC_SIDE_BY_SIDE];
    vec low[VEC_SIDE_BY_SIDE], high[VEC_SIDE_BY_SIDE];
    const size_t from = (size_t)range->high, to = (size_t)range->low;
    const size_t common_high = (size_t)range->common_high, common_low = (size_t)range->common_low;
    for (int v = 0; v < count; v++) {
        const vec zero = v_set(0.0);
        low[v] = v_load(q[v].low);
        high[v] = v_load(q[v].high);
        vec above = from + 1 < d ? v_abs(v_load(AT(q[v].diagonal, from + 1))) : zero;
        bulge[v] = (ql_bulge){zero, zero, zero, v_load(AT(q[v].diagonal, from)), above, v_lt(zero, zero)};
    }
    size_t i = from;
    for (; i > to && i >= common_high; i--, slot++)
        for (int v = 0; v < count; v++)
            ql_step(QL_BEGINNING, i - 1, &q[v], &bulge[v], low[v], high[v], slot);
    for (; i > to && i > common_low + 1; i--, slot++)
        for (int v = 0; v < count; v++)
            ql_step(QL_MIDDLE, i - 1, &q[v], &bulge[v], low[v], high[v], slot);
    for (; i > to; i--, slot++)
        for (int v = 0; v < count; v++)
            ql_step(QL_ENDING, i - 1, &q[v], &bulge[v], low[v], high[v], slot);
    for (int v = 0; v < count; v++) {
        v_store(AT(q[v].diagonal, to), bulge[v].diagonal);
        v_store(AT(q[v].off, to),
                v_select(v_lt(v_set((double)to), high[v]), bulge[v].g, v_load(AT(q[v].off, to))));
        if (m_any(bulge[v].split))
            ql_find_block(d, &q[v]);
    }
}

/* Sweeps until every lane is diagonal (true) or the record is full (false). `sweeps_left` counts down; at 0 the
 * iteration ends as if done, and the caller sees lanes whose low is short of d - 1. */
ALWAYS_INLINE bool ql_iterate(const int count, size_t d, ql_lane *q, size_t capacity, size_t *sweeps_left)
{
    size_t slot = 0;
    for (int v = 0; v < count; v++)
        q[v].sweeps = 0;
    for (size_t sweep = 0;; sweep++) {
        ql_range own[VEC_SIDE_BY_SIDE], range = {-1, (double)d, (double)d, 0};
        for (int v = 0; v < count; v++) {
            ql_prepare(d, &q[v]);
            own[v] = ql_find_range(d, &q[v]);
            range = ql_join_ranges(range, own[v]);
        }
        if (range.high < range.low || *sweeps_left == 0)
            return true;
        size_t length = (size_t)(range.high - range.low);
        if (slot + length > capacity || sweep == QL_SWEEPS_MAX)
            return false;
        ql_sweep_down(count, d, q, &range, slot);
        for (int v = 0; v < count; v++) {
            if (own[v].high > own[v].low)
                q[v].sweep[q[v].sweeps++] = (ql_sweep){(size_t)own[v].high, (size_t)own[v].low,
                                                       slot + (size_t)(range.high - own[v].high)};
        }
        slot += length;
        --*sweeps_left;
    }
}

/* The rotation of the pair (carried, x) by tangent and sine, as three shears by tan(t/2), sin(t), tan(t/2): three
 * fused operations where the plain form takes four. `carried` moves on; what stays behind is returned. */
ALWAYS_INLINE vec rotate(vec *carried, vec x, vec tangent, vec sine)
{
    vec sheared = v_fma(tangent, x, *carried);
    *carried = v_fnma(sine, sheared, x);
    return v_fma(tangent, *carried, sheared);
}

/* R rows of the eigenvectors under one sweep. */
ALWAYS_INLINE void rotate_rows(const int R, size_t d, const ql_lane *q, const ql_sweep *sweep, double *z)
{
    const double *tangents = AT(q->tangent, sweep->first), *sines = AT(q->sine, sweep->first);
    vec carried[ROTATE_ROWS_MAX];
    for (int r = 0; r < R; r++)
        carried[r] = v_load(AT(z, (size_t)r * d + sweep->high));
    for (size_t i = sweep->high; i-- > sweep->low; tangents += VEC_WIDTH, sines += VEC_WIDTH) {
        vec tangent = v_load(tangents), sine = v_load(sines);
        for (int r = 0; r < R; r++) {
            double *place = AT(z, (size_t)r * d + i);
            v_store(place + VEC_WIDTH, rotate(&carried[r], v_load(place), tangent, sine));
        }
    }
    for (int r = 0; r < R; r++)
        v_store(AT(z, (size_t)r * d + sweep->low), carried[r]);
}

/* R rows under two sweeps from the same high, the second one step behind the first: each entry is loaded and
 * stored once for two rotations. first->low <= second->low. */
ALWAYS_INLINE void rotate_rows_twice(const int R, size_t d, const ql_lane *q, const ql_sweep *first,
                                     const ql_sweep *second, double *z)
{
    const size_t high = first->high, behind = second->low > first->low ? second->low : first->low + 1;
    const double *tangents = AT(q->tangent, first->first), *sines = AT(q->sine, first->first);
    const double *tangents2 = AT(q->tangent, second->first), *sines2 = AT(q->sine, second->first);
    vec carried[ROTATE_ROWS_MAX], carried2[ROTATE_ROWS_MAX];
    for (int r = 0; r < R; r++) {
        carried[r] = v_load(AT(z, (size_t)r * d + high));
        carried2[r] =
            rotate(&carried[r], v_load(AT(z, (size_t)r * d + high - 1)), v_load(tangents), v_load(sines));
    }
    size_t i = high - 1;
    for (; i >= behind; i--) {
        tangents += VEC_WIDTH, sines += VEC_WIDTH;
        vec tangent = v_load(tangents), sine = v_load(sines), tangent2 = v_load(tangents2),
            sine2 = v_load(sines2);
        for (int r = 0; r < R; r++) {
            double *place = AT(z, (size_t)r * d + i - 1);
            vec between = rotate(&carried[r], v_load(place), tangent, sine);
            v_store(place + 2 * VEC_WIDTH, rotate(&carried2[r], between, tangent2, sine2));
        }
        tangents2 += VEC_WIDTH, sines2 += VEC_WIDTH;
    }
    /* Here the first has rotated column i and the second column i + 1, which it carries. */
    for (int r = 0; r < R; r++) {
        if (second->low == first->low)
            v_store(AT(z, (size_t)r * d + i + 1),
                    rotate(&carried2[r], carried[r], v_load(tangents2), v_load(sines2)));
        else
            v_store(AT(z, (size_t)r * d + i + 1), carried2[r]);
    }
    if (second->low == first->low) {
        for (int r = 0; r < R; r++)
            v_store(AT(z, (size_t)r * d + i), carried2[r]);
        return;
    }
    for (; i > first->low; i--) {
        tangents += VEC_WIDTH, sines += VEC_WIDTH;
        vec tangent = v_load(tangents), sine = v_load(sines);
        for (int r = 0; r < R; r++) {
            double *place = AT(z, (size_t)r * d + i - 1);
            v_store(place + VEC_WIDTH, rotate(&carried[r], v_load(place), tangent, sine));
        }
    }
    for (int r = 0; r < R; r++)
        v_store(AT(z, (size_t)r * d + i), carried[r]);
}

/* R rows under all recorded sweeps, in pairs where they match. */
ALWAYS_INLINE void rotate_rows_all(const int R, size_t d, const ql_lane *q, double *z)
{
    for (size_t n = 0; n < q->sweeps; n++) {
        const ql_sweep *sweep = &q->sweep[n];
        bool pair = n + 1 < q->sweeps && sweep[1].high == sweep->high && sweep[1].low >= sweep->low &&
                    sweep[1].low < sweep->high;
        if (pair) {
            rotate_rows_twice(R, d, q, sweep, sweep + 1, z);
            n++;
        } else {
            rotate_rows(R, d, q, sweep, z);
        }
    }
}

/* All rows, in blocks of nearly equal height. */
static void ql_rotate(size_t d, const ql_lane *q, double *z)
{
    size_t blocks = (d + VEC_TILE_ROTATE - 1) / VEC_TILE_ROTATE;
    for (size_t row = 0; row < d; blocks--) {
        size_t rows = (d - row + blocks - 1) / blocks;
        double *place = AT(z, row * d);
        switch (rows) {
#define ROTATE_CASE(R) \
    case R: \
        rotate_rows_all(R, d, q, place); \
        break
            ROTATE_CASE(1);
            ROTATE_CASE(2);
            ROTATE_CASE(3);
            ROTATE_CASE(4);
            ROTATE_CASE(5);
            ROTATE_CASE(6);
            ROTATE_CASE(7);
            ROTATE_CASE(8);
            ROTATE_CASE(9);
            ROTATE_CASE(10);
            ROTATE_CASE(11);
            ROTATE_CASE(12);
#undef ROTATE_CASE
        }
        row += rows;
    }
}

#endif
